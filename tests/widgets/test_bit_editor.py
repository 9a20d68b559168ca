"""BitEditor without a page: its traits, its messages, and what it takes from a page."""

import json
import math
import re
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import ipywidgets
import ml_dtypes
import numpy as np
import pytest
import torch
import traitlets
from hypothesis import given
from hypothesis import strategies as st
from torch.testing._internal.two_tensor import TwoTensor

import mixwidgets as mw
from mixwidgets.floats.widgets.frame import read_frame

NAMES = [fmt.name for fmt in mw.list_formats()]
VECTORS = json.loads((Path(__file__).parents[1] / "vectors/rounding.json").read_text(encoding="utf-8"))


@pytest.fixture
def sent(monkeypatch):
    """The states that widgets send, one dictionary a message."""
    states = []

    def send(self, msg, buffers=None):
        if msg["method"] == "update":
            states.append({**msg["state"], **{name: b"" for (name,) in msg["buffer_paths"]}})

    monkeypatch.setattr(ipywidgets.Widget, "_send", send)
    return states


def state(editor):
    return editor.format, editor.code, editor._state_value("_input")


# From Python


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({}, "BitEditor(0.0999755859375, format='float16', code='0x2E66')"),
        ({"value": 65504}, "BitEditor(65504, format='float16', code='0x7BFF')"),
        ({"value": 65520}, "BitEditor(inf, format='float16', code='0x7C00')"),
        ({"value": -0.0}, "BitEditor(-0.0, format='float16', code='0x8000')"),
        ({"value": "0.1"}, "BitEditor(0.0999755859375, format='float16', code='0x2E66')"),
        ({"value": "nan", "format": "half"}, "BitEditor(nan, format='float16', code='0x7E00')"),
        ({"code": "7bff"}, "BitEditor(65504, format='float16', code='0x7BFF')"),
        (
            {"code": 0x3FC0, "format": ml_dtypes.bfloat16},
            "BitEditor(1.5, format='bfloat16', code='0x3FC0')",
        ),
        ({"value": 1e300, "format": float}, "BitEditor(1e+300, format='float64', code='0x7E37E43C8800759C')"),
        ({"value": 65505, "code": 0x7BFF}, "BitEditor(65504, format='float16', code='0x7BFF')"),
    ],
)
def test_repr(arguments, text):
    assert repr(mw.BitEditor(**arguments)) == text


@pytest.mark.parametrize(
    ("editor", "told"),
    [
        (
            mw.BitEditor("65505"),
            "65505 is rounded to 65504 (ties-to-even)\nsign 0, exponent 11110, fraction 1111111111",
        ),
        (
            mw.NumberLine("0.1", "bf16", rounding="toward-positive"),
            "0.1 is rounded to 0.10009765625 (toward-positive)\nsign 0, exponent",
        ),
        (mw.BitEditor(-1.5, "float4_e2m1fn"), "code='0xB')\nsign 1, exponent 01, fraction 1"),
        (mw.BitEditor(code=0x7F, format="float8_e8m0fnu"), "code='0x7F')\nexponent 01111111"),
        (mw.BitEditor("nan"), "code='0x7E00')\nsign 0, exponent 11111, fraction 1000000000"),
        (mw.BitEditor.from_tensor(np.float16([1, -2, 3])), "fraction 0000000000\nof a tensor of 3 elements"),
    ],
)
def test_where_no_widget_can_be_drawn_the_bits_are_told(editor, told):
    text = editor._repr_mimebundle_()[0]["text/plain"]
    assert text.startswith(repr(editor))
    assert told in text


@pytest.mark.parametrize("name", VECTORS)
def test_text_is_rounded_once(name):
    editor = mw.BitEditor(0, format=name)
    for row in VECTORS[name]:
        editor.value = row["text"]
        assert editor.code == row["code"]
        assert editor._input == row["text"]


@given(st.floats() | st.fractions() | st.integers() | st.decimals(allow_nan=False), st.sampled_from(NAMES))
def test_any_number_is_kept_exactly_for_every_format(value, name):
    """The input that the page gets rounds as the number itself does, also after a change of format."""
    editor, fmt = mw.BitEditor(1, format="float8_e5m2"), mw.get_format(name)
    editor.value = value
    try:
        code = fmt.to_hex(fmt.encode(value))
    except ValueError as error:
        with pytest.raises(ValueError, match=f"^{re.escape(str(error))}$"):
            editor.format = name
        assert editor.format == "float8_e5m2"
        return
    editor.format = name
    assert editor.code == code
    if isinstance(value, float) and math.isfinite(value):
        assert Fraction(Decimal(editor._input)) == Fraction(value)


