"""Translate expressions of the dialect to text that Spark evaluates.

Every expression goes to Spark's parser and is used as parsed, except for features that Spark lacks or defines
differently. Integers are DECIMAL(38,0), so sums and products are exact: a value above 10**38, or a quotient above
10**32, is a Spark error when the rows are computed, never a wrong row.

================= ======================================================================================
in the text       for Spark
================= ======================================================================================
`a div b, a % b`  null where b is 0; the quotient is as wide as a (Spark's has 64 bits)
avg(x)            sum(x) div count(x)
percentiles       from the values in order, exact
approx_count_…    HyperLogLog with its own hash
wsum(x, [w, …])   the last values by arrival, weighted, times the power of two that makes the weights integers
first(x), last(x) min_by and max_by of the arrival; nulls are left out
max_by(x, y)      the first by arrival of those with the greatest y, likewise min_by: Spark takes any of them
count(), count(*) counts tuples, so that an empty window (EMIT_EMPTY) has 0
a time attribute  next to aggregates: the window's end
sign(x)           an integer
prefix(x, n)      shiftright of the number by the bits cut off
$name             the constant's value
================= ======================================================================================
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, NamedTuple

from pyspark.errors import ParseException
from pyspark.sql import DataFrame

from spark_golden import approximate, percentiles
from spark_golden.aggregates import (
    AGGREGATES,
    NAMES,
    OF_DISTINCT,
    OTHER_NAMES,
    SAME_IF_DISTINCT,
    SPREADS,
    div,
    integer,
    wsum,
)
from spark_golden.clauses import ends_value
from spark_golden.functions import CALLS, OPERATORS
from spark_golden.session import session
from spark_golden.tokens import Token, written

BIGINT = "DECIMAL(20,0)"
# Calls whose result is no decimal, whatever the operands.
WITHOUT_DECIMALS = ("count", "bit_or", "bit_xor", "bit_and", "wsum", "sign", "between",
                    "approx_count_distinct")  # fmt: skip
# Additional columns: the session, the arrival, and the end of the time window.
SESSION, ORDER, WINDOW = "#session", "#order", "#window"
SPARK = {"long": "BIGINT", "bool": "BOOLEAN"}  # types by other names
INTERVALS = {"us": "MICROSECOND", "ms": "MILLISECOND", "s": "SECOND"}  # units by other names
# Other names are quoted, so Spark's keywords are plain names.
KEPT = ("AND", "OR", "NOT", "DIV", "TRUE", "FALSE", "CASE", "WHEN", "THEN", "ELSE", "END", "IS", "NULL", "IN",
        "BETWEEN", "DISTINCT", "FROM", "LIKE", "FILTER", "WHERE")  # fmt: skip
INFIX = ("RLIKE", "REGEXP")  # kept after a value, as in x NOT RLIKE (y); as calls quoted
OF_ORDER = ("ASC", "DESC", "NULLS", "FIRST", "LAST")  # kept after a value
ORDINARY = ("Add", "Subtract", "Multiply", "And", "Or", "EqualTo", "LessThan", "LessThanOrEqual", "GreaterThan",
            "GreaterThanOrEqual")  # fmt: skip


def first_line(error: Exception) -> str:
    return next(line for line in str(error).splitlines() if line.strip())


class OfAddress(NamedTuple):
    """predicate: the value of PREDICATE that compares it. text: of the function, from the texts of a number and n."""

    predicate: str
    text: Callable[[str, str], str]


# The only list of them: `join` has the predicates of the cores from here.
ADDRESS_BITS = 32
OF_ADDRESS = {
    "prefix": OfAddress("PFX", lambda x, n: f"shiftright({x}, {ADDRESS_BITS} - {n})"),
    "suffix": OfAddress("SFX", lambda x, n: f"({x} & (shiftleft(1L, {n}) - 1))"),
}


@dataclass
class Shim:
    """Translates text of the dialect to text that Spark evaluates.

    columns: the meaning of names outside aggregates; inside: within them (None: no aggregates here). decimals: the
    names of those. ordered: rows have an arrival order. joined: conditions belong to a JOIN. keys: the columns of the
    expressions of GROUP BY, by what `parsed` makes of them. empty: a row without an arrival stands for an empty window.
    frames: those with the columns. replaced: gets a line for each rewrite.
    """

    constants: Mapping[str, int | str]
    columns: Mapping[str, str]
    inside: Mapping[str, str] | None = None
    decimals: frozenset[str] = frozenset()
    ordered: bool = True
    joined: bool = False
    keys: Mapping[str, str] = field(default_factory=dict)
    empty: bool = False
    frames: tuple[DataFrame, ...] = ()
    replaced: dict[str, None] = field(default_factory=dict)

    def __call__(self, tokens: list[Token]) -> str:
        return self._rewritten(self._parsed(tokens), self.columns)

    def parsed(self, tokens: list[Token]) -> str:
        """The expression as Spark's parser writes it, which does not depend on spaces and the like."""
        return self._parsed(tokens).sql()

    def _parsed(self, tokens: list[Token]):
        try:
            return session()._jsparkSession.sessionState().sqlParser().parseExpression(self._for_parser(tokens))
        except ParseException as error:
            raise ValueError(f"'{written(tokens)}': {first_line(error)}") from None

    def _for_parser(self, tokens: list[Token]) -> str:
        """The tokens for Spark's lexer: quoted names, escaped strings, constants, weights as a string."""
        words, k, casts = [], 0, []
        while k < len(tokens):
            token = tokens[k]
            if token.keyword == "[":
                end = next(n for n in range(k, len(tokens)) if tokens[n].keyword == "]")
                words.append("'" + "".join(t.text for t in tokens[k + 1 : end]) + "'")
                k = end
            elif token.kind == "constant":
                words.append(self._constant(token.text))
            elif token.kind == "string":
                words.append(_quoted(token.text[1:-1]))
            elif token.keyword == "CAST" and [t.keyword for t in tokens[k + 1 : k + 2]] == ["("]:
                casts.append(len(words))
                words.append("CAST")
            elif token.keyword == "AS":
                k += 1
                start, kind = casts.pop(), tokens[k].text.lower()
                if kind == "timestamp" and k + 2 < len(tokens):
                    k += 2
                    kind += f"_{tokens[k].text.lower()}"
                    k += 1
                if kind in OTHERS:  # no type of Spark
                    words[start] = f"`as_{kind}`"
                else:
                    words += ["AS", SPARK.get(kind, kind)]
            elif token.keyword == "WITHIN":
                words.append("WITHIN GROUP ( ORDER BY")
                k += 4
            elif token.keyword in OF_ORDER and _follows_value(tokens[:k]):
                words.append(token.text)
            elif token.keyword == "INTERVAL" and [t.kind for t in tokens[k + 1 : k + 3]] == ["string", "name"]:
                number, unit = tokens[k + 1].text, tokens[k + 2].text.lower()
                words += ["INTERVAL", number, INTERVALS.get(unit, unit)]
                k += 2
            elif token.keyword == "EXTRACT" and [t.keyword for t in tokens[k + 1 : k + 2]] == ["("]:
                words += ["EXTRACT", "(", tokens[k + 2].text]
                k += 2
            elif token.keyword in ("DATE", "TIMESTAMP") and [t.kind for t in tokens[k + 1 : k + 2]] == ["string"]:
                words.append(token.text)
            elif token.kind == "name" and token.keyword not in KEPT:
                call = k + 1 < len(tokens) and tokens[k + 1].keyword == "("
                infix = token.keyword in INFIX and _follows_value(tokens[:k])
                kept = infix or (call and token.keyword == "POSITION")
                word = token.text.lower() if call else token.text
                words.append(word if kept else f"`{word}`")
            elif token.kind == "number":
                words.append(token.text if token.text.isdigit() else f"{token.text}BD")
            else:
                words.append(token.text)
            k += 1
        return " ".join(words)

    def _constant(self, name: str) -> str:
        if name not in self.constants:
            raise ValueError(f"${name} has no value")
        value = self.constants[name]
        self.replaced[f"${name}: {value!r}"] = None
        return _quoted(value) if isinstance(value, str) else f"({int(value)})"

    def _rewritten(self, node, columns: Mapping[str, str]) -> str:
        """node: an expression of Spark's parser."""
        if self.keys and (key := self.keys.get(node.sql())):
            return f"`{key}`"
        kind = node.getClass().getSimpleName()
        operands, where = _operands(node)
        if kind == "UnresolvedFunction":
            return self._call(node.nameParts().apply(0), operands, where, node.isDistinct())
        said = [self._rewritten(operand, columns) for operand in operands]
        if kind not in ("And", "Or", "Not", "CaseWhen", "Cast"):
            said = self._typed(operands, said)
        if kind in OPERATORS:
            return OPERATORS[kind](*said)
        if kind in ORDINARY:
            return f"({said[0]} {node.sqlOperator()} {said[1]})"
        match kind:
            case "Literal":
                return _literal(node)
            case "Cast":
                return casted(said[0], node.dataType().sql())
            case "Divide":
                return f"({said[0]} / nullif({said[1]}, 0))"
            case "UnresolvedAttribute":
                return self._column(node.nameParts().apply(0), columns)
            case "CaseWhen":
                values = iter(self._typed(_values(operands), _values(said)))
                return _case([text if _is_condition(k, len(said)) else next(values) for k, text in enumerate(said)])
            case "Not":
                return f"(NOT {said[0]})"
            case "UnaryMinus":
                return f"(- {said[0]})"
            case "IntegralDivide":
                self.replaced["a div b: exact in DECIMAL, null where b is 0"] = None
                return div(*said)
            case "Remainder":
                self.replaced["a % b: null where b is 0"] = None
                return f"({said[0]} % nullif({said[1]}, 0))"
        raise ValueError(f"'{node.sql()}' is not in the dialect")

    def _typed(self, nodes: list, said: list[str]) -> list[str]:
        """The texts of numbers of which one is a decimal, so that Spark decides on the digits of the result: an integer
        is a BIGINT to it, and a literal has as many digits as it needs."""
        if not any(map(self._is_decimal, nodes)):
            return said
        return [self._with_digits(node, text) for node, text in zip(nodes, said, strict=True)]

    def _with_digits(self, node, text: str) -> str:
        if node.getClass().getSimpleName() != "Literal":
            return text if self._is_decimal(node) else f"CAST({text} AS {BIGINT})"
        if node.value() is None or _is_decimal_type(node.dataType()):
            return node.sql()
        number = Decimal(str(node.value()))  # in text if it is the value of a constant, such as 4.5
        scale = max(0, -number.as_tuple().exponent)
        return f"CAST({node.sql()} AS DECIMAL({max(len(number.as_tuple().digits), scale)},{scale}))"

    def _is_decimal(self, node) -> bool:
        """node: an expression of Spark's parser."""
        operands = _operands(node)[0]
        match node.getClass().getSimpleName():
            case "Literal" | "Cast":
                return _is_decimal_type(node.dataType())
            case "UnresolvedAttribute":
                return node.nameParts().apply(0) in self.decimals
            case "CaseWhen":
                operands = _values(operands)
            case "UnresolvedFunction" if node.nameParts().apply(0) == "if":
                operands = operands[1:]
            case "UnresolvedFunction" if node.nameParts().apply(0) in (*SPREADS, *WITHOUT_DECIMALS):
                return node.nameParts().apply(0) in SPREADS
            case "UnresolvedFunction" if node.nameParts().apply(0) in percentiles.NAMES:
                x, share, _ = percentiles.parts(node.nameParts().apply(0), operands)
                continuous = node.nameParts().apply(0) in percentiles.CONTINUOUS
                return self._is_decimal(x) or (continuous and percentiles.digits_of(share) > 0)
            case "UnresolvedFunction" if node.nameParts().apply(0) in ("max_by", "min_by"):
                operands = operands[:1]
            case "Add" | "Subtract" | "Multiply" | "Divide" | "Remainder" | "UnaryMinus" | "UnresolvedFunction":
                pass
            case _:  # a condition, or a quotient without digits after the point
                return False
        return any(map(self._is_decimal, operands))

    def _column(self, name: str, columns: Mapping[str, str]) -> str:
        if name not in columns:
            raise ValueError(f"unknown column {name}; known: {', '.join(columns)}")
        if columns[name] == WINDOW:
            self.replaced[f"{name} next to aggregates: the window's end"] = None
        return f"`{columns[name]}`"

    def _of_sides(self, function: str, arguments: list) -> str:
        """One of OF_ADDRESS: prefix(address, bits)."""
        if len(arguments) != 2:
            raise ValueError(f"{function} takes an address and a number of bits")
        x = self._rewritten(arguments[0], self.columns)
        if arguments[1].getClass().getSimpleName() != "Literal" or not 1 <= arguments[1].value() <= ADDRESS_BITS:
            raise ValueError(f"a {function} must have 1 to {ADDRESS_BITS} bits")
        self.replaced[f"{function}: bits of the number"] = None
        return OF_ADDRESS[function].text(f"CAST({x} AS BIGINT)", str(arguments[1].value()))

    def _percentile(self, function: str, arguments: list, where) -> str:
        node, share, descending = percentiles.parts(function, arguments)
        x = self._taken(self._rewritten(node, self.columns), where)
        if function in percentiles.CONTINUOUS and not self._is_decimal(node):
            x = f"CAST({x} AS {BIGINT})"
        ((_, kind),) = self.frames[0].selectExpr(x).dtypes
        if function in percentiles.CONTINUOUS:
            return percentiles.cont(x, share, descending, *map(int, re.findall(r"\d+", kind)))
        if function in percentiles.APPROXIMATE:
            x = percentiles.in_bins(x, kind, percentiles.accuracy_of(arguments))
        return percentiles.disc(x, share, descending)

    def _taken(self, value: str, where) -> str:
        """The value of the tuples that FILTER selects; null of the others, which aggregates leave out, and of none."""
        if where is not None:
            self.replaced["FILTER: null where the condition is not true"] = None
            value = _case([self._rewritten(where, self.columns), value])
        return _case([f"`{ORDER}` IS NOT NULL", value]) if self.empty else value

    def _call(self, function: str, arguments: list, where=None, distinct: bool = False) -> str:
        """where: the condition of FILTER, or None."""
        function = OTHER_NAMES.get(function, function)
        if distinct and (function not in (*OF_DISTINCT, *SAME_IF_DISTINCT) or len(arguments) != 1):
            raise ValueError(f"{function}(DISTINCT …) of {len(arguments)} columns is not in the dialect")
        if where is not None and function not in NAMES:
            raise ValueError(f"FILTER is for aggregates, not {function}")
        if self.joined and function in OF_ADDRESS:
            return self._of_sides(function, arguments)
        if function == "if":
            if len(arguments) != 3:
                raise ValueError("IF takes a condition and two values")
            condition, *values = (self._rewritten(argument, self.columns) for argument in arguments)
            return _case([condition, *self._typed(arguments[1:], values)])
        if function == "extract":
            return self._call(arguments[0].value().toString().lower(), arguments[1:])
        if function.removeprefix("as_") in OTHERS:
            return OTHERS[function.removeprefix("as_")](self._rewritten(arguments[0], self.columns))
        if function in CALLS:
            try:
                said = [self._rewritten(argument, self.columns) for argument in arguments]
                return CALLS[function](*self._typed(arguments, said))
            except TypeError:
                raise ValueError(f"{function} takes another number of values than {len(arguments)}") from None
        if function not in NAMES:
            raise ValueError(f"unknown function {function}")
        if self.inside is None:
            raise ValueError(f"{function} is only valid in SELECT and HAVING of a query with a window")
        if not self.ordered and (function == "wsum" or (function in AGGREGATES and AGGREGATES[function].in_order)):
            raise ValueError(f"{function} needs ordered rows; the rows of a UNION have no order")
        inner = replace(self, columns=self.inside, inside=None, keys={})  # no nested aggregates
        if function == "count" and (not arguments or arguments[0].getClass().getSimpleName() == "Literal"):
            self.replaced["count(*): counts arrivals, so 0 for an empty window"] = None
            return integer(f"count({inner._taken('`#order`', where)})")
        if function in percentiles.NAMES:
            self.replaced[f"{function}: of the values in order, exact"] = None
            return inner._percentile(function, arguments, where)
        x = inner._taken(inner._rewritten(arguments[0], inner.columns), where) if arguments else ""
        if function == approximate.NAME and 1 <= len(arguments) <= 2:
            self.replaced[f"{function}: HyperLogLog with the hash of the dialect"] = None
            return integer(approximate.text(x, *(error.sql() for error in arguments[1:])))
        if function in AGGREGATES and len(arguments) == AGGREGATES[function].columns == 2:
            y = inner._taken(inner._rewritten(arguments[1], inner.columns), where)
            self.replaced[f"{function}: {AGGREGATES[function].replaced}"] = None
            return AGGREGATES[function].text(x, y)
        if len(arguments) != 1 + (function == "wsum"):
            raise ValueError(f"{function} takes one column{' and weights' * (function == 'wsum')}")
        if function == "wsum":
            weights = arguments[1].sql().strip("'")
            self.replaced[f"wsum with [{weights}]: newest by arrival, times the power of two for integers"] = None
            return wsum(x, weights)
        if distinct and function in OF_DISTINCT:
            x = f"DISTINCT {x}"
        if function == "avg" and inner._is_decimal(arguments[0]):
            return f"avg({x})"
        aggregate = AGGREGATES[function]
        if aggregate.replaced:
            self.replaced[f"{function}: {aggregate.replaced}"] = None
        return aggregate.text(x)


