"""The GPUs of this machine as listed by their drivers, without torch and without initialising a GPU."""

import ctypes
import os
import re
from functools import cache
from pathlib import Path
from typing import Any

_NVML = "nvml.dll" if os.name == "nt" else "libnvidia-ml.so.1"
_LONGEST_NAME = 96  # bytes: NVML's own bound
_NVIDIA = Path("/proc/driver/nvidia/gpus")  # Linux: a folder for each
_AMD = Path("/sys/class/kfd/kfd/topology/nodes")  # Linux: a folder for each CPU and each GPU


@cache
def gpu_names() -> tuple[str, ...]:
    """NVIDIA's GPUs or, if there are none, AMD's, in the driver's order; cached for the process.

    Each by name and memory, such as "NVIDIA H200, 140 GiB"; "" if the driver does not report them. NVML, the
    library of nvidia-smi, also works in containers and WSL, where the folders of the Linux driver are
    missing.
    """
    return _by_nvml() or ("",) * (len([*_NVIDIA.glob("*")]) or _amd())


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
    shared = nvml.nvmlDeviceGetMemoryInfo(gpu, ctypes.byref(memory))  # fails if shared with the CPU
    return name.value.decode(errors="replace") + ("" if shared else f", {memory[0] / 2**30:.0f} GiB")


def _amd() -> int:
    """The number of nodes of AMD's driver with compute units, which CPUs do not have."""
    try:
        texts = [path.read_text() for path in _AMD.glob("*/properties")]
    except OSError:
        return 0
    return sum(bool(re.search(r"^simd_count +[1-9]", text, re.MULTILINE)) for text in texts)
