"""The weights: float32 masters with narrow copies, or narrow weights alone."""

from collections.abc import Iterable, Mapping

import torch
from torch import Tensor, nn

from mixwidgets.floats.formats.catalogue import get_format
from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.training.multi_tensor import in_dtype
from mixwidgets.runs.training.precision import DTYPES
from mixwidgets.runs.training.rounding import Rounding

_RANDOM_BITS = 24  # of stochastic rounding; the bias is then below the noise


class Weights:
    """A model's weights, the copies that the forward pass uses, and the optimiser that updates them.

    With master weights (Micikevicius et al., section 3.1) float32 weights are kept and updated, and the
    forward pass uses copies in the compute format. Without them, the narrow weights are both kept and used:
    the optimiser updates float32 copies, and its result is rounded; or, if its state is in the compute format
    too, torch's optimiser updates the narrow weights directly.
    """

    def __init__(self, experiment: Experiment, model: nn.Module, before: "Weights | None" = None) -> None:
        """before: those of the model in another recipe, which go on here as they are kept: exactly, if the
        new format has their values, else rounded to nearest. So does the state of their optimiser."""
        recipe = experiment.recipe
        compute = DTYPES[recipe.compute_format]
        kept_in = torch.float32 if recipe.master_weights else compute
        trained = trained_weights(model)
        stored: Mapping[str, Tensor] = before.kept if before else trained
        self.kept: Mapping[str, Tensor] = {
            name: weight.detach().to(kept_in) for name, weight in stored.items()
        }
        """By parameter name: the weights between steps."""
        for name, weight in trained.items():
            weight.data = self.kept[name].to(compute)
        self.read = trained
        """By parameter name: the weights of the forward pass, which are the model's own. They share memory
        with `kept` if the formats are equal."""
        self._copies = kept_in != compute
        self._state_dtype = DTYPES[recipe.optimizer_format]
        self._works_wide = kept_in != torch.float32 and self._state_dtype == torch.float32
        self._converts_state = recipe.master_weights and self._state_dtype != torch.float32
        self._worked = {n: w.float() for n, w in self.kept.items()} if self._works_wide else self.kept
        self._round_to = get_format(recipe.compute_format)
        self._stochastic = recipe.weight_rounding == "stochastic"
        worked = list(self._worked.values())
        self._rounding = Rounding(on_device=worked[0].is_cuda, seed=experiment.seed, random_bits=_RANDOM_BITS)
        # One kernel for all weights. Not for narrow formats, where it would compute in float32.
        fused = True if worked[0].is_cuda and worked[0].dtype == torch.float32 else None
        self.optimizer = make_optimizer(experiment, worked, fused=fused)
        """torch's optimiser. Between steps its state is in the recipe's `optimizer_format`."""
        if before:  # torch converts the state to the formats of the weights that it updates
            state = before.optimizer.state_dict()["state"]
            self.optimizer.load_state_dict({**self.optimizer.state_dict(), "state": state})
            self._convert_state(self._state_dtype)

    def held(self) -> Mapping[str, Iterable[Tensor]]:
        """All tensors by kind of memory. The optimiser's float32 copies of narrow weights are its state."""
        state = [*self._worked.values(), *optimizer_state(self.optimizer)]
        return {"weights": self.read.values(), "master": self.kept.values(), "optimizer": state}

    def refresh_copies(self) -> None:
        """Round the kept weights to the copies that the forward pass uses."""
        if self._copies:
            with torch.no_grad():
                torch._foreach_copy_(list(self.read.values()), list(self.kept.values()))

    def update(self, gradients: Mapping[str, Tensor]) -> None:
        """One optimiser step with the unscaled float32 gradients."""
        worked = list(self._worked.values())
        for weight, gradient in zip(worked, in_dtype(list(gradients.values()), worked[0].dtype), strict=True):
            weight.grad = gradient
        if self._works_wide:
            torch._foreach_copy_(worked, list(self.kept.values()))
        self._convert_state(torch.float32)
        self.optimizer.step()
        self._convert_state(self._state_dtype)
        self.optimizer.zero_grad()  # frees them before the next forward and backward pass
        if self._works_wide:
            self._round()

    def _convert_state(self, dtype: torch.dtype) -> None:
        """Widen a narrow state for the float32 step, or narrow it afterwards."""
        states = self.optimizer.state.values() if self._converts_state else ()
        places = [(state, name) for state in states for name in state if name != "step"]  # Adam's count
        converted = in_dtype([state[name] for state, name in places], dtype)
        for (state, name), value in zip(places, converted, strict=True):
            state[name] = value

    def _round(self) -> None:
        wide = list(self._worked.values())
        if self._stochastic and self._rounding.on_device:  # all at once, in a few launches
            flat = self._rounded(torch.cat([weight.reshape(-1) for weight in wide]))
            parts = torch.split(flat, [weight.numel() for weight in wide])
            wide = [part.view_as(weight) for part, weight in zip(parts, wide, strict=True)]
        elif self._stochastic:
            wide = list(map(self._rounded, wide))
        torch._foreach_copy_(list(self.kept.values()), wide)

    def _rounded(self, wide: Tensor) -> Tensor:
        """float32 → float32 values of the compute format."""
        return self._rounding.to_float(self._round_to, wide, saturate=False)


def trained_weights(model: nn.Module) -> dict[str, nn.Parameter]:
    """The parameters that require a gradient, by name."""
    return {name: weight for name, weight in model.named_parameters() if weight.requires_grad}


def optimizer_state(optimizer: torch.optim.Optimizer) -> list[Tensor]:
    """The tensors of the optimiser's state, without Adam's step counts."""
    return [
        value
        for state in optimizer.state.values()
        for name, value in state.items()
        if name != "step" and isinstance(value, Tensor)
    ]


def make_optimizer(
    experiment: Experiment, weights: list[Tensor], *, fused: bool | None = None
) -> torch.optim.Optimizer:
    """torch.optim.Adam or torch.optim.SGD with the experiment's hyper-parameters; `fused` is passed on."""
    if experiment.optimizer == "sgd":
        return torch.optim.SGD(
            weights, lr=experiment.learning_rate, momentum=experiment.momentum, fused=fused
        )
    betas = (0.9, experiment.beta2)
    return torch.optim.Adam(
        weights, lr=experiment.learning_rate, betas=betas, eps=experiment.eps, fused=fused
    )