def _literal(node) -> str:
    """A literal of Spark's parser; an integer is exact."""
    kind = node.dataType()
    if kind.typeName().split()[0] in ("string", "boolean", "void", "date", "timestamp", "interval"):
        return node.sql()
    if _is_decimal_type(kind):
        return node.sql()
    return integer(str(node.value()))


def _is_decimal_type(kind) -> bool:
    return kind.typeName().startswith("decimal")


def casted(x: str, kind: str) -> str:
    """CAST(x AS kind), null where the type does not hold the value; integers stay exact."""
    text = f"TRY_CAST({x} AS {kind})"
    return integer(text) if kind in ("SMALLINT", "INT", "BIGINT") else text


def _unsigned(bits: int) -> Callable[[str], str]:
    return lambda x: f"CASE WHEN {x} > -1 AND {x} < {2**bits}BD THEN {integer(f'{x} - {x} % 1')} END"


# Of CAST, the types that Spark does not have.
OTHERS: dict[str, Callable[[str], str]] = {
    "uint": _unsigned(32),
    "uint64": _unsigned(64),
    "timestamp_s": lambda x: f"date_trunc('SECOND', TRY_CAST({x} AS TIMESTAMP))",
    "timestamp_ms": lambda x: f"date_trunc('MILLISECOND', TRY_CAST({x} AS TIMESTAMP))",
    "timestamp_us": lambda x: f"TRY_CAST({x} AS TIMESTAMP)",
}


