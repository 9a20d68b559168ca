"""A curve of any length in bounded memory, drawn the same: each bucket of steps keeps its extremes."""

import math

import numpy as np

Point = tuple[float, ...]
"""(step, value), and perhaps more values of the same step, which come along"""

_BUCKETS = 512  # even; about one a pixel of the chart, two points each


class Thinned:
    """A growing curve. Exact up to 512 points; beyond, every bucket of steps keeps its lowest and its highest
    value and its first one that is not finite, so that no spike and no NaN is lost."""

    def __init__(self) -> None:
        self._buckets: list[list[Point]] = []
        self._width = 1  # points that a full bucket has seen
        self._in_last = 0  # points that the last bucket has seen
        self.last: Point | None = None
        """The newest point, also where its bucket did not keep it."""

    def append(self, step: int, value: float, *more: float) -> None:
        """Add a point; steps come in ascending order, each with as many values. The first one decides what is
        kept."""
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
        """The kept points in order, the newest always among them."""
        kept = [point for bucket in self._buckets for point in bucket]
        if self.last is not None and kept[-1] != self.last and kept[-1][0] != self.last[0]:
            kept.append(self.last)
        return kept

    def to_bytes(self) -> bytes:
        """The points as rows of little-endian float32; steps up to 2^24 are exact."""
        with np.errstate(over="ignore"):  # beyond float32's range a value is drawn as infinite
            return np.array(self.points(), dtype="<f8").astype("<f4").tobytes()


def _extremes(points: list[Point]) -> list[Point]:
    finite = [point for point in points if math.isfinite(point[1])]
    kept = {point for point in points if not math.isfinite(point[1])}
    first_lost = [min(kept)] if kept else []
    if not finite:
        return first_lost
    low, high = min(finite, key=_value), max(finite, key=_value)
    return sorted({low, high, *first_lost})


def _value(point: Point) -> float:
    return point[1]
