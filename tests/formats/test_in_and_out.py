"""A tensor or a series comes back as what it was, with the values that an array of it has."""

import subprocess
import sys

import ml_dtypes
import numpy as np
import pandas as pd
import pytest
import torch

import mixwidgets as mw

E4M3 = mw.get_format("float8_e4m3fn")
FLOATS = [
    torch.float64,
    torch.float32,
    torch.float16,
    torch.bfloat16,
    torch.float8_e4m3fn,
    torch.float8_e5m2,
    torch.float8_e4m3fnuz,
    torch.float8_e5m2fnuz,
]
VALUES = np.array([[0.0, -0.0, 1.0, -1.5], [0.3, 2.0**-14, 200.0, -7.25], [np.nan, 2.0**-9, 12.0, 0.1]])


class _Series:
    """What is used of a polars Series, which is not installed here: its name, length, values, constructor."""

    def __init__(self, name, values):
        self.name, self.values = name, np.asarray(values)

    def __len__(self):
        return len(self.values)

    def __array__(self, dtype=None, copy=None):
        return np.array(self.values, dtype, copy=copy)

    def to_numpy(self):
        return self.values


polars_series = type("Series", (_Series,), {"__module__": "polars.series.series"})


def same(found, expected):
    np.testing.assert_array_equal(found, expected, strict=True)
    number = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(found[number]), np.signbit(expected[number]))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_a_tensor_rounds_in_its_own_dtype(dtype):
    tensor = torch.from_numpy(VALUES).to(dtype)
    own = tensor.to(torch.float64).numpy()
    rounded = E4M3.round(tensor, overflow="saturate", rounding="toward-zero")
    assert rounded.dtype == dtype
    assert rounded.device == tensor.device
    expected = torch.from_numpy(E4M3.round(own, overflow="saturate", rounding="toward-zero")).to(dtype)
    same(rounded.to(torch.float64).numpy(), expected.to(torch.float64).numpy())
    assert torch.equal(tensor.to(torch.float64).isnan(), torch.from_numpy(own).isnan())  # as it was


@pytest.mark.parametrize(("name", "dtype"), [("float8_e5m2", torch.uint8), ("float16", torch.uint16)])
@pytest.mark.parametrize("source", FLOATS, ids=str)
def test_codes_of_a_tensor(name, dtype, source):
    fmt, tensor = mw.get_format(name), torch.from_numpy(VALUES).to(source)
    codes = fmt.encode(tensor)
    assert codes.dtype == dtype
    same(codes.numpy(), fmt.encode(tensor.to(torch.float64).numpy()))
    values = fmt.decode(codes)
    assert values.dtype == torch.float64
    same(values.numpy(), fmt.decode(codes.numpy()))
    assert fmt.encode(tensor[0, 2]).shape == fmt.round(tensor[0, 2]).shape == torch.Size([])


@pytest.mark.parametrize(("name", "dtype"), [("float32", torch.uint32), ("float64", torch.uint64)])
def test_wide_codes_of_a_tensor_are_its_bits(name, dtype):
    tensor = torch.tensor([1.5, -2.0], dtype=getattr(torch, name))
    assert torch.equal(mw.get_format(name).encode(tensor), tensor.view(dtype))


def test_a_tensor_that_requires_a_gradient_comes_back_without_one():
    weight = torch.nn.Parameter(torch.tensor([0.3, 448.0]))
    rounded = E4M3.round(weight)
    assert type(rounded) is torch.Tensor
    assert not rounded.requires_grad
    assert rounded.tolist() == [0.3125, 448]
    assert weight.tolist() == pytest.approx([0.3, 448])
    same = mw.get_format("float32").round(weight)
    same.zero_()
    assert weight[1].item() == 448  # nothing is shared


def test_strides_and_integers_of_a_tensor():
    tensor = torch.arange(6).reshape(2, 3)
    assert E4M3.round(tensor).dtype == torch.float64
    assert torch.equal(E4M3.round(tensor.float().T), tensor.float().T)
    assert torch.equal(E4M3.decode(E4M3.encode(tensor)), tensor.double())
    assert E4M3.round(torch.empty(0, 3)).shape == (0, 3)


def test_a_result_that_the_tensor_cannot_hold():
    with pytest.raises(
        ValueError, match=r"65504\.0 does not fit torch\.bfloat16; pass the values as float32"
    ):
        mw.get_format("float16").round(torch.tensor([1e30], dtype=torch.bfloat16), overflow="saturate")