def _is_condition(place: int, count: int) -> bool:
    """Whether an operand of CASE, of which there are `count`, is a condition."""
    return place % 2 == 0 and place < count - 1


def _operands(node) -> tuple[list, Any]:
    """Those of an expression of Spark's parser, and the condition of FILTER or None."""
    operands = [node.children().apply(k) for k in range(node.children().size())]
    filtered = node.getClass().getSimpleName() == "UnresolvedFunction" and node.filter().isDefined()
    where = operands.pop(-1 - node.orderingWithinGroup().size()) if filtered else None
    return operands, where


def _values(operands: list) -> list:
    """The operands of CASE that are values."""
    return [operand for k, operand in enumerate(operands) if not _is_condition(k, len(operands))]


def _case(parts: list[str]) -> str:
    """parts: conditions and their values in turn, and of an odd number the last one for ELSE."""
    pairs = zip(parts[::2], parts[1::2], strict=False)
    branches = [f"WHEN {condition} THEN {value}" for condition, value in pairs]
    otherwise = f" ELSE {parts[-1]}" if len(parts) % 2 else ""
    return f"(CASE {' '.join(branches)}{otherwise} END)"


def _follows_value(before: list[Token]) -> bool:
    """Whether what comes next continues a value. before: the tokens so far."""
    if before and before[-1].keyword == "NOT":
        before = before[:-1]
    return bool(before) and ends_value(before[-1])


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
