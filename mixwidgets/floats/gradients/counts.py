"""GradientCounts: how many gradients fall into each class."""

from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class GradientCounts:
    """How many gradients fall into each class after scaling and rounding, ties to even."""

    zero: int
    """Zero before scaling."""
    flushed: int
    """Not zero before scaling, zero after rounding."""
    subnormal: int
    """Not zero after rounding, below the format's smallest normal value: kept with fewer bits."""
    normal: int
    """In the format's normal range after rounding."""
    overflow: int
    """Finite before scaling, past the format's overflow threshold after it."""
    inf: int
    """Infinite before scaling."""
    nan: int
    """NaN before scaling."""

    @property
    def count(self) -> int:
        """The total number of gradients."""
        return sum(asdict(self).values())
