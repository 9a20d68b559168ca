"""The classes of a step's gradients in a format, as shares of the non-zero gradients."""

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from mixwidgets.floats.gradients.summary import GradientSummary
from mixwidgets.runs.store.events import GradientSnapshot


class Shares(NamedTuple):
    """Shares, 0 … 1, of the gradients that are not zero before scaling; they add up to 1. NaN: unknown."""

    flushed: float
    subnormal: float
    normal: float
    overflow: float
    not_finite: float
    """Inf or NaN before scaling, such as gradients that overflowed in the backward pass."""


def class_shares(summaries: Iterable[GradientSummary], format: str, loss_scale: float) -> Shares:
    """The shares of the classes of `GradientSummary.counts`, over all tensors.

    At a scale that is not a power of two, a share that the summaries cannot decide is NaN, not an estimate.
    All shares are NaN if every gradient is zero, or if the scale is zero, negative, inf or NaN.
    """
    parts = list(summaries)
    not_zero = sum(summary.count - summary.zero for summary in parts)
    if not not_zero or not 0 < loss_scale < math.inf:
        return Shares(*[math.nan] * len(Shares._fields))
    bounds = [summary.count_bounds(format, loss_scale) for summary in parts]

    def share(*names: str) -> float:
        least, most = (
            sum(getattr(counts, name) for counts in side for name in names)
            for side in zip(*bounds, strict=True)
        )
        return least / not_zero if least == most else math.nan

    return Shares(
        flushed=share("flushed"),
        subnormal=share("subnormal"),
        normal=share("normal"),
        overflow=share("overflow"),
        not_finite=share("inf", "nan"),
    )


def flushed_against_float32(snapshot: GradientSnapshot) -> float:
    """The share of gradients that are zero only in the run's arithmetic, among those not zero in both.

    NaN if the snapshot has no float32 reference, or if all gradients are zero in both.
    """
    flushed = sum(snapshot.flushed.values())
    not_zero = flushed + sum(summary.count - summary.zero for summary in snapshot.summaries.values())
    return flushed / not_zero if snapshot.flushed and not_zero else math.nan


def shares_of_all(snapshot: GradientSnapshot, shares: Shares) -> tuple[float, ...]:
    """Those that are zero as shares of all gradients, then the classes of `Shares`, which are of the others.

    With a float32 reference, those that are zero only in the run's arithmetic count as flushed.
    """
    count = sum(summary.count for summary in snapshot.summaries.values())
    if not count:
        return (math.nan,) * (1 + len(Shares._fields))
    zero = sum(summary.zero for summary in snapshot.summaries.values()) / count
    lost = min(sum(snapshot.flushed.values()) / count, zero)
    flushed, *others = (0.0 if zero == 1 else share * (1 - zero) for share in shares)
    return (zero - lost, flushed + lost, *others)


def tensor_scalars(
    name: str, summary: GradientSummary, format: str, loss_scale: float
) -> Mapping[str, float]:
    """What is lost of one tensor, as scalars for trackers, by tag; what is not known is left out.

    "flushed/<name>", and likewise "subnormal", "overflow" and "not_finite": its shares in `format` at
    `loss_scale`. For each block format that was recorded "<format>_flushed/<name>" and "<format>_clipped/…",
    shares of the values that are finite and not zero, and "<format>_relative_error/…".
    """
    shares = class_shares([summary], format, loss_scale)._asdict()
    scalars = {f"{kind}/{name}": shares[kind] for kind in ("flushed", "subnormal", "overflow", "not_finite")}
    if values := summary.count - summary.zero - summary.inf - summary.nan:
        for record in summary.blocks:
            scalars[f"{record.format}_flushed/{name}"] = record.flushed / values
            scalars[f"{record.format}_clipped/{name}"] = record.clipped / values
            scalars[f"{record.format}_relative_error/{name}"] = record.relative_error
    return {tag: value for tag, value in scalars.items() if not math.isnan(value)}
