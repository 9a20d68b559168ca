"""The tensors of a mapping, a model or a checkpoint file, one at a time."""

import errno
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

_STATES = ("model_state_dict", "model_state", "state_dict", "model")  # what loops save the model under
_TORCH = (".pt", ".pth", ".bin", ".ckpt")
_LFS = b"version https://git-lfs"  # what a file starts with that Git LFS has not fetched
_ACCEPTED = (
    "a state_dict or another mapping of names to tensors, a model, or the path of a safetensors file or of "
    f"one that torch.save wrote ({', '.join(_TORCH)})"
)


def tensors(source: object) -> Iterator[tuple[str, Any]]:
    """The floating-point tensors by name: arrays, torch tensors, or lazily read tensors of a file.

    If a checkpoint also holds the optimiser's state, only the model's is used. Entries that are not tensors,
    such as None or an `_extra_state`, are skipped. Raises the errors of `survey`.
    """
    if isinstance(source, str | os.PathLike):
        yield from _of_file(os.fspath(source))
        return
    if callable(state := getattr(source, "state_dict", None)):
        source = state()
    if not isinstance(source, Mapping):
        raise TypeError(f"survey takes {_ACCEPTED}; got a {type(source).__name__}.")
    held = next((source[key] for key in _STATES if isinstance(source.get(key), Mapping)), source)
    yield from _of_mapping(held)


def _of_mapping(state: Mapping[Any, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in state.items():
        name = f"{prefix}{key}"
        if name.endswith("_extra_state"):
            continue
        if isinstance(value, Mapping):
            yield from _of_mapping(value, f"{name}.")
            continue
        if isinstance(value, float | list | tuple):
            try:
                value = np.asarray(value)
            except ValueError:  # lists of different lengths
                continue
        if "float" in str(getattr(value, "dtype", "")):
            yield name, value


def _of_file(path: str) -> Iterator[tuple[str, Any]]:
    if Path(path).is_dir():
        raise IsADirectoryError(
            errno.EISDIR, "this is a folder; name a file in it, such as 'model.safetensors'", path
        )
    with Path(path).open("rb") as start:  # raises an OSError that says what is wrong with the path
        if start.read(len(_LFS)) == _LFS:
            raise ValueError(
                f"{path!r} is Git LFS's pointer to a file: run `git lfs pull`, which fetches it."
            )
    if Path(path).suffix.lower() in _TORCH:
        yield from tensors(_loaded(path))
        return
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt", device="cpu") as file:
            for name in file.keys():  # noqa: SIM118  (the file is no mapping)
                part = file.get_slice(name)
                if part.get_dtype().startswith(("F", "BF")):
                    yield name, _Slices(part) if part.get_shape() else file.get_tensor(name)
    except SafetensorError as error:
        raise ValueError(
            f"{path!r} is not a safetensors file: {error}. A file of torch.save ends in {', '.join(_TORCH)}; "
            "of any other file pass the tensors, such as torch.load(path, weights_only=True)."
        ) from None


class _Slices:
    """A tensor in a safetensors file; only the requested slices are read."""

    def __init__(self, part: Any) -> None:
        self._part = part
        self.shape = tuple(part.get_shape())

    def __getitem__(self, rows: Any) -> Any:
        return self._part[rows]


def _loaded(path: str) -> object:
    """The content of a torch.save file, memory-mapped if possible, and read with weights_only=True."""
    import zipfile

    import torch

    try:
        return torch.load(path, map_location="cpu", weights_only=True, mmap=zipfile.is_zipfile(path))
    except Exception as error:  # for a damaged or foreign file torch may raise anything
        # Before this mark torch speaks of its option, in colour; after the first sentence, of ways round it.
        _, mark, text = str(error).rpartition("WeightsUnpickler error:")
        cause = (text.strip() or type(error).__name__).splitlines()[0].partition(". ")[0][:200].rstrip(".")
        if not mark:
            raise ValueError(
                f"{path!r} cannot be read: {cause}. It may be damaged or incomplete, or torch.save did not "
                "write it."
            ) from None
        raise ValueError(
            f"{path!r} cannot be read as tensors alone (torch.load with weights_only=True): {cause}. "
            "Save only model.state_dict() or, of a file that you trust, pass "
            "torch.load(path, weights_only=False)."
        ) from None
