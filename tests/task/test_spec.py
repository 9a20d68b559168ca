"""The tasks' descriptions and the options that they take."""

import dataclasses
import math
import re

import pytest

from mixwidgets.runs.task.catalogue import tasks
from mixwidgets.runs.task.spec import TaskOption


@pytest.mark.parametrize("name", tasks)
def test_the_defaults_are_within_the_options(name):
    options = {option.name: option for option in tasks[name].options}
    assert {"loss_weight", "size"} <= set(options)
    for option in options.values():
        assert option.check(option.default) == option.default
        assert option.explanation


WHOLE = TaskOption(name="size", default=1, low=1, high=64, whole=True, explanation="")
REAL = TaskOption(name="gain", default=1.0, low=0.25, high=4.0, explanation="")
ABOVE_ZERO = next(option for option in tasks["digits_cnn"].options if option.name == "loss_weight")


@pytest.mark.parametrize(
    ("option", "value", "error", "says"),
    [
        (WHOLE, 65, ValueError, "size takes a whole number from 1 to 64; got 65"),
        (WHOLE, 2.0, TypeError, "Write 2"),
        (REAL, 5, ValueError, "gain takes a number from 0.25 to 4; got 5"),
        (
            REAL,
            "1,5",
            ValueError,
            "gain takes a number from 0.25 to 4; '1,5' is not a number: write it with a",
        ),
        (WHOLE, "3/2", ValueError, "size takes a whole number from 1 to 64; got '3/2'"),
        (WHOLE, "0x10", ValueError, "a bit pattern"),
        (ABOVE_ZERO, "1e999", ValueError, "above 0; got '1e999'"),
        (ABOVE_ZERO, 0, ValueError, "loss_weight takes a number above 0; got 0"),
        (ABOVE_ZERO, math.inf, ValueError, "above 0; got inf"),
    ],
)
def test_a_wrong_option_says_what_is_accepted(option, value, error, says):
    with pytest.raises(error, match=re.escape(says)):
        option.check(value)


def test_an_option_keeps_its_value():
    assert (WHOLE.check(64), type(WHOLE.check(64))) == (64, int)
    assert (REAL.check(4), type(REAL.check(4))) == (4.0, float)
    assert ABOVE_ZERO.check(5e-324) == 5e-324


def test_a_text_is_the_number_that_widgets_print():
    assert (WHOLE.check("2^5"), type(WHOLE.check("2^5"))) == (32, int)
    assert (REAL.check("1/3"), type(REAL.check("2"))) == (1 / 3, float)
    assert ABOVE_ZERO.check("2⁻²⁴") == 2**-24


def test_a_spec_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        WHOLE.high = 100
