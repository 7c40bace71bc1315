"""ProtoFair: a fairness term to add to any self-supervised training loop, and the pipeline that reruns its paper."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from protofair.method.protofair import ProtoFair
    from protofair.probe.metrics import equalized_odds

__all__ = ["ProtoFair", "equalized_odds"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Import on first use: `protofair --help` need not wait for torch."""
    if name == "ProtoFair":
        from protofair.method.protofair import ProtoFair

        return ProtoFair
    if name == "equalized_odds":
        from protofair.probe.metrics import equalized_odds

        return equalized_odds
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
