"""FuseSoC flow `ws_bitstream`: a bitstream for an ECP5 that meets its clock constraints (seed: SEED)."""

import os
from pathlib import Path

from wirestream.measure.bitstream import Chip, build, show
from wirestream.measure.flow import Flow


class Ws_bitstream(Flow):  # FuseSoC derives the class name from the flow's
    @classmethod
    def get_flow_options(cls) -> dict:
        return {
            "device": {"type": "str", "desc": "Device of nextpnr-ecp5: 25k, um-45k, um5g-85k"},
            "package": {"type": "str", "desc": "Package, such as CABGA381"},
            "speed": {"type": "str", "desc": "Speed grade: 6, 7 or 8"},
        }

    def run(self) -> None:
        constraints = [Path(self.work_root) / f["name"] for f in self.edam["files"] if f.get("file_type") == "LPF"]
        chip = Chip(**self.edam["flow_options"])
        show(build(self.design, chip, constraints, int(os.environ.get("SEED") or 1)))
