"""Rounding on a CUDA device against `mixwidgets.floats.formats`."""

import numpy as np
import pytest
import torch

from mixwidgets.floats.formats.block_catalogue import list_block_formats
from mixwidgets.floats.formats.catalogue import get_format, list_formats
from mixwidgets.runs.training.rounding import round_blocks, round_by_draws, round_to

FORMATS = [fmt for fmt in list_formats() if fmt.signed and fmt.bits < 32]
CASES = [
    pytest.param(fmt, rule, axis, id=f"{fmt.name}-{rule}-{axis}")
    for fmt in list_block_formats()
    for rule in fmt.scale_rules
    for axis in ([-1] if fmt.is_2d else [0, -1])
]


def of_every_binade(count):
    bits = np.random.default_rng(0).integers(0, 1 << 32, count, dtype=np.uint32).view(np.float32)
    return np.where(np.isfinite(bits), bits, np.float32(0))


def assert_same_bits(ours, expected):
    ours = ours.cpu().numpy()
    same = (ours.view(np.uint32) == expected.view(np.uint32)) | (np.isnan(ours) & np.isnan(expected))
    assert same.all(), (ours[~same][:5], expected[~same][:5])


@pytest.mark.parametrize("fmt", FORMATS, ids=lambda fmt: fmt.name)
def test_to_nearest(fmt):
    codes = fmt.decode(np.arange(1 << fmt.bits))
    codes = np.unique(codes[np.isfinite(codes)])
    found = np.concatenate([codes, (codes[1:] + codes[:-1]) / 2]).astype(np.float32)
    up, down = (np.nextafter(found, np.float32(end)) for end in (np.inf, -np.inf))
    values = np.concatenate([found, up[np.isfinite(up)], down[np.isfinite(down)], of_every_binade(1_000_000)])
    assert_same_bits(round_to(fmt, torch.from_numpy(values).cuda()), fmt.round(values, overflow="saturate"))


@pytest.mark.parametrize(("fmt", "rule", "axis"), CASES)
def test_blocks(fmt, rule, axis):
    draws = np.random.default_rng(1)
    spread = (draws.standard_normal((97, 133)) * 2.0 ** draws.integers(-20, 10, (97, 133))).astype(np.float32)
    spoilt = spread.copy()
    spoilt[3, 5], spoilt[40, 60] = np.inf, np.nan
    for values in (spread, spread * np.float32(1e-44), spoilt, of_every_binade(97 * 133).reshape(97, 133)):
        assert_same_bits(
            round_blocks(fmt, torch.from_numpy(values).cuda(), axis, rule),
            fmt.round(values, axis, rule),
        )


def test_stochastic_rounding_is_right_on_average_and_by_its_seed(gpu):
    values = torch.full((200_000,), 1.1, device=gpu)
    fmt = get_format("float8_e4m3fn")
    once, again, other = (
        round_by_draws(fmt, values, 16, torch.Generator(gpu).manual_seed(seed), saturate=True)
        for seed in (1, 1, 2)
    )
    assert torch.equal(once, again)
    assert not torch.equal(once, other)
    assert set(once.tolist()) == {1.0, 1.125}
    assert once.double().mean().item() == pytest.approx(1.1, abs=1e-3)
