"""Which torch functions run in which precision: an explicit counterpart of torch.autocast.

Micikevicius et al., "Mixed Precision Training", ICLR 2018, section 3.3, distinguishes three kinds of
arithmetic: products, with narrow operands and float32 sums; reductions (softmax, norms), in float32; and the
rest, in the compute format. `Precision` applies this to any torch model.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from mixwidgets.runs.experiments.recipe import Recipe
from mixwidgets.runs.training import function_kinds as kinds
from mixwidgets.runs.training.operands import RoundedLinear, kept_wide, require_fp8_products

DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}
"""torch's dtypes by the names that recipes use."""

_MOST_LAYERS = 2**16  # layers with their own random numbers under one seed
# The x86 features that oneDNN, torch's library for CPUs, needs to multiply a dtype natively. Without them,
# torch 2.13 takes 37 to 60 times as long for float16 products as for float32, and at least 5 times for
# bfloat16.
_NATIVE = {torch.float16: ("amx_fp16", "avx512_fp16"), torch.bfloat16: ("amx_bf16", "avx512_bf16")}


class Precision(TorchFunctionMode):
    """Inside `with precision: …`, which holds one forward pass, torch's functions compute as the recipe says.

    Products are computed natively, or, on a CPU that only emulates them, widened: the operands are converted
    to float32 and the result is rounded back. As on tensor cores, storage is narrow and sums are wide; theirs
    truncate (PeerJ Comput. Sci. 7:e330), these round to nearest.
    Softmax and norms are computed in float32 and rounded back, unless the recipe says otherwise. The same
    holds for their gradients, since autograd follows the casts. On a GPU no casts are needed: as in the
    paper, torch's kernels of softmax, layer, RMS and group norm read and write the compute format and
    compute in float32.

    If one operand of a product is in the compute format, float32 operands are cast to it too, as in
    torch.autocast: a model may add its own mask. Calls that name a dtype or an output tensor are not changed.

    The inside of a fused function is not changed: scaled_dot_product_attention and nn.MultiheadAttention
    count as products. The latter is an error if the recipe concerns what it hides.
    """

    def __init__(
        self,
        recipe: Recipe,
        device: torch.device,
        seed: int = 0,
        model: nn.Module | None = None,
        but: Iterable[Tensor] = (),
    ) -> None:
        """seed: of what is rounded stochastically. model: the one whose layers `keep_wide` names. but:
        tensors that cannot be cast, such as weights in a quantised format of another library; a function of
        one is called as it is."""
        super().__init__()
        self.dtype = DTYPES[recipe.compute_format]
        """The dtype of activations and of the weights that the model uses."""
        self._on_cpu = device.type == "cpu"
        self.widened = self._on_cpu and is_emulated(self.dtype)
        """Whether products are computed in float32."""
        self._operands = recipe.operands
        if recipe.operands and recipe.operands.products == "native":
            require_fp8_products(device)
        patterns = recipe.operands.keep_wide if recipe.operands else ()
        self._untouched = {id(tensor) for tensor in but}
        self._wide_layers = kept_wide(patterns, model) if patterns and model is not None else []
        self._hooks: list[Any] = []
        self._depth = 0  # in how many of the wide layers the forward pass is
        self._seed = seed
        self._layers: list[RoundedLinear] = []  # one per call of a forward pass, in order
        self._calls = 0
        self._rules = self._chosen_rules(recipe)

    @property
    def name(self) -> str:
        """A description for the run's records."""
        word = name_of(self.dtype)
        because = cpu_words(self.dtype) if self._on_cpu else ""
        name = f"native {word} products{because}"
        if self.widened:
            name = f"{word} storage{because}, float32 products"
        if self._operands is None:
            return name
        if self._operands.products == "native":
            return f"{name}, native products of linear layers in {self._operands.forward}"
        return f"{name}, operands of linear layers rounded to {self._operands.forward}"

    def __enter__(self) -> "Precision":
        self._calls = self._depth = 0
        for layer in self._wide_layers:
            self._hooks.append(layer.register_forward_pre_hook(self._enter_wide))
            self._hooks.append(layer.register_forward_hook(self._leave_wide, always_call=True))
        if self._rules:  # without rules, avoid the overhead for each torch function
            super().__enter__()  # type: ignore[no-untyped-call]
        return self

    def __exit__(self, *error: object) -> None:
        if self._rules:
            super().__exit__(*error)  # type: ignore[no-untyped-call]
        while self._hooks:
            self._hooks.pop().remove()

    def _enter_wide(self, *_: Any) -> None:
        self._depth += 1

    def _leave_wide(self, *_: Any) -> None:
        self._depth -= 1

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        rule = self._rules.get(func)
        if self._untouched and not self._untouched.isdisjoint(map(id, (*args, *(kwargs or {}).values()))):
            rule = None
        return func(*args, **kwargs or {}) if rule is None else rule(func, *args, **kwargs or {})

    def _chosen_rules(self, recipe: Recipe) -> dict[Callable[..., Any], Callable[..., Any]]:
        rules: dict[Callable[..., Any], Callable[..., Any]] = {}
        if self.dtype != torch.float32:
            reduction = self._in_float32 if self._on_cpu else self._in_compute_format
            rules |= dict.fromkeys(kinds.PRODUCTS, self._in_compute_format)
            rules |= dict.fromkeys(kinds.RUNNING_NORMS, self._in_float32)
            if "softmax" in recipe.fp32_ops:
                rules |= dict.fromkeys((*kinds.SOFTMAX, *kinds.LOG_SOFTMAX), reduction)
            else:
                rules |= dict.fromkeys(kinds.SOFTMAX, self._naive_softmax)
            if "norm" in recipe.fp32_ops:
                rules |= dict.fromkeys(kinds.NORMS, reduction)
        if self._operands is not None:
            rules[functional.linear] = self._rounded_linear
        if self._operands is not None or "softmax" not in recipe.fp32_ops:
            rules[functional.multi_head_attention_forward] = _refuse
        return rules

    def _in_compute_format(self, func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Calls the function with operands in the compute format, widened if the CPU only emulates it."""
        dtypes = {value.dtype for value in (*args, *kwargs.values()) if isinstance(value, Tensor)}
        if self.dtype not in dtypes or "out" in kwargs:
            return func(*args, **kwargs)
        if torch.float32 in dtypes:
            args = tuple(map(self._narrowed, args))
            kwargs = {name: self._narrowed(value) for name, value in kwargs.items()}
        return self._in_float32(func, *args, **kwargs) if self.widened else func(*args, **kwargs)

    def _in_float32(self, func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Calls the function with narrow tensors widened, and rounds its result to the compute format."""
        if not self._is_ours(*args, **kwargs):
            return func(*args, **kwargs)
        # By identity: a tensor that is passed twice is widened once, and stays the same tensor.
        wide = {id(v): v.float() if self._is_narrow(v) else v for v in (*args, *kwargs.values())}
        result = func(*(wide[id(v)] for v in args), **{name: wide[id(v)] for name, v in kwargs.items()})
        return tuple(map(self._narrowed, result)) if isinstance(result, tuple) else self._narrowed(result)

    def _naive_softmax(self, func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """The textbook exp(x) / Σ exp(x); in float16 exp overflows from x = 11.1 on."""
        if not self._is_ours(*args, **kwargs):
            return func(*args, **kwargs)
        x, dim = (*args, *(kwargs[name] for name in ("input", "dim") if name in kwargs))[:2]
        exponentials = x.exp()
        return exponentials / exponentials.sum(dim, keepdim=True)

    def _rounded_linear(
        self, func: Callable[..., Any], x: Tensor, weight: Tensor, bias: Tensor | None = None
    ) -> Tensor:
        if self._depth:
            return self._in_compute_format(func, x, weight, bias)  # type: ignore[no-any-return]
        if self._calls == len(self._layers):
            assert self._operands is not None
            seed = self._seed * _MOST_LAYERS + self._calls
            self._layers.append(RoundedLinear(self._operands, seed=seed, on_device=not self._on_cpu))
        self._calls += 1
        return self._layers[self._calls - 1](x, weight, bias)

    def _is_ours(self, *args: Any, **kwargs: Any) -> bool:
        """Whether a call has a tensor in the compute format and does not name a dtype itself."""
        values = (*args, *kwargs.values())
        names_dtype = any(isinstance(value, torch.dtype) for value in values)
        return not names_dtype and any(map(self._is_narrow, values))

    def _is_narrow(self, value: object) -> bool:
        return isinstance(value, Tensor) and value.dtype == self.dtype

    def _narrowed(self, value: Any) -> Any:
        is_wide = isinstance(value, Tensor) and value.dtype == torch.float32
        return value.to(self.dtype) if is_wide else value


def _refuse(func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    raise ValueError(
        "nn.MultiheadAttention hides its softmax and its linear layers, which this recipe concerns: "
        "write the attention with nn.Linear, @ and functional.softmax, or use a recipe without operands "
        "and with 'softmax' in fp32_ops."
    )


def name_of(dtype: torch.dtype) -> str:
    """Such as "float16"."""
    return str(dtype).removeprefix("torch.")


def is_emulated(dtype: torch.dtype) -> bool:
    """Whether this CPU lacks instructions to multiply the dtype, so that torch emulates them slowly."""
    return dtype in _NATIVE and not any(map(_cpu_features().get, _NATIVE[dtype]))


def cpu_words(dtype: torch.dtype) -> str:
    """The CPU features behind `is_emulated`, for a run's records: " (no amx_fp16 or avx512_fp16)" or
    " (avx512_fp16)"; empty for float32."""
    if dtype not in _NATIVE:
        return ""
    present = [name for name in _NATIVE[dtype] if _cpu_features().get(name)]
    return f" ({', '.join(present) or 'no ' + ' or '.join(_NATIVE[dtype])})"


def _cpu_features() -> Mapping[str, object]:
    """The CPU's features by cpuinfo's names. Empty if torch is too old to report them; products are then
    computed in float32."""
    capabilities: Callable[[], Mapping[str, object]] = getattr(torch.cpu, "get_capabilities", dict)
    return capabilities()
