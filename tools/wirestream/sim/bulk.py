"""The bulk bench from Python: build it for a core, feed it, read its output.

    bench = build("udp_rx", DATA_W=64)
    result = bench.run(frames, out, gaps=RANDOM, stalls=RANDOM, inputs={"local_ip": 0x0A000001, ...})
    result.packets, result.events["bad_checksum"], result.log["first"][7] - result.sent_log["last"][7]

One C++ program simulates millions of cycles per second, where bus models in Python reach tens of thousands. It binds a
core by the names of its ports:

==========================  ============================================================================
``gmii_rx*``, ``gmii_tx*``  frames, from the destination address to before the FCS; pcap, link type Ethernet
``xgmii_rx*``, ``_tx*``     the same on XGMII
``s_axis_*``, ``m_axis_*``  packets of AXI4-Stream, 8 to 512 bits; pcap, link type USER0
``s_*``, ``m_*``            items: valid, data, and ready, kind, punct, eos if present
``evt_*``                   counted (a wider one adds its value): ``BulkResult.events``
``stat_*``                  latest totals of the event counters, by index: ``BulkResult.counters``
other inputs                constants, ``inputs=``; each needs a value
other outputs               ``BulkResult.outputs``: their final values
==========================  ============================================================================

A run's folder has ``in.*`` and ``out.*``: ``.pcap``, ``.log`` (`PACKET_LOG`, a record per packet), ``.tuser`` (one
little-endian number per packet), ``.items`` (`item_dtype`), ``.cycles`` (uint64 per item), and ``result.json``. Cycles
count from the start of the run, whose first 8 cycles are a reset. The cycle of a packet or item is that of its
transfer; on GMII and XGMII that of its first or last octet, preamble and FCS included.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import struct
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntFlag
from functools import cached_property
from pathlib import Path

import numpy as np

from wirestream.design import Design, build_dir, resolve
from wirestream.inventory import note
from wirestream.sim import verilate
from wirestream.sim.simulate import seed as run_seed
from wirestream.sim.verilate import BuildFailure, Kind, locked

PROGRAM = Path(__file__).resolve().parent / "cpp"
PARTS = ("bench", "files", "ethernet", "gmii", "xgmii", "axis", "items")
BENCH, BOARD = ("main", *PARTS), ("board", "link", "bus", "host", *PARTS)
LINKTYPE_ETHERNET = 1
LINKTYPE_USER0 = 147

# Rules for pauses: PROBABILITY that one begins in a cycle, and LONGEST, its largest length in cycles.
NONE = "none"
RANDOM = "0.15:6"
LONG = "0.0005:5000"
RANDOM_AND_LONG = f"{RANDOM}+{LONG}"


class PacketFlag(IntFlag):
    """Faults of a packet: to inject in `FAULT`, as sent or received in `PACKET_LOG`."""

    BAD_FCS = 1
    ERROR = 2  # rx_er or tx_er; XGMII: an error character
    NO_PREAMBLE = 4
    RAW = 8  # to send: only these octets; on XGMII the start character replaces the first
    NO_PAD = 16  # to send: a frame of less than 60 octets is not padded
    BAD = 32  # AXI4-Stream: tuser[0] with tlast
    CUT = 64  # cut short by a reset


PACKET_LOG = np.dtype([("first", "<u8"), ("last", "<u8"), ("length", "<u4"), ("flags", "<u4")])
FAULT = np.dtype([("flags", "<u4"), ("at", "<u4")])  # at: the octet of the frame with the error

# The kind byte of items of a core without a kind port.
VALID, PUNCT, EOS = 1, 2, 4


class BulkFailure(RuntimeError):
    """The bench could not be built, or the run hung or violated a rule."""


def item_dtype(width: int) -> np.dtype:
    """Records of items with `width` data bits: a kind byte, then the data as a big-endian number.

    kind is the value of the kind port, or without one `VALID` + `PUNCT` + `EOS`. ``data`` has a tuple's layout in a
    datagram: ``items["data"].view(schema.dtype)``.
    """
    return np.dtype([("kind", "u1"), ("data", "u1", ((width + 7) // 8,))])


def items(kinds: Iterable[int] | int, values: Sequence[int], width: int) -> np.ndarray:
    """Item records from numbers; `kinds`: one for each item, or one for all."""
    records = np.zeros(len(values), item_dtype(width))
    records["kind"] = kinds if isinstance(kinds, int) else list(kinds)
    size = (width + 7) // 8
    packed = b"".join(int(v).to_bytes(size, "big") for v in values)
    records["data"] = np.frombuffer(packed, np.uint8).reshape(-1, size)
    return records


def write_pcap(path: Path, packets: Iterable[bytes], linktype: int = LINKTYPE_ETHERNET) -> int:
    """Write `packets` with time stamps of zero; return their number."""
    count = 0
    with path.open("wb") as file:
        file.write(struct.pack("<IHHIIII", 0xA1B23C4D, 2, 4, 0, 0, 1 << 18, linktype))
        for count, packet in enumerate(packets, 1):  # noqa: B007
            file.write(struct.pack("<IIII", 0, 0, len(packet), len(packet)) + packet)
    return count


def read_pcap(path: Path) -> Iterator[bytes]:
    """The packets of a little-endian pcap file."""
    with path.open("rb") as file:
        file.read(24)
        while header := file.read(16):
            yield file.read(struct.unpack_from("<I", header, 8)[0])


@dataclass(frozen=True)
class BulkResult:
    """The result of a run. Counts are of packets or items; cycles are clock cycles; log arrays are loaded on demand.

    status: "good", "hang", "violation" or "finish". received_bad: packets with any `PacketFlag`. sent_cut,
    received_cut: packets truncated by a reset. first_violations: (cycle, text) of the first 20.
    """

    folder: Path
    status: str
    seed: int
    cycles: int
    cycles_per_second: float
    sent: int
    sent_cut: int
    received: int
    received_cut: int
    received_bad: int
    events: dict[str, int]
    counters: list[int]
    outputs: dict[str, int]
    violations: int
    first_violations: list[tuple[int, str]]
    width: int

    @classmethod
    def load(cls, folder: Path, width: int = 0) -> BulkResult:
        summary = json.loads((folder / "result.json").read_text())
        same = ("status", "seed", "cycles", "cycles_per_second", "events", "counters", "violations")
        return cls(
            folder=folder,
            **{name: summary[name] for name in same},
            sent=summary["sent"]["count"],
            sent_cut=summary["sent"]["cut"],
            received=summary["received"]["count"],
            received_cut=summary["received"]["cut"],
            received_bad=summary["received"]["bad"],
            outputs={k: int(v, 16) for k, v in summary["outputs"].items()},
            first_violations=[(cycle, text) for cycle, text in summary["first_violations"]],
            width=width,
        )

    @cached_property
    def packets(self) -> list[bytes]:
        """The received packets; to iterate without loading all, use `read_pcap` on ``out.pcap``."""
        return list(read_pcap(self.folder / "out.pcap"))

    @cached_property
    def log(self) -> np.ndarray:
        """`PACKET_LOG` of the received packets."""
        return np.fromfile(self.folder / "out.log", PACKET_LOG)

    @cached_property
    def sent_log(self) -> np.ndarray:
        """`PACKET_LOG` of the sent packets."""
        return np.fromfile(self.folder / "in.log", PACKET_LOG)

    @cached_property
    def tuser(self) -> list[int]:
        """tuser of the received packets, from the last beat."""
        data, size = (self.folder / "out.tuser").read_bytes(), (self.width + 7) // 8
        return [int.from_bytes(data[i : i + size], "little") for i in range(0, len(data), size)] if size else []

    @cached_property
    def items(self) -> np.ndarray:
        """The received items, of `item_dtype`."""
        return np.fromfile(self.folder / "out.items", item_dtype(self.width))

    @cached_property
    def item_values(self) -> list[int]:
        """The data of the received items, as numbers."""
        return [int.from_bytes(data.tobytes(), "big") for data in self.items["data"]]

    @cached_property
    def item_cycles(self) -> np.ndarray:
        """The cycle in which each item was received."""
        return np.fromfile(self.folder / "out.cycles", "<u8")

    @cached_property
    def sent_cycles(self) -> np.ndarray:
        """The cycle in which each item was accepted by the core."""
        return np.fromfile(self.folder / "in.cycles", "<u8")


@dataclass(frozen=True)
class Bench:
    """The program built for one core. ports: (direction, width in bits) by name."""

    label: str
    program: Path
    ports: dict[str, tuple[str, int]]
    traces: bool

    def width(self, port: str) -> int:
        return self.ports[port][1] if port in self.ports else 0

    def run(
        self,
        source: Path | np.ndarray | Iterable[bytes],
        out: Path,
        *,
        faults: np.ndarray | None = None,
        tuser: Iterable[int] | None = None,
        inputs: dict[str, int] | None = None,
        gaps: str = NONE,
        stalls: str = NONE,
        reset_at: Sequence[int] = (),
        seed: int | None = None,
        check: bool = True,
        **options: int | bool,
    ) -> BulkResult:
        """Feed `source` (a file, packets, or item records) and return the result; the files stay in folder `out`.

        faults: `FAULT` records, one per frame. tuser: one number per packet. inputs: constants for the other inputs.
        gaps, stalls: rules for pauses of the source and the sink. reset_at: cycles at which a reset of 8 cycles
        begins. options: those of the program, with ``_`` for ``-`` (``wire=True``, ``quiet=5000``); ``bulk --help``
        lists them. Raises `BulkFailure` unless the run is good; with check=False only if there is no result.
        """
        out.mkdir(parents=True, exist_ok=True)
        result = out / "result.json"
        result.unlink(missing_ok=True)
        command = [str(self.program), "--out", str(out), "--in", str(self._input(source, out))]
        if faults is not None:
            np.asarray(faults, FAULT).tofile(out / "in.faults")
            command += ["--faults", str(out / "in.faults")]
        if tuser is not None:
            size = (self.width("s_axis_tuser") + 7) // 8
            (out / "in.tuser").write_bytes(b"".join(int(u).to_bytes(size, "little") for u in tuser))
            command += ["--tuser", str(out / "in.tuser")]
        for name, value in (inputs or {}).items():
            command += ["--set", f"{name}={value:#x}"]
        command += ["--gaps", gaps, "--stalls", stalls, "--seed", str(run_seed() if seed is None else seed)]
        for cycle in reset_at:
            command += ["--reset-at", str(cycle)]
        for name, value in {"trace": self.traces, **options}.items():
            option = "--" + name.replace("_", "-")
            command += ([option] if value else []) if isinstance(value, bool) else [option, str(value)]

        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode and (check or not result.exists()):
            output = (done.stdout + done.stderr).strip()[-4000:]
            output = output or f"exited with status {done.returncode}"
            raise BulkFailure(f"{self.label}: {output}\n  repeat: {shlex.join(command)}")
        note("bulk", self.label)
        return BulkResult.load(out, self.width("m_data") or self.width("m_axis_tuser"))

    def _input(self, source: Path | np.ndarray | Iterable[bytes], out: Path) -> Path:
        match source:
            case Path():
                return source
            case np.ndarray():
                expected = item_dtype(self.width("s_data"))
                if source.dtype != expected:
                    raise ValueError(f"{self.label} takes items of {expected}, not {source.dtype}")
                source.tofile(out / "in.items")
                return out / "in.items"
            case _:
                linktype = LINKTYPE_USER0 if "s_axis_tdata" in self.ports else LINKTYPE_ETHERNET
                write_pcap(out / "in.pcap", source, linktype)
                return out / "in.pcap"


def _kept(built: Path, key: str) -> Path:
    """The program under a unique name, which stays valid if another is built in its place. The last four are kept."""
    program = built.with_name(f"{built.name}.{key}")
    if not program.exists():
        os.link(built, program)
    for old in sorted(built.parent.glob(f"{built.name}.{'?' * len(key)}"), key=lambda p: p.stat().st_mtime)[:-4]:
        old.unlink()
    return program


def build(core: str | Design, parts: tuple[str, ...] = BENCH, **parameters: int | str) -> Bench:
    """The bench of `core` with `parameters`, built under build/bulk unless it is up to date.

    parts: `BOARD` builds the simulated board (`wirestream.host.board`) of a design with its ports. WAVES=bulk in the
    environment builds with traces; every run of a bench then writes ``dump.vcd``, which may become large.
    """
    design = (core if isinstance(core, Design) else resolve(core)).with_parameters(**parameters)
    traces = os.environ.get("WAVES") == "bulk"
    folder = build_dir() / "bulk" / (design.label + (".waves" if traces else ""))
    main, *others = (PROGRAM / f"{name}.cpp" for name in parts)
    kind = Kind(
        prefix="Vdut",
        main=main,
        parts=tuple(others),
        runtime=("verilated", "verilated_threads"),
        headers=("bench.h", "verilated.h"),
        optimise="-O1" if parts == BOARD else "-Og",  # building a bench usually takes longer than running it
        verilate=("--timescale-override", "1ns/1ns") if traces else (),
    )
    try:
        with locked(folder):
            built = verilate.build(design, kind, folder, traces=traces, port_list="bulk_ports.inc")
            found = re.findall(r"PORT\((\w+), (\w+), (\d+)\)", (folder / "bulk_ports.inc").read_text())
            program = _kept(built, (folder / "stamp").read_text())
    except BuildFailure as failure:
        raise BulkFailure(str(failure)) from None
    ports = {name: (direction, int(width)) for direction, name, width in found}
    return Bench(design.label, program, ports, traces)
