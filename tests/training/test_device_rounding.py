"""Rounding as a GPU does it, here on a CPU's tensors, against `mixwidgets.floats.formats`."""

import math

import numpy as np
import pytest
import torch

from mixwidgets.floats.formats.block_catalogue import get_block_format, list_block_formats
from mixwidgets.floats.formats.catalogue import get_format, list_formats
from mixwidgets.floats.formats.scale_rules import FourOverSix
from mixwidgets.runs.training.operands import RoundedLinear
from mixwidgets.runs.training.rounding import round_blocks, round_by_draws, round_to
from tests.training.test_operands import EVERY_KIND, STOCHASTIC, run, tensors

FORMATS = [fmt for fmt in list_formats() if fmt.signed and fmt.bits < 32]
BLOCKS = list_block_formats()
CASES = [pytest.param(fmt, rule, id=f"{fmt.name}-{rule}") for fmt in BLOCKS for rule in fmt.scale_rules]
CASES += [
    pytest.param(get_block_format(name), FourOverSix(bound, metric), id=f"{name}-{bound}-{metric}")
    for name in ("nvfp4", "nvfp4_16x16")
    for bound, metric in ((256, "MAE"), (448, "MSE"), (448, "MAE"))
]


def hard_values(fmt):
    """Every value, every midpoint, their neighbours in float32, and float32s of every binade."""
    found = fmt.decode(np.arange(1 << fmt.bits))
    found = np.unique(found[np.isfinite(found)])
    found = np.concatenate([found, (found[1:] + found[:-1]) / 2]).astype(np.float32)
    bits = np.random.default_rng(0).integers(0, 1 << 32, 300_000, dtype=np.uint32).view(np.float32)
    up, down = (np.nextafter(found, np.float32(end)) for end in (math.inf, -math.inf))
    found = np.concatenate([found, up, down, bits, np.array([-0.0], np.float32)])
    return found[np.isfinite(found)]


def shape_of(fmt):
    """Rows and columns of a block."""
    return fmt.block_size if fmt.is_2d else (1, fmt.block_size)


def assert_same_bits(ours, expected):
    """NaN is NaN, whatever its payload."""
    ours = ours.numpy()
    assert ours.shape == expected.shape
    same = (ours.view(np.uint32) == expected.view(np.uint32)) | (np.isnan(ours) & np.isnan(expected))
    assert same.all(), (ours[~same][:5], expected[~same][:5])


@pytest.mark.parametrize("fmt", FORMATS, ids=lambda fmt: fmt.name)
def test_to_nearest_every_hard_value_is_that_of_the_format(fmt):
    values = hard_values(fmt)
    assert_same_bits(round_to(fmt, torch.from_numpy(values)), fmt.round(values, overflow="saturate"))
    extremes = round_to(fmt, torch.tensor([math.inf, -math.inf, math.nan]))
    assert extremes.tolist()[:2] == [fmt.max, -fmt.max]
    assert math.isnan(extremes[2])


@pytest.mark.parametrize("fmt", FORMATS, ids=lambda fmt: fmt.name)
def test_float64_is_rounded_once(fmt):
    """The neighbours of a midpoint in float64 are not ties, as they would be in float32."""
    values = hard_values(fmt)[: 6 << fmt.bits].astype(np.float64)
    values = np.concatenate([values, np.nextafter(values, math.inf), np.nextafter(values, -math.inf)])
    ours = round_to(fmt, torch.from_numpy(values))
    assert ours.dtype == torch.float64
    np.testing.assert_array_equal(ours.numpy(), fmt.round(values, overflow="saturate"))


@pytest.mark.parametrize("size", [1.0, 1e-30, 1e30, 1e-44, 0.0])
@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize(("fmt", "rule"), CASES)
def test_blocks_are_those_of_the_format(fmt, rule, axis, size):
    axis = -1 if fmt.is_2d else axis
    draws = np.random.default_rng(1)
    values = draws.standard_normal((97, 133)) * 2.0 ** draws.integers(-20, 10, (97, 133)) * size
    values = values.astype(np.float32)
    values[10:12] = 0
    assert_same_bits(round_blocks(fmt, torch.from_numpy(values), axis, rule), fmt.round(values, axis, rule))
    values[3, 5], values[40, 60] = math.inf, math.nan
    assert_same_bits(round_blocks(fmt, torch.from_numpy(values), axis, rule), fmt.round(values, axis, rule))


@pytest.mark.parametrize(("fmt", "rule"), CASES)
def test_a_block_of_any_largest_value_is_that_of_the_format(fmt, rule):
    """Every binade of float32, and the values beside each power of two."""
    powers = 2.0 ** np.arange(-149, 128.0)
    largest = np.concatenate([powers, 1.5 * powers, np.nextafter(powers.astype(np.float32), np.float32(0))])
    height, width = shape_of(fmt)
    fractions = np.random.default_rng(2).uniform(-1, 1, (len(largest), height, width))
    fractions[:, 0, 0] = 1
    values = (largest[:, None, None] * fractions).astype(np.float32)
    values = values[np.isfinite(values).all((1, 2))]
    # With a tensor scale every block is a tensor.
    for rows in values if fmt.tensor_scale else [values.reshape(-1, width)]:
        assert_same_bits(round_blocks(fmt, torch.from_numpy(rows), -1, rule), fmt.round(rows, -1, rule))


