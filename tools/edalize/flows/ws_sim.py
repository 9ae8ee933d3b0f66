"""FuseSoC flow `ws_sim`: the core's cocotb tests, found by its name, judged honestly.

Tests that need certain parameters or an environment say so in a function `configuration` of their file: it takes the
parameters of the command line and returns those to build with and the environment of the tests.
"""

import sys
from importlib import import_module

from wirestream.design import REPOSITORY
from wirestream.flow import Flow
from wirestream.simulate import simulate


class Ws_sim(Flow):  # FuseSoC derives the class name from the flow's
    def run(self) -> None:
        design, env = self.design, {}
        tests = f"tb.{design.library}.test_{design.name}"
        sys.path.insert(0, str(REPOSITORY))
        if configuration := getattr(import_module(tests), "configuration", None):
            parameters, env = configuration(**design.parameters)
            design = design.with_parameters(**parameters)
        simulate(design, tests, env=env, repeat=f"fusesoc run --target=sim {design.core}")
