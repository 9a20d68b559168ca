"""What block formats are, said plainly: each value a rational, each table from its document, no arrays."""

from bisect import bisect_left
from fractions import Fraction
from itertools import product
from typing import NamedTuple

import ml_dtypes
import numpy as np

TWO = Fraction(2)


def table(dtype):
    """{code: value} of the finite codes."""
    values = np.arange(1 << ml_dtypes.finfo(dtype).bits, dtype=np.uint8).view(dtype).astype(np.float64)
    return {code: Fraction(float(value)) for code, value in enumerate(values) if np.isfinite(value)}


def integers(bits, over):
    """Two's complement without the code of −2^(bits − 1)."""
    top = 1 << (bits - 1)
    return {code: Fraction(code - 2 * top * (code > top), over) for code in range(2 * top) if code != top}


NF4 = [  # QLoRA, appendix E
    -1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635,
    -0.18477343022823334, -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725,
    0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941, 0.7229568362236023,
    1.0,
]  # fmt: skip
E4M3, E5M2 = table(ml_dtypes.float8_e4m3fn), table(ml_dtypes.float8_e5m2)
E2M1 = table(ml_dtypes.float4_e2m1fn)


class Row(NamedTuple):
    """A block format: its elements, block size, scale, and element fraction bits where a rule uses them."""

    elements: dict[int, Fraction]
    size: int | tuple[int, int]
    scale: str = "E8M0"
    has_tensor_scale: bool = False
    fraction_bits: int = 0

    @property
    def largest(self) -> Fraction:
        return max(self.elements.values())


FORMATS = {
    "mxfp8_e4m3": Row(E4M3, 32, fraction_bits=3),
    "mxfp8_e5m2": Row(E5M2, 32, fraction_bits=2),
    "mxfp6_e3m2": Row(table(ml_dtypes.float6_e3m2fn), 32, fraction_bits=2),
    "mxfp6_e2m3": Row(table(ml_dtypes.float6_e2m3fn), 32, fraction_bits=3),
    "mxfp4": Row(E2M1, 32, fraction_bits=1),
    "mxint8": Row(integers(8, 64), 32, fraction_bits=6),
    "nvfp4": Row(E2M1, 16, "E4M3", has_tensor_scale=True),
    "nvfp4_16x16": Row(E2M1, (16, 16), "E4M3", has_tensor_scale=True),
    "nvfp4_one_level": Row(E2M1, 16, "E4M3"),
    "fp8_1x128": Row(E4M3, 128, "float32"),
    "fp8_128x128": Row(E4M3, (128, 128), "float32"),
    "mxint4": Row(integers(4, 4), 32, fraction_bits=2),
    "int8_g128": Row(integers(8, 1), 128, "float16"),
    "int4_g128": Row(integers(4, 1), 128, "float16"),
    "nf4": Row({code: Fraction(value) for code, value in enumerate(NF4)}, 64, "float32"),
}
RULES = {
    name: ("FLOOR", "CEIL", "RCEIL", "EVEN")
    if row.scale == "E8M0"
    else (("TE", "TORCHAO") if row.has_tensor_scale else ("AMAX",))
    + (("FOUR_OVER_SIX",) if row.elements is E2M1 else ())
    for name, row in FORMATS.items()
}
"""Of each format, the default first."""
CASES = [(name, rule) for name, rules in RULES.items() for rule in rules]


IN_ORDER = {
    id(codes): sorted({value: code for code, value in reversed(codes.items())}.items())
    for codes in (E4M3, *(row.elements for row in FORMATS.values()))
}
"""Of each table (value, code), the code of −0 left out."""


def nearest(codes, x):
    """The value of a table that is nearest to x; of two, that of the even code. It saturates by itself."""
    ordered = IN_ORDER[id(codes)]
    place = bisect_left(ordered, (x, -1))
    return min(ordered[max(place - 1, 0) : place + 1], key=lambda item: (abs(item[0] - x), item[1] & 1))[0]


def exponent(x):
    """⌊log2 x⌋"""
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e if TWO**e <= x else e - 1


def rounded(x, precision, emin, largest):
    """x ≥ 0 to a float format, by its definition; at most its largest value."""
    quantum = TWO ** (max(exponent(x), emin) + 1 - precision) if x else Fraction(1)
    return min(round(x / quantum) * quantum, largest)


def to_float32(x):
    return rounded(x, 24, -126, (2 - TWO**-23) * 2**127)


TO_SCALE = {
    "E4M3": lambda x: nearest(E4M3, x),
    "float16": lambda x: rounded(x, 11, -14, Fraction(65504)),
    "float32": to_float32,
}


def power_of_two(row, amax, rule):
    if amax == 0:
        return TWO**-127
    if rule == "RCEIL":
        e = exponent(amax / row.largest)
        e += TWO**e < amax / row.largest
    else:
        if rule == "EVEN":
            quantum = TWO ** (exponent(amax) - row.fraction_bits)
            amax = round(amax / quantum) * quantum
        e = exponent(amax) - exponent(row.largest)
        e += rule == "CEIL" and amax != TWO ** exponent(amax)
    return TWO ** max(-127, min(127, e))


def dequantized(row, block, unit):
    return [nearest(row.elements, x / unit) * unit if unit else Fraction(0) for x in block]


def scale_of(row, block, rule, tensor_scale, metric):
    amax = max(map(abs, block))
    if row.scale == "E8M0":
        return power_of_two(row, amax, rule)
    to_scale = TO_SCALE[row.scale]
    scale = to_scale(amax / (row.largest * tensor_scale))
    if rule == "TORCHAO":
        return max(scale, TWO**-6)
    if rule == "FOUR_OVER_SIX":
        on_four = to_scale(amax / (4 * tensor_scale))
        power = {"MSE": 2, "MAE": 1}[metric]
        on_six_error, on_four_error = (
            sum(
                abs(y - x) ** power
                for x, y in zip(block, dequantized(row, block, candidate * tensor_scale), strict=True)
            )
            for candidate in (scale, on_four)
        )
        return on_four if on_four_error < on_six_error else scale
    return scale


def block_indices(size, shape):
    """Of an array of one axis, or of two for blocks in two dimensions: the indices of each block."""
    sizes = size if isinstance(size, tuple) else (size,)
    starts = [range(0, length, k) for length, k in zip(shape, sizes, strict=True)]
    for corner in product(*starts):
        ranges = [
            range(start, min(start + k, length))
            for start, k, length in zip(corner, sizes, shape, strict=True)
        ]
        yield list(product(*ranges))


def quantized(name, values, rule, *, bound=None, metric="MSE"):
    """(scales of the blocks in order, tensor scale or None, {index: dequantised}) of finite values, an array
    of as many axes as blocks have. bound: the scale of the tensor's largest value."""
    row = FORMATS[name]
    values = np.asarray(values)
    blocks = list(block_indices(row.size, values.shape))
    exact = {index: Fraction(float(values[index])) for block in blocks for index in block}
    tensor_scale = Fraction(1)
    if row.has_tensor_scale:
        bound = bound or (256 if rule == "FOUR_OVER_SIX" else 448)
        amax = max(map(abs, exact.values()), default=Fraction(0))
        tensor_scale = max(to_float32(amax / (Fraction(bound) * row.largest)), TWO**-149)
    scales, out = [], {}
    for indices in blocks:
        block = [exact[index] for index in indices]
        scales.append(scale_of(row, block, rule, tensor_scale, metric))
        out.update(zip(indices, dequantized(row, block, scales[-1] * tensor_scale), strict=True))
    return scales, tensor_scale if row.has_tensor_scale else None, out
