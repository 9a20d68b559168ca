"""The GPUs of this machine, as their drivers list them: without torch, and without starting to use one."""

import ctypes
import os
from functools import cache
from pathlib import Path

_NVML = "nvml.dll" if os.name == "nt" else "libnvidia-ml.so.1"
_NVIDIA = Path("/proc/driver/nvidia/gpus")  # Linux: a folder for each
_AMD = Path("/sys/class/kfd/kfd/topology/nodes")  # Linux: a folder for each CPU and each GPU


@cache
def gpu_count() -> int:
    """NVIDIA's GPUs or, where there is none, AMD's; asked for once in a process.

    NVML, the library of nvidia-smi, knows them in containers and in Windows' Linux too, where the folders of
    the Linux driver are missing.
    """
    return _by_nvml() or _folders(_NVIDIA) or _amd()


def _by_nvml() -> int:
    try:
        nvml = ctypes.CDLL(_NVML)
    except OSError:
        return 0
    if nvml.nvmlInit_v2():
        return 0
    count = ctypes.c_uint(0)
    failed = nvml.nvmlDeviceGetCount_v2(ctypes.byref(count))
    nvml.nvmlShutdown()
    return 0 if failed else count.value


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
