"""What a step's records count, beside the same training in plain torch."""

import copy

import pytest
import torch

from mixwidgets.floats.gradients.summary import GradientSummary
from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.loss_scale import LossScale
from mixwidgets.runs.experiments.recipe import recipes
from mixwidgets.runs.task.catalogue import tasks
from mixwidgets.runs.training import precision
from mixwidgets.runs.training.loop import train

pytestmark = pytest.mark.usefixtures("one_thread")

RATE, BATCH, STEPS = 0.5, 8, 3


@pytest.fixture(autouse=True)
def own_products(monkeypatch):
    """The CPU's own half products, as in the oracle below."""
    monkeypatch.setattr(precision, "is_emulated", lambda dtype: False)


def snapshots_and_steps(recipe, weight=1.0, **fields):
    experiment = Experiment(
        task="digits_mlp",
        recipe=recipe,
        steps=STEPS,
        batch_size=BATCH,
        optimizer="sgd",
        learning_rate=RATE,
        summary_every=1,
        task_options={"loss_weight": weight},
        **fields,
    )
    events = list(train(experiment))
    return [[event for event in events if event.kind == kind] for kind in ("gradients", "step")]


def of(compute_format, scale=1.0, **fields):
    rule = LossScale(kind="static", init_scale=scale)
    return recipes["bf16"].replace(compute_format=compute_format, loss_scale=rule, **fields)


@pytest.mark.parametrize(
    ("recipe", "fields", "grid", "format", "scale"),
    [
        (of("bfloat16"), {}, (8, -133), "bfloat16", 1),
        (of("float16", scale=2.0**7), {}, (11, -31), "float16", 2**7),
        (of("float16", scale=3.0), {}, (24, -149), "float16", 1),
        (of("bfloat16"), {"micro_batches": 2}, (24, -149), "bfloat16", 1),
        (of("float16", accumulation_format="bfloat16"), {"micro_batches": 2}, (8, -133), "bfloat16", 1),
        (recipes["amp_bf16"], {}, (24, -149), "bfloat16", 1),
    ],
)
def test_a_summary_knows_the_precision_that_gradients_had(recipe, fields, grid, format, scale):
    snapshots, _ = snapshots_and_steps(recipe, **fields)
    for snapshot in snapshots:
        for summary in snapshot.summaries.values():
            assert summary.grid == grid
            assert (summary.relative_error(format, scale).value == 0) == (grid[0] < 24)


class Oracle:
    """SGD on the perceptron in plain torch, one step at a time."""

    def __init__(self, dtype, *, masters):
        torch.manual_seed(0)
        self.task, self.dtype = tasks["digits_mlp"].build({}), dtype
        self.kept = self.task.model().to(torch.float32 if masters else dtype)
        self.batches = self.task.batches(BATCH, 0)

    def gradients(self, dtype, x, y, factor):
        """Of the model in `dtype`; the loss is in float32."""
        model = copy.deepcopy(self.kept).to(dtype)
        for parameter in model.parameters():
            parameter.grad = None
        (self.task.loss(model(x.to(dtype)).float(), y) * factor).backward()
        return {name: parameter.grad for name, parameter in model.named_parameters()}

    def step(self, weight, scale=1.0):
        """The half gradients (scaled), the float32 ones, and which weights the update left as they were."""
        x, y = next(self.batches)
        half = self.gradients(self.dtype, x, y, weight * scale)
        full = self.gradients(torch.float32, x, y, weight)
        unchanged = {}
        with torch.no_grad():
            for name, parameter in self.kept.named_parameters():
                gradient = half[name].float() / scale
                updated = (parameter.float() - RATE * gradient).to(parameter.dtype)
                unchanged[name] = int(((updated == parameter) & (gradient != 0)).sum())
                parameter.copy_(updated)
        return half, full, unchanged


@pytest.mark.parametrize("weight", [1e-5, 1e-3])
def test_flushed_gradients_are_zero_here_and_not_in_float32(weight):
    snapshots, _ = snapshots_and_steps(of("float16"), weight, fp32_reference=True)
    oracle = Oracle(torch.float16, masters=True)
    for snapshot in snapshots:
        half, full, _ = oracle.step(weight)
        expected = {name: int(((half[name] == 0) & (full[name] != 0)).sum()) for name in half}
        assert snapshot.flushed == expected
        assert 0 < snapshot.flushed["linear1.weight"] < snapshot.summaries["linear1.weight"].zero


def test_nothing_is_flushed_in_float32_nor_told_unasked():
    for snapshot in snapshots_and_steps("fp32", 1e-5, fp32_reference=True)[0]:
        assert set(snapshot.flushed.values()) == {0}
    assert all(snapshot.flushed == {} for snapshot in snapshots_and_steps(of("float16"))[0])


@pytest.mark.parametrize("masters", [True, False])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_weights_unchanged_are_those_whose_update_was_lost(dtype, masters):
    recipe = of(str(dtype).removeprefix("torch."), 1024.0, master_weights=masters)
    snapshots, _ = snapshots_and_steps(recipe, weight=0.01)
    oracle = Oracle(dtype, masters=masters)
    for snapshot in snapshots:
        expected = oracle.step(0.01, 1024.0)[2]
        assert snapshot.weights_unchanged == expected
        share = sum(expected.values()) / sum(summary.count for summary in snapshot.summaries.values())
        assert (share < 0.1) if masters else (share > 0.3)


def test_non_finite_gradients_are_counted_and_the_first_tensor_is_named():
    scale = 2.0**21
    snapshots, steps = snapshots_and_steps(of("float16", scale))
    half, *_ = Oracle(torch.float16, masters=True).step(1.0, scale)
    counts = {name: int((~gradient.isfinite()).sum()) for name, gradient in half.items()}
    assert 0 < sum(counts.values()) < sum(gradient.numel() for gradient in half.values())
    assert steps[0].non_finite == sum(counts.values())
    assert steps[0].first_non_finite == next(name for name, count in counts.items() if count)
    assert (steps[0].found_inf, steps[0].skipped) == (True, True)
    assert snapshots[0].weights_unchanged == {}  # for there was no update


def test_finite_gradients_have_no_first_non_finite():
    _, steps = snapshots_and_steps(of("float16"))
    assert {(step.found_inf, step.non_finite, step.first_non_finite) for step in steps} == {(False, 0, "")}


@pytest.mark.parametrize("accumulation_format", ["float32", "float16", "bfloat16"])
def test_the_gradients_of_micro_batches_are_summed_in_the_format_of_their_buffers(accumulation_format):
    recipe = of("float16", 2.0**12, accumulation_format=accumulation_format)
    snapshots, _ = snapshots_and_steps(recipe, micro_batches=4)
    oracle = Oracle(torch.float16, masters=True)
    x, y = next(oracle.batches)
    sums = None
    for a, b in zip(x.chunk(4), y.chunk(4), strict=True):
        part = oracle.gradients(torch.float16, a, b, 2.0**12 / 4)
        part = {name: value.to(getattr(torch, accumulation_format)) for name, value in part.items()}
        sums = part if sums is None else {name: sums[name] + value for name, value in part.items()}
    for name, total in sums.items():
        expected = GradientSummary.of(total.float() / 2.0**12)
        assert snapshots[0].summaries[name] == expected
