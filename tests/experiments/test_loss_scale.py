"""The loss scale: checks, and the state machine by hand."""

import math

import numpy as np
import pytest

from mixwidgets.runs.experiments.loss_scale import LossScale, loss_scales

DYNAMIC = {"kind": "dynamic", "init_scale": 8.0}


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"kind": "dinamic"}, "Did you mean 'dynamic'"),
        ({"kind": "static", "init_scale": 0}, "above 0"),
        ({"kind": "static", "init_scale": math.inf}, "finite"),
        ({"kind": "static", "init_scale": math.nan}, "finite"),
        ({"kind": "static", "init_scale": -8.0}, "above 0"),
        ({"kind": "static", "init_scale": 1e39}, "float32"),
        ({"kind": "static", "init_scale": "1024x"}, "'1024x' is not a number"),
        ({"kind": "static", "init_scale": True}, "bool"),
        ({"kind": "none", "init_scale": 8.0}, "kind='static'"),
        ({"kind": "dynamic", "growth_factor": 1}, "above 1"),
        ({"kind": "dynamic", "backoff_factor": 1.0}, "between 0 and 1"),
        ({"kind": "dynamic", "backoff_factor": 0.0}, "between 0 and 1"),
        ({"kind": "dynamic", "growth_interval": 0}, "from 1"),
        ({"kind": "dynamic", "growth_interval": 25.0}, "Write 25"),
        ({"initscale": 8}, "Did you mean 'init_scale'"),
        ({**DYNAMIC, "hysteresis": 0}, "from 1"),
        ({**DYNAMIC, "hysteresis": 2.0}, "Write 2"),
        ({**DYNAMIC, "growth_delay": -1}, "from 0"),
        ({**DYNAMIC, "min_scale": -1.0}, "from 0"),
        ({**DYNAMIC, "min_scale": None}, "NoneType"),
        ({**DYNAMIC, "min_scale": math.nan}, "finite"),
        ({**DYNAMIC, "min_scale": 16.0}, "at most init_scale, but 16 > 8"),
        ({**DYNAMIC, "max_scale": 4.0}, "at least init_scale, but 4 < 8"),
        ({**DYNAMIC, "max_scale": math.inf}, "None for no cap"),
        ({**DYNAMIC, "max_scale": "2**a"}, "is not a number"),
        ({**DYNAMIC, "at_min_scale": "stopp"}, "Did you mean 'stop'"),
        ({"kind": "static", "hysteresis": 2}, "kind is 'static'.*kind='dynamic'"),
        ({"kind": "static", "growth_delay": 1}, "omit growth_delay"),
        ({"kind": "static", "min_scale": 1.0}, "omit min_scale"),
        ({"kind": "static", "max_scale": 2.0}, "omit max_scale"),
        ({"at_min_scale": "stop"}, "kind is 'none'.*omit at_min_scale"),
    ],
)
def test_bad_loss_scales_teach(fields, message):
    with pytest.raises((TypeError, ValueError), match=message):
        LossScale(**fields)


def scales(rule, *found_inf):
    state, seen = rule.start(), []
    for bad in found_inf:
        seen.append(state.scale)
        state = rule.after(state, bad)
    return [*seen, state.scale]


def test_a_dynamic_scale_backs_off_at_once_and_grows_after_the_interval():
    rule = LossScale(kind="dynamic", init_scale=16, growth_interval=2)
    assert scales(rule, True, False, False, False, True, False) == [16, 8, 8, 16, 16, 8, 8]
    assert rule.skips(True)
    assert not rule.skips(False)


def test_a_dynamic_scale_never_leaves_float32():
    grows = LossScale(kind="dynamic", init_scale=2.0**127, growth_interval=1)
    assert scales(grows, False, False) == [2.0**127] * 3
    falls = loss_scales["torch"]
    assert scales(falls, *[True] * 165)[-1] == 2.0**-149
    assert scales(falls, *[True] * 166)[-1] == 0.0


def test_a_floor_and_a_cap_that_float32_rounds_hold():
    rule = LossScale(
        **{**DYNAMIC, "init_scale": 0.1}, min_scale=0.1, max_scale=0.1, growth_interval=1, at_min_scale="stop"
    )
    tenth = float(np.float32(0.1))
    assert tenth > 0.1
    assert scales(rule, True, False) == [tenth] * 3
    assert rule.gives_up(rule.start(), True)


def test_static_skips_and_stays_and_none_never_skips():
    static, none = LossScale(kind="static", init_scale=8), LossScale()
    assert scales(static, True, False, True) == [8] * 4
    assert static.skips(True)
    assert scales(none, True, True) == [1] * 3
    assert not none.skips(True)
    assert not any(rule.gives_up(rule.start(), True) for rule in (static, none))
