"""Recipes: the number formats of a training run.

The fields follow Micikevicius et al., "Mixed Precision Training", ICLR 2018, arXiv:1710.03740, and later
work: each default is the paper's choice, each other value an alternative to it.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self, get_args

from mixwidgets.runs.experiments.loss_scale import LossScale, loss_scales
from mixwidgets.runs.experiments.operands import Operands
from mixwidgets.runs.experiments.options import Options, some_of
from mixwidgets.support.checks import choice
from mixwidgets.support.shown import Catalogue

TorchFormat = Literal["float32", "float16", "bfloat16"]
Fp32Op = Literal["softmax", "norm", "loss"]

_FP32_OPS: tuple[Fp32Op, ...] = get_args(Fp32Op)


@dataclass(frozen=True, kw_only=True)
class Recipe(Options):
    """The number formats of a run. Sections refer to Micikevicius et al. (2018), arXiv:1710.03740.

    Wrong values and contradictory combinations raise ValueError, wrong types and unknown names TypeError.
    """

    compute_format: TorchFormat = "float32"
    """The format of the weights' copies, the activations and their gradients (section 3.1)."""
    loop: Literal["explicit", "amp"] = "explicit"
    """"explicit": the steps of the paper, written out; "amp": torch.autocast and torch.amp.GradScaler, which
    choose by themselves which operations run in FP32."""
    master_weights: bool = True
    """Whether the optimiser updates float32 weights, and the forward pass uses copies of them (section 3.1).
    If not, the weights themselves are kept in the compute format."""
    weight_rounding: Literal["nearest", "stochastic"] = "nearest"
    """Without master weights: how an updated weight is rounded to the compute format."""
    loss_scale: LossScale = dataclasses.field(default_factory=LossScale)
    """The factor on the loss before the backward pass (section 3.2). The name of another library, such as
    "megatron", stands for its scaler (`loss_scales`)."""
    fp32_ops: tuple[Fp32Op, ...] = some_of(*_FP32_OPS)
    """Which of "softmax", "norm" and "loss" are computed in float32 although the compute format is narrower
    (section 3.3). Without "softmax", softmax is the naive one: no maximum is subtracted before exp."""
    optimizer_format: TorchFormat = "float32"
    """The format of the optimiser's state (Adam's moments, SGD's momentum) between steps. The compute format,
    without master weights, means torch's own optimiser on half-precision weights, whose arithmetic is in that
    format too."""
    accumulation_format: TorchFormat = "float32"
    """The format of the buffers in which the micro-batches' gradients are summed (section 3.3)."""
    clip_after_unscaling: bool = True
    """Whether gradients are unscaled before they are clipped. False is the classic mistake: the limit is then
    `clip_norm` / loss scale."""
    operands: Operands | None = None
    """The FP8, MX or NVFP4 format that the operands of the linear layers' products are rounded to; None: no
    rounding."""

    def __post_init__(self) -> None:
        super().__post_init__()
        scale: object = self.loss_scale
        if isinstance(scale, str):
            self._settle("loss_scale", loss_scales[choice("loss_scale", scale, loss_scales)])
        elif not isinstance(scale, LossScale):
            raise TypeError(
                "loss_scale takes a LossScale (mixwidgets.LossScale) or the name of one; "
                f"got {scale!r}. A constant factor is LossScale(kind='static', init_scale=1024.0)."
            )
        if self.operands is not None and not isinstance(self.operands, Operands):
            raise TypeError(
                f"operands takes an Operands (mixwidgets.Operands) or None; got {self.operands!r}."
            )
        if contradiction := self._contradiction():
            raise ValueError(contradiction)

    def _contradiction(self) -> str:
        """Which fields contradict each other; empty if none do."""
        full = self.compute_format == "float32"
        kept = "float32" if self.master_weights else self.compute_format
        if full and not self.master_weights:
            return (
                "master_weights=False keeps the weights in the compute format, which is float32 already: "
                "leave it True, or use a compute_format of 16 bits."
            )
        if full and self.fp32_ops != _FP32_OPS:
            return (
                f"fp32_ops {self.fp32_ops} leaves operations to the compute format, which is float32: "
                "omit it, or use a compute_format of 16 bits."
            )
        if self.master_weights and self.weight_rounding != "nearest":
            return (
                "weight_rounding='stochastic' is for weights kept in the compute format: "
                "add master_weights=False. Copies of master weights are rounded to nearest."
            )
        if not self.master_weights and self.optimizer_format not in ("float32", kept):
            return (
                f"without master weights the optimiser's state is float32 or {kept}, as the weights; "
                f"got {self.optimizer_format!r}."
            )
        if self.weight_rounding == "stochastic" and self.optimizer_format != "float32":
            return (
                f"optimizer_format {self.optimizer_format!r} is torch's own optimiser on {kept} weights, "
                "which rounds to nearest: weight_rounding='stochastic' needs optimizer_format='float32'."
            )
        return self._beyond_amp() if self.loop == "amp" else ""

    def _beyond_amp(self) -> str:
        """What torch.amp cannot do; empty if it can do everything."""
        if self.compute_format == "float32":
            return "loop='amp' is torch.autocast, which is for float16 and bfloat16: name a compute_format."
        usual = Recipe(compute_format=self.compute_format)
        # With torch.amp, too, the caller decides on the order of clipping.
        own = ("loop", "compute_format", "loss_scale", "clip_after_unscaling")
        for name in (field.name for field in dataclasses.fields(self) if field.name not in own):
            if getattr(self, name) != getattr(usual, name):
                return (
                    f"loop='amp' leaves {name} to torch.amp; {getattr(self, name)!r} needs loop='explicit'."
                )
        if self.loss_scale.beyond_torch:
            return (
                "torch.amp.GradScaler has neither hysteresis nor a delay, a floor or a cap: "
                f"{self.loss_scale} needs loop='explicit'."
            )
        return ""

    @property
    def name(self) -> str:
        """The name of the preset that equals this recipe, else "custom"."""
        return next((name for name, preset in recipes.items() if preset == self), "custom")

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Self:
        """The inverse of `to_dict`; `loss_scale` may also be a name."""
        values = dict(fields)
        for name, kind in (("loss_scale", LossScale), ("operands", Operands)):
            if isinstance(part := values.get(name), Mapping):
                values[name] = kind.from_dict(part)
        return cls(**values)


