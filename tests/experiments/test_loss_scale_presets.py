"""Each preset of the loss scale beside its library: traces by hand, its rule over random steps.

The libraries' versions and files are those that the presets cite. Torch's preset stands beside the real
scaler in tests/training/test_scaler.py.
"""

import dataclasses
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixwidgets.runs.experiments.loss_scale import LossScale, loss_scales


def test_the_presets_cannot_be_changed_and_come_back_from_json():
    assert list(loss_scales) == ["torch", "apex", "deepspeed", "megatron", "fairseq", "flax", "keras"]
    with pytest.raises(TypeError):
        loss_scales["torch"] = LossScale()
    for rule in loss_scales.values():
        text = json.dumps(dataclasses.asdict(rule), allow_nan=False)
        assert LossScale.from_dict(json.loads(text)) == rule
    with pytest.raises(ValueError, match="omit hysteresis"):
        loss_scales["megatron"].replace(kind="static")


GOOD, BAD = False, True

# Each line: so many steps, of which kind, and the scale after them, worked out from the library's source.
TRACES = {
    "apex": [
        (1, BAD, 2.0**15),  # halved at once
        (1999, GOOD, 2.0**15),  # _unskipped is 1999
        (1, GOOD, 2.0**16),  # 2000 = _scale_seq_len: doubled, _unskipped is 0 again
        (1999, GOOD, 2.0**16),
        (1, BAD, 2.0**15),  # a bad step forgets the 1999
        (1999, GOOD, 2.0**15),
        (1 + 8 * 2000, GOOD, 2.0**24),
        (2000, GOOD, 2.0**24),  # min(_max_loss_scale, …)
        (1, BAD, 2.0**23),
        (24, BAD, 0.5),  # _min_loss_scale is None: no floor at 1
    ],
    "deepspeed": [
        (1, BAD, 2.0**16),  # cur_hysteresis 2 → 1, cur_scale stays
        (1, BAD, 2.0**15),  # cur_hysteresis is 1: halved, and left at 1
        (1, BAD, 2.0**14),
        (999, GOOD, 2.0**14),
        (1, BAD, 2.0**13),  # good steps without growth do not refill it
        (1000, GOOD, 2.0**13),  # stable_interval is 0 at the first good step, 999 at the thousandth
        (1, GOOD, 2.0**14),  # 1000: doubled, and refilled
        (999, GOOD, 2.0**14),
        (1, GOOD, 2.0**15),  # 2000: only the first interval after an overflow is one longer
        (1, BAD, 2.0**15),  # refilled: the first bad step is forgiven again
        (1000, GOOD, 2.0**15),  # stable_interval is 999
        (15, BAD, 1.0),  # 14 halvings reach 2, one more min_scale
    ],
    "megatron": [
        (1, BAD, 2.0**32),  # _hysteresis_tracker 2 → 1
        (1, BAD, 2.0**31),  # 0: lowered
        (1, BAD, 2.0**30),  # −1: lowered again
        (999, GOOD, 2.0**30),
        (1, BAD, 2.0**29),  # _growth_tracker back to 0, _hysteresis_tracker −2: good steps did not reset it
        (999, GOOD, 2.0**29),
        (1, GOOD, 2.0**30),  # growth resets _hysteresis_tracker to 2
        (500, GOOD, 2.0**30),
        (1, BAD, 2.0**30),  # forgiven, but _growth_tracker is 0 again
        (999, GOOD, 2.0**30),
        (1, BAD, 2.0**29),
        (29, BAD, 1.0),
        (5, BAD, 1.0),  # max(…, min_scale), and no error
        (1000, GOOD, 2.0),
    ],
    "fairseq": [
        (2**14 - 1, GOOD, 2.0**7),  # _iter − _last_overflow_iter starts at 0 − (−1) = 1
        (1, GOOD, 2.0**8),  # its 2^14 is 0 modulo scale_window
        (1, BAD, 2.0**7),
        (2**14 - 1, GOOD, 2.0**7),
        (1, GOOD, 2.0**8),  # no step longer after an overflow
        (21, BAD, 2.0**-13),  # 1.2e-4, still above min_loss_scale = 1e-4
    ],
    "flax": [
        (2000, GOOD, 2.0**16),  # fin_steps reaches growth_interval only after the 2000th step's comparison
        (1, GOOD, 2.0**17),  # now they are equal; fin_steps is 0 again
        (2000, GOOD, 2.0**17),
        (1, BAD, 2.0**16),  # equal, but not finite: lowered, fin_steps is 0
        (2000, GOOD, 2.0**16),
        (1, GOOD, 2.0**17),
        (143, BAD, 2.0**-126),  # 17 + 126 halvings
        (3, BAD, 2.0**-126),  # max(…, minimum_scale = finfo(float32).tiny)
    ],
    "keras": [
        (1999, GOOD, 2.0**15),  # step_counter is 1999 = dynamic_growth_steps − 1 before the 2000th
        (1, GOOD, 2.0**16),
        (1999, GOOD, 2.0**16),
        (1, BAD, 2.0**15),
        (1999, GOOD, 2.0**15),
        (1, GOOD, 2.0**16),
        (165, BAD, 2.0**-149),
        (1, BAD, 0.0),  # a float32 variable without a floor
    ],
}  # fmt: skip


