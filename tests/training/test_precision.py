"""Devices, backends and the layers that are built on them."""

import pytest
import torch
from torch.nn import functional

from mixwidgets.training.precision import Backend, choose_backend, choose_device
from mixwidgets.training.tasks import Conv3x3, Linear


@pytest.fixture
def gpus(monkeypatch):
    """Let torch report so many CUDA devices."""

    def report(count):
        monkeypatch.setattr(torch.cuda, "is_available", lambda: count > 0)
        monkeypatch.setattr(torch.cuda, "device_count", lambda: count)

    return report


def test_auto_takes_cuda_where_there_is_one(gpus):
    gpus(0)
    assert choose_device("auto") == torch.device("cpu")
    gpus(2)
    assert choose_device("auto") == choose_device("cuda") == torch.device("cuda:0")
    assert choose_device("cuda:1") == torch.device("cuda:1")
    assert choose_device("cpu") == torch.device("cpu")


@pytest.mark.parametrize(
    ("count", "device", "message"), [(0, "cuda", "sees none"), (2, "cuda:99", "there are 2")]
)
def test_a_missing_device_teaches(gpus, count, device, message):
    gpus(count)
    with pytest.raises(ValueError, match=message):
        choose_device(device)


@pytest.mark.parametrize("compute_format", ["float32", "float16", "bfloat16"])
def test_a_backend_says_how_it_computes(compute_format):
    backend = choose_backend(compute_format, torch.device("cpu"))
    assert compute_format in backend.name
    assert backend.dtype == getattr(torch, compute_format)
    assert not choose_backend(compute_format, torch.device("cuda:0")).widened


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_both_backends_round_the_same_float32_sum(dtype):
    generator = torch.Generator().manual_seed(0)
    a = torch.randn(64, 96, generator=generator).to(dtype)
    b = torch.randn(96, 32, generator=generator).to(dtype)
    native, widened = Backend(dtype, widened=False).matmul(a, b), Backend(dtype, widened=True).matmul(a, b)
    assert widened.dtype == native.dtype == dtype
    assert (native == widened).float().mean() > 0.98
    exact = (a.double() @ b.double()).to(dtype)
    assert (widened == exact).float().mean() > 0.98


def test_a_widened_product_has_gradients_in_half():
    a = torch.ones(4, 8, dtype=torch.float16, requires_grad=True)
    b = torch.full((8, 2), 0.1, dtype=torch.float16, requires_grad=True)
    Backend(torch.float16, widened=True).matmul(a, b).sum().backward()
    assert a.grad.dtype == b.grad.dtype == torch.float16
    assert torch.equal(b.grad, torch.full((8, 2), 4.0, dtype=torch.float16))


def test_the_convolution_is_a_convolution():
    torch.manual_seed(0)
    layer = Conv3x3(3, 5, Backend(torch.float64, widened=False)).double()
    x = torch.randn(2, 3, 7, 6, dtype=torch.float64, requires_grad=True)
    expected = functional.conv2d(x, layer.weight.reshape(5, 3, 3, 3), layer.bias, padding=1)
    torch.testing.assert_close(layer(x), expected)
    weights = (x, layer.weight, layer.bias)
    for ours, theirs in zip(
        torch.autograd.grad(layer(x).square().sum(), weights),
        torch.autograd.grad(expected.square().sum(), weights),
        strict=True,
    ):
        torch.testing.assert_close(ours, theirs)


def test_the_linear_layer_is_torchs():
    torch.manual_seed(0)
    layer = Linear(6, 4, Backend(torch.float32, widened=False))
    x = torch.randn(3, 6)
    torch.testing.assert_close(layer(x), functional.linear(x, layer.weight, layer.bias))
