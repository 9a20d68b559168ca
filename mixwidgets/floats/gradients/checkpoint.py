"""The floating-point tensors of a checkpoint, one at a time: of a mapping, a model, a file, or a folder.

FP8 weights that are published with scales are multiplied by them, piece by piece: a scale for the tensor, for
each row, or for each block (DeepSeek-V3's are 128 × 128). What is left out is counted by kind, for the notes.
"""

import errno
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

_STATES = ("model_state_dict", "model_state", "state_dict", "model")  # what loops save the model under
_OPTIMIZER = {"state", "param_groups"}  # the keys of an optimiser's state_dict
_TORCH = (".pt", ".pth", ".bin", ".ckpt")
_LFS = b"version https://git-lfs"  # what a file starts with that Git LFS has not fetched
_INDEX = ".safetensors.index.json"
_SCALES = ("_scale_inv", "_scale")
_BLOCK = 128  # rows and columns of the blocks of DeepSeek-V3's scales
_DTYPES = {
    **{"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16"},
    **{"F8_E4M3": "float8_e4m3fn", "F8_E5M2": "float8_e5m2"},
}  # those of safetensors that are floats, not codes of blocks
_CODES = ("U8", "I8", "I16", "I32", "F4", "F8_E8M0", "F6_E2M3", "F6_E3M2")
_CODES_OF_TORCH = {"uint8": "U8", "int8": "I8", "int16": "I16", "int32": "I32", "float4_e2m1fn_x2": "F4"}
_MOST = 3  # names in a note
ACCEPTED = (
    "a state_dict or another mapping of names to tensors, a model, the path of a safetensors file or of "
    f"one that torch.save wrote ({', '.join(_TORCH)}), or of a folder of safetensors files"
)
_OTHERS = {
    ".npz": "survey(dict(numpy.load(path)))",
    ".npy": "survey({'array': numpy.load(path)})",
    ".gguf": "the tensors as gguf.quants.dequantize(tensor.data, tensor.tensor_type) gives them",
    ".distcp": "the path of what torch.distributed.checkpoint.format_utils.dcp_to_torch_save(folder, path) "
    "writes",
}
"""What to pass instead of a file that is not read here, by its ending."""


class Stored(NamedTuple):
    """A tensor of a checkpoint."""

    name: str
    values: Any
    """An array, a torch tensor, or something with a `shape` whose rows are read by slices."""
    dtype: str
    """In which it is stored."""


