"""The tensors of a checkpoint by name: of a mapping, a model, a file or a folder of files; none is read yet.

A safetensors file is read in pieces. A torch.save file is read with weights_only=True, which runs no code
that it holds.
"""

import errno
import json
import os
import re
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from mixwidgets.floats.gradients.room import Room, key_text

_STATES = ("model_state_dict", "model_state", "state_dict", "model")  # what loops save the model under
_OPTIMISER = {"state", "param_groups"}  # what torch's optimisers save
_TORCH = (".pt", ".pth", ".bin", ".ckpt")
_INDEX = ".index.json"  # ends the name of the file that says which shard has a tensor
_LFS = b"version https://git-lfs"  # what a file starts with that Git LFS has not fetched
_DTYPES = {
    **{"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16"},
    **{"F8_E4M3": "float8_e4m3fn", "F8_E5M2": "float8_e5m2", "F8_E8M0": "float8_e8m0fnu"},
    **{"I64": "int64", "I32": "int32", "I16": "int16", "I8": "int8", "U8": "uint8", "BOOL": "bool"},
}  # safetensors' names: torch's
_ACCEPTED = (
    "a state_dict or another mapping of names to tensors, a model, the path of a safetensors file or of one "
    f"that torch.save wrote ({', '.join(_TORCH)}), or that of a folder of such files"
)
_OTHERS = {
    ".gguf": "GGUF, whose blocks are not read here; pass a mapping of names to the arrays that the package "
    "gguf's dequantize makes of them",
    ".npz": "a file of NumPy arrays; pass dict(numpy.load(path)), a mapping of names to arrays",
    ".distcp": "a part of a checkpoint of torch.distributed, whose index is a pickle; convert its folder "
    "with `python -m torch.distributed.checkpoint.format_utils dcp_to_torch FOLDER model.pt`",
}


def entries_of(source: object, notes: list[str], room: Room) -> dict[str, Any]:
    """Arrays, torch tensors, or lazily read tensors of a file (`Slices`), by name, of all dtypes.

    Of a checkpoint that also holds an optimiser's state, the model's alone, which `notes` says. Entries that
    are not tensors, such as None or an `_extra_state`, are skipped, and so is what `room` does not take.
    Raises the errors of `survey`.
    """
    if isinstance(source, str | os.PathLike):
        found: dict[str, Any] = {}
        for file in _files(Path(source)):
            found |= _of_file(file, notes, room)
        return found
    if callable(state := getattr(source, "state_dict", None)):
        source = state()
    if not isinstance(source, Mapping):
        raise TypeError(f"survey takes {_ACCEPTED}; got a {type(source).__name__}.")
    held = next((source[key] for key in _STATES if isinstance(source.get(key), Mapping)), source)
    return dict(_of_mapping(held, notes, room))


def _of_mapping(
    state: Mapping[Any, Any], notes: list[str], room: Room, prefix: str = ""
) -> Iterator[tuple[str, Any]]:
    if not room.enters(state, prefix):
        return
    for key, value in state.items():
        name = f"{prefix}{key_text(key)}"
        if name.endswith("_extra_state"):
            continue
        if isinstance(value, Mapping):
            if value.keys() >= _OPTIMISER:
                notes.append(f"{name!r} is the state of an optimiser: it is left out.")
                continue
            yield from _of_mapping(value, notes, room, f"{name}.")
            continue
        if isinstance(value, float | list | tuple):
            if not room.takes_list(value):
                continue
            try:
                value = np.asarray(value)
            except ValueError:  # lists of different lengths
                continue
        if getattr(value, "dtype", None) is not None and room.takes(value.shape):
            yield name, value


def _files(path: Path) -> list[Path]:
    """The files of a checkpoint: itself, or those of a folder or an index, in the order of their numbers."""
    if path.name.endswith(_INDEX):
        return _shards(path)
    if not path.is_dir():
        return [path]
    if snapshots := [*path.glob("snapshots/*/")]:  # of a model in Hugging Face's cache
        path = max(snapshots, key=lambda each: each.stat().st_mtime)
    there = sorted(path.iterdir(), key=_by_number)
    if index := next((each for each in there if each.name.endswith(_INDEX)), None):
        return _shards(index)
    for suffixes in ((".safetensors",), _TORCH):
        if found := [each for each in there if each.suffix.lower() in suffixes]:
            return found
    if (path / ".metadata").exists() or any(each.suffix == ".distcp" for each in there):
        raise ValueError(f"{str(path)!r} is {_OTHERS['.distcp'].replace('FOLDER', str(path))}.")
    raise IsADirectoryError(
        errno.EISDIR, "this folder has no file of tensors, such as 'model.safetensors'", str(path)
    )


