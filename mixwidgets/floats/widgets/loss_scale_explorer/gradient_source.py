"""The sources of an explorer's gradients: constant data, a watched loop, or what has `snapshot_source()`, as
a run does."""

from math import nan
from typing import Any

from mixwidgets.floats.formats.block import BlockFormats
from mixwidgets.floats.gradients.collect import collect
from mixwidgets.floats.gradients.snapshots import Feed, SnapshotSource


def source_of(
    gradients: Any, block_formats: BlockFormats = (), block_axis: int | None = None
) -> SnapshotSource:
    """The source for these gradients. Raises the errors of `collect`, and ValueError for block formats of a
    run or a watched loop."""
    is_run = hasattr(gradients, "snapshot_source")
    is_model = callable(getattr(gradients, "named_parameters", None))
    is_watched = hasattr(gradients, "history") and not is_model
    if not (is_run or is_watched):
        return _StillSource(gradients, block_formats, block_axis)
    if block_formats:
        raise ValueError(
            f"a {'run' if is_run else 'watched loop'} has the block formats that were recorded: choose them "
            f"with watch(…, block_formats={block_formats!r})"
        )
    source: SnapshotSource = gradients.snapshot_source() if is_run else _WatchedSource(gradients)
    return source


class _StillSource:
    is_over = True

    def __init__(self, gradients: Any, block_formats: BlockFormats, block_axis: int | None) -> None:
        self._summaries, self.without_gradient = collect(gradients, block_formats, block_axis)

    def read(self, feed: Feed) -> bool:
        feed.add(0, self._summaries, nan, nan)
        return True


class _WatchedSource:
    """A watcher, whose `history` has snapshots with `step`, `loss_scale`, `summaries` and perhaps `loss`. It
    is never over: it may be started again."""

    without_gradient = ()
    is_over = False

    def __init__(self, watcher: Any) -> None:
        self._watcher = watcher
        self._last = -1

    def read(self, feed: Feed) -> bool:
        new = [snapshot for snapshot in tuple(self._watcher.history) if snapshot.step > self._last]
        # Only the newest of the new snapshots is used, because the watched training shares this process.
        for snapshot in new if self._last < 0 else new[-1:]:
            loss = float(getattr(snapshot, "loss", nan))
            feed.add(snapshot.step, snapshot.summaries, float(snapshot.loss_scale), loss)
            if loss == loss:
                feed.add_loss(snapshot.step, loss)
        if new:
            feed.seen += len(new) - 1 if self._last >= 0 else 0
            self._last = new[-1].step
        return bool(new)