def test_a_format_rounds_the_last_input_anew():
    editor = mw.BitEditor(65505)
    editor.format = "float64"
    assert (editor.value, editor.code) == (65505, "0x40EFFC2000000000")
    editor.format = np.float16
    assert state(editor) == ("float16", "0x7BFF", "65505")
    editor.code = "0x7BFE"  # bits were edited: now their value is the input
    editor.format = "float8_e5m2"
    editor.format = "float32"
    assert (editor.value, editor._input) == (65472, "65472")


def test_a_bit_pattern_is_no_number_to_round_anew():
    editor = mw.BitEditor("0x3C00")
    editor.format = "bfloat16"
    assert (editor.value, editor.code) == (1, "0x3F80")


def test_reinterpret_keeps_the_bits():
    editor = mw.BitEditor(65505)
    editor.reinterpret("bfloat16")
    assert state(editor) == ("bfloat16", "0x7BFF", "")
    editor.reinterpret("float32")
    assert editor.code == "0x00007BFF"
    editor.code = "0x3F800000"
    with pytest.raises(
        ValueError, match=r"0x3F800000 does not fit the 16 bits of float16; to round .* set \.format"
    ):
        editor.reinterpret("float16")
    assert state(editor) == ("float32", "0x3F800000", "")


def test_observers_see_the_whole_change():
    editor = mw.BitEditor(1)
    seen = []
    editor.observe(
        lambda change: seen.append((change.name, *state(editor), editor.value)), ["format", "code", "value"]
    )
    editor.format = "float32"
    after = ("float32", "0x3F800000", "1", 1.0)
    assert seen == [("format", *after), ("code", *after)]  # the value is still 1
    seen.clear()
    editor.value = 2
    assert [name for name, *_ in seen] == ["code", "value"]
    assert seen[-1][1:] == ("float32", "0x40000000", "2", 2.0)


def test_the_sign_of_zero_is_a_change_and_nan_is_none():
    editor = mw.BitEditor(0)
    seen = []
    editor.observe(lambda change: seen.append(change.new), "value")
    editor.value = "-0"
    editor.value = math.nan
    editor.code = "0x7E01"
    assert [str(value) for value in seen] == ["-0.0", "nan"]


@pytest.mark.parametrize(
    ("change", "keys"),
    [
        (lambda e: setattr(e, "value", 3), {"code", "_input"}),
        (lambda e: setattr(e, "format", "bfloat16"), {"format", "code"}),
        (lambda e: setattr(e, "code", "0x7BFF"), {"code"}),
        (lambda e: setattr(e, "code", "0x3C00"), None),
        (lambda e: e.reinterpret("bfloat16"), {"format", "_input"}),
        (lambda e: setattr(e, "format", "fp16"), None),
    ],
)
def test_one_message_a_change(sent, change, keys):
    editor = mw.BitEditor(1)
    sent.clear()
    change(editor)
    assert [set(message) for message in sent] == ([keys] if keys else [])


def test_the_first_message_has_the_number(monkeypatch):
    opened = []
    monkeypatch.setattr(
        mw.BitEditor, "open", lambda self: opened.append(self.get_state(["format", "code", "_input"]))
    )
    mw.BitEditor("0.1", format="bf16")
    assert opened == [{"format": "bfloat16", "code": "0x3DCD", "_input": "0.1"}]


# Rounding and overflow


def test_another_rounding_rounds_the_last_input_anew(sent):
    editor = mw.BitEditor(65519.5)
    sent.clear()
    editor.rounding = "toward-positive"
    assert editor.value == math.inf
    assert [set(message) for message in sent] == [{"rounding", "code"}]
    editor.overflow = "saturate"
    assert (editor.value, editor._input) == (65504, "65519.5")
    editor.rounding = "toward-zero"
    editor.format = "float8_e4m3fn"
    assert editor.value == 448
    editor.value = "1.99"
    assert editor.value == 1.875


def test_another_rounding_leaves_edited_bits():
    editor = mw.BitEditor("0.1")
    editor.code = "0x7C00"
    editor.overflow = "saturate"
    editor.rounding = "to-odd"
    assert state(editor) == ("float16", "0x7C00", "")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("rounding", ["ties-to-away", "toward-negative", "to-odd"])
