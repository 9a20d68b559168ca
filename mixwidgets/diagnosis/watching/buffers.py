"""The buffers of a model that its steps write to, such as the running statistics of a BatchNorm.

torch does not count what a BatchNorm writes in a buffer's version, so small buffers are looked at in every
step, and of large ones, such as masks, those with a new version.
"""

from collections.abc import Mapping
from operator import is_

import torch
from torch import Tensor, nn

from mixwidgets.diagnosis.watching.targets import inner_modules

_SMALL = 1 << 14  # values


class Buffers:
    """Finds the buffers that may have been written to. Those that hold an inf from the start, such as a mask,
    are left out."""

    def __init__(self, model: nn.Module) -> None:
        self._model = model
        self._seen: list[Tensor | None] = []
        self._all: dict[str, Tensor] = {}
        self._versions: dict[str, tuple[int, int]] = {}
        self._left_out: set[str] = set()

    def begin(self) -> None:
        """Look at each buffer once, waiting for the device."""
        self._look()
        self._versions = {name: _version(buffer) for name, buffer in self._all.items()}
        self._left_out = {name for name, buffer in self._all.items() if not _is_finite(buffer)}

    def written(self, *, look_again: bool) -> Mapping[str, Tensor]:
        """Those that may have been written to since the last call. `look_again`: also for new ones."""
        if look_again:
            self._look()
        found = {}
        for name, buffer in self._all.items():
            version = _version(buffer)
            if (
                buffer.numel() <= _SMALL or version != self._versions.get(name)
            ) and name not in self._left_out:
                self._versions[name] = version
                found[name] = buffer
        return found

    def _look(self) -> None:
        found = [buffer for module in inner_modules(self._model) for buffer in module._buffers.values()]
        if len(found) == len(self._seen) and all(map(is_, found, self._seen)):
            return
        self._seen = found
        self._all = {
            name.replace("_orig_mod.", ""): buffer
            for name, buffer in self._model.named_buffers()
            if buffer.is_floating_point() and buffer.layout == torch.strided
        }


def _version(buffer: Tensor) -> tuple[int, int]:
    return id(buffer), 0 if buffer.is_inference() else buffer._version


def _is_finite(buffer: Tensor) -> bool:
    try:
        return bool(buffer.isfinite().all())
    except (RuntimeError, TypeError, NotImplementedError):  # a format that torch does not compute with
        return False
