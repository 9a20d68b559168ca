"""The benchmark from end to end, small. A stand-in for the CUDA driver that starts no kernel will do."""

import pytest
import torch

from benchmarks.gpu import LOOPS, measured, rows
from mixwidgets.runs.training.device import training_settings


@pytest.mark.filterwarnings("default")  # such as that a driver loads no kernels
def test_every_row_is_measured(gpu):
    todo = rows(gpu, quick=True)
    del todo["tests"]  # these
    if torch.cuda.get_device_capability(gpu) < (8, 9):
        todo = {name: row for name, row in todo.items() if "FP8" not in name and "fp8_native" not in name}
    computes = torch.ones(2, device=gpu).sum().item() == 2
    if not computes:  # a stand-in: what it counts makes no summary, and FP8 products are tried first
        todo = {n: row for n, row in todo.items() if "summarised" not in n and "fp8_native" not in n}
    with training_settings():
        found = {name: measured(row) for name, row in todo.items()}
    assert {name: row for name, row in found.items() if "error" in row} == {}
    loops = [row for row in found.values() if "against the baseline" in row]
    assert len(loops) == sum(any(f": {loop}" in name for loop in LOOPS) for name in todo)
    assert all(row["milliseconds a step"] > 0 and row["peak bytes"] > 0 for row in loops)
