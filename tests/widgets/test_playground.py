"""Playground without a page: its settings, its state, its history, and the experiment of the core."""

import math
import subprocess
import sys

import numpy as np
import pytest
from traitlets import TraitError

import mixwidgets as mw
from mixwidgets.floats.widgets.frame import frame
from mixwidgets.teaching.widgets.playground.settings import DEFAULTS, STORIES
from mixwidgets.teaching.widgets.playground.widget import MOST_ROWS, STEP_SETTINGS
from mixwidgets.teaching.widgets.settings import as_text, of_text
from mixwidgets.teaching.widgets.training_step.widget import DEFAULTS as STEP_DEFAULTS


@pytest.fixture
def playground():
    widget = mw.Playground()
    yield widget
    widget.close()


def test_what_is_there_at_first(playground):
    assert {name: getattr(playground, name) for name in DEFAULTS} == dict(DEFAULTS)
    assert (playground.state, repr(playground)) == ("task=circle", "Playground()")
    assert len(playground._digits) == 65 * 1797


def test_settings_by_keyword_alias_and_dtype():
    own = mw.FloatFormat("mine", exponent_bits=4, fraction_bits=5)
    widget = mw.Playground(
        weight_format="bf16", gradient_format=np.float16, optimizer_format=own, layers=(4, 5), seed=3
    )
    assert (widget.weight_format, widget.gradient_format) == ("bfloat16", "float16")
    assert (widget.optimizer_format, widget.layers) == ("custom_e4m5", [4, 5])
    assert repr(widget) == (
        "Playground(layers=[4, 5], weight_format='bfloat16', optimizer_format='custom_e4m5', seed=3)"
    )
    with pytest.raises(TypeError, match="Did you mean 'layers'"):
        mw.Playground(layer=[3])


WRONG = [
    ("task", "cats", "one of 'circle'"),
    ("layers", [0], "from 1 to 32; got 0"),
    ("layers", [8, 8, 8, 8], "at most 3 hidden layers; got 4"),
    ("layers", [33], "from 1 to 32; got 33"),
    ("weight_format", "float64", "has 64 bits.*formats end at 32: take 'float32'"),
    ("activation_format", "float8_e8m0fnu", "a sign and a zero"),
    ("gradient_format", "fp8", "does not say which format is meant"),
    ("optimizer_format", "custom_e9m3", "all float32 values"),
    ("accumulation", "float16", "one of 'float32', 'format'"),
    ("optimizer", "lion", "one of 'sgd', 'momentum', 'adam'"),
    ("learning_rate", math.nan, "from 0 to float32's largest"),
    ("learning_rate", -1.0, "from 0 to float32's largest"),
    ("momentum", 1.0, "from 0 to below 1"),
    ("eps", math.inf, "from 0 to"),
    ("loss_weight", 1e39, "from 0 to"),
    ("loss_scale", "Dynamic", "Did you mean 'dynamic'"),
    ("log2_loss_scale", 41, "from -24 to 40"),
    ("batch_size", 65, "from 1 to 64; got 65"),
    ("batch_size", 16.0, "a whole number from 1 to 64.*Write 16"),
    ("master_weights", "yes", "master_weights takes True or False; got 'yes'"),
    ("learning_rate", "fast", "learning_rate takes a number from 0"),
    ("activation", 3, "activation 3 is not known; it is one of 'tanh', 'relu'"),
    ("seed", 2**32, "from 0 to 4294967295"),
    ("steps", 10**9, "from 1 to 100000; got 1000000000"),
    ("weight_format", None, "a format is a name such as 'float16' or a dtype, not None"),
    ("story", "no such", "story 'no such' is not known"),
]


@pytest.mark.parametrize(("name", "wrong", "says"), WRONG)
def test_what_cannot_be_trained_with_is_refused_and_what_was_there_stays(playground, name, wrong, says):
    before = playground.state
    with pytest.raises((TraitError, ValueError), match=says):
        setattr(playground, name, wrong)
    assert playground.state == before
    with pytest.raises((TraitError, ValueError), match=says):
        mw.Playground(**{name: wrong})


def test_a_format_is_assigned_as_the_constructor_takes_it(playground):
    own = mw.FloatFormat("own", exponent_bits=5, fraction_bits=7)
    for given, name in ((np.float16, "float16"), (own, "custom_e5m7")):
        playground.weight_format = given
        assert playground.weight_format == name


def test_a_number_is_assigned_as_text_too(playground):
    playground.loss_weight, playground.batch_size = "2^-24", "16"
    assert (playground.loss_weight, playground.batch_size) == (2**-24, 16)


