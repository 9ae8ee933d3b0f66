"""Model checking by ABC, the program that comes with pyosys, of a design that Yosys writes in AIGER.

The bad states of the file are failed assertions and reached covers. Two more keep the answers strict: `first` is
reached in the first cycle only, so a problem always has a register; ABC rejects a problem without one. `late` is
reached after the cycles to check, unless the assumptions exclude every trace of that length.
"""

from __future__ import annotations

import json
import re
import subprocess
from importlib.util import find_spec
from pathlib import Path

TEMPLATES = Path(__file__).with_suffix(".v")
TIMEOUT_S = 600
DEEP = 60  # cycles above which CaDiCaL decides a base case faster than ABC's own solver: 33 s and 70 s at 92 cycles
REDUCE = "&get; &scorr; &put"
HOLDS, FAILS, VACUOUS = "holds", "fails", "vacuous"


def abc() -> Path:
    """The program."""
    if not (found := find_spec("pyosys")):
        raise ModuleNotFoundError("No module named 'pyosys'", name="pyosys")
    return Path(found.origin).with_name("yosys-abc")


class Undecided(RuntimeError):
    """ABC gave no answer, or one that cannot be parsed."""


def lower(name: str, depth: int) -> list[str]:
    """The Yosys commands that write the design as ``<name>.aig``, and the names of its bad states as ``<name>.json``.

    depth: cycles of `base_case`. The design must have no memories, and no flip-flops with enables or resets.
    """
    return [
        "delete t:$print",
        "delete -output",  # an output would be a bad state
        "setundef -undriven -anyseq",
        f"techmap -D DEPTH={depth} -map {TEMPLATES}",
        "opt_expr",
        "alumacc",
        "opt_clean",
        "techmap",
        "setundef -anyseq",  # bits that a shift reads outside its operand
        "opt_clean",
        "aigmap",
        f"write_aiger -I -zinit -ywmap {name}.json {name}.aig",
    ]


def lower_induction(name: str, depth: int) -> list[str]:
    """The Yosys commands that write the induction step for `inductive`, in the files of `lower`: from any state, the
    assertions hold for `depth` cycles and then for one more."""
    return [
        "setattr -unset init w:*",
        "chformal -cover -remove",
        "chformal -assert2cover",
        f"techmap -D INDUCTION -D DEPTH={depth + 1} -map {TEMPLATES}",
        "opt_merge",
        *lower(name, depth + 1),
    ]


def base_case(folder: Path, name: str, depth: int) -> str:
    """Whether an assertion of ``<name>.aig`` fails within `depth` cycles: `HOLDS`, `FAILS`, or `VACUOUS` if none fails
    because no trace of `depth` + 1 cycles keeps the assumptions.
    """
    bad = _bad(folder, name)
    late = bad["late"][0]
    cadical = "-c " if depth > DEEP else ""
    words = _check(folder, name, [late, *bad["assert"]], f"{REDUCE}; bmc3 {cadical}-F {depth + 1}")
    return _verdict(words, depth)


def _verdict(words: str, depth: int) -> str:
    """What the first of the bad states that ABC reached means; `late` is its output 0."""
    if failed := re.search(r"^Output +(\d+) of miter .* was asserted in frame +(\d+)\.", words, re.MULTILINE):
        output, frame = map(int, failed.groups())
        if output:
            return FAILS
        if frame == depth:
            return HOLDS
    if f"No output asserted in {depth + 1} frames." in words:
        return VACUOUS
    raise Undecided(words)


def inductive(folder: Path, name: str, depth: int) -> bool:
    """Whether the assertions of the induction step ``<name>.aig`` hold after `depth` cycles in which they did."""
    bad = _bad(folder, name)
    words = _check(folder, name, [bad["late"][0], *bad["assert"]], f"&get; &scl; &put; bmc3 -F {depth + 2}")
    return _verdict(words, depth + 1) == HOLDS


def ever_fails(folder: Path, name: str) -> int | None:
    """The number of cycles after which an assertion of ``<name>.aig`` can fail, or None if none ever fails, by
    property directed reachability.

    The assertions are proven together, so each may rely on the others. -y: twice as fast with these designs.
    """
    words = _check(folder, name, _bad(folder, name)["assert"], "orpos; pdr -y")
    if failed := re.search(r"^Output +0 of miter .* was asserted in frame +(\d+)\.", words, re.MULTILINE):
        return int(failed.group(1)) + 1
    if re.search(r"^Property proved\.", words, re.MULTILINE):
        return None
    raise Undecided(words)


def unreached(folder: Path, name: str, depth: int) -> list[str]:
    """The names of the covers of ``<name>.aig`` that no trace of `depth` cycles reaches."""
    bad = _bad(folder, name)
    covers = bad["reached"]
    # -x: without it, ABC may crash where several outputs but not all are asserted in one frame
    words = _check(folder, name, [bad["first"][0], *covers], f"{REDUCE}; bmc3 -a -x -F {depth}")
    count = len(covers) + 1
    if re.search(rf"^All {count} outputs are found to be SAT after", words, re.MULTILINE):
        return []
    some = re.search(rf"^Some outputs are SAT \((\d+) out of {count}\) after +(\d+) frames", words, re.MULTILINE)
    reached = {int(output) for output in re.findall(r"^Output +(\d+) was asserted in frame", words, re.MULTILINE)}
    ended = "reachable states are visited" in words or (some and int(some.group(2)) == depth)
    if some and ended and len(reached) == int(some.group(1)):
        return [cover for output, (_, cover) in enumerate(covers, 1) if output not in reached]
    if f"No output asserted in {depth} frames." in words:
        return [cover for _, cover in covers]
    raise Undecided(words)


def _bad(folder: Path, name: str) -> dict[str, list[tuple[int, str]]]:
    """The bad states of the file by kind: number in the file and name of each."""
    found = {"assert": [], "reached": [], "first": [], "late": []}
    for number, path in enumerate(json.loads((folder / f"{name}.json").read_text())["asserts"]):
        own, _, kind = ".".join(word.removeprefix("\\") for word in path).rpartition(".")
        if path[-1].endswith(f".{kind}") and kind in found:
            found[kind].append((number, own))
        else:
            found["assert"].append((number, ""))
    return found


def _check(folder: Path, name: str, chosen: list[tuple[int, str]], command: str) -> str:
    """The output of ABC when it checks only the `chosen` bad states of ``<name>.aig``, in that order."""
    head, body = (folder / f"{name}.aig").read_bytes().split(b"\n", 1)
    *sizes, latches, outputs, ands, bads, assumptions = map(int, head.split()[1:8])
    lines = body.split(b"\n", latches + outputs + bads + assumptions)
    begin, end = latches + outputs, latches + outputs + bads
    head = " ".join(map(str, ["aig", *sizes, latches, outputs, ands, len(chosen), assumptions])).encode()
    part = folder / "part.aig"
    part.write_bytes(b"\n".join([head, *lines[:begin], *(lines[begin + number] for number, _ in chosen), *lines[end:]]))
    script = f"read_aiger {part.name}; fold; strash; {command}"
    try:
        done = subprocess.run([abc(), "-c", script], cwd=folder, capture_output=True, text=True, timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired as error:
        raise Undecided(f"no answer in {TIMEOUT_S} s") from error
    if done.returncode:
        raise Undecided(f"ABC ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout
