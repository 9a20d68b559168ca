"""watcher.log_to: what goes to TensorBoard, or to a function, beside NumPy's casts."""

import errno
import importlib
import sys

import numpy as np
import pytest
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from mixwidgets.diagnosis.watching.watch import watch
from mixwidgets.runs.store.export import EventFile
from mixwidgets.runs.store.run import open_run
from tests.gradients.block_oracle import in_blocks
from tests.observe.watch_twins import Twin


def expected(gradients):
    """The shares of what float16 flushes and makes subnormal."""
    found = {}
    for name, gradient in gradients.items():
        cast = np.abs(gradient[gradient != 0].astype(np.float16))
        found[f"flushed/{name}"] = np.mean(cast == 0)
        found[f"subnormal/{name}"] = np.mean((cast > 0) & (cast < np.finfo(np.float16).smallest_normal))
        found[f"overflow/{name}"] = np.mean(np.isinf(cast))
        found[f"not_finite/{name}"] = 0.0
    return found


def step(twin, watcher):
    output = twin.net(twin.batch())
    loss = watcher.loss(1e-4 * (output**2).mean())
    twin.steps_by.zero_grad()
    loss.backward()
    before = {name: weight.detach().clone() for name, weight in twin.net.named_parameters()}
    gradients = {name: weight.grad.numpy().copy() for name, weight in twin.net.named_parameters()}
    twin.steps_by.step()
    norm = float(np.sqrt(sum(np.square(gradient, dtype=np.float64).sum() for gradient in gradients.values())))
    found = {"loss": loss.item(), "loss_scale": 1.0, "grad_norm": norm, "optimizer_norm": norm}
    for name, weight in twin.net.named_parameters():
        stayed, moving = (weight == before[name]).numpy(), gradients[name] != 0
        found |= {f"changed/{name}": 1 - stayed.mean(), f"below_half_ulp/{name}": stayed[moving].mean()}
    return {**found, **expected(gradients)}


def test_shares_go_to_a_function_and_to_tensorboard(tmp_path):
    twin, told = Twin(), []
    watcher = watch(twin.net, twin.steps_by, every=2, changes_every=1)
    watcher.log_to(lambda values, step: told.append((step, values))).log_to("tensorboard", tmp_path / "tb")
    with watcher:
        made = [step(twin, watcher) for _ in range(3)]
    with watcher:  # goes on in a file of its own
        made += [step(twin, watcher) for _ in range(2)]
    step(twin, watcher)  # not watched
    assert [number for number, _ in told] == [1, 3, 5]
    for (_, values), wanted in zip(told, made[::2], strict=True):
        assert values == pytest.approx(wanted)
    assert any(0 < values["subnormal/0.weight"] < 1 for _, values in told)
    assert len([*(tmp_path / "tb").iterdir()]) == 2
    read = EventAccumulator(str(tmp_path / "tb")).Reload()
    assert set(read.Tags()["scalars"]) == set(made[0])
    for tag in made[0]:
        assert [(one.step, one.value) for one in read.Scalars(tag)] == [
            (number, pytest.approx(values[tag], rel=1e-6)) for number, values in told
        ]


def test_shares_of_block_formats():
    twin, told = Twin(batch=lambda: torch.randn(8, 6) * (torch.arange(6) > 0)), []  # some gradients are zero
    watcher = watch(twin.net, twin.steps_by, of=("gradients", "weights"), block_formats=("mxfp4", "nvfp4"))
    with watcher.log_to(lambda values, step: told.append(values)):
        step(twin, watcher)
    for name, weight in twin.net.named_parameters():
        for own, tensor in ((name, weight.grad), (f"{name} value", weight.detach())):
            values = int(tensor.count_nonzero())
            for fmt in ("mxfp4", "nvfp4"):
                wanted = in_blocks(tensor if tensor.dim() > 1 else tensor[None], fmt)
                expected = {
                    f"{fmt}_flushed/{own}": float(wanted["flushed"]) / values,
                    f"{fmt}_clipped/{own}": float(wanted["clipped"]) / values,
                    f"{fmt}_relative_error/{own}": float(wanted["relative_error"]),
                }
                assert {tag: told[0][tag] for tag in expected} == pytest.approx(expected, rel=1e-5)
    assert any(values > 0 for tag, values in told[0].items() if tag.startswith("mxfp4_flushed/"))


