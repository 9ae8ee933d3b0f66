"""Compare the parameters of each core in its Verilog module, its header and its `.core` file.

The header of a Verilog file defines the meaning of a parameter. Its topic `Parameters` has an entry for every parameter
of the module:

    // Parameters   DATA_W      width of a word in bits, at least 1
    //              ADDR_W      2**ADDR_W words, 1 to 24; text after the first semicolon or full stop is detail
    //              OUTPUT_REG  1: the RAM has its output register; 0: it has none
    //              STYLE       kind of memory, see ws_ram_sdp
    //              KIND, W     see ws_fold
    //              INDEX_W     follows from N

The first clause is the description in the `.core` file, and ends with the range: `at least 1`, `1 to 64`, `8 or 64`,
`"A", "B" or "C"`, `a power of two, 2 to 256`, `a multiple of 8`, `a divisor of SLIDE`, `below PERIOD`,
`more than TYPE_W`, `at most LANES`, or `any`. Bounds are expressions of numbers and parameters. An entry that begins
with a number and a colon lists the values and their meanings; 0 and 1 are always among them. `see ws_x` refers to the
parameter of the same name in another module, for its range, and for its description if the entry has no other text.
Every value of a table or pattern is legal. A parameter that follows from others must not be set.

Modules that share a list of parameters include it from a file, which describes them in its header. The modules' headers
refer to it by a line of their own:

    // Parameters   DATA_W  width of the payload stream in bits: 8 or 64
    //              see ws_fix_parameters.vh

A parameter that the `.core` file does not offer is listed there in a comment, with the reason:

    # not offered: INDEX_W: follows from N
"""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import yaml

from wirestream.arguments import Parser
from wirestream.design import HOME, RTL
from wirestream.measure.cores import Core, cores

Values = dict[str, int | str]  # of parameters
FOLLOWS = "follows from "
NOT_OFFERED = re.compile(r"^# not offered: ([A-Z0-9_, ]+): (\S.*)$", re.MULTILINE)

_ENTRY = re.compile(r"([A-Z][A-Z0-9_]*(?:, [A-Z][A-Z0-9_]*)*) {2,}(\S.*)")
_REFERENCE = re.compile(r"(?:^|, )see (ws_\w+)$")
_SHARED = re.compile(r"see (ws_\w+\.vh)$")
_INCLUDE = re.compile(r'`include "(ws_\w+\.vh)"')
_CHOICE = re.compile(r"(?:^|; )(\d+): ")

_ATOM = r"(?:-?\d[\d,]*(?<!,)(?:\*\*(?:\w+|\([^()]*\)))?|[A-Z][A-Z0-9_]*|\([^()]*\))"
_EXPRESSION = rf"{_ATOM}(?: ?[-+*/] ?{_ATOM})*"
_WORD = r'"[^"]*"'
_LIST = re.compile(rf"(?:^|(?<=[ :]))((?:{_WORD}, )*{_WORD} or {_WORD}|(?:-?\d+, )*-?\d+ or -?\d+|{_WORD})$")
_BOUNDS = (  # the parts of a range, matched from its end
    (re.compile(rf"(?:^|[ :]){_EXPRESSION} to {_EXPRESSION}$"), "to"),
    (re.compile(rf"(?:^|[ :])at least {_EXPRESSION}$"), "at least"),
    (re.compile(rf"(?:^|[ :])at most {_EXPRESSION}$"), "at most"),
    (re.compile(rf"(?:^|[ :])more than {_EXPRESSION}$"), "more than"),
    (re.compile(rf"(?:^|[ :])below {_EXPRESSION}$"), "below"),
    (re.compile(rf"(?:^|[ :])a multiple of {_EXPRESSION}$"), "a multiple of"),
    (re.compile(rf"(?:^|[ :])a divisor of {_EXPRESSION}$"), "a divisor of"),
    (re.compile(r"(?:^|[ :])a power of two$"), "a power of two"),
    (re.compile(r"(?:^|[ :])any$"), "any"),
)


