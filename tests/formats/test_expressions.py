"""Arithmetic in a text is worked out exactly, however it is written, and stays within its bounds."""

import re
import tracemalloc
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mixwidgets as mw
from mixwidgets.support.parse import split_unit, to_exact, to_number
from tests.vectors.expressions import expression


@given(st.data())
def test_an_expression_has_the_value_of_its_tree(data):
    text, value = expression(lambda count: data.draw(st.integers(0, count - 1)))
    assert to_exact(text).value == value


@given(st.text("0123456789.,+-−–*×·xX^/(){}e p=_⁻²³²inaf%', ", max_size=40))
def test_any_text_is_read_or_refused_with_a_sentence(text):
    said = ""
    try:
        to_exact(text)
    except ValueError as error:
        said = str(error)
    assert not said or re.search("is not a number: |divides by zero|is beyond|more than", said)


@pytest.mark.parametrize(
    "text",
    [
        *("(" * 10_000, "+".join("1" * 5000), "2^" * 4999 + "2", "-" * 10_000, "1,000" * 2000, "1_" * 5000),
        *("9^9^9^9", "2^(2^(2^20))", "(9^5000)^5000", "*".join(["9^5000"] * 60), "/".join(["7^5000"] * 60)),
    ],
)
def test_no_text_takes_much(text):
    tracemalloc.start()
    with pytest.raises(ValueError, match=r"is not a number|more than (64|65,536) |beyond ±5000"):
        to_exact(text)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5_000_000  # bytes; (9^5000)^5000 alone would have 9,900,000


def test_the_bounds_are_sharp():
    assert to_exact("+".join("1" * 64)).value == 64
    assert to_exact("(" * 63 + "1" + ")" * 63).value == 1
    assert to_exact("(2^4369)^15/2").value == Fraction(2) ** 65534  # 2^65535 has 65,536 bits
    with pytest.raises(ValueError, match="more than 65,536 bits"):
        to_exact("(2^4096)^16")


def test_every_way_in_reads_arithmetic():
    assert mw.get_format("float16").encode("(2-2^-10)*2^15") == 0x7BFF
    assert mw.get_format("float16").explain("2^16-32").error == 0
    assert str(mw.get_format("float16").explain("65,505")).startswith("65505 is not a float16")
    assert mw.BitEditor("2^11+1").value == 2048
    assert mw.BitEditor("65,504")._input == "65504"  # as the page shows it
    assert mw.Experiment(task="digits_mlp", learning_rate="1/2^10", steps="1,000").learning_rate == 2**-10
    assert to_number("10 x 10") == 100


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("6 bytes", ("6", "bytes")),
        ("0.1%", ("0.1", "%")),
        ("2^-3 ulp", ("2^-3", "ulp")),
        ("30个", ("30", "个")),
        ("2.1×", ("2.1", "×")),
        ("６　bytes", ("6", "bytes")),
        ("0x1B", ("0x1B", "")),
        ("12", ("12", "")),
        ("bytes", ("bytes", "")),
    ],
)
def test_a_unit_is_split_from_its_number(text, parts):
    assert split_unit(text) == parts
