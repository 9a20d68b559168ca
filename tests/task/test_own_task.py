"""A user's own task in an experiment: it travels as text, and is run only where it is trained."""

import json

import pytest

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.grid import grid
from mixwidgets.runs.scheduler.launch import launch
from mixwidgets.runs.store.journal import create_run
from mixwidgets.runs.store.run import open_run
from mixwidgets.runs.training.loop import train


class Line:
    """A line through noise."""

    steps = 12
    batch_size = 16
    learning_rate = 0.05

    def model(self):
        from torch import nn

        return nn.Linear(4, 1)

    def batches(self, batch_size, seed):
        import torch

        generator = torch.Generator().manual_seed(seed)
        while True:
            x = torch.randn(batch_size, 4, generator=generator)
            yield x, x.sum(1, keepdim=True)

    def loss(self, outputs, targets):
        return (outputs - targets).square().mean()

    def evaluate(self, predict):
        x, y = next(self.batches(64, 999))
        return {"loss": self.loss(predict(x), y).item(), "worst": (predict(x) - y).abs().max().item()}


def test_the_class_gives_name_text_and_defaults():
    experiment = Experiment(task=Line, recipe="fp16_dynamic")
    assert (experiment.task, experiment.steps, experiment.batch_size) == ("Line", 12, 16)
    assert experiment.learning_rate == 0.05
    assert (experiment.eps, experiment.summary_every, experiment.momentum) == (1e-8, 10, 0.0)
    assert "def evaluate(self, predict)" in experiment.task_source
    again = Experiment.from_json(experiment.to_json())
    assert (again, again.id) == (experiment, experiment.id)
    assert experiment.replace(seed=1).task_source == experiment.task_source


def test_another_text_is_another_experiment():
    experiment = Experiment(task=Line)
    other = experiment.replace(task_source=experiment.task_source.replace("64, 999", "64, 998"))
    assert other.id != experiment.id


def test_replaced_by_a_task_of_mixwidgets_it_leaves_no_text_behind():
    own = Experiment(task=Line, steps=2)
    built_in = own.replace(task="digits_mlp")
    assert built_in.task_source == ""
    assert [*train(built_in)][-1].reason == "completed"
    assert built_in.replace(task=Line) == own == own.replace(task="Line")
    assert [one.task for one in grid(own, task=["Line", "digits_mlp"])] == ["Line", "digits_mlp"]


@pytest.mark.parametrize("recipe", ["fp32", "fp16_dynamic", "nvfp4"])
def test_it_learns_with_any_recipe(recipe):
    *_, last = train(Experiment(task=Line, recipe=recipe, steps=80))
    assert last.reason == "completed"
    assert last.metrics["loss"] < 0.05
    assert 0 < last.metrics["worst"] < 1


def test_in_a_launched_run_it_gives_the_same_bits(tmp_path):
    experiment = Experiment(task=Line, recipe="fp16_static")
    here = [event.loss for event in train(experiment) if event.kind == "step"]
    run = launch(experiment, tmp_path)
    assert run.wait(120) == "completed", run.message
    assert list(run.steps().loss) == here
    assert open_run(run.path).experiment.task_source == experiment.task_source


def test_a_text_with_constants_above_the_class_as_older_versions_wrote_it_still_trains(tmp_path):
    source = "from math import pi\nwidth = 4\n\n\n" + Experiment(task=Line).task_source
    source = source.replace("nn.Linear(4, 1)", "nn.Linear(int(pi + 1), width - 3)")
    experiment = Experiment(task="Line", task_source=source, steps=80, learning_rate=0.05)
    *_, last = train(open_run(create_run(experiment, tmp_path)).experiment, trust_source=True)
    assert (last.reason, last.metrics["loss"] < 0.05) == ("completed", True)


def test_opening_a_run_does_not_run_its_text(tmp_path):
    mark = tmp_path / "was run"
    source = f"import pathlib\npathlib.Path({str(mark)!r}).touch()\n{Experiment(task=Line).task_source}"
    path = create_run(Experiment(task="Line", task_source=source, steps=1), tmp_path)
    assert open_run(path).experiment.task == "Line"
    assert not mark.exists()
    list(train(open_run(path).experiment, trust_source=True))
    assert mark.exists()


def test_an_evaluation_without_a_loss_teaches():
    source = Experiment(task=Line).task_source.replace('"loss": self', '"lost": self')
    with pytest.raises(ValueError, match="must give 'loss' too"):
        list(train(Experiment(task="Line", task_source=source), trust_source=True))


def test_an_error_in_the_text_is_a_named_end_with_its_line(tmp_path):
    source = Experiment(task=Line).task_source.replace("nn.Linear(4, 1)", "nn.Linear(4, 1")
    run = launch(Experiment(task="Line", task_source=source), tmp_path, trust_source=True)
    assert run.wait(120) == "crashed"
    assert "SyntaxError" in run.message


class Greedy:
    steps = "many"

    def model(self): ...
    def batches(self, batch_size, seed): ...
    def loss(self, outputs, targets): ...
    def evaluate(self, predict): ...


def test_bad_own_tasks_teach():
    outside = object()

    class Around(Line):
        def model(self):
            return outside

    bad = [
        (Line(), "write task=MyTask, not"),
        (object, "not a complete task"),
        (Around, "outside"),
        (type("Made", (Line,), {}), "Made"),
        (Greedy, "whole number"),
    ]
    for given, message in bad:
        with pytest.raises((TypeError, ValueError), match=message):
            Experiment(task=given)
    for fields in ({"task": "a b", "task_source": "x"}, {"task": "X", "task_source": "\0"}):
        with pytest.raises(ValueError, match=r"a class|NUL"):
            Experiment(**fields)
    with pytest.raises(TypeError, match="takes loss_weight"):
        Experiment(task=Line, task_options={"size": 2})
    with pytest.raises(TypeError, match="got"):
        Experiment.from_json(json.dumps({"task": "X", "task_source": 3}))