def follow(rule, trace):
    """The state after the trace, whose every line must hold; the run must not end on the way."""
    state = rule.start()
    for count, bad, expected in trace:
        for _ in range(count):
            assert not rule.gives_up(state, bad)
            state = rule.after(state, bad)
        assert state.scale == expected, (count, bad)
    return state


@pytest.mark.parametrize("name", TRACES)
def test_a_preset_follows_the_trace_worked_out_from_its_librarys_source(name):
    follow(loss_scales[name], TRACES[name])


@pytest.mark.parametrize("name", ["deepspeed", "megatron"])
def test_hysteresis_forgives_what_torchs_scaler_does_not(name):
    rule = loss_scales[name]
    torchs = loss_scales["torch"].replace(init_scale=rule.init_scale)
    assert list(ours(rule, [BAD, GOOD, BAD])) == [rule.init_scale] * 2 + [rule.init_scale / 2]
    assert list(ours(torchs, [BAD, GOOD, BAD])) == [rule.init_scale / 2] * 2 + [rule.init_scale / 4]


@pytest.mark.parametrize("name", ["deepspeed", "fairseq"])
def test_a_bad_step_at_the_floor_ends_the_run_where_the_library_raises(name):
    rule = loss_scales[name]
    state = follow(rule, TRACES[name])  # ends at the floor
    assert not rule.gives_up(state, GOOD)
    assert rule.gives_up(state, BAD)
    assert rule.skips(BAD)
    assert (
        rule.after(state, BAD).scale == state.scale
    )  # fairseq restores prev_scale, DeepSpeed changes nothing
    assert not rule.replace(at_min_scale="stay").gives_up(state, BAD)


def test_at_the_floor_hysteresis_is_spent_before_the_run_ends():
    rule = loss_scales["deepspeed"].replace(init_scale=1.0)
    assert not rule.gives_up(rule.start(), BAD)  # cur_hysteresis is 2: no look at min_scale
    assert rule.gives_up(rule.after(rule.start(), BAD), BAD)


def test_flax_grows_up_to_the_largest_float32_and_apex_holds_a_floor_if_given():
    flax = loss_scales["flax"].replace(init_scale=2.0**127)
    largest = float(np.finfo(np.float32).max)
    follow(flax, [(2000, GOOD, 2.0**127), (1, GOOD, largest), (1, BAD, largest / 2)])
    apex = loss_scales["apex"].replace(min_scale=2.0**14)
    follow(apex, [(2, BAD, 2.0**14), (9, BAD, 2.0**14), (2000, GOOD, 2.0**15)])


# The libraries' rules in a few lines each, with the counters that they keep. They yield the scale after each
# step and end where the library raises.