@pytest.mark.parametrize("overflow", ["saturate", "torch"])
def test_an_editor_rounds_as_its_format_does(name, rounding, overflow):
    fmt = mw.get_format(name)
    editor = mw.BitEditor(1, format=name, rounding=rounding, overflow=overflow)
    for value in ("0.1", "-0.3", "1e39", "-1e400", "463.5", "464.5", "inf", "-0"):
        editor.value = value
        assert editor.code == fmt.to_hex(fmt.encode(value, rounding=rounding, overflow=overflow))
    with pytest.raises(ValueError, match="give a value or a code"):
        mw.BitEditor("1.01", code=0, format=name, rounding=rounding)


@pytest.mark.parametrize(
    ("name", "bad", "error", "words"),
    [
        ("rounding", "stochastic", ValueError, "for stochastic rounding use FloatFormat.round"),
        ("rounding", "stochastic-c", ValueError, "for stochastic rounding use FloatFormat.round"),
        ("rounding", "ties_to_even", ValueError, "Did you mean 'ties-to-even'"),
        ("overflow", "wrap", ValueError, "overflow must be one of 'native', 'saturate'"),
        ("overflow", None, TypeError, "are names, not"),
        ("rounding", True, TypeError, "are names, not"),
    ],
)
def test_bad_rounding_and_overflow(name, bad, error, words):
    editor = mw.BitEditor(65505)
    with pytest.raises(error, match=words):
        setattr(editor, name, bad)
    with pytest.raises(error, match=words):
        mw.BitEditor(65505, **{name: bad})
    assert (*state(editor), editor.rounding, editor.overflow) == (
        *("float16", "0x7BFF", "65505"),
        *("ties-to-even", "native"),
    )


def test_the_page_s_rounding_travels_with_its_number():
    editor = mw.BitEditor(1)
    editor.set_state(
        {"code": "0x3C02", "_input": "1.0011", "rounding": "toward-positive", "overflow": "saturate"}
    )
    assert (editor.code, editor.rounding, editor.overflow) == ("0x3C02", "toward-positive", "saturate")
    editor.set_state({"rounding": "toward-zero"})  # as a link sends it
    assert (editor.code, editor._input) == ("0x3C01", "1.0011")


# From the page


def test_the_page_s_state_is_taken_as_it_is(sent):
    editor = mw.BitEditor(1)
    sent.clear()
    editor.set_state({"format": "float32", "code": "0x7FC00001", "_input": ""})
    assert state(editor) == ("float32", "0x7FC00001", "")
    assert math.isnan(editor.value)
    editor.set_state({"format": "float16", "code": "0x7BFF", "_input": "65505"})
    editor.format = "float64"
    assert editor.value == 65505
    assert [set(message) for message in sent] == [{"format", "code"}]  # what came was not sent back


def test_the_page_sends_only_what_changed(sent):
    editor = mw.BitEditor(65505)
    sent.clear()
    editor.set_state({"code": "0x7BFE"})
    assert state(editor) == ("float16", "0x7BFE", "")
    assert sent == []
    editor.set_state({"_input": "65471"})
    assert editor._input == "65471"
    editor.set_state({"format": "float32"})  # as jslink sends it
    assert state(editor) == ("float32", "0x477FBF00", "65471")


@pytest.mark.parametrize(
    "hostile",
    [
        {"code": "0x10000"},
        {"code": "0x3c00"},
        {"format": "float64", "code": "0x3C00", "_input": ""},
        {"code": 0x3C00},
        {"code": "<img src=x onerror=alert(1)>"},
        {"code": ""},
        {"code": None},
        {"code": 1.5},
        {"code": True},
        {"code": "0x" + "F" * 100_000},
        {"format": "float99"},
        {"format": "__proto__", "code": "0x0000", "_input": ""},
        {"format": {"a": []}},
        {"format": None},
        {"format": "float64", "code": "0x7BFF" * 9},
        {"_input": "</script><script>alert(1)</script>"},
        {"_input": "2"},
        {"_input": ["1"]},
        {"_input": "9" * 1_000_000},
        {"code": "0x7BFF", "_input": "65520"},
        {"rounding": "stochastic"},
        {"rounding": "nearest"},
        {"rounding": None},
        {"overflow": "__proto__"},
        {"overflow": ["native"]},
        {"code": "0x3C01", "_input": "1", "rounding": "toward-positive"},
    ],
)
def test_hostile_state_is_refused_as_a_whole(sent, hostile):
    editor = mw.BitEditor(1)
    sent.clear()
    editor.set_state(hostile)
    assert (*state(editor), editor.value) == ("float16", "0x3C00", "1", 1)
    how = {"rounding": "ties-to-even", "overflow": "native"}
    assert sent == [{"format": "float16", "code": "0x3C00", "_input": "1", **how}]
    editor.set_state({"code": "0x4000"})
    assert editor.value == 2


