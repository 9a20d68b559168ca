"""A curve of any length in bounded memory: each bucket of steps keeps its extremes, so it looks the same."""

import math
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

Point = tuple[float, ...]
"""(step, value), and perhaps more values of the same step."""

_BUCKETS = 512  # must be even; about one per pixel of the chart, with two points each


class Thinned:
    """A growing curve. Exact up to 512 points; beyond that, each bucket of steps keeps its lowest and highest
    values and the first one that is not finite, so that no spike and no NaN is lost."""

    def __init__(self) -> None:
        self._buckets: list[list[Point]] = []
        self._width = 1  # points represented by a full bucket
        self._in_last = 0  # points represented by the last bucket
        self.last: Point | None = None
        """The newest point, even if its bucket did not keep it."""

    def append(self, step: int, value: float, *more: float) -> None:
        """Add a point. Steps are ascending, and all points have the same number of values, of which the first
        decides what is kept."""
        self.last = (step, value, *more)
        if self._buckets and self._in_last < self._width:
            self._buckets[-1] = _extremes([*self._buckets[-1], self.last])
            self._in_last += 1
            return
        if len(self._buckets) == _BUCKETS:
            pairs = zip(self._buckets[::2], self._buckets[1::2], strict=True)
            self._buckets = [_extremes(left + right) for left, right in pairs]
            self._width *= 2
        self._buckets.append([self.last])
        self._in_last = 1

    def points(self) -> list[Point]:
        """The kept points in order, always including the newest."""
        kept = [point for bucket in self._buckets for point in bucket]
        if self.last is not None and kept[-1][0] != self.last[0]:
            kept.append(self.last)
        return kept

    def rows(self) -> NDArray[np.float32]:
        """The points, float32 (points, 1 + values); steps up to 2^24 are exact. (0, 2) without a point."""
        with np.errstate(over="ignore"):  # values beyond float32's range are drawn as infinite
            return np.array(self.points() or np.empty((0, 2)), np.float64).astype(np.float32)


def _extremes(points: list[Point]) -> list[Point]:
    finite = [point for point in points if math.isfinite(point[1])]
    kept = [point for point in points if not math.isfinite(point[1])][:1]
    if finite:
        kept += [min(finite, key=itemgetter(1)), max(finite, key=itemgetter(1))]
    return sorted(set(kept))
