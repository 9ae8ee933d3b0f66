"""Compare the contract of a core, which the compiler uses, with what the core's bench asserts to the cycle."""

from __future__ import annotations

from dataclasses import fields
from typing import get_type_hints

from tb.lib.bench import text
from wirestream.compiler.cores.base import Core, Parameters


def hold(dut, core: type[Core], **measured: int) -> None:
    """Raise unless the contract of `core`, at the parameters of `dut`, promises what was measured.

    measured: what the bench asserts, by the contract's names: ``latency``, ``close_cycles``, ``rows``, … Nothing is
    compared in a build with another value of a parameter that the compiler leaves at its default (`Core.fixed`).
    """
    if any(_number(dut, name) != value for name, value in core.fixed.items()):
        return
    contract = _at(dut, core)
    for name, value in measured.items():
        promised = getattr(contract, name)
        assert promised == value, f"{core.__name__} promises {name} {promised}, its bench asserts {value}"


def _at(dut, kind: type[Parameters]) -> Parameters:
    """The parameters of the simulated module."""
    hints = get_type_hints(kind)
    return kind(**{field.name: _read(dut, field.name, hints[field.name]) for field in fields(kind)})


def _read(dut, name: str, hint: object) -> object:
    if isinstance(hint, type) and issubclass(hint, Parameters):
        return _at(dut, hint)
    return text(getattr(dut, name)) if hint is str else _number(dut, name) or (None if hint == int | None else 0)


def _number(dut, name: str) -> int:
    return int(getattr(dut, name).value)
