"""The playground's engine in Node beside the NumPy reference: equal to the bit, for any settings."""

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import mixwidgets as mw
from mixwidgets.runs.experiments.loss_scale import LossScale
from tests.playground import reference, stage
from tests.playground.engine import ROOT, Engine, request
from tests.playground.reference import Settings, Trainer
from tests.vectors import make_playground

FORMATS = [fmt for fmt in mw.list_formats() if fmt.signed and fmt.has_zero and fmt.bits <= 32]


@pytest.fixture(scope="module")
def engine():
    with Engine() as engine:
        yield engine


@st.composite
def custom_formats(draw):
    exponent_bits, fraction_bits = draw(st.integers(1, 7)), draw(st.integers(0, 12))
    kind = draw(
        st.sampled_from([("none", "none"), ("top", "top"), ("none", "top"), ("none", "negative_zero")])
    )
    if exponent_bits > 1 and fraction_bits:
        kind = draw(st.sampled_from([("ieee", "ieee"), kind]))
    infinity, nan = kind
    bits = {"exponent_bits": exponent_bits, "fraction_bits": max(fraction_bits, 2 - exponent_bits)}
    return mw.FloatFormat(name="custom", **bits, infinity=infinity, nan=nan)


formats = st.sampled_from(FORMATS) | custom_formats()
loss_scales = st.sampled_from(
    [
        LossScale(),
        LossScale(kind="static", init_scale=1024.0),
        LossScale(kind="dynamic", init_scale=2.0**30, growth_interval=3, backoff_factor=0.25),
        LossScale(kind="dynamic", init_scale=3.0, growth_interval=1, growth_factor=3.0),
    ]
)
CHANGEABLE = {
    "activation": st.sampled_from(["tanh", "relu"]),
    "weight_format": formats,
    "activation_format": formats,
    "gradient_format": formats,
    "master_weights": st.booleans(),
    "accumulation": st.sampled_from(["float32", "format"]),
    "optimizer": st.sampled_from(["sgd", "momentum", "adam"]),
    "learning_rate": st.floats(2.0**-20, 8),
    "momentum": st.floats(0, 0.99),
    "eps": st.sampled_from([0.0, 1e-8, 1e-4]),
    "optimizer_format": formats,
    "weight_rounding": st.sampled_from(["nearest", "stochastic"]),
    "loss_scale": loss_scales,
    "loss_weight": st.floats(0, 1000) | st.sampled_from([2.0**-20, 1.0]),
    "batch_size": st.integers(1, 6),
}
any_settings = st.builds(
    Settings,
    task=st.sampled_from(["circle", "xor", "gaussians", "spiral"]),
    layers=st.lists(st.integers(1, 4), max_size=3).map(tuple),
    seed=st.integers(0, 2**32 - 1),
    **CHANGEABLE,
)
any_changes = st.fixed_dictionaries({}, optional=CHANGEABLE)


def compared(engine, given, steps, changes):
    """What both report of each step, and how they end."""
    answer = engine.train(request(given), steps, {at: request(change) for at, change in changes.items()})
    trainer = Trainer(given)
    theirs = [{k: v for k, v in report.items() if k != "step"} for report in answer["reports"]]
    ours = []
    for step in range(steps):
        if step in changes:
            trainer.change(**changes[step])
        ours.append(make_playground.as_json(trainer.step()))
    return theirs, ours


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(any_settings, any_changes)
def test_any_settings_and_a_change_train_as_the_reference_does(engine, given, change):
    theirs, ours = compared(engine, given, 8, {4: change})
    assert theirs == ours


def compared_looks(engine, given, steps, change):
    """What both see of the step after these, before which the settings change."""
    theirs = engine.look(request(given), steps, {steps: request(change)})
    trainer = Trainer(given)
    for _ in range(steps):
        trainer.step()
    trainer.change(**change)
    return theirs, make_playground.as_json(reference.digests(trainer.look()))


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(any_settings, any_changes)
def test_a_look_sees_what_the_reference_computes(engine, given, change):
    theirs, ours = compared_looks(engine, given, 3, change)
    assert theirs == ours


@pytest.mark.slow
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(any_settings)
def test_any_settings_train_as_the_reference_does_for_200_steps(engine, given):
    theirs, ours = compared(engine, given, 200, {})
    assert theirs == ours


