"""The same weights and batches give the same losses in the Python core and in the playground's engine.

They differ by at most 7e-7 in these runs, three of the last bits of a float32 loss. The cause is torch's
cross_entropy, whose exp, log and order of sums are its own: where the engine's twin in NumPy (reference.py)
calls it instead of its own loss, all four runs are equal to the core's, bit for bit. The products, whose sums
torch may take in another order (it depends on the processor), made no difference here.
"""

import pytest
import torch

import mixwidgets as mw
from mixwidgets.runs.experiments.loss_scale import LossScale
from mixwidgets.runs.task.digits import DigitsMLP
from tests.playground.engine import Engine, request
from tests.playground.reference import ORDER, Batches, Settings, Stream, Trainer, examples

STEPS = 10
HALF = dict.fromkeys(("weight_format", "activation_format", "gradient_format"), mw.get_format("float16"))
STATIC = LossScale(kind="static", init_scale=1024.0)


@pytest.fixture(autouse=True)
def same_start(monkeypatch):
    """The Python task starts at the weights of seed 3 of the engine and takes its batches."""
    settings = Settings("digits", (32, 32), seed=3)
    original = DigitsMLP.model

    def model(self):
        made = original(self)
        kept = Trainer(settings).kept
        with torch.no_grad():
            for parameter, start in zip(made.parameters(), kept, strict=True):
                parameter.copy_(torch.from_numpy(start).float().T.reshape(parameter.shape))
        return made

    def batches(self, batch_size, seed):
        (inputs, labels), _ = examples("digits", settings.seed)
        order = Batches(len(labels), Stream(settings.seed, ORDER))
        while True:
            rows = order.next(batch_size)
            yield torch.from_numpy(inputs[rows]).float().reshape(-1, 1, 8, 8), torch.from_numpy(labels[rows])

    monkeypatch.setattr(DigitsMLP, "model", model)
    monkeypatch.setattr(DigitsMLP, "batches", batches)


def losses_of_the_core(recipe, optimizer, learning_rate):
    experiment = mw.Experiment(
        task="digits_mlp",
        task_options={"hidden_layers": 2, "width": 32},
        recipe=recipe,
        optimizer=optimizer,
        learning_rate=learning_rate,
        momentum=0.0,
        eps=1e-8,
        batch_size=32,
        steps=STEPS,
        device="cpu",
    )
    return [event.loss for event in mw.train(experiment) if event.kind == "step"]


@pytest.mark.parametrize(("optimizer", "learning_rate"), [("sgd", 2.0), ("adam", 0.01)])
@pytest.mark.parametrize(
    ("recipe", "precision", "tolerance"),
    [("fp32", {}, 1e-4), ("fp16_static", {**HALF, "loss_scale": STATIC}, 1e-2)],
)
def test_losses_of_ten_steps(optimizer, learning_rate, recipe, precision, tolerance):
    settings = Settings(
        "digits",
        (32, 32),
        activation="relu",
        optimizer=optimizer,
        learning_rate=learning_rate,
        seed=3,
        **precision,
    )
    with Engine() as engine:
        ours = [report["loss"] for report in engine.train(request(settings), STEPS)["reports"]]
    core = losses_of_the_core(recipe, optimizer, learning_rate)
    assert ours == pytest.approx(core, abs=tolerance)
    assert core[-1] < core[0] - 0.1  # it learns
