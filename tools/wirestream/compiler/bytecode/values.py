"""Terms to instructions: values on the stack, and conditions as jumps.

A value has one word if its range fits one, else two; a range beyond two words is refused, so no result wraps unseen. A
condition is never a word unless a row needs it. What is used more than once is kept in the scratch words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from wirestream.compiler.bytecode.terms import (
    COMPARISONS,
    CONSTANT,
    FIELD,
    OPPOSITE,
    Term,
    Terms,
    alternatives,
    conjuncts,
)
from wirestream.compiler.bytecode.text import LEAST, MOST, WORD_BITS, Section
from wirestream.compiler.types import LONG, Boolean, Decimal, Integer, Text, Type
from wirestream.errors import QueryError
from wirestream.machine.words import Place

WORD = Integer(LEAST, MOST)
UNSIGNED = Integer(0, 2**WORD_BITS - 1)
MACHINE_OPERATORS = {"+": ("iadd", "ladd"), "-": ("isub", "lsub"), "&": ("iand", ""), "|": ("ior", "")}
HEAVY = 10  # instructions of a condition that is kept if it is used again
LETTERS = WORD_BITS // 8


def words_of(kind: Type, text: str = "") -> int:
    """The words of a value on the stack. Raises `QueryError`, with the value's text."""
    match kind:
        case Text(length=length):
            return -(-length // LETTERS)
        case Boolean():
            return 1
    if kind.within(WORD):
        return 1
    if not kind.within(LONG):
        why = f"needs {kind.width} bits, and the machine computes with {2 * WORD_BITS}"
        raise QueryError(f"{text or kind} {why}")
    return 2


def halves(number: int) -> tuple[int, int]:
    """The words of a number of two."""
    low = (number + 2**31) % 2**WORD_BITS - 2**31
    return number >> WORD_BITS, low


def texts(value: bytes, count: int) -> list[int]:
    padded = value.rstrip(b"\0").ljust(count * LETTERS, b"\0")
    return [int.from_bytes(padded[at : at + LETTERS], signed=True) for at in range(0, len(padded), LETTERS)]


def _weight(term: Term) -> int:
    return 1 + sum(_weight(operand) for operand in term.operands)


class Values:
    """Writes terms to a section. places: of the fields' words. room: words that the scratch space may have."""

    def __init__(self, section: Section, terms: Terms, places: Mapping[str, Place], room: int = 0):
        self.section, self.terms, self.places, self.room = section, terms, places, room
        self._kept: dict[Term, int] = {}

    # ---- what is used more than once

    def keep_shared(self, terms: Iterable[Term], later: Iterable[Term] = ()) -> None:
        """Compute the parts of terms that are used more than once, here or in later terms, and keep them."""
        terms = list(terms)
        uses: Counter[Term] = Counter()
        seen: set[Term] = set()

        def count(term: Term) -> None:
            uses[term] += 1
            if term not in seen:
                seen.add(term)
                for operand in term.operands:
                    count(operand)

        for term in [*terms, *later]:
            count(term)
        done: set[Term] = set()

        def keep(term: Term) -> None:
            if term.is_leaf or term in done:
                return
            done.add(term)
            for operand in term.operands:
                keep(operand)
            if uses[term] > 1 and self._worthwhile(term):
                self._keep(term)

        for term in terms:
            keep(term)

    def _worthwhile(self, term: Term) -> bool:
        if term in self._kept or self.section.scratch is None or isinstance(term.type, Text):
            return False
        if isinstance(term.type, Boolean) and _weight(term) < HEAVY:
            return False
        return self.section.scratch.used + self._words(term) <= self.room

    def _keep(self, term: Term) -> None:
        count, scratch = self._words(term), self.section.scratch
        self.section.note(term.text)
        self.value(term)
        at = scratch.take(count)
        self.store(scratch.store, at, count)
        self._kept[term] = at

    def store(self, instruction: str, at: int, count: int) -> None:
        """Store the words on the stack, the topmost one last."""
        for k in reversed(range(count)):
            self.section.op(instruction, at + k)

    # ---- values

    @staticmethod
    def _words(term: Term) -> int:
        return words_of(term.type, term.text)

    def value(self, term: Term, count: int | None = None) -> None:
        """Push a value. count: 2 for a number of one word as two, 1 for the lower word of a number."""
        own = self._words(term)
        count = own if count is None else count
        if term in self._kept:
            load, at = self.section.scratch.load, self._kept[term]
            for k in range(max(0, own - count), own):
                self.section.op(load, at + k)
            return self._wider(own, count)
        match term:
            case Term(operator="field"):
                return self._field(term, own, count)
            case Term(operator="constant", type=Integer(), value=number):
                for word in halves(number or 0)[2 - count :]:
                    self.section.push(word)
                return None
            case Term(operator="constant", type=Text(), value=value):
                for word in texts(value or b"", count):
                    self.section.push(word, value.decode("latin-1") if value else "")
                return None
            case Term(type=Boolean()):
                return self._boolean(term)
            case Term(operator="if", operands=(condition, yes, no)):
                return self._choice(condition, yes, no, count)
            case Term(type=Integer()) if own < count:
                self.value(term, 1)
                return self.section.op("i2l")
            case Term(type=Integer()):
                return self._operation(term, own, count)
        raise QueryError(f"the machine cannot compute {term.text}: it has no instructions for strings")

    def _wider(self, own: int, count: int) -> None:
        if own < count:
            self.section.op("i2l")

    def _field(self, term: Term, own: int, count: int) -> None:
        place = self.places[term.value]
        if isinstance(term.type, Text):
            for k in range(count):
                self._get(place, k) if k < place.count else self.section.push(0)
            return
        if count == 2 and place.count == 1 and own == 2:  # without sign
            self.section.push(0)
        for k in range(max(0, place.count - count), place.count):
            self._get(place, k)
        if count == 2 and own == 1:
            self.section.op("i2l")

    def _get(self, place: Place, word: int) -> None:
        if word:
            self.section.op("get_field", f"{place.field.name}+{word}")
        else:
            self.section.op(f"get_{place.field.name}")

    def raw(self, term: Term) -> int:
        """Push a field as it is, whatever its type. Returns the number of its words."""
        place = self.places[term.value]
        for k in range(place.count):
            self._get(place, k)
        return place.count

    def _boolean(self, term: Term) -> None:
        section = self.section
        if term.operator == CONSTANT:
            return section.push(int(bool(term.value)))
        no, end = section.label(), section.label()
        self.jump(term, no, False)
        section.push(1)
        section.op("goto", end)
        section.mark(no)
        section.push(0)
        section.mark(end)

    def _choice(self, condition: Term, yes: Term, no: Term, count: int) -> None:
        otherwise, end = self.section.label(), self.section.label()
        self.jump(condition, otherwise, False)
        self.value(yes, count)
        self.section.op("goto", end)
        self.section.mark(otherwise)
        self.value(no, count)
        self.section.mark(end)

    def _operation(self, term: Term, own: int, count: int) -> None:
        section = self.section
        match term.operator, term.operands:
            case (("+" | "-"), (a, b)):
                return self._both(a, b, count, MACHINE_OPERATORS[term.operator][count - 1])
            case "*", (a, b) if count == 1:
                return self._both(a, b, 1, "imul")
            case "*", (a, b):
                return self._product(a, b)
            case (("div" | "%"), (a, b)):
                return self._quotient(term, a, b, own, count)
            case (("&" | "|"), (a, b)) if (a.type.within(WORD) and b.type.within(WORD)) or own == count == 1:
                return self._both(a, b, 1, MACHINE_OPERATORS[term.operator][0])
            case (("&" | "|"), (a, b)) if a.type.within(UNSIGNED) and b.type.within(UNSIGNED):
                if count == 2:
                    section.push(0)
                return self._both(a, b, 1, MACHINE_OPERATORS[term.operator][0])
            case "~", (a,) if self._words(a) == 1:
                self.value(a)
                return section.op("inot")
            case "<<", (a, b) if self._shifted(term, a, b):
                return self._shift_left(a, b, count)
            case ">>", (a, b) if b.operator == CONSTANT:
                return self._halved(term, a, b.value % 64, count)
            case "cast", (a,) if a.type.within(term.type):
                return self.value(a, count)
            case "cast", (a,) if isinstance(term.type, Decimal) and self._words(a) == own == count:
                return self.value(a, count)  # a number of more digits has overflowed, which a flag says
            case "cast", (a,) if own == 1 and term.type.width == WORD_BITS and term.type.signed:
                return self.value(a, 1)
        raise QueryError(f"the machine has no instructions for {term.text}, of the operator {term.operator}")

    def _both(self, a: Term, b: Term, count: int, instruction: str) -> None:
        self.value(a, count)
        self.value(b, count)
        self.section.op(instruction)

    def _product(self, a: Term, b: Term) -> None:
        if self._words(a) == self._words(b) == 1:
            return self._both(a, b, 1, "imull")
        if self._words(a) == 1:
            a, b = b, a
        if self._words(b) > 1:
            raise QueryError(f"the machine cannot multiply {a.text} by {b.text}: both have more than {WORD_BITS} bits")
        return self._long_product(a, b)

    def _long_product(self, a: Term, b: Term) -> None:
        """Two words times one: a = h * 2**32 + l, where l has no sign."""
        section, scratch = self.section, self.section.scratch
        if scratch is None or scratch.used + 3 > self.room:
            raise QueryError(f"no words are left for the product of {a.text} and {b.text}")
        at = scratch.take(3)
        self.value(b)
        section.op(scratch.store, at + 2)
        self.value(a)
        section.op(scratch.store, at + 1)
        section.op(scratch.store, at)
        load = scratch.load
        section.ops(f"{load} {at + 1}", f"{load} {at + 2}", "imull", "swap")
        section.ops(f"{load} {at}", f"{load} {at + 2}", "imul", "iadd", f"{load} {at + 1}")
        section.guarded("ifge", lambda: section.ops(f"{load} {at + 2}", "iadd"))
        section.op("swap")

    def _quotient(self, term: Term, a: Term, b: Term, own: int, count: int) -> None:
        section, power = self.section, _power(b)
        if power is not None and a.type.low >= 0 and a.type.within(UNSIGNED):
            if term.operator == "%" and power < WORD_BITS - 1 and count == 1:
                return self._mask(a, power)
            if term.operator == "div" and not a.type.within(WORD):
                return self._halved(term, a, power, count)
        if self._words(a) > 1 or self._words(b) > 1:
            raise QueryError(f"the machine divides numbers of {WORD_BITS} bits, and {term.text} has more")
        if own == 1 or count == 1:  # the lower word of the least number by -1 is right
            return self._both(a, b, 1, "idiv" if term.operator == "div" else "irem")
        other, end = section.label(), section.label()  # the least number by -1 needs two words
        self.value(a, 1)
        self.value(b, 1)
        section.ops("dup", "iconst_m1", f"if_icmpeq {other}", "idiv", "i2l", f"goto {end}")
        section.mark(other)
        section.ops("pop", "i2l", "inot", "swap", "inot", "swap", "iconst_0", "iconst_1", "ladd")
        section.mark(end)
        return None

    def _mask(self, a: Term, power: int) -> None:
        self.value(a, 1)
        self.section.push(2**power - 1)
        self.section.op("iand")

    def _halved(self, term: Term, a: Term, power: int, count: int) -> None:
        """Shifted to the right: the upper word of the product with a power of two."""
        section = self.section
        if power == 0:
            return self.value(a, count)
        unsigned = not a.type.within(WORD)
        if (unsigned and not a.type.within(UNSIGNED)) or power < 2 or power > 31 or (count == 2 and not unsigned):
            raise QueryError(f"the machine cannot shift {a.text} by {power} bits")
        if count == 2:
            section.push(0)
        self.value(a, 1)
        section.push(2 ** (WORD_BITS - power))
        section.ops("imull", "pop")
        if unsigned:
            section.push(2 ** (WORD_BITS - power) - 1)
            section.op("iand")
        return None

    def _shifted(self, term: Term, a: Term, b: Term) -> bool:
        """Whether a shift to the left is a product that does not wrap."""
        if b.operator != CONSTANT or not 0 <= b.value <= 30 or self._words(a) > 1:
            return False
        return Integer(a.type.low << b.value, a.type.high << b.value).within(LONG)

    def _shift_left(self, a: Term, b: Term, count: int) -> None:
        self.value(a, 1)
        self.section.push(1 << b.value)
        self.section.op("imul" if count == 1 else "imull")

    # ---- conditions

    def jump(self, term: Term, label: str, sense: bool, known: frozenset[Term] = frozenset()) -> None:
        """Jump if a condition is `sense`, else go on. A comparison with a null is false. known: conditions of
        nulls that need no test here, since another one jumps to the same place."""
        section = self.section
        if term in self._kept:
            section.op(section.scratch.load, self._kept[term])
            return section.op("ifneq" if sense else "ifeq", label)
        match term.operator, term.operands:
            case "constant", _:
                if bool(term.value) == sense:
                    section.op("goto", label)
                return None
            case "not", (a,):
                return self.jump(a, label, not sense)
            case (("and" | "or"), (a, b)):
                if (term.operator == "or") == sense:
                    self.jump(a, label, sense)
                    return self.jump(b, label, sense)
                skip = section.label()
                self.jump(a, skip, not sense)
                self.jump(b, label, sense)
                return section.mark(skip)
            case "null", _:
                self._get(self.places[term.value], 0)
                return section.op("ifnull" if sense else "ifnonnull", label)
            case "field", _:
                if not sense:
                    self._not_null(term, term, label, known)
                self._get(self.places[term.value], 0)
                return section.op("ifneq" if sense else "ifeq", label)
            case operator, (a, b) if operator in COMPARISONS:
                if sense or self._not_null(a, b, label, known):
                    return self._compare(operator, a, b, label, sense)
                skip = section.label()
                self._compare(operator, a, b, skip, True)
                section.op("goto", label)
                return section.mark(skip)
            case "if", (condition, yes, no):
                other, end = section.label(), section.label()
                self.jump(condition, other, False)
                self.jump(yes, label, sense)
                section.op("goto", end)
                section.mark(other)
                self.jump(no, label, sense)
                return section.mark(end)
        raise QueryError(f"the machine has no instructions for {term.text}, of the operator {term.operator}")

    def _all(self, term: Term, label: str, sense: bool, known: frozenset[Term]) -> None:
        """Jump by a conjunction."""
        section, parts = self.section, conjuncts(term)
        for part in parts:
            if part.operator == "not":
                known |= alternatives(part.operands[0])
        skip = section.label() if sense else label
        for part in parts[:-1]:
            self.jump(part, skip, False, known)
        self.jump(parts[-1], label, sense, frozenset() if sense else known)
        if sense:
            section.mark(skip)

    def _not_null(self, a: Term, b: Term, label: str, known: frozenset[Term]) -> bool:
        """Jump if an operand is null, as far as that is known to be the case; whether it is for all nulls."""
        found = [self.terms.nulls(one) for one in (a, b)]
        if None in found:
            return False
        for one in dict.fromkeys(term for terms in found for term in sorted(terms, key=lambda t: t.text)):
            if one not in known:
                self.jump(one, label, True)
        return True

    def _compare(self, operator: str, a: Term, b: Term, label: str, sense: bool) -> None:
        if isinstance(a.type, Text):
            return self._compare_texts(operator, a, b, label, sense)
        jumps = COMPARISONS[operator if sense else OPPOSITE[operator]]
        section, kinds = self.section, (a.type, b.type)
        single = all(isinstance(kind, Boolean) or kind.within(WORD) for kind in kinds)
        if single or (operator in ("=", "<>") and all(kind.within(UNSIGNED) for kind in kinds)):
            self.value(a, 1)
            if b.is_constant(0) and single:
                return section.op(f"if{jumps}", label)
            self.value(b, 1)
            return section.op(f"if_icmp{jumps}", label)
        self._both(a, b, 2, "lcmp")
        return section.op(f"if{jumps}", label)

    def _compare_texts(self, operator: str, a: Term, b: Term, label: str, sense: bool) -> None:
        section = self.section
        count = max(self._words(a), self._words(b))
        for one in (a, b):
            if one.operator not in (FIELD, CONSTANT):
                raise QueryError(f"the machine cannot compute {one.text}: it has no instructions for strings")
        if operator not in ("=", "<>"):
            if count > 1:
                raise QueryError(f"the machine orders strings of up to {LETTERS} characters, not {a.text} and {b.text}")
            section.push(0)
            self.value(a, 1)
            section.push(0)
            self.value(b, 1)
            section.op("lcmp")
            return section.op(f"if{COMPARISONS[operator if sense else OPPOSITE[operator]]}", label)
        equal = (operator == "=") == sense  # jump if they are equal
        skip = section.label()
        for k in range(count):
            self._word(a, k)
            self._word(b, k)
            last = k == count - 1
            section.op("if_icmpeq" if equal and last else "if_icmpneq", label if last or not equal else skip)
        return section.mark(skip)

    def _word(self, term: Term, k: int) -> None:
        """One word of a string."""
        if term.operator == CONSTANT:
            found = texts(term.value or b"", k + 1)[k]
            text = (term.value or b"").rstrip(b"\0")[LETTERS * k : LETTERS * (k + 1)].decode("latin-1")
            return self.section.push(found, text)
        place = self.places[term.value]
        return self._get(place, k) if k < place.count else self.section.push(0)


def _power(term: Term) -> int | None:
    """The exponent of a constant power of two."""
    if term.operator != CONSTANT or not isinstance(term.value, int) or term.value < 1:
        return None
    return term.value.bit_length() - 1 if term.value & (term.value - 1) == 0 else None
