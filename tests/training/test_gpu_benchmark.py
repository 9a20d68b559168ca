"""The GPU benchmark, on a machine without one: it runs, needs little, and makes no figures up."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "gpu.json"

BARE = """
import runpy, sys

for name in "psutil pandas ipywidgets anywidget IPython traitlets jupyter_client typer".split():
    sys.modules[name] = None  # importing it raises ModuleNotFoundError
sys.argv[1:] = {arguments}
runpy.run_module("benchmarks.gpu", run_name="__main__")
"""


def run(*arguments):
    code = BARE.format(arguments=list(arguments))
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)


def test_a_quick_run_on_the_cpu_measures_everything_and_writes_nothing():
    before = RESULTS.read_bytes() if RESULTS.exists() else None
    done = run("--device", "cpu", "--quick")
    assert done.returncode == 0, done.stderr
    assert "the CPU" in done.stderr
    assert (RESULTS.read_bytes() if RESULTS.exists() else None) == before
    found = json.loads(done.stdout)
    assert found["machine"]["device"] == "CPU"
    ((name, measured),) = found["results"].items()
    assert name == "char_gpt, width 64"
    ratios = [value["median_ratio"] for value in measured["time a step"].values() if "median_ratio" in value]
    assert len(ratios) == 7
    assert all(ratio > 0 for ratio in ratios)
    assert set(measured["bytes"]) == {"fp32", "fp16_static", "bf16", "amp_fp16", "amp_bf16"}
    assert all(entry["peak"] is None for entry in measured["bytes"].values())


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device")
def test_without_a_gpu_it_says_so():
    done = run()
    assert done.returncode == 1
    assert "no CUDA device" in done.stderr
    assert "--device cpu --quick" in done.stderr
    assert not done.stdout
