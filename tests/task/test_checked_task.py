"""A user's own task with a mistake in it: an error that says what to do, with every loop."""

import math

import pytest
import torch
from torch.utils.checkpoint import CheckpointError

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.scheduler.launch import launch
from mixwidgets.runs.store.errors import in_words
from mixwidgets.runs.training.loop import train

SOURCE = """
import torch
from torch import nn

class Line:
    def model(self):
        return nn.Linear(4, 1)

    def batches(self, batch_size, seed):
        generator = torch.Generator().manual_seed(seed)
        while True:
            x = torch.randn(batch_size, 4, generator=generator)
            yield x, x.sum(1, keepdim=True)

    def loss(self, outputs, targets):
        return (outputs - targets).square().mean()

    def evaluate(self, predict):
        x = torch.ones(8, 4)
        return {"loss": (predict(x) - 4).square().mean().item()}
"""
LOOPS = ("fp32", "fp16_dynamic", "amp_bf16")
MODEL, BATCH, LOSS = "nn.Linear(4, 1)", "yield x, x.sum(1, keepdim=True)", ".square().mean()\n"
METRICS = '{"loss": (predict(x) - 4).square().mean().item()}'


def own(was="", becomes="", recipe="fp32", **fields):
    assert was in SOURCE
    source = SOURCE.replace(was, becomes) if was else SOURCE
    return Experiment(task="Line", task_source=source, recipe=recipe, steps=4, **fields)


def losses(experiment):
    return [event.loss for event in train(experiment, trust_source=True) if event.kind == "step"]


MISTAKES = {
    "model: no module": (
        MODEL,
        "lambda x: x",
        TypeError,
        r"gave a function; it must give a torch.nn.Module",
    ),
    "model: no parameters": (MODEL, "nn.Flatten()", ValueError, "no parameters to train"),
    "model: frozen": (MODEL, "nn.Linear(4, 1).requires_grad_(False)", ValueError, "requires_grad"),
    "model: float64": (MODEL, "nn.Linear(4, 1).double()", ValueError, r"weight is torch.float64.*float\(\)"),
    "model: complex": (MODEL, "nn.ParameterList([torch.ones(1) + 0j])", ValueError, "two real weights"),
    "model: lazy": (MODEL, "nn.LazyLinear(1)", ValueError, "give its layer its sizes"),
    "model: sparse": (
        MODEL,
        "nn.Sequential(nn.Embedding(4, 1, sparse=True))",
        ValueError,
        "model: 0 gives sparse gradients.* leave out sparse=True",
    ),
    "outputs: no tensor": (
        MODEL,
        "nn.Sequential(nn.Linear(4, 1), Cut('tolist'))",
        TypeError,
        "gave a list; .* forward pass a floating-point tensor, alone or in a .* ModelOutput",
    ),
    "outputs: integers": (MODEL, "nn.Sequential(nn.Linear(4, 1), Cut('argmax'))", TypeError, "int64"),
    "outputs: detached in a tuple": (
        MODEL,
        "Two('(out.detach(), None) if self.training else out')",
        ValueError,
        "trained weight",
    ),
    "outputs: detached": (
        MODEL,
        "nn.Sequential(nn.Linear(4, 1), Cut('detach'))",
        ValueError,
        "trained weight",
    ),
    "batches: end": ("while True:", "for _ in range(3):", ValueError, "ended after 3 .*while True"),
    "batches: one tensor": (BATCH, "yield x", TypeError, "pairs: yield inputs, targets"),
    "batches: three": (BATCH, "yield x, x, x", TypeError, "gave a tuple; it must give pairs"),
    "batches: dict": (
        BATCH,
        "yield {'x': x}, x",
        TypeError,
        "gave a dict; it must give inputs as one tensor",
    ),
    "batches: numpy": (BATCH, "yield x.numpy(), x", TypeError, "gave a ndarray"),
    "batches: no targets": (BATCH, "yield x, None", TypeError, "NoneType; it must give targets"),
    "batches: complex": (BATCH, "yield x + 0j, x", TypeError, "view_as_real"),
    "batches: lengths": (BATCH, "yield x, x[1:]", ValueError, r"shape \(31, 4\); the first axis"),
    "batches: empty": (BATCH, "yield x[:0], x[:0]", ValueError, "at least one"),
    "batches: no axes": (BATCH, "yield x[0, 0], x[0]", ValueError, "first axis"),
    "loss: vector": (LOSS, ".square()\n", ValueError, r"shape \(32, 1\); .*add .mean\(\)"),
    "loss: number": (LOSS, ".square().mean().item()\n", TypeError, r"gave a float; .*leave out .item\(\)"),
    "loss: detached": (LOSS, ".detach().square().mean()\n", ValueError, r"remove .detach\(\)"),
    "evaluate: nothing": (METRICS, "None", TypeError, "NoneType; it must give a dict"),
    "evaluate: no loss": (METRICS, "{'lost': predict(x).sum()}", ValueError, "must give 'loss' too"),
    "evaluate: too many": (
        METRICS,
        "dict.fromkeys(['loss', *map(str, range(100))], 1.0)",
        ValueError,
        "101 metrics",
    ),
    "evaluate: text": (METRICS, "{'loss': 'low'}", TypeError, "a number for 'loss'"),
    "evaluate: tensor": (METRICS, "{'loss': predict(x)}", TypeError, "Tensor of torch.float32; .* 'loss'"),
    "evaluate: step": (METRICS, "{'loss': 1.0, 'step': 2}", ValueError, "another name"),
    "evaluate: names": (METRICS, "{'loss': 1.0, 2: 2}", TypeError, "named by text"),
    "evaluate: numpy": (
        "predict(x)",
        "predict(x.numpy())",
        TypeError,
        "evaluate gave a ndarray.* predict's inputs",
    ),
}
CUT = """
class Cut(nn.Module):
    def __init__(self, how):
        super().__init__()
        self.how = how

    def forward(self, x):
        return getattr(x, self.how)()
"""


