"""LossScaleExplorer: what a loss scale saves of real gradients, and what it loses.

Each tensor is summarised once and its summary sent as bytes; the page answers for every scale from it, and
Python gives the same answers (`counts`, `best_loss_scale`). Sources that grow are followed on a thread.
"""

import reprlib
from dataclasses import asdict
from functools import reduce
from typing import TYPE_CHECKING, Any, ClassVar, Unpack, cast, get_args

import traitlets

from mixwidgets.floats.formats.block_catalogue import BlockFormats, any_format
from mixwidgets.floats.formats.block_format import BlockFormat
from mixwidgets.floats.formats.catalogue import get_format, is_named, list_formats, one_or_several
from mixwidgets.floats.gradients.boundaries import catalogue_cuts, cuts_for
from mixwidgets.floats.gradients.sources import NO_DY, Kind, source_of
from mixwidgets.floats.gradients.summary import (
    LOG2_LOSS_SCALES,
    GradientCounts,
    GradientSummary,
    best_loss_scale,
)
from mixwidgets.floats.widgets.base import Checked, Keywords
from mixwidgets.floats.widgets.bit_editor.widget import BitEditor
from mixwidgets.floats.widgets.following_widget import FollowingWidget
from mixwidgets.floats.widgets.frame import frame
from mixwidgets.floats.widgets.snapshot_feed import SnapshotFeed
from mixwidgets.support.checks import choice, whole_number
from mixwidgets.support.suggestion import did_you_mean

if TYPE_CHECKING:
    import pandas as pd

_LIVE_S = 0.1  # between two looks at an active source
_IDLE_S = 1.0  # the longest pause, for an idle source
MOST_COMPARED = 3
BINADES = range(-1200, 1201)  # with room around those of float64
_LAST_STEP = 2**32 - 1
MAX_BITS = 32  # of formats for gradients; none is wider than the master weights


def _narrow(format: object) -> str:
    """The canonical name of a format of at most 32 bits."""
    if isinstance(any_format(format), BlockFormat):
        raise ValueError(
            f"gradients are cast to a float format; got {format!r}. For a block format pass "
            f"block_formats={format!r}, and see .blocks()"
        )
    fmt = get_format(format)
    if not fmt.signed:
        why = "is unsigned"
    elif fmt.bits > MAX_BITS:
        why = "is wider"
    elif not is_named(fmt) or cuts_for((fmt,)) != catalogue_cuts():
        why = (
            "cannot be shown, because summaries count at the cuts of the catalogue. "
            "GradientSummary.of(tensor, formats=[fmt]).counts(fmt, loss_scale) counts in any signed format"
        )
    else:
        return fmt.name
    names = ", ".join(known.name for known in list_formats() if known.bits <= MAX_BITS and known.signed)
    raise ValueError(f"gradients are cast to one of {names}; {fmt.name} {why}")


def _log2(value: object) -> int:
    try:
        return whole_number("log2_loss_scale", value, LOG2_LOSS_SCALES[0], LOG2_LOSS_SCALES[-1])
    except (TypeError, ValueError) as error:
        raise ValueError(f"{error} 15 means a scale of 2^15 = 32768.") from None


def _kind(value: object) -> Kind:
    return cast("Kind", choice("kind", value, get_args(Kind)))


def _binade(value: object) -> int | None:
    return None if value is None else whole_number("binade", value, BINADES[0], BINADES[-1])


def _compared(formats: Any) -> list[str]:
    names = list(dict.fromkeys(map(_narrow, one_or_several(formats))))
    if len(names) > MOST_COMPARED:
        raise ValueError(f"compare takes up to {MOST_COMPARED} formats; got {len(names)}")
    return names


class ExplorerKeywords(Keywords, total=False):
    """The traits that the constructor takes beside its own arguments."""

    binade: int | None
    compare: Any
    kind: Kind
    tensor: str | None


