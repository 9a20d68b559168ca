"""The parts of a model that are watched, by the names that they have before torch.compile."""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from torch import nn

_PASSING_ON = (nn.Flatten, nn.Identity, nn.MaxPool1d, nn.MaxPool2d, nn.MaxPool3d, nn.ReLU, nn.Unflatten)


def own_name(name: str) -> str:
    """A parameter's or module's name as in the model before torch.compile."""
    return name.replace("_orig_mod.", "").removesuffix("_orig_mod")


def model_name(model: nn.Module) -> str:
    """The name of the model's class, that before torch.compile."""
    return type(getattr(model, "_orig_mod", model)).__name__


def compiled_parts(model: nn.Module) -> dict[str, nn.Module]:
    """The modules whose forward pass torch.compile has in hand, by name.

    By their marks: to ask for their class would load torch._dynamo, which takes seconds.
    """
    return {
        name: module
        for name, module in model.named_modules()
        if hasattr(module, "_orig_mod") or module._compiled_call_impl is not None
    }


def is_leaf(module: nn.Module) -> bool:
    """Whether no module is inside."""
    return next(module.children(), None) is None  # whose truth may be that of a len() which it has not


def ends_in_a_leaf(model: nn.Module) -> bool:
    """Whether what the model puts out is what its last leaf module puts out: a Sequential's is."""
    return type(model) is nn.Sequential and len(model) > 0 and is_leaf(model[-1])


def watched(model: nn.Module) -> Iterator[tuple[str, nn.Parameter]]:
    """The parameters whose gradients can be summarised, by their own names."""
    for name, parameter in model.named_parameters():
        if parameter.requires_grad and parameter.is_floating_point():
            yield own_name(name), parameter


def passing_on(model: nn.Module) -> set[nn.Module]:
    """Leaf modules whose output holds an inf or a NaN only where that of the leaf module before them does.

    Which one is before is known in a Sequential alone; a module of two names may be called elsewhere, too.
    """
    named = Counter(module for _, module in model.named_modules(remove_duplicate=False))
    return {
        module
        for sequence in model.modules()
        if type(sequence) is nn.Sequential
        for before, module in pairwise(sequence)
        if type(module) in _PASSING_ON and named[module] == 1 and is_leaf(before)
    }
