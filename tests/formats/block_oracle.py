"""What block formats are, said plainly: each value a rational, each table from ml_dtypes, no arrays."""

from fractions import Fraction

import ml_dtypes
import numpy as np

ELEMENTS = {
    "mxfp8_e4m3": ml_dtypes.float8_e4m3fn,
    "mxfp8_e5m2": ml_dtypes.float8_e5m2,
    "mxfp6_e3m2": ml_dtypes.float6_e3m2fn,
    "mxfp6_e2m3": ml_dtypes.float6_e2m3fn,
    "mxfp4": ml_dtypes.float4_e2m1fn,
    "nvfp4": ml_dtypes.float4_e2m1fn,
}
MX = [name for name in ELEMENTS if name != "nvfp4"] + ["mxint8"]
FRACTION_BITS = {
    "mxfp8_e4m3": 3, "mxfp8_e5m2": 2, "mxfp6_e3m2": 2, "mxfp6_e2m3": 3, "mxfp4": 1, "mxint8": 6,
}  # fmt: skip


def table(dtype):
    """{code: value} of the finite codes."""
    values = np.arange(1 << ml_dtypes.finfo(dtype).bits, dtype=np.uint8).view(dtype).astype(np.float64)
    return {code: Fraction(float(value)) for code, value in enumerate(values) if np.isfinite(value)}


E4M3 = table(ml_dtypes.float8_e4m3fn)
INT8 = {code: Fraction(code - 256 * (code > 127), 64) for code in range(256) if code != 128}
TABLES = {name: table(dtype) for name, dtype in ELEMENTS.items()} | {"mxint8": INT8}


def nearest(codes, x):
    """The value of a table that is nearest to x; of two, that of the even code. It saturates by itself."""
    return min(codes.items(), key=lambda item: (abs(item[1] - x), item[0] & 1))[1]


def exponent(x):
    """⌊log2 x⌋"""
    e = 0
    while Fraction(2) ** e > x:
        e -= 1
    while Fraction(2) ** (e + 1) <= x:
        e += 1
    return e


def mx_scale(name, amax, rule):
    if amax == 0:
        return Fraction(2) ** -127
    largest = max(TABLES[name].values())
    if rule == "RCEIL":
        e = exponent(amax / largest)
        e += Fraction(2) ** e < amax / largest
    else:
        if rule == "EVEN":
            quantum = Fraction(2) ** (exponent(amax) - FRACTION_BITS[name])
            amax = round(amax / quantum) * quantum
        e = exponent(amax) - exponent(largest)
        e += rule == "CEIL" and amax != Fraction(2) ** exponent(amax)
    return Fraction(2) ** max(-127, min(127, e))


def rounded_to_float32(x):
    """x > 0 in FP32, by its definition; at least the smallest subnormal, at most the largest finite value."""
    quantum = Fraction(2) ** (max(exponent(x), -126) - 23) if x else Fraction(1)
    return max(Fraction(2) ** -149, min(round(x / quantum) * quantum, (2 - Fraction(2) ** -23) * 2**127))


def quantized(name, row, rule):
    """(scales, tensor scale, dequantised) of one row."""
    row = [Fraction(float(x)) for x in row]
    size = 16 if name == "nvfp4" else 32
    blocks = [row[start : start + size] for start in range(0, len(row), size)]
    if name == "nvfp4":
        tensor_scale = rounded_to_float32(max(map(abs, row)) / (448 * 6))
        scales = [
            max(nearest(E4M3, max(map(abs, block)) / (6 * tensor_scale)), Fraction(2) ** -9)
            for block in blocks
        ]
    else:
        tensor_scale = Fraction(1)
        scales = [mx_scale(name, max(map(abs, block)), rule) for block in blocks]
    out = []
    for block, scale in zip(blocks, scales, strict=True):
        unit = scale * tensor_scale
        out += [nearest(TABLES[name], x / unit) * unit for x in block]
    return scales, tensor_scale, out
