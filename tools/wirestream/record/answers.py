"""A query's program over tuples: the events that its machine gets, in their order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from wirestream.compiler.bytecode.machine_code import MachineCode
from wirestream.machine import words
from wirestream.machine.interpreter import Machine, Outcome
from wirestream.record.punctuations import Punctuations


def outcomes(
    code: MachineCode, machine: Machine, records: np.ndarray, punctuations: Punctuations | None = None
) -> Iterator[tuple[int, Outcome]]:
    """What each punctuation and tuple causes, and how many tuples have arrived. punctuations: of a window in time."""
    width, tuples = code.limits.width, words.tuples(records, code.stream, code.limits.width)
    if punctuations is None:
        yield from ((number, machine.tuple(one)) for number, one in enumerate(tuples, 1))
        return
    attribute = punctuations.window.attribute
    timed = replace(code.stream, time=attribute)
    for number, (one, time) in enumerate(zip(tuples, records[attribute].tolist(), strict=True)):
        passed, accepted = punctuations.before(time)
        for end in passed:
            yield number, machine.punctuation(words.punctuation(timed, end, width))
        if accepted:
            yield number + 1, machine.tuple(one)
