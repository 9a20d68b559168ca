"""The loss scale as a pure state machine, (state, found_inf) → state, and other libraries' loss scalers.

Micikevicius et al., "Mixed Precision Training", ICLR 2018, section 3.2. The scale is a float32. A bad step
(found_inf) multiplies it by `backoff_factor`; `growth_interval` good steps in a row multiply it by
`growth_factor` unless that would overflow float32. This is what torch.amp.GradScaler does (torch's
`amp_update_scale` kernel). The fields from `growth_delay` on describe how other scalers differ; their
defaults change nothing.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple

import numpy as np

from mixwidgets.runs.experiments.options import Options, real, whole
from mixwidgets.support.shown import Catalogue

_FLOAT32 = np.finfo(np.float32)
_SMALLEST, _LARGEST = float(_FLOAT32.smallest_subnormal), float(_FLOAT32.max)


class LossScaleState(NamedTuple):
    """What a scaler carries from step to step."""

    scale: float
    """The factor on the next step's loss; always a float32 value."""
    growth_tracker: int = 0
    """Good steps in a row since the last bad step or growth; restarts at `−growth_delay` after a bad step."""
    hysteresis_left: int = 1
    """How many more bad steps until the scale is lowered; 1: the next one does."""


@dataclass(frozen=True, kw_only=True)
class LossScale(Options):
    """How the loss is scaled before the backward pass. Wrong values raise ValueError or TypeError."""

    kind: Literal["none", "static", "dynamic"] = "none"
    """"none": no scale and no check, as in a plain half-precision loop; "static": always `init_scale`, and
    steps with inf or NaN gradients are skipped; "dynamic": as "static", but the scale adapts."""
    init_scale: float = real(
        1.0, "a finite number above 0 that float32 can hold, such as 65536.0", _SMALLEST, _LARGEST
    )
    """The scale of the first step; 1 for "none". A power of two changes no significand."""
    growth_factor: float = real(2.0, "a number above 1", 1.0, 2.0**64)
    """"dynamic": the scale is multiplied by this (> 1) after `growth_interval` good steps."""
    backoff_factor: float = real(0.5, "a number between 0 and 1", 0.0, 1.0)
    """"dynamic": the scale is multiplied by this (0 … 1) after a skipped step."""
    growth_interval: int = whole(2000, 1, 10**9)
    """"dynamic": good steps in a row before the scale grows. 2000 is torch's default."""
    growth_delay: int = whole(0, 0, 10**9)
    """"dynamic": how many good steps, at the start and after a bad step, `growth_interval` does not count."""
    hysteresis: int = whole(1, 1, 10**9)
    """"dynamic": the number of the bad step, since the start or the last growth, from which on each bad step
    lowers the scale. Earlier ones are skipped too and restart `growth_interval`. Good steps do not reset the
    count."""
    min_scale: float = real(0.0, "a finite number from 0 that float32 can hold, such as 1.0", 0.0, _LARGEST)
    """"dynamic": the lowest scale; 0: float32 itself is the limit."""
    max_scale: float | None = real(
        None, "a finite number that float32 can hold, or None for no cap", _SMALLEST, _LARGEST
    )
    """"dynamic": the highest scale; None: a growth that would overflow float32 is skipped."""
    at_min_scale: Literal["stay", "stop"] = "stay"
    """"dynamic": "stop" ends the run when a bad step would lower the scale below `min_scale`."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.growth_factor == 1:
            raise ValueError("growth_factor takes a number above 1; got 1: kind='static' keeps the scale.")
        if self.backoff_factor in (0, 1):
            raise ValueError(
                f"backoff_factor lies between 0 and 1, both excluded; got {self.backoff_factor:g}."
            )
        if self.kind == "none" and self.init_scale != 1:
            raise ValueError(
                f"kind 'none' scales by nothing, but init_scale is {self.init_scale:g}: "
                "did you mean kind='static'?"
            )
        if self.kind != "dynamic" and (beyond := self.beyond_torch):
            raise ValueError(
                f"{beyond[0]} is for a dynamic scale, but kind is {self.kind!r}: "
                f"omit {beyond[0]}, or did you mean kind='dynamic'?"
            )
        if self.min_scale > self.init_scale:
            raise ValueError(
                f"min_scale is at most init_scale, but {self.min_scale:g} > {self.init_scale:g}: "
                "lower min_scale, or start higher."
            )
        if self.max_scale is not None and self.max_scale < self.init_scale:
            raise ValueError(
                f"max_scale is at least init_scale, but {self.max_scale:g} < {self.init_scale:g}: "
                "raise max_scale, or start lower."
            )

    @property
    def beyond_torch(self) -> list[str]:
        """The fields whose values torch.amp.GradScaler does not support."""
        names = ("growth_delay", "hysteresis", "min_scale", "max_scale", "at_min_scale")
        return [name for name in names if getattr(self, name) != getattr(LossScale, name)]

    def start(self) -> LossScaleState:
        """The state before the first step."""
        return LossScaleState(_float32(self.init_scale), -self.growth_delay, self.hysteresis)

    def skips(self, found_inf: bool) -> bool:
        """Whether a step whose gradients hold an inf or a NaN (`found_inf`) is skipped."""
        return found_inf and self.kind != "none"

    def gives_up(self, state: LossScaleState, found_inf: bool) -> bool:
        """Whether this step ends the run: it is bad, and the scale of `state` is at a floor with "stop"."""
        stops = self.kind == "dynamic" and self.at_min_scale == "stop"
        lowers = found_inf and state.hysteresis_left == 1
        return stops and lowers and state.scale <= _float32(self.min_scale)

    def after(self, state: LossScaleState, found_inf: bool) -> LossScaleState:
        """The state after a step."""
        if self.kind != "dynamic":
            return state
        if found_inf and state.hysteresis_left > 1:
            return LossScaleState(state.scale, -self.growth_delay, state.hysteresis_left - 1)
        if found_inf:
            lowered = max(state.scale * self.backoff_factor, self.min_scale)
            return LossScaleState(_float32(lowered), -self.growth_delay)
        good_steps = state.growth_tracker + 1
        if good_steps < self.growth_interval:
            return state._replace(growth_tracker=good_steps)
        grown = _float32(min(state.scale * self.growth_factor, self.max_scale or math.inf))
        return LossScaleState(grown if math.isfinite(grown) else state.scale, 0, self.hysteresis)


def _float32(value: float) -> float:
    """`value` rounded to float32; infinity past its range."""
    with np.errstate(over="ignore"):
        return float(np.float32(value))


_dynamic = partial(LossScale, kind="dynamic")

loss_scales: Mapping[str, LossScale] = Catalogue(
    {
        # torch 2.13: torch/amp/grad_scaler.py.
        "torch": _dynamic(init_scale=2.0**16, growth_interval=2000),
        # NVIDIA/apex 25.04, the last with amp: apex/amp/scaler.py. Its min_loss_scale is unset by default.
        "apex": _dynamic(init_scale=2.0**16, growth_interval=2000, max_scale=2.0**24),
        # DeepSpeed v0.19.5: runtime/fp16/loss_scaler.py, which ZeRO uses, set by runtime/precision_config.py.
        # It does not count the first good step after a bad one; up to v0.17.0 it did.
        "deepspeed": _dynamic(
            init_scale=2.0**16,
            growth_interval=1000,
            growth_delay=1,
            hysteresis=2,
            min_scale=1.0,
            at_min_scale="stop",
        ),
        # Megatron-LM core_v0.19.0: megatron/core/optimizer/grad_scaler.py, set by optimizer_config.py there.
        "megatron": _dynamic(init_scale=2.0**32, growth_interval=1000, hysteresis=2, min_scale=1.0),
        # fairseq at commit 3d262bb: fairseq/optim/dynamic_loss_scaler.py, set by fp16_optimizer.py (2^14 over
        # the workers and update_freq, here both 1) and dataclass/configs.py. It raises where the next scale
        # would be at most 1e-4; with halves of 2^7, that is at 2^-13.
        "fairseq": _dynamic(
            init_scale=2.0**7, growth_interval=2**14, min_scale=2.0**-13, at_min_scale="stop"
        ),
        # flax v0.12.7: flax/training/dynamic_scale.py. It compares before it counts, so its growth_interval
        # of 2000 means 2001 good steps.
        "flax": _dynamic(
            init_scale=2.0**16, growth_interval=2001, min_scale=float(_FLOAT32.tiny), max_scale=_LARGEST
        ),
        # Keras 3.15.1: keras/src/optimizers/loss_scale_optimizer.py.
        "keras": _dynamic(init_scale=2.0**15, growth_interval=2000),
    },
    ("LossScale(…)",),
    lambda scale: [scale.differences()],
    "The loss scalers of other libraries with their default settings, immutable.",
)
