"""LossScaleExplorer: what a loss scale saves of real gradients, and what it costs."""

from __future__ import annotations

import reprlib
import threading
from contextvars import copy_context
from functools import reduce
from typing import TYPE_CHECKING, Any, ClassVar

import traitlets

from mixwidgets.formats.catalogue import get_format, list_formats
from mixwidgets.gradients.best_scale import LOG2_LOSS_SCALES, best_loss_scale
from mixwidgets.gradients.summary import GradientSummary
from mixwidgets.widgets.base import STATIC, MixWidget
from mixwidgets.widgets.bit_editor import BitEditor
from mixwidgets.widgets.gradient_source import source_of
from mixwidgets.widgets.snapshot_feed import SnapshotFeed

if TYPE_CHECKING:
    from contextvars import Context

    from mixwidgets.gradients.summary import GradientCounts

MOST_COMPARED = 3
BINADES = range(-1200, 1201)  # with room around those of float64
_LIVE_S = 0.1  # between two looks at a source that gives something
_IDLE_S = 1.0  # and, in the end, at one that does not
_LAST_STEP = 2**32 - 1
MAX_BITS = 32  # formats that gradients are cast to; none is wider than the master weights


class LossScaleExplorer(MixWidget):
    """Slide a loss scale over gradients and see which of them a format flushes, blurs or overflows.

    gradients: a mapping of names to arrays, torch tensors or GradientSummaries, a model after
    loss.backward(), a Run, or what `watch` returns. Each tensor is summarised once; the page then answers
    every scale by itself. Of a run or a watched loop all gradient snapshots can be looked at, and new ones
    appear as they come, until the widget is closed; where they are too many the older ones are thinned.
    """

    _esm = STATIC / "loss_scale_explorer.js"
    _state_traits: ClassVar[dict[str, Any]] = {"format": None, "log2_loss_scale": None, "step": 0}

    format = traitlets.Unicode("float16").tag(sync=True)
    """The format that gradients are rounded to: any of the catalogue's up to 32 bits, by name or alias."""
    log2_loss_scale = traitlets.Int(0).tag(sync=True)
    """The slider's place: an integer, −24 … 40."""
    binade = traitlets.Int(None, allow_none=True).tag(sync=True)
    """The binade whose bits are shown: e, where its gradients are 2^e and more before scaling; None: none."""
    compare: traitlets.List[str] = traitlets.List(
        traitlets.Unicode(), ["bfloat16", "float8_e5m2", "float8_e4m3fn"]
    ).tag(sync=True)
    """Up to three formats to compare with, by name or alias."""
    title = traitlets.Unicode(None, allow_none=True).tag(sync=True)
    """A heading in place of the usual one."""

    step = traitlets.Int(0).tag(sync=True)
    """Which of several snapshots is shown: the one nearest to this step; 0: the newest, whenever it comes."""

    # The feed grows and stays the same object, so that the page is never sent all of it again: what is new
    # travels as a message, and the trait serves views that open later, and saved pages.
    _snapshots: traitlets.Any = traitlets.Any().tag(sync=True, to_json=lambda feed, widget: feed.to_bytes())
    _newest = traitlets.Int(0, help="The newest snapshot's step.").tag(sync=True)
    _seen = traitlets.Int(0, help="How many snapshots there were, thinned ones included.").tag(sync=True)
    _loss = traitlets.Bytes(help="The loss by step (Thinned.to_bytes).").tag(sync=True)
    _without_gradient = traitlets.List(traitlets.Unicode()).tag(sync=True)

    def __init__(
        self,
        gradients: object,
        *,
        format: object = "float16",
        log2_loss_scale: int = 0,
        step: int = 0,
        title: str | None = None,
        **traits: Any,
    ) -> None:
        self._closed, self._publishing = threading.Event(), threading.RLock()
        self.reject_unknown(traits)
        self._context: Context | None = None
        self._together: tuple[int | None, GradientSummary] = None, GradientSummary.of([])
        self._source, self._feed = source_of(gradients), SnapshotFeed()
        self._source.read(self._feed)
        super().__init__(
            format=_narrow(format),
            log2_loss_scale=log2_loss_scale,
            step=step,
            title=title,
            _snapshots=self._feed,
            _without_gradient=list(self._source.without_gradient),
            **self._news(),
            **traits,
        )
        self.on_msg(self._on_message)
        if not self._source.is_over:
            threading.Thread(target=self._follow, name="LossScaleExplorer", daemon=True).start()

    @property
    def loss_scale(self) -> float:
        """2 to the power of `log2_loss_scale`."""
        return 2.0**self.log2_loss_scale

    def counts(self) -> GradientCounts:
        """The classes of all gradients shown, at the slider's scale: the figures of the page."""
        return self._shown().counts(self.format, self.loss_scale)

    def best_loss_scale(self) -> float:
        """The scale that the page proposes; `gradients.best_scale` states the rule."""
        return best_loss_scale([self._shown()], self.format)

    @property
    def steps(self) -> list[int]:
        """The steps whose gradients can be shown; [0] where the source has no steps."""
        return self._feed.steps

    def bit_editor(self) -> BitEditor:
        """A BitEditor that follows `binade`: at 2^binade times the loss scale, in the explorer's format. It
        shows 0 while none is chosen."""
        editor = BitEditor(self._edge(), format=self.format)

        def follow(_: object) -> None:
            with editor.hold_sync():
                editor.format = self.format
                editor.value = self._edge()

        self.observe(follow, ["binade", "log2_loss_scale", "format"])
        return editor

    def close(self) -> None:
        """Close the widget and end its thread; a run or a watched loop goes on."""
        with self._publishing:
            self._closed.set()
        super().close()

    @traitlets.validate("format")
    def _validate_format(self, proposal: Any) -> str:
        return _narrow(proposal["value"])

    @traitlets.validate("binade")
    def _validate_binade(self, proposal: Any) -> int | None:
        value: int | None = proposal["value"]
        if value is not None and (isinstance(value, bool) or value not in BINADES):
            raise traitlets.TraitError(
                f"binade is an integer from {BINADES[0]} to {BINADES[-1]}, or None; {value!r} came"
            )
        return value

    @traitlets.validate("compare")
    def _validate_compare(self, proposal: Any) -> list[str]:
        names = list(dict.fromkeys(map(_narrow, proposal["value"])))
        if len(names) > MOST_COMPARED:
            raise traitlets.TraitError(f"compare takes up to {MOST_COMPARED} formats; {len(names)} came")
        return names

    @traitlets.validate("log2_loss_scale")
    def _validate_log2(self, proposal: Any) -> int:
        value: int = proposal["value"]
        if isinstance(value, bool) or value not in LOG2_LOSS_SCALES:
            raise traitlets.TraitError(
                f"log2_loss_scale is an integer from {LOG2_LOSS_SCALES[0]} to {LOG2_LOSS_SCALES[-1]} "
                f"(15 means a scale of 2^15 = 32768); {value!r} came"
            )
        return value

    @traitlets.validate("step")
    def _validate_step(self, proposal: Any) -> int:
        value: int = proposal["value"]
        if isinstance(value, bool) or not 0 <= value <= _LAST_STEP:
            raise traitlets.TraitError(
                f"step is one of {reprlib.repr(self.steps)[1:-1]}, or 0 for the newest; {value!r} came"
            )
        return value

    def __repr__(self) -> str:
        count, at = self._shown().count, self._feed.nearest(self.step)
        of_step = f" of step {at}" if at else ""
        return f"LossScaleExplorer({count:,} gradients{of_step}, {self.format} × 2^{self.log2_loss_scale})"

    def _shown(self) -> GradientSummary:
        """All gradients of the snapshot that is shown; none before the first."""
        with self._publishing:  # while nothing is thinned
            at = self._feed.nearest(self.step)
            if at is not None and self._together[0] != at:
                parts = self._feed.summaries(at).values()
                self._together = at, reduce(GradientSummary.merge, parts, GradientSummary.of([]))
            return self._together[1]

    def _edge(self) -> str:
        """The chosen binade's lower edge, scaled, as a hex float."""
        return "0" if self.binade is None else f"0x1p{self.binade + self.log2_loss_scale}"

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


def _narrow(format: object) -> str:
    """The canonical name of a format of at most 32 bits."""
    try:
        fmt = get_format(format)
    except (TypeError, ValueError) as error:
        raise traitlets.TraitError(str(error)) from None
    if fmt.bits > MAX_BITS or not fmt.signed:
        names = ", ".join(one.name for one in list_formats() if one.bits <= MAX_BITS and one.signed)
        raise traitlets.TraitError(
            f"gradients are cast to one of {names}; {fmt.name} is {'wider' if fmt.signed else 'unsigned'}"
        )
    return fmt.name
