"""Which of torch's functions run in which precision: the explicit counterpart of torch.autocast.

Micikevicius et al., "Mixed Precision Training", ICLR 2018, section 3.3, tells three kinds of arithmetic
apart: products, whose operands are narrow and whose sums are float32; reductions (softmax, norms), in
float32; and the rest, in the compute format. `Precision` routes the functions of any torch model so.
"""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from mixwidgets.experiments.recipe import Recipe
from mixwidgets.training import function_kinds as kinds
from mixwidgets.training.operands import RoundedLinear

DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}
"""torch's dtypes by the names that recipes use."""

_MOST_LAYERS = 2**16  # that draw random numbers of their own under one seed
# The x86 features with which oneDNN, torch's library for CPUs, multiplies a dtype natively. Without them
# torch 2.13 takes 37 to 60 times as long for float16 products as for float32's, from 5 times for bfloat16.
_NATIVE = {torch.float16: ("amx_fp16", "avx512_fp16"), torch.bfloat16: ("amx_bf16", "avx512_bf16")}


class Precision(TorchFunctionMode):
    """Within `with precision: …`, one forward pass, torch's functions compute as the recipe says.

    Products: natively, or, on a CPU that only emulates those of the compute format, widened: the operands
    are taken to float32, and the result is rounded back. That is what tensor cores do: narrow storage,
    float32 sums. Softmax and norms: in float32 and rounded back, or else as the recipe has it. Their
    gradients likewise, as autograd follows the casts.

    A product with an operand in the compute format takes its float32 ones there too, as torch.autocast does:
    a model may add a mask of its own. A dtype that a call names, and a tensor to write to, are left alone.

    What a fused function does inside stays its own: scaled_dot_product_attention and nn.MultiheadAttention
    count as products. The latter is an error where the recipe is about what it hides.
    """

    def __init__(self, recipe: Recipe, device: torch.device, seed: int = 0) -> None:
        super().__init__()
        self.dtype = DTYPES[recipe.compute_format]
        """Of activations and of the weights that the model is given."""
        self._on_cpu = device.type == "cpu"
        self.widened = self._on_cpu and is_emulated(self.dtype)
        """Whether products are computed by float32 ones."""
        self._operands = recipe.operands
        self._seed = seed
        self._layers: list[RoundedLinear] = []  # one per call in a forward pass, in order
        self._calls = 0
        self._rules = self._chosen_rules(recipe)

    @property
    def name(self) -> str:
        """In words, for the run's records."""
        word = str(self.dtype).removeprefix("torch.")
        because = cpu_words(self.dtype) if self._on_cpu else ""
        name = (
            f"{word} storage{because}, float32 products"
            if self.widened
            else f"native {word} products{because}"
        )
        if self._operands is None:
            return name
        return f"{name}, operands of linear layers rounded to {self._operands.forward}"

    def __enter__(self) -> "Precision":
        self._calls = 0
        if self._rules:  # else each of torch's functions would make a detour for nothing
            super().__enter__()  # type: ignore[no-untyped-call]
        return self

    def __exit__(self, *error: object) -> None:
        if self._rules:
            super().__exit__(*error)  # type: ignore[no-untyped-call]

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        rule = self._rules.get(func)
        return func(*args, **kwargs or {}) if rule is None else rule(func, *args, **kwargs or {})

    def _chosen_rules(self, recipe: Recipe) -> dict[Callable[..., Any], Callable[..., Any]]:
        rules: dict[Callable[..., Any], Callable[..., Any]] = {}
        if self.dtype != torch.float32:
            rules |= dict.fromkeys(kinds.PRODUCTS, self._product)
            rules |= dict.fromkeys(kinds.RUNNING_NORMS, self._in_float32)
            if "softmax" in recipe.fp32_ops:
                rules |= dict.fromkeys((*kinds.SOFTMAX, *kinds.LOG_SOFTMAX), self._in_float32)
            else:
                rules |= dict.fromkeys(kinds.SOFTMAX, self._naive_softmax)
            if "norm" in recipe.fp32_ops:
                rules |= dict.fromkeys(kinds.NORMS, self._in_float32)
        if self._operands is not None:
            rules[functional.linear] = self._rounded_linear
        if self._operands is not None or "softmax" not in recipe.fp32_ops:
            rules[functional.multi_head_attention_forward] = _refuse
        return rules

    def _product(self, func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """The function of operands in the compute format, widened where the CPU only emulates it."""
        dtypes = {value.dtype for value in (*args, *kwargs.values()) if isinstance(value, Tensor)}
        if self.dtype not in dtypes or "out" in kwargs:
            return func(*args, **kwargs)
        if torch.float32 in dtypes:
            args = tuple(map(self._narrowed, args))
            kwargs = {name: self._narrowed(value) for name, value in kwargs.items()}
        return self._in_float32(func, *args, **kwargs) if self.widened else func(*args, **kwargs)

    def _in_float32(self, func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """The function with its narrow tensors widened, and its result rounded to the compute format."""
        if not self._is_ours(*args, **kwargs):
            return func(*args, **kwargs)
        wide = {id(value): self._widened(value) for value in (*args, *kwargs.values())}  # one twice stays one
        result = func(*(wide[id(v)] for v in args), **{name: wide[id(v)] for name, v in kwargs.items()})
        return tuple(map(self._narrowed, result)) if isinstance(result, tuple) else self._narrowed(result)

    def _naive_softmax(self, func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """exp(x) / Σ exp(x) as it stands in the books: float16's exp overflows from x = 11.1 on."""
        if not self._is_ours(*args, **kwargs):
            return func(*args, **kwargs)
        x, dim = (*args, *(kwargs[name] for name in ("input", "dim") if name in kwargs))[:2]
        exponentials = x.exp()
        return exponentials / exponentials.sum(dim, keepdim=True)

    def _rounded_linear(
        self, func: Callable[..., Any], x: Tensor, weight: Tensor, bias: Tensor | None = None
    ) -> Tensor:
        if self._calls == len(self._layers):
            self._layers.append(self._new_layer(self._calls))
        self._calls += 1
        return self._layers[self._calls - 1](x, weight, bias)

    def _new_layer(self, number: int) -> RoundedLinear:
        assert self._operands is not None
        seed = self._seed * _MOST_LAYERS + number
        return RoundedLinear(self._operands, seed=seed, on_device=not self._on_cpu)

    def _is_ours(self, *args: Any, **kwargs: Any) -> bool:
        """Whether a call has a tensor in the compute format and leaves it to the recipe what comes out."""
        given = (*args, *kwargs.values())
        asks = any(isinstance(value, torch.dtype) for value in given)
        return not asks and any(map(self._is_narrow, given))

    def _is_narrow(self, value: object) -> bool:
        return isinstance(value, Tensor) and value.dtype == self.dtype

    def _narrowed(self, value: Any) -> Any:
        is_wide = isinstance(value, Tensor) and value.dtype == torch.float32
        return value.to(self.dtype) if is_wide else value

    def _widened(self, value: Any) -> Any:
        return value.float() if self._is_narrow(value) else value


def _refuse(func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    raise ValueError(
        "nn.MultiheadAttention hides its softmax and its linear layers from the recipe, which is about them: "
        "write the attention with nn.Linear, @ and functional.softmax, or take a recipe without operands "
        "and with 'softmax' in fp32_ops."
    )


def is_emulated(dtype: torch.dtype) -> bool:
    """Whether this CPU has no instructions that multiply the dtype, so that torch emulates them, slowly."""
    return dtype in _NATIVE and not any(map(_cpu_features().get, _NATIVE[dtype]))


def cpu_words(dtype: torch.dtype) -> str:
    """What `is_emulated` goes by, for a run's records: " (no amx_fp16 or avx512_fp16)" or " (avx512_fp16)";
    empty for float32."""
    if dtype not in _NATIVE:
        return ""
    found = [name for name in _NATIVE[dtype] if _cpu_features().get(name)]
    return f" ({', '.join(found) or 'no ' + ' or '.join(_NATIVE[dtype])})"


def _cpu_features() -> Mapping[str, object]:
    """The CPU's features by cpuinfo's names. None where torch is too old to tell them: the products are then
    float32's, which every CPU has."""
    told: Callable[[], Mapping[str, object]] = getattr(torch.cpu, "get_capabilities", dict)
    return told()
