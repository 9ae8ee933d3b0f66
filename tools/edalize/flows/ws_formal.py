"""FuseSoC flow `ws_formal`: k-induction of the core's properties, covers and mutants."""

from wirestream.flow import Flow
from wirestream.formal import ProofOptions, prove


class Ws_formal(Flow):  # FuseSoC derives the class name from the flow's
    def __init__(self, edam: dict, work_root: str, verbose: bool = False):
        super().__init__(edam, work_root, verbose)
        self.options = ProofOptions.from_flow_options(edam.get("flow_options", {}))

    @classmethod
    def get_flow_options(cls) -> dict:
        return {
            "depth": {"type": "int", "desc": "Cycles of the base case and longest induction"},
            "configurations": {"type": "str", "desc": "Parameter values, one proof each: A=1 B=2", "list": True},
            "mutants": {"type": "int", "desc": "Faults that the properties must find"},
            "equivalent": {"type": "str", "desc": "Mutants without effect: source text | reason", "list": True},
        }

    def run(self) -> None:
        prove(self.design, self.options)