class LossScaleExplorer(FollowingWidget):
    """Move the loss scale and see which gradients a format flushes, makes subnormal or overflows.

    gradients: an array or torch tensor, a mapping of names to these or to GradientSummaries, a model after
    loss.backward(), a Run, or a watcher of `watch`. Each tensor is summarised once; the page then computes
    every scale by itself. For a run or a watched loop, all gradient snapshots can be selected, and new ones
    appear as they come until the widget is closed; if there are too many, older ones are thinned.
    block_formats: block formats such as "nvfp4" whose losses the page shows too, for arrays, tensors and
    models; a run or a watched loop has those that were recorded. block_axis: as for `survey`.
    """

    _page = "loss_scale_explorer"
    _state_traits: ClassVar[dict[str, Any]] = {"format": None, "log2_loss_scale": None, "step": 0}

    format = Checked("float16", _narrow)
    """The format that gradients are rounded to: one of the catalogue, up to 32 bits, by name or dtype.

    In the page, drag an edge of its range: the format whose edge is nearest to the hand is chosen."""
    log2_loss_scale = Checked(0, _log2)
    """The slider's position: an integer, −24 … 40."""
    binade = Checked(None, _binade)
    """The binade whose bits are shown: e for gradients from 2^e to 2^(e+1) before scaling; None: none."""
    compare = Checked(["bfloat16", "float8_e5m2", "float8_e4m3fn"], _compared)
    """Up to three formats to compare with; accepts aliases and dtypes."""
    title = traitlets.Unicode(None, allow_none=True).tag(sync=True)
    """A heading in place of the usual one."""

    step = Checked(0)
    """The snapshot nearest to this step is shown; 0: always the newest."""

    kind = Checked[Kind]("weights", _kind)
    """Which gradients are shown: "weights", or "outputs", which are dy of each linear layer and need a Run or
    a GradientSnapshot of an experiment with `record_dy`."""

    tensor = traitlets.Unicode(None, allow_none=True).tag(sync=True)
    """The name of the only tensor to show; None: all together."""

    # The feed grows but stays the same object, so that it is never sent again as a whole: new snapshots are
    # sent as messages, and the trait is for views that open later and for saved pages.
    _snapshots = traitlets.Instance(SnapshotFeed).tag(sync=True, to_json=lambda feed, _: feed.to_frame())
    _newest = traitlets.Int(0, help="The newest snapshot's step.").tag(sync=True)
    _seen = traitlets.Int(0, help="How many snapshots there were, thinned ones included.").tag(sync=True)
    _loss = traitlets.Bytes(help='A frame: "loss", rows of step and loss (Thinned.rows).').tag(sync=True)
    _without_gradient = traitlets.List(traitlets.Unicode()).tag(sync=True)

    def __init__(
        self,
        gradients: object,
        *,
        format: object = "float16",
        log2_loss_scale: int = 0,
        step: int = 0,
        title: str | None = None,
        block_formats: BlockFormats = (),
        block_axis: int | None = None,
        **traits: Unpack[ExplorerKeywords],
    ) -> None:
        self.reject_unknown(traits)
        self.format = format  # refused before the gradients are counted
        nothing = GradientSummary.of([])
        self._together: tuple[object, GradientSummary] = None, nothing
        self._source, self._feed = source_of(gradients, block_formats, block_axis), SnapshotFeed()
        self._source.read(self._feed)
        self._pause = _LIVE_S
        super().__init__(
            log2_loss_scale=log2_loss_scale,
            step=step,
            title=title,
            **traits,
            **self._news(),
            _snapshots=self._feed,
            _without_gradient=list(self._source.without_gradient),
        )
        self._follow()

    @property
    def steps(self) -> list[int]:
        """The steps whose gradients can be shown; [0] if the source has no steps."""
        return self._feed.steps

    @property
    def loss_scale(self) -> float:
        """2 to the power of `log2_loss_scale`."""
        return 2.0**self.log2_loss_scale

    def counts(self) -> GradientCounts:
        """The classes of all gradients shown, at the slider's scale, as in the page."""
        return self._shown().counts(self.format, self.loss_scale)

    def best_loss_scale(self) -> float:
        """The scale that the page suggests, by the rule of `best_loss_scale`."""
        return best_loss_scale([self._shown()], self.format)

    def blocks(self) -> "pd.DataFrame":
        """What block formats lose of the tensors shown, one row per tensor and recorded format: `tensor`, and
        the fields of a `BlockRecord`. The loss scale is not applied. LookupError if none was recorded."""
        import pandas as pd

        _, summaries = self._feed.nearest(self.step, self.kind)
        rows = [
            {"tensor": name, **asdict(record)}
            for name in summaries
            if self.tensor in (None, name)
            for record in summaries[name].blocks
        ]
        if not rows:
            raise LookupError(
                "what block formats lose is not known from a summary, which has counts by binade. Pass "
                "LossScaleExplorer(tensors, block_formats='nvfp4'), or watch(…, block_formats='nvfp4')."
            )
        return pd.DataFrame(rows)

    def bit_editor(self) -> BitEditor:
        """A BitEditor that follows `binade`, in the explorer's format.

        It shows one of the binade's gradients times the loss scale; 2^binade times the loss scale if the
        summaries kept no sample; and 0 if no binade is selected.
        """
        editor = BitEditor(self._chosen(), format=self.format, lang=self.lang)

        def follow(_: object) -> None:
            with editor.hold_sync():
                editor.format = self.format
                editor.value = self._chosen()

        self.observe(follow, ["binade", "log2_loss_scale", "format", "step", "kind", "tensor", "_newest"])
        return editor

    @traitlets.validate("step")
    def _validate_step(self, proposal: Any) -> int:
        try:
            return whole_number("step", proposal["value"], 0, _LAST_STEP)
        except (TypeError, ValueError):
            accepted = f"{reprlib.repr(self.steps)[1:-1]}, or 0 for the newest"
            raise traitlets.TraitError(f"step is one of {accepted}; got {proposal['value']!r}") from None

    @traitlets.validate("kind")
    def _validate_kind(self, proposal: Any) -> Kind:
        value: Kind = proposal["value"]
        _, weights = self._feed.nearest(self.step)
        if value == "outputs" and weights and self._feed.nearest(self.step, "outputs")[1] is weights:
            raise traitlets.TraitError(NO_DY)
        return value

    @traitlets.observe("kind")
    def _forget_tensor(self, _: object) -> None:
        if self.tensor not in self._feed.nearest(self.step, self.kind)[1]:
            self.tensor = None

    @traitlets.validate("tensor")
    def _validate_tensor(self, proposal: Any) -> str | None:
        value: str | None = proposal["value"]
        names = list(self._feed.nearest(self.step, self.kind)[1])
        if value is not None and names and value not in names:
            hint = did_you_mean(value, names)
            raise traitlets.TraitError(
                f"tensor is the name of one that is shown, such as {names[0]!r}; got {value!r}.{hint}"
            )
        return value

    def _news(self) -> dict[str, Any]:
        """The small traits, computed from the feed."""
        steps = self._feed.steps
        loss = frame({"loss": self._feed.loss.rows()})
        return {"_newest": steps[-1] if steps else 0, "_seen": self._feed.seen, "_loss": loss}

    def _look(self) -> float | None:
        if self._source.is_over:
            return None
        is_newer = self._source.read(self._feed)
        if is_newer:
            before = self._newest if self._seen else -1
            self._tell(**self._news())
            self._send_snapshots(before)
        self._pause = _LIVE_S if is_newer else min(2 * self._pause, _IDLE_S)
        return self._pause

    def _send_snapshots(self, after: int) -> None:
        self.send({"kind": "snapshots", "steps": self.steps}, buffers=[self._feed.to_frame(after)])

    def _hear(self, content: dict[str, Any]) -> None:
        super()._hear(content)
        after = content.get("after")
        if isinstance(after, int):
            self._send_snapshots(after)

    def __repr__(self) -> str:
        count, (at, _) = self._shown().count, self._feed.nearest(self.step)
        dy = "dy, " if self.kind == "outputs" else ""
        of_step = f" of step {at}" if at else ""
        of_tensor = "" if self.tensor is None else f" of {self.tensor!r}"
        what = "gradient" if count == 1 else "gradients"
        scaled = f"{self.format} × 2^{self.log2_loss_scale}"
        return f"LossScaleExplorer({dy}{count:,} {what}{of_tensor}{of_step}, {scaled})"

    def _content(self) -> str:
        counts = asdict(self.counts())
        return ", ".join(f"{number:,} {name}" for name, number in counts.items() if number)

    def _shown(self) -> GradientSummary:
        """The gradients shown, of the snapshot shown; empty before the first."""
        at, summaries = self._feed.nearest(self.step, self.kind)
        together = self._together
        if together[0] != (at, self.kind, self.tensor):
            parts = [summaries[name] for name in summaries if self.tensor in (None, name)]
            whole = reduce(GradientSummary.merge, parts, GradientSummary.of([]))
            together = self._together = (at, self.kind, self.tensor), whole
        return together[1]

    def _chosen(self) -> str:
        """A gradient of the selected binade, or its lower end, times the loss scale, as a hex float."""
        if self.binade is None:
            return "0"
        shown = self._shown()
        samples = dict(zip(shown.exponents, shown.samples.tolist(), strict=True))
        sample = samples.get(self.binade)
        significand, exponent = sample.hex().split("p") if sample else ("0x1", self.binade)
        return f"{significand}p{int(exponent) + self.log2_loss_scale}"
