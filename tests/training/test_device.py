"""Devices, settings and random generators that leave the caller's as they were."""

import importlib.metadata

import pytest
import torch

from mixwidgets import Experiment, train
from mixwidgets.runs.training.device import RandomState, choose_device, training_settings
from mixwidgets.support.installed import device_name


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


def test_a_gpu_is_told_by_name_and_memory(gpus, monkeypatch):
    class Found:
        name, total_memory = "NVIDIA H200", 150_754_820_096

    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda device: Found())
    assert device_name(torch.device("cuda:1")) == "NVIDIA H200, 140 GiB"
    assert device_name(torch.device("cpu")) == ""


@pytest.mark.parametrize(
    ("count", "device", "message"), [(0, "cuda", "sees none"), (2, "cuda:99", "there are 2")]
)
def test_a_missing_device_teaches(gpus, count, device, message):
    gpus(count)
    with pytest.raises(ValueError, match=message):
        choose_device(device)


def test_a_random_state_goes_on_where_it_stopped_and_is_nobody_elses():
    torch.manual_seed(7)
    torch.rand(3)
    mine = torch.get_rng_state()
    state = RandomState(5, torch.device("cpu"))
    drawn = []
    for _ in range(2):
        with state:
            drawn.append(torch.rand(4))
        assert torch.equal(torch.get_rng_state(), mine)
        torch.rand(1)
        mine = torch.get_rng_state()
    assert torch.equal(torch.cat(drawn), torch.rand(8, generator=torch.Generator().manual_seed(5)))


def test_a_random_state_gives_the_callers_back_after_an_error():
    mine = torch.get_rng_state()
    with pytest.raises(TypeError), RandomState(5, torch.device("cpu")):
        torch.rand("3")
    assert torch.equal(torch.get_rng_state(), mine)


def test_a_random_state_on_the_cpu_leaves_the_generators_of_gpus_alone(monkeypatch):
    seeded = []
    monkeypatch.setattr(torch.cuda, "manual_seed_all", seeded.append)
    RandomState(5, torch.device("cpu"))
    assert seeded == []


@pytest.mark.parametrize("asked", ["highest", "medium"])
def test_float32_products_are_in_float32_whatever_the_caller_allows(asked):
    backends = torch.backends
    parts = (backends.cuda.matmul, backends.cudnn.conv, backends.mkldnn.matmul)
    try:
        torch.set_float32_matmul_precision(asked)
        theirs = [part.fp32_precision for part in parts]
        assert "tf32" in theirs  # torch's own default for convolutions
        with training_settings():
            assert torch.get_num_threads() == 1
            assert {part.fp32_precision for part in parts} == {"ieee"}
            assert not backends.cuda.matmul.allow_fp16_reduced_precision_reduction
        assert [part.fp32_precision for part in parts] == theirs
        assert torch.get_float32_matmul_precision() == asked
        assert backends.cuda.matmul.allow_fp16_reduced_precision_reduction
    finally:
        torch.set_float32_matmul_precision("highest")


@pytest.mark.parametrize("convolutions", ["tf32", "ieee"])
def test_torchs_own_context_for_cudnn_works_during_training(convolutions):
    """Models with a CTC loss enter it. It reads an older flag, which must not contradict the newer ones."""
    cudnn = torch.backends.cudnn
    try:
        cudnn.conv.fp32_precision = convolutions
        with training_settings():
            with cudnn.flags(enabled=False):
                assert not cudnn.enabled
            assert not cudnn.allow_tf32
            assert "tf32" not in {cudnn.conv.fp32_precision, cudnn.rnn.fp32_precision}
        assert (cudnn.conv.fp32_precision, cudnn.rnn.fp32_precision) == (convolutions, "tf32")
    finally:
        cudnn.allow_tf32 = True


def test_runs_that_take_turns_leave_the_callers_settings():
    threads = torch.get_num_threads()
    torch.set_num_threads(threads + 1)
    try:
        first, second = training_settings(), training_settings()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert torch.get_num_threads() == 1
        second.__exit__(None, None, None)
        assert torch.get_num_threads() == threads + 1
        assert torch.backends.cudnn.conv.fp32_precision == "tf32"
    finally:
        torch.set_num_threads(threads)


def test_a_torch_that_is_too_old_is_named(monkeypatch):
    assert "torch>=2.9; extra == 'train'" in importlib.metadata.requires("mixwidgets")
    monkeypatch.setattr("importlib.metadata.version", lambda name: "2.8.0")
    events = train(Experiment(task="digits_mlp", recipe="fp32", device="cpu", steps=1))
    with pytest.raises(ImportError, match=r"2\.9 or newer, and .* has 2\.8\.0: pip"):
        next(events)
