"""approx_count_distinct: HyperLogLog. `registers` has the aggregates of the values of a register.

The lowest bits of a value's hash are the number of its register. HyperLogLog keeps in a register M, the greatest place
of the leading one in the other bits of its values' hashes. It is the place of the leading one in the least of these,
and this bit alone, as a number, is 2**-M, scaled.

Source: P. Flajolet, É. Fusy, O. Gandouet, F. Meunier, HyperLogLog: the analysis of a near-optimal cardinality
estimation algorithm, AofA 2007; without its correction of numbers near 2**32.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal as Number
from math import ceil, log, log2

from wirestream.compiler import decimals, syntax, wang_hash
from wirestream.compiler.aggregates import FUNCTIONS
from wirestream.compiler.operations import Operations
from wirestream.compiler.plan import Column, Constant, Measure, Value, flag_of, label, plain
from wirestream.compiler.types import BOOLEAN, COUNT, Integer, of_bits
from wirestream.errors import QueryError

NAME = "approx_count_distinct"
USUAL = Number("0.05")  # relative standard deviation
OF_ONE = 1.106  # that of one register, by which Spark chooses their number
LEAST_BITS, MOST_BITS = 4, 12  # of a register's number
ALPHA = {16: 0.673, 32: 0.697, 64: 0.709}


def measures(scope: Operations, call: syntax.Call) -> tuple[Measure, Measure]:
    """The sum over the registers in use, and their number."""
    bits, column, takes = index_bits(call), scope.as_column(call.arguments[0]), FUNCTIONS[NAME].takes
    if not takes.holds(column.type):
        raise QueryError(f"{NAME} takes {takes.words}, not a {column.type}", call.position)
    hashed = wang_hash.of_value(scope, plain(column))
    register = scope.resized(hashed, of_bits(bits, False), f"register of {column} among {2**bits}")
    one, kind = decimals.number(1), of_bits(_rest_bits(bits), False)
    rest = scope.exact(">>", hashed, decimals.number(bits), call.position)
    rest = scope.compute("<<", rest, one, kind=kind, hidden=True)
    rest = scope.compute("|", rest, one, kind=kind, text=f"hash of {column} after {bits} bits")
    rest = replace(rest, null=column.null, overflow=column.overflow)
    name = f"{NAME}({', '.join([str(column), *(str(each.value) for each in call.arguments[1:])])})"
    if call.where is not None:
        condition = scope.condition(call.where)
        name += f" FILTER (WHERE {label(condition)})"
        rest = scope.selected(rest, condition)
    total = Column(f".sum of {name}", Integer(0, 2**wang_hash.BITS), f".sum of {name}.null")
    used = Column(f".registers of {name}", COUNT)
    return Measure(total, "sum", rest, register=register), Measure(used, "count", rest, register=register)


def index_bits(call: syntax.Call) -> int:
    """Of the number of a register, by the standard deviation that is allowed."""
    if len(call.arguments) not in (1, 2):
        raise QueryError(f"{NAME} has the form {NAME}(User) or {NAME}(User, 0.05)", call.position)
    allowed: object = USUAL
    if len(call.arguments) == 2:
        allowed = getattr(call.arguments[1], "value", None)
        if type(allowed) not in (int, Number):
            raise QueryError(f"the deviation of {NAME} is a constant, such as 0.05", call.arguments[1].position)
    bits = ceil(2 * log2(OF_ONE / float(allowed))) if 0 < allowed < 1 else 0
    if not LEAST_BITS <= bits <= MOST_BITS:
        least, beyond = (OF_ONE / 2 ** (n / 2) for n in (MOST_BITS, LEAST_BITS - 1))
        why = f"{NAME} with a deviation of {allowed}; it is at least {least:.4f} and less than {beyond:.3f}"
        raise QueryError(why, call.arguments[1].position)
    return bits


def _rest_bits(index_bits: int) -> int:
    """Of a hash without the number of its register, and a one below them, so that there is a leading one."""
    return wang_hash.BITS - index_bits + 1


def value(scope: Operations, call: syntax.Call, found: tuple[Measure, Measure]) -> Value:
    """The estimate from the sum and the number of registers in use."""
    bits, position, (total, used) = index_bits(call), call.position, (measure.output for measure in found)
    registers, name = decimals.number(2**bits), str(found[0])
    unknown, zero = Column(total.null, BOOLEAN), decimals.number(0)
    sum_of_used = scope.compute("if", unknown, zero, plain(total), kind=total.type, hidden=True)
    index = scope.resized(plain(used), of_bits(bits, False), f".index of {name}")
    used = scope.resized(plain(used), Integer(0, 2**bits), f".used {name}")
    unused = scope.exact("-", registers, used, position, used.type)
    unused = scope.exact("<<", unused, decimals.number(_rest_bits(bits)), position)
    most = Integer(2**bits, 2 ** (bits + _rest_bits(bits)))
    divisor = scope.exact("+", sum_of_used, unused, position, most)
    dividend = estimate_of_one(2**bits)
    estimate = scope.exact("div", decimals.number(dividend), divisor, position, Integer(0, dividend >> bits))
    words = linear_counts(2**bits)
    counted = scope.compute("lookup", index, _packed(words), kind=Integer(0, max(words)), text=f".linear {name}")
    small = scope.compute("<=", estimate, decimals.number(5 * 2**bits // 2), hidden=True)
    small = scope.compute("and", small, scope.compute("<", used, registers, hidden=True), hidden=True)
    result = scope.compute("if", small, counted, estimate, kind=COUNT, text=name.removeprefix("sum of "))
    overflow = scope.either([flag_of(measure.output, "overflow") for measure in found])
    return replace(result, overflow=overflow and overflow.name)


def estimate_of_one(registers: int) -> int:
    """The dividend: alpha m**2, scaled as the sum is."""
    alpha = ALPHA.get(registers) or 0.7213 / (1 + 1.079 / registers)
    return round(alpha * registers**2 * 2 ** _rest_bits(registers.bit_length() - 1))


def linear_counts(registers: int) -> list[int]:
    """The number of values that leave registers free, by the number of those in use."""
    return [round(registers * log(registers / (registers - used))) for used in range(registers)]


def _packed(table: list[int]) -> Constant:
    """The words of a table, the first in the lowest bits."""
    width = max(table).bit_length()
    return Constant(sum(word << width * n for n, word in enumerate(table)), of_bits(width * len(table), False))
