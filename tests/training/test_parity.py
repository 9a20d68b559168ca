"""One run, told several ways: a user's own loop, torch.amp's, the explicit one, float32's."""

import pytest
import torch

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.loss_scale import LossScale
from mixwidgets.runs.experiments.recipe import recipes
from mixwidgets.runs.task.catalogue import tasks
from mixwidgets.runs.training import precision
from mixwidgets.runs.training.amp import AmpTrainer
from mixwidgets.runs.training.explicit import ExplicitTrainer

pytestmark = pytest.mark.usefixtures("one_thread")

CPU = torch.device("cpu")
STEPS = 10
STATIC = LossScale(kind="static", init_scale=1024.0)
MOVING = LossScale(kind="dynamic", init_scale=2.0**26, growth_interval=3)  # it falls, then grows
SMALL = {"mask": {"canvas": 16}}  # options of tasks


def steps_of(recipe, task="digits_cnn", **fields):
    fields = {"learning_rate": 3e-3, "batch_size": 32, "task_options": SMALL.get(task, {}), **fields}
    experiment = Experiment(task=task, recipe=recipe, **fields)
    loop = AmpTrainer if experiment.recipe.loop == "amp" else ExplicitTrainer
    trainer = loop(experiment, CPU)
    return [trainer.step(number, observed=False)[0] for number in range(1, STEPS + 1)]


def losses_of(*recipe, **fields):
    return [step.loss for step in steps_of(*recipe, **fields)]


def half(compute_format, loop="explicit", loss_scale=STATIC):
    return recipes["bf16"].replace(compute_format=compute_format, loop=loop, loss_scale=loss_scale)


def users_loop(task_name, parts=1, dtype=None, loss_scale=recipes["fp32"].loss_scale, clip=None):
    """Plain torch; with a dtype as in torch's "Automatic Mixed Precision examples". Losses, and whether
    the weights stayed as they were."""
    torch.manual_seed(0)
    task = tasks[task_name].build(SMALL.get(task_name, {}))
    model, batches = task.model(), task.batches(32, 0)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    scaler = torch.amp.GradScaler(
        "cpu",
        init_scale=loss_scale.init_scale,
        growth_interval=loss_scale.growth_interval,
        enabled=loss_scale.kind != "none",
    )
    told = []
    for _, (x, y) in zip(range(STEPS), batches, strict=False):
        optimizer.zero_grad()
        losses = []
        for a, b in zip(x.chunk(parts), y.chunk(parts), strict=True):
            with torch.autocast("cpu", dtype or torch.bfloat16, enabled=dtype is not None):
                losses.append(task.loss(model(a), b) / parts)
            scaler.scale(losses[-1]).backward()
        if clip == "before unscaling":
            torch.nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        elif clip == "after unscaling":
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        before = [weight.clone() for weight in model.parameters()]
        scaler.step(optimizer)
        scaler.update()
        stayed = all(map(torch.equal, before, model.parameters()))
        told.append((torch.stack(losses).float().sum().item(), stayed))
    return [list(column) for column in zip(*told, strict=True)]


@pytest.mark.parametrize("task", ["digits_cnn", "digits_mlp", "mask"])
@pytest.mark.parametrize("parts", [1, 4])
def test_fp32_is_a_users_loop_bit_by_bit(task, parts):
    assert losses_of("fp32", task, micro_batches=parts) == users_loop(task, parts)[0]


@pytest.mark.parametrize("parts", [1, 4])
@pytest.mark.parametrize(
    ("dtype", "rule"),
    [
        (torch.bfloat16, LossScale()),
        (torch.float16, LossScale()),
        (torch.float16, recipes["amp_fp16"].loss_scale),
        (torch.float16, MOVING),
    ],
)
def test_the_amp_loop_is_a_users_amp_loop_bit_by_bit(dtype, rule, parts):
    recipe = half(str(dtype).removeprefix("torch."), "amp", rule)
    ours = steps_of(recipe, "digits_mlp", micro_batches=parts)
    losses, stayed = users_loop("digits_mlp", parts, dtype, rule)
    assert [step.loss for step in ours] == losses
    assert [step.skipped for step in ours] == stayed
    assert any(stayed) == (rule is MOVING)


