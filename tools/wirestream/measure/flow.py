"""The base of the project's FuseSoC flows, which get the resolved design and do their work in `run`."""

from __future__ import annotations

from wirestream.design import from_edam


class Flow:
    """The interface that FuseSoC expects of a flow. An exception in `run` makes `fusesoc run` exit with 1."""

    argtypes = ("vlogparam",)

    def __init__(self, edam: dict, work_root: str, verbose: bool = False):
        self.design = from_edam(edam, work_root)
        self.edam, self.work_root = edam, work_root

    @classmethod
    def get_flow_options(cls) -> dict:
        return {}

    @classmethod
    def get_tool_options(cls, flow_options: dict) -> dict:
        return {}

    def configure(self) -> None:
        """Nothing to prepare: `run` works from the resolved design."""

    def build(self) -> None:
        """Building is part of `run`."""
