"""LossScaleExplorer without a page: its traits, what it answers, and what it refuses."""

import numpy as np
import pytest
from traitlets import TraitError

from mixwidgets.gradients.best_scale import best_loss_scale
from mixwidgets.gradients.summary import GradientSummary
from mixwidgets.widgets.loss_scale_explorer import LossScaleExplorer


@pytest.fixture
def gradients():
    rng = np.random.default_rng(3)
    spread = (rng.standard_normal(5000) * np.exp2(rng.uniform(-40, -4, 5000))).astype(np.float32)
    return {"layer.weight": spread.reshape(50, 100), "layer.bias": np.zeros(7, np.float32), "frozen": None}


@pytest.fixture
def explorer(gradients):
    return LossScaleExplorer(gradients)


def test_what_the_page_is_sent(explorer, gradients):
    assert explorer._names == ["layer.weight", "layer.bias"]
    assert explorer._without_gradient == ["frozen"]
    data, sent = explorer._summaries, []
    while data:
        size = int.from_bytes(data[:4], "little")
        sent.append(GradientSummary.from_bytes(data[4 : 4 + size]))
        data = data[4 + size :]
    assert sent == [GradientSummary.of(gradients[name]) for name in explorer._names]


def test_counts_are_those_of_all_gradients_at_the_slider_s_scale(explorer, gradients):
    everything = GradientSummary.of(np.concatenate([g.ravel() for g in gradients.values() if g is not None]))
    for log2, format in ((0, "float16"), (13, "float16"), (-24, "bfloat16"), (40, "float8_e5m2")):
        explorer.log2_loss_scale, explorer.format = log2, format
        assert explorer.loss_scale == 2.0**log2
        assert explorer.counts() == everything.counts(format, 2.0**log2)
    assert explorer.counts().count == 5007


def test_the_best_scale(explorer, gradients):
    summaries = [GradientSummary.of(g) for g in gradients.values() if g is not None]
    assert explorer.best_loss_scale() == best_loss_scale(summaries, "float16")
    explorer.format = "bfloat16"
    assert explorer.best_loss_scale() == 1.0


def test_a_model_a_mapping_and_summaries_are_alike():
    torch = pytest.importorskip("torch")
    model = torch.nn.Linear(4, 3)
    model(torch.ones(2, 4)).square().sum().backward()
    of_model = LossScaleExplorer(model)
    of_mapping = LossScaleExplorer({name: p.grad for name, p in model.named_parameters()})
    of_summaries = LossScaleExplorer({n: GradientSummary.of(p.grad) for n, p in model.named_parameters()})
    assert of_model.counts() == of_mapping.counts() == of_summaries.counts()


def test_keywords(gradients):
    explorer = LossScaleExplorer(gradients, format="half", log2_loss_scale=15, title="<b>mine</b>")
    assert (explorer.format, explorer.log2_loss_scale, explorer.title) == ("float16", 15, "<b>mine</b>")
    assert repr(explorer) == "LossScaleExplorer(5,007 gradients, float16 × 2^15)"
    with pytest.raises(TypeError, match="did you mean 'format'"):
        LossScaleExplorer(gradients, formt="float16")


@pytest.mark.parametrize("format", ["fp17", "fp8x", "", None, 16, True, "float64", "__proto__"])
def test_a_wrong_format_is_refused_and_the_last_stays(explorer, gradients, format):
    explorer.format = "bf16"
    with pytest.raises(TraitError):
        explorer.format = format
    assert explorer.format == "bfloat16"
    with pytest.raises(TraitError):
        LossScaleExplorer(gradients, format=format)


def test_the_error_lists_what_is_accepted(explorer):
    with pytest.raises(TraitError, match="float16"):
        explorer.format = "float17"
    with pytest.raises(TraitError, match=r"float16.*float64 is wider"):
        explorer.format = "float64"


@pytest.mark.parametrize("log2", [-25, 41, 1.5, "3", None, True, float("nan")])
def test_a_wrong_scale_is_refused_and_the_last_stays(explorer, log2):
    explorer.log2_loss_scale = 9
    with pytest.raises(TraitError, match="log2_loss_scale"):
        explorer.log2_loss_scale = log2
    assert explorer.log2_loss_scale == 9


def test_what_the_page_sends(explorer):
    seen = []
    explorer.observe(lambda change: seen.append((change.name, change.new)), ["format", "log2_loss_scale"])
    explorer.set_state({"log2_loss_scale": 12})
    explorer.set_state({"format": "float8_e5m2"})
    assert seen == [("log2_loss_scale", 12), ("format", "float8_e5m2")]


@pytest.mark.parametrize(
    ("gradients", "error", "match"),
    [
        (3.0, TypeError, "float came"),
        (np.ones(3), TypeError, r"w\.grad"),
        ({}, ValueError, "empty"),
        ({"w": None}, ValueError, "backward"),
        ({"w": np.ones(3, dtype=int)}, TypeError, "'w'.*int64"),
    ],
)
def test_what_has_no_gradients(gradients, error, match):
    with pytest.raises(error, match=match):
        LossScaleExplorer(gradients)


def test_gradients_without_a_finite_value():
    explorer = LossScaleExplorer({"a": np.full(3, np.nan), "b": np.zeros(0), "c": np.full(2, np.inf)})
    assert (explorer.counts().nan, explorer.counts().inf, explorer.best_loss_scale()) == (3, 2, 1.0)