ONE_OF_EACH_CLASS = [
    "float32", "tfloat32", "bfloat16", "float16",
    "float8_e5m2", "float8_e4m3fn", "float6_e3m2fn", "float4_e2m1fn",
]  # fmt: skip
WEIGHTS = {  # which are kept, and how updates of narrow ones are rounded
    "master": {"master_weights": True},
    "nearest": {"master_weights": False, "weight_rounding": "nearest"},
    "stochastic": {"master_weights": False, "weight_rounding": "stochastic"},
}


@pytest.mark.slow
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("scale", make_playground.SCALES, ids=lambda scale: scale.kind)
@pytest.mark.parametrize("optimizer", ["sgd", "momentum", "adam"])
@pytest.mark.parametrize("name", ONE_OF_EACH_CLASS)
def test_every_combination_trains_as_the_reference_does(engine, name, optimizer, scale, weights):
    fmt = mw.get_format(name)
    given = Settings(
        "circle", (3,), weight_format=fmt, activation_format=fmt, gradient_format=fmt, optimizer_format=fmt,
        optimizer=optimizer, learning_rate=0.02 if optimizer == "adam" else 0.25, eps=1e-3, loss_scale=scale,
        accumulation="format", batch_size=4, **WEIGHTS[weights],
    )  # fmt: skip
    theirs, ours = compared(engine, given, 30, {})
    assert theirs == ours
    theirs, ours = compared_looks(engine, given, 20, {})
    assert theirs == ours


def committed(name: str = "playground.json") -> dict:
    return json.loads((ROOT / "tests/vectors" / name).read_text(encoding="utf-8"))


def test_the_vectors_are_of_the_cases_that_their_maker_has():
    made = {name: json.loads(json.dumps(request(one))) for name, one in make_playground.cases().items()}
    assert {name: row["settings"] for name, row in committed().items()} == made


@pytest.mark.parametrize("name", ["float32 sgd", "float16 adam"])
def test_the_vectors_are_what_the_reference_makes(name):
    assert make_playground.rows(make_playground.cases()[name])["reports"] == committed()[name]["reports"]
    assert make_playground.looked(make_playground.cases()[name]) == committed("looks.json")[name]


def test_the_stage_s_answers_are_what_the_reference_makes():
    assert stage.facts() == committed("stage.json")


@pytest.mark.parametrize(
    ("name", "x"),
    [
        (
            "exp",
            np.concatenate([np.linspace(-104, 89, 4001), [0.0, -0.0, -109, 109, np.inf, -np.inf, np.nan]]),
        ),
        (
            "tanh",
            np.concatenate(
                [s * np.geomspace(1e-30, 30, 2000) for s in (1, -1)] + [[0.0, -0.0, np.inf, np.nan]]
            ),
        ),
        ("log", np.concatenate([np.linspace(1, 12, 4001), [2.0**0.5, np.inf, np.nan]])),
    ],
)
def test_functions_are_the_true_ones_and_the_same_in_both(engine, name, x):
    x = x.astype(np.float32).astype(np.float64)
    ours = engine.function(name, x)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(ours.view("<u8"), getattr(reference, name)(x).view("<u8"))
        # NumPy's are within a few float64 ulps of the truth; both are within 1e-11 of each other.
        np.testing.assert_allclose(ours, getattr(np, name)(x), rtol=1e-11)
    assert (np.signbit(ours) == np.signbit(x))[~np.isnan(x)].all() or name != "tanh"


@given(formats, st.lists(st.floats(width=64, allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
@settings(deadline=None)
def test_any_number_is_rounded_once_from_float64(engine, fmt, x):
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(engine.round(fmt, x), fmt.round(np.array(x)))


@given(
    formats,
    st.floats(width=32, allow_nan=False, allow_infinity=False),
    st.integers(0, 2**24 - 1),
)
@settings(deadline=None)
def test_stochastic_rounding_takes_the_neighbour_that_the_draw_says(engine, fmt, x, draw):
    """By exact arithmetic: away from zero exactly if the distance from the neighbour toward zero, in units of
    the gap, exceeds the draw."""
    low, high = (
        fmt.encode(abs(Fraction(x)), rounding=mode, overflow="saturate")
        for mode in ("toward-zero", "toward-positive")
    )
    expected = low
    if low != high:
        gap = fmt.exact(high) - fmt.exact(low)
        expected = high if (abs(Fraction(x)) - fmt.exact(low)) / gap > Fraction(draw, 2**24) else low
    elif abs(Fraction(x)) > fmt.exact(low):
        return  # beyond the largest value, what the format has there
    (rounded,) = engine.round(fmt, [x], [draw / 2**24])
    assert abs(Fraction(float(rounded))) == fmt.exact(expected)