def test_a_default_is_each_playground_s_own(playground):
    playground.layers.append(99)
    assert mw.Playground().layers == DEFAULTS["layers"]


def test_a_format_of_ones_own_that_is_not_as_ieee_formats_are():
    odd = mw.FloatFormat("odd", exponent_bits=4, fraction_bits=3, bias=9)
    with pytest.raises(TraitError, match=r"custom_e5m7.*'odd' departs"):
        mw.Playground(weight_format=odd)


def test_the_state_holds_all_of_it(playground):
    other = mw.Playground(
        task="digits",
        layers=[],
        learning_rate=2.5e-3,
        eps=0.0,
        loss_weight=1e-5,
        master_weights=False,
        weight_format="custom_e5m7",
        loss_scale="dynamic",
        log2_loss_scale=-3,
        steps=100_000,
    )
    assert "layers=&" in other.state
    assert "learning_rate=2.5e-3" in other.state
    playground.state = other.state
    assert {name: getattr(playground, name) for name in DEFAULTS} == {
        name: getattr(other, name) for name in DEFAULTS
    }
    playground.state = "task=xor"  # what is left out is as usual
    assert playground.state == "task=xor"


@pytest.mark.parametrize(
    "wrong",
    [
        "task=circle&learning_rate=nan",
        "task=circle&learning_rate=NaN",
        "task=circle&learning_rate=0x7C00",
        "task=circle&learning_rate=1e-8x",
        "task=circle&learning_rate=1e400",
        "task=circle&seed=1/3",
        "task=circle&batch_size=256",
        "task=circle&layers=129",
        "task=circle&loss_weight=inf",
        "task=circle&loss_weight=1e99",
        "task=circle&steps=1000000000",
        "task=circle&layers=0",
        "task=circle&layers=8-",
        "task=circle&layers=8,8",
        "task=circle&weight_format=float64",
        "task=circle&weight_format=float16&weight_format=float16",
        "task=xor&gradient_format=<script>",
        "tsk=circle",
        "",
    ],
)
def test_a_hostile_state_is_refused_as_a_whole(playground, wrong):
    playground.state = "task=spiral&layers=8-8&seed=4"
    with pytest.raises((TraitError, ValueError)):
        playground.state = wrong
    assert playground.state == "task=spiral&layers=8-8&seed=4"


def test_the_page_is_refused_as_a_whole_too(playground):
    sent = []
    playground.send_state = sent.append
    playground.set_state({"seed": 5, "weight_format": "float64"})
    assert (playground.seed, playground.weight_format) == (0, "float16")
    assert any("weight_format" in names for names in sent)
    playground.set_state({"seed": 5, "weight_format": "bfloat16"})
    assert (playground.seed, playground.weight_format) == (5, "bfloat16")


@pytest.mark.parametrize(
    "value", [0.0, 1.0, 0.003, 1e-8, 2.0**-126, 0.1 + 0.2, 123456.0, 3.4028234663852886e38]
)
def test_numbers_survive_a_state(value):
    assert of_text("eps", as_text("eps", value)) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [("2^-24", 2.0**-24), ("1/3", 1 / 3), ("0x1p-24", 2.0**-24), ("1_000", 1000.0), (" .5", 0.5)],
)
def test_numbers_in_a_state_are_written_as_all_others(playground, text, value):
    playground.state = f"task=circle&learning_rate={text}&seed=1_000&steps=2^10"
    assert (playground.learning_rate, playground.seed, playground.steps) == (value, 1000, 1024)


@pytest.mark.parametrize("name", STORIES)
def test_a_story_sets_all_and_its_settings_can_be_trained_with(playground, name):
    playground.seed = 9
    playground.story = name
    told = {**DEFAULTS, **STORIES[name]}
    assert {one: getattr(playground, one) for one in DEFAULTS} == told
    assert mw.Playground(name).state == playground.state
    assert repr(playground) == f"Playground({name!r})"
    playground.state = f"{playground.state}&seed=7" if "seed" not in STORIES[name] else playground.state
    assert playground.story == name


def test_where_it_cannot_be_drawn_a_text_says_what_trains():
    playground = mw.Playground(task="spiral", layers=[3, 5], weight_format="bfloat16", loss_weight=1e-3)
    told = playground._repr_mimebundle_()[0]["text/plain"].splitlines()
    assert told[1:] == [
        "spiral, hidden units 3-5: weights in bfloat16, activations in float16, gradients in float16"
    ]
    playground.set_state({"_history": memoryview(frame({"rows": np.array([[7, 0.25, 0.5, 1, 0]])}))})
    told = playground._repr_mimebundle_()[0]["text/plain"].splitlines()
    assert told[-1] == "step 7: loss 0.5; 0.25 in float32"