def test_a_tracker_that_exits_ends_no_loop():
    def exits(values, step):
        raise SystemExit(3)

    twin = Twin()
    with watch(twin.net, twin.steps_by, every=1).log_to(exits) as watcher:
        with pytest.warns(RuntimeWarning, match="SystemExit: 3"):
            step(twin, watcher)
        step(twin, watcher)
    assert watcher.step == 2
    assert watcher.notes == ["log_to failed in step 1 and logs no more: SystemExit: 3."]


def test_a_tracker_that_fails_is_left_out_and_watching_goes_on(tmp_path):
    twin, told = Twin(), []
    watcher = watch(twin.net, twin.steps_by, path=tmp_path / "run", every=1)
    watcher.log_to(lambda values, step: 1 / 0).log_to(lambda values, step: told.append(step))
    with watcher:
        with pytest.warns(RuntimeWarning, match="division by zero"):
            step(twin, watcher)
        step(twin, watcher)
    assert watcher.notes == ["log_to failed in step 1 and logs no more: ZeroDivisionError: division by zero."]
    assert told == [1, 2]
    run = open_run(tmp_path / "run")
    assert (run.status, run.state().snapshot.step) == ("completed", 2)


def test_a_file_that_cannot_be_closed_does_not_end_the_record_in_an_error(tmp_path, monkeypatch):
    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(EventFile, "close", full)
    twin = Twin()
    watcher = watch(twin.net, twin.steps_by, path=tmp_path / "run").log_to("tensorboard", tmp_path / "tb")
    with pytest.warns(RuntimeWarning, match="log_to failed in step 1.*No space left"), watcher:
        step(twin, watcher)
    assert open_run(tmp_path / "run").status == "completed"


MLFLOW = """
import re
told = []
def log_metrics(values, step):
    assert all(re.fullmatch(r"[/\\w.\\- :]+", name) for name in values), list(values)
    told.append((step, values))
"""


class TwoOutputs(torch.nn.Linear):
    def forward(self, inputs):
        return super().forward(inputs), inputs


def test_mlflow_is_told_in_names_that_it_accepts(monkeypatch, tmp_path):
    """By a module with the documented function and rule: the package's dependencies conflict with others of
    the tests."""
    (tmp_path / "mlflow.py").write_text(MLFLOW)
    monkeypatch.syspath_prepend(tmp_path)
    model = TwoOutputs(3, 2)
    optimizer = torch.optim.SGD(model.parameters())
    with watch(model, optimizer, of=("gradients", "activations")).log_to("mlflow") as watcher:
        model(torch.ones(4, 3))[0].sum().backward()
        optimizer.step()
    assert watcher.notes == []
    ((number, values),) = sys.modules.pop("mlflow").told
    assert (number, values["flushed/weight"]) == (1, 0.0)
    assert {name for name in values if name.startswith("flushed/")} == {
        f"flushed/{name}" for name in ("weight", "bias", "TwoOutputs output_0_", "TwoOutputs output_1_")
    }


def test_wrong_places_teach(monkeypatch):
    twin = Twin()
    with pytest.raises(ValueError, match=r"'wandb', 'mlflow', or a function of .*; got 'comet'"):
        watch(twin.net, twin.steps_by).log_to("comet")
    monkeypatch.setitem(sys.modules, "wandb", None)  # as if it were missing
    with pytest.raises(ModuleNotFoundError, match=r"needs wandb.*mixwidgets\[wandb\]"):
        watch(twin.net, twin.steps_by).log_to("wandb")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # wandb warns of itself
def test_wandb_offline(tmp_path):
    """The real library: it starts a process, and writes what it would send."""
    wandb = importlib.import_module("wandb")
    twin = Twin()
    watcher = watch(twin.net, twin.steps_by, every=1, changes_every=1).log_to(
        "wandb"
    )  # before there is a run
    run = wandb.init(project="watched", mode="offline", dir=tmp_path, settings=wandb.Settings(silent=True))
    try:
        with watcher:
            made = [step(twin, watcher) for _ in range(3)]
        assert watcher.notes == []
        assert run.summary["_step"] == 2  # the newest step is still open
        run.log({"end": 0}, step=4)
        summary = dict(run.summary)
        assert {tag: summary[tag] for tag in made[-1]} == pytest.approx(made[-1])
    finally:
        run.finish()
        wandb.teardown()
    (written,) = tmp_path.glob("wandb/offline-run-*/*.wandb")
    assert b"subnormal/0.weight" in written.read_bytes()
