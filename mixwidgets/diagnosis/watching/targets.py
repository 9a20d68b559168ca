"""What `watch` can observe of a training loop, and what it cannot."""

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

import torch
from torch import Tensor, nn

from mixwidgets.diagnosis.watching.updates import tensors_of
from mixwidgets.floats.formats.block_catalogue import BlockFormats, named_block_formats
from mixwidgets.floats.formats.block_format import BlockFormat
from mixwidgets.floats.gradients.block_loss import check_scale_rule

OF_OUTPUTS = ("activations", "activation_gradients")
KINDS = ("gradients", *OF_OUTPUTS, "weights")
_MOST_NAMES = 5  # in a sentence


@dataclasses.dataclass(frozen=True)
class Loop:
    """The watched objects of a loop, and what is watched of them."""

    model: nn.Module
    optimizers: tuple[torch.optim.Optimizer, ...]
    scaler: torch.amp.GradScaler | None
    of: tuple[str, ...]
    """Some of `KINDS`."""
    is_chosen: Callable[[str], bool]
    """Whether the parameter or module with this name is watched."""
    block_formats: tuple[BlockFormat, ...]
    """Those of which observed tensors are recorded."""
    block_axis: int | None
    """The axis along which blocks run; None: `survey`'s for gradients and weights, the last for the rest."""
    scale_rule: str | None
    """The rule of the blocks' scales; None: the first of each format."""
    extra: Mapping[str, object]
    """What the loop updates beside the model, by name."""

    @property
    def model_name(self) -> str:
        """The name of the model's class, without torch.compile's wrapper."""
        return type(getattr(self.model, "_orig_mod", self.model)).__name__

    def parameters(self) -> dict[str, nn.Parameter]:
        """The chosen floating-point parameters by name, including frozen ones."""
        named = ((_own_name(name), weight) for name, weight in self.model.named_parameters())
        return {name: weight for name, weight in named if weight.is_floating_point() and self.is_chosen(name)}

    def trained(self) -> list[tuple[int, bool]]:
        """Differs once a parameter was added, replaced, frozen or unfrozen. Looked at in every observed step,
        so it takes a tenth of the time of `parameters`."""
        return [
            (id(weight), weight.requires_grad)
            for module in inner_modules(self.model)
            for weight in module._parameters.values()
            if weight is not None
        ]

    def modules(self) -> Iterator[tuple[str, nn.Module, bool, bool]]:
        """The modules to hook, by name: whether the output is checked for infs and NaNs (for leaves, compiled
        modules and the model itself), and whether it is summarised.

        Modules inside a compiled one get no hook, because it would be compiled too, and recompiled when
        removed.
        """
        compiled = compiled_modules(self.model)
        is_summarised = not set(OF_OUTPUTS).isdisjoint(self.of)
        for name, module in self.model.named_modules():
            if any(name != outer and name.startswith(f"{outer}." if outer else "") for outer in compiled):
                continue
            is_leaf = next(module.children(), None) is None  # not len(), which a module may define itself
            own = _own_name(name) or self.model_name
            is_checked = is_leaf or name in compiled or module is self.model
            yield own, module, is_checked, is_summarised and self.is_chosen(own)

    def blind_spots(self) -> Iterator[str]:
        """What cannot be observed in the model, in sentences."""
        compiled = {
            _own_name(name) or self.model_name: how for name, how in compiled_modules(self.model).items()
        }
        if compiled:
            yield (
                f"torch.compile has compiled {listed(compiled)}: outputs of modules inside cannot be "
                "observed. Gradients can."
            )
        in_place = [name for name, how in compiled.items() if how == "in place"]
        if in_place:
            yield (
                f"Compiled in place, and with a hook while watched: {listed(in_place)}. torch compiles a "
                "module's hooks with it, so it may behave differently while watched. "
                "Use torch.compile(model)."
            )
        weights = {_own_name(name): weight for name, weight in self.model.named_parameters()}
        half = [n for n, w in weights.items() if w.requires_grad and w.dtype == torch.float16]
        if half and self.scaler is not None:
            yield (
                f"float16 weights are trained: {listed(half)}. A GradScaler refuses to unscale their "
                'gradients ("Attempting to unscale FP16 gradients"): keep trained weights in float32, and '
                "compute in float16 with torch.autocast."
            )
        for what, names in (
            ("Frozen, and without a gradient", [n for n, w in weights.items() if not w.requires_grad]),
            ("Complex, and not watched", [n for n, w in weights.items() if w.is_complex()]),
            (
                "Sharded, of which only this process's part is counted",
                [n for n, w in weights.items() if _is_part(w)],
            ),
        ):
            if names:
                yield f"{what}: {listed(names)}."


