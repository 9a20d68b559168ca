"""The devices of this machine, found without torch: which a run can choose, and which it waits for."""

import ctypes
import os
import re
from contextlib import suppress
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Any

from mixwidgets.runs.store.system import allowed_cores, machine_memory

_CPU_QUOTA = Path("/sys/fs/cgroup/cpu.max")  # a container's: microseconds of CPU in each period, or "max"
_MEMORY = Path("/proc/meminfo")  # Linux
_MEMORY_USED = Path("/sys/fs/cgroup/memory.current")  # by a container: bytes
_MEMORY_LIMIT = Path("/sys/fs/cgroup/memory.max")  # a container's: bytes, or "max"
_NVML = "nvml.dll" if os.name == "nt" else "libnvidia-ml.so.1"
_LONGEST_NAME = 96  # bytes: NVML's own bound
_NVIDIA = Path("/proc/driver/nvidia/gpus")  # Linux: a folder for each
_AMD = Path("/sys/class/kfd/kfd/topology/nodes")  # Linux: a folder for each CPU and each GPU
_NUMBER = re.compile(r"[0-9]{1,4}")


def visible_gpus() -> list[str]:
    """The GPUs visible to a new process under CUDA or ROCm, in its order: cuda:0 first.

    Each is identified by its number on the machine, or by the UUID in CUDA_VISIBLE_DEVICES. CUDA ignores the
    entries from the first invalid one on. ROCm also uses HIP_VISIBLE_DEVICES, which takes precedence.
    """
    count = len(gpu_names())
    chosen = os.environ.get("HIP_VISIBLE_DEVICES", os.environ.get("CUDA_VISIBLE_DEVICES"))
    if chosen is None or not count:
        return [str(number) for number in range(count)]

    def is_valid(entry: str) -> bool:
        return int(entry) < count if _NUMBER.fullmatch(entry) else entry.startswith(("GPU-", "MIG-"))

    return list(takewhile(is_valid, map(str.strip, chosen.split(","))))


def choosable_devices() -> dict[str, str]:
    """The possible values of an Experiment's `device`: "auto", "cpu", and "cuda:0" … for the GPUs. Each with
    the GPU's name and memory, "" if there is none or it is unknown."""
    gpus = {f"cuda:{number}": _gpu_name(gpu) for number, gpu in enumerate(visible_gpus())}
    return {"auto": "", "cpu": "", **gpus}


def _gpu_name(gpu: str) -> str:
    """By default, CUDA numbers GPUs by speed, and drivers by slot, so names are known only if both agree."""
    names = gpu_names()
    if len(set(names)) == 1 and not gpu.startswith("MIG-"):  # a part of a GPU
        return names[0]
    by_slot = os.environ.get("CUDA_DEVICE_ORDER") == "PCI_BUS_ID"
    return names[int(gpu)] if by_slot and _NUMBER.fullmatch(gpu) else ""


def slot_of(device: str) -> str:
    """The name (a-z 0-9 _) of the device whose slots a run on `device` uses: "cpu", or a GPU such as "cuda0",
    whatever CUDA_VISIBLE_DEVICES is here. "auto" uses the first visible GPU."""
    gpus = visible_gpus()
    if device == "cpu" or (device == "auto" and not gpus):
        return "cpu"
    number = int(device.partition(":")[2] or 0)
    return "cuda" + re.sub("[^a-z0-9]", "_", (gpus[number] if number < len(gpus) else str(number)).lower())


@cache
def gpu_names() -> tuple[str, ...]:
    """NVIDIA's GPUs or, if there are none, AMD's, in the driver's order; cached for the process.

    Each by name and memory, such as "NVIDIA H200, 140 GiB"; "" if the driver does not report them. NVML also
    works in containers and WSL, where the folders of the Linux driver are missing.
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


def usable_cores() -> int:
    """The cores that this process may use, given its affinity and its container's CPU quota. At least 1."""
    cores = allowed_cores()
    try:
        quota, period = _CPU_QUOTA.read_text().split()
        return max(1, min(cores, int(quota) // int(period)))
    except (OSError, ValueError):  # no such container, or no quota
        return cores


def usable_memory() -> int:
    """The bytes that this process may use: the machine's memory or its container's limit."""
    memory = machine_memory()
    try:
        return min(memory, int(_MEMORY_LIMIT.read_text()))
    except (OSError, ValueError):  # no such container, or no limit
        return memory


def free_memory() -> int:
    """The bytes that this process could still allocate without swapping; all usable ones if unknown."""
    free = usable_memory()
    with suppress(OSError, ValueError):
        free -= int(_MEMORY_USED.read_text())
    with suppress(OSError, ValueError):
        available = re.search(r"^MemAvailable:\s*(\d+) kB$", _MEMORY.read_text(), re.MULTILINE)
        free = min(free, int(available[1]) << 10) if available else free
    return free
