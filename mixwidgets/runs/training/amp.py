"""The training loop of torch.amp: torch.autocast and torch.amp.GradScaler around a plain model."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

import torch
from torch import Tensor

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.recipe import Recipe
from mixwidgets.runs.task.protocol import Outputs
from mixwidgets.runs.training.precision import DTYPES, cpu_words, is_emulated, name_of
from mixwidgets.runs.training.ranks import ALONE, Part, Ranks
from mixwidgets.runs.training.trainer import Gradients, Trainer
from mixwidgets.runs.training.weights import make_optimizer, optimizer_state, trained_weights


class AmpTrainer(Trainer):
    """torch's own mixed precision, as in its "Automatic Mixed Precision examples".

    The model keeps float32 weights. Inside torch.autocast every function, including the loss, runs in the
    precision of autocast's lists, which differ between CPU and CUDA. Gradients and their sums over
    micro-batches are float32.

    GradScaler checks for inf and NaN before it unscales. With a loss scale below 1 a finite gradient may
    become infinite after the check; `found_inf` is then recorded, but torch.amp does not skip the update.
    """

    def __init__(self, experiment: Experiment, device: torch.device, ranks: Ranks = ALONE) -> None:
        super().__init__(experiment, device, ranks)
        self._parameters = trained_weights(self.model)
        self._replica, self._without_sums = self.ranks.replica(self.model)
        self.optimizer = make_optimizer(experiment, list(self._parameters.values()))
        self._updates = 0
        self.optimizer.register_step_post_hook(self._count_update)
        self.weights = {name: weight.detach() for name, weight in self._parameters.items()}
        self._adopt()
        self._start_scale()

    def change_recipe(self, recipe: Recipe) -> None:
        before, self.recipe = self.recipe, recipe
        self._adopt()
        if recipe.loss_scale != before.loss_scale:
            self._start_scale()

    def _adopt(self) -> None:
        """Compute in the recipe's format."""
        self._dtype = DTYPES[self.recipe.compute_format]
        self.arithmetic = f"torch.autocast to {name_of(self._dtype)}"
        if self.device.type == "cpu":
            emulated = ", whose products this CPU emulates, slowly" * is_emulated(self._dtype)
            self.arithmetic += cpu_words(self._dtype) + emulated

    def _start_scale(self) -> None:
        rule = self.recipe.loss_scale
        self._keeps_scale = rule.kind == "static"
        self._scaler = torch.amp.GradScaler(
            self.device.type,
            init_scale=rule.init_scale,
            growth_factor=rule.growth_factor,
            backoff_factor=rule.backoff_factor,
            growth_interval=rule.growth_interval,
            enabled=rule.kind != "none",
        )
        self.loss_scale = rule.start().scale

    def held(self) -> Mapping[str, Iterable[Tensor]]:
        state = optimizer_state(self.optimizer)
        return {"weights": [], "master": self._parameters.values(), "optimizer": state}

    def outputs(self, inputs: Tensor) -> Outputs:
        with self._autocast():
            return self.model(inputs)

    def backward(self, part: Part) -> tuple[Tensor, Gradients]:
        self.optimizer.zero_grad()
        *first, last = self.micro_batches(part)
        with self._without_sums():
            losses = [self._accumulate(*each) for each in first]
        losses.append(self._accumulate(*last))
        (loss,) = self.ranks.sum([torch.stack(losses).sum()])
        self._scaler.unscale_(self.optimizer)
        gradients = {
            name: torch.zeros_like(weight) if weight.grad is None else weight.grad
            for name, weight in self._parameters.items()
        }
        return loss, gradients

    def _accumulate(self, x: Tensor, y: Tensor, share: float) -> Tensor:
        """Accumulate a micro-batch's gradients. Returns its part of the loss, in float32."""
        with self._autocast():
            loss = self.task.loss(self._replica(x), y) * share
        self._scaler.scale(loss).backward()  # type: ignore[no-untyped-call]
        return loss.detach().float()

    @contextmanager
    def _autocast(self) -> Iterator[None]:
        try:
            with torch.autocast(self.device.type, self._dtype):
                yield
        except RuntimeError as error:
            if "primitive" not in str(error):  # oneDNN's word for the implementation of a layer
                raise
            raise RuntimeError(
                f"torch.autocast cast a layer to {name_of(self._dtype)} that torch cannot compute in it "
                f"on this CPU (on many CPUs, nn.LSTM): {error} Use a recipe without amp, such as 'bf16' or "
                "'fp16_dynamic', which casts the weights itself; or write out the layer's cell; or use a GPU."
            ) from error

    def update(self, gradients: Gradients, found_inf: bool) -> bool:
        for name, weight in self._parameters.items():
            weight.grad = gradients[name]
        before = self._updates
        self._scaler.step(self.optimizer)
        self._scaler.update(self.loss_scale if self._keeps_scale else None)
        self.loss_scale = self._scaler.get_scale()
        return self._updates == before

    def _count_update(self, *_: object) -> None:
        self._updates += 1
