"""GradientWidget: sends the gradient snapshots of a source to its page, each once, as they come."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import traitlets

from mixwidgets.widgets.following_widget import FollowingWidget
from mixwidgets.widgets.loss_scale_explorer.gradient_source import source_of
from mixwidgets.widgets.snapshot_feed import SnapshotFeed

if TYPE_CHECKING:
    from mixwidgets.formats.block import BlockFormats

_LIVE_S = 0.1  # between two looks at an active source
_IDLE_S = 1.0  # the longest pause, for an idle source


class GradientWidget(FollowingWidget):
    """A widget of gradients from a source (`gradient_source`), including those that come later."""

    # The feed grows but stays the same object, so that it is never sent again as a whole: new snapshots are
    # sent as messages, and the trait is for views that open later and for saved pages.
    _snapshots = traitlets.Instance(SnapshotFeed).tag(sync=True, to_json=lambda feed, _: feed.to_bytes())
    _newest = traitlets.Int(0, help="The newest snapshot's step.").tag(sync=True)
    _seen = traitlets.Int(0, help="How many snapshots there were, thinned ones included.").tag(sync=True)
    _loss = traitlets.Bytes(help="The loss by step (Thinned.to_bytes).").tag(sync=True)
    _without_gradient = traitlets.List(traitlets.Unicode()).tag(sync=True)

    def __init__(
        self,
        gradients: object,
        block_formats: BlockFormats = (),
        block_axis: int | None = None,
        **traits: Any,
    ) -> None:
        self.reject_unknown(traits)
        self._reading = threading.Lock()  # held while the feed grows, and is thinned
        self._source, self._feed = source_of(gradients, block_formats, block_axis), SnapshotFeed()
        self._source.read(self._feed)
        missing = list(self._source.without_gradient)
        super().__init__(**traits, **self._news(), _snapshots=self._feed, _without_gradient=missing)
        self._pause = _LIVE_S
        self._follow()

    @property
    def steps(self) -> list[int]:
        """The steps whose gradients can be shown; [0] if the source has no steps."""
        return self._feed.steps

    def _news(self) -> dict[str, Any]:
        """The small traits, computed from the feed."""
        steps = self._feed.steps
        loss = self._feed.loss.to_bytes() if self._feed.loss.last else b""
        return {"_newest": steps[-1] if steps else 0, "_seen": self._feed.seen, "_loss": loss}

    def _look(self) -> float | None:
        if self._source.is_over:
            return None
        with self._reading:
            found = self._source.read(self._feed)
        if found:
            before = self._newest if self._seen else -1
            self._tell(**self._news())
            self._send_snapshots(before)
        self._pause = _LIVE_S if found else min(2 * self._pause, _IDLE_S)
        return self._pause

    def _send_snapshots(self, after: int) -> None:
        self.send({"kind": "snapshots", "steps": self.steps}, buffers=[self._feed.to_bytes(after)])

    def _hear(self, content: dict[str, Any]) -> None:
        after = content.get("after")
        if isinstance(after, int):
            self._send_snapshots(after)
