"""FuseSoC flow `ws_sim`: the core's cocotb tests, found by its name, judged honestly."""

from wirestream.flow import Flow
from wirestream.simulate import simulate


class Ws_sim(Flow):  # FuseSoC derives the class name from the flow's
    def run(self) -> None:
        d = self.design
        simulate(d, f"tb.{d.library}.test_{d.name}", repeat=f"fusesoc run --target=sim {d.core}")
