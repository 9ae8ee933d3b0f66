"""From streaming SQL to a circuit, one file a pass.

======================== ============================================================================================
`syntax`                 text → syntax tree, by the grammar in ``dialect.lark``
`lower`                  syntax tree → logical plan; `scope` lowers expressions, `joins` a SELECT with a JOIN
`rewrite`                logical plan → logical plan; what can be switched off is listed there
`planner`                logical plans → hardware plan: which core, which parameters, latency of every stage
`methods`                for each aggregate of it: in which way its windows are made, for what reason; of a GROUP BY
                         `group_methods`
`verilog`                hardware plan → a Verilog module that only instantiates and wires cores
======================== ============================================================================================

`plan` has the nodes of a logical plan, the streaming algebra of the dissertation's Table 7.1, and `types` the types of
its columns; `analysis` answers questions about one. `cores` has the contract of each core: parameters, latency,
distances, rows, cells. `circuit` has the parts of a hardware plan. From it come `package`
(the edges around a circuit, whose `front` makes items of datagrams), `description` (all of it as JSON), `size` (an
estimate of its cells) and `drawing`; `output` writes the files.

Every pass refuses what it cannot do with a `QueryError`, which shows the place in the text.
"""
