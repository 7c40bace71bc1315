"""The one table all benchmarks fill: what | measured | target | verdict."""

from collections.abc import Iterable
from math import floor, log10
from typing import NamedTuple


class Row(NamedTuple):
    what: str
    measured: str
    target: str = ""
    verdict: str = ""  # 'met', 'missed', why it was not measured, or nothing where there is no target


def at_most(what: str, measured: float, target: float, unit: str = "") -> Row:
    """A row with an upper limit; `unit` is what stands behind the number: ' s', ' x', '%' (times 100)."""
    return Row(what, number(measured, unit), f"at most {number(target, unit)}", _verdict(measured <= target))


def at_least(what: str, measured: float, target: float, unit: str = "") -> Row:
    """A row with a lower limit."""
    return Row(what, number(measured, unit), f"at least {number(target, unit)}", _verdict(measured >= target))


def beside(what: str, measured: float, unit: str = "") -> Row:
    """A number to compare with, without a target."""
    return Row(what, number(measured, unit))


def number(value: float, unit: str) -> str:
    """Three digits that count, none of a whole number lost: 0.0123 s, 12.3 s, 1,234 s."""
    value *= 100 if unit == "%" else 1
    decimals = max(0, 2 - floor(log10(abs(value)))) if value else 0
    return f"{value:,.{decimals}f}{unit}"


def show(rows: Iterable[Row]) -> str:
    """The table as text, with a line of titles."""
    lines = [Row._fields, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(Row._fields))]
    return "\n".join(
        " | ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def _verdict(met: bool) -> str:
    return "met" if met else "missed"
