"""FuseSoC flow `ws_sim`: run the core's cocotb tests, found by its name; fail unless they all ran and passed.

Tests that need certain parameters or an environment define a function `configuration`: it takes the parameters of the
command line and returns the parameters to build with and the environment of the tests. tb/queries checks the circuit of
a query against PySpark's rows: fusesoc/queries over streams of tuples, fusesoc/orders over the contents of messages.
"""

import sys
from importlib import import_module
from pathlib import Path

from wirestream.design import HOME
from wirestream.measure.flow import Flow
from wirestream.sim.simulate import simulate

# The modules around a circuit in its test, by the library of its core
QUERIES = {"queries": "tb.queries.run", "orders": "tb.queries.orders"}


class Ws_sim(Flow):  # FuseSoC derives the class name from the flow's
    def run(self) -> None:
        design, env = self.design, {}
        if not (HOME / "tb").is_dir():
            raise SystemExit("the test benches are not part of the installed package: run this in a checkout")
        sys.path.insert(0, str(HOME))
        if of_streams := QUERIES.get(design.library):
            tests = "tb.queries.circuit"
            (described,) = (f["name"] for f in self.edam["files"] if f["name"].endswith(".json"))
            env = import_module(of_streams).environment_of(design.name, Path(self.work_root) / described)
        else:
            tests = f"tb.{design.library}.test_{design.name}"
            if configuration := getattr(import_module(tests), "configuration", None):
                parameters, env = configuration(**design.parameters)
                design = design.with_parameters(**parameters)
        simulate(design, tests, env=env, repeat=f"fusesoc run --target=sim {design.core}")
