"""Tensors that are rounded, encoded, decoded and quantised come back on their GPU."""

import pytest
import torch

import mixwidgets as mw


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float8_e5m2], ids=str)
def test_a_tensor_comes_back_on_its_device(dtype):
    values = torch.tensor([0.3, -1.5, 448.0, 1e-9]).to(dtype)
    fmt, there = mw.get_format("float8_e4m3fn"), values.cuda()
    for take in (fmt.round, fmt.encode):
        found = take(there)
        assert found.device == there.device
        assert torch.equal(found.cpu().double(), take(values).double())
    codes = fmt.encode(there)
    assert torch.equal(fmt.decode(codes).cpu(), fmt.decode(codes.cpu()))
    blocks = mw.get_block_format("mxfp4").quantize(there)
    assert {blocks.codes.device, blocks.scales.device, blocks.dequantized.device} == {there.device}
