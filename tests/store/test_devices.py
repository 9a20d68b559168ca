"""Devices told without torch, on stand-ins for what a driver and a container show."""

import os

import pytest

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.scheduler.slots import runs_at_once
from mixwidgets.runs.store.devices import (
    choosable_devices,
    free_memory,
    slot_of,
    usable_cores,
    usable_memory,
    visible_gpus,
)

UUID = "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6"


@pytest.fixture
def gpus(monkeypatch):
    """Make the machine one of `count` GPUs, under what CUDA_VISIBLE_DEVICES says."""
    monkeypatch.delenv("HIP_VISIBLE_DEVICES", raising=False)

    def make(count, chosen=None, names=None):
        monkeypatch.setattr("mixwidgets.runs.store.devices.gpu_names", lambda: names or ("",) * count)
        if chosen is None:
            monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
        else:
            monkeypatch.setenv("CUDA_VISIBLE_DEVICES", chosen)

    return make


@pytest.mark.parametrize(
    ("count", "chosen", "visible"),
    [
        (0, None, []),
        (0, "0", []),
        (2, None, ["0", "1"]),
        (4, "2,1", ["2", "1"]),
        (4, "0,2,-1,1", ["0", "2"]),  # the example of NVIDIA's programming guide
        (4, "", []),
        (4, "-1", []),
        (2, "0,2,1", ["0"]),
        (2, f"{UUID}, 1", [UUID, "1"]),
        (2, "NoDevFiles", []),
        (2, "٣", []),
        (2, "9" * 5000, []),
    ],
)
def test_cuda_shows_the_gpus_before_the_first_entry_that_is_none(gpus, count, chosen, visible):
    gpus(count, chosen)
    assert visible_gpus() == visible


@pytest.mark.parametrize("count", [0, 1, 3])
def test_what_can_be_chosen_is_an_experiments_device(gpus, count):
    gpus(count)
    assert list(choosable_devices()) == ["auto", "cpu", "cuda:0", "cuda:1", "cuda:2"][: 2 + count]
    for device in choosable_devices():
        assert Experiment(task="digits_cnn", device=device).device == device


H200, T4 = "NVIDIA H200, 140 GiB", "Tesla T4, 15 GiB"


@pytest.mark.parametrize(
    ("names", "chosen", "order", "abouts"),
    [
        ((H200, H200), None, None, [H200, H200]),
        ((H200, H200), f"1,{UUID}", None, [H200, H200]),
        ((H200, H200), "MIG-1", None, [""]),  # a part of one
        ((T4, H200), None, None, ["", ""]),  # CUDA puts the faster one first, as far as it can tell
        ((T4, H200), "1,0", "PCI_BUS_ID", [H200, T4]),
        ((T4, H200), UUID, "PCI_BUS_ID", [""]),
    ],
)
def test_gpus_are_named_where_it_is_certain_which_is_which(gpus, monkeypatch, names, chosen, order, abouts):
    gpus(len(names), chosen, names)
    if order:
        monkeypatch.setenv("CUDA_DEVICE_ORDER", order)
    else:
        monkeypatch.delenv("CUDA_DEVICE_ORDER", raising=False)
    assert list(choosable_devices().values()) == ["", "", *abouts]


def test_a_slot_is_a_gpu_of_the_machine_whatever_its_number_here(gpus):
    gpus(0)
    assert [slot_of(device) for device in ("auto", "cpu", "cuda:7")] == ["cpu", "cpu", "cuda7"]
    gpus(4)
    assert [slot_of(device) for device in ("auto", "cpu", "cuda", "cuda:3")] == [
        "cuda0", "cpu", "cuda0", "cuda3",
    ]  # fmt: skip
    gpus(4, "3,1")
    assert [slot_of(device) for device in ("auto", "cuda:1")] == ["cuda3", "cuda1"]
    gpus(4, UUID)
    assert slot_of("auto") == "cudagpu_8932f937_d72c_4106_c12f_20bd9faed9f6"


@pytest.mark.parametrize(
    ("cores", "quota", "usable", "at_once"),
    [
        (1, "max 100000", 1, 1),
        (2, "max 100000", 2, 2),
        (8, None, 8, 8),
        (64, "400000 100000", 4, 4),
        (4, "50000 100000", 1, 1),
        (4, "nonsense", 4, 4),
    ],
)
def test_a_run_for_each_usable_core(tmp_path, monkeypatch, cores, quota, usable, at_once):
    monkeypatch.setattr("mixwidgets.runs.store.devices._CPU_QUOTA", tmp_path / "cpu.max")
    monkeypatch.setattr(os, "sched_getaffinity", lambda process_id: set(range(cores)), raising=False)
    if quota:
        (tmp_path / "cpu.max").write_text(quota + "\n")
    assert usable_cores() == usable
    assert (runs_at_once("cpu"), runs_at_once("cuda0")) == (at_once, 1)


def test_a_containers_memory_bounds_the_runs_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr("mixwidgets.runs.store.devices._MEMORY_LIMIT", tmp_path / "memory.max")
    monkeypatch.setattr(os, "sched_getaffinity", lambda process_id: set(range(64)), raising=False)
    unlimited = usable_memory()
    assert unlimited > 1 << 28
    (tmp_path / "memory.max").write_text("max\n")
    assert usable_memory() == unlimited
    (tmp_path / "memory.max").write_text(f"{3 << 29}\n")  # 1.5 GiB
    assert usable_memory() == min(3 << 29, unlimited)
    assert (runs_at_once("cpu"), runs_at_once("cuda0")) == (1, 1)


def test_free_memory_is_what_the_machine_and_the_container_leave(tmp_path, monkeypatch):
    for name in ("meminfo", "memory.max", "memory.current"):
        where = {"meminfo": "_MEMORY", "memory.max": "_MEMORY_LIMIT", "memory.current": "_MEMORY_USED"}[name]
        monkeypatch.setattr(f"mixwidgets.runs.store.devices.{where}", tmp_path / name)
    assert free_memory() == usable_memory()  # nothing is known
    (tmp_path / "meminfo").write_text("MemTotal:  9000000 kB\nMemAvailable:     2048 kB\n")
    assert free_memory() == 2 << 20
    (tmp_path / "memory.max").write_text(f"{3 << 20}\n")
    assert free_memory() == 2 << 20
    (tmp_path / "memory.current").write_text(f"{2 << 20}\n")
    assert free_memory() == 1 << 20
    (tmp_path / "memory.current").write_text("much\n")
    (tmp_path / "meminfo").write_text("much")
    assert free_memory() == 3 << 20
