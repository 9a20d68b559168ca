"""The site's own tasks: their answers from NumPy, ml_dtypes and the recorded run, and their mistakes."""

import math

import ml_dtypes
import numpy as np
import pytest

from mixwidgets.floats.formats.block_catalogue import get_block_format
from mixwidgets.teaching.exercises.questions import questions, read_question
from mixwidgets.teaching.exercises.rules import accepts
from mixwidgets.teaching.site.catalogue import MAKERS, widget_pages

PAGES = {page.id: page for page in widget_pages()}
OWN = {
    task["id"]: (page.id, read_question(task))
    for page in PAGES.values()
    for task in page.tasks
    if not isinstance(task, str)
}


def flips(code):
    """Every float16 that one flipped bit makes of a code."""
    return [np.uint16(code ^ (1 << bit)).view(np.float16) for bit in range(16)]


def largest(dtype):
    """By looking at every code."""
    values = np.arange(256, dtype=np.uint8).view(dtype).astype(np.float64)
    return np.nanmax(values[np.isfinite(values)])


def first_missing(dtype):
    return next(n for n in range(1, 10_000) if float(np.float64(n).astype(dtype)) != n)


def exponent_bits_for(value):
    """The fewest whose largest number, with the usual bias, reaches a value; 16 bits in all."""
    largest_of = {bits: (2 - 2.0 ** (bits - 15)) * 2.0 ** (2 ** (bits - 1) - 1) for bits in range(1, 11)}
    return next(bits for bits, largest in largest_of.items() if largest >= value)


def flushed_percent():
    explorer = MAKERS["loss_scale_explorer"]()
    counts = explorer.counts()
    explorer.close()
    finite = counts.flushed + counts.subnormal + counts.normal + counts.overflow
    assert (counts.zero, counts.normal, counts.overflow) == (0, 0, 0)  # as the explanation says
    return 100 * counts.flushed / finite


def scales_of_one():
    with np.errstate(over="ignore"):
        return [2.0**log2 for log2 in range(-24, 41) if np.isfinite(np.float16(2.0**log2))]


def moving_updates():
    """Powers of two that move a bfloat16 weight of 1."""
    bfloat16 = ml_dtypes.bfloat16
    return [2.0**log2 for log2 in range(-24, 1) if np.float64(1 + 2.0**log2).astype(bfloat16) != bfloat16(1)]


RIGHT = {
    "weights-of-the-digits-mlp": lambda: (64 + 1) * 32 + (32 + 1) * 10,
    "largest-scale-of-one": lambda: max(scales_of_one()),
    "update-of-one-in-bfloat16": lambda: min(moving_updates()),
    "one-flip-from-one": lambda: max(flips(0x3C00)),
    "make-a-subnormal": lambda: float(np.finfo(np.float16).tiny) / 2,
    "gap-at-1000": lambda: float(np.spacing(np.float16(1000))),
    "largest-ieee-e4m3": lambda: largest(ml_dtypes.float8_e4m3),
    "exponent-bits-for-1e38": lambda: exponent_bits_for(1e38),
    "first-missing-e5m2": lambda: first_missing(ml_dtypes.float8_e5m2),
    "bits-per-element-mxfp4": lambda: (32 * 4 + 8) / 32,
    "largest-element-mxfp4": lambda: float(ml_dtypes.finfo(ml_dtypes.float4_e2m1fn).max),
    "percent-flushed": flushed_percent,
}


@pytest.mark.parametrize("id", RIGHT)
def test_the_right_answer_is_the_independent_one_and_others_are_wrong(id):
    _, question = OWN[id]
    answer = float(RIGHT[id]())
    assert question.is_right(repr(answer))
    others = {answer * 1.05, answer / 2, -answer, 12345.5, math.nan}
    for wrong in {2.0**-14, 1e-9, 0.0, math.inf} if id == "make-a-subnormal" else others - {answer}:
        assert not question.is_right(repr(wrong)), wrong


def options_of(id):
    return [option["answer"] for option in OWN[id][1].options]


def test_choices_have_the_right_option():
    # 58000 lies between the largest, 57344, and infinity: upwards there is nothing else
    assert ml_dtypes.finfo(ml_dtypes.float8_e5m2).max == 57344
    assert options_of("up-from-58000") == ["57344", "65536", "inf"]
    assert OWN["up-from-58000"][1].is_right("inf")

    explorer = MAKERS["loss_scale_explorer"]()
    flushed = {}
    for name in options_of("needs-no-loss-scale"):
        explorer.format = name
        flushed[name] = explorer.counts().flushed / 737
    explorer.close()
    right = [name for name in flushed if OWN["needs-no-loss-scale"][1].is_right(name)]
    assert right == [name for name, share in flushed.items() if share == 0]
    assert 1 / 3 < flushed["float16"] < 1  # "more than a third"
    assert flushed["float8_e5m2"] == 1  # "all of them"


def test_an_outlier_of_100_makes_all_others_zero():
    presets = {preset.text["en"]: preset.arguments for preset in PAGES["block_lab"].presets}
    values = np.float32(presets["one outlier: 100"]["values"])
    others = np.delete(values, values.argmax())
    assert values.max() == 100
    # by hand: the scale is 2^(floor(log2 100) - 2) = 16, and half of the smallest element, 0.5 × 16, is 4
    assert 2.0 ** (math.floor(math.log2(100)) - 2) == 16
    assert np.abs(others).max() < 2.5 < 0.5 * 16 / 2
    stored = get_block_format("mxfp4").quantize(values).dequantized
    assert not np.delete(stored, values.argmax()).any()
    assert OWN["outlier-of-100"][1].is_right("zero")


def test_every_own_task_is_tried_here():
    tried = {*RIGHT, "up-from-58000", "needs-no-loss-scale", "outlier-of-100"}
    assert tried == OWN.keys()
    assert not OWN.keys() & questions().keys()
    assert all(question.lesson == page for page, question in OWN.values())


@pytest.mark.parametrize("id", [id for id, (_, question) in OWN.items() if question.mistakes])
def test_every_mistake_is_wrong_and_the_first_that_speaks_of_its_answer(id):
    question = OWN[id][1]
    for mistake in question.mistakes:
        rule = mistake["if"]
        of_class = {"normal": "1", "zero": "1e-9"}.get(rule.get("class"))
        answer = rule.get("value") or of_class or rule["between"][0]
        assert not question.is_right(answer)
        assert question.feedback_on(answer) is mistake["says"]
        assert accepts(rule, question._number(answer))
