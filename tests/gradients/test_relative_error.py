"""The error of a whole tensor: exact beside brute force, the estimate beside the exact one."""

import math
from fractions import Fraction
from itertools import pairwise

import ml_dtypes
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from mixwidgets.floats.formats.catalogue import get_format, list_formats
from mixwidgets.floats.formats.float_format import FloatFormat
from mixwidgets.floats.gradients.rounding_error import RelativeError, relative_error
from mixwidgets.floats.gradients.summary import GradientSummary
from tests.gradients.gradient_oracle import FORMATS, error

patterns32 = st.integers(0, 2**32 - 1).map(lambda code: float(np.array(code, np.uint32).view(np.float32)))
gradients = st.floats(-(2.0**-6), 2.0**-6, width=32) | patterns32


@given(st.lists(gradients, max_size=30), st.sampled_from(sorted(FORMATS)), st.integers(-40, 40))
def test_exact_is_exact(values: list[float], name: str, log2: int) -> None:
    found = relative_error(np.array(values, dtype=np.float32), name, 2.0**log2)
    assert found.exact
    assert found.value == pytest.approx(error(values, name, log2), rel=1e-12)


def test_by_hand() -> None:
    def found(*values: float, scale: float = 1.0) -> float:
        return relative_error(list(values), "float16", scale).value

    assert found(1.0, -2.0, 0.5) == 0
    assert found(2.0**-26, -(2.0**-26)) == 1, "all flushed"
    assert found(2.0**-26, scale=2.0) == 1, "the tie goes to zero"
    assert found(2.0**-26, scale=4.0) == 0
    assert found(1 + 2.0**-12) == pytest.approx(2.0**-12 / (1 + 2.0**-12))
    assert found(3.0, 4.0, 2.0**-26 * 5) == pytest.approx(2.0**-26 / 5), "5 × 2^-26 is rounded to 4 × 2^-26"
    assert found(1.0, 65519.0) < 1e-3 < found(1.0, 65520.0) == math.inf
    assert found(0.0, -0.0) == found() == 0
    assert found(1 / 3, math.nan, math.inf) == found(1 / 3) > 0
    assert found(1.0, scale=3) == found(1.0, scale=1000) == 0, "any scale, and 3/3 is 1"


def test_no_square_leaves_the_range() -> None:
    assert relative_error([1e-300, 1e-310], "float16").value == 1
    assert relative_error([1e300, -3e300], "float64").value == 0
    assert relative_error([1e-300, 1e-310], "float64", 2.0**40).value == 0
    tiny = np.array([1e-45, 1e-40], dtype=np.float32)
    assert relative_error(tiny, "float16").value == 1
    assert relative_error(tiny, "bfloat16").value < relative_error(tiny, "float16").value
    assert GradientSummary.of([1e-300]).relative_error("float16").value == 1
    assert GradientSummary.of([1e300, 1e-300]).relative_error("float64").value < 2**-53


def test_many_values_in_parts() -> None:
    values = np.tile(np.array([1 / 3, 1e-9, 7e-5], dtype=np.float32), 100_000)
    few = relative_error(values[:3], "float16", 8.0).value
    assert relative_error(values, "float16", 8.0).value == pytest.approx(few, rel=1e-9)


@given(
    st.lists(st.integers(-60, 14), min_size=1, max_size=20),
    st.sampled_from(["float16", "bfloat16", "float8_e5m2"]),
    st.integers(-20, 0),
)
def test_the_estimate_knows_powers_of_two(exponents: list[int], name: str, log2: int) -> None:
    values = np.exp2(np.array(exponents, dtype=np.float64))
    estimate = GradientSummary.of(values).relative_error(name, 2.0**log2)
    assert not estimate.exact
    assert estimate.value == pytest.approx(relative_error(values, name, 2.0**log2).value, rel=1e-12)


@pytest.mark.parametrize("name", sorted(set(FORMATS) - {"float64", "float32"}))
def test_the_estimate_is_right_for_values_spread_evenly(name: str) -> None:
    """In each binade from all flushed to all normal."""
    emin, fraction_bits, _ = FORMATS[name]
    for exponent in range(emin - fraction_bits - 3, emin + 1):
        values = np.ldexp(1 + (np.arange(100_000) + 0.5) / 100_000, exponent)
        estimate = GradientSummary.of(values).relative_error(name).value
        assert estimate == pytest.approx(relative_error(values, name).value, rel=2e-3), exponent


SOURCES = [
    ml_dtypes.bfloat16,
    np.float16,
    ml_dtypes.float8_e4m3fn,
    ml_dtypes.float8_e5m2,
    ml_dtypes.float8_e4m3fnuz,
    ml_dtypes.float6_e2m3fn,
    ml_dtypes.float4_e2m1fn,
]


def every_value(dtype: type, first: int, last: int) -> np.ndarray:
    """Each positive value of a dtype of up to 16 bits with 2^first ≤ value < 2^last, once."""
    bits = 8 * np.dtype(dtype).itemsize
    values = np.arange(1 << bits - 1, dtype=f"u{bits // 8}").view(dtype)
    with np.errstate(invalid="ignore"):  # a signalling NaN
        wide = values.astype(np.float64)
    return values[(wide >= 2.0**first) & (wide < 2.0**last)]


