"""GradientWidget: sends its page the gradient snapshots of a source, each once, while the source goes on."""

from __future__ import annotations

import threading
from contextvars import copy_context
from typing import TYPE_CHECKING, Any, Self

import traitlets

from mixwidgets.widgets.base import MixWidget
from mixwidgets.widgets.gradient_source import source_of
from mixwidgets.widgets.snapshot_feed import SnapshotFeed

if TYPE_CHECKING:
    from contextvars import Context

_LIVE_S = 0.1  # between two looks at a source that gives something
_IDLE_S = 1.0  # and, in the end, at one that does not


class GradientWidget(MixWidget):
    """A widget of gradients, and of those that come later; `gradient_source` says from where."""

    # The feed grows and stays the same object, so that the page is never sent all of it again: what is new
    # travels as a message, and the trait serves views that open later, and saved pages.
    _snapshots: traitlets.Any = traitlets.Any().tag(sync=True, to_json=lambda feed, widget: feed.to_bytes())
    _newest = traitlets.Int(0, help="The newest snapshot's step.").tag(sync=True)
    _seen = traitlets.Int(0, help="How many snapshots there were, thinned ones included.").tag(sync=True)
    _loss = traitlets.Bytes(help="The loss by step (Thinned.to_bytes).").tag(sync=True)
    _without_gradient = traitlets.List(traitlets.Unicode()).tag(sync=True)

    _closed: threading.Event
    _publishing: threading.RLock

    def __new__(cls, *args: Any, **keywords: Any) -> Self:
        widget: Self = super().__new__(cls, *args, **keywords)
        # Here, since a widget whose __init__ raised is closed too.
        widget._closed, widget._publishing = threading.Event(), threading.RLock()
        return widget

    def __init__(self, gradients: object, **traits: Any) -> None:
        self._context: Context | None = None
        self.reject_unknown(traits)
        self._source, self._feed = source_of(gradients), SnapshotFeed()
        self._source.read(self._feed)
        missing = list(self._source.without_gradient)
        super().__init__(**traits, **self._news(), _snapshots=self._feed, _without_gradient=missing)
        self.on_msg(self._on_message)
        if not self._source.is_over:
            threading.Thread(target=self._follow, name=type(self).__name__, daemon=True).start()

    @property
    def steps(self) -> list[int]:
        """The steps whose gradients can be shown; [0] where the source has no steps."""
        return self._feed.steps

    def close(self) -> None:
        """Close the widget and end its thread; a run or a watched loop goes on."""
        with self._publishing:
            self._closed.set()
        super().close()

    def _news(self) -> dict[str, Any]:
        """The small traits, as of the feed."""
        steps = self._feed.steps
        loss = self._feed.loss.to_bytes() if self._feed.loss.last else b""
        return {"_newest": steps[-1] if steps else 0, "_seen": self._feed.seen, "_loss": loss}

    def _follow(self) -> None:
        """The thread: it ends with the source or when the widget is closed."""
        wait = _LIVE_S
        while not self._source.is_over and not self._closed.wait(wait):
            found = self._publish() if self._context is None else self._context.run(self._publish)
            wait = _LIVE_S if found else min(2 * wait, _IDLE_S)

    def _publish(self) -> bool:
        """Send the page what is new in the source, and tell whether anything was."""
        with self._publishing:
            if self._closed.is_set() or not self._source.read(self._feed):
                return False
            before = self._newest if self._seen else -1
            with self.hold_sync():
                for name, value in self._news().items():
                    setattr(self, name, value)
            self._send_snapshots(before)
            return True

    def _send_snapshots(self, after: int) -> None:
        self.send({"kind": "snapshots", "steps": self.steps}, buffers=[self._feed.to_bytes(after)])

    def _on_message(self, _: Any, content: Any, __: Any) -> None:
        # Sending in the context of a message keeps the page's messages on the loop that this one came by,
        # which a running cell does not block (as in TrainingLab).
        self._context = copy_context()
        after = content.get("after") if isinstance(content, dict) else None
        if isinstance(after, int):
            self._send_snapshots(after)
