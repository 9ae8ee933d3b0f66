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
            "short": {"type": "int", "desc": "Depth of a short proof, if the full one takes minutes"},
            "induction": {"type": "int", "desc": "Longest induction, if not depth"},
            "pdr": {"type": "int", "desc": "1: property directed reachability instead of the induction"},
            "sat": {"type": "int", "desc": "1: ABC shows the induction, one assertion after the other"},
            "cover": {"type": "int", "desc": "Cycles of the covers, if not depth"},
            "multiclock": {"type": "int", "desc": "1: the core has several clocks"},
            "configurations": {"type": "str", "desc": "Parameter values, one proof each: A=1 B=2", "list": True},
            "bounded": {"type": "str", "desc": "Assertions for the base case only: part of a name", "list": True},
            "below": {"type": "int", "desc": "0: without the properties of instantiated cores"},
            "mutants": {"type": "int", "desc": "Number of faults that the properties must detect"},
            "short_mutants": {"type": "int", "desc": "Number in a short proof, if not three"},
            "mutated": {"type": "str", "desc": "Lines to mutate: source text, or FILE: source text", "list": True},
            "by_induction": {"type": "int", "desc": "1: a failed induction detects a fault"},
            "equivalent": {"type": "str", "desc": "Unobservable: LINE | FAULT | CONFIGURATION | REASON", "list": True},
        }

    def run(self) -> None:
        prove(self.design, self.options)
