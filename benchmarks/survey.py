"""A survey of a 500 MB safetensors file in the default formats, compared with torch's casts of the same."""

import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from safetensors import safe_open
from safetensors.torch import save_file

import mixwidgets as mw
from benchmarks.pairs import compare

SIDE, LAYERS = 4096, 7  # weights of 64 MiB each
PAIRS = 3
DTYPES = (torch.float16, torch.bfloat16, torch.float8_e4m3fn)
# What the process holds beyond the file's own pages, which the system may drop at any time.
GROWTH = """
import sys, threading, time
import torch
import mixwidgets as mw

def held():
    for line in open("/proc/self/status"):
        if line.startswith("RssAnon"):
            return int(line.split()[1]) / 1024

mw.survey({"w": torch.randn(64, 64)})
before, most, over = held(), [0.0], threading.Event()

def look():
    while not over.wait(0.05):
        most[0] = max(most[0], held())

looking = threading.Thread(target=look)
looking.start()
mw.survey(sys.argv[1])
over.set()
looking.join()
print(most[0] - before)
"""


def casts(path: Path) -> float:
    """Seconds to cast every tensor to each dtype and back."""
    start = time.process_time()
    with safe_open(path, framework="pt") as file:
        for name in file.keys():  # noqa: SIM118
            for dtype in DTYPES:
                file.get_tensor(name).to(dtype).float()
    return time.process_time() - start


def survey(path: Path) -> float:
    start = time.process_time()
    mw.survey(path)
    return time.process_time() - start


def measure() -> dict[str, object]:
    torch.set_num_threads(1)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.safetensors"
        torch.manual_seed(0)
        save_file({f"layers.{i}.weight": 0.02 * torch.randn(SIDE, SIDE) for i in range(LAYERS)}, path)
        name = f"survey of a safetensors file of {path.stat().st_size / 1e6:.0f} MB, default formats"
        ratio = compare(lambda: casts(path), lambda: survey(path), pairs=PAIRS)
        grown = subprocess.run(
            [sys.executable, "-c", GROWTH, str(path)], capture_output=True, text=True, check=True
        )
        return {
            f"{name} / torch's casts to float16, bfloat16, float8_e4m3fn and back": {
                **ratio,
                "reach": "≤ 2",
            },
            f"MiB more while it runs, {name}": {"MiB": round(float(grown.stdout)), "reach": "< 300"},
        }
