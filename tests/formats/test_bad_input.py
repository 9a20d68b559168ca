"""One clear error for each wrong value, code and format: what came, what is accepted, the likely fix."""

import re

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
        ("65,504", "without a comma, 65504, or with a decimal point, 65.504"),
        ("1__000", "without separators, 1000"),
        ("1/0", "divides by zero"),
        ("2^1e9", "a whole exponent"),
        ("2^" + "9" * 400, "beyond ±5000"),
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


@pytest.mark.parametrize("text", ["abc", "nan(1)", "-0x7C00", "0b102", "1/0", "1e99999"])
def test_a_hint_names_what_is_taken_there_and_nothing_else(text):
    with pytest.raises(ValueError, match=r"number|bit pattern|exponent") as of_a_value:
        half.encode(text)
    with pytest.raises(ValueError, match="learning_rate takes") as of_a_number:
        mw.Experiment(task="digits_mlp", learning_rate=text)
    assert ("inf" in str(of_a_value.value)) == (text == "abc")
    assert not re.search(r"bit pattern|\bcode|\binf\b|\bnan\b(?!\()", str(of_a_number.value))


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
        ("2^-24", 1),
        ("2⁻²⁴", 1),
        ("1/3", 0x3555),
        ("1_000", 0x63D0),
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
        ("fp8", "does not say which format is meant; write one of float8_e5m2, float8_e4m3fn, float8_e4m3"),
        ("e5m2", "does not say which format is meant; write one of float8_e5m2, float8_e5m2fnuz"),
        ("E4M3", "write one of float8_e4m3fn, float8_e4m3, float8_e4m3fnuz, float8_e4m3b11fnuz"),
        ("binary8p9se", "precision p from 1 to k − 1"),
        ("binary2p1se", "k ≥ 3 bits with a precision p from 1 to k − 1"),
        ("binary99p3ue", "has 97 exponent and 2 fraction bits; at most 16 and 52 are supported here"),
        ("binary128p113se", "in codes of up to 64 bits"),
        ("mxfp4", r"is a block format, not a float format: write get_block_format\('mxfp4'\)"),
        ("nf4", "Did you mean 'nvfp4'|is a block format"),
        ("fp6", "write one of float6_e3m2fn, float6_e2m3fn"),
        ("fp4_e4m3", "is not a known format"),
        ("ue4m3", "is not a known format"),
        ("e4m3f", "is not a known format"),
        ("e0m0", "is not a known format"),
        ("e-1m3", "is not a known format"),
        ("float15", "Did you mean 'float16'"),
        ("__proto__", "is not a known format"),
        ("", "Known formats are float64"),
    ],
)
def test_format_names(name, says):
    with pytest.raises(ValueError, match=says):
        mw.get_format(name)


@pytest.mark.parametrize("tensor", [torch.ones(2, dtype=torch.bfloat16), torch.ones(2, requires_grad=True)])
@pytest.mark.parametrize("take", [half.round, mw.get_block_format("mxfp4").quantize])
def test_a_tensor_that_numpy_does_not_take(tensor, take):
    with pytest.raises(TypeError, match=r"pass tensor\.detach\(\)\.cpu\(\)\.float\(\)\.numpy\(\)"):
        take(tensor)


@pytest.mark.parametrize("name", [True, None, 16, bool, np.bool_, 1.5, ["float16"]])
def test_formats_of_other_types(name):
    with pytest.raises((TypeError, ValueError), match=r"a format is a name|is not a known format"):
        mw.get_format(name)


@pytest.mark.parametrize(
    "name", ["float16", "half", " FP16 ", np.float16, np.dtype("float16"), torch.float16, half]
)
def test_names_of_float16(name):
    assert mw.get_format(name) is half