@dataclass(frozen=True)
class Bound:
    """One part of a range: its kind, such as "to" or "at least", and its expressions or words."""

    kind: str
    terms: tuple[str, ...] = ()

    def __str__(self) -> str:
        match self.kind:
            case "to":
                return " to ".join(self.terms)
            case "one of":
                return ", ".join(self.terms[:-1]) + f" or {self.terms[-1]}" if len(self.terms) > 1 else self.terms[0]
        return " ".join((self.kind, *self.terms))

    def holds(self, value: int | str, values: Values) -> bool:
        """Whether `value` is within this bound if the other parameters have `values`."""
        if self.words:
            return f'"{value}"' in self.terms
        numbers = [evaluate(term, values) for term in self.terms]
        match self.kind:
            case "to":
                return numbers[0] <= value <= numbers[1]
            case "at least":
                return value >= numbers[0]
            case "at most":
                return value <= numbers[0]
            case "more than":
                return value > numbers[0]
            case "below":
                return value < numbers[0]
            case "a multiple of":
                return value % numbers[0] == 0
            case "a divisor of":
                return value != 0 and numbers[0] % value == 0
            case "a power of two":
                return value > 0 and value & (value - 1) == 0
            case "one of":
                return value in numbers
        return True

    @property
    def words(self) -> bool:
        """Whether the bound is a list of words."""
        return any(term.startswith('"') for term in self.terms)

    def outside(self, default: int | str, values: Values) -> Iterator[list[int | str]]:
        """For each end of the bound, values that may be outside, best first."""
        if self.words:
            yield ["?"]
            return
        numbers = [evaluate(term, values) for term in self.terms]
        match self.kind:
            case "to":
                yield [numbers[0] - 1]
                yield [numbers[1] + 1]
            case "at least":
                yield [numbers[0] - 1]
            case "at most":
                yield [numbers[0] + 1]
            case "more than" | "below":
                yield numbers
            case "a multiple of":
                yield [default + 1, default - 1]
            case "a divisor of":
                yield [*range(1, 8), numbers[0] + 1]
            case "a power of two":
                yield [default * 3 // 2, default * 3 // 4, 3]
            case "one of":
                yield [min(numbers) - 1]
                yield [max(numbers) + 1]
                if len(numbers) < max(numbers) - min(numbers) + 1:
                    yield [number for number in range(min(numbers), max(numbers)) if number not in numbers]


@dataclass(frozen=True)
class Parameter:
    """A parameter of a module. type: such as ``[23:0]``. default: a Verilog expression. text: its entry in the header,
    or None."""

    name: str
    type: str
    default: str
    text: str | None

    @property
    def clause(self) -> str:
        """The first clause of the header's text."""
        depth = 0
        for at, character in enumerate(self.text or ""):
            depth += (character == "(") - (character == ")")
            if not depth and (character == ";" or self.text[at : at + 2] == ". "):
                return self.text[:at]
        return (self.text or "").rstrip(".")

    @property
    def is_choice(self) -> bool:
        """Whether the header lists its values and their meanings."""
        return bool(re.match(r"\d+: ", self.text or ""))

    @property
    def reference(self) -> str | None:
        """The module that the header refers to."""
        found = _REFERENCE.search(self.clause)
        return found and found[1]

    @property
    def follows(self) -> bool:
        """Whether the parameter follows from others."""
        return self.clause.startswith(FOLLOWS)

    @property
    def is_vector(self) -> bool:
        """Whether it is a table or a pattern; every value is legal unless the header gives a range."""
        return "[" in self.type

    @property
    def bounds(self) -> tuple[Bound, ...] | None:
        """The parts of the range in the header, or None."""
        if self.is_choice:
            return (Bound("one of", tuple(sorted({"0", "1", *_CHOICE.findall(self.text)}, key=int))),)
        rest = re.sub(r" ?\([^()]*[a-z][^()]*\)", "", _REFERENCE.sub("", self.clause))
        found: list[Bound] = []
        while True:
            if listed := _LIST.search(rest):
                bound = Bound("one of", tuple(re.findall(rf"{_WORD}|-?\d+", listed[1])))
                rest = rest[: listed.start(1)]
            else:
                for pattern, kind in _BOUNDS:
                    if at := pattern.search(rest):
                        words = at.group().lstrip(" :")
                        terms = words.split(" to ") if kind == "to" else [words.removeprefix(kind).strip()]
                        bound = Bound(kind, tuple(term.strip() for term in terms if term))
                        rest = rest[: at.start()]
                        break
                else:
                    return tuple(reversed(found)) or None
            found.append(bound)
            if rest.endswith(" and"):
                rest = rest.removesuffix(" and")
            elif rest.rstrip(" ").endswith(","):
                rest = rest.rstrip(" ,")
            else:
                return tuple(reversed(found))


def evaluate(expression: str, values: Values) -> int:
    """The value of a Verilog expression of numbers and parameters."""
    text = re.sub(r"(?<=\d),(?=\d{3})", "", expression).replace("$clog2", "_clog2").strip()
    while inner := re.search(r"(?<!_clog2)\(([^()]*)\)", text):
        text = f"{text[: inner.start()]}{evaluate(inner[1], values)}{text[inner.end() :]}"
    if "?" in text:
        condition, _, rest = text.partition("?")
        first, _, second = rest.partition(":")
        return evaluate(first if evaluate(condition, values) else second, values)
    names = {name: value for name, value in values.items() if isinstance(value, int)}
    return int(eval(text.replace("/", "//"), {"__builtins__": {}, "_clog2": _clog2}, names))


def _clog2(number: int) -> int:
    return max(number - 1, 0).bit_length()


def _entries(header: str) -> dict[str, str]:
    """The text of each entry in the topic `Parameters`."""
    topic = re.search(r"^// Parameters? {2,}(\S.*(?:\n// {5,}\S.*)*)", header, re.MULTILINE)
    found: dict[str, str] = {}
    names: list[str] = []
    column = topic.start(1) - topic.start() if topic else 0
    for line in topic.group().split("\n") if topic else []:
        words = line[column:]
        if begins := _ENTRY.match(words):
            names = begins[1].split(", ")
            found |= dict.fromkeys(names, begins[2])
        elif shared := _SHARED.match(words):
            names = []
            found |= _entries(_source(shared[1]).split("\n\n", 1)[0])
        elif names and line[:column].strip("/ ") == "" and words.startswith(" "):
            found |= {name: f"{found[name]} {words.strip()}" for name in names}
        elif words != "none":
            raise ValueError(f"the header's line '{words.strip()}' does not describe a parameter")
    return found


def _declarations(source: str) -> Iterator[tuple[str, str, str]]:
    """Type, name and default of the parameters of the module in `source`, with those that it includes."""
    source = re.sub(r"`ifdef FORMAL\b.*?`endif", "", source.split("`default_nettype none", 1)[1], flags=re.DOTALL)
    source = re.sub(r"//.*", "", source)
    head = re.match(r"\s*(?:`include[^\n]*\s*)*module\s+\w+\s*#\(", source)
    if not head:
        return
    depth, end = 1, head.end()
    while depth:
        depth += (source[end] in "([{") - (source[end] in ")]}")
        end += 1
    listed = _INCLUDE.sub(lambda found: re.sub(r"//.*", "", _source(found[1])), source[head.end() : end - 1])
    parts = [""]
    for character in listed:
        depth += (character in "([{") - (character in ")]}")
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    for part in parts:
        found = re.match(r"\s*parameter\b(.*?)\b([A-Z][A-Z0-9_]*)\s*=\s*(.*)", part, re.DOTALL)
        yield found[1].strip(), found[2], " ".join(found[3].split())


def _source(name: str) -> str:
    """The text of a Verilog file or include file of ours."""
    return next(RTL.rglob(name)).read_text()


@cache
def parameters(module: str) -> dict[str, Parameter]:
    """The parameters of one of our modules, by name; raises ValueError if its header cannot be read."""
    source = _source(f"{module}.v")
    entries = _entries(source.split("`default_nettype none", 1)[0])
    found = {
        name: Parameter(name, kind, default, entries.pop(name, None)) for kind, name, default in _declarations(source)
    }
    if entries:
        raise ValueError(f"the header names {', '.join(entries)}, which the module does not have")
    return found


def source_of(module: str, name: str) -> Parameter | None:
    """The parameter whose header gives the range: that of `module`, or of the module that it refers to."""
    parameter = parameters(module).get(name)
    while parameter and parameter.bounds is None and parameter.reference:
        parameter = parameters(parameter.reference).get(name)
    return parameter


def description(module: str, name: str) -> str:
    """A parameter's description in the `.core` file: the header's first clause, or all clauses that explain values. A
    reference to another module is replaced by the range there."""
    parameter = parameters(module)[name]
    while parameter.reference and _REFERENCE.fullmatch(parameter.clause):
        parameter = parameters(parameter.reference)[name]
    words = parameter.clause
    if parameter.is_choice:
        words = "; ".join(clause for clause in parameter.text.split("; ") if re.match(r"\d+: ", clause)).rstrip(".")
    elif parameter.reference and (origin := source_of(parameter.reference, name)) and origin.bounds:
        words = _REFERENCE.sub(", " + ", ".join(map(str, origin.bounds)), words)
    return words[:1].upper() + words[1:]


def defaults(module: str) -> Values:
    """The default values of a module's parameters that are numbers or words."""
    values: Values = {}
    for parameter in parameters(module).values():
        if parameter.default.startswith('"'):
            values[parameter.name] = parameter.default.strip('"')
        elif "{" not in parameter.default and "'" not in parameter.default:
            values[parameter.name] = evaluate(parameter.default, values)
    return values


def violations(module: str) -> list[tuple[str, int | str]]:
    """Parameters of a module, each with values just outside of every bound that the headers document."""
    values = defaults(module)
    found: list[tuple[str, int | str]] = []
    for name, parameter in parameters(module).items():
        documented = source_of(module, name)
        bounds = (documented and documented.bounds) or ()
        if parameter.follows or name not in values:
            continue
        for bound in bounds:
            for candidates in bound.outside(values[name], values):
                outside = [value for value in candidates if not bound.holds(value, values)]
                alone = [value for value in outside if all(b is bound or b.holds(value, values) for b in bounds)]
                found += [(name, value) for value in (alone or outside)[:1]]
    return list(dict.fromkeys(found))


def findings(core: Core) -> list[str]:
    """The errors in the parameters of a core: ``<file>: <parameter>: <error>``."""
    module, data = f"ws_{core.name}", yaml.safe_load(core.path.read_text())
    verilog, package = core.verilog.relative_to(HOME), core.path.relative_to(HOME)
    try:
        declared = parameters(module)
    except ValueError as error:
        return [f"{verilog}: Parameters: {error}"]
    found = []
    for name, parameter in declared.items():
        documented = parameter.text and source_of(module, name)
        if not parameter.text:
            found.append(f"{verilog}: {name}: not in the header")
        elif not documented:
            found.append(f"{verilog}: {name}: the header refers to {parameter.reference}, which has no such parameter")
        elif not (documented.bounds or parameter.follows or parameter.is_vector):
            found.append(f"{verilog}: {name}: the header gives no range")
    if found:
        return found

    offered = data.get("parameters") or {}
    refused = reasons(core)
    listed = data["targets"]["default"].get("parameters", [])
    for name in declared:
        if name not in offered and name not in refused:
            found.append(f"{package}: {name}: neither offered nor listed as not offered")
        elif name in offered and name in refused:
            found.append(f"{package}: {name}: both offered and listed as not offered")
        elif name in offered and declared[name].follows:
            found.append(f"{package}: {name}: offered, but it {declared[name].clause}")
    for name in [*offered, *refused]:
        if name not in declared:
            found.append(f"{package}: {name}: the module has no such parameter")
    for name, entry in offered.items():
        if name not in declared:
            continue
        if (says := entry.get("description")) != (words := description(module, name)):
            found.append(f"{package}: {name}: the description is '{says}', the header says '{words}'")
        if entry.get("paramtype") != "vlogparam":
            found.append(f"{package}: {name}: paramtype is not vlogparam")
        bounds = source_of(module, name).bounds or ()
        if any(bound.words for bound in bounds) != (entry.get("datatype") == "str") and not declared[name].is_vector:
            found.append(f"{package}: {name}: the datatype is {entry.get('datatype')}")
        if "default" in entry and entry["default"] != (value := defaults(module).get(name)):
            found.append(f"{package}: {name}: the default is {entry['default']}, the module's {value}")
        if f"is_toplevel? ({name})" not in listed:
            found.append(f"{package}: {name}: not a parameter of the default target")
    return found


def reasons(core: Core) -> dict[str, str]:
    """The reasons why the `.core` file does not offer a parameter, by name."""
    listed = NOT_OFFERED.findall(re.sub(r"\n# {2,}", " ", core.path.read_text()))
    return {name: reason for names, reason in listed for name in names.split(", ")}


def rewrite(core: Core) -> None:
    """Write the descriptions from the header into the `.core` file."""
    text = core.path.read_text()
    for name in yaml.safe_load(text).get("parameters") or {}:
        if name in parameters(f"ws_{core.name}"):
            words = yaml.safe_dump(description(f"ws_{core.name}", name), width=math.inf, allow_unicode=True)
            line = f"    description: {words.removesuffix('...' + chr(10))}"
            entry = re.search(rf"^  {name}:\n(?:    .*\n)*?(    description:.*\n(?:      .*\n)*)", text, re.MULTILINE)
            if entry:
                text = text[: entry.start(1)] + line + text[entry.end(1) :]
    core.path.write_text(text)


def main(argv: Sequence[str] | None = None) -> None:
    """The command; exits with status 1 if it finds an error."""
    summary, _, rest = __doc__.partition("\n\n")
    parser = Parser(
        prog="python -m wirestream.measure.parameters",
        description=summary,
        epilog=rest,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("core", nargs="*", help="default: every core")
    parser.add_argument(
        "--write", action="store_true", help="first write the headers' descriptions into the .core files"
    )
    arguments = parser.parse_args(argv)
    known = {core.name: core for core in cores()}
    if unknown := set(arguments.core) - known.keys():
        parser.error(f"no core named {', '.join(sorted(unknown))}; `wirestream cores` lists them")
    chosen = [known[name] for name in arguments.core or known]
    if arguments.write:
        for core in chosen:
            rewrite(core)
    wrong = [line for core in chosen for line in findings(core)]
    number = sum(len(parameters(f"ws_{core.name}")) for core in chosen) if not wrong else 0
    print("\n".join(wrong) or f"{number} parameters of {len(chosen)} cores agree with their headers")
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