# From a tensor

TENSORS = [
    np.array([[0.1, -0.0], [np.inf, 6e-8]], "float16"),
    np.array([[0.1, -0.0], [np.inf, 6e-8]], ">f4").T,
    np.arange(24, dtype="float64").reshape(2, 3, 4)[:, ::-1, 1::2],
    np.array([0.1, 448, np.nan], ml_dtypes.float8_e4m3fn),
    np.array([0.5, -6], ml_dtypes.float4_e2m1fn),
    np.array(2.5, "float32"),
    [1.5, 2],
    torch.tensor([[0.1, 1e-40], [3, 4]]).T,
    torch.tensor([0.1, float("nan")], dtype=torch.bfloat16, requires_grad=True),
    torch.tensor([0.1, 57344]).to(torch.float8_e5m2),
]


@pytest.mark.parametrize("tensor", TENSORS, ids=lambda tensor: str(getattr(tensor, "dtype", "list")))
def test_the_elements_of_a_tensor_are_sent_as_their_bits(tensor):
    editor = mw.BitEditor.from_tensor(tensor)
    head, arrays = read_frame(editor._elements)
    fmt = mw.get_format(head["format"])
    codes = arrays["codes"].tolist()
    if isinstance(tensor, torch.Tensor):
        expected = tensor.detach().double().reshape(-1).numpy()
    else:
        expected = np.asarray(tensor, "float64").reshape(-1)
    np.testing.assert_array_equal(fmt.decode(codes), expected)
    assert (editor.format, int(editor.code, 16), editor._input) == (fmt.name, codes[0], "")
    assert head["total"] == expected.size


def test_a_large_tensor_is_cut_and_says_so(sent):
    editor = mw.BitEditor.from_tensor(np.zeros(100_000, "float16"), limit=10, rounding="to-odd")
    head, arrays = read_frame(editor._elements)
    assert (arrays["codes"].nbytes, head["total"], editor.rounding) == (20, 100_000, "to-odd")
    whole = read_frame(mw.BitEditor.from_tensor(torch.zeros(100_000))._elements)[1]["codes"]
    assert whole.nbytes == 4 * 65_536
    before = editor._elements
    sent.clear()
    editor.set_state({"_elements": b"", "code": "0x3C00"})
    assert (editor._elements, editor.code) == (before, "0x0000")
    editor.value = 3
    assert all("_elements" not in message for message in sent)  # they travelled once


@pytest.mark.parametrize(
    ("tensor", "arguments", "error", "words"),
    [
        (np.arange(3), {}, TypeError, "got .*int64"),
        (torch.arange(3), {}, TypeError, "got .*int64"),
        (np.array(["1"]), {}, TypeError, "got"),
        (None, {}, TypeError, "got object"),
        (torch.zeros(2, dtype=torch.complex64), {}, TypeError, "got .*complex64"),
        (np.zeros((2, 0)), {}, ValueError, r"shape \(2, 0\) has no elements"),
        (torch.zeros(0), {}, ValueError, "no elements"),
        (torch.zeros(2, device="meta"), {}, ValueError, "no values; move"),
        (TwoTensor(torch.zeros(2), torch.zeros(2)), {}, TypeError, "TwoTensor is made of others"),
        (np.zeros(2), {"limit": 0}, ValueError, "1 or more"),
        (np.zeros(2), {"limit": 1.5}, ValueError, "1 or more"),
        (torch.zeros(2), {"format": "float16"}, TypeError, r"leave out format='float16'.*set editor\.format"),
        (np.zeros(2), {"code": 1}, TypeError, "leave out code=1"),
    ],
)
def test_what_is_no_tensor_of_floats(tensor, arguments, error, words):
    with pytest.raises(error, match=words):
        mw.BitEditor.from_tensor(tensor, **arguments)