def check_loop(
    model: object,
    optimizer: object,
    scaler: object,
    of: object,
    names: object,
    block_formats: BlockFormats,
    block_axis: int | None,
    scale_rule: str | None,
    extra: object,
) -> Loop:
    """The checked arguments of `watch`. Raises TypeError or ValueError."""
    if not isinstance(model, nn.Module):
        write = "watch(model)"
        if isinstance(optimizer, nn.Module):
            write = "watch(model, optimizer), the model first"
        raise TypeError(f"watch takes a torch.nn.Module; got a {type(model).__name__}. Write {write}.")
    if not any(weight.requires_grad and weight.is_floating_point() for weight in model.parameters()):
        raise ValueError(
            f"{type(model).__name__} has no parameter that requires a gradient, so there is nothing to "
            "watch: call watch after the model is built, and after requires_grad_(True)."
        )
    passed = optimizer if isinstance(optimizer, list | tuple) else () if optimizer is None else (optimizer,)
    optimizers = tuple(map(_with_hooks, passed))
    for inner in optimizers:
        if weights_of(inner).isdisjoint(map(id, model.parameters())):
            raise ValueError(
                f"this {type(inner).__name__} steps none of the parameters of {type(model).__name__}: "
                "pass the one created from model.parameters(), after the model was moved or wrapped."
            )
    if scaler is None:  # Accelerate's optimiser holds its scaler
        scalers = (getattr(each, "scaler", None) for each in passed)
        scaler = next((each for each in scalers if each is not None), None)
    if scaler is not None and not isinstance(scaler, torch.amp.GradScaler):
        raise TypeError(
            f"scaler takes a torch.amp.GradScaler; got a {type(scaler).__name__}. "
            "For a wrapper, pass the scaler inside; if the loop scales the loss itself, pass none."
        )
    kinds = tuple(of) if isinstance(of, Sequence | set) and not isinstance(of, str) else (of,)
    if not kinds or not set(kinds) <= set(KINDS):
        raise ValueError(f"of takes some of {', '.join(KINDS)}; got {of!r}.")
    if block_axis is not None and (isinstance(block_axis, bool) or not isinstance(block_axis, int)):
        raise TypeError(f"block_axis takes the number of an axis, such as 0 or -1; got {block_axis!r}.")
    blocks = named_block_formats(block_formats)
    check_scale_rule(scale_rule, blocks)
    enabled = scaler if scaler is not None and scaler.is_enabled() else None
    kinds = tuple(kind for kind in KINDS if kind in kinds)
    if not isinstance(extra, Mapping):
        raise TypeError(f"extra takes a mapping, such as {{'ema': ema_model}}; got a {type(extra).__name__}.")
    extra = {str(name): what for name, what in extra.items()}
    loop = Loop(model, optimizers, enabled, kinds, _chooser(names), blocks, block_axis, scale_rule, extra)
    for name, what in extra.items():
        if not dict(tensors_of(name, what, loop.parameters())):
            raise ValueError(f"extra: {name!r} has no floating-point tensor.")
    if not loop.parameters() and not any(summarised for *_, summarised in loop.modules()):
        raise ValueError(
            f"names={names!r} matches nothing in {loop.model_name}, whose parameters and modules have names "
            f"such as {listed(name for name, _ in model.named_parameters())}."
        )
    return loop


