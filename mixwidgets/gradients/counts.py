"""GradientCounts: what becomes of gradients, class by class."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class GradientCounts:
    """How many gradients fall into each class once they are scaled and rounded, ties to even."""

    zero: int
    """Zero before scaling: nothing that a format could lose."""
    flushed: int
    """Not zero before scaling, zero after rounding."""
    subnormal: int
    normal: int
    overflow: int
    """Finite before scaling, past the format's overflow threshold after it."""
    inf: int
    """Infinite before scaling."""
    nan: int

    @property
    def count(self) -> int:
        return sum(asdict(self).values())
