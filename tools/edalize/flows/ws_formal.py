"""FuseSoC flow `ws_formal`: k-induction of the core's properties, covers and mutants."""

from wirestream.measure.flow import Flow
from wirestream.measure.formal import ProofOptions, prove


class Ws_formal(Flow):  # FuseSoC derives the class name from the flow's
    def __init__(self, edam: dict, work_root: str, verbose: bool = False):
        super().__init__(edam, work_root, verbose)
        self.options = ProofOptions.from_flow_options(edam.get("flow_options", {}))

    @classmethod
    def get_flow_options(cls) -> dict:
        return {
            "depth": {"type": "int", "desc": "Cycles of the base case, the covers and the longest induction"},
            "short": {"type": "int", "desc": "The same of a short proof, if the whole takes minutes"},
            "induction": {"type": "int", "desc": "Longest induction, if it is another"},
            "pdr": {"type": "int", "desc": "1: property directed reachability in place of the induction"},
            "cover": {"type": "int", "desc": "Cycles of the covers, if they are others"},
            "multiclock": {"type": "int", "desc": "1: the core has clocks of its own choice"},
            "configurations": {"type": "str", "desc": "Parameter values, one proof each: A=1 B=2", "list": True},
            "bounded": {"type": "str", "desc": "Assertions for the base case alone: part of a name", "list": True},
            "below": {"type": "int", "desc": "0: without the properties of the cores below"},
            "mutants": {"type": "int", "desc": "Faults that the properties must find"},
            "short_mutants": {"type": "int", "desc": "Those of a short proof, if they are not three"},
            "mutated": {"type": "str", "desc": "Where they are: source text, or FILE: source text", "list": True},
            "by_induction": {"type": "int", "desc": "1: found if the induction fails"},
            "equivalent": {"type": "str", "desc": "Unobservable: LINE | FAULT | CONFIGURATION | REASON", "list": True},
        }

    def run(self) -> None:
        prove(self.design, self.options)
