"""Arrays summarised together: each as if it were alone."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixwidgets.gradients import tally
from mixwidgets.gradients.boundaries import catalogue_cuts
from mixwidgets.gradients.layout import SMALL
from mixwidgets.gradients.summary import GradientSummary


def alike(arrays: dict[str, np.ndarray]) -> None:
    for compiled_from in (0, math.inf):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(tally, "COMPILED_FROM", compiled_from)
            together = GradientSummary.of_each(arrays)
            patch.setattr(tally, "COMPILED_FROM", math.inf)
            alone = {name: GradientSummary.of(array) for name, array in arrays.items()}
        assert list(together) == list(arrays)
        for name, array in arrays.items():
            assert together[name] == alone[name], name
            assert together[name].samples.tolist() == alone[name].samples.tolist(), name
            assert together[name].count == len(array)


def magnitudes(size: int, zeros: float = 0.0) -> np.ndarray:
    rng = np.random.default_rng(size)
    values = rng.standard_normal(size) * np.exp2(rng.uniform(-60, 5, size))
    return np.where(rng.random(size) < zeros, 0, values).astype(np.float32)


def test_arrays_of_every_kind_at_once() -> None:
    alike(
        {
            "small": magnitudes(1000),
            "none": np.zeros(0, np.float32),
            "many zeros": magnitudes(5000, zeros=0.9),
            "as many as counted together": magnitudes(SMALL),
            "one more": magnitudes(SMALL + 1),
            "float64": magnitudes(300).astype(np.float64),
            "subnormal": np.array([1e-40, -1e-45, 0, 1], np.float32),
            "not finite": np.array([np.inf, -np.inf, np.nan, -0.0, 3.4e38], np.float32),
            "last": magnitudes(7),
        }
    )


def test_both_sides_of_each_cut_in_every_binade() -> None:
    fractions = [0, *(-(-cut >> 29) + delta for cut in catalogue_cuts() for delta in (-1, 0, 1))]
    codes = [(exponent << 23) + fraction for exponent in range(1, 255) for fraction in fractions]
    parts = np.array_split(np.array(codes, np.uint32).view(np.float32), 3)
    alike({str(number): part for number, part in enumerate(parts)})


def test_more_arrays_than_are_counted_together() -> None:
    alike({str(number): magnitudes(number) for number in range(40)})


def test_no_arrays() -> None:
    assert GradientSummary.of_each({}) == {}


@given(st.lists(st.lists(st.integers(0, 2**32 - 1), max_size=8), max_size=5))
def test_any_bits(lists: list[list[int]]) -> None:
    alike({str(n): np.array(codes, np.uint32).view(np.float32) for n, codes in enumerate(lists)})
