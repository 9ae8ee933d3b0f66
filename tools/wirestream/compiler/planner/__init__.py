"""The hardware plan: the cores of a circuit, their parameters and wiring, and the latency of every stage.

Each query's plan is walked from its input to its result: `needs` says which columns are carried, `wiring` makes
instances and stages, `expressions`, `windows`, `groups` and `joins` are the operators. What a core promises is stated
in `wirestream.compiler.cores`.
"""

from wirestream.compiler.planner.planner import CAPACITY, CLOCK_NS, plan_circuit

__all__ = ["CAPACITY", "CLOCK_NS", "plan_circuit"]
