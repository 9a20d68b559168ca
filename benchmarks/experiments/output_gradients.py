"""Row 15: what E4M3 and E5M2 must hold is dy, not the weight gradient."""

import time
from dataclasses import dataclass
from typing import Any

import mixwidgets as mw
from benchmarks.experiments.cells import Figures
from benchmarks.experiments.claims import Claim
from benchmarks.experiments.row import Row, experiment
from mixwidgets.runs.store.events import GradientSnapshot

_FORMATS = {"E4M3": "float8_e4m3fn", "E5M2": "float8_e5m2"}
_DIVISORS = {"": 1, "loss ÷ 64, ": 64}


@dataclass(frozen=True)
class FlushedAtStep1:
    """The share of the first step's non-zero gradients, computed in FP32, that a format would flush to zero.

    Of the weights and biases together, or of dy: of the linear layers' outputs, which training in FP8 casts.
    """

    experiment: mw.Experiment
    format: str
    is_dy: bool

    def measure(self, seed: int) -> Figures:
        start = time.process_time()
        events = mw.train(self.experiment.replace(seed=seed))
        snapshot = next(event for event in events if isinstance(event, GradientSnapshot))
        summaries = (snapshot.output_gradients if self.is_dy else snapshot.summaries).values()
        flushed = sum(summary.counts(self.format).flushed for summary in summaries)
        not_zero = sum(summary.count - summary.zero for summary in summaries)
        return {"flushed": flushed / not_zero, "seconds": time.process_time() - start}

    def to_dict(self) -> dict[str, Any]:
        of = "dy" if self.is_dy else "weights and biases"
        return {"experiment": self.experiment.to_json(), "format": self.format, "gradients": of}


def _cell(format: str, divisor: int, is_dy: bool) -> FlushedAtStep1:
    fields = {"steps": 1, "record_dy": True, "task_options": {"loss_weight": 1 / divisor}}
    return FlushedAtStep1(experiment("fp32", task="digits_mlp", **fields), _FORMATS[format], is_dy)


_RANGE = "arXiv:2209.05433: E4M3 for weights and activations, E5M2 for gradients"

ROWS: dict[str, Row] = {
    "15": Row(
        title="What FP8 must hold is dy: gradients flushed at step 1, the digits MLP",
        columns=("flushed",),
        cells={
            f"{prefix}{format}, {what}": _cell(format, divisor, what == "dy")
            for prefix, divisor in _DIVISORS.items()
            for format in _FORMATS
            for what in ("dy", "weight gradients")
        },
        claims=(
            Claim("flushed", "E4M3, dy", ">", "E4M3, weight gradients"),
            Claim("flushed", "E4M3, dy", ">", 0.98, published=_RANGE),
            Claim("flushed", "E4M3, weight gradients", "<", 0.8),
            Claim("flushed", "E5M2, dy", "<", 0.05, published=_RANGE),
            Claim("flushed", "E5M2, dy", "<", "E5M2, weight gradients"),
            Claim("flushed", "loss ÷ 64, E5M2, dy", ">", "loss ÷ 64, E5M2, weight gradients"),
            Claim("flushed", "loss ÷ 64, E5M2, dy", ">", 0.8),
        ),
    ),
}
