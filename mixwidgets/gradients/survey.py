"""What the tensors of a checkpoint would lose in narrower formats."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from mixwidgets.formats.block import BlockFormat, get_block_format, list_block_formats
from mixwidgets.formats.catalogue import get_format
from mixwidgets.gradients.rounding_error import relative_error
from mixwidgets.gradients.summary import GradientSummary
from mixwidgets.gradients.values import as_floats

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd

    from mixwidgets.formats.float_format import FloatFormat

FORMATS = ("float16", "bfloat16", "float8_e4m3fn", "mxfp4")
"""What `survey` asks for unless told otherwise."""

_ACCEPTED = "a state_dict or another mapping of names to tensors, a model, or the path of a safetensors file"
_COLUMNS = (
    "tensor",
    "values",
    "format",
    "zero",
    "flushed",
    "subnormal",
    "overflow",
    "not_finite",
    "relative_error",
)


def survey(source: object, formats: Iterable[str | FloatFormat | BlockFormat] = FORMATS) -> pd.DataFrame:
    """One row per tensor and format, in the order of the source: what rounding to the format would lose.

    source: a state_dict or any mapping of names to NumPy or torch arrays, a model with a state_dict, or the
    path of a safetensors file, of which one tensor at a time is read. Tensors that are not floating point are
    left out.
    formats: float formats and block formats, by name or as they are; ties go to even.

    Columns: `values` is how many there are, `zero` and `not_finite` the shares of them that are 0 and that
    are infinite or NaN; `flushed`, `subnormal` and `overflow` are shares of the others; a block format scales
    what it holds, so that nothing in it overflows and nothing is told of subnormals. `relative_error` is
    ‖rounded − x‖ / ‖x‖, exact, infinite where anything overflows.
    TypeError or ValueError for what is no source and no format; ModuleNotFoundError for a path without the
    package safetensors, or torch, which it reads with.
    """
    import pandas as pd

    wanted = [_format(fmt) for fmt in formats]
    floats = [fmt for fmt in wanted if not isinstance(fmt, BlockFormat)]
    rows = []
    for name, tensor in _tensors(source):
        try:
            values = as_floats(tensor)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{name}: {error}") from None
        summary = GradientSummary.of(values, floats)
        for fmt in wanted:
            lost = (
                _in_blocks(values.reshape(np.shape(tensor)), fmt)
                if isinstance(fmt, BlockFormat)
                else _in_floats(values, summary, fmt)
            )
            rows.append((name, summary.count, fmt.name, *lost))
    return pd.DataFrame(rows, columns=list(_COLUMNS))


def _in_floats(values: Any, summary: GradientSummary, fmt: FloatFormat) -> tuple[float, ...]:
    counts = summary.counts(fmt)
    finite = counts.flushed + counts.subnormal + counts.normal + counts.overflow
    return (
        _share(counts.zero, counts.count),
        _share(counts.flushed, finite),
        _share(counts.subnormal, finite),
        _share(counts.overflow, finite),
        _share(counts.inf + counts.nan, counts.count),
        relative_error(values, fmt).value,
    )


def _in_blocks(values: Any, fmt: BlockFormat) -> tuple[float, ...]:
    """Blocks lie along the last axis. What is not finite counts as 0 in its block, which it would spoil."""
    finite = np.isfinite(values)
    clean = np.atleast_1d(np.where(finite, values, 0)).astype(np.float64)
    rounded = fmt.quantize(clean).dequantized
    some = clean != 0
    whole = float(np.linalg.norm(clean))
    return (
        _share(np.count_nonzero(values == 0), values.size),
        _share(np.count_nonzero(some & (rounded == 0)), np.count_nonzero(some)),
        float("nan"),
        0.0,
        _share(np.count_nonzero(~finite), values.size),
        float(np.linalg.norm(rounded - clean)) / whole if whole else 0.0,
    )


def _share(part: Any, whole: Any) -> float:
    return float(part / whole) if whole else 0.0


def _format(given: str | FloatFormat | BlockFormat) -> FloatFormat | BlockFormat:
    if isinstance(given, BlockFormat):
        return given
    if isinstance(given, str) and given in {fmt.name for fmt in list_block_formats()}:
        return get_block_format(given)
    return get_format(given)


def _tensors(source: object) -> Iterator[tuple[str, Any]]:
    """The floating-point tensors by name."""
    if isinstance(source, str | os.PathLike):
        yield from _of_file(os.fspath(source))
        return
    with suppress(AttributeError):
        source = source.state_dict()  # type: ignore[attr-defined]
    if not isinstance(source, Mapping):
        raise TypeError(f"survey takes {_ACCEPTED}; a {type(source).__name__} came.")
    for name, tensor in source.items():
        if _is_floating(tensor):
            yield name, tensor


def _of_file(path: str) -> Iterator[tuple[str, Any]]:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt", device="cpu") as file:
            for name in file.keys():  # noqa: SIM118  (the file is no mapping)
                if _is_floating(tensor := file.get_tensor(name)):
                    yield name, tensor
    except SafetensorError as error:
        raise ValueError(
            f"{path!r} is no safetensors file: {error}. Of other files give the tensors, such as "
            "torch.load(path, weights_only=True)."
        ) from None


def _is_floating(tensor: Any) -> bool:
    dtype = getattr(tensor, "dtype", None)
    return "float" in str(dtype) if dtype is not None else not isinstance(tensor, int | bool | str | bytes)