@pytest.mark.parametrize("task", ["digits_cnn", "digits_mlp"])
@pytest.mark.parametrize("compute_format", ["float16", "bfloat16"])
class TestTheExplicitLoopIsTorchAmp:
    def test_bit_by_bit_with_native_products(self, task, compute_format, monkeypatch):
        monkeypatch.setattr(precision, "is_emulated", lambda dtype: False)
        explicit, amp = (losses_of(half(compute_format, loop), task) for loop in ("explicit", "amp"))
        assert explicit == amp
        assert explicit != losses_of("fp32", task)

    @pytest.mark.parametrize("fields", [{}, {"micro_batches": 4}, {"clip_norm": 0.1}])
    def test_within_rounding_with_widened_products(self, task, compute_format, fields, monkeypatch):
        """Products whose sums are float32, and rounded once, instead of the CPU's own."""
        monkeypatch.setattr(precision, "is_emulated", lambda dtype: dtype != torch.float32)
        explicit, amp = (
            losses_of(half(compute_format, loop), task, **fields) for loop in ("explicit", "amp")
        )
        float32 = losses_of("fp32", task, **fields)
        assert explicit == pytest.approx(amp, abs=1e-4, rel=0)
        assert float32 != pytest.approx(amp, abs=1e-4, rel=0)

    def test_also_where_its_scale_falls_and_grows(self, task, compute_format, monkeypatch):
        monkeypatch.setattr(precision, "is_emulated", lambda dtype: False)
        explicit, amp = (steps_of(half(compute_format, loop, MOVING), task) for loop in ("explicit", "amp"))
        for one, other in zip(explicit, amp, strict=True):
            assert (one.loss, one.loss_scale, one.skipped) == (other.loss, other.loss_scale, other.skipped)
        assert len({step.loss_scale for step in amp}) > 2


@pytest.mark.parametrize("task", ["digits_cnn", "digits_mlp", "mask", "char_lstm", "char_gpt"])
def test_a_power_of_two_loss_scale_leaves_float32s_bits(task):
    """Also those of clipped sums of micro-batches."""
    fields = {"batch_size": 4, "micro_batches": 2, "clip_norm": 0.05}
    plain, scaled, rounded = (
        [
            (step.loss, step.grad_norm)
            for step in steps_of(recipes["fp32"].replace(loss_scale=rule), task, **fields)
        ]
        for rule in (LossScale(), STATIC, LossScale(kind="static", init_scale=1000.0))
    )
    assert plain == scaled
    assert plain != rounded


@pytest.mark.parametrize("when", ["after unscaling", "before unscaling"])
@pytest.mark.parametrize("loop", ["explicit", "amp"])
def test_clipping_does_what_it_does_in_a_users_amp_loop(loop, when):
    """torch's clip_grad_norm_ adds 1e-6 to the norm."""
    recipe = half("float16", loop).replace(clip_after_unscaling=when == "after unscaling")
    ours = steps_of(recipe, "digits_mlp", clip_norm=0.1)
    theirs, _ = users_loop("digits_mlp", 1, torch.float16, STATIC, clip=when)
    assert [step.loss for step in ours] == pytest.approx(theirs, abs=1e-4)
    assert min(step.grad_norm for step in ours) > 0.1  # every step is clipped


@pytest.mark.parametrize("loop", ["explicit", "amp"])
def test_clipping_before_unscaling_divides_the_limit_by_the_scale(loop):
    """So that the size of a step of SGD depends on the loss scale."""

    def losses(recipe, limit):
        return losses_of(recipe, "digits_mlp", clip_norm=limit, optimizer="sgd", learning_rate=1.0)

    right = half("float16", loop)
    wrong = right.replace(clip_after_unscaling=False)
    assert losses(wrong, 512.0) == losses(right, 0.5)
    stuck, training = losses(wrong, 0.5), losses(right, 0.5)
    assert training[-1] < training[0] - 0.3
    assert stuck[-1] > stuck[0] - 0.1
