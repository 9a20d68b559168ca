"""TrainingStep without a page: its settings, its weight, its state, and the stations that a page tells."""

import math
import subprocess
import sys

import numpy as np
import pytest
from traitlets import TraitError

import mixwidgets as mw
from mixwidgets.floats.widgets.frame import frame
from mixwidgets.teaching.widgets.training_step.stations import COLUMNS
from mixwidgets.teaching.widgets.training_step.widget import DEFAULTS


@pytest.fixture
def step():
    widget = mw.TrainingStep()
    yield widget
    widget.close()


def test_what_is_there_at_first(step):
    assert {name: getattr(step, name) for name in DEFAULTS} == dict(DEFAULTS)
    assert (step.state, repr(step)) == ("task=circle", "TrainingStep()")
    assert list(step.stations.columns) == list(COLUMNS)
    assert len(step.stations) == 0


def test_settings_are_the_playground_s_and_take_what_it_takes():
    widget = mw.TrainingStep(gradient_format=np.float16, weight_format="bf16", loss_weight="2^-20", steps=3)
    assert (widget.gradient_format, widget.weight_format, widget.loss_weight) == (
        "float16",
        "bfloat16",
        2**-20,
    )
    assert repr(widget) == f"TrainingStep(weight_format='bfloat16', loss_weight={2**-20!r}, steps=3)"
    with pytest.raises(TypeError, match="Did you mean 'weight'"):
        mw.TrainingStep(weigth=(1, 1, 1))


def test_a_weight_is_layer_input_unit_and_input_0_is_the_bias(step):
    step.weight = (2, 0, 1)
    assert (step.weight, step.state) == ([2, 0, 1], "task=circle&weight=2-0-1")
    step.state = "task=circle&weight=1-2-4"
    assert step.weight == [1, 2, 4]


def test_earlier_steps_have_loss_scales_of_their_own(step):
    step.earlier_scales = np.array([-24, 300, 3, 1])
    assert (step.earlier_scales, step.state) == ([-24, 300, 3, 1], "task=circle&earlier_scales=-24-300-3-1")
    step.state = "task=circle&steps=2&earlier_scales=0-1--1-1"
    assert step.earlier_scales == [0, 1, -1, 1]
    step.state = "task=circle"
    assert step.earlier_scales == []


WRONG = [
    ("weight", "x1", r"weight takes \(layer, input, unit\), from 1, such as \(1, 1, 3\).*got 'x1'"),
    ("weight", 3, "weight takes"),
    ("weight", (1, 1), "weight takes"),
    ("weight", (0, 1, 1), "weight's layer takes a whole number from 1 to 4; got 0"),
    ("weight", (1, 1, 1.0), "Write 1"),
    ("weight", (3, 1, 1), r"weight \(3, 1, 1\) is not in this network, which has 2-4-2 units"),
    ("weight", (1, 3, 1), "not in this network"),
    ("weight", (1, 1, 5), "not in this network"),
    ("earlier_scales", [16], r"in turn, such as \[16, 300, 3, 1\]; got \[16\]"),
    ("earlier_scales", [41, 1], "log2 of an earlier scale takes a whole number from -24 to 40; got 41"),
    ("earlier_scales", [16, 0], "the steps of an earlier scale takes a whole number from 1 to 1000; got 0"),
    ("earlier_scales", [16, 1000, 3, 1], "at most 1,000 steps; got 1,001"),
    ("steps", 1001, "steps takes a whole number from 0 to 1000; got 1001"),
    ("float32_steps", -1, "from 0 to 1000; got -1"),
    ("all_weights", 1, "all_weights takes True or False; got 1"),
    ("gradient_format", "float64", "formats end at 32: take 'float32'"),
    ("log2_loss_scale", 41, "from -24 to 40"),
    ("optimizer", "sdg", "Did you mean 'sgd'"),
]


@pytest.mark.parametrize(("name", "wrong", "says"), WRONG)
def test_what_cannot_be_shown_is_refused_and_what_was_there_stays(step, name, wrong, says):
    before = step.state
    with pytest.raises(TraitError, match=says):
        setattr(step, name, wrong)
    assert step.state == before
    with pytest.raises(TraitError, match=says):
        mw.TrainingStep(**{name: wrong})


