"""How an explorer reads gradients that come one snapshot after another, as a run's do."""

from collections.abc import Mapping
from typing import Protocol

from mixwidgets.floats.gradients.summary import GradientSummary


class Feed(Protocol):
    """What takes snapshots and losses, in the order of their steps."""

    seen: int
    """The number of snapshots so far, including those that a source left out."""

    def add(
        self, step: int, summaries: Mapping[str, GradientSummary], loss_scale: float, loss: float
    ) -> None:
        """Add a snapshot. loss_scale, loss: NaN if unknown."""

    def add_loss(self, step: int, loss: float) -> None:
        """Add a step's loss."""


class SnapshotSource(Protocol):
    """What `snapshot_source()` returns: read from one thread at a time."""

    @property
    def without_gradient(self) -> tuple[str, ...]:
        """The names of parameters that have no gradient."""

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come."""

    def read(self, feed: Feed) -> bool:
        """Add what is new to the feed. Returns whether there was anything."""
