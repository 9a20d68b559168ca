"""Row 13: what makes the error of dW smaller makes that of dy larger."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

import mixwidgets as mw
from benchmarks.experiments.cells import Figures, arithmetic
from benchmarks.experiments.claims import Claim
from benchmarks.experiments.four_bits import GPT
from benchmarks.experiments.row import Row, experiment
from mixwidgets.floats.formats.block_catalogue import get_block_format
from mixwidgets.floats.formats.hadamard import hadamard, random_signs, rotated
from mixwidgets.runs.training.device import training_settings
from mixwidgets.runs.training.loop import make_trainer
from mixwidgets.runs.training.operands import RoundedLinear

Layer = tuple[Tensor, Tensor, Tensor]
"""x (n, in), W (out, in) and dy (n, out) of one linear layer at one step, in float32."""
_HEAD = "output"
_WAYS: Mapping[str, Mapping[str, Any]] = {
    "nearest": {},
    "Hadamard": {"hadamard": True},
    "stochastic": {"gradient_rounding": "stochastic"},
}


@cache
def layers(seed: int) -> Mapping[str, Layer]:
    """Those of the GPT after a run in BF16, for its next batch, computed in float32."""
    run = experiment("bf16", **GPT).replace(seed=seed)
    with training_settings():
        trainer = make_trainer(run, torch.device("cpu"))
        for step in range(1, run.steps + 1):
            trainer.step(step, observed=False)
        model = trainer.task.model()
        model.load_state_dict(trainer.weights, strict=False)
        inputs, targets = next(trainer.task.batches(run.batch_size, seed + 1))
        return watched(model, lambda: trainer.task.loss(model(inputs), targets))


def watched(model: nn.Module, loss: Callable[[], Tensor]) -> Mapping[str, Layer]:
    """The linear layers of a model in the backward pass of a loss, by name."""
    found: dict[str, Layer] = {}
    names = {layer: name for name, layer in model.named_modules() if isinstance(layer, nn.Linear)}

    def watch(layer: nn.Linear, given: tuple[Tensor], y: Tensor) -> None:
        def keep(dy: Tensor) -> None:
            found[names[layer]] = given[0].detach().flatten(0, -2), layer.weight.detach(), dy.flatten(0, -2)

        y.register_hook(keep)

    for layer in names:
        layer.register_forward_hook(watch)
    loss().backward()
    return found


def head(format: str, way: str, seed: int) -> Figures:
    """The GPT's head after a run in BF16: the relative errors of dy, as the product for dW takes it, and of
    dW = dyᵀ x, with both operands rounded to the format."""
    return _errors(format, way, layers(seed)[_HEAD], seed)


def blocks(format: str, seed: int) -> Figures:
    """The eight other linear layers of this GPT: how many have a smaller error of dy, and how many of dW,
    with a Hadamard transform than without."""
    others = [layer for name, layer in layers(seed).items() if name != _HEAD]
    plain, turned = (
        [_errors(format, way, layer, seed) for layer in others] for way in ("nearest", "Hadamard")
    )
    helped = {
        f"{name}_helped": sum(b[name] < a[name] for a, b in zip(plain, turned, strict=True))
        for name in ("dy", "dw")
    }
    return {"layers": len(others), **helped}


def outliers(format: str, way: str, seed: int) -> Figures:
    """1,024 × 128 standard normal values dy, of which each 16th along the first axis is 50: their relative
    error in blocks along this axis."""
    dy = np.random.default_rng(seed).standard_normal((1024, 128), np.float32)
    dy[::16] = 50
    return {"dy": _dy_error(format, way, torch.from_numpy(dy), seed)}


def _errors(format: str, way: str, layer: Layer, seed: int) -> Figures:
    x, weight, dy = layer
    operands = mw.Operands(forward=format, backward=format, **_WAYS[way])
    weight = weight.clone().requires_grad_()
    y = RoundedLinear(operands, seed=seed)(x, weight)
    (rounded,) = torch.autograd.grad(y, weight, dy)
    return {"dy": _dy_error(format, way, dy, seed), "dw": _relative(rounded, dy.T @ x)}


def _dy_error(format: str, way: str, dy: Tensor, seed: int) -> float:
    options: dict[str, Any] = {}
    if way == "Hadamard":  # a rotation changes no norm, so the error is that of the rotated values
        dy = rotated(dy, torch.from_numpy(hadamard(signs=random_signs(seed).tolist())).float(), 0)
    elif way == "stochastic":
        options = {"rounding": "stochastic", "random_bits": 16, "seed": seed}
    return _relative(get_block_format(format).round(dy, 0, **options), dy)


def _relative(found: Tensor, exact: Tensor) -> float:
    return ((found - exact).norm() / exact.norm()).item()


_FORMATS = ("nvfp4", "mxfp4")
_OUTLIERS = "arXiv:2509.25149, section 4.2: Hadamard transforms spread outliers, which helps dW"
_UNBIASED = "arXiv:2509.25149, section 4.4: stochastic rounding of gradients avoids their bias"

ROWS: dict[str, Row] = {
    "13a": Row(
        title="Error of dy up, error of dW down: the GPT's head",
        columns=("dy", "dw"),
        cells={f"{format}, {way}": arithmetic(head, format, way) for format in _FORMATS for way in _WAYS},
        claims=tuple(
            claim
            for format in _FORMATS
            for way, published in (("Hadamard", _OUTLIERS), ("stochastic", _UNBIASED))
            for claim in (
                Claim("dw", f"{format}, {way}", "<", f"{format}, nearest", published=published),
                Claim("dy", f"{format}, {way}", ">", f"{format}, nearest"),
            )
        ),
    ),
    "13b": Row(
        title="Error of dy and of dW with a Hadamard transform: the GPT's other layers",
        columns=("layers", "dy_helped", "dw_helped"),
        cells={format: arithmetic(blocks, format) for format in _FORMATS},
        claims=(
            Claim("dy_helped", "mxfp4", "=", 8, published=_OUTLIERS),
            Claim("dy_helped", "nvfp4", "=", 0, published=_OUTLIERS),
            Claim("dw_helped", "nvfp4", "<", "mxfp4"),
        ),
    ),
    "13c": Row(
        title="Error of dy with a Hadamard transform: normal values, one of 16 replaced by 50",
        columns=("dy",),
        cells={
            f"{format}, {way}": arithmetic(outliers, format, way)
            for format in _FORMATS
            for way in ("nearest", "Hadamard")
        },
        claims=(Claim("dy", "nvfp4, Hadamard", ">", "nvfp4, nearest", published=_OUTLIERS),),
    ),
}
