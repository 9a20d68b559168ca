"""mixwidgets sweep: which experiments a file and options name, where they run, what is said of them."""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import distributed
import pytest

import mixwidgets as mw
from mixwidgets.runs.scheduler import sweep as sweeping
from tests.cli.calling import call

TOML = """
task = "mask"
steps = 2
[grid]
recipe = ["fp32", { compute_format = "float16", loss_scale = { kind = "static", init_scale = 8.0 } }]
seed = [0, 1]
[task_options]
canvas = 16
"""


class Over:
    """A sweep that ran nothing."""

    runs = ()

    def __init__(self, experiments):
        self.experiments, self.failures, self.counts = experiments, {}, {"done": 0}

    def __iter__(self):
        return iter(())


@pytest.fixture
def swept(monkeypatch):
    """What the command would sweep, and over which executor; nothing is run."""
    asked = []

    def sweep(experiments, executor, runs_dir, trust_source, workers):
        asked.append((experiments, executor))
        return Over(experiments)

    monkeypatch.setattr(sweeping.Sweep, "start", sweep)
    return asked


def test_a_grid_is_run_and_the_same_line_again_runs_nothing_twice(tmp_path):
    (tmp_path / "grid.toml").write_text(TOML)
    options = ["--recipe", "fp32", "--workers", 1, "--runs-dir", tmp_path / "runs"]
    for _ in range(2):
        result = call("sweep", tmp_path / "grid.toml", *options)
        assert result.exit_code == 0, result.output
        runs = mw.list_runs(tmp_path / "runs")
        assert sorted((run.experiment.recipe.name, run.experiment.seed, run.status) for run in runs) == [
            ("fp32", 0, "completed"),
            ("fp32", 1, "completed"),
        ]
        assert {run.experiment.task_options["canvas"] for run in runs} == {16}
        assert result.stdout.splitlines()[-1] == "2 done"
        assert all(f"of 2  {run.id}  completed" in result.stdout for run in runs)


def test_a_grid_is_that_of_the_file_and_options_take_the_place_of_axes(tmp_path, swept):
    (tmp_path / "grid.toml").write_text(TOML)
    base = mw.Experiment(task="mask", steps=2, task_options={"canvas": 16})
    scaled = mw.Recipe.from_dict(
        {"compute_format": "float16", "loss_scale": {"kind": "static", "init_scale": 8.0}}
    )
    call("sweep", tmp_path / "grid.toml")
    call("sweep", tmp_path / "grid.toml", "--seed", "3", "--seed", "5-6", "--steps", "9", "--recipe", "bf16")
    call("sweep", "--seed", "0-1")
    call("sweep", "--seed", "2^10-1_025", "--loss-weight", "2⁻²⁴")
    grids = [experiments for experiments, _ in swept]
    assert grids == [
        mw.grid(base, recipe=["fp32", scaled], seed=[0, 1]),
        mw.grid(base.replace(steps=9), recipe=["bf16"], seed=[3, 5, 6]),
        mw.grid(mw.Experiment(task="digits_cnn", recipe="fp16_dynamic"), seed=[0, 1]),
        mw.grid(
            mw.Experiment(task="digits_cnn", recipe="fp16_dynamic", task_options={"loss_weight": 2**-24}),
            seed=[1024, 1025],
        ),
    ]


def test_a_task_option_takes_the_place_of_their_axis(tmp_path, swept):
    (tmp_path / "grid.json").write_text(
        '{"task": "mask", "task_options": {"canvas": 16}, "grid": {"seed": [0, 1],'
        ' "task_options": [{"loss_weight": 1}, {"loss_weight": "2^-10"}]}}'
    )
    call("sweep", tmp_path / "grid.json", "--loss-weight", "2^4")
    base = mw.Experiment(task="mask", task_options={"canvas": 16, "loss_weight": 16})
    assert swept[0][0] == mw.grid(base, seed=[0, 1])


@pytest.mark.parametrize(
    "text",
    [
        '{"task": "Own", "task_source": "class Own: pass", "grid": {"seed": [0, 1]}}',
        '{"task": "mask", "grid": {"task_source": ["class mask: pass"], "seed": [0, 1]}}',
    ],
)
def test_source_in_a_grid_runs_only_where_it_is_trusted(tmp_path, text):
    (tmp_path / "grid.json").write_text(text)
    refused = call("sweep", tmp_path / "grid.json", "--runs-dir", tmp_path / "runs")
    assert (refused.exit_code, (tmp_path / "runs").exists()) == (2, False)
    assert "if you trust it, add --trust-source" in refused.stderr


def test_options_reach_the_sweep(monkeypatch):
    asked = {}

    def sweep(cells, *given, **named):
        asked.update(named, given=given)
        return Over(cells)

    monkeypatch.setattr(sweeping.Sweep, "start", sweep)
    assert call("sweep", "--trust-source", "--workers", "2**2", "--runs-dir", "here").exit_code == 0
    assert asked == {"given": (None, Path("here"), True), "workers": 4}