class Checkpoint:
    """The tensors of a source of `survey`, and notes on what it leaves out."""

    def __init__(self, source: object) -> None:
        self._source = source
        self._notes: dict[str, None] = {}
        self._left_out: dict[str, list[tuple[str, int]]] = {}
        self._scaled = 0

    def tensors(self) -> Iterator[Stored]:
        """Raises the errors of `survey`."""
        if isinstance(self._source, str | os.PathLike):
            yield from self._of_path(Path(self._source))
        else:
            yield from self._of_object(self._source)

    def notes(self) -> list[str]:
        """What was scaled or left out of the tensors so far, in sentences."""
        notes = [*self._notes]
        if self._scaled:
            notes.append(f"{self._scaled:,} FP8 tensors are multiplied by the scales stored with them.")
        for dtype, tensors in self._left_out.items():
            more = ", …" if len(tensors) > _MOST else ""
            names = ", ".join(name for name, _ in tensors[:_MOST])
            codes = sum(size for _, size in tensors)
            notes.append(
                f"{len(tensors):,} tensors of {dtype} with {codes:,} codes are left out, since they are not "
                f"decoded: {names}{more}."
            )
        return notes

    def _of_object(self, source: object) -> Iterator[Stored]:
        if callable(state := getattr(source, "state_dict", None)):
            source = state()
        if not isinstance(source, Mapping):
            raise TypeError(f"survey takes {ACCEPTED}; got a {type(source).__name__}.")
        held = next((source[key] for key in _STATES if isinstance(source.get(key), Mapping)), source)
        values = dict(self._of_mapping(held))
        yield from self._decoded({name: _InMemory(value) for name, value in values.items()})

    def _of_mapping(self, state: Mapping[Any, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
        for key, value in state.items():
            name = f"{prefix}{key}"
            if name.endswith("_extra_state"):
                continue
            if isinstance(value, Mapping):
                if value.keys() >= _OPTIMIZER:
                    self._notes[f"{name!r} is an optimiser's state and left out."] = None
                    continue
                yield from self._of_mapping(value, f"{name}.")
                continue
            if isinstance(value, float | list | tuple):
                try:
                    value = np.asarray(value)
                except ValueError:  # lists of different lengths
                    continue
            if hasattr(value, "dtype") and hasattr(value, "shape"):
                yield name, value

    def _of_path(self, path: Path) -> Iterator[Stored]:
        files = list(_files(path))
        for file in files:
            with file.open("rb") as start:  # raises an OSError that says what is wrong with the path
                if start.read(len(_LFS)) == _LFS:
                    raise ValueError(
                        f"{str(file)!r} is Git LFS's pointer to a file: run `git lfs pull`, which fetches it."
                    )
        if files and files[0].suffix.lower() in _TORCH:
            for file in files:
                yield from self._of_object(_loaded(str(file)))
            return
        with ExitStack() as opened:
            found: dict[str, Any] = {}
            for file in files:
                found |= _safetensors(file, opened)
            yield from self._decoded(found)

    def _decoded(self, found: Mapping[str, Any]) -> Iterator[Stored]:
        """`found`: things with `dtype`, `shape` and `values()`."""
        scales = {name: key for name in found for ending in _SCALES if (key := f"{name}{ending}") in found}
        scales = {name: key for name, key in scales.items() if _is_fp8(found[name].dtype)}
        applied = set(scales.values())
        for name, entry in found.items():
            if name in applied:
                continue
            if entry.dtype in _CODES:
                if len(entry.shape) > 1:  # an index or a counter is no tensor of codes
                    self._left_out.setdefault(entry.dtype, []).append((name, int(np.prod(entry.shape))))
            elif name in scales:
                scale = found[scales[name]]
                if size := _block_of(tuple(entry.shape), tuple(scale.shape)):
                    self._scaled += 1
                    yield Stored(name, _Scaled(entry, scale, size), entry.dtype)
                else:
                    shapes = f"{tuple(scale.shape)} for {tuple(entry.shape)}"
                    self._notes[f"{name} is left out: its scale has an unknown shape, {shapes}."] = None
            elif "float" in entry.dtype:
                if _is_fp8(entry.dtype):
                    self._notes[
                        "Some FP8 tensors have no scale stored with them, and are counted as they are stored."
                    ] = None
                yield Stored(name, entry.values(), entry.dtype)


class _InMemory(NamedTuple):
    """A tensor or array of a mapping."""

    value: Any

    @property
    def dtype(self) -> str:
        name = str(self.value.dtype).removeprefix("torch.")
        return _CODES_OF_TORCH.get(name, name)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.value.shape)

    def values(self) -> Any:
        return self.value


class _InFile:
    """A tensor in a safetensors file; only the requested rows are read."""

    def __init__(self, part: Any, whole: Callable[[], Any]) -> None:
        self._part, self._whole = part, whole
        self.shape = tuple(part.get_shape())
        self.dtype = _DTYPES.get(part.get_dtype(), part.get_dtype())

    def values(self) -> Any:
        return _Slices(self._part) if self.shape else self._whole()


class _Slices:
    """The rows of a tensor in a file."""

    def __init__(self, part: Any) -> None:
        self._part = part
        self.shape = tuple(part.get_shape())

    def __getitem__(self, rows: Any) -> Any:
        return self._part[rows]


class _Scaled:
    """The rows of an FP8 tensor times their scales, in float32."""

    def __init__(self, codes: Any, scale: Any, block: tuple[int, int]) -> None:
        """block: for how many rows and columns a scale is."""
        self._codes, self._block, self.shape = codes.values(), block, codes.shape
        whole = scale.values()
        scales = _as_torch(whole[:] if scale.shape else whole).float()
        self._scales = scales if scales.ndim == 2 else scales.reshape(-1, 1)

    def __getitem__(self, rows: slice) -> Any:
        import torch

        first, end, _ = rows.indices(self.shape[0])
        values = _as_torch(self._codes[rows]).float().reshape(end - first, -1)
        height, width = self._block
        scales = self._scales[torch.arange(first, end) // height].repeat_interleave(width, 1)
        return (values * scales[:, : values.shape[1]]).reshape(-1, *self.shape[1:])


def _as_torch(values: Any) -> Any:
    import torch

    return values if isinstance(values, torch.Tensor) else torch.from_numpy(np.asarray(values, np.float32))


def _is_fp8(dtype: str) -> bool:
    return dtype.startswith("float8_e4m3") or dtype.startswith("float8_e5m2")


def _block_of(shape: tuple[int, ...], scale: tuple[int, ...]) -> tuple[int, int] | None:
    """For how many rows and columns each value of a scale is; None if its shape is of no known kind."""
    columns = int(np.prod(shape[1:]))
    if not shape or not columns:
        return None
    if np.prod(scale) == 1:
        return shape[0], columns
    if scale in ((shape[0],), (shape[0], 1)):
        return 1, columns
    if len(shape) == 2 and scale == (-(-shape[0] // _BLOCK), -(-shape[1] // _BLOCK)):
        return _BLOCK, _BLOCK
    return None


def _files(path: Path) -> Iterator[Path]:
    """The file, or the files of a folder or of an index."""
    if path.is_dir():
        yield from _files_of_folder(path)
    elif path.name.endswith(_INDEX):
        try:
            shards = json.loads(path.read_text(encoding="utf-8"))["weight_map"].values()
        except (KeyError, TypeError, AttributeError, ValueError):
            raise ValueError(f"{str(path)!r} is not an index of safetensors files.") from None
        yield from (path.parent / Path(name).name for name in dict.fromkeys(shards))
    elif path.suffix.lower() in _OTHERS and path.exists():
        raise ValueError(
            f"{str(path)!r} is a {path.suffix} file, which survey does not read: pass "
            f"{_OTHERS[path.suffix.lower()]}."
        )
    else:
        yield path


def _files_of_folder(folder: Path) -> Iterator[Path]:
    """Those that its index names, else all safetensors files, else all of torch.save; in the cache of
    Hugging Face's hub, of the only snapshot."""
    snapshots = [*(folder / "snapshots").glob("*/")]
    if len(snapshots) == 1:
        yield from _files_of_folder(snapshots[0])
        return
    if len(indices := sorted(folder.glob(f"*{_INDEX}"))) == 1:
        yield from _files(indices[0])
        return
    files = sorted(folder.glob("*.safetensors")) or sorted(
        file for file in folder.iterdir() if file.suffix == ".bin" and "model" in file.name
    )
    if files:
        yield from files
        return
    if any(folder.glob("*.distcp")):
        raise ValueError(
            f"{str(folder)!r} is a checkpoint of torch.distributed.checkpoint, whose index would run code "
            f"when it is read: pass {_OTHERS['.distcp']}."
        )
    says = "this is a folder without safetensors files; name a file in it, such as 'model.pt'"
    raise IsADirectoryError(errno.EISDIR, says, str(folder))


def _safetensors(path: Path, opened: ExitStack) -> dict[str, _InFile]:
    """The tensors of a file, which `opened` closes."""
    from safetensors import SafetensorError, safe_open

    try:
        file = opened.enter_context(safe_open(path, framework="pt", device="cpu"))
        return {
            name: _InFile(file.get_slice(name), lambda name=name: file.get_tensor(name))  # type: ignore[misc]
            for name in file.keys()  # noqa: SIM118  (the file is no mapping)
        }
    except SafetensorError as error:
        raise ValueError(
            f"{str(path)!r} is not a safetensors file: {error}. A file of torch.save ends in "
            f"{', '.join(_TORCH)}; of any other file pass the tensors, such as "
            "torch.load(path, weights_only=True)."
        ) from None


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
