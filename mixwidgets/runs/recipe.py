"""Recipes: how the numbers of a training run are kept."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, Self

from mixwidgets.runs.checks import check_names, choice
from mixwidgets.runs.loss_scale import LossScale

ComputeFormat = Literal["float32", "float16", "bfloat16"]

_COMPUTE_FORMATS = ("float32", "float16", "bfloat16")


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How numbers are kept. Master weights, softmax, loss and optimiser state are always float32.

    Wrong values raise ValueError, wrong types and unknown names TypeError.
    """

    compute_format: ComputeFormat = "float32"
    """The format of the weights' copies, the activations and their gradients."""
    loss_scale: LossScale = dataclasses.field(default_factory=LossScale)
    """What the loss is multiplied by before the backward pass."""

    def __new__(cls, **given: Any) -> Self:
        check_names("Recipe", given, [field.name for field in dataclasses.fields(cls)])
        return super().__new__(cls)

    def __post_init__(self) -> None:
        choice("compute_format", self.compute_format, _COMPUTE_FORMATS)
        if not isinstance(self.loss_scale, LossScale):
            raise TypeError(
                f"loss_scale takes a LossScale (from mixwidgets.runs.loss_scale); {self.loss_scale!r} came. "
                "A constant factor is LossScale(kind='static', init_scale=1024.0)."
            )

    @property
    def name(self) -> str:
        """The name of the preset that this recipe equals, else "custom"."""
        return next((name for name, preset in recipes.items() if preset == self), "custom")

    def replace(self, **changes: Any) -> Self:
        """The same recipe with some fields changed: `recipes["fp32"].replace(compute_format="bfloat16")`."""
        return type(self)(**{"compute_format": self.compute_format, "loss_scale": self.loss_scale, **changes})

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON values."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Self:
        """The reverse of `to_dict`."""
        loss_scale = fields.get("loss_scale", {})
        if not isinstance(loss_scale, Mapping):
            raise TypeError(f"loss_scale takes an object such as {{'kind': 'none'}}; {loss_scale!r} came.")
        return cls(**{**fields, "loss_scale": LossScale.from_dict(loss_scale)})


recipes: Mapping[str, Recipe] = MappingProxyType(
    {
        "fp32": Recipe(),
        "fp16_unscaled": Recipe(compute_format="float16"),
        "fp16_static": Recipe(
            compute_format="float16", loss_scale=LossScale(kind="static", init_scale=2.0**10)
        ),
        "fp16_dynamic": Recipe(
            compute_format="float16",
            loss_scale=LossScale(kind="dynamic", init_scale=2.0**16, growth_interval=25),
        ),
        "bf16": Recipe(compute_format="bfloat16"),
    }
)
"""The presets by name, immutable.

"fp16_dynamic" starts at torch's 2^16 but grows after 25 good steps: torch's own default of 2000 never fires
in a run of a few hundred steps.
"""
