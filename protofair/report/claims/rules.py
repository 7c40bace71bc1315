"""From differences with intervals to verdicts. A verdict needs the whole interval on one side; else it is open."""

from collections.abc import Iterable

from protofair.report.model import Difference, Verdict

# Points within which two numbers count as nearly the same, and up to which a cost counts as minor: the paper calls
# losses of up to 1.7 points that.
NEAR = 1.0
MINOR = 2.0


def lower(difference: Difference, than: float = 0.0) -> Verdict:
    """A - B lies below `than`."""
    return _side(difference.high < than, difference.low > than)


def higher(difference: Difference, than: float = 0.0) -> Verdict:
    """A - B lies above `than`."""
    return _side(difference.low > than, difference.high < than)


def within(difference: Difference, margin: float = NEAR) -> Verdict:
    """A and B differ by less than `margin`."""
    return _side(
        -margin < difference.low and difference.high < margin, difference.high < -margin or difference.low > margin
    )


def all_of(verdicts: Iterable[Verdict]) -> Verdict:
    """A statement about several cells: one that has not run leaves it open, one that fails refutes it."""
    found = set(verdicts)
    if not found or "not run" in found:
        return "not run"
    if "not supported" in found:
        return "not supported"
    return "inconclusive" if "inconclusive" in found else "supported"


def _side(holds: bool, fails: bool) -> Verdict:
    if holds:
        return "supported"
    return "not supported" if fails else "inconclusive"