@pytest.mark.parametrize("dtype", SOURCES, ids=lambda dtype: dtype.__name__)
def test_the_estimate_knows_which_values_a_dtype_has(dtype: type) -> None:
    """Of all its values it is the error itself, subnormals of both formats included."""
    for values in (every_value(dtype, -12, 4), every_value(dtype, -26, -20), every_value(dtype, -130, -120)):
        summary = GradientSummary.of(values)
        for name in FORMATS:
            for log2 in (-9, -1, 0, 3, 15):
                exact = relative_error(values.astype(np.float64), name, 2.0**log2).value
                found = summary.relative_error(name, 2.0**log2).value
                assert found == pytest.approx(exact, rel=1e-12, abs=1e-15), f"{name} at 2^{log2}"


def test_what_was_in_a_format_has_no_error_in_it() -> None:
    rng = np.random.default_rng(0)
    values = torch.from_numpy(rng.standard_normal(10_000) * 1e-3)
    for dtype in (torch.bfloat16, torch.float16, torch.float8_e5m2, torch.float32, torch.float64):
        summary = GradientSummary.of(values.to(dtype))
        assert summary.relative_error(str(dtype).removeprefix("torch.")).value == 0
        assert summary.relative_error("float64").value == 0
    narrow, wide = GradientSummary.of(values.bfloat16()), GradientSummary.of(values.float())
    assert narrow.grid == (8, -133)
    assert wide.grid == (24, -149)
    for both in (narrow.merge(wide), wide.merge(narrow)):
        assert both.grid == wide.grid
    assert wide.relative_error("bfloat16").value > narrow.merge(wide).relative_error("bfloat16").value > 1e-3
    assert GradientSummary.of([0.1]).grid == (53, -1074)
    assert GradientSummary.of(values.half()).merge(narrow).grid == (11, -133)


OWN = [
    FloatFormat("no zero", 3, 2, has_zero=False, infinity="none", nan="top"),
    FloatFormat("no zero, no fraction", 4, 0, has_zero=False, infinity="none", nan="none"),
    FloatFormat("flushed", 4, 3, subnormals="flushed"),
    FloatFormat("flushed, no fraction", 4, 0, subnormals="flushed", infinity="none", nan="none"),
    FloatFormat("no subnormals", 4, 3, subnormals="none", infinity="top", nan="top"),
    FloatFormat("no subnormals, no fraction", 3, 0, subnormals="none", infinity="none", nan="none"),
]


def on_the_grid(fmt: FloatFormat) -> list[Fraction]:
    """The value of each magnitude code and of the one after the last, if none were special."""
    t, values = fmt.fraction_bits, []
    for code in range((1 << fmt.exponent_bits + t) + 1):
        field, fraction = divmod(code, 1 << t)
        hidden = field > 0 or not fmt.has_zero or fmt.subnormals == "none"
        exponent = (field if hidden else 1) - fmt.bias
        values.append((fraction + (hidden << t)) * Fraction(2) ** (exponent - t))
    return values


def nearest(fmt: FloatFormat, grid: list[Fraction], x: Fraction) -> tuple[str, Fraction]:
    """Looked for among all values: the class of x > 0 and the value that it becomes."""
    tie_to_larger = not fmt.has_zero and fmt.fraction_bits == 0
    code = min(range(len(grid)), key=lambda c: (abs(grid[c] - x), -c if tie_to_larger else c % 2))
    is_zero = {
        "gradual": code == 0 and fmt.has_zero,
        "flushed": code < 1 << fmt.fraction_bits,
        "none": code == 0,
    }[fmt.subnormals]
    if is_zero:
        return "flushed", Fraction(0)
    return "overflow" if code > fmt.max_code else "normal", grid[code]


@pytest.mark.parametrize("fmt", OWN, ids=lambda fmt: fmt.name)
@pytest.mark.parametrize("log2", [0, -3, 5])
def test_formats_without_zero_or_subnormals(fmt: FloatFormat, log2: int) -> None:
    grid, scale = on_the_grid(fmt), Fraction(2) ** log2
    ends = [(a + b) / 2 for a, b in pairwise(grid)] + grid
    near = [end * (1 + Fraction(sign, 1 << 50)) for end in ends for sign in (-1, 0, 1)]
    values = [float(x / scale) for x in (*near, Fraction(1, 10**9), grid[-1] * 2) if x]
    found = [nearest(fmt, grid, Fraction(value) * scale) for value in values]
    counts = GradientSummary.of([0.0, *values], formats=[fmt]).counts(fmt, 2.0**log2)
    kinds = [kind for kind, _ in found]
    assert (counts.zero, counts.flushed, counts.subnormal) == (1, kinds.count("flushed"), 0)
    assert (counts.normal, counts.overflow) == (kinds.count("normal"), kinds.count("overflow"))
    results = zip(values, found, strict=True)
    kept = [(Fraction(value), y / scale) for value, (kind, y) in results if kind != "overflow"]
    exact = math.sqrt(sum((y - x) ** 2 for x, y in kept) / sum(x**2 for x, _ in kept))
    assert relative_error([0.0, *(float(x) for x, _ in kept)], fmt, 2.0**log2).value == pytest.approx(exact)


