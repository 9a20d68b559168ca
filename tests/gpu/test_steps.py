"""Training steps on a CUDA device."""

import math

import pytest
import torch
from torch import nn
from torch.nn import functional

from mixwidgets.diagnosis.difference.first_difference import first_difference
from mixwidgets.diagnosis.op_precisions import op_precisions
from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.operands import Operands
from mixwidgets.runs.experiments.recipe import Recipe, recipes
from mixwidgets.runs.training.device import training_settings
from mixwidgets.runs.training.loop import make_trainer, train
from mixwidgets.runs.training.operands import RoundedLinear, require_fp8_products
from mixwidgets.runs.training.precision import Precision, name_of

BASE = Experiment(task="digits_mlp", steps=40, batch_size=32, learning_rate=3e-3, device="cuda")


@pytest.mark.parametrize("recipe", [name for name in recipes if name not in ("fp16_optimizer", "fp8_native")])
def test_with_its_plain_loss_every_recipe_learns(recipe):
    started, before, *events, last = train(BASE.replace(recipe=recipe))
    assert started.device.startswith("cuda")
    assert all(math.isfinite(event.loss) for event in events if event.kind == "step")
    assert last.reason == "completed"
    assert last.metrics["loss"] < 0.5 * before.metrics["loss"]


@pytest.mark.parametrize("recipe", ["fp32", "fp16_dynamic", "bf16", "bf16_weights", "fp8_tensorwise"])
def test_losses_are_those_of_the_cpu(recipe):
    """Products are summed in another order there, so not to the last bit."""
    experiment = BASE.replace(recipe=recipe, steps=5, learning_rate=1e-4)
    here, there = (
        [event.loss for event in train(experiment.replace(device=device)) if event.kind == "step"]
        for device in ("cuda", "cpu")
    )
    assert here == pytest.approx(there, rel=1e-5 if recipe == "fp32" else 2e-2)


def test_native_fp8_is_the_emulation_but_for_the_sums_or_is_refused(gpu, waits):
    if torch.cuda.get_device_capability(gpu) < (8, 9):
        with pytest.raises(ValueError, match="emulated"):
            require_fp8_products(gpu)
        return
    draws = torch.Generator().manual_seed(0)
    x, weight = (torch.randn(n, 1000, generator=draws).to(gpu) for n in (70, 90))
    emulated, native = (
        RoundedLinear(Operands(scaling="current", products=products), on_device=True)(x, weight)
        for products in ("emulated", "native")
    )
    largest_sum = (x.abs() @ weight.abs().T).max().item()
    torch.testing.assert_close(native, emulated, rtol=0, atol=2.0**-12 * largest_sum)
    with training_settings():
        trainer = make_trainer(BASE.replace(recipe="fp8_native"), gpu)
        losses = [trainer.step(number, observed=False)[0].loss for number in range(1, 41)]
        with waits() as found:
            trainer.step(41, observed=False)
    assert losses[-1] < 0.5 * losses[0]
    assert len(found) == 1, found


REDUCTIONS = {
    "softmax": lambda x: functional.softmax(x, -1),
    "log_softmax": lambda x: functional.log_softmax(x, -1),
    "layer_norm": lambda x: functional.layer_norm(x, x.shape[-1:]),
    "rms_norm": lambda x: functional.rms_norm(x, x.shape[-1:]),
    "group_norm": lambda x: functional.group_norm(x, 2),
}


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions_without_a_cast_compute_in_float32(name, dtype, gpu):
    """Narrow sums of 4,096 numbers around 8 would be off by far more than the rounding of the result."""
    x = 8 + torch.randn(16, 4096, generator=torch.Generator().manual_seed(0))
    x = x.to(gpu, dtype).requires_grad_()
    with Precision(Recipe(compute_format=name_of(dtype)), gpu):
        result = REDUCTIONS[name](x)
    upstream = torch.randn(x.shape, generator=torch.Generator().manual_seed(1)).to(gpu, dtype)
    exact_x = x.detach().double().requires_grad_()
    exact = REDUCTIONS[name](exact_x)
    rounded = {"rtol": torch.finfo(dtype).eps, "atol": 1e-4 * exact.abs().max().item()}
    torch.testing.assert_close(result.double(), exact, **rounded)
    (gradient,) = torch.autograd.grad(result, x, upstream)
    (exact_gradient,) = torch.autograd.grad(exact, exact_x, upstream.double())
    assert (gradient - exact_gradient).norm() < torch.finfo(dtype).eps * exact_gradient.norm()


@pytest.mark.parametrize(
    "recipe", [name for name in recipes if not name.startswith("amp") and name != "fp8_native"]
)
def test_a_step_looks_at_the_device_once(recipe, gpu, waits):
    with training_settings():
        trainer = make_trainer(BASE.replace(recipe=recipe), gpu)
        for number in (1, 2, 3):  # the first steps allocate, and fill caches
            trainer.step(number, observed=False)
        with waits() as found:
            trainer.step(4, observed=False)
    assert len(found) == 1, found


def test_the_optimiser_takes_all_weights_at_once():
    table = op_precisions("digits_mlp", "fp16_dynamic", batch_size=8, device="cuda")
    assert "_fused_adam_" in set(table[table.phase == "update"].op)
    narrow = op_precisions("digits_mlp", "bf16_optimizer", batch_size=8, device="cuda")
    update = narrow[narrow.phase == "update"]  # fused, it would compute in float32 what is meant to be narrow
    assert not [op for op in update.op if op.startswith("_fused")]
    assert [op for op in update.op if op.startswith("_foreach_sqrt")]


@pytest.mark.parametrize("recipe", ["fp32", "fp16_static", "bf16_weights"])
def test_memory_is_what_was_predicted(recipe):
    experiment = BASE.replace(recipe=recipe, steps=1, batch_size=1024, task_options={"size": 16})
    (memory,) = [event for event in train(experiment) if event.kind == "memory"]
    assert set(memory.measured) == set(memory.predicted)
    for kind, size in memory.predicted.items():
        assert memory.measured[kind] == pytest.approx(size, rel=0.05, abs=100_000)


def test_the_work_of_a_step_is_that_of_the_cpu_and_the_device_has_a_peak():
    experiment = BASE.replace(recipe="fp16_static", steps=1)
    here, there = (
        next(event for event in train(experiment.replace(device=device)) if event.kind == "work")
        for device in ("cuda", "cpu")
    )
    assert here.flops == there.flops
    assert 0 < here.unaligned < here.flops  # the products with the 10 classes
    assert here.peak > 1e11


def test_the_default_device_is_left_as_it_was():
    before = torch.cuda.current_device(), torch.cuda.get_rng_state()
    list(train(BASE.replace(steps=2)))
    assert torch.cuda.current_device() == before[0]
    assert torch.equal(torch.cuda.get_rng_state(), before[1])


@pytest.mark.parametrize("recipe", ["fp8_tensorwise", "mxfp4", "nvfp4"])
def test_rounding_explains_the_errors_of_rounded_operands(recipe, gpu):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4)).to(gpu)
    inputs, targets = torch.randn(64, 64, device=gpu), torch.arange(64, device=gpu) % 4
    found = first_difference(model, inputs, lambda logits: functional.cross_entropy(logits, targets), recipe)
    assert found.module is None, found
    linear = found.table[(found.table.module == "2") & (found.table.direction == "forward")].iloc[0]
    assert linear.explained == pytest.approx(linear.error, rel=0.3)
