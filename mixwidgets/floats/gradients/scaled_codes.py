"""Weights that a checkpoint stores as codes and scales, as published models are: what they stand for.

FP8 with a scale for each tensor, row or block (DeepSeek-V3's `weight_scale_inv`, compressed-tensors' and
ModelOpt's `weight_scale`), MXFP8 and MXFP4 (gpt-oss' `_blocks` and `_scales`), NVFP4 with its second scale
(ModelOpt's `weight_scale_2` multiplies, compressed-tensors' `weight_global_scale` divides). Two E2M1 codes
are in a byte, the first in its low half.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf, nan, prod
from typing import Any

import numpy as np

from mixwidgets.floats.formats import arrays
from mixwidgets.floats.formats.catalogue import get_format
from mixwidgets.floats.gradients.values import Array, as_floats

_BLOCK = 128  # rows and columns of the blocks that share a scale in DeepSeek's checkpoints
_PACKED = ("uint8", "float4_e2m1fn_x2")
_GROUPS = (16, 32)  # values in a row that share a scale in NVFP4 and MXFP4
_INTEGERS = ("uint8", "int8", "int16", "int32", "uint16", "uint32")
_BESIDE_INTEGERS = ("scales", "qzeros", "g_idx", "SCB")  # GPTQ's and AWQ's qweight, and LLM.int8's weight
_AFTER_INTEGERS = ("_scale", ".absmax", ".quant_map", ".nested_absmax", ".nested_quant_map")  # bitsandbytes'
_NAMED = 3  # names in a note


def dtype_name(values: Any) -> str:
    """The dtype as it is stored, by torch's name: "bfloat16"; "" for what has none."""
    return str(getattr(values, "stored", getattr(values, "dtype", ""))).removeprefix("torch.")


def decoded(entries: Mapping[str, Any], notes: list[str]) -> dict[str, Any]:
    """The floating-point tensors among a checkpoint's entries, in their order.

    Codes and their scales are one `ScaledCodes`, and their scales no entries of their own. Integers that are
    not decoded are left out, with the scales beside them. `notes` gets a sentence about each of the two.
    """
    found: dict[str, Any] = {}
    scaled_ones: list[str] = []
    used: set[str] = set()
    left_out: dict[str, list[str]] = {}
    for name, values in entries.items():
        dtype = dtype_name(values)
        if len(getattr(values, "shape", ())) and (dtype in _PACKED or dtype.startswith("float8")):
            own_name, scale, factors = _companions(name, entries)
            if scale is not None or dtype == "float4_e2m1fn_x2":
                numbers = [make(entries[of]) for of, make in factors]
                is_in_blocks = name.endswith("_blocks")
                scaled = _scaled(values, entries.get(scale or ""), numbers, is_in_blocks=is_in_blocks)
                if scaled is None:
                    left_out.setdefault(f"{dtype} whose scales do not fit their shape", []).append(name)
                else:
                    found[own_name] = scaled
                    scaled_ones += [own_name] * (scale is not None)
                used |= {each for each in [scale, *(of for of, _ in factors)] if each}
                continue
        if dtype in _INTEGERS and len(values.shape) > 1:
            left_out.setdefault(dtype, []).append(name)
            start = name.rpartition(".")[0]
            used |= {f"{start}.{each}" for each in _BESIDE_INTEGERS}
            used |= {f"{name}{each}" for each in _AFTER_INTEGERS}
        elif "float" in dtype:
            found[name] = values
    if scaled_ones:
        notes.append(f"{_counted(scaled_ones)} decoded with the scales beside them: {_list(scaled_ones)}.")
    for kind, names in left_out.items():
        if others := [name for name in names if name not in used]:
            notes.append(f"{_counted(others)} not decoded and not counted, of {kind}: {_list(others)}.")
    return {name: values for name, values in found.items() if name not in used}


def _counted(names: Sequence[str]) -> str:
    return f"{len(names):,} tensor{'s are' if len(names) > 1 else ' is'}"


def _list(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:_NAMED])) + (" …" if len(names) > _NAMED else "")


def _companions(
    name: str, entries: Mapping[str, Any]
) -> tuple[str, str | None, list[tuple[str, Callable[[Any], float]]]]:
    """What the decoded tensor is called, the entry with its scales, and those with factors for all of it."""
    if name.endswith("_blocks"):
        own_name = name.removesuffix("_blocks")
        scale = f"{own_name}_scales"
        return own_name, scale if scale in entries else None, []
    own_name = name.removesuffix("_packed")
    scales = (f"{own_name}_scale_inv", f"{own_name}_scale")
    found = next((each for each in scales if each in entries), None)
    factors = {f"{own_name}_scale_2": _number, f"{own_name}_global_scale": _inverse}
    return own_name, found, [(each, make) for each, make in factors.items() if each in entries]


