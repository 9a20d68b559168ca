"""survey: what the tensors of a checkpoint would lose in narrower formats.

The tensors come from a mapping, a model or a file, one at a time; those of a safetensors file are read in
pieces. A torch.save file is read with weights_only=True, which runs no code that it holds.
"""

import errno
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mixwidgets.floats.formats.block_catalogue import any_format
from mixwidgets.floats.formats.block_format import BlockFormat
from mixwidgets.floats.formats.catalogue import get_format, one_or_several
from mixwidgets.floats.formats.float_format import FloatFormat
from mixwidgets.floats.formats.in_and_out import require_dense_floats
from mixwidgets.floats.gradients.block_loss import SPREAD, BlockedTensor, check_scale_rule
from mixwidgets.floats.gradients.room import Room, key_text
from mixwidgets.floats.gradients.rounding_error import ErrorSums
from mixwidgets.floats.gradients.summary import GradientSummary
from mixwidgets.floats.gradients.values import own_part

if TYPE_CHECKING:
    import pandas as pd

FORMATS = ("float16", "bfloat16", "float8_e4m3fn", "mxfp4")
"""The default formats of `survey`."""

_COLUMNS = (
    *(
        "tensor",
        "values",
        "format",
        "scale_rule",
        "blocks_along",
        "zero",
        "flushed",
        "subnormal",
        "overflow",
        "clipped",
    ),
    *("not_finite", "relative_error", *SPREAD),
)

_STATES = ("model_state_dict", "model_state", "state_dict", "model")  # what loops save the model under
_TORCH = (".pt", ".pth", ".bin", ".ckpt")
_FLOAT4 = "torch.float4_e2m1fn_x2"
_FLOAT4_VALUES = get_format("float4_e2m1fn").decode(np.arange(16, dtype=np.uint8)).astype(np.float32)
_LFS = b"version https://git-lfs"  # what a file starts with that Git LFS has not fetched
_ACCEPTED = (
    "a state_dict or another mapping of names to tensors, a model, or the path of a safetensors file or of "
    f"one that torch.save wrote ({', '.join(_TORCH)})"
)


def survey(
    source: object,
    formats: str | FloatFormat | BlockFormat | Iterable[str | FloatFormat | BlockFormat] = FORMATS,
    block_axis: int | None = None,
    scale_rule: str | None = None,
) -> "pd.DataFrame":
    """One row per tensor and format, in the order of the source: what rounding to the format would lose.

    source: a state_dict or another mapping of names to NumPy or torch arrays, also inside a checkpoint such
    as {"model_state": …}; a model; the path of a safetensors file, which is read piece by piece; or the path
    of a torch.save file (.pt, .pth, .bin, .ckpt), read with weights_only=True. Tensors that are not floating
    point are skipped. Of a tensor sharded over processes (DTensor, as in FSDP2) only this process's part is
    counted, which `.attrs["notes"]` of the result says. Of a file no more is read than its bytes can hold,
    whatever shapes it states, and each mapping once; the notes say what was left out.
    formats: one or several float or block formats, by name or as objects; ties go to even.
    block_axis: the axis along which blocks run. The default is the axis that a layer's product sums over, in
    torch's layout of weights: all axes but the first, flattened (in × kh × kw of a convolution's (out, in,
    kh, kw); in of a linear layer's (out, in)); the only axis of a vector. A transposed convolution, whose
    weight is (in, out, kh, kw), needs block_axis=0. Blocks in two dimensions lie over these axes as columns,
    and the others, flattened, as rows.
    scale_rule: how the scales of blocks are chosen, a name that all block formats given know
    (`BlockFormat.scale_rules`); None: the first of each.

    Columns: `values` is their number; `zero` and `not_finite` are the shares of them that are 0, and infinite
    or NaN; `flushed`, `subnormal` and `overflow` are shares of the others. `relative_error` is
    ‖rounded − x‖ / ‖x‖ over finite values, and infinite if any overflows.
    For block formats: `scale_rule` and `blocks_along` say how the scales were chosen and where blocks lie;
    `flushed` is the share that became 0 because of its block's scale, `clipped` the share that saturation
    changed: divided by the scale it rounds past the largest element, as it does from 7 on in E2M1, whose
    largest is 6. Nothing overflows, and `subnormal` is NaN. A NaN or an infinity makes its whole block NaN,
    as in `BlockFormat.quantize`: then `relative_error` is infinite, and the other columns are of the other
    blocks. `block_range_…` is the blocks' dynamic range, log2 of the largest over the smallest non-zero
    magnitude: its median, 95th percentile and maximum. `block_amax_…` is the blocks' largest magnitude: its
    minimum, median and maximum. Both ignore blocks of zeros.
    TypeError, ValueError or OSError for a wrong source, format, axis or rule; ModuleNotFoundError for a path
    if safetensors or torch, which reads it, is not installed.
    """
    import pandas as pd

    wanted = list(map(any_format, one_or_several(formats)))
    check_scale_rule(scale_rule, [fmt for fmt in wanted if isinstance(fmt, BlockFormat)])
    rows: list[dict[str, Any]] = []
    sharded, room = 0, Room()
    for name, whole in _tensors(source, room):
        tensor = own_part(whole)
        sharded += tensor is not whole
        try:
            rows += [{"tensor": name, **row} for row in _rows(tensor, wanted, block_axis, scale_rule)]
        except (TypeError, ValueError) as error:
            raise type(error)(f"{name}: {error}") from None
    table = pd.DataFrame(rows, columns=list(_COLUMNS))
    part = f"{sharded:,} tensors are sharded; only this process's part of each is counted."
    table.attrs["notes"] = [part] * bool(sharded) + room.notes()
    return table