_STATIC = LossScale(kind="static", init_scale=2.0**10)
_DYNAMIC = LossScale(kind="dynamic", init_scale=2.0**16, growth_interval=25)
_FP16 = Recipe(compute_format="float16", loss_scale=_STATIC)
_BF16 = Recipe(compute_format="bfloat16")
_E4M3 = "float8_e4m3fn"
_NVFP4 = Operands(forward="nvfp4", backward="nvfp4")
_PUBLISHED = _NVFP4.replace(weights="nvfp4_16x16", gradient_rounding="stochastic")

recipes: Mapping[str, Recipe] = Catalogue(
    {
        "fp32": Recipe(),
        "fp16_unscaled": Recipe(compute_format="float16"),
        "fp16_static": _FP16,
        "fp16_dynamic": _FP16.replace(loss_scale=_DYNAMIC),
        "bf16": _BF16,
        "amp_fp16": Recipe(compute_format="float16", loop="amp", loss_scale=_DYNAMIC),
        "amp_bf16": Recipe(compute_format="bfloat16", loop="amp"),
        "fp16_overscaled": _FP16.replace(loss_scale=LossScale(kind="static", init_scale=2.0**34)),
        "fp16_weights": _FP16.replace(master_weights=False),
        "fp16_weights_stochastic": _FP16.replace(master_weights=False, weight_rounding="stochastic"),
        "bf16_weights": _BF16.replace(master_weights=False),
        "bf16_weights_stochastic": _BF16.replace(master_weights=False, weight_rounding="stochastic"),
        "fp16_optimizer": _FP16.replace(master_weights=False, optimizer_format="float16"),
        "bf16_optimizer": _BF16.replace(master_weights=False, optimizer_format="bfloat16"),
        "bf16_moments": _BF16.replace(optimizer_format="bfloat16"),
        "fp16_softmax": _FP16.replace(fp32_ops=("norm", "loss")),
        "fp8_unscaled": _BF16.replace(operands=Operands(forward=_E4M3, backward=_E4M3)),
        "fp8_tensorwise": _BF16.replace(operands=Operands(scaling="current")),
        "fp8_native": _BF16.replace(operands=Operands(scaling="current", products="native")),
        "fp8_delayed": _BF16.replace(operands=Operands(scaling="delayed", amax_history_len=16)),
        "deepseek_fp8": _BF16.replace(
            operands=Operands(forward="fp8_1x128", backward="fp8_1x128", weights="fp8_128x128")
        ),
        "mxfp8": _BF16.replace(
            operands=Operands(forward="mxfp8_e4m3", backward="mxfp8_e4m3", scale_rule="RCEIL")
        ),
        "mxfp4": _BF16.replace(operands=Operands(forward="mxfp4", backward="mxfp4")),
        "mxfp4_stochastic": _BF16.replace(
            operands=Operands(forward="mxfp4", backward="mxfp4", gradient_rounding="stochastic")
        ),
        "nvfp4": _BF16.replace(operands=_NVFP4),
        "nvfp4_published": _BF16.replace(
            operands=_PUBLISHED.replace(hadamard=True, keep_wide=("first", "last"))
        ),
        "nvfp4_four_over_six": _BF16.replace(
            operands=_PUBLISHED.replace(
                scale_rule="FOUR_OVER_SIX",
                four_over_six_metric="MAE",
                four_over_six_operands=("input", "weight"),
            )
        ),
    },
    ("Recipe(…)",),
    lambda recipe: [recipe.differences() or "the defaults"],
    """The presets by name, immutable.

Dynamic scales start at torch's 2^16 but grow after 25 good steps: torch's own default of 2000 is longer than
a run of a few hundred steps. "bf16_moments" has float32 master weights and Adam's moments in bfloat16, as
DeepSeek-V3 (arXiv:2412.19437, section 3.3.3). The FP8, MX and NVFP4 presets compute in bfloat16 around the
rounded operands.

"fp8_delayed": Transformer Engine's `DelayedScaling`, with the last 16 steps, because its 1024 are longer than
such a run, and a margin of 0.

"deepseek_fp8": E4M3 both ways, scaled for each 1 × 128 values of x and dy and each 128 × 128 of W
(arXiv:2412.19437, section 3.3.2). Left out: the output head and the gates that stay in BF16, the promotion of
sums every 128 elements to float32, activations cached in E5M6 and in scales of powers of two. With layers of
64 to 256 values one scale serves all of W, or a few.

"mxfp8": E4M3 both ways, scales rounded up, rule RCEIL (arXiv:2506.08027), which finds that a model trained
with FLOOR may diverge. Left out: the output head in BF16, for which there is `keep_wide`.

"nvfp4_published": E2M1 both ways, W in blocks of 16 × 16, dy rounded stochastically, the operands of dW
rotated (arXiv:2509.25149, section 4). The 12-billion-parameter model there keeps its output head, its first
two blocks and its last eight in BF16, 16 % of its linear layers. Ours have 2 to 9, so this keeps the first
and the last; of the two of digits_cnn none is left. Signs are each layer's own, where there one vector is
shared by all. Attention's products stay in BF16 there too.

"nvfp4_four_over_six": W and x try both scales, with the bound 256 and the absolute error; W in blocks of
16 × 16, dy rounded stochastically by the ordinary rule (Transformer Engine, pull request 2972,
`nvfp4_4over6="all"`, for reinforcement learning and post-training). It does not go with Hadamard transforms
there, and keeps no layer wide by itself.
""",
)


def as_recipe(argument: str, value: object) -> Recipe:
    """A Recipe, or the preset of this name. ValueError, which names the argument, for anything else."""
    return value if isinstance(value, Recipe) else recipes[choice(argument, value, recipes)]
