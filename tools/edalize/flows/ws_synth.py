"""FuseSoC flow `ws_synth`: cells and clock rate of the core after place and route (number of seeds: SEEDS)."""

from wirestream.measure.flow import Flow
from wirestream.measure.synth import measure, positive, seeds_from_environment, show


class Ws_synth(Flow):  # FuseSoC derives the class name from the flow's
    def run(self) -> None:
        show(measure(self.design, positive(seeds_from_environment())))