@pytest.mark.parametrize(
    ("make", "error", "says"),
    [
        (lambda: torch.ones(3).to_sparse(), ValueError, r"layout torch\.sparse_coo; pass tensor\.to_dense"),
        (lambda: torch.ones(3, device="meta"), ValueError, "no values; move the model to a real device"),
        (
            lambda: torch.ones(3, dtype=torch.complex64),
            TypeError,
            r"got complex64\. Pass the \.real and the \.imag",
        ),
        (
            lambda: torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.quint8),
            TypeError,
            r"tensor\.dequantize",
        ),
        (lambda: torch.nested.nested_tensor([torch.ones(1), torch.ones(2)]), ValueError, "one by one"),
        (lambda: torch.ones(3, dtype=torch.bool), TypeError, "not an array of bool|not of bool"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*quantize_per_tensor.*|.*nested tensors.*")
@pytest.mark.parametrize("take", [E4M3.round, E4M3.encode, mw.get_block_format("mxfp4").quantize])
def test_tensors_without_plain_real_values(take, make, error, says):
    with pytest.raises(error, match=says):
        take(make())


@pytest.mark.parametrize("name", ["mxfp4", "nvfp4"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_blocks_of_a_tensor(name, dtype):
    fmt, tensor = mw.get_block_format(name), torch.from_numpy(np.nan_to_num(VALUES)).to(dtype)
    found, expected = fmt.quantize(tensor, axis=0), fmt.quantize(tensor.double().numpy(), axis=0)
    for field in ("scale_codes", "scales", "codes", "dequantized"):
        assert isinstance(getattr(found, field), torch.Tensor)
        same(getattr(found, field).numpy(), getattr(expected, field))
    assert found.tensor_scale == expected.tensor_scale
    with pytest.raises(ValueError, match="a single number has none"):
        fmt.quantize(tensor[0, 0])


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "Float64", "Float32"])
def test_a_pandas_series(dtype):
    series = pd.Series([0.3, None, -500.0], index=["a", "b", "c"], name="g", dtype=dtype)
    rounded = E4M3.round(series, overflow="saturate")
    expected = pd.Series([0.3125, None, -448.0], index=["a", "b", "c"], name="g", dtype=dtype)
    pd.testing.assert_series_equal(rounded, expected)
    codes = E4M3.encode(series, overflow="saturate")
    pd.testing.assert_series_equal(
        codes, pd.Series([0x2A, 0x7F, 0xFE], index=["a", "b", "c"], name="g", dtype="uint8")
    )
    values = E4M3.decode(codes)
    assert values.dtype == np.float64
    assert values.index.equals(series.index)
    assert values["c"] == -448
    with pytest.raises(ValueError, match="has no NaN; choose a format that has one"):
        mw.get_format("float4_e2m1fn").encode(series)


def test_a_pandas_series_of_text_and_of_integers():
    assert E4M3.round(pd.Series(["0.1", "1/3"])).tolist() == [0.1015625, 0.34375]
    assert E4M3.round(pd.Series([17, 19], index=[5, 3])).to_dict() == {5: 16.0, 3: 20.0}
    with pytest.raises(TypeError, match="values must be real numbers"):
        E4M3.round(pd.Series(pd.to_datetime(["2026-01-01"])))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_polars_series(dtype):
    series = polars_series("g", np.array([0.3, np.nan, 500.0], dtype))
    rounded = E4M3.round(series, overflow="saturate")
    assert type(rounded) is polars_series
    assert rounded.name == "g"
    assert rounded.values.dtype == dtype
    same(rounded.values, np.array([0.3125, np.nan, 448], dtype))
    codes = E4M3.encode(series, overflow="saturate")
    assert type(codes) is polars_series
    assert codes.values.tolist() == [0x2A, 0x7F, 0x7E]
    assert E4M3.decode(codes).values.tolist()[2] == 448


def test_blocks_of_a_series():
    fmt, numbers = mw.get_block_format("mxfp4"), [1.1, 3.0, 4.0, 5.0]
    expected = fmt.quantize(numbers)
    found = fmt.quantize(pd.Series(numbers, index=list("abcd"), name="w"))
    assert found.dequantized.to_dict() == dict(zip("abcd", expected.dequantized, strict=True))
    same(found.codes.to_numpy(), expected.codes)
    same(found.scales, expected.scales)
    assert fmt.quantize(polars_series("w", np.array(numbers))).dequantized.name == "w"


def test_sequences_arrays_and_scalars_stay_what_they_are():
    assert isinstance(E4M3.round([0.3]), np.ndarray)
    assert E4M3.round(np.array([0.3], ml_dtypes.bfloat16)).dtype == ml_dtypes.bfloat16
    assert isinstance(E4M3.round(0.3), float)
    assert isinstance(E4M3.encode(0.3), int)
    assert isinstance(E4M3.round(np.float16(0.3)), np.float16)


def test_no_library_is_imported_for_it():
    code = (
        "import sys, mixwidgets as mw; mw.get_format('float16').round([0.1]); "
        "mw.get_block_format('mxfp4').quantize([0.1]); "
        "print(sorted({'torch', 'pandas', 'polars'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