@pytest.mark.parametrize(
    ("short", "name"),
    {
        "fp4": "float4_e2m1fn",
        "FP4": "float4_e2m1fn",
        "e2m1": "float4_e2m1fn",
        "fp4_e2m1": "float4_e2m1fn",
        "e8m0": "float8_e8m0fnu",
        "ue8m0": "float8_e8m0fnu",
        "e4m3fn": "float8_e4m3fn",
        "fp8e4m3fn": "float8_e4m3fn",
        "e4m3b11fnuz": "float8_e4m3b11fnuz",
        "fp19": "tfloat32",
        "e8m7": "bfloat16",
        "fp8_e4m3": "float8_e4m3",
    }.items(),
)
def test_a_width_or_fields_that_one_format_has(short, name):
    assert mw.get_format(short).name == name


def test_dtypes_of_other_libraries():
    assert mw.get_format(ml_dtypes.bfloat16) == mw.get_format(torch.bfloat16) == mw.get_format("bf16")
    assert mw.get_format(torch.float8_e5m2) == mw.get_format(ml_dtypes.float8_e5m2)
    assert mw.get_format(float) == mw.get_format("float64")


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"exponent_bits": 0}, "exponent_bits must be an integer from 1 to 11"),
        ({"exponent_bits": 12}, "exponent_bits must be an integer from 1 to 11"),
        ({"exponent_bits": 5.5}, "exponent_bits must be an integer"),
        ({"exponent_bits": True}, "exponent_bits must be an integer"),
        ({"fraction_bits": -1}, "fraction_bits must be an integer from 0 to 52"),
        ({"fraction_bits": 64}, "fraction_bits must be an integer from 0 to 52"),
        ({"bias": float("nan")}, "bias must be an integer"),
        ({"bias": 10**6}, "bias must be an integer"),
        ({"infinity": "maybe"}, "infinity must be one of ieee, top, none"),
        ({"nan": None}, "nan must be one of"),
        ({"signed": 1}, "signed must be True or False"),
        ({"subnormals": "some"}, "subnormals must be one of gradual, flushed, none, not 'some'"),
        ({"overflows_to_nan": None}, "overflows_to_nan must be True or False, not None"),
        (
            {"infinity": "none", "nan": "none", "has_zero": False, "subnormals": "none"},
            "no subnormals either: leave out `subnormals`",
        ),
        ({"infinity": "none", "nan": "negative_zero", "subnormals": "flushed"}, "several codes for −0"),
        (
            {
                "infinity": "top",
                "nan": "top",
                "exponent_bits": 1,
                "fraction_bits": 1,
                "subnormals": "flushed",
            },
            "few codes are left",
        ),
        ({"infinity": "none"}, "choose both or neither"),
        ({"exponent_bits": 1}, "at least 2 exponent bits"),
        ({"fraction_bits": 0}, "at least 2 exponent bits and 1 fraction bit"),
        ({"infinity": "none", "nan": "negative_zero", "signed": False}, "needs a sign bit and a zero"),
        ({"exponent_bits": 1, "fraction_bits": 0, "infinity": "none", "nan": "top"}, "few codes are left"),
    ],
)
def test_fields_that_make_no_format(fields, says):
    with pytest.raises(ValueError, match=says):
        mw.FloatFormat(**{"name": "mine", "exponent_bits": 5, "fraction_bits": 2, "bias": 15, **fields})


def test_values_that_float64_cannot_hold_name_exact():
    wide = mw.FloatFormat("wide", 11, 3, bias=-1000)
    assert wide.exact(wide.max_code) > 2**2000
    for ask in (lambda: wide.decode(wide.max_code), lambda: wide.decode([wide.max_code]), lambda: wide.max):
        with pytest.raises(OverflowError, match=r"does not fit float64; use .exact\(code\)"):
            ask()
    with pytest.raises(OverflowError, match="does not fit float64"):
        wide.round("0x1p1500")


def test_specials_have_no_rational_value():
    with pytest.raises(ValueError, match="0x7C00 is infinity in float16: it has no rational value"):
        half.exact(0x7C00)
