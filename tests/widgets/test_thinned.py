"""Thinned curves against plain lists."""

import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixwidgets.floats.widgets.thinned import Thinned

values = st.lists(st.floats(-1e6, 1e6) | st.sampled_from([math.nan, math.inf, -math.inf]), max_size=3000)


def thinned(values: list[float]) -> Thinned:
    curve = Thinned()
    for step, value in enumerate(values, 1):
        curve.append(step, value)
    return curve


@given(st.lists(st.floats(width=32), max_size=512))
def test_a_short_curve_is_exact(values):
    got = thinned(values).rows().tolist()
    assert [step for step, _ in got] == list(range(1, len(values) + 1))
    assert [struct.pack("<f", value) for _, value in got] == [struct.pack("<f", value) for value in values]


@given(values)
def test_a_long_curve_keeps_its_room_its_extremes_its_ends_and_its_gaps(values):
    curve = thinned(values)
    points = curve.points()
    assert len(points) <= 3 * 512 + 1
    assert points == sorted(points, key=lambda point: point[0])
    for step, value in points:
        assert value is values[step - 1]  # what is kept is what came
    finite = [value for value in values if math.isfinite(value)]
    kept = [value for _, value in points if math.isfinite(value)]
    if finite:
        assert (min(kept), max(kept)) == (min(finite), max(finite))
    assert any(not math.isfinite(v) for _, v in points) == any(not math.isfinite(v) for v in values)
    if values:
        assert points[0][0] <= 1 + len(values) // 256  # within the first bucket
        assert points[-1][0] == len(values)


@pytest.mark.slow
def test_one_spike_and_one_nan_in_a_million_steps_stay():
    curve = Thinned()
    for step in range(1, 1_000_001):
        curve.append(step, 99.0 if step == 123_456 else math.nan if step == 765_432 else 1.0)
    points = curve.points()
    assert (123_456, 99.0) in points
    assert any(step == 765_432 and math.isnan(value) for step, value in points)


def test_beyond_float32_is_infinite():
    assert thinned([1e300]).rows().tolist() == [[1.0, math.inf]]
