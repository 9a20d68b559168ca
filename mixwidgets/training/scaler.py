"""The loss scaler: the state machine of `mixwidgets.runs.loss_scale`, applied to tensors."""

from collections.abc import Iterable

import torch
from torch import Tensor

from mixwidgets.runs.loss_scale import LossScale


class Scaler:
    """Scales a loss, unscales its gradients in float32, and follows what they held."""

    def __init__(self, loss_scale: LossScale) -> None:
        self._rule = loss_scale
        self._state = loss_scale.start()

    @property
    def scale(self) -> float:
        """The factor for the step at hand; a float32 value."""
        return self._state.scale

    def unscale(self, gradients: Iterable[Tensor]) -> None:
        """Divide float32 gradients by the scale, in place."""
        if self.scale != 1:
            for gradient in gradients:
                gradient.mul_(1 / self.scale)  # the reciprocal rounded to float32, as torch.amp.GradScaler

    def finish_step(self, found_inf: bool) -> bool:
        """Move on to the next step's scale; whether the weights must be left alone comes back."""
        self._state = self._rule.after(self._state, found_inf)
        return self._rule.skips(found_inf)


def find_inf(gradients: Iterable[Tensor]) -> bool:
    """Whether any element of any tensor is an inf or a NaN. One look at the device."""
    return not torch.stack([gradient.isfinite().all() for gradient in gradients]).all().item()
