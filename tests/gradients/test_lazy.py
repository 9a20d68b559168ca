"""Lazy summaries: equal to those of each array alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixwidgets.floats.gradients.boundaries import catalogue_cuts
from mixwidgets.floats.gradients.histogram import count_cells, looked_at
from mixwidgets.floats.gradients.lazy import LazySummaries, counted, counted_later, joined, merged
from mixwidgets.floats.gradients.summary import GradientSummary
from mixwidgets.floats.gradients.values import Grid

FLOAT32 = Grid(24, -149)


def counted_now(arrays: dict[str, np.ndarray]) -> LazySummaries:
    counts = [count_cells(array, catalogue_cuts()) for array in arrays.values()]
    return counted(list(arrays), np.array(counts), [looked_at(array) for array in arrays.values()], FLOAT32)


def alike(arrays: dict[str, np.ndarray]) -> None:
    """For arrays of one dtype."""
    alone = {name: GradientSummary.of(array) for name, array in arrays.items()}
    sizes = {name: len(array) for name, array in arrays.items()}
    joint = np.concatenate(list(arrays.values())) if arrays else np.zeros(0, np.float32)
    broken = {name: np.count_nonzero(~np.isfinite(array)) for name, array in arrays.items()}
    for found in (counted_now(arrays), counted_later(joint, sizes, FLOAT32, all_finite=False)):
        assert list(found) == list(arrays)
        assert found.not_finite == {name: count for name, count in broken.items() if count}
        for name, array in arrays.items():
            assert found[name] == alone[name], name
            assert found[name].samples.tolist() == alone[name].samples.tolist(), name
            assert found[name].count == len(array)


def test_nothing_is_counted_before_the_first_access(monkeypatch: pytest.MonkeyPatch) -> None:
    def unwanted(*_: object) -> None:
        raise AssertionError("counted")

    monkeypatch.setattr("mixwidgets.floats.gradients.lazy.count_cells_of_parts", unwanted)
    found = counted_later(np.float32([1, np.nan]), {"a": 2}, FLOAT32, all_finite=False)
    assert found.not_finite == {"a": 1}
    assert "a" in found
    with pytest.raises(AssertionError, match="counted"):
        found["a"]


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
            "a chunk": magnitudes(1 << 14),
            "one more": magnitudes((1 << 14) + 1),
            "subnormal": np.array([1e-40, -1e-45, 0, 1], np.float32),
            "not finite": np.array([np.inf, -np.inf, np.nan, -0.0, 3.4e38], np.float32),
            "last": magnitudes(7),
        }
    )


def test_float64() -> None:
    alike({"small": magnitudes(300).astype(np.float64), "tiny": np.array([5e-324, -1e-310, 0, 1, np.nan])})


def test_both_sides_of_each_cut_in_every_binade() -> None:
    fractions = [0, *(-(-cut >> 29) + delta for cut in catalogue_cuts() for delta in (-1, 0, 1))]
    codes = [(exponent << 23) + fraction for exponent in range(1, 255) for fraction in fractions]
    parts = np.array_split(np.array(codes, np.uint32).view(np.float32), 3)
    alike({str(number): part for number, part in enumerate(parts)})


def test_many_arrays() -> None:
    alike({str(number): magnitudes(number) for number in range(40)})


def test_no_arrays() -> None:
    alike({})


def test_of_parts_the_last_that_has_a_name_counts() -> None:
    def of(*values: float) -> GradientSummary:
        return GradientSummary.of(np.array(values, np.float32))

    first = counted_now({"a": np.float32([np.inf]), "b": np.float32([np.nan, 1])})
    second = counted_now({"c": np.float32([3]), "a": np.float32([2])})
    found = joined([first, second], ["c", "b", "a"])
    assert found == {"a": of(2), "b": of(np.nan, 1), "c": of(3)}
    assert list(found) == ["c", "b", "a"]
    assert found.not_finite == {"b": 1}
    assert "a" in found
    assert "d" not in found
    assert len(found) == 3
    assert repr(found["c"]) in repr(found)
    with pytest.raises(KeyError):
        found["d"]


def test_changed_ones() -> None:
    found = counted_now({"w": np.float32([np.nan, -np.inf, 1]), "v": np.float32([2])})
    twice = found.mapped(lambda name, summary: summary.merge(summary) if name == "v" else summary)
    assert twice["v"].count == 2
    assert twice["w"].count == 3
    assert twice.not_finite == found.not_finite == {"w": 2}


def test_of_all_parts_the_values_are_merged() -> None:
    parts = [{"a": np.float32([np.inf, 1])}, {"b": np.float32([2])}, {"a": np.float32([np.nan, -3, 0])}]
    found = merged(map(counted_now, parts))
    assert found == {"a": GradientSummary.of([np.inf, 1, np.nan, -3, 0]), "b": GradientSummary.of([2.0])}
    assert found.not_finite == {"a": 2}
    assert merged([]) == {}


@given(st.lists(st.lists(st.integers(0, 2**32 - 1), max_size=8), max_size=5))
def test_any_bits(lists: list[list[int]]) -> None:
    alike({str(n): np.array(codes, np.uint32).view(np.float32) for n, codes in enumerate(lists)})
