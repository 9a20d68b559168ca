"""The device of a run, and torch's settings during training."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from mixwidgets.support.installed import require_recent_torch


def choose_device(device: str, own_gpu: int = 0) -> torch.device:
    """The torch device for an experiment's `device`: "auto" is CUDA if available, else the CPU. A CUDA device
    without a number is `own_gpu`.

    ValueError for a CUDA device that this machine does not have.
    """
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if device == "auto":
        device = "cuda" if count else "cpu"
    if device == "cpu":
        return torch.device("cpu")
    index = int(device.partition(":")[2] or own_gpu)
    if index >= count:
        there = f"there are {count}, numbered from 0" if count else "torch sees none here"
        name = device if ":" in device else f"cuda:{index}"
        raise ValueError(
            f"device {name!r} is no CUDA device of this machine ({there}): use device='auto', and with "
            "torchrun no more processes than there are devices."
        )
    return torch.device("cuda", index)


@contextmanager
def training_settings() -> Iterator[None]:
    """torch's settings during training: one thread, so that sums have a fixed order and runs do not compete
    for cores; float32 products in float32, not TF32 or bfloat16; full float32 accumulation on CUDA. The
    caller's settings are restored when the last of several interleaved runs ends. ImportError if torch is too
    old for these settings."""
    require_recent_torch()
    if not _callers:
        _callers.append((torch.get_num_threads(), [_setting(part, name) for part, name, _ in _exact()]))
        torch.set_num_threads(1)
        for part, name, value in _exact():
            setattr(part, name, value)
    else:
        _callers.append(_callers[0])
    try:
        yield
    finally:
        threads, values = _callers.pop()
        if not _callers:
            torch.set_num_threads(threads)
            for (part, name, _), value in zip(_exact(), values, strict=True):
                setattr(part, name, value)


_callers: list[tuple[int, list[Any]]] = []  # one entry per active run: the settings before the first one


def _exact() -> Iterator[tuple[Any, str, object]]:
    """Each torch setting that allows less exact products, with its strict value.

    cuDNN's older flag comes first, because setting it sets the newer ones. It must agree with them, or torch
    refuses to read it, as `torch.backends.cudnn.flags` does, which models with a CTC loss call.
    """
    backends: Any = torch.backends
    yield backends.cudnn, "allow_tf32", False
    yield backends.cuda.matmul, "allow_fp16_reduced_precision_reduction", False
    yield backends.cuda.matmul, "allow_bf16_reduced_precision_reduction", False
    for library in (backends.cudnn.conv, backends.cudnn.rnn, backends.cuda.matmul):
        yield library, "fp32_precision", "ieee"
    for kind in ("matmul", "conv", "rnn"):
        yield getattr(backends.mkldnn, kind), "fp32_precision", "ieee"


def _setting(part: Any, name: str) -> object:
    """Its current value; the older flag's is derived, because the caller's may not be readable."""
    return part.conv.fp32_precision == "tf32" if name == "allow_tf32" else getattr(part, name)


class RandomState:
    """A private state of torch's random generators, which torch uses inside `with state:`."""

    def __init__(self, seed: int, device: torch.device) -> None:
        self.seed, self.device = seed, device
        self._generators = [torch.default_generator]
        if device.type == "cuda":
            torch.cuda.init()  # type: ignore[no-untyped-call]  # makes its generators
            self._generators.append(torch.cuda.default_generators[device.index])
        devices = [generator.device for generator in self._generators]
        self._states = [torch.Generator(place).manual_seed(seed).get_state() for place in devices]

    def __enter__(self) -> None:
        self._exchange()

    def __exit__(self, *error: object) -> None:
        self._exchange()

    def _exchange(self) -> None:
        """Give the generators these states, and keep the ones they had."""
        had = [generator.get_state() for generator in self._generators]
        for generator, state in zip(self._generators, self._states, strict=True):
            generator.set_state(state)
        self._states = had