def test_every_task_of_a_grid_has_its_own_defaults(tmp_path, swept):
    (tmp_path / "grid.json").write_text('{"grid": {"task": ["mask", "digits_cnn"], "seed": 4}}')
    call("sweep", tmp_path / "grid.json")
    call("sweep", tmp_path / "grid.json", "--seed", "0-1")
    tasks = ("mask", "digits_cnn")
    assert swept[0][0] == [mw.Experiment(task=task, seed=4) for task in tasks]
    assert swept[1][0] == [mw.Experiment(task=task, seed=seed) for task in tasks for seed in (0, 1)]


def test_a_scheduler_is_reached_by_its_address_and_left_again(monkeypatch, swept):
    clients = []

    class Client:
        def __init__(self, address, **options):
            self.address, self.pool, self.is_open = address, ThreadPoolExecutor(1), True
            clients.append(self)

        def get_executor(self):
            return self.pool

        def __enter__(self):
            return self

        def __exit__(self, *error):
            self.is_open = False

    monkeypatch.setattr(distributed, "Client", Client)
    for address in ("tcp://127.0.0.1:8786", "tls://[::1]:8786"):
        assert call("sweep", "--scheduler", address).exit_code == 0
        assert (clients[-1].address, clients[-1].is_open) == (address, False)
    assert [executor for _, executor in swept] == [client.pool for client in clients]


def test_without_dask_a_scheduler_says_what_to_install(monkeypatch, swept):
    monkeypatch.setitem(sys.modules, "distributed", None)  # importing it raises ModuleNotFoundError
    result = call("sweep", "--scheduler", "tcp://127.0.0.1:8786")
    assert (result.exit_code, swept) == (2, [])
    assert "pip install 'mixwidgets[sweep]'" in result.stderr


def test_without_loky_workers_say_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "loky", None)
    result = call("sweep", "--workers", "2", "--runs-dir", tmp_path / "runs")
    assert (result.exit_code, (tmp_path / "runs").exists()) == (2, False)
    assert "needs loky" in result.stderr


def test_workers_whose_torch_is_too_old_say_so_before_the_first_cell(monkeypatch, tmp_path):
    monkeypatch.setattr("importlib.metadata.version", lambda name: "2.8.1+cpu")
    result = call("sweep", "--workers", "2", "--runs-dir", tmp_path / "runs")
    assert (result.exit_code, (tmp_path / "runs").exists()) == (2, False)
    assert "torch 2.9 or newer" in " ".join(result.stderr.split())


def test_what_failed_is_said_and_is_the_exit_code(monkeypatch):
    experiment = mw.Experiment(task="mask")
    failed = Over([experiment])
    failed.failures, failed.counts = {experiment: "Its worker died.\x1b[2J"}, {"done": 0, "failed": 1}
    monkeypatch.setattr(sweeping.Sweep, "start", lambda *_, **__: failed)
    result = call("sweep")
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        rf"failed: {experiment.title}: Its worker died.\x1b[2J", "1 failed",
    ]  # fmt: skip


def test_an_interrupted_sweep_is_stopped_and_told_however_long_its_workers_take(monkeypatch):
    class Slow(Over):
        def __iter__(self):
            raise KeyboardInterrupt

        def stop(self):
            raise TimeoutError("It was asked to stop.")

        def wait(self, progress):
            self.counts = {"stopped": len(self.experiments)}

    monkeypatch.setattr(sweeping.Sweep, "start", lambda experiments, *_, **__: Slow(experiments))
    result = call("sweep", "--seed", "0-2")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == ["", "stopping", "It was asked to stop.", "3 stopped"]


@pytest.mark.parametrize(
    ("text", "options", "says"),
    [
        ('[grid]\nseed = [0, 1]', [], "needs a task"),
        ('task = "mask"\ngrid = 3', [], "a table of axes"),
        ('task = "mask"\n[grid]\nsed = [0]', [], "Did you mean 'seed'"),
        ('task = "mask"\n[grid]\nseed = []', [], "no values"),
        ('task = "mask"\n[grid]\nseed = [0, 0]', [], "the same experiment"),
        ('task = "mask"\n[grid]\nsteps = [0]', [], "steps"),
        ('task = "mask"\n[grid]\nrecipe = [{ lop = "amp" }]', [], "Did you mean 'loop'"),
        ('task = "mask"\n[grid\n', [], "line 2"),
        ('task = "mask"', ["--seed", "4-1"], "a range, such as 0-4"),
        ('task = "mask"', ["--seed", "1-two"], "a range, such as 0-4"),
        ('task = "mask"', ["--seed", "0-4294967295"], "more than 100000"),
        ('task = "mask"', ["--scheduler", "localhost:8786"], "an address such as tcp://127.0.0.1:8786"),
        ('task = "mask"', ["--scheduler", "nonsense://x:1"], "an address such as tcp://127.0.0.1:8786"),

    ],
)  # fmt: skip
def test_what_is_no_grid_is_one_sentence(text, options, says, tmp_path, swept):
    (tmp_path / "grid.toml").write_text(text)
    result = call("sweep", tmp_path / "grid.toml", *options)
    assert (result.exit_code, result.stdout, swept) == (2, "", [])
    assert says in result.stderr
    assert result.stderr.count("\n") == 1
