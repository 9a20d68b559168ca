"""The experiments that tests/training/test_ranks.py trains on two ranks and on one."""

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.loss_scale import LossScale
from mixwidgets.runs.experiments.recipe import recipes

BASE = Experiment(task="digits_mlp", steps=25, batch_size=32, summary_every=10, device="cpu")
ENDLESS = BASE.replace(steps=10_000_000)
TINY = BASE.replace(steps=20, learning_rate=1e-2)

OWN = '''
import numpy as np
import torch
from torch import nn
from torch.nn import functional

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 16), nn.Dropout(0.5), nn.BatchNorm1d(16), nn.Linear(16, 2))
        self.unused = nn.Linear(2, 2)
        nn.init.constant_(self.layers[3].bias, float(np.random.default_rng().normal()))

    def forward(self, x):
        return self.layers(x)

class Own:
    """Everything that ranks could do apart: weights, batches, dropout, running statistics."""

    def model(self):
        return Model()

    def batches(self, batch_size, seed):
        while True:
            x = torch.randn(1, 4).expand(batch_size, 4)
            yield x, (x[:, 0] > 0).long()

    def loss(self, outputs, targets):
        return functional.cross_entropy(outputs, targets)

    def evaluate(self, predict):
        x = torch.randn(64, 4)
        return {"loss": self.loss(predict(x), (x[:, 0] > 0).long()).item()}
'''
HUGE = '''
import torch
from torch import nn

class Huge:
    """Every third batch ends with an example whose gradient is past float16."""

    def model(self):
        return nn.Linear(4, 1)

    def batches(self, batch_size, seed):
        generator, step = torch.Generator().manual_seed(seed), 0
        while True:
            step += 1
            x = torch.randn(batch_size, 4, generator=generator)
            if step % 3 == 0:
                x[-1] = 5e4
            yield x, x.sum(1, keepdim=True).clamp(-4, 4)

    def loss(self, outputs, targets):
        return torch.nn.functional.l1_loss(outputs.float(), targets.float())

    def evaluate(self, predict):
        x = torch.ones(8, 4)
        return {"loss": (predict(x) - 4).abs().mean().item()}
'''

IN_STEP = recipes["fp16_dynamic"].replace(
    loss_scale=LossScale(kind="dynamic", init_scale=2.0**12, growth_interval=4)
)
CASES = {
    **{name: BASE.replace(recipe=name) for name in ("fp32", "fp16_static", "fp16_dynamic", "bf16")},
    **{name: BASE.replace(recipe=name) for name in ("amp_fp16", "amp_bf16")},
    "clipped": BASE.replace(optimizer="sgd", learning_rate=0.5, clip_norm=0.1),
    "stochastic": BASE.replace(recipe="bf16_weights_stochastic"),
    "flushed": BASE.replace(recipe="fp16_unscaled", fp32_reference=True, task_options={"loss_weight": 1e-3}),
    "gpt": BASE.replace(task="char_gpt", batch_size=4, steps=4),
    **{
        f"{size} of {recipe}": TINY.replace(recipe=recipe, batch_size=size, micro_batches=min(size, 3))
        for size in (7, 1)
        for recipe in ("fp32", "amp_bf16")
    },
    **{
        f"own {name}": TINY.replace(task="Own", task_source=OWN, recipe=name, batch_size=7)
        for name in ("fp32", "amp_bf16")
    },
    "own even": TINY.replace(task="Own", task_source=OWN, batch_size=8),
    "huge": TINY.replace(task="Huge", task_source=HUGE, recipe=IN_STEP, batch_size=8),
    "huge amp": TINY.replace(
        task="Huge",
        task_source=HUGE,
        recipe=recipes["amp_fp16"].replace(loss_scale=IN_STEP.loss_scale),
        batch_size=8,
    ),
    "diverges": BASE.replace(learning_rate=1e30, optimizer="sgd"),
}