SCALARS = [
    (torch.tensor([1.0, 1 + 2**-7], dtype=torch.bfloat16)[1], "bfloat16", "0x3F81"),
    (torch.tensor([-2.5], dtype=torch.float16, requires_grad=True)[0], "float16", "0xC100"),
    (torch.tensor(448.0).to(torch.float8_e4m3fn), "float8_e4m3fn", "0x7E"),
    (torch.tensor(-0.0), "float32", "0x80000000"),
    (torch.tensor(3), "float16", "0x4200"),
    (np.float16(0.1), "float16", "0x2E66"),
    (np.float64(0.1), "float64", "0x3FB999999999999A"),
    (np.array([3, np.nan], ml_dtypes.bfloat16)[1], "bfloat16", "0x7FC0"),
    (ml_dtypes.float4_e2m1fn(6), "float4_e2m1fn", "0x7"),
    (np.int8(3), "float16", "0x4200"),
    (0.1, "float16", "0x2E66"),
]


@pytest.mark.parametrize(("value", "name", "code"), SCALARS, ids=lambda value: str(value))
@pytest.mark.parametrize("widget", [mw.BitEditor, mw.NumberLine])
def test_an_element_opens_in_the_format_of_its_dtype(widget, value, name, code):
    editor = widget(value)
    assert (editor.format, editor.code) == (name, code)
    assert widget(value, "tf32").format == "tfloat32"


def test_a_format_without_a_name_of_its_own_is_refused():
    own = mw.FloatFormat(name="mine", exponent_bits=3, fraction_bits=2, bias=3)
    with pytest.raises(ValueError, match="'mine' is one of your own"):
        mw.BitEditor(1, format=own)
    assert mw.BitEditor("0.1", format="binary8p4se").format == "binary8p4se"


# With others


def test_it_composes_with_ipywidgets():
    editor, other = mw.BitEditor(1), mw.BitEditor(0, format="float32")
    traitlets.link((editor, "value"), (other, "value"))
    editor.value = 0.1
    assert other.value == editor.value == 0.0999755859375
    ipywidgets.jslink((editor, "code"), (other, "code"))
    assert ipywidgets.HBox([editor, other]).children == (editor, other)
    control = ipywidgets.interactive(lambda x: None, x=editor)
    control.update()
    assert control.kwargs == {"x": 0.0999755859375}


BAD_TEXTS = (
    "",
    "abc",
    "1,5",
    "1__000",
    "٣",
    "nan(0x7e01)",
    "0b102",
    "\u202e1",
    "<img onerror=…>",
)


@pytest.mark.parametrize(
    "bad", [*BAD_TEXTS, "9" * 10_001, "0x10000", True, 1j, b"1", [1], Fraction(10) ** 20_000]
)
def test_bad_values(bad):
    editor = mw.BitEditor(1)
    with pytest.raises((ValueError, TypeError), match=r"number|characters|exponent|code"):
        editor.value = bad
    with pytest.raises((ValueError, TypeError), match=r"number|characters|exponent|code"):
        mw.BitEditor(bad)
    assert (*state(editor), editor.value) == ("float16", "0x3C00", "1", 1)


@pytest.mark.parametrize("bad", ["e0m0", "e5.5m2", "fp8", "e4m3", "__proto__", True, None, 16, "float99"])
def test_bad_formats(bad):
    editor = mw.BitEditor(1)
    with pytest.raises((ValueError, TypeError), match="format"):
        editor.format = bad
    if bad is not None:  # which is as if left out
        with pytest.raises((ValueError, TypeError), match="format"):
            mw.BitEditor(1, format=bad)
    assert state(editor) == ("float16", "0x3C00", "1")


def test_bad_codes_and_arguments():
    editor = mw.BitEditor(1)
    with pytest.raises(ValueError, match="is not a float16 code"):
        editor.code = "0x10000"
    with pytest.raises(ValueError, match="1 is 0x3C00 in float16, not 0x0000; give a value or a code"):
        mw.BitEditor(1, code=0)
    with pytest.raises(TypeError, match=r"no parameter 'fmt'\. Did you mean 'format'"):
        mw.BitEditor(1, fmt="float16")
    assert state(editor) == ("float16", "0x3C00", "1")


def test_it_opens_on_a_number_that_is_rounded():
    assert state(mw.BitEditor()) == ("float16", "0x2E66", "0.1")
    assert state(mw.BitEditor(format="float8_e5m2"))[2] == "0.1"
    assert state(mw.NumberLine()) == ("float16", "0x2E66", "0.1")


def test_the_format_may_follow_the_value():
    assert state(mw.BitEditor(0.1, "float16")) == state(mw.BitEditor(0.1, format="float16"))
    assert state(mw.NumberLine("2^-24", "bfloat16")) == ("bfloat16", "0x3380", "2^-24")