TWO = """
class Two(nn.Linear):
    def __init__(self, returned):
        super().__init__(4, 1)
        self.returned = returned

    def forward(self, x):
        out = super().forward(x)
        return eval(self.returned)
"""


@pytest.mark.parametrize("recipe", ["fp32", "amp_bf16"])
@pytest.mark.parametrize(("was", "becomes", "error", "words"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_says_what_to_do(was, becomes, error, words, recipe):
    experiment = own(was, becomes, recipe)
    with pytest.raises(error, match=f"(?s)Line.*{words}"):
        list(train(experiment.replace(task_source=experiment.task_source + CUT + TWO), trust_source=True))


def test_a_checkpoint_trains_with_amp_and_is_named_where_the_loop_is_explicit(monkeypatch):
    """Also on a processor that multiplies float16 itself, where there is no precision to choose."""
    monkeypatch.setattr(torch.cpu, "get_capabilities", dict, raising=False)
    recomputed = "torch.utils.checkpoint.checkpoint(super().forward, x + self.bias, use_reentrant=False)"
    model = f"Two({recomputed!r})".replace("super().forward", "nn.Linear.forward, self")
    source = own(MODEL, model).task_source + TWO
    assert len(losses(own(recipe="amp_bf16").replace(task_source=source))) == 4
    with pytest.raises(CheckpointError) as raised:
        losses(own(recipe="fp16_dynamic").replace(task_source=source))
    assert "torch.utils.checkpoint: leave it out of the model" in in_words(raised.value)


def test_batches_that_are_no_iterator_teach_before_anything_is_trained():
    source = SOURCE.replace("def batches(", "def pairs(").replace(
        "    def loss", "    def batches(self, batch_size, seed):\n        return [1]\n\n    def loss"
    )
    with pytest.raises(TypeError, match="batches gave a list; it must give an iterator"):
        next(train(Experiment(task="Line", task_source=source), trust_source=True))


def test_a_launched_run_ends_with_these_words(tmp_path):
    run = launch(own("while True:", "for _ in range(3):"), tmp_path, trust_source=True)
    assert run.wait(120) == "crashed"
    assert "Line.batches ended after 3" in run.message
    assert len(run.steps()) == 3


@pytest.mark.parametrize("recipe", LOOPS)
def test_what_can_be_understood_is_taken(recipe):
    plain = losses(own(recipe=recipe))
    assert losses(own(BATCH, "yield [x.double(), x.sum(1, keepdim=True)]", recipe)) == plain
    assert losses(own(LOSS, ".square().mean().reshape(1, 1)\n", recipe)) == plain
    *_, last = train(
        own(METRICS, "{'loss': predict(x.double()).mean(), 'lost': float('nan'), 'n': 3}", recipe),
        trust_source=True,
    )
    assert isinstance(last.metrics["loss"], float)
    assert math.isnan(last.metrics["lost"])
    assert last.metrics["n"] == 3


@pytest.mark.parametrize("recipe", LOOPS)
@pytest.mark.parametrize(
    ("returned", "chosen"),
    [
        ("SequenceClassifierOutput(logits=out, hidden_states=(x,))", "{}.logits"),
        ("{'out': out, 'rows': torch.arange(len(out))}", "(lambda all: all['out'][all['rows']])({})"),
        ("(None, out)", "{}[1]"),
    ],
    ids=["ModelOutput", "dict with integers", "tuple"],
)
def test_outputs_in_a_container_train_as_the_tensor_alone(returned, chosen, recipe):
    alone = own("outputs - targets", "outputs - 4", recipe, micro_batches=2)  # the loss in the outputs' dtype
    source = alone.task_source.replace("}", ', "bytes": predict(x).element_size()}')
    alone = alone.replace(task_source=source)
    for was, becomes in (
        ("outputs - 4", chosen.format("outputs") + " - 4"),
        ("predict(x)", chosen.format("predict(x)")),
        (MODEL, f'Two("{returned}")'),
        (
            "import torch\n",
            "import torch\nfrom transformers.modeling_outputs import SequenceClassifierOutput\n",
        ),
    ):
        source = source.replace(was, becomes)
    several = alone.replace(task_source=source + TWO)
    assert losses(several) == losses(alone)
    *_, expected = train(alone, trust_source=True)
    *_, finished = train(several, trust_source=True)
    assert finished.metrics == expected.metrics
    assert finished.metrics["bytes"] == 4


@pytest.mark.parametrize("recipe", LOOPS)
def test_a_batch_of_fewer_examples_than_micro_batches_is_split_less(recipe):
    def short(parts):
        return own("torch.randn(batch_size", "torch.randn(2", recipe, micro_batches=parts)

    assert losses(short(4)) == losses(short(2))
    assert all(map(math.isfinite, losses(short(4))))


def test_data_from_torchs_own_generator_are_decided_by_the_seed():
    experiment = own("batch_size, 4, generator=generator", "batch_size, 4")
    first = losses(experiment)
    state = torch.get_rng_state()
    torch.rand(1)
    assert losses(experiment) == first != losses(experiment.replace(seed=1))
    torch.set_rng_state(state)
    list(train(experiment, trust_source=True))
    assert torch.equal(torch.get_rng_state(), state)


def test_an_error_in_a_method_is_told_with_its_line():
    for was, becomes, message, line in (
        (LOSS, ".square().mean() / self.nothing\n", "no attribute 'nothing'", "in loss: return (outputs"),
        (METRICS, "next(iter([]))", "StopIteration", "in evaluate: return next(iter([]))"),
    ):
        with pytest.raises((AttributeError, RuntimeError), match=message) as caught:
            list(train(own(was, becomes), trust_source=True))
        assert line in in_words(caught.value)
