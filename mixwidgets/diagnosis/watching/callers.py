"""The GradScaler of a loop that did not pass it, found in the functions that are running."""

import sys
from collections.abc import Iterator
from types import FrameType

import torch

_STEPS_THROUGH = {  # by id, for a code's hash is slow: through which a scaler calls an optimiser's step
    id(torch.amp.GradScaler.step.__code__),
    id(torch.amp.GradScaler._maybe_opt_step.__code__),
}


def scaler_that_steps() -> torch.amp.GradScaler | None:
    """The enabled GradScaler through which the optimiser's step is called."""
    for frame in _callers():
        if id(frame.f_code) in _STEPS_THROUGH:
            scaler: torch.amp.GradScaler = frame.f_locals["self"]
            if scaler.is_enabled():
                return scaler
    return None


def scalers_of_callers() -> set[torch.amp.GradScaler]:
    """The enabled GradScalers among the variables of the functions that are running, and the attributes of
    their `self`."""
    found = set()
    for frame in _callers():
        variables = [*frame.f_locals.values(), *frame.f_globals.values()]
        variables += getattr(frame.f_locals.get("self"), "__dict__", {}).values()
        found |= {each for each in variables if isinstance(each, torch.amp.GradScaler) and each.is_enabled()}
    return found


def _callers() -> Iterator[FrameType]:
    frame = sys._getframe().f_back
    while frame is not None and frame.f_back is not None:
        frame = frame.f_back
        yield frame
