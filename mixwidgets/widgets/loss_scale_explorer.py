"""LossScaleExplorer: what a loss scale saves of real gradients, and what it costs."""

from __future__ import annotations

import struct
from functools import reduce
from typing import TYPE_CHECKING, Any, ClassVar

import traitlets

from mixwidgets.formats.catalogue import get_format, list_formats
from mixwidgets.gradients.best_scale import LOG2_LOSS_SCALES, best_loss_scale
from mixwidgets.gradients.collect import collect
from mixwidgets.gradients.summary import GradientSummary
from mixwidgets.widgets.base import STATIC, MixWidget

if TYPE_CHECKING:
    from mixwidgets.gradients.summary import GradientCounts

MAX_BITS = 32  # formats that gradients are cast to; none is wider than the master weights


class LossScaleExplorer(MixWidget):
    """Slide a loss scale over gradients and see which of them a format flushes, blurs or overflows.

    gradients: a mapping of names to arrays, torch tensors or GradientSummaries, or a model after
    loss.backward(). Each is summarised once; the page then answers every scale by itself.
    """

    _esm = STATIC / "loss_scale_explorer.js"
    _state_traits: ClassVar[dict[str, Any]] = {"format": None, "log2_loss_scale": None}

    format = traitlets.Unicode("float16").tag(sync=True)
    """The format that gradients are rounded to: any of the catalogue's up to 32 bits, by name or alias."""
    log2_loss_scale = traitlets.Int(0).tag(sync=True)
    """The slider's place: an integer, −24 … 40."""
    title = traitlets.Unicode(None, allow_none=True).tag(sync=True)
    """A heading in place of the usual one."""

    _names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    _summaries = traitlets.Bytes().tag(sync=True)
    _without_gradient = traitlets.List(traitlets.Unicode()).tag(sync=True)

    def __init__(
        self,
        gradients: object,
        *,
        format: object = "float16",
        log2_loss_scale: int = 0,
        title: str | None = None,
        **traits: Any,
    ) -> None:
        self.reject_unknown(traits)
        found = collect(gradients)
        self._shown = reduce(GradientSummary.merge, found.summaries.values())
        super().__init__(
            format=_narrow(format),
            log2_loss_scale=log2_loss_scale,
            title=title,
            _names=list(found.summaries),
            _summaries=b"".join(_framed(summary) for summary in found.summaries.values()),
            _without_gradient=list(found.without_gradient),
            **traits,
        )

    @property
    def loss_scale(self) -> float:
        """2 to the power of `log2_loss_scale`."""
        return 2.0**self.log2_loss_scale

    def counts(self) -> GradientCounts:
        """The classes of all gradients shown, at the slider's scale: the figures of the page."""
        return self._shown.counts(self.format, self.loss_scale)

    def best_loss_scale(self) -> float:
        """The scale that the page proposes; `gradients.best_scale` states the rule."""
        return best_loss_scale([self._shown], self.format)

    @traitlets.validate("format")
    def _validate_format(self, proposal: Any) -> str:
        return _narrow(proposal["value"])

    @traitlets.validate("log2_loss_scale")
    def _validate_log2(self, proposal: Any) -> int:
        value: int = proposal["value"]
        if isinstance(value, bool) or value not in LOG2_LOSS_SCALES:
            raise traitlets.TraitError(
                f"log2_loss_scale is an integer from {LOG2_LOSS_SCALES[0]} to {LOG2_LOSS_SCALES[-1]} "
                f"(15 means a scale of 2^15 = 32768); {value!r} came"
            )
        return value

    def __repr__(self) -> str:
        return f"LossScaleExplorer({self._shown.count:,} gradients, {self.format} × 2^{self.log2_loss_scale})"


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


def _framed(summary: GradientSummary) -> bytes:
    """A summary after its length, so that the page can tell where the next begins."""
    data = summary.to_bytes()
    return struct.pack("<I", len(data)) + data
