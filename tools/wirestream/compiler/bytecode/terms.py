"""The values that a plan computes of a tuple, as one graph in which equal values are one term."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from wirestream.compiler.plan import Compute, Constant, Filter, Input, Plan, Project, Runtime, Value, flag_of
from wirestream.compiler.types import BOOLEAN, LONG, Boolean, Integer, Type

FIELD, NULL, CONSTANT = "field", "null", "constant"  # operators of terms without operands
COMPARISONS = {"=": "eq", "<>": "neq", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
OPPOSITE = {"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


@dataclass(frozen=True, eq=False)
class Term:
    """operator: of `Compute`; or FIELD, NULL (whether a field is null), CONSTANT. value: of a constant, or the name of
    the field. text: for comments and messages."""

    operator: str
    type: Type
    text: str
    operands: tuple[Term, ...] = ()
    value: int | bytes | bool | str | None = None

    @property
    def is_leaf(self) -> bool:
        return not self.operands

    def is_constant(self, value: object) -> bool:
        return self.operator == CONSTANT and self.value == value


class Terms:
    """Makes terms. constants: the values of all `$name`."""

    def __init__(self, constants: Mapping[str, int | bytes]):
        self._constants = constants
        self._known: dict[tuple, Term] = {}

    def constant(self, value: int | bytes | bool | None, kind: Type, text: str = "") -> Term:
        if isinstance(kind, Integer) and value is not None:
            kind = Integer(value, value)
        return self._one(CONSTANT, kind, text or str(value), (), value)

    @property
    def true(self) -> Term:
        return self.constant(True, BOOLEAN)

    @property
    def false(self) -> Term:
        return self.constant(False, BOOLEAN)

    def make(self, operator: str, kind: Type, operands: tuple[Term, ...], text: str = "") -> Term:
        """An operation, or what it always is."""
        text = text or f"{operator} ({', '.join(one.text for one in operands)})"
        found = self._folded(operator, operands)
        return found or self._one(operator, _narrowed(operator, kind, operands), text, operands, None)

    def negated(self, term: Term) -> Term:
        return self.make("not", BOOLEAN, (term,), f"NOT {term.text}")

    def nulls(self, term: Term) -> frozenset[Term] | None:
        """The conditions under any of which the machine's word of a value is null; None: not known."""
        if term.operator != FIELD and (term.is_leaf or isinstance(term.type, Boolean)):
            return frozenset()
        if term.operator == FIELD:
            return frozenset(one for one in self._known.values() if one.operator == NULL and one.value == term.value)
        if term.operator == "if":
            return frozenset() if all(self.nulls(one) == frozenset() for one in term.operands[1:]) else None
        below = [self.nulls(operand) for operand in term.operands]
        if None in below:
            return None
        if term.operator in ("div", "%"):
            zero = self.make("=", BOOLEAN, (term.operands[1], self.constant(0, term.operands[1].type)))
            below.append(alternatives(zero))
        return frozenset().union(*below)

    def either(self, terms: Iterable[Term]) -> Term:
        found = self.false
        for term in terms:
            found = self.make("or", BOOLEAN, (found, term), f"{found.text} OR {term.text}")
        return found

    def _one(self, operator: str, kind: Type, text: str, operands: tuple[Term, ...], value: object) -> Term:
        key = operator, str(kind), *map(id, operands), type(value), value
        if key not in self._known:
            self._known[key] = Term(operator, kind, text, operands, value)
        return self._known[key]

    def _folded(self, operator: str, operands: tuple[Term, ...]) -> Term | None:
        match operator, operands:
            case "not", (x,) if x.operator == CONSTANT:
                return self.constant(not x.value, BOOLEAN)
            case "not", (Term(operator="not", operands=(x,)),):
                return x
            case "and" | "or", (x, y):
                decides = operator == "or"
                if x.is_constant(decides) or y is x or y.is_constant(not decides):
                    return x
                if y.is_constant(decides) or x.is_constant(not decides):
                    return y
            case "=", (x, y) if x.operator == y.operator == CONSTANT and type(x.value) is type(y.value):
                return self.constant(x.value == y.value, BOOLEAN)
            case "beyond", (x,) if x.type.within(LONG):
                return self.false
            case (("<" | "<=" | ">" | ">="), (x, y)) if isinstance(x.type, Integer):
                return self._ordered(operator, x.type, y.type)
        return None

    def _ordered(self, operator: str, x: Integer, y: Integer) -> Term | None:
        """A comparison that the ranges decide."""
        if operator in (">", ">="):
            operator, x, y = {">": "<", ">=": "<="}[operator], y, x
        strict = operator == "<"
        if x.high < y.low or (not strict and x.high == y.low):
            return self.true
        return self.false if x.low > y.high or (strict and x.low == y.high) else None

    # ---- of a plan

    def of(self, plan: Plan) -> tuple[dict[str, Term], Term]:
        """The columns of a plan without windows, and the condition for a tuple to be in it."""
        match plan:
            case Input():
                found = {}
                for name, column in plan.columns.items():
                    field = name.removesuffix(".null").removesuffix(".overflow")
                    if name == field or field not in plan.columns:
                        found[name] = self._one(FIELD, column.type, name, (), name)
                    elif name.endswith(".null"):
                        found[name] = self._one(NULL, BOOLEAN, f"{field} IS NULL", (), field)
                    else:  # a word that has overflowed is null
                        found[name] = self.false
                return found, self.true
            case Filter(child=child, condition=condition):
                columns, held = self.of(child)
                return columns, self.make("and", BOOLEAN, (held, columns[condition.name]))
            case Project(child=child, outputs=outputs):
                columns, held = self.of(child)
                return {column.name: self.value(value, columns) for column, value in outputs}, held
            case Compute(child=child, output=output, operator=operator, operands=operands):
                columns, held = self.of(child)
                terms = tuple(self.value(operand, columns) for operand in operands)
                made = {output.name: self.make(operator, output.type, terms, output.name.removeprefix("."))}
                if plan.makes_null:
                    made[output.null] = self.make("=", BOOLEAN, (terms[1], self.constant(0, terms[1].type)))
                return columns | made, held
        raise AssertionError(plan)

    def value(self, value: Value, columns: Mapping[str, Term]) -> Term:
        match value:
            case Constant(value=found, type=kind):
                return self.constant(found, kind, str(value))
            case Runtime(name=name, type=kind):
                return self.constant(self._constants[name], kind, str(value))
        return columns[value.name]

    def flag(self, value: Value, which: str, columns: Mapping[str, Term]) -> Term:
        """A companion of a value; false without one."""
        found = flag_of(value, which)
        return self.value(found, columns) if found is not None else self.false


def _narrowed(operator: str, kind: Type, operands: tuple[Term, ...]) -> Type:
    """The type of a quotient by a positive constant, which is not as wide as by -1."""
    if operator != "div" or operands[1].operator != CONSTANT or operands[1].value < 1:
        return kind
    x, divisor = operands[0].type, operands[1].value
    ends = [abs(end) // divisor * (1 if end > 0 else -1) for end in (x.low, x.high)]
    return replace(kind, low=max(kind.low, ends[0]), high=min(kind.high, ends[1]))


def alternatives(term: Term) -> frozenset[Term]:
    """The terms of which any makes a disjunction true."""
    if term.operator == "or":
        return alternatives(term.operands[0]) | alternatives(term.operands[1])
    return frozenset() if term.is_constant(False) else frozenset([term])


def conjuncts(term: Term) -> list[Term]:
    """The terms which together make a conjunction true."""
    if term.operator == "and":
        return [*conjuncts(term.operands[0]), *conjuncts(term.operands[1])]
    return [term]
