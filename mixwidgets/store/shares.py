"""What a format makes of a step's gradients, as shares of those that are not zero."""

import math
from collections.abc import Iterable
from typing import NamedTuple

from mixwidgets.gradients.summary import GradientSummary
from mixwidgets.store.events import GradientSnapshot


class Shares(NamedTuple):
    """Shares, 0 … 1, of the gradients that are not zero before scaling; together 1. NaN: not known."""

    flushed: float
    subnormal: float
    normal: float
    overflow: float
    not_finite: float
    """Inf or NaN before scaling: what overflowed in the backward pass itself arrives like this."""


def class_shares(summaries: Iterable[GradientSummary], format: str, loss_scale: float) -> Shares:
    """The shares of the classes of `GradientSummary.counts`, over all the tensors together.

    A class that the summaries do not decide, at a scale that is no power of two, is NaN, never a guess. All
    are NaN where every gradient is zero, and at a scale that is none: zero, negative, inf or NaN.
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
    """The share that is zero in the run's arithmetic alone, of the gradients that are not zero in both.

    NaN where the snapshot has no float32 reference, and where all are zero in both.
    """
    flushed = sum(snapshot.flushed.values())
    not_zero = flushed + sum(summary.count - summary.zero for summary in snapshot.summaries.values())
    return flushed / not_zero if snapshot.flushed and not_zero else math.nan