def test_a_network_that_lacks_the_weight_has_its_first_one(step):
    step.layers = [2]
    assert step.weight == [1, 1, 1]
    assert mw.TrainingStep(layers=[2]).weight == [1, 1, 1]
    assert mw.TrainingStep(task="digits", layers=[], weight=(1, 64, 10)).weight == [1, 64, 10]
    with pytest.raises(TraitError, match="which has 2-2-2 units"):
        mw.TrainingStep(layers=[2], weight=(1, 1, 3))


@pytest.mark.parametrize(
    "wrong",
    [
        "task=circle&weight=1-1",
        "task=circle&weight=1-1-1-1",
        "task=circle&weight=",
        "task=circle&weight=x1",
        "task=circle&weight=3-1-1",
        "task=circle&layers=2&weight=1-1-3",
        "task=circle&weight=1-1-4&layers=2",
        "task=circle&layers=2&steps=1001",
        "task=circle&earlier_scales=16",
        "task=circle&earlier_scales=16---1",
        "task=circle&earlier_scales=-",
        "task=circle&all_weights=yes",
        "task=circle&layers=99",
        "task=circle&steps=1&steps=2",
        "task=<script>",
        "",
    ],
)
def test_a_hostile_state_is_refused_as_a_whole(step, wrong):
    step.state = "task=spiral&layers=8-8&seed=4&weight=3-8-2"
    with pytest.raises((TraitError, ValueError)):
        step.state = wrong
    assert step.state == "task=spiral&layers=8-8&seed=4&weight=3-8-2"


def test_the_page_is_refused_as_a_whole_too(step):
    sent = []
    step.send_state = sent.append
    step.set_state({"steps": 5, "weight": [4, 1, 1]})
    assert (step.steps, step.weight) == (0, [1, 1, 3])
    assert any("weight" in names for names in sent)
    step.set_state({"steps": 5, "weight": [2, 4, 2]})
    assert (step.steps, step.weight) == (5, [2, 4, 2])


def told(names, formats, rows):
    return memoryview(frame({"rows": np.array(rows, float)}, stations=names, formats=formats))


def test_stations_are_a_table(step):
    names, formats = ["weight", "gradient", "new weight"], ["float32", "custom_e5m7", "float8_e4m3fn"]
    step.set_state({"_stations": told(names, formats, [[-0.5, -0.5], [2**-9, 2**-8], [math.nan, 1]])})
    table = step.stations
    assert table["station"].tolist() == names
    assert table["format"].tolist() == formats
    assert table["code"].tolist() == ["0xBF000000", "0x0300", "0x7F"]
    assert table["error"].tolist()[:2] == [0.0, 0.5]
    assert table["float32"].tolist() == [-0.5, 2**-8, 1.0]


@pytest.mark.parametrize(
    "wrong",
    [
        b"123",
        frame({}),
        frame({"rows": np.zeros((1, 2))}),
        told(["weight"], ["float32"], [[1.0, 2.0, 3.0]]),
        told(["weight"], ["float32", "float32"], [[1.0, 2.0]]),
        told(["<script>"], ["float32"], [[1.0, 2.0]]),
        told(["weight"], ["float99"], [[1.0, 2.0]]),
        told([["weight"]], ["float32"], [[1.0, 2.0]]),
        told("weight", "float32", [[1.0, 2.0]]),
        memoryview(frame({"rows": np.zeros((1, 2), np.float32)}, stations=["weight"], formats=["float32"])),
    ],
)
def test_what_are_no_stations_is_refused(step, wrong):
    step.set_state({"_stations": told(["weight"], ["float32"], [[1.0, 1.0]])})
    step.set_state({"_stations": wrong})
    assert step.stations["station"].tolist() == ["weight"]


def test_where_it_cannot_be_drawn_a_text_says_what_step_it_is(step):
    step.steps, step.loss_scale = 2, "none"
    text = step._repr_mimebundle_()[0]["text/plain"].splitlines()[1]
    assert text.startswith("step 43 of circle, 2-4-2 units, no loss scale: weights in float16")


def test_it_loads_neither_torch_nor_scikit_learn_nor_pandas():
    code = (
        "import sys, mixwidgets as mw; p = mw.TrainingStep(task='digits', layers=[]); p._repr_mimebundle_(); "
        "print({'torch', 'sklearn', 'pandas', 'altair'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
