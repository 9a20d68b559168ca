"""What of a training loop `watch` can look at, and what it cannot see."""

from collections.abc import Iterator

import torch
from torch import nn

from mixwidgets.formats.catalogue import get_format

_MOST_NAMES = 5  # in a sentence


def check_loop(model: object, optimizer: object, scaler: object) -> None:
    """TypeError or ValueError for arguments that `watch` cannot take."""
    if not isinstance(model, nn.Module):
        raise TypeError(f"watch takes a torch.nn.Module; a {type(model).__name__} came. Write watch(model).")
    if not list(watched_parameters(model)):
        raise ValueError(
            f"{type(model).__name__} has no parameter that asks for a gradient, so nothing is to be watched: "
            "call watch after the model is built, and after requires_grad_(True)."
        )
    if optimizer is not None and not isinstance(optimizer, torch.optim.Optimizer):
        raise TypeError(
            f"optimizer takes a torch.optim.Optimizer; a {type(optimizer).__name__} came. "
            "Of a wrapper, pass the optimiser inside."
        )
    if scaler is not None and not isinstance(scaler, torch.amp.GradScaler):
        raise TypeError(
            f"scaler takes a torch.amp.GradScaler; a {type(scaler).__name__} came. "
            "Of a wrapper, pass the scaler inside; a loop that scales by itself passes none."
        )
    if optimizer is not None:
        stepped = {id(weight) for group in optimizer.param_groups for weight in group["params"]}
        if stepped.isdisjoint(map(id, model.parameters())):
            raise ValueError(
                f"this {type(optimizer).__name__} steps none of the parameters of {type(model).__name__}: "
                "pass the one that was made of model.parameters(), after the model was moved or wrapped."
            )


def signed_format(name: str) -> str:
    """A format's own name; ValueError for a format without a sign, to which gradients cannot be cast."""
    fmt = get_format(name)
    if not fmt.signed:
        raise ValueError(f"gradients have signs, and {fmt.name} has none: take a signed format.")
    return fmt.name


def model_name(model: nn.Module) -> str:
    """The name of the model's class, before torch.compile wrapped it."""
    return type(getattr(model, "_orig_mod", model)).__name__


def watched_parameters(model: nn.Module) -> Iterator[tuple[str, nn.Parameter]]:
    """The parameters whose gradients can be summarised, by name."""
    for name, parameter in model.named_parameters():
        if parameter.requires_grad and parameter.is_floating_point():
            yield _own_name(name), parameter


def watched_modules(model: nn.Module) -> Iterator[tuple[str, nn.Module]]:
    """The modules whose output is checked, by name: the leaves, the compiled ones and the model itself.

    A hook on a module inside a compiled one would be compiled too, and again when it is removed.
    """
    compiled = _compiled_modules(model)
    for name, module in model.named_modules():
        is_inside = any(name != outer and name.startswith(f"{outer}." if outer else "") for outer in compiled)
        is_leaf = next(module.children(), None) is None  # not len(): a module may have one of its own
        if (is_leaf or name in compiled or module is model) and not is_inside:
            yield _own_name(name) or model_name(model), module


def blind_spots(model: nn.Module) -> Iterator[str]:
    """What of the model cannot be seen, one sentence each."""
    compiled = [_own_name(name) or model_name(model) for name in _compiled_modules(model)]
    if compiled:
        yield (
            f"torch.compile has {_list(compiled)} in hand: what modules inside put out cannot be seen. "
            "Gradients can."
        )
    frozen = [_own_name(name) for name, weight in model.named_parameters() if not weight.requires_grad]
    if frozen:
        yield f"Without a gradient when watching began, and not watched: {_list(frozen)}."
    odd = [_own_name(name) for name, weight in model.named_parameters() if weight.is_complex()]
    if odd:
        yield f"Complex, and not watched: {_list(odd)}."


def _own_name(name: str) -> str:
    """The name of a parameter or module before torch.compile wrapped the model."""
    return name.replace("_orig_mod.", "").removesuffix("_orig_mod")


def _compiled_modules(model: nn.Module) -> set[str]:
    """The names of modules whose forward pass is compiled.

    They are told by their attributes: to look up their class would load torch._dynamo, which takes seconds.
    """
    return {
        name
        for name, module in model.named_modules()
        if hasattr(module, "_orig_mod") or module._compiled_call_impl is not None
    }


def _list(names: list[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more
