"""The loss scaler: the state machine of `mixwidgets.experiments.loss_scale`, applied to tensors."""

from collections.abc import Sequence

import torch
from torch import Tensor

from mixwidgets.experiments.loss_scale import LossScale

SCALE_FELL_TO_0 = "the loss scale fell to 0"
"""Ends a run, because all further gradients would be 0."""


class Scaler:
    """Unscales gradients in float32 and updates the loss scale."""

    def __init__(self, loss_scale: LossScale) -> None:
        self._rule = loss_scale
        self._state = loss_scale.start()
        self.why_give_up = ""
        """Why training cannot continue; empty while it can."""

    @property
    def scale(self) -> float:
        """The factor for the current step; a float32 value."""
        return self._state.scale

    def unscaled(self, gradients: Sequence[Tensor]) -> list[Tensor]:
        """Float32 gradients divided by the scale."""
        if self.scale == 1:
            return list(gradients)
        inverse = 1 / self.scale  # the product rounds it to float32, as torch.amp.GradScaler does
        return list(torch._foreach_mul(list(gradients), inverse))

    def finish_step(self, found_inf: bool) -> bool:
        """Advance to the next step's scale. Returns whether this step's update must be skipped."""
        if self._rule.gives_up(self._state, found_inf):
            self.why_give_up = f"the loss scale is at its floor, {self.scale:g}, and a gradient is inf or NaN"
        self._state = self._rule.after(self._state, found_inf)
        if self.scale == 0:
            self.why_give_up = SCALE_FELL_TO_0
        return self._rule.skips(found_inf)
