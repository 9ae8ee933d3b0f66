"""The hardware plan: the cores of a circuit, their parameters and wiring, and the latency of every stage.

The planner walks each query's plan from its input to its result: `needs` determines the columns that are carried,
`wiring` adds instances and stages, and `expressions`, `windows`, `groups`, `stacking`, `sorting`, `partitions` and
`joins` have the operators. The contracts of the cores are in `wirestream.compiler.cores`.
"""

from wirestream.compiler.planner.planner import CAPACITY, CLOCK_NS, plan_circuit

__all__ = ["CAPACITY", "CLOCK_NS", "plan_circuit"]
