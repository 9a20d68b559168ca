"""Where gradients come from: `collect` summarises them once, and a `SnapshotSource` follows them.

What can be collected once is an array or a tensor, a mapping, or a model after backward(). What a loop or a
run records comes as one snapshot after another: its source adds them to a `Feed` each time it is read. A run
has a source of its own (`snapshot_source()`), so that this module knows nothing of runs.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import nan
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, Protocol

from mixwidgets.floats.formats.block_catalogue import BlockFormats, named_block_formats
from mixwidgets.floats.gradients.summary import GradientSummary

Kind = Literal["weights", "outputs"]
"""Of what the gradients of a snapshot are: of weights, or of the outputs of linear layers (dy)."""
NO_DY = (
    "dy, the gradients of the linear layers' outputs, was not recorded: Experiment(…, record_dy=True) does."
)
_NOTHING: Mapping[str, GradientSummary] = MappingProxyType({})

ACCEPTED = (
    "an array or tensor, a mapping of names to such or to GradientSummaries, as {'w': w.grad}, "
    "a model with named_parameters() after loss.backward(), a run, or what watch returns"
)


class Collected(NamedTuple):
    summaries: dict[str, GradientSummary]
    """By name, in the order of the source."""
    without_gradient: tuple[str, ...]
    """Names of parameters whose gradient is None; not in `summaries`."""


def collect(source: object, block_formats: BlockFormats = (), block_axis: int | None = None) -> Collected:
    """Summarise every gradient of `source`: a mapping of names to gradients, or a model after backward().

    The gradients of a complex parameter w are "w.real" and "w.imag"; values that a sparse one does not store
    count as zeros. A run, a watcher or a GradientSnapshot gives its newest gradients. A single array, tensor
    or GradientSummary is named "gradients". A gradient is a NumPy or ml_dtypes array, a torch tensor, a
    GradientSummary, or None, which is left out and listed in `without_gradient`. Block formats are recorded
    of arrays and tensors, as by `GradientSummary.of`.
    Raises TypeError for anything else and ValueError if there is no gradient at all.
    """
    gradients = _by_name(source)
    formats = named_block_formats(block_formats)
    summaries = {
        name: _summary(name, value, formats, block_axis)
        for name, value in gradients.items()
        if value is not None
    }
    missing = tuple(name for name, value in gradients.items() if value is None)
    if not summaries:
        raise ValueError(
            f"none of the {len(missing)} parameters has a gradient yet: call loss.backward() first, and look "
            "before optimizer.zero_grad()"
            if missing
            else f"there are no gradients to show: the source is empty; pass {ACCEPTED}"
        )
    return Collected(summaries, missing)


def _by_name(source: Any) -> dict[str, object]:
    if callable(getattr(source, "named_parameters", None)):
        named = ((name, parameter.grad) for name, parameter in source.named_parameters())
        return {own: part for name, gradient in named for own, part in _real_parts(name, gradient)}
    if isinstance(source, GradientSummary) or (hasattr(source, "dtype") and hasattr(source, "shape")):
        return {"gradients": source}
    if callable(getattr(source, "gradients", None)):
        return dict(source.gradients())
    if isinstance(getattr(source, "summaries", None), Mapping):
        return dict(source.summaries)
    if not isinstance(source, Mapping):
        raise TypeError(f"gradients are {ACCEPTED}; got {type(source).__name__}")
    for name in source:
        if not isinstance(name, str):
            raise TypeError(f"the names of gradients are text; got {name!r}")
    return dict(source)


def _real_parts(name: str, gradient: Any) -> Iterator[tuple[str, Any]]:
    if gradient is None or not gradient.is_complex():
        yield name, gradient
    else:
        yield f"{name}.real", gradient.real
        yield f"{name}.imag", gradient.imag


def _summary(name: str, value: Any, block_formats: BlockFormats, block_axis: int | None) -> GradientSummary:
    if isinstance(value, GradientSummary):
        return value
    # A leaf that requires a gradient is a weight, and its values are not gradients.
    if getattr(value, "requires_grad", False) and getattr(value, "is_leaf", False):
        raise TypeError(
            f"{name!r} is a parameter, not its gradient; pass parameter.grad (or .detach() for the weights)"
        )
    zeros = 0
    if getattr(value, "is_sparse", False) and block_formats:
        value = value.to_dense()  # blocks also hold the zeros that it does not store
    elif getattr(value, "is_sparse", False):
        whole = value.numel()
        value = value.coalesce().values()
        zeros = whole - value.numel()
    try:
        summary = GradientSummary.of(value, block_formats=block_formats, block_axis=block_axis)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name!r}: {error}") from None
    return replace(summary, zero=summary.zero + zeros) if zeros else summary


class Feed(Protocol):
    """What takes snapshots and losses, in the order of their steps."""

    seen: int
    """The number of snapshots so far, including those that a source left out."""

    def add(
        self,
        step: int,
        summaries: Mapping[str, GradientSummary],
        loss_scale: float,
        loss: float,
        outputs: Mapping[str, GradientSummary] = _NOTHING,
    ) -> None:
        """Add a snapshot. loss_scale, loss: NaN if unknown. outputs: dy by linear layer, if recorded."""

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
        self._outputs = getattr(gradients, "output_gradients", _NOTHING)  # of a GradientSnapshot

    def read(self, feed: Feed) -> bool:
        feed.add(0, self._summaries, nan, nan, self._outputs)
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