def _number(values: Any) -> float:
    """NaN for what is not one floating-point number, so that no weight of it passes as finite."""
    if "float" not in dtype_name(values) or prod(values.shape) != 1:
        return nan
    return float(as_floats(values[:] if hasattr(values, "stored") else values)[0])


def _inverse(values: Any) -> float:
    return 1 / number if (number := _number(values)) else inf


def _scaled(codes: Any, scale: Any, factors: Iterable[float], *, is_in_blocks: bool) -> "ScaledCodes | None":
    """None if the shape of the scales does not fit. `is_in_blocks`: the codes' last axis is a block."""
    shape = list(codes.shape)
    if dtype_name(codes) in _PACKED:
        shape[-1] *= 2
    if scale is None:
        scale = np.ones(1, np.float32)
    elif not len(scale.shape):
        scale = scale.reshape(1)
    scales = tuple(scale.shape)
    if is_in_blocks:
        shape[-2:] = [prod(shape[-2:])]
    scales = (*scales, *(1,) * (len(shape) - len(scales)))
    sizes = [_block(length, count) for length, count in zip(shape, scales, strict=False)]
    if len(scales) != len(shape) or None in sizes:
        return None
    if dtype_name(codes) == "uint8" and sizes[-1] not in _GROUPS:  # these bytes are no pairs of E2M1's codes
        return None
    return ScaledCodes(codes, scale, float(np.prod([*factors])), tuple(shape), [size or 1 for size in sizes])


def _block(length: int, count: int) -> int | None:
    """How many places of an axis share one of `count` scales; None if they do not fit."""
    if -(-length // _BLOCK) == count:
        return _BLOCK
    return length // count if count and length % count == 0 else None


class ScaledCodes:
    """A tensor in codes with scales, and what it stands for: only the rows that are asked for are decoded."""

    def __init__(
        self, codes: Any, scale: Any, factor: float, shape: tuple[int, ...], blocks: Sequence[int]
    ) -> None:
        """blocks: how many places of each axis share a scale; factor: of all values."""
        self.shape = shape
        self.stored = dtype_name(codes)
        self._codes, self._scale, self._factor, self._blocks = codes, scale, factor, blocks

    def __getitem__(self, rows: slice) -> Array:
        """Float32 values, or float64 ones where a scale is."""
        start, stop, _ = rows.indices(self.shape[0])
        first, last = start // self._blocks[0], -(-stop // self._blocks[0])
        factors = _scale_values(self._scale[first:last]).reshape(last - first, *self._counts()[1:])
        for axis, size in enumerate(self._blocks):
            factors = np.repeat(factors, size, axis)
        offset = start - first * self._blocks[0]
        factors = factors[(slice(offset, offset + stop - start), *map(slice, self.shape[1:]))]
        if len(self._codes.shape) == 1:  # perhaps two in a byte
            values = _code_values(self._codes[:])[start:stop]
        else:
            values = _code_values(self._codes[start:stop]).reshape(factors.shape)
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is counted as such
            return values * factors * np.float32(self._factor)

    def _counts(self) -> list[int]:
        """How many scales there are along each axis."""
        return [-(-length // size) for length, size in zip(self.shape, self._blocks, strict=True)]


def _code_values(codes: Any) -> Array:
    if dtype_name(codes) not in _PACKED:
        return as_floats(codes)
    octets = _octets(codes)
    return _decoded("float4_e2m1fn", np.stack([octets & 15, octets >> 4], axis=-1))


def _scale_values(scale: Any) -> Array:
    """Those of uint8 are E8M0's codes."""
    if dtype_name(scale) != "uint8":
        return as_floats(scale)
    return _decoded("float8_e8m0fnu", _octets(scale))


def _decoded(fmt: str, codes: Array) -> Array:
    values: Array = arrays.decode(get_format(fmt), codes, np.float32)
    return values.reshape(-1)


def _octets(codes: Any) -> Array:
    if hasattr(codes, "detach"):
        import torch

        codes = codes.detach().view(torch.uint8).numpy(force=True)
    return np.asarray(codes, np.uint8)
