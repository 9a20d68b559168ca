"""sweep on a real Dask cluster: a killed worker, GPU resources, a folder that is shared, or is not."""

import re
import subprocess
from pathlib import Path

import pytest

import mixwidgets as mw
from tests.scheduler.ended import ended
from tests.scheduler.line import Line
from tests.waiting import until

pytestmark = pytest.mark.slow

EXPERIMENT = mw.Experiment(task=Line, recipe="fp16_dynamic", steps=300, device="cpu")
ENDLESS = EXPERIMENT.replace(steps=10_000_000, summary_every=1000)
PATIENCE_S = 300  # of workers that load torch on a busy machine


@pytest.fixture(scope="module")
def two(cluster):
    """Two workers."""
    return [cluster.add_worker(), cluster.add_worker()]


@pytest.fixture(scope="module")
def gpu(cluster):
    """A worker that says it has one."""
    return cluster.add_worker("--resources=GPU=1")


def wait(sweep):
    return sweep.wait(PATIENCE_S, progress=False)


def test_a_killed_worker(cluster, two, tmp_path):
    cells = mw.grid(EXPERIMENT, recipe=["fp32", "fp16_dynamic"], seed=range(3))
    sweep = mw.sweep(cells, cluster.client.get_executor(), tmp_path)
    until(
        lambda: any(run.is_alive and len(run.steps()) for run in mw.list_runs(tmp_path)), PATIENCE_S
    )  # live
    two[0].kill()
    runs = wait(sweep)
    assert [run.experiment for run in runs] == cells
    assert {run.status for run in runs} == {"completed"}
    assert (sweep.failures, sweep.counts["done"]) == ({}, 6)
    assert ended(tmp_path) == {cell.id: 1 for cell in cells}
    assert [run.id for run in wait(mw.sweep(cells, cluster.client.get_executor(), tmp_path))] == [
        run.id for run in runs
    ]


def test_stop(cluster, two, tmp_path):
    sweep = mw.sweep(mw.grid(ENDLESS, seed=range(3)), cluster.client.get_executor(), tmp_path)
    until(lambda: [run for run in mw.list_runs(tmp_path) if len(run.steps()) > 2], PATIENCE_S)
    sweep.stop()
    assert {run.status for run in sweep.runs} == {"stopped"}
    assert (sweep.counts["stopped"], sweep.failures) == (3, {})
    assert two[1].poll() is None


def test_only_workers_with_a_gpu_get_cells(cluster, two, gpu, tmp_path):
    executor = cluster.client.get_executor(resources={"GPU": 1})
    runs = wait(mw.sweep(mw.grid(EXPERIMENT.replace(steps=2), seed=range(4)), executor, tmp_path))
    assert [(run.status, run.metrics["process"]) for run in runs] == [("completed", gpu.pid)] * 4


def test_a_worker_with_another_view_of_the_folder_sends_its_runs_home(cluster, two, tmp_path):
    runs_dir = tmp_path / "runs"
    runs_dir.mkdir()
    mount = f'mount -t tmpfs none {runs_dir} && exec "$@"'
    own_view = ("unshare", "--mount", "--map-root-user", "sh", "-c", mount, "-")
    if subprocess.run([*own_view, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no process can be given a view of its own here")
    cluster.add_worker("--resources=FAR=1", through=own_view)
    executor = cluster.client.get_executor(resources={"FAR": 1})
    cells = mw.grid(EXPERIMENT.replace(steps=5), device=["cpu", "cuda:99"])
    sweep = mw.sweep(cells, executor, runs_dir)
    good, bad = wait(sweep)
    assert (good.status, len(good.steps()), good.damage) == ("completed", 5, [])
    assert good.gradients()["weight"].count == 4
    assert (bad.status, list(sweep.failures)) == ("crashed", [cells[1]])
    assert sorted(entry.name for entry in runs_dir.iterdir()) == sorted([".cells", good.id, bad.id])


PAGE = (Path(__file__).parents[2] / "docs" / "cluster.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_the_examples_of_the_page(cluster, two, gpu, tmp_path, monkeypatch, example):
    code = compile(example, "docs/cluster.md", "exec")
    if "dask_jobqueue" in example or "dask_kubernetes" in example:
        return  # there is neither Slurm nor Kubernetes here
    if "__main__" in example:
        return  # test_executors.py runs it
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("distributed.Client", lambda *_, **__: cluster.client)
    monkeypatch.setattr(
        "mixwidgets.runs.scheduler.sweep.local_pool", lambda *_: cluster.client.get_executor()
    )
    names = {}
    exec(code, names)
    if "sweep" in names:
        assert names["sweep"].counts["done"] == len(names["sweep"].experiments)
