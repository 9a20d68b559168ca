"""python -m mixwidgets.training: every failure is a named end of the run."""

import errno
import json
import os
import signal
import subprocess
import sys

import pytest
import torch

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.scheduler.recording import record
from mixwidgets.runs.store.events import Evaluation, RunStarted
from mixwidgets.runs.store.journal import Journal, create_run
from mixwidgets.runs.store.run import list_runs, open_run
from tests.small_disk import fill, small_disk

EXPERIMENT = Experiment(task="digits_cnn", steps=10, batch_size=16)
ENDLESS = EXPERIMENT.replace(steps=10_000_000, summary_every=1)
FORKS = """
import json, os, resource, sys
from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.training import main
from mixwidgets.runs.training.loop import train

for _ in train(Experiment(task="digits_cnn", steps=1)):
    pass  # what loads on first use is loaded
for line in sys.stdin:
    path, limits = json.loads(line)
    if not (child := os.fork()):
        try:
            for name, limit in limits.items():
                if name == "RLIMIT_AS":
                    with open("/proc/self/statm") as pages:
                        limit += int(pages.read().split()[0]) * resource.getpagesize()
                resource.setrlimit(getattr(resource, name), (limit, limit))
            sys.argv[1:] = [path]
            os._exit(main())
        finally:
            os._exit(99)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (torch.OutOfMemoryError("CUDA out of memory"), "out_of_memory"),
        (
            RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes"),
            "out_of_memory",
        ),
        (RuntimeError("std::bad_alloc"), "out_of_memory"),
        (MemoryError(), "out_of_memory"),
        (OSError(errno.ENOSPC, "No space left on device"), "disk_full"),
        (ValueError("a bad \ud800 text"), "crashed"),
        (KeyboardInterrupt(), "crashed"),
    ],
)
def test_failures_have_names_and_the_last_metrics_stay(tmp_path, monkeypatch, error, reason):
    def failing(experiment, trust_source):
        yield RunStarted(device="cpu", backend="x", versions={})
        yield Evaluation(step=0, metrics={"loss": 2.0, "accuracy": 0.1})
        raise error

    monkeypatch.setattr("mixwidgets.runs.training.loop.train", failing)
    path = create_run(EXPERIMENT, tmp_path)
    with Journal(path) as journal:
        assert record(journal, lambda: "") == reason
    run = open_run(path)
    assert (run.status, run.metrics) == (reason, {"loss": 2.0, "accuracy": 0.1})
    assert type(error).__name__ in run.message
    assert run.damage == []


def command(path):
    return [sys.executable, "-m", "mixwidgets.training", os.fspath(path)]


def test_started_by_hand_it_runs_once(tmp_path):
    path = create_run(EXPERIMENT, tmp_path)
    assert subprocess.run(command(path), timeout=120).returncode == 0
    assert open_run(path).status == "completed"
    again = subprocess.run(command(path), capture_output=True, text=True, timeout=120)
    assert (again.returncode, "written already" in again.stderr) == (2, True)
    nothing = subprocess.run(command(tmp_path), capture_output=True, text=True, timeout=120)
    assert (nothing.returncode, "is not a run" in nothing.stderr) == (2, True)


def test_source_in_an_experiments_file_is_executed_only_if_it_is_trusted(tmp_path):
    file, runs_dir, made = tmp_path / "own.json", tmp_path / "runs", tmp_path / "made"
    source = f"class Own: pass\nopen({os.fspath(made)!r}, 'x')"
    file.write_text(Experiment(task="Own", task_source=source, recipe="fp32", steps=1).to_json())
    words = [*command("--experiment"), os.fspath(file), "--runs-dir", os.fspath(runs_dir)]
    refused = subprocess.run(words, capture_output=True, text=True, timeout=120)
    assert (refused.returncode, "add --trust-source" in refused.stderr) == (2, True)
    assert not made.exists()
    assert list_runs(runs_dir) == []
    subprocess.run([*words, "--trust-source"], capture_output=True, timeout=120)
    assert made.exists()


def test_a_signal_stops_it_in_good_order(tmp_path):
    path = create_run(ENDLESS, tmp_path)
    with subprocess.Popen(command(path)) as process:
        next(event for event in open_run(path).follow() if event.kind == "step")
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
    run = open_run(path)
    assert (run.status, run.message) == ("stopped", "It was stopped by SIGTERM.")


@pytest.mark.parametrize("name", ["SIGHUP", "SIGQUIT", "SIGXCPU"])
def test_a_signal_is_named_also_while_torch_loads(tmp_path, name):
    path = create_run(ENDLESS, tmp_path)
    waits = (
        "import sys, time; from pathlib import Path; from mixwidgets.training import StopRequest\n"
        "StopRequest(Path(sys.argv[1]), None); print('ready', flush=True); time.sleep(60)"
    )
    words = [sys.executable, "-c", waits, os.fspath(path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(getattr(signal, name))
        assert process.wait(60) == 1
    run = open_run(path)
    assert (run.status, run.message) == ("stopped", f"It was stopped by {name}.")


@pytest.fixture(scope="module")
def ended():
    """Train a queued run in a process of its own, a fork of one that has loaded torch; its exit status.

    Limits are those of `resource`; RLIMIT_AS counts from what the process has already.
    """
    server = subprocess.Popen(
        [sys.executable, "-c", FORKS],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )

    def train(path, **limits):
        print(json.dumps([os.fspath(path), limits]), file=server.stdin, flush=True)
        return int(server.stdout.readline())

    yield train
    server.kill()
    server.communicate()


@pytest.mark.parametrize(
    ("reason", "fields", "limits", "exit_status"),
    [
        ("completed", {"steps": 2}, {}, 0),
        ("diverged", {"recipe": "fp16_unscaled", "task_options": {"loss_weight": 1e39}}, {}, 0),
        ("time_limit", {"steps": 10_000_000, "time_limit_s": 0.01}, {}, 0),
        pytest.param(
            *("out_of_memory", {"task": "digits_mlp", "task_options": {"size": 64}}),
            *({"RLIMIT_AS": 128 << 20}, 1),
            marks=pytest.mark.skipif(sys.platform != "linux", reason="reads /proc; macOS has no such limit"),
        ),
        ("disk_full", {"steps": 10_000_000, "summary_every": 1}, {"RLIMIT_FSIZE": 20_000}, 1),
        ("crashed", {"device": "cuda:99"}, {}, 1),
    ],
)
def test_every_end_of_a_real_process_has_its_name(ended, tmp_path, reason, fields, limits, exit_status):
    path = create_run(EXPERIMENT.replace(**fields), tmp_path)
    assert ended(path, **limits) == exit_status
    run = open_run(path)
    assert run.status == reason
    assert run.message
    assert run.damage == []
    steps = list(run.steps().step)
    assert steps == list(range(1, len(steps) + 1))


def test_a_small_disk_ends_it_disk_full(ended, tmp_path):
    with small_disk(tmp_path / "disk") as disk:
        path = create_run(ENDLESS, disk)
        assert ended(path) == 1
        run = open_run(path)
        assert (run.status, run.damage) == ("disk_full", [])
        steps = list(run.steps().step)
        assert steps == list(range(1, len(steps) + 1))
        assert len(steps) > 5
        assert run.gradients()


def test_a_disk_that_is_full_before_it_begins_is_said_too(ended, tmp_path):
    with small_disk(tmp_path / "disk") as disk:
        path = create_run(EXPERIMENT, disk)
        fill(disk)
        assert ended(path) == 2
        run = open_run(path)
        assert run.status == "disk_full"
        assert "no room to begin" in run.message
        with pytest.raises(OSError, match="has room"):
            create_run(EXPERIMENT, disk)
        assert [run.path for run in list_runs(disk)] == [path]
        assert sorted(entry.name for entry in disk.iterdir()) == sorted([path.name, "filler"])


def test_it_leaves_a_run_to_its_one_writer(tmp_path):
    path = create_run(EXPERIMENT, tmp_path)
    with Journal(path):
        second = subprocess.run(command(path), capture_output=True, text=True, timeout=120)
        assert open_run(path).status == "running"
    assert (second.returncode, "one writer" in second.stderr) == (2, True)
    assert "Traceback" not in second.stderr
