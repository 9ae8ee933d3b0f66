"""The scalar functions of the dialect: what each is, and the operators of a plan that compute it.

This is the compiler's only list of them: the parser knows their names from here, and docs/dialect.md its table. What a
function is in Spark's part of a divided query is in `wirestream.split.functions`, and in the oracle in
`spark_golden/functions.py`. `Scope` gives the values of the operands; a function that needs no operator of its own is
composed of `Scope.choose`, `Scope.compare` and their like.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wirestream.compiler.plan import Constant, Value, flag_of, not_null
from wirestream.compiler.types import BOOLEAN
from wirestream.errors import Position

if TYPE_CHECKING:
    from wirestream.compiler.scope import Scope


@dataclass(frozen=True)
class Scalar:
    """A function, or an operator that is no symbol.

    name: in the syntax tree. least, most: the number of operands; most 0: any. meaning, example: for docs/dialect.md.
    written: not as a call, but by a rule of the grammar. lower: its value, from the scope, the operands and a position
    for errors.
    """

    name: str
    least: int
    most: int
    meaning: str
    example: str
    lower: Callable[[Scope, list[Value], Position], Value]
    written: bool = False

    @property
    def takes(self) -> str:
        """The number of values in words."""
        if not self.most:
            return f"{self.least} or more values"
        return f"{self.least}{f' to {self.most}' if self.most > self.least else ''} value{'s' * (self.most > 1)}"

    def accepts(self, operands: int) -> bool:
        return self.least <= operands and (not self.most or operands <= self.most)


def _is_null(scope: Scope, values: list[Value], position: Position) -> Value:
    (value,) = values
    return flag_of(value, "null") or Constant(False, BOOLEAN)


def _coalesce(scope: Scope, values: list[Value], position: Position) -> Value:
    """The first value that is not null: of the last two first."""
    *others, found = scope.of_one_type(values, "COALESCE", position)
    for value in reversed(others):
        null = flag_of(value, "null")
        found = value if null is None else scope.choose(null, found, not_null(value), position=position)
    return found


SCALARS = {
    scalar.name: scalar
    for scalar in (
        Scalar("is null", 1, 1, "whether x has no value", "x IS NULL", _is_null, written=True),
        Scalar("coalesce", 1, 0, "the first value that is not null", "coalesce(x div y, 0)", _coalesce),
    )
}