def apex(steps, scale, window):
    unskipped = 0
    for bad in steps:
        scale = scale / 2 if bad else scale
        unskipped = 0 if bad else unskipped + 1
        if unskipped == window:
            scale, unskipped = min(2.0**24, scale * 2), 0
        yield scale


def deepspeed(steps, scale, window):
    last_overflow, hysteresis = -1, 2
    for i, bad in enumerate(steps):
        if bad and hysteresis == 1 and scale == 1.0:
            return
        if bad and hysteresis == 1:
            scale = max(scale / 2, 1.0)
        elif bad:
            hysteresis -= 1
        elif (stable := i - last_overflow - 1) > 0 and stable % window == 0:
            scale, hysteresis = scale * 2, 2
        last_overflow = i if bad else last_overflow
        yield scale


def megatron(steps, scale, window):
    scale, good, tracker = np.float32(scale), 0, 2
    for bad in steps:
        good = 0 if bad else good + 1
        tracker -= bad
        if bad and tracker <= 0:
            scale = np.maximum(scale * np.float32(0.5), np.float32(1))
        if good == window:
            scale, good, tracker = scale * np.float32(2), 0, 2
        yield float(scale)


def fairseq(steps, scale, window):
    last_overflow = -1
    for i, bad in enumerate(steps):
        if bad and scale / 2 <= 1e-4:
            return
        if bad:
            scale, last_overflow = scale / 2, i
        elif (i - last_overflow) % window == 0:
            scale *= 2
        yield scale


def flax(steps, scale, window):
    limits, scale, finite_steps = np.finfo(np.float32), np.float32(scale), 0
    for bad in steps:
        grow = finite_steps == window
        if bad:
            scale = np.maximum(scale * np.float32(0.5), limits.tiny)
        elif grow:
            with np.errstate(over="ignore"):
                scale = np.minimum(scale * np.float32(2), limits.max)
        finite_steps = 0 if grow or bad else finite_steps + 1
        yield float(scale)


def keras(steps, scale, window):
    scale, counter = np.float32(scale), 0
    for bad in steps:
        grow = not bad and counter == window - 1
        counter = 0 if bad or grow else counter + 1
        scale = scale * np.float32(0.5 if bad else 2 if grow else 1)
        yield float(scale)


def ours(rule, steps):
    state = rule.start()
    for bad in steps:
        if rule.gives_up(state, bad):
            return
        state = rule.after(state, bad)
        yield state.scale


# Runs of equal steps, so that growth, hysteresis, floors and caps all come up.
STEPS = st.lists(st.tuples(st.integers(1, 3) | st.integers(1, 12), st.booleans()), max_size=12).map(
    lambda runs: [bad for count, bad in runs for _ in range(count)]
)


@pytest.mark.parametrize(
    ("library", "exponents"),
    [
        (apex, (-20, 24)),
        (deepspeed, (0, 24)),
        (megatron, (0, 40)),
        (fairseq, (-13, 24)),
        (flax, (-126, 127)),
        (keras, (-149, 40)),
    ],
)
@settings(max_examples=300)
@given(data=st.data(), steps=STEPS, window=st.integers(1, 5))
def test_a_preset_steps_as_its_library_over_random_steps(library, exponents, data, steps, window):
    scale = 2.0 ** data.draw(st.integers(*exponents))
    interval = window + 1 if library is flax else window
    rule = loss_scales[library.__name__].replace(init_scale=scale, growth_interval=interval)
    assert list(ours(rule, steps)) == list(library(steps, scale, window))


@given(steps=STEPS, window=st.integers(1, 5))
def test_without_its_delay_deepspeeds_scale_moves_as_megatrons(steps, window):
    changes = {"init_scale": 2.0**5, "growth_interval": window}
    deepspeeds = loss_scales["deepspeed"].replace(growth_delay=0, at_min_scale="stay", **changes)
    assert list(ours(deepspeeds, steps)) == list(megatron(steps, 2.0**5, window))
