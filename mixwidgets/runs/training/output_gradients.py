"""dy, the gradient of a linear layer's output: summarised while the backward pass computes it."""

from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import Any, Self

from torch import Tensor, nn

from mixwidgets.floats.gradients.lazy import LazySummaries, merged
from mixwidgets.runs.training.gradients import Pending, begin, grid_after_unscaling, unscaled


class OutputGradients:
    """A context for one step's forward and backward passes: `with OutputGradients(model, loss_scale) as dy:
    …`, then `dy.summaries()`.

    Hooks see dy as it arrives at each call of an nn.Linear, or of a class derived from it: scaled, in the
    dtype of the layer's output. A recipe with operands rounds it next. Here it is unscaled in float32 and
    counted at once, so that no dy is kept longer than the backward pass needs it.
    """

    def __init__(self, model: nn.Module, loss_scale: float) -> None:
        self._scale = loss_scale
        self._layers = {name: each for name, each in model.named_modules() if isinstance(each, nn.Linear)}
        self._parts: dict[str, list[Pending]] = {name: [] for name in self._layers}

    def __enter__(self) -> Self:
        self._hooks = ExitStack()
        for name, layer in self._layers.items():
            self._hooks.enter_context(layer.register_forward_hook(partial(self._follow, name)))
        return self

    def __exit__(self, *error: object) -> None:
        self._hooks.close()

    def summaries(self) -> LazySummaries:
        """By the layer's name, in the model's order. Waits for the device."""
        return merged(part() for parts in self._parts.values() for part in parts)

    def _follow(self, name: str, layer: nn.Module, inputs: Any, output: Tensor) -> None:
        if output.requires_grad:
            output.register_hook(partial(self._add, name))  # type: ignore[no-untyped-call]

    def _add(self, name: str, dy: Tensor) -> None:
        grid = grid_after_unscaling(dy.dtype, self._scale)
        counted = begin({name: unscaled([dy], self._scale)[0]}, kept=0)
        self._parts[name].append(lambda: counted().mapped(lambda _, summary: replace(summary, grid=grid)))
