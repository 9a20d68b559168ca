"""The student and its teacher."""

import itertools

import pytest
import torch
from torch import nn

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.task.catalogue import tasks
from mixwidgets.runs.training.loop import train

SPEC = tasks["student_teacher"]


def test_the_recipe_of_the_run_is_the_tasks():
    experiment = Experiment(task="student_teacher")
    assert (experiment.steps, experiment.batch_size, experiment.learning_rate) == (250, 64, 3e-3)
    assert (experiment.schedule, experiment.warmup, experiment.beta2) == ("cosine", 0.05, 0.95)


def test_the_student_has_a_norm_in_each_block_and_the_teacher_none():
    task = SPEC.build({})
    norms = [module for module in task.model().modules() if isinstance(module, nn.LayerNorm)]
    assert len(norms) == 2
    assert not any(isinstance(module, nn.LayerNorm) for module in task.teacher.modules())


@pytest.mark.parametrize("seed", [0, 1, 2, 3, 2**32 - 1])
def test_no_student_starts_as_its_teacher(seed):
    """With one seed for both, the first weights would be equal but for the norms."""
    task = SPEC.build({})
    torch.manual_seed(seed)  # as a run does; torch's own generator knows 32 bits of a seed
    student, teacher = (net.state_dict() for net in (task.model(), task.teacher))
    for name, weight in teacher.items():
        assert not torch.equal(student[name], weight)
        assert torch.corrcoef(torch.stack([student[name].flatten(), weight.flatten()]))[0, 1].abs() < 0.3


def test_teacher_and_held_out_inputs_are_those_of_every_run_and_no_training_inputs():
    tasks_of_two_runs = []
    for seed in (0, 1):
        torch.manual_seed(seed)
        tasks_of_two_runs.append(SPEC.build({}))
    (inputs, targets), (same_inputs, same_targets) = (task.held_out for task in tasks_of_two_runs)
    assert inputs.shape == targets.shape == (4096, 64)
    assert torch.equal(inputs, same_inputs)
    assert torch.equal(targets, same_targets)
    seen = {row.numpy().tobytes() for row in inputs}
    for seed in range(3):
        batches = itertools.islice(SPEC.build({}).batches(64, seed), 64)
        assert not any(row.numpy().tobytes() in seen for batch, _ in batches for row in batch)


def test_targets_are_the_teachers():
    task = SPEC.build({})
    inputs, targets = next(task.batches(8, 0))
    expected = inputs.double()
    for block in task.teacher.double():
        hidden = expected @ block.expand.weight.T + block.expand.bias
        gelu = hidden * (1 + torch.erf(hidden / 2**0.5)) / 2
        expected = expected + gelu @ block.contract.weight.T + block.contract.bias
    torch.testing.assert_close(targets.double(), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.slow
def test_bf16_follows_fp32_and_nvfp4_costs_percents():
    def loss(recipe):
        return [*train(Experiment(task="student_teacher", recipe=recipe, device="cpu"))][-1].metrics["loss"]

    fp32 = loss("fp32")
    assert loss("bf16") == pytest.approx(fp32, rel=0.003)
    assert 1.04 < loss("nvfp4") / fp32 < 1.09