def test_the_history(playground):
    assert list(playground.history.columns) == ["step", "loss_float32", "loss", "loss_scale", "skipped"]
    assert len(playground.history) == 0
    rows = np.array([[1, 0.7, 0.71, 65536, 1], [2, 0.6, np.nan, 32768, 0]])
    playground.set_state({"_history": memoryview(frame({"rows": rows}))})
    seen = playground.history
    assert seen["step"].tolist() == [1, 2]
    assert seen["skipped"].tolist() == [1, 0]
    assert math.isnan(seen["loss"][1])
    for wrong in (
        b"123",
        frame({}),
        frame({"rows": np.zeros((MOST_ROWS + 1, 5))}),
        frame({"rows": np.zeros((1, 4))}),
        frame({"rows": np.zeros(5)}),
        frame({"rows": np.zeros((1, 5), np.float32)}),
        frame({"rows": np.full((1, 5), np.nan)}),
        frame({"rows": np.full((1, 5), -1.0)}),
    ):
        playground.set_state({"_history": wrong})
        assert len(playground.history) == 2


def digits(**settings):
    usual = {"task": "digits", "layers": [32], "activation": "relu", "learning_rate": 0.003}
    return mw.Playground(**(usual | settings))


def test_its_next_step_is_followed_with_the_same_settings():
    playground = mw.Playground(
        "loss_scale", layers=[4, 3], gradient_format="custom_e5m7", loss_scale="static", lang="zh"
    )
    rows = np.array([[6, 0.5, 0.5, 1, 0], [7, 0.25, 0.5, 1, 0]])
    playground.set_state({"_history": memoryview(frame({"rows": rows}))})
    step = playground.training_step(weight=(3, 3, 2))
    assert (step.float32_steps, step.steps, step.weight, step.lang) == (0, 7, [3, 3, 2], "zh")
    for name in STEP_SETTINGS:
        assert getattr(step, name) == getattr(playground, name), name
    others = {"float32_steps", "steps", "earlier_scales", "weight", "all_weights"}
    assert {*STEP_SETTINGS, *others} == {*STEP_DEFAULTS}
    assert mw.Playground().training_step().steps == 0
    rows[1, 0] = 5000
    playground.set_state({"_history": memoryview(frame({"rows": rows}))})
    with pytest.raises(TraitError, match="steps takes a whole number from 0 to 1000; got 5000"):
        playground.training_step()
    assert playground.training_step(steps=1000).steps == 1000


def test_the_experiment_is_the_same_digits():
    experiment = digits(
        loss_scale="dynamic", log2_loss_scale=16, loss_weight=1e-5, optimizer="momentum", seed=4, steps=50
    ).experiment
    assert (experiment.task, experiment.steps, experiment.seed, experiment.batch_size) == (
        "digits_mlp",
        50,
        4,
        32,
    )
    assert dict(experiment.task_options) == {"hidden_layers": 1, "width": 32, "loss_weight": 1e-5}
    assert (experiment.optimizer, experiment.momentum) == ("sgd", 0.9)
    recipe = experiment.recipe
    assert (recipe.compute_format, recipe.master_weights) == ("float16", True)
    assert (recipe.loss_scale.kind, recipe.loss_scale.init_scale) == ("dynamic", 65536)
    stochastic = digits(
        **dict.fromkeys(["weight_format", "activation_format", "gradient_format"], "bfloat16"),
        master_weights=False,
        weight_rounding="stochastic",
        layers=[],
    ).experiment
    assert (stochastic.recipe.name, stochastic.task_options["hidden_layers"]) == (
        "bf16_weights_stochastic",
        0,
    )


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"task": "spiral"}, "no 'spiral', only 'digits'"),
        ({"layers": [32, 16]}, r"alike, not \[32, 16\]"),
        ({"activation": "tanh"}, "'relu', not 'tanh'"),
        (
            {"gradient_format": "float8_e5m2"},
            "share one of float32, float16, bfloat16 there, not float16, float8_e5m2",
        ),
        ({"accumulation": "format"}, "accumulate in float32"),
        ({"optimizer_format": "float8_e5m2"}, "not kept in float8_e5m2"),
        ({"learning_rate": 0.0}, "its learning_rate is above 0"),
    ],
)
def test_what_the_core_cannot_express(settings, says):
    with pytest.raises(ValueError, match=says):
        _ = digits(**settings).experiment


def test_it_loads_neither_torch_nor_scikit_learn_nor_pandas():
    code = (
        "import sys, mixwidgets as mw; p = mw.Playground(task='digits', activation='relu'); p.experiment; "
        "p._repr_mimebundle_(); print({'torch', 'sklearn', 'pandas', 'altair'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
