"""What block formats lose, as a summary records it, beside ml_dtypes' casts; and what no summary knows."""

import zlib
from dataclasses import asdict

import ml_dtypes
import numpy as np
import pytest
import torch

from mixwidgets.floats.formats.block_catalogue import get_block_format
from mixwidgets.floats.gradients.summary import GradientSummary
from tests.gradients.block_oracle import FORMATS, in_blocks

RNG = np.random.default_rng(0)


def wide(*shape):
    return (RNG.normal(size=shape) * np.exp2(RNG.integers(-40, 3, shape))).astype("f4")


def numbers(record):
    return {name: value for name, value in asdict(record).items() if not isinstance(value, str)}


@pytest.mark.parametrize("fmt", FORMATS)
@pytest.mark.parametrize("axis", [None, 0, -1])
def test_records_are_those_of_the_formats(fmt, axis):
    values = wide(6, 5, 3, 20)
    values[0, 0] = 0
    rows = {
        None: values.reshape(6, 300),
        0: np.moveaxis(values, 0, -1).reshape(-1, 6),
        -1: values.reshape(-1, 20),
    }[axis]
    for tensor in (values, torch.from_numpy(values), values.astype("f8")):
        record = GradientSummary.of(tensor, block_formats=fmt, block_axis=axis).in_blocks(fmt)
        assert record.blocks_along == {None: "axes 1–3", 0: "axis 0", -1: "axis 3"}[axis]
        assert numbers(record) == pytest.approx(in_blocks(rows, fmt), rel=1e-5)
        assert record.flushed > 0


def test_records_of_narrow_dtypes_numbers_lists_and_zeros():
    values = wide(4, 48).astype(ml_dtypes.bfloat16)
    record = GradientSummary.of(values, block_formats=["nvfp4"]).in_blocks("nvfp4")
    assert numbers(record) == pytest.approx(in_blocks(values, "nvfp4"), rel=1e-5)
    assert GradientSummary.of(3.0, block_formats="mxfp4").in_blocks("mxfp4").blocks_along == ""
    assert GradientSummary.of([7.0, 1e-9], block_formats="mxfp4").in_blocks("mxfp4").flushed == 1
    zeros = GradientSummary.of(np.zeros((2, 40)), block_formats="mxfp4").in_blocks("mxfp4")
    assert (zeros.flushed, zeros.clipped, zeros.relative_error) == (0, 0, 0.0)
    assert np.isnan(zeros.block_range_p50)


def test_bytes_hold_the_records():
    summary = GradientSummary.of(wide(3, 64), block_formats=["mxfp4", "nvfp4"])
    read = GradientSummary.from_bytes(summary.to_bytes())
    assert (read, read.blocks) == (summary, summary.blocks)
    empty = GradientSummary.of(np.zeros(3), block_formats="mxfp4")
    assert numbers(GradientSummary.from_bytes(empty.to_bytes()).blocks[0]) == pytest.approx(
        numbers(empty.blocks[0]), nan_ok=True
    )
    data = GradientSummary.of(wide(3, 64)).to_bytes()
    assert data[4] == 2  # as before, if there are none


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        (b'"flushed":', b'"flushes":'),
        (b'"flushed":', b'"flushed":-'),
        (b'"flushed":', b'"flushed":0.'),
        (b'"relative_error":', b'"relative_error":1e999,"x":'),
        (b'"relative_error":', b'"relative_error":true,"x":'),
        (b'"format":"mxfp4"', b'"format":4'),
        (b"[{", b"[[{"),
        (b"[{", b"{{"),
        (b"[{", b"[3,{"),
    ],
)
def test_damaged_records_are_refused(was, becomes):
    data = GradientSummary.of(wide(3, 64), block_formats="mxfp4").to_bytes()[:-4].replace(was, becomes, 1)
    with pytest.raises(ValueError, match="block records"):
        GradientSummary.from_bytes(data + zlib.crc32(data).to_bytes(4, "little"))


def test_a_summary_of_counts_knows_no_block_format():
    values = wide(4, 48)
    for summary in (
        GradientSummary.of(values),
        GradientSummary.of(values, block_formats="mxfp4"),
        GradientSummary.of(values, block_formats="nvfp4").merge(GradientSummary.of(values)),
    ):
        with pytest.raises(LookupError, match=r"not known from a summary.*block_formats='nvfp4'"):
            summary.in_blocks(get_block_format("nvfp4"))


def test_wrong_formats_and_axes_teach():
    values = wide(4, 48)
    for formats, axis, error, message in [
        ("mxfp8", None, ValueError, "Did you mean 'mxfp8_e4m3'"),
        (["float16"], None, ValueError, "known: .*mxfp4"),
        ("mxfp4", 2, ValueError, "it is 0 … 1"),
        (4, None, TypeError, "a name such as 'mxfp4'"),
    ]:
        with pytest.raises(error, match=message):
            GradientSummary.of(values, block_formats=formats, block_axis=axis)


@pytest.mark.parametrize("fmt", ["mxfp4", "nvfp4"])
@pytest.mark.parametrize("scale", [2.0**-600, 2.0**-100, 2.0**500])
def test_no_square_of_a_float64_leaves_its_range(fmt, scale):
    values = wide(4, 48).astype("f8") * scale
    record = GradientSummary.of(values, block_formats=fmt).in_blocks(fmt)
    rounded = get_block_format(fmt).quantize(values).dequantized
    expected = np.linalg.norm((rounded - values) / scale) / np.linalg.norm(values / scale)
    assert record.relative_error == pytest.approx(expected)
    assert record.block_amax_max == np.abs(values).max()
    assert GradientSummary.of([values[0, 0], 0.0], block_formats=fmt).in_blocks(fmt).relative_error > 0


def test_what_is_flushed_whole_has_an_error_of_1():
    summary = GradientSummary.of(wide(4, 48).astype("f8") * 1e-165, block_formats="mxfp4")
    assert summary.in_blocks("mxfp4").relative_error == 1


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_clipped_is_what_saturation_changed(dtype):
    """MXFP4: 7 is a tie between 6 and 8, which goes to 8. MXFP8 E4M3: 464 is one between 448 and 480."""
    last, clipped = np.nextafter(np.array([7.0, 464.0], dtype), np.array([0, 999], dtype))
    for fmt, values, count in [
        ("mxfp4", [4.0, 6.0, 6.9, last, 7.0, 7.9], 2),
        ("mxfp8_e4m3", [448.0, 464.0, clipped, 511.0], 2),
        ("mxint8", [1.984375, 1.9921875, 1.9921], 1),
    ]:
        array = np.array(values, dtype)
        assert GradientSummary.of(array, block_formats=fmt).in_blocks(fmt).clipped == count


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_block_that_becomes_nan_is_an_infinite_loss_and_counts_for_nothing_else(dtype, bad):
    values = wide(4, 64).astype(dtype)
    values[1, 5], values[1, 6] = bad, 2.0**60  # which sets no tensor scale
    values[2, :32] = 0
    for fmt, size in (("mxfp4", 32), ("nvfp4", 16)):
        record = GradientSummary.of(values, block_formats=fmt).in_blocks(fmt)
        rounded = get_block_format(fmt).quantize(values).dequantized
        assert np.isnan(rounded).sum() == size
        assert (record.relative_error, record.flushed) == (np.inf, (rounded[values != 0] == 0).sum())
        assert record.block_amax_max == np.nanmax(np.abs(values[~np.isnan(rounded)]))
        summary = GradientSummary.of(values, block_formats=fmt)
        assert GradientSummary.from_bytes(summary.to_bytes()).in_blocks(fmt).relative_error == np.inf
