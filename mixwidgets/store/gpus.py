"""The GPUs of this machine, as their drivers list them: without torch, and without starting to use one."""

import ctypes
import os
from functools import cache
from pathlib import Path
from typing import Any

_NVML = "nvml.dll" if os.name == "nt" else "libnvidia-ml.so.1"
_LONGEST_NAME = 96  # bytes: NVML's own bound
_NVIDIA = Path("/proc/driver/nvidia/gpus")  # Linux: a folder for each
_AMD = Path("/sys/class/kfd/kfd/topology/nodes")  # Linux: a folder for each CPU and each GPU


@cache
def gpu_names() -> tuple[str, ...]:
    """NVIDIA's GPUs or, where there is none, AMD's, in the driver's order; asked for once in a process.

    Each by its name and memory, such as "NVIDIA H200, 140 GiB"; "" for one whose driver does not tell.
    NVML, the library of nvidia-smi, knows them in containers and in Windows' Linux too, where the folders of
    the Linux driver are missing.
    """
    return _by_nvml() or ("",) * (_folders(_NVIDIA) or _amd())


def _by_nvml() -> tuple[str, ...]:
    try:
        nvml = ctypes.CDLL(_NVML)
    except OSError:
        return ()
    if nvml.nvmlInit_v2():
        return ()
    count = ctypes.c_uint(0)
    failed = nvml.nvmlDeviceGetCount_v2(ctypes.byref(count))
    names = () if failed else tuple(_nvml_name(nvml, number) for number in range(count.value))
    nvml.nvmlShutdown()
    return names


def _nvml_name(nvml: Any, number: int) -> str:
    gpu, name = ctypes.c_void_p(), ctypes.create_string_buffer(_LONGEST_NAME)
    if nvml.nvmlDeviceGetHandleByIndex_v2(number, ctypes.byref(gpu)):
        return ""
    if nvml.nvmlDeviceGetName(gpu, name, _LONGEST_NAME):
        return ""
    memory = (ctypes.c_ulonglong * 3)()  # bytes: total, free, used
    shared = nvml.nvmlDeviceGetMemoryInfo(gpu, ctypes.byref(memory))  # with the CPU: there is no such figure
    return name.value.decode(errors="replace") + ("" if shared else f", {memory[0] / 2**30:.0f} GiB")


def _folders(parent: Path) -> int:
    try:
        return len(list(parent.iterdir()))
    except OSError:
        return 0


def _amd() -> int:
    """Of the nodes of AMD's driver those that have compute units; CPUs have none."""
    try:
        nodes = [(node / "properties").read_text() for node in _AMD.iterdir()]
    except OSError:
        return 0
    lines = [line.split() for node in nodes for line in node.splitlines()]
    return sum(line[0] == "simd_count" and line[1] != "0" for line in lines if len(line) == 2)
