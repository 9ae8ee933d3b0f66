"""From streaming SQL to a circuit, one file per pass.

======================== ============================================================================================
`syntax`                 text → syntax tree, by the grammar in ``dialect.lark``
`lower`                  syntax tree → logical plan; `scope` lowers expressions, `joins` a SELECT with a JOIN
`rewrite`                logical plan → logical plan; lists the rewrites that can be switched off
`planner`                logical plans → hardware plan: the cores, their parameters, the latency of every stage
`methods`                how each aggregate's windows are implemented, and why; for a GROUP BY `group_methods`
`verilog`                hardware plan → a Verilog module that only instantiates and wires cores
======================== ============================================================================================

`plan` has the nodes of a logical plan, the streaming algebra of the dissertation's Table 7.1, and `types` the types of
its columns; `analysis` answers questions about a plan. `cores` has the contract of each core: parameters, latency,
distances, rows, cells. `circuit` has the parts of a hardware plan. Four modules work on a hardware plan: `package`
(the edges around a circuit, whose `front` turns datagrams into items), `description` (the circuit as JSON), `size` (an
estimate of its cells) and `drawing`. `output` writes the files. `bytecode` makes programs of the query machine from
logical plans.

A pass rejects what it does not support with a `QueryError`, which has the position in the text.
"""
