"""Collects the gradient summaries of any accepted source."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from mixwidgets.floats.formats.block import BlockFormats, named_block_formats
from mixwidgets.floats.gradients.summary import GradientSummary

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
