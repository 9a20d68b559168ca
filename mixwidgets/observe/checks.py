"""What watch can look at, and what it will not see."""

from collections.abc import Iterator

import torch
from torch import nn

from mixwidgets.formats.catalogue import get_format
from mixwidgets.observe.names import compiled_parts, model_name, own_name, watched

_NAMED = 5  # of a list of names, in a sentence


def check_loop(model: object, optimizer: object, scaler: object) -> None:
    """TypeError or ValueError for what is no training loop's."""
    if not isinstance(model, nn.Module):
        raise TypeError(f"watch takes a torch.nn.Module; a {type(model).__name__} came. Write watch(model).")
    if not list(watched(model)):
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
    """A format's own name; ValueError for one that gradients cannot be cast to."""
    fmt = get_format(name)
    if not fmt.signed:
        raise ValueError(f"gradients have signs, and {fmt.name} has none: take a signed format.")
    return fmt.name


def blind_spots(model: nn.Module) -> Iterator[str]:
    """What of the model is not seen, in sentences."""
    parts = [own_name(name) or model_name(model) for name in compiled_parts(model)]
    if parts:
        yield (
            f"torch.compile has {_list(parts)} in hand: what modules inside put out cannot be seen. "
            "Gradients can."
        )
    frozen = [own_name(name) for name, weight in model.named_parameters() if not weight.requires_grad]
    if frozen:
        yield f"Without a gradient when watching began, and not watched: {_list(frozen)}."
    odd = [own_name(name) for name, weight in model.named_parameters() if weight.is_complex()]
    if odd:
        yield f"Complex, and not watched: {_list(odd)}."


def _list(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
