"""The callbacks inside Hugging Face's Trainer and Lightning's, beside what each trainer itself sees."""

import importlib

import pytest
import torch
from torch import nn
from torch.nn import functional

import mixwidgets as mw
from mixwidgets.floats.gradients.summary import GradientSummary
from mixwidgets.integrations import lightning_callback, trainer_callback
from tests.observe.watch_twins import in_bytes

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # both take seconds to import, and warn
DATA = [{"x": x, "labels": x.sum().reshape(1)} for x in torch.randn(24, 6, generator=torch.manual_seed(0))]


def summaries(model):
    return in_bytes({name: GradientSummary.of(weight.grad) for name, weight in model.named_parameters()})


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layers = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 1))

    def forward(self, x, labels):
        return {"loss": functional.mse_loss(self.layers(x).float(), labels)}


def train(folder, callbacks, **options):
    transformers = importlib.import_module("transformers")
    options = {"report_to": [], "use_cpu": True, "save_strategy": "no", "max_grad_norm": 0, **options}
    arguments = transformers.TrainingArguments(
        folder, per_device_train_batch_size=2, gradient_accumulation_steps=3, num_train_epochs=1, **options
    )
    trainer = transformers.Trainer(Model(), arguments, train_dataset=DATA, callbacks=callbacks)
    trainer.train()
    return trainer.model


@pytest.mark.parametrize("bf16", [False, True])
def test_hugging_faces_trainer(tmp_path, bf16):
    transformers = importlib.import_module("transformers")
    seen = []

    class Seen(transformers.TrainerCallback):
        def on_pre_optimizer_step(self, args, state, control, model=None, **rest):
            seen.append(summaries(model))

    callback = trainer_callback(every=1, path=tmp_path / "run")
    assert callback.watcher is None
    watched = train(tmp_path, [callback, Seen()], bf16=bf16)
    assert [in_bytes(snapshot.summaries) for snapshot in callback.watcher.history] == seen
    assert len(seen) == callback.watcher.step == 4  # 24 examples in batches of 2, three of which accumulate
    assert mw.open_run(tmp_path / "run").status == "completed"
    assert not any(module._forward_hooks for module in watched.modules())
    for mine, other in zip(watched.parameters(), train(tmp_path, [], bf16=bf16).parameters(), strict=True):
        assert torch.equal(mine, other)


def lightning_trainer(callbacks, **options):
    lightning = importlib.import_module("pytorch_lightning")
    quiet = {"logger": False, "enable_checkpointing": False, "enable_progress_bar": False, "max_epochs": 1}
    return lightning.Trainer(
        accelerator="cpu",
        accumulate_grad_batches=3,
        enable_model_summary=False,
        callbacks=callbacks,
        **quiet,
        **options,
    )


def lightning_module(fails_in=None):
    lightning = importlib.import_module("pytorch_lightning")

    class Module(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.model, self.seen, self.losses = Model(), [], []

        def training_step(self, batch, index):
            if index == fails_in:
                raise FloatingPointError("planned")
            loss = self.model(**batch)["loss"]
            self.losses.append(loss.item())
            return loss

        def on_after_backward(self):
            self.seen.append(summaries(self))

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=0.1)

    return Module()


@pytest.mark.parametrize("precision", ["32-true", "bf16-mixed"])
def test_lightnings_trainer(tmp_path, precision):
    loader = torch.utils.data.DataLoader(DATA, batch_size=2)
    callback, module, other = lightning_callback(every=1), lightning_module(), lightning_module()
    lightning_trainer([callback], precision=precision).fit(module, loader)
    history = callback.watcher.history
    assert [in_bytes(snapshot.summaries) for snapshot in history] == module.seen[2::3]
    means = [sum(module.losses[at : at + 3]) / 3 for at in range(0, 12, 3)]
    assert [snapshot.loss for snapshot in history] == pytest.approx(means, rel=1e-5)
    lightning_trainer([], precision=precision).fit(other, loader)
    for mine, theirs in zip(module.parameters(), other.parameters(), strict=True):
        assert torch.equal(mine, theirs)


def test_lightnings_scaler():
    lightning = importlib.import_module("pytorch_lightning")
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
    plugin = lightning.plugins.MixedPrecision("16-mixed", "cpu", scaler=scaler)
    loader = torch.utils.data.DataLoader(DATA, batch_size=2)
    callback, module = lightning_callback(every=1), lightning_module()
    lightning_trainer([callback], plugins=[plugin]).fit(module, loader)
    assert [snapshot.loss_scale for snapshot in callback.watcher.history] == [8.0] * 4
    means = [sum(module.losses[at : at + 3]) / 3 for at in range(0, 12, 3)]
    assert [snapshot.loss for snapshot in callback.watcher.history] == pytest.approx(means, rel=1e-5)


def test_each_training_with_a_callback_is_a_run_of_its_own(tmp_path):
    callback, loader = lightning_callback(every=1, path=tmp_path / "run"), torch.utils.data.DataLoader(DATA)
    (tmp_path / "run-2").mkdir()  # another's
    for _ in range(2):
        lightning_trainer([callback]).fit(lightning_module(), loader)
    for name in ("run", "run-3"):
        run = mw.open_run(tmp_path / name)
        assert (run.status, len(run.steps())) == ("completed", 8)


def test_lightning_where_training_fails():
    callback, module = lightning_callback(), lightning_module(fails_in=4)
    with pytest.raises(FloatingPointError):
        lightning_trainer([callback]).fit(module, torch.utils.data.DataLoader(DATA, batch_size=2))
    assert callback.watcher.step == 1
    assert "not watching" in repr(callback.watcher)
    assert not any(child._forward_hooks for child in module.modules())
