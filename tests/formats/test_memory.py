"""Arrays are worked on in chunks: beyond the output, memory stays small."""

import tracemalloc

import numpy as np
import pytest

import mixwidgets as mw

SIZE = 4_000_000
SCRATCH = 8 << 20  # bytes; one float64 temporary of the whole would take 32 MB


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int32])
@pytest.mark.parametrize(
    "ways", [{}, {"rounding": "stochastic", "random_bits": 16, "seed": 0}], ids=["to nearest", "stochastic"]
)
@pytest.mark.parametrize("work", ["round", "encode"])
def test_no_temporary_is_larger_than_a_chunk(dtype, work, ways):
    fmt = mw.get_format("float8_e5m2")
    values = np.arange(SIZE).astype(dtype) if dtype is np.int32 else np.linspace(0, 1, SIZE).astype(dtype)
    getattr(fmt, work)(values[:10], **ways)  # what is loaded and cached once does not count
    tracemalloc.start()
    result = getattr(fmt, work)(values, **ways)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < result.nbytes + SCRATCH


def test_decoding_too():
    fmt = mw.get_format("float16")
    codes = np.zeros(SIZE, np.uint16)
    tracemalloc.start()
    result = fmt.decode(codes)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < result.nbytes + SCRATCH
