"""sweep with each executor that docs/cluster.md names, in a script of its own; Dask is in test_dask.py."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import mixwidgets as mw

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PATIENCE_S = 250  # of workers that load torch on a busy machine
SCRIPT = """
import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import mixwidgets as mw

if __name__ == "__main__":
    experiment = mw.Experiment(task="student_teacher", recipe="fp16_dynamic", steps=3, device="cpu")
    with {executor} as pool:
        mw.sweep(mw.grid(experiment, seed=range(2)), executor=pool).wait()
"""
EXECUTORS = {
    "threads": "ThreadPoolExecutor(2)",
    "fork": "ProcessPoolExecutor(2, mp_context=multiprocessing.get_context('fork'))",
    "spawn": "ProcessPoolExecutor(2, mp_context=multiprocessing.get_context('spawn'))",
    "forkserver": "ProcessPoolExecutor(2, mp_context=multiprocessing.get_context('forkserver'))",
    "loky": "__import__('loky').get_reusable_executor(2)",
    "joblib": "__import__('joblib').externals.loky.get_reusable_executor(2)",
}
PAGE = (ROOT / "docs/cluster.md").read_text(encoding="utf-8")
*EXAMPLES, OWN_POOL = [
    code for code in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if "__main__" in code
]
SMALLER = {  # the page's script on this machine
    "ray.init()": "ray.init(num_cpus=1, include_dashboard=False)",
    'AutoExecutor(folder="jobs")': 'AutoExecutor(folder="jobs", cluster="local")',
}


def output(folder, code, *command):
    """What the script prints."""
    (folder / "sweep.py").write_text(code, encoding="utf-8")
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_AUTH_MODE": "disabled",
    }
    command = [*command, "sweep.py"] if command else [sys.executable, "sweep.py"]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def complete(folder, code, *command):
    """Run the script: its sweep of two seeds trains both."""
    output(folder, code, *command)
    runs = mw.list_runs(folder / "runs")
    assert sorted((run.experiment.seed, run.status) for run in runs) == [(0, "completed"), (1, "completed")]


@pytest.mark.parametrize("name", EXECUTORS)
def test_an_executor_of_this_machine(tmp_path, name):
    complete(tmp_path, SCRIPT.format(executor=EXECUTORS[name]))


@pytest.mark.parametrize(
    ("library", "code"), [*zip(["concurrent.futures", "mpi4py", "ray", "submitit"], EXAMPLES, strict=True)]
)
def test_a_script_of_the_page(tmp_path, library, code):
    if importlib.util.find_spec(library) is None and "CI" not in os.environ:
        pytest.skip(f"{library} is missing: `pip install -c constraints.txt -e '.[test]'` installs it")
    assert library in code
    for given, smaller in SMALLER.items():
        code = code.replace(given, smaller)
    mpi = ["mpiexec", "-n", "2", sys.executable, "-m", "mpi4py.futures"]
    complete(tmp_path, code, *(mpi if library == "mpi4py" else []))


def test_the_events_of_a_pool_of_ones_own_come_home(tmp_path):
    """From multiprocessing and from joblib, with the same losses."""
    first, second, *same = json.loads(output(tmp_path, OWN_POOL))
    assert first != second
    assert same == [first, second]