def _with_hooks(optimizer: object) -> torch.optim.Optimizer:
    """The optimiser itself; for a wrapper that does not call torch's constructor, such as Accelerate's, a
    Lookahead or Opacus', the one optimiser that it holds, whose `step` it calls."""
    if isinstance(optimizer, torch.optim.Optimizer) and hasattr(optimizer, "_optimizer_step_post_hooks"):
        return optimizer
    attributes = getattr(optimizer, "__dict__", {}).values()
    inner = [value for value in attributes if isinstance(value, torch.optim.Optimizer)]
    if len(inner) == 1:
        return _with_hooks(inner[0])
    raise TypeError(
        f"optimizer takes a torch.optim.Optimizer; got a {type(optimizer).__name__}. "
        "For a wrapper, pass the optimiser inside."
    )


def weights_of(optimizer: torch.optim.Optimizer) -> set[int]:
    """The ids of the weights that it steps."""
    return {id(weight) for group in optimizer.param_groups for weight in group["params"]}


def _chooser(names: object) -> Callable[[str], bool]:
    if names is None:
        return lambda name: True
    if callable(names):
        return lambda name: bool(names(name))
    patterns = (names,) if isinstance(names, str) else tuple(names) if isinstance(names, Sequence) else ()
    if not patterns or not all(isinstance(pattern, str) for pattern in patterns):
        raise TypeError(
            f"names takes a pattern such as 'blocks.*.mlp.*', a sequence of them, or a function of a name; "
            f"got {names!r}."
        )
    return lambda name: any(fnmatchcase(name, pattern) for pattern in patterns)


def tensors_in(output: object, path: str = "") -> Iterator[tuple[str, Tensor]]:
    """The dense floating-point tensors of a module's output, each with its path: "" for a single tensor,
    "[0]" or ".logits" in nested tuples, lists, mappings and dataclasses."""
    parts: Any = ()
    if isinstance(output, Tensor):
        if output.is_floating_point() and output.layout == torch.strided:
            yield path, output
    elif isinstance(output, Mapping):
        parts = ((f".{key}", value) for key, value in output.items())
    elif isinstance(output, tuple | list):
        parts = ((f"[{index}]", value) for index, value in enumerate(output))
    elif dataclasses.is_dataclass(output):
        parts = ((f".{field.name}", getattr(output, field.name)) for field in dataclasses.fields(output))
    for where, part in parts:
        yield from tensors_in(part, path + where)


def inner_modules(model: nn.Module) -> list[nn.Module]:
    """A module and all inside it, in some order; faster than `nn.Module.modules`."""
    found, seen = [model], {id(model)}
    for module in found:
        for inner in module._modules.values():
            if inner is not None and id(inner) not in seen:
                seen.add(id(inner))
                found.append(inner)
    return found


def compiled_modules(model: nn.Module) -> dict[str, str]:
    """The names of modules with a compiled forward pass, each with "wrapped" or "in place".

    They are recognised by attributes, because looking up their class would load torch._dynamo, which takes
    seconds.
    """
    return {
        name: "wrapped" if hasattr(module, "_orig_mod") else "in place"
        for name, module in model.named_modules()
        if hasattr(module, "_orig_mod") or module._compiled_call_impl is not None
    }


def listed(names: Any) -> str:
    """The first of some names, and how many more there are."""
    names = list(names)
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more


def _own_name(name: str) -> str:
    """The name of a parameter or module without torch.compile's wrapper."""
    return name.replace("_orig_mod.", "").removesuffix("_orig_mod")


def _is_part(weight: Tensor) -> bool:
    """Whether this is a part of a weight: a DTensor (FSDP2) or a flat parameter (FSDP1)."""
    return hasattr(weight, "to_local") or getattr(weight, "_is_flat_param", False)
