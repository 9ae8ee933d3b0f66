"""FuseSoC flow `ws_lint`: Verilator with all warnings as errors."""

from wirestream.measure.flow import Flow
from wirestream.measure.lint import lint


class Ws_lint(Flow):  # FuseSoC derives the class name from the flow's
    def run(self) -> None:
        lint(self.design)
