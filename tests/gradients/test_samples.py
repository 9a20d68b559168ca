"""The real value that a summary keeps of each binade, beside Python's own look at the same values."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixwidgets.floats.gradients.histogram import looked_at
from mixwidgets.floats.gradients.summary import GradientSummary

LEAST = 256  # values that are looked at, where there are so many
patterns32 = st.integers(0, 2**32 - 1).map(lambda code: np.array(code, np.uint32).view(np.float32))
patterns64 = st.integers(0, 2**64 - 1).map(lambda code: np.array(code, np.uint64).view(np.float64))


def of_python(values: np.ndarray) -> dict[int, float]:
    """The last value of each binade; of subnormals none."""
    found = {}
    least = 2.0**-1022 if values.dtype == np.float64 else 2.0**-126
    for value in map(float, values):
        if math.isfinite(value) and abs(value) >= least:
            found[math.frexp(value)[1] - 1] = value
    return found


def samples(summary: GradientSummary) -> dict[int, float]:
    return {e: value for e, value in zip(summary.exponents, summary.samples.tolist(), strict=True) if value}


# NumPy says "invalid value" where a signalling NaN is widened.
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")
@settings(max_examples=200, deadline=None)
@given(st.lists(patterns32, max_size=40) | st.lists(patterns64, max_size=40))
def test_of_any_bits_each_binade_has_one_of_its_values(values: list[np.ndarray]) -> None:
    array = np.array(values, dtype=values[0].dtype if values else np.float32)
    summary = GradientSummary.of(array)
    assert samples(summary) == of_python(array)
    assert samples(GradientSummary.from_bytes(summary.to_bytes())) == of_python(array)


@pytest.mark.parametrize("size", [1, LEAST, 4 * LEAST - 1, 5000, 300_000])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
def test_a_sample_is_an_element_of_the_tensor(size: int, dtype: type) -> None:
    rng = np.random.default_rng(size)
    values = (rng.standard_normal(size) * np.exp2(rng.uniform(-12, 3, size))).astype(dtype)
    found = samples(GradientSummary.of(values))
    assert found == of_python(looked_at(values))
    assert found
    assert min(size, LEAST) <= len(looked_at(values)) <= 4 * LEAST
    assert set(found.values()) <= set(values.astype(np.float64).tolist())


def test_in_a_matrix_the_look_goes_across_rows_and_columns() -> None:
    for rows, columns in ((1024, 1024), (512, 2048), (4096, 64), (3000, 300)):
        matrix = np.exp2(np.arange(columns) % 64).astype(np.float32) * np.ones((rows, 1), np.float32)
        for one in (matrix, np.ascontiguousarray(matrix.T)):
            assert len(samples(GradientSummary.of(one))) > 7


def test_a_binade_that_holds_a_fiftieth_is_seen() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        values = np.where(rng.random(100_000) < 0.02, 2.0**-30, 1.0).astype(np.float32)
        assert samples(GradientSummary.of(values))[-30] == 2.0**-30


def test_of_two_summaries_the_first_has_the_say() -> None:
    one, other = GradientSummary.of([1.25, -0.5]), GradientSummary.of([1.5, 6.0])
    assert samples(one.merge(other)) == {-1: -0.5, 0: 1.25, 2: 6.0}
    assert samples(other.merge(one)) == {-1: -0.5, 0: 1.5, 2: 6.0}
    assert GradientSummary.of([1.25]) == GradientSummary.of([-1.25])  # they count the same


def test_where_there_is_none() -> None:
    summary = GradientSummary.of([1.0, 0.0, np.inf, np.nan, 5e-324])
    assert (summary.exponents, summary.samples.tolist()) == ((-1074, 0), [0.0, 1.0])
    with pytest.raises(ValueError, match="read-only"):
        summary.samples[0] = 5
