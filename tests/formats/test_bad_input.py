"""One clear error for each wrong value, code and format: what came, what is accepted, the likely fix."""

import ml_dtypes
import numpy as np
import pytest
import torch

import mixwidgets as mw

half = mw.get_format("float16")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "write a decimal"),
        ("abc", "'abc' is not a number"),
        ("１２", "write it in plain digits, 12"),
        ("１．５", "write it in plain digits, 1.5"),
        ("1,5", "with a decimal point, 1.5"),
        ("1_000", "without separators, 1000"),
        ("٣", "is not a number"),
        ("nan(0x7e01)", "write its code"),
        ("0b102", "is not a number"),
        ("-0x7C00", "a bit pattern has no sign"),
        ("1e999999999", "beyond ±5000"),
        ("1e" + "9" * 400, "beyond ±5000"),
        ("9" * 10_001, "10,000 characters, not 10,001"),
        ("\u202e12", r"\\u202e12"),
        ("<img src=x onerror=alert(1)>", "is not a number"),
        ("0x1FFFF", "is not a float16 code"),
        ("--1", "is not a number"),
        ("1 2", "without separators, 12"),
    ],
)
def test_text(text, says):
    with pytest.raises(ValueError, match=says):
        half.encode(text)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("1e999", 0x7C00),
        ("1e-400", 0),
        ("-0", 0x8000),
        ("−5", 0xC500),
        ("Infinity", 0x7C00),
        ("0x7C00", 0x7C00),
        ("0b1", 1),
        ("0x1p-3", 0x3000),
        ("-0x1.8p+1", 0xC200),
        (" .5\n", 0x3800),
        ("5.", 0x4500),
        ("9" * 5_000, 0x7C00),
        ("0." + "0" * 4_000 + "1", 0),
    ],
)
def test_text_that_is_read(text, code):
    assert half.encode(text) == code


@pytest.mark.parametrize("value", [True, np.True_, None, 1j, object(), b"1", {"a": 1}])
def test_values_of_other_types(value):
    with pytest.raises(TypeError, match="must be a number or text"):
        half.encode(value)


@pytest.mark.parametrize("code", [-1, 65536, "0x10000", "xyz", "", True, 1.5, None, "0x-1"])
def test_codes(code):
    with pytest.raises((ValueError, TypeError), match="code"):
        half.exact(code)


def test_code_arrays():
    with pytest.raises(ValueError, match="is not a float16 code"):
        half.decode([0, 65536])
    with pytest.raises(ValueError, match="is not a float16 code"):
        half.decode(np.array([-1]))
    with pytest.raises(TypeError, match="codes must be integers"):
        half.decode([0.5])
    assert half.decode(["0x3C00", "0x7BFF"]).tolist() == [1, 65504]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("fp8", "does not say which format is meant; write one of float8_e5m2"),
        ("e5m2", "does not say which format is meant; write one of float8_e5m2"),
        ("e4m3", "is not a known format"),
        ("e0m0", "is not a known format"),
        ("e-1m3", "is not a known format"),
        ("float15", "did you mean 'float16'"),
        ("__proto__", "is not a known format"),
        ("", "known formats are float64"),
    ],
)
def test_format_names(name, says):
    with pytest.raises(ValueError, match=says):
        mw.get_format(name)


@pytest.mark.parametrize("name", [True, None, 16, bool, np.bool_, 1.5, ["float16"]])
def test_formats_of_other_types(name):
    with pytest.raises((TypeError, ValueError), match=r"a format is a name|is not a known format"):
        mw.get_format(name)


@pytest.mark.parametrize(
    "name", ["float16", "half", " FP16 ", np.float16, np.dtype("float16"), torch.float16, half]
)
def test_names_of_float16(name):
    assert mw.get_format(name) is half


def test_dtypes_of_other_libraries():
    assert mw.get_format(ml_dtypes.bfloat16) == mw.get_format(torch.bfloat16) == mw.get_format("bf16")
    assert mw.get_format(torch.float8_e5m2) == mw.get_format(ml_dtypes.float8_e5m2)
    assert mw.get_format(float) == mw.get_format("float64")


@pytest.mark.parametrize(
    "fields",
    [(1, 3, 1), (12, 3, 1), (5, 0, 15), (5, 53, 15), (5.5, 2, 15), (5, 2, float("nan")), (True, 2, 1)],
)
def test_fields_that_make_no_format(fields):
    with pytest.raises(ValueError, match="must be an integer from"):
        mw.FloatFormat("mine", *fields)


def test_formats_whose_values_float64_cannot_hold():
    with pytest.raises(ValueError, match="choose a bias of at least -769"):
        mw.FloatFormat("mine", 8, 52, -770)
    assert mw.FloatFormat("mine", 8, 52, -769).emax == 1023


def test_specials_have_no_rational_value():
    with pytest.raises(ValueError, match="0x7C00 is infinity in float16: it has no rational value"):
        half.exact(0x7C00)
