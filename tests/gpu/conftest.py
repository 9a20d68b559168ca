"""The tests that need a CUDA device. Beside mixwidgets they need torch, NumPy and pytest."""

import warnings
from contextlib import contextmanager

import pytest
import torch


@pytest.fixture(autouse=True)
def gpu():
    if not torch.cuda.is_available():
        pytest.fail("There is no CUDA device: these tests are for a machine that has one.")
    return torch.device("cuda", torch.cuda.current_device())


@pytest.fixture
def waits():
    """`with waits() as found:` lists what makes the host wait for the device, as torch says it."""

    @contextmanager
    def listed():
        found = []
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            torch.cuda.set_sync_debug_mode("warn")
            try:
                yield found
            finally:
                torch.cuda.set_sync_debug_mode("default")
        found += [str(one.message) for one in told if "called a synchronizing" in str(one.message)]

    return listed
