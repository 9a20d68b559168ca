"""The loss scale as a pure state machine: (state, found_inf) → state.

Micikevicius et al., "Mixed Precision Training", ICLR 2018, section 3.2. The dynamic kind steps exactly as
torch.amp.GradScaler does (torch's `amp_update_scale` kernel): the scale is a float32; bad steps multiply it
by `backoff_factor`, without a floor; `growth_interval` good steps in a row multiply it by `growth_factor`
unless that would overflow float32.
"""

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Self

import numpy as np

from mixwidgets.runs.checks import check_names, choice, real_number, whole_number

Kind = Literal["none", "static", "dynamic"]

_KINDS = ("none", "static", "dynamic")
_FLOAT32 = np.finfo(np.float32)


class LossScaleState(NamedTuple):
    """What a scaler carries from step to step."""

    scale: float
    """The factor that the next step's loss is multiplied by; always a float32 value."""
    growth_tracker: int = 0
    """Good steps in a row since the scale last changed."""


@dataclass(frozen=True, kw_only=True)
class LossScale:
    """How the loss is scaled before the backward pass. Wrong values raise ValueError or TypeError."""

    kind: Kind = "none"
    """"none": no scale and no check, as in a plain half-precision loop; "static": `init_scale` throughout,
    steps with inf or NaN gradients are skipped; "dynamic": the same, and the scale follows."""
    init_scale: float = 1.0
    """The scale of the first step; 1 for "none". A power of two changes no significand."""
    growth_factor: float = 2.0
    """"dynamic": the scale is multiplied by this (> 1) after `growth_interval` good steps."""
    backoff_factor: float = 0.5
    """"dynamic": the scale is multiplied by this (0 … 1) after a skipped step."""
    growth_interval: int = 2000
    """"dynamic": good steps in a row before the scale grows. 2000 is torch's default."""

    def __new__(cls, **given: Any) -> Self:
        check_names("LossScale", given, [field.name for field in dataclasses.fields(cls)])
        return super().__new__(cls)

    def __post_init__(self) -> None:
        def settle(name: str, value: object) -> None:
            object.__setattr__(self, name, value)

        choice("kind", self.kind, _KINDS)
        settle(
            "init_scale",
            real_number(
                "init_scale",
                self.init_scale,
                "a finite number above 0 that float32 can hold, such as 65536.0",
                float(_FLOAT32.smallest_subnormal),
                float(_FLOAT32.max),
            ),
        )
        growth = real_number("growth_factor", self.growth_factor, "a number above 1", 1, 2.0**64)
        settle("growth_factor", growth)
        backoff = real_number("backoff_factor", self.backoff_factor, "a number between 0 and 1", 0, 1)
        settle("backoff_factor", backoff)
        settle("growth_interval", whole_number("growth_interval", self.growth_interval, 1, 10**9))
        if growth == 1:
            raise ValueError("growth_factor takes a number above 1; 1 came: kind='static' keeps the scale.")
        if backoff in (0, 1):
            raise ValueError(f"backoff_factor lies between 0 and 1, both excluded; {backoff:g} came.")
        if self.kind == "none" and self.init_scale != 1:
            raise ValueError(
                f"kind 'none' scales by nothing, but init_scale is {self.init_scale:g}: "
                "did you mean kind='static'?"
            )

    def replace(self, **changes: Any) -> Self:
        """The same loss scale with some fields changed, checked anew."""
        return type(self)(**{**dataclasses.asdict(self), **changes})

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Self:
        """The reverse of `dataclasses.asdict`."""
        return cls(**fields)

    def start(self) -> LossScaleState:
        """The state before the first step."""
        return LossScaleState(float(np.float32(self.init_scale)))

    def skips(self, found_inf: bool) -> bool:
        """Whether a step whose gradients hold an inf or a NaN (`found_inf`) leaves the weights alone."""
        return found_inf and self.kind != "none"

    def after(self, state: LossScaleState, found_inf: bool) -> LossScaleState:
        """The state after a step."""
        if self.kind != "dynamic":
            return state
        if found_inf:
            return LossScaleState(float(np.float32(state.scale * self.backoff_factor)))
        good_steps = state.growth_tracker + 1
        if good_steps < self.growth_interval:
            return LossScaleState(state.scale, good_steps)
        with np.errstate(over="ignore"):
            grown = float(np.float32(state.scale * self.growth_factor))
        return LossScaleState(grown if math.isfinite(grown) else state.scale)