@pytest.mark.parametrize("fmt", OWN, ids=lambda fmt: fmt.name)
def test_the_estimate_in_formats_without_zero_or_subnormals(fmt: FloatFormat) -> None:
    for exponent in range(fmt.emin - 5, fmt.emin + 3):
        values = np.ldexp(1 + (np.arange(10_000) + 0.5) / 10_000, exponent)
        estimate = GradientSummary.of(values, formats=[fmt]).relative_error(fmt).value
        assert estimate == pytest.approx(relative_error(values, fmt).value, rel=2e-3), exponent


def spread(kind: str) -> np.ndarray:
    rng, size = np.random.default_rng(0), 20_000
    values = {
        "normal": lambda: rng.normal(size=size) * 1e-4,
        "Laplace": lambda: rng.laplace(size=size) * 1e-5,
        "uniform": lambda: rng.uniform(-1e-3, 1e-3, size),
        "log-uniform": lambda: np.exp2(rng.uniform(-40, -5, size)),
        "Student": lambda: rng.standard_t(3, size=size) * 1e-5,
        "log-normal": lambda: rng.normal(size=size) * np.exp(rng.normal(-12, 4, size)),
    }[kind]()
    return values.astype(np.float32)


@pytest.mark.parametrize(
    ("kind", "within"),
    [
        ("normal", 0.07),
        ("Laplace", 0.07),
        ("uniform", 0.07),
        ("log-uniform", 0.07),
        ("Student", 0.07),
        ("log-normal", 1.5),
    ],
)
def test_how_good_the_estimate_is(kind: str, within: float) -> None:
    values = spread(kind)
    summary = GradientSummary.of(values)
    narrow = [fmt.name for fmt in list_formats() if fmt.signed and fmt.bits <= 19]
    for name in narrow:
        for log2 in range(-24, 41, 4):
            exact, estimate = relative_error(values, name, 2.0**log2), summary.relative_error(name, 2.0**log2)
            ratio = 1.0 if estimate.value == exact.value else estimate.value / exact.value
            assert max(ratio, 1 / ratio) <= 1 + within, f"{name} at 2^{log2}"


def test_what_has_no_error() -> None:
    for values in ([], [0.0, -0.0], [math.nan, math.inf]):
        assert GradientSummary.of(values).relative_error("float16") == RelativeError(0.0, exact=False)
        assert relative_error(values, "float16") == RelativeError(0.0, exact=True)
    assert GradientSummary.of([1.0, 1e6]).relative_error("float16").value == math.inf
    assert relative_error(np.array([1.0, 100.0]), "float4_e2m1fn").value == math.inf, "though it saturates"


@pytest.mark.parametrize("name", sorted(set(FORMATS) - {"float64"}))
def test_overflow_is_what_the_counts_call_overflow(name: str) -> None:
    threshold = get_format(name).overflow_threshold
    for value in (threshold, np.nextafter(threshold, 0), np.nextafter(threshold, math.inf)):
        summary = GradientSummary.of([1.0, value])
        overflows = summary.counts(name).overflow == 1
        assert math.isinf(relative_error([1.0, value], name).value) == overflows
        assert math.isinf(summary.relative_error(name).value) == overflows


def test_formats_of_ones_own() -> None:
    mine = FloatFormat("mine", 5, 6, 15)
    values = np.ldexp(1 + np.arange(1, 4096) / 4096, -3)
    summary = GradientSummary.of(values, formats=[mine])
    assert summary.relative_error(mine).value == pytest.approx(relative_error(values, mine).value, rel=0.02)
    far = FloatFormat(name="far", exponent_bits=11, fraction_bits=1, bias=-983)
    assert GradientSummary.of([1e-31, -7e-40]).relative_error(far, 2.0).value == 1


@pytest.mark.parametrize(
    ("format", "scale", "error", "message"),
    [
        ("float8_e8m0fnu", 1.0, ValueError, "no sign bit"),
        ("float17", 1.0, ValueError, "float16"),
        ("float16", 0.0, ValueError, "greater than zero"),
        ("float16", "1024", TypeError, "loss scale"),
    ],
)
def test_what_is_refused(format: str, scale: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        relative_error([1.0], format, scale)  # type: ignore[arg-type]
    with pytest.raises(error, match=message):
        GradientSummary.of([1.0]).relative_error(format, scale)  # type: ignore[arg-type]


def test_the_estimate_needs_a_power_of_two() -> None:
    with pytest.raises(ValueError, match="powers of two"):
        GradientSummary.of([1.0]).relative_error("float16", 3.0)
    with pytest.raises(TypeError, match="backward"):
        relative_error(None, "float16")