def _shards(index: Path) -> list[Path]:
    """The files that an index names, beside it."""
    try:
        names = {str(name) for name in json.loads(index.read_bytes())["weight_map"].values()}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise ValueError(
            f"{str(index)!r} is no index of shards: it needs a 'weight_map' of names to files."
        ) from None
    if elsewhere := [name for name in names if Path(name).name != name]:
        raise ValueError(f"{str(index)!r} names {elsewhere[0]!r}, which is not a file beside it.")
    files = sorted((index.parent / name for name in names), key=_by_number)
    if missing := [file for file in files if not file.exists()]:
        advice = f"the index {index.name} names this file; fetch it too"
        raise FileNotFoundError(errno.ENOENT, advice, str(missing[0]))
    return files


def _by_number(path: Path) -> list[tuple[int, str]]:
    """A key that sorts "model-10" after "model-9"."""
    return [(int(part or 0), text) for text, part in re.findall(r"(\D*)(\d*)", path.name)]


def _of_file(file: Path, notes: list[str], room: Room) -> dict[str, Any]:
    path = os.fspath(file)
    if file.suffix.lower() in _OTHERS:
        raise ValueError(f"{path!r} is {_OTHERS[file.suffix.lower()]}.")
    state = file.stat()  # raises an OSError that says what is wrong with the path
    if not stat.S_ISREG(state.st_mode):
        raise OSError(errno.EINVAL, "this is a pipe or a device; write what it gives into a file", path)
    room.of_file(state.st_size)
    with file.open("rb") as start:
        if start.read(len(_LFS)) == _LFS:
            raise ValueError(
                f"{path!r} is Git LFS's pointer to a file: run `git lfs pull`, which fetches it."
            )
    if file.suffix.lower() in _TORCH:
        return entries_of(_loaded(path), notes, room)
    from safetensors import SafetensorError, safe_open

    try:
        opened: Any = safe_open(path, framework="pt", device="cpu")
        entries = ((name, _entry(opened, name, room)) for name in opened.keys())  # noqa: SIM118  (no mapping)
        return {name: entry for name, entry in entries if entry is not None}
    except SafetensorError as error:
        raise ValueError(
            f"{path!r} is not a safetensors file: {error}. A file of torch.save ends in {', '.join(_TORCH)}; "
            "of any other file pass the tensors, such as torch.load(path, weights_only=True)."
        ) from None


def _entry(opened: Any, name: str, room: Room) -> Any:
    part = opened.get_slice(name)
    dtype, shape = part.get_dtype(), part.get_shape()
    if dtype.startswith("F6_"):  # safetensors has them, torch does not
        room.unread.append(f"{name} ({dtype})")
        return None
    if not room.takes(shape):
        return None
    return Slices(part) if shape and dtype != "F4" else opened.get_tensor(name)  # F4: torch makes no slices


class Slices:
    """A tensor in a safetensors file; only the requested slices are read."""

    def __init__(self, part: Any) -> None:
        self._part = part
        self.shape = tuple(part.get_shape())
        self.stored = _DTYPES.get(part.get_dtype(), part.get_dtype().lower())
        """Its dtype, by torch's name."""

    def __getitem__(self, rows: Any) -> Any:
        return self._part[rows]


def _loaded(path: str) -> object:
    """The content of a torch.save file, memory-mapped if possible, and read with weights_only=True."""
    import zipfile

    import torch

    try:
        return torch.load(path, map_location="cpu", weights_only=True, mmap=zipfile.is_zipfile(path))
    except Exception as error:  # for a damaged or foreign file torch may raise anything
        # torch explains its option before this mark, in colour. Of what follows, the first sentence is the
        # cause; the others are ways round it.
        _, mark, text = str(error).rpartition("WeightsUnpickler error:")
        cause = (text.strip() or type(error).__name__).splitlines()[0].partition(". ")[0][:200].rstrip(".")
        if not mark:
            raise ValueError(
                f"{path!r} cannot be read: {cause}. It may be damaged or incomplete, or torch.save did not "
                "write it."
            ) from None
        raise ValueError(
            f"{path!r} cannot be read as tensors alone (torch.load with weights_only=True): {cause}. "
            "Save only model.state_dict(), or allow the classes that it names and that you know: with "
            "torch.serialization.safe_globals([argparse.Namespace]): survey(path)."
        ) from None
