"""Arrays of every dtype; the processor's handling of subnormals; the tables that are kept."""

import struct
from collections import OrderedDict

import ml_dtypes
import numpy as np
import pytest
import torch

import mixwidgets as mw
from mixwidgets.floats.formats import keys

half = mw.get_format("float16")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_fraction_one_bit_shorter_than_float32_s(dtype):
    """Adding 1.5 × 2^(e + 1) leaves the binade, so rounding by it was wrong."""
    fmt = mw.FloatFormat("5e22f", exponent_bits=5, fraction_bits=22)
    values = np.random.default_rng(0).normal(size=10_000).astype(np.float32)
    bits = values.view(np.uint32)
    expected = bits & ~np.uint32(1)
    expected += (bits & np.uint32(3) == 3) * np.uint32(2)  # a tie whose neighbour above is even
    normal = np.abs(values) >= fmt.smallest_normal
    rounded = fmt.round(values.astype(dtype))
    np.testing.assert_array_equal(rounded[normal], expected.view(np.float32)[normal])


def test_codes_of_64_bits():
    fmt = mw.FloatFormat("x", exponent_bits=11, fraction_bits=52, bias=1030)
    assert fmt.encode(np.array([1.7e308])).tolist() == [0x7FF0000000000000]
    whole = mw.FloatFormat("y", 11, 52, infinity="none", nan="none", bias=1022)
    largest = np.array([np.finfo(np.float64).max, -np.inf])
    assert whole.encode(largest).tolist() == [(2046 << 52) - 1, (1 << 64) - 1]


SUBNORMALS = {
    np.float32: np.array(
        [1, 2, 3, 4096, 0x200000, 0x400000, 0x7FFFFF, 0x800000, 0, 0x80000001, 0x807FFFFF], np.uint32
    ),
    np.float64: np.array([1, 2, 3, 1 << 40, 1 << 51, (1 << 52) - 1, 1 << 52, 0, 1 << 63 | 5], np.uint64),
}
"""The bits of values around them."""
SCALARS = np.float32(1e-40), np.float64(1e-310), 5e-324
FLUSHED = [
    *map(mw.get_format, ("float16", "bfloat16", "float32", "float64", "float8_e8m0fnu")),
    mw.FloatFormat("float32's exponents", 8, 5, infinity="none", nan="none"),
    mw.FloatFormat("float64's subnormals", 11, 20, bias=1040),
    mw.FloatFormat("wider than float32", 8, 30),
]


@pytest.mark.parametrize("fmt", FLUSHED, ids=lambda fmt: fmt.name)
def test_flushed_subnormals_change_nothing(tables, fmt):
    def results():
        for dtype, bits in SUBNORMALS.items():
            for rounding in ("ties-to-even", "toward-positive", "toward-zero", "stochastic"):
                ways = {"random_bits": 8, "seed": 1} if rounding == "stochastic" else {}
                for work in (fmt.encode, fmt.round):
                    yield work(bits.view(dtype), rounding=rounding, overflow="saturate", **ways).tobytes()
        half_floats = np.array([1, 5, 0x8003, 0x7F, 0x80], np.uint16)
        for dtype in (np.float16, ml_dtypes.bfloat16):
            yield fmt.encode(half_floats.view(dtype), overflow="saturate").tobytes()
        yield fmt.round(
            half_floats.view(ml_dtypes.bfloat16), rounding="toward-positive", overflow="saturate"
        ).tobytes()
        yield fmt.decode(np.arange(50)).tobytes()
        for scalar in SCALARS:
            yield fmt.encode(scalar, rounding="toward-positive", overflow="saturate")
            rounded = fmt.round(scalar, rounding="toward-positive", overflow="saturate")
            yield np.asarray(rounded).tobytes()
        yield struct.pack("d", fmt.decode(3))

    expected = list(results())
    assert torch.set_flush_denormal(True)
    try:
        tables.clear()
        assert float(np.float32(1e-40) * np.float32(1)) == 0  # it has an effect here
        assert list(results()) == expected
    finally:
        torch.set_flush_denormal(False)


@pytest.mark.parametrize(
    "values",
    [
        np.array([0.1, -0.1, 6e-8, 6e4, np.inf], np.float16),
        np.array([0.1, -3e-40, 7e38, 448], ml_dtypes.bfloat16),
        np.array([0.1, 448, -0.0], ml_dtypes.float8_e4m3fn),
        np.array([-128, 127, 65], np.int8),
        np.array([2**53, -(2**53), 4097]),
        np.array([[0.1, 1e9], [-0.1, 3]], ">f4"),
        np.arange(40, dtype=np.float64).reshape(4, 10)[::2, ::3] / 7,
        np.float32(0.1),
        [0.1, 70000, -0.0],
        np.float16([]),
    ],
    ids=lambda values: str(getattr(values, "dtype", "list")),
)
def test_every_dtype_and_shape(tables, values):
    fmt, array = mw.get_format("float8_e5m2"), np.asarray(values)
    scalars = [fmt.encode(x) for x in array.reshape(-1).astype(np.float64).tolist()]
    assert np.reshape(fmt.encode(values), -1).tolist() == scalars
    rounded = fmt.round(values)
    assert np.shape(rounded) == array.shape
    is_float = isinstance(values, np.ndarray | np.generic) and array.dtype.kind in "fV"
    assert rounded.dtype == (array.dtype if is_float else np.float64)
    np.testing.assert_array_equal(
        np.reshape(rounded, -1).astype(np.float64), [fmt.decode(c) for c in scalars]
    )


def kept():
    """Bytes of the tables that are kept."""
    return sum(table.nbytes for table in keys._tables.values() if not isinstance(table, int))


@pytest.fixture
def no_tables(monkeypatch):
    monkeypatch.setattr(keys, "_tables", OrderedDict())


def test_small_arrays_make_a_table_together(no_tables):
    fmt, few = mw.get_format("float8_e5m2"), np.zeros(500, np.float32)
    fmt.encode(few)
    fmt.decode(np.zeros(5, np.uint8))
    assert kept() == 0
    for _ in range(30):
        assert not fmt.encode(few).any()
    assert kept() > 0


def test_tables_are_kept_within_bounds(no_tables):
    many, sizes = np.zeros(1 << 19, np.float32), []
    for rounding in ("ties-to-even", "ties-to-away", "toward-zero", "toward-positive", "toward-negative"):
        for name in ("float16", "bfloat16"):
            for values in (many, many.astype(float)):
                for work in ("encode", "round"):
                    getattr(mw.get_format(name), work)(values, rounding=rounding)
                    sizes.append(kept())
    assert 0 < max(sizes) <= keys.CACHED
    assert sizes != sorted(sizes)  # some were dropped
