"""What block formats lose, by ml_dtypes' casts and the formulas of OCP Microscaling Formats 1.0, section 6.3,
and of NVFP4."""

import ml_dtypes
import numpy as np

# By name: the element's dtype, its largest value, the exponent of that, from where on values saturate (midway
# to what would come next; of E4M3, where the tie goes to 448, just above), the block size.
MX = {
    "mxfp8_e4m3": (ml_dtypes.float8_e4m3fn, 448.0, 8, np.nextafter(464.0, 465.0), 32),
    "mxfp8_e5m2": (ml_dtypes.float8_e5m2, 57344.0, 15, 61440.0, 32),
    "mxfp6_e2m3": (ml_dtypes.float6_e2m3fn, 7.5, 2, 7.75, 32),
    "mxfp4": (ml_dtypes.float4_e2m1fn, 6.0, 2, 7.0, 32),
}
FORMATS = (*MX, "nvfp4")


def in_blocks(rows, fmt):
    """Of finite float rows (n, length) whose blocks run along the second axis: the fields of BlockRecord
    that are numbers."""
    rows = np.asarray(rows, np.float64)
    blocks = [
        row[at : at + size]
        for size in [16 if fmt == "nvfp4" else MX[fmt][-1]]
        for row in rows
        for at in range(0, len(row), size)
    ]
    tensor_scale = np.float64(np.float32(np.abs(rows).max() / (448 * 6)))
    flushed = clipped = 0
    lost, ranges, largest = 0.0, [], []
    for block in blocks:
        amax = np.abs(block).max()
        if amax == 0:
            continue
        if fmt == "nvfp4":
            element, end, _, past, _ = MX["mxfp4"]
            scale = np.minimum(amax / (6 * tensor_scale), 448).astype(ml_dtypes.float8_e4m3fn)
            scale = np.float64(scale) * tensor_scale
        else:
            element, end, emax, past, _ = MX[fmt]
            scale = 2.0 ** max(np.floor(np.log2(amax)) - emax, -127)
        quotients = block / scale if scale else 0 * block
        rounded = np.clip(quotients, -end, end).astype(element).astype(np.float64) * scale
        flushed += np.count_nonzero((block != 0) & (rounded == 0))
        clipped += np.count_nonzero(np.abs(quotients) >= past)
        lost += ((rounded - block) ** 2).sum()
        ranges.append(np.log2(amax / np.abs(block)[block != 0].min()))
        largest.append(amax)
    return {
        "flushed": flushed,
        "clipped": clipped,
        "relative_error": np.sqrt(lost) / np.linalg.norm(rows),
        **dict(zip(("block_range_p50", "block_range_p95"), np.percentile(ranges, (50, 95)), strict=True)),
        "block_range_max": max(ranges),
        "block_amax_min": min(largest),
        "block_amax_p50": np.median(largest),
        "block_amax_max": max(largest),
    }
