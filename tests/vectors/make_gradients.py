"""Writes gradients.json: summaries as bytes, and what brute force says of the values behind them.

    python tests/vectors/make_gradients.py

pytest and vitest both read the file: the Python summary and its twin in the page must agree with it.
"""

import json
import math
import sys
import zlib
from fractions import Fraction
from pathlib import Path

import ml_dtypes
import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent.parent))

from mixwidgets.floats.gradients.summary import GradientSummary, best_loss_scale  # noqa: E402
from tests.gradients.gradient_oracle import CLASSES, FORMATS, counts, error  # noqa: E402

SCALES = (-24, -10, -1, 0, 1, 7, 15, 24, 40)


def edges(dtype: type) -> np.ndarray:
    """Values at, and one ulp beside, the magnitudes where each format changes its answer."""
    ties = []
    for emin, t, largest in FORMATS.values():
        half = Fraction(2) ** (emin - t - 1)
        normal = Fraction(2) ** emin
        exponent = largest.numerator.bit_length() - largest.denominator.bit_length()
        half_top = Fraction(2) ** (exponent - t - 1)  # half the gap that leads past the largest value
        ties += [half, half * 2, normal - half, normal - 2 * half, normal]
        ties += [largest + half_top, largest, Fraction(2) ** exponent]
    limit = Fraction(float(np.finfo(dtype).max))
    at = np.array(sorted({float(tie) for tie in ties if 0 < tie <= limit and float(tie) == tie}), dtype=dtype)
    with np.errstate(over="ignore", under="ignore"):
        near = np.concatenate([at, np.nextafter(at, dtype(0)), np.nextafter(at, dtype(np.inf))])
    return np.concatenate([near, -near])


def cases() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    spread = rng.standard_normal(400) * np.exp2(rng.uniform(-45, 5, 400))
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, 1.0, 2.0**-24], dtype=np.float32)
    return {
        "nothing": np.zeros(0, dtype=np.float32),
        "zeros": np.zeros(5, dtype=np.float32),
        "specials": special,
        "edges float32": edges(np.float32),
        "edges float64": edges(np.float64),
        "spread float32": spread.astype(np.float32),
        "spread float64": spread,
        "float16": spread.astype(np.float16).astype(np.float32),
        "many of one": np.full(2_000, 3.0, dtype=np.float32),
        # Each of their values once in some binades, so that the estimate of an error is the error itself.
        "every bfloat16": np.arange(0x3100, 0x3300, dtype=np.uint16).view(ml_dtypes.bfloat16),
        "every float8_e5m2": np.arange(1, 0x7C, dtype=np.uint8).view(ml_dtypes.float8_e5m2),
    }


def samples(values: np.ndarray) -> dict[int, str]:
    """The last value of each binade, as a hex float: of so few values all are looked at, but subnormals."""
    assert values.size <= 1024 or len(set(values.tolist())) == 1
    least = float(np.finfo(values.dtype if values.itemsize > 2 else np.float32).smallest_normal)
    finite = [float(value) for value in values if math.isfinite(value) and abs(value) >= least]
    return {math.frexp(value)[1] - 1: value.hex() for value in finite}


def of_version_2(summary: GradientSummary) -> bytes:
    """As it was written before there was a grid."""
    data = bytearray(summary.to_bytes()[: -4 - 3])
    data[4] = 2
    return bytes(data) + zlib.crc32(data).to_bytes(4, "little")


def of_version_1(summary: GradientSummary) -> bytes:
    """As it was written before there were samples."""
    data = bytearray(b"MWGS\x01" + bytes([len(summary.cuts)]) + len(summary.exponents).to_bytes(2, "little"))
    for number in (summary.zero, summary.inf, summary.nan, *summary.cuts):
        data += number.to_bytes(8, "little")
    for exponent in summary.exponents:
        data += exponent.to_bytes(2, "little", signed=True)
    for count in summary.cells.reshape(-1).tolist():
        while count >= 128:
            data.append(128 + count % 128)
            count //= 128
        data.append(count)
    return bytes(data) + zlib.crc32(data).to_bytes(4, "little")


def errors(name: str, values: np.ndarray) -> dict[str, dict[str, float | None]]:
    if not name.startswith("every"):
        return {}
    found = {format: {str(k): error(values, format, k) for k in SCALES} for format in FORMATS}
    return {f: {k: e if math.isfinite(e) else None for k, e in row.items()} for f, row in found.items()}


def describe(name: str, values: np.ndarray) -> dict[str, object]:
    summary = GradientSummary.of(values)
    expected = {
        format: {str(k): [counts(values, format, k)[c] for c in CLASSES] for k in SCALES}
        for format in FORMATS
    }
    return {
        "name": name,
        "dtype": values.dtype.name,
        "values": values.astype(values.dtype.newbyteorder("<")).tobytes().hex()
        if values.size < 1000
        else None,
        "bytes": summary.to_bytes().hex(),
        "version_1": of_version_1(summary).hex(),
        "version_2": of_version_2(summary).hex(),
        "errors": errors(name, values),
        "samples": samples(values),
        "counts": expected,
        "best_log2": {format: int(np.log2(best_loss_scale([summary], format))) for format in FORMATS},
    }


def main() -> None:
    described = [json.dumps(describe(name, values)) for name, values in cases().items()]
    about = (
        "Made by make_gradients.py. counts: format -> log2 of the loss scale -> classes, in order; errors: "
        "format -> the same -> the relative error, null if a value overflows."
    )
    head = json.dumps({"about": about, "classes": CLASSES})[:-1]
    text = head + ',\n"cases": [\n' + ",\n".join(described) + "\n]}\n"  # a case a line
    HERE.joinpath("gradients.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
