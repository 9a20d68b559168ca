"""The mixed-precision training loop, written out.

Micikevicius et al., "Mixed Precision Training", ICLR 2018, arXiv:1710.03740: the numbered comments follow its
figure 1 and its section 3 (3.1 master weights, 3.2 loss scaling, 3.3 arithmetic precision).
"""

from collections.abc import Callable, Container, Iterable, Mapping
from functools import partial

import torch
from torch import Tensor, nn
from torch.func import functional_call

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.recipe import Recipe, recipes
from mixwidgets.runs.task.protocol import Outputs
from mixwidgets.runs.training.gradients import unscaled
from mixwidgets.runs.training.multi_tensor import in_dtype, on_floats
from mixwidgets.runs.training.precision import DTYPES, Precision
from mixwidgets.runs.training.ranks import ALONE, Part, Ranks
from mixwidgets.runs.training.trainer import Gradients, Trainer
from mixwidgets.runs.training.weights import Weights


class ExplicitTrainer(Trainer):
    """The paper's loop, with the choices of the recipe."""

    def __init__(self, experiment: Experiment, device: torch.device, ranks: Ranks = ALONE) -> None:
        super().__init__(experiment, device, ranks)
        for _, recipe in experiment.phases:
            Precision(recipe, device, model=self.model)  # an error of this device comes now, not in mid-run
        self._weights = Weights(experiment, self.model)
        self._state = self.recipe.loss_scale.start()
        self._adopt()

    def change_recipe(self, recipe: Recipe) -> None:
        if recipe.loss_scale != self.recipe.loss_scale:
            self._state = recipe.loss_scale.start()
        self.recipe = recipe
        self._weights = Weights(self.experiment.replace(recipe=recipe), self.model, self._weights)
        self._adopt()

    def _adopt(self) -> None:
        """Compute as the recipe says, with weights that are already kept in its formats."""
        seed = self.ranks.own_seed(self.experiment.seed)
        self._precision = Precision(self.recipe, self.device, seed, self.model)
        self._scaling = self.recipe.loss_scale
        self._constants = narrow_constants(self.model, self._precision.dtype)
        self._sum_dtype = DTYPES[self.recipe.accumulation_format]
        if self.ranks is ALONE:
            sums = self.experiment.micro_batches > 1 or self._sum_dtype != torch.float32
            self.source_dtype = self._sum_dtype if sums else self._precision.dtype
        self.arithmetic, self.weights = self._precision.name, self._weights.kept
        self.optimizer = self._weights.optimizer
        self.loss_scale = self._state.scale

    def held(self) -> Mapping[str, Iterable[Tensor]]:
        return self._weights.held()

    def outputs(self, inputs: Tensor) -> Outputs:
        return self._outputs(self._precision, self._constants, inputs)

    def outputs_in_bf16(self) -> Callable[[Tensor], Outputs]:
        precision = Precision(recipes["bf16"], self.device)
        weights = dict(zip(self.weights, in_dtype([*self.weights.values()], precision.dtype), strict=True))
        return partial(self._outputs, precision, {**narrow_constants(self.model, precision.dtype), **weights})

    def _outputs(self, precision: Precision, narrow: dict[str, Tensor], inputs: Tensor) -> Outputs:
        """narrow: the tensors that take the place of the model's own, by name."""
        if inputs.is_floating_point():
            inputs = inputs.to(precision.dtype)
        with precision:
            return functional_call(self.model, narrow, (inputs,)) if narrow else self.model(inputs)

    def backward(self, part: Part) -> tuple[Tensor, Gradients]:
        read = list(self._weights.read.values())
        sums: list[Tensor] = []
        losses = []
        for x, y, share in self.micro_batches(part):
            # 2. Forward in the compute format; products accumulate in float32, as do softmax and norms.
            outputs = self.outputs(x)
            # 3. The loss in float32 (3.3).
            if "loss" in self.recipe.fp32_ops:
                outputs = on_floats(Tensor.float, outputs)
            loss = self.task.loss(outputs, y) * share
            losses.append(loss.detach().float())
            # 4. Scale the loss (3.2).
            # 5. Backward in the compute format: by the chain rule every gradient is scaled.
            scaled = torch.autograd.grad(
                loss * self.loss_scale, read, allow_unused=True, materialize_grads=True
            )
            # 6. Sum the micro-batches' gradients in float32 (3.3).
            more = in_dtype(scaled, self._sum_dtype)
            sums = list(torch._foreach_add(sums, more)) if sums else more
        # 7. Unscale in float32, before clipping or anything else that depends on magnitudes (3.2).
        gradients = unscaled(sums, self.loss_scale)
        # Sum over the ranks last, in float32, so that an inf on one rank becomes one on all.
        loss, *gradients = self.ranks.sum([torch.stack(losses).sum(), *gradients])
        return loss, dict(zip(self._weights.read, gradients, strict=True))

    def update(self, gradients: Gradients, found_inf: bool) -> bool:
        # 8. The rule of the loss scale decides on this update and on the next scale (3.2).
        skipped = self._scaling.skips(found_inf)
        if self._scaling.gives_up(self._state, found_inf):
            self.why_give_up = (
                f"the loss scale is at its floor, {self.loss_scale:g}, and a gradient is inf or NaN"
            )
        self._state = self._scaling.after(self._state, found_inf)
        self.loss_scale = self._state.scale
        if not skipped:
            # 9. Update the float32 master weights (3.1) …
            self._weights.update(gradients)
            # 1. … and copy them to the compute format for the next step (3.1).
            self._weights.refresh_copies()
        return skipped


def narrow_constants(model: nn.Module, dtype: torch.dtype, *, but: Container[str] = ()) -> dict[str, Tensor]:
    """Frozen weights and floating-point buffers, such as position encodings, in the compute format, like the
    inputs, but for these names. Running statistics are left out, because the model writes to them."""
    running = {
        f"{prefix}.{name}".removeprefix(".")
        for prefix, module in model.named_modules()
        if hasattr(module, "running_mean")
        for name, _ in module.named_buffers(recurse=False)
    }
    frozen = {name: weight for name, weight in model.named_parameters() if not weight.requires_grad}
    return {
        name: constant.detach().to(dtype)
        for name, constant in {**frozen, **dict(model.named_buffers())}.items()
        if name not in but and name not in running and constant.is_floating_point()
    }
