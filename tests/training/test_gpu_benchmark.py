"""The GPU benchmark, on a machine without one: it runs, needs little, and makes no figures up."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results"

BARE = """
import runpy, sys

for name in {missing}:
    sys.modules[name] = None  # importing it raises ModuleNotFoundError
sys.argv[1:] = {arguments}
{run}
"""
MISSING = (
    "hypothesis ml_dtypes gfloat gmpy2 playwright ipywidgets anywidget IPython traitlets jupyter_client typer"
)


def on_a_bare_machine(run, *arguments):
    """Python with few packages, as on a machine that is lent."""
    code = BARE.format(missing=MISSING.split(), arguments=list(arguments), run=run)
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


def benchmark(*arguments):
    return on_a_bare_machine("runpy.run_path('benchmarks/gpu.py', run_name='__main__')", *arguments)


def written():
    return {path: path.read_bytes() for path in RESULTS.glob("*/gpu.json")}


@pytest.mark.slow
def test_a_quick_run_on_the_cpu_measures_everything_and_writes_nothing():
    before = written()
    done = benchmark("--device", "cpu", "--quick")
    assert done.returncode == 0, done.stderr
    assert "the CPU" in done.stderr
    assert written() == before
    found = json.loads(done.stdout)
    assert found["machine"]["device"] == "CPU"
    results = found["results"]
    assert {name: row for name, row in results.items() if "error" in row} == {}
    loops = [row for name, row in results.items() if name.startswith("0.1M: ") and "memory" not in name]
    assert len(loops) == 18
    for row in loops:
        assert row["against the baseline"]["median_ratio"] > 0
        assert row["milliseconds a step"] > 0
        assert row["peak bytes"] is None
    products = [row for name, row in results.items() if name.startswith("a product")]
    assert len(products) == 6
    assert all(row["TFLOP/s"] > 0 for row in products)


def test_without_a_gpu_it_says_so():
    done = benchmark()
    assert done.returncode == 1
    assert "no CUDA device" in done.stderr
    assert "--device cpu --quick" in done.stderr
    assert not done.stdout


def test_without_a_gpu_its_tests_fail_and_none_is_skipped():
    done = on_a_bare_machine("runpy.run_module('pytest', run_name='__main__')", "-q", "tests/gpu")
    errors = re.search(r"^(\d+) errors? in", done.stdout.splitlines()[-1])
    assert errors, done.stdout[-2000:] + done.stderr
    assert int(errors[1]) > 20
    assert "There is no CUDA device" in done.stdout
