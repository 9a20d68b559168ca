"""Row 18: weights stored in eight or four bits, without float32 masters."""

import time
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch

from benchmarks.experiments.cells import Figures
from benchmarks.experiments.claims import Claim
from benchmarks.experiments.four_bits import GPT
from benchmarks.experiments.row import Row, experiment
from mixwidgets.floats.formats.block_catalogue import any_format
from mixwidgets.floats.formats.block_format import BlockFormat
from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.training.device import training_settings
from mixwidgets.runs.training.loop import make_trainer

_RANDOM_BITS = 24


@dataclass(frozen=True)
class Stored:
    """A float32 run whose matrices are rounded to a format after each update; biases and norms stay float32.

    Recipes keep weights in float32 or 16 bits, so `mw.train` cannot do this.
    """

    experiment: Experiment
    format: str
    rounding: Literal["nearest", "stochastic"] = "nearest"

    def measure(self, seed: int) -> Figures:
        start = time.process_time()
        draws = np.random.default_rng(seed)
        with training_settings():
            trainer = make_trainer(self.experiment.replace(seed=seed), torch.device("cpu"))
            for step in range(1, self.experiment.steps + 1):
                trainer.step(step, observed=False)
                for weight in trainer.weights.values():
                    if weight.ndim == 2:
                        weight.data.copy_(self._stored(weight.data, draws))
            metrics = trainer.evaluate()
        return {**metrics, "seconds": time.process_time() - start}

    def _stored(self, weight: torch.Tensor, draws: np.random.Generator) -> torch.Tensor:
        fmt, options = any_format(self.format), {}
        if self.rounding == "stochastic":
            seed = int(draws.integers(1 << 63))
            options = {"rounding": "stochastic", "random_bits": _RANDOM_BITS, "seed": seed}
        if isinstance(fmt, BlockFormat):
            return fmt.round(weight, 1, **options)
        return fmt.round(weight, overflow="saturate", **options)

    def to_dict(self) -> dict[str, Any]:
        return {"experiment": self.experiment.to_json(), "stored": f"{self.format}, {self.rounding}"}


_FORMATS = ("float32", "float8_e4m3fn", "nvfp4")


def _row(name: str, task: dict[str, Any]) -> Row:
    run = experiment("fp32", **task)
    cells = {format: Stored(run, format) for format in _FORMATS}
    cells["float8_e4m3fn, stochastic"] = Stored(run, "float8_e4m3fn", "stochastic")
    return Row(
        title=f"Weights stored in eight or four bits, without masters: {name}",
        columns=("loss",),
        over="float32",
        cells=cells,
        claims=(
            Claim("loss", "float8_e4m3fn", ">", "float32"),
            Claim("loss", "nvfp4", ">", "float8_e4m3fn"),
            Claim("loss", "float8_e4m3fn, stochastic", "<", "float8_e4m3fn", published=_STOCHASTIC),
            Claim("loss", "float8_e4m3fn, stochastic", "≈", "float32", published=_STOCHASTIC),
        ),
    )


_STOCHASTIC = "arXiv:1502.02551: 16-bit weights learn with stochastic rounding, and hardly to nearest"

ROWS: dict[str, Row] = {
    "18a": _row("a student and its teacher", {"task": "student_teacher", "summary_every": 250}),
    "18b": _row("the GPT", dict(GPT)),
}