def _rows(
    tensor: Any, wanted: list[FloatFormat | BlockFormat], block_axis: int | None, scale_rule: str | None
) -> Iterator[dict[str, Any]]:
    """The rows of one tensor, one per format, without the columns that the format does not have."""
    if hasattr(tensor, "detach"):
        require_dense_floats(tensor)
    floats = [fmt for fmt in wanted if isinstance(fmt, FloatFormat)]
    blocks = [fmt for fmt in wanted if isinstance(fmt, BlockFormat)]
    blocked = BlockedTensor(tensor, blocks, block_axis, scale_rule)
    summary = GradientSummary.of(np.zeros(0, np.float32), floats)
    errors = ErrorSums(floats)
    for piece in blocked.pieces():
        summary = summary.merge(GradientSummary.of(piece, floats))
        errors.add(piece.reshape(-1))
        blocked.add(piece)

    not_finite = summary.inf + summary.nan
    nonzero = summary.count - summary.zero - not_finite
    relative = dict(zip(floats, errors.relative, strict=True))
    losses = dict(zip(blocks, blocked.losses, strict=True))
    for fmt in wanted:
        row = {
            "values": summary.count,
            "format": fmt.name,
            "scale_rule": "",
            "blocks_along": "",
            "zero": _share(summary.zero, summary.count),
            "not_finite": _share(not_finite, summary.count),
        }
        if isinstance(fmt, BlockFormat):
            record = losses[fmt].record()
            lost = {"flushed": record.flushed, "overflow": 0, "clipped": record.clipped}
            row |= {
                name: getattr(record, name)
                for name in ("scale_rule", "blocks_along", "relative_error", *SPREAD)
            }
        else:
            counts = summary.counts(fmt)
            lost = {name: getattr(counts, name) for name in ("flushed", "subnormal", "overflow")}
            row["relative_error"] = relative[fmt]
        yield row | {name: _share(count, nonzero) for name, count in lost.items()}


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _tensors(source: object, room: Room) -> Iterator[tuple[str, Any]]:
    """The floating-point tensors by name: arrays, torch tensors, or lazily read tensors of a file.

    If a checkpoint also holds the optimiser's state, only the model's is used. Entries that are not tensors,
    such as None or an `_extra_state`, are skipped. Raises the errors of `survey`.
    """
    if isinstance(source, str | os.PathLike):
        yield from _of_file(os.fspath(source), room)
        return
    if callable(state := getattr(source, "state_dict", None)):
        source = state()
    if not isinstance(source, Mapping):
        raise TypeError(f"survey takes {_ACCEPTED}; got a {type(source).__name__}.")
    held = next((source[key] for key in _STATES if isinstance(source.get(key), Mapping)), source)
    yield from _of_mapping(held, room)


def _of_mapping(state: Mapping[Any, Any], room: Room, prefix: str = "") -> Iterator[tuple[str, Any]]:
    if not room.enters(state, prefix):
        return
    for key, value in state.items():
        name = f"{prefix}{key_text(key)}"
        if name.endswith("_extra_state"):
            continue
        if isinstance(value, Mapping):
            yield from _of_mapping(value, room, f"{name}.")
            continue
        if isinstance(value, float | list | tuple):
            if not room.takes_list(value):
                continue
            try:
                value = np.asarray(value)
            except ValueError:  # lists of different lengths
                continue
        if "float" in str(dtype := getattr(value, "dtype", "")) and room.takes(value.shape):
            yield name, _Float4(value) if str(dtype) == _FLOAT4 else value


def _of_file(path: str, room: Room) -> Iterator[tuple[str, Any]]:
    if Path(path).is_dir():
        raise IsADirectoryError(
            errno.EISDIR, "this is a folder; name a file in it, such as 'model.safetensors'", path
        )
    state = Path(path).stat()
    if not stat.S_ISREG(state.st_mode):
        raise OSError(errno.EINVAL, "this is a pipe or a device; write what it gives into a file", path)
    room.of_file(state.st_size)
    with Path(path).open("rb") as start:  # raises an OSError that says what is wrong with the path
        if start.read(len(_LFS)) == _LFS:
            raise ValueError(
                f"{path!r} is Git LFS's pointer to a file: run `git lfs pull`, which fetches it."
            )
    if Path(path).suffix.lower() in _TORCH:
        yield from _tensors(_loaded(path), room)
        return
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt", device="cpu") as file:
            for name in file.keys():  # noqa: SIM118  (the file is no mapping)
                part = file.get_slice(name)
                dtype, shape = part.get_dtype(), part.get_shape()
                if dtype.startswith("F6_"):  # safetensors has them, torch does not
                    room.unread.append(f"{name} ({dtype})")
                elif dtype.startswith(("F", "BF")) and room.takes(shape):
                    is_lazy = shape and dtype != "F4"
                    value = _Slices(part) if is_lazy else file.get_tensor(name)
                    yield name, _Float4(value) if dtype == "F4" else value
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


class _Float4:
    """A torch tensor of two float4_e2m1fn in each byte, the first in the low bits."""

    def __init__(self, packed: Any) -> None:
        import torch

        self._packed = packed.detach().view(torch.uint8)
        self.shape = (*packed.shape[:-1], 2 * packed.shape[-1])

    def __getitem__(self, rows: Any) -> Any:
        is_vector = len(self.shape) == 1  # whose rows are its values
        packed = (self._packed if is_vector else self._packed[rows]).cpu().numpy()
        codes = np.stack([packed & 15, packed >> 4], axis=-1).reshape(*packed.shape[:-1], -1)
        return _FLOAT4_VALUES[codes[rows] if is_vector else codes]


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