@pytest.mark.parametrize(("fmt", "rule"), CASES)
def test_blocks_of_a_tensor_whose_values_are_far_apart(fmt, rule):
    """Those of small values have small scales, or 0."""
    draws = np.random.default_rng(5)
    height, width = shape_of(fmt)
    sizes = 2.0 ** draws.integers(-40, 1, (64, 1)).repeat(height, 0)
    values = draws.uniform(-1, 1, (64 * height, 2 * width)) * sizes
    values[0, 0], values[height : 2 * height] = 1, -0.0
    values = values.astype(np.float32)
    assert_same_bits(round_blocks(fmt, torch.from_numpy(values), -1, rule), fmt.round(values, -1, rule))


def test_a_rule_that_a_format_lacks_is_refused():
    with pytest.raises(ValueError, match="of nvfp4 is one of TE, TORCHAO, FOUR_OVER_SIX, not 'FLOOR'"):
        round_blocks(get_block_format("nvfp4"), torch.ones(2, 16), 1, "FLOOR")


@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (0, 0)])
def test_empty_tensors(shape):
    for fmt in BLOCKS:
        assert round_blocks(fmt, torch.zeros(shape), -1).shape == shape
    for operands in EVERY_KIND:
        layer = RoundedLinear(operands, on_device=True)
        assert layer(torch.zeros(0, 7), torch.ones(3, 7)).shape == (0, 3)


@pytest.mark.parametrize("bits", [1, 4, 16, 24])
@pytest.mark.parametrize("fmt", FORMATS, ids=lambda fmt: fmt.name)
def test_stochastic_rounding_goes_to_a_neighbour_as_often_as_it_should(fmt, bits):
    for low in (0.0, fmt.smallest_subnormal, 1.0, fmt.max / 2):
        high = float(fmt.decode(fmt.encode(low) + 1))
        for share in (0.25, 0.5):
            value = np.float32(low + (high - low) * share)
            exact = (float(value) - low) / (high - low)  # where float32 has no such value between them
            drawn = round_by_draws(
                fmt, torch.full((20_000,), value), bits, torch.Generator().manual_seed(3), saturate=True
            )
            assert set(drawn.tolist()) <= {low, high}
            steps = 2**bits
            expected = math.floor(exact * steps) / steps
            assert (drawn == high).double().mean().item() == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize("fmt", FORMATS, ids=lambda fmt: fmt.name)
def test_stochastic_rounding_leaves_what_is_on_the_grid(fmt):
    values = fmt.decode(np.arange(1 << fmt.bits)).astype(np.float32)
    values = values[np.isfinite(values)]
    drawn = round_by_draws(fmt, torch.from_numpy(values), 16, torch.Generator().manual_seed(0), saturate=True)
    assert_same_bits(drawn, values)


def test_stochastic_rounding_past_the_largest_value():
    generator = torch.Generator().manual_seed(0)
    values = torch.tensor([1e6, -1e6, math.inf, math.nan])
    for fmt, past in (("float16", math.inf), ("float8_e4m3fn", math.nan)):
        found = round_by_draws(get_format(fmt), values, 16, generator, saturate=False)
        assert found.abs().tolist()[:3] == pytest.approx([past] * 3, nan_ok=True)
        found = round_by_draws(get_format(fmt), values, 16, generator, saturate=True)
        largest = get_format(fmt).max
        assert found.tolist() == pytest.approx([largest, -largest, largest, math.nan], nan_ok=True)


@pytest.mark.parametrize(
    "operands",
    [one for one in EVERY_KIND if one not in STOCHASTIC],
    ids=lambda one: f"{one.forward}-{one.scaling}",
)
@pytest.mark.parametrize("bad", [None, math.inf, math.nan])
def test_a_layer_on_the_device_is_one_on_the_host(operands, bad):
    if operands.gradient_rounding == "stochastic":
        operands = operands.replace(gradient_rounding="nearest")
    host, device = (RoundedLinear(operands, on_device=where) for where in (False, True))
    for seed, size in enumerate((1.0, 1e-3, 1e4, 0.0, 1.0)):  # so that delayed scales move
        x, weight, bias, dy = (one * size for one in tensors(3, 11, seed=seed))
        if bad is not None and seed == 2:
            x[1, 2, 3], dy[0, 4, 5] = bad, bad
        for ours, theirs in zip(
            run(device, x, weight, bias, dy), run(host, x, weight, bias, dy), strict=True
        ):
            torch.testing.assert_close(ours, theirs, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("operands", STOCHASTIC, ids=lambda one: f"{one.forward}-{one.scaling}")
def test_stochastic_gradients_on_the_device_by_seed_and_call(operands):
    given = tensors(33)
    first, second = (run(RoundedLinear(operands, seed=5, on_device=True), *given) for _ in range(2))
    layer = RoundedLinear(operands, seed=6, on_device=True)
    others = [run(layer, *given) for _ in range(2)]
    for which in (1, 2):  # dx, dweight
        assert torch.equal(first[which], second[which])
        assert not torch.equal(first[which], others[0][which])
        assert not torch.equal(others[1][which], others[0][which])
