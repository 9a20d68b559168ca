"""mixwidgets train: from options, from a file, from a run; what it shows, and what it refuses."""

import errno
import os
import pty
import re
import signal
import subprocess
import sys
import termios
from contextlib import suppress

import pytest

import mixwidgets as mw
from mixwidgets.runs.store.events import Evaluation, RunFinished, RunStarted
from mixwidgets.runs.store.journal import create_run, create_watched_run
from mixwidgets.runs.store.run import Run
from mixwidgets.runs.store.watched_loop import WatchedLoop
from tests.cli.calling import call, run_of, step
from tests.untrained import Untrained
from tests.waiting import LIMIT_S, until

TOML = """
task = "mask"
steps = 900
seed = 7
[recipe]
compute_format = "float16"
loss_scale = { kind = "static", init_scale = 8.0 }
[task_options]
canvas = 20
loss_weight = 0.25
"""


@pytest.fixture
def launched(monkeypatch, tmp_path):
    """What train would launch. In its place there is a run that is over."""
    experiments = []
    over = run_of(tmp_path / "over", RunFinished(reason="completed", metrics={}))
    monkeypatch.setattr(
        "mixwidgets.runs.scheduler.launch.launch",
        lambda experiment, runs_dir, trust_source: (experiments.append(experiment), over)[1],
    )
    return experiments


def test_a_run_from_a_file_and_options_opens_again(tmp_path):
    (tmp_path / "mine.toml").write_text(TOML)
    options = ["--steps", 6, "--option", "loss_weight=1/2", "--time-limit", 600]
    result = call("train", tmp_path / "mine.toml", *options, "--runs-dir", tmp_path / "runs")
    assert result.exit_code == 0, result.output
    (run,) = mw.list_runs(tmp_path / "runs")
    for part in (str(run.path), "step      6 of 6  loss", "completed: All 6 steps were taken. loss"):
        assert part in result.stdout
    assert run.status == "completed"
    assert run.steps()["step"].tolist() == [1, 2, 3, 4, 5, 6]
    said = run.experiment
    assert (said.task, said.steps, said.seed, said.time_limit_s) == ("mask", 6, 7, 600)
    assert said.task_options == {"canvas": 20, "loss_weight": 0.5}
    assert said.recipe.loss_scale.init_scale == 8


def test_one_experiment_written_down_in_many_ways_is_the_same(tmp_path, launched):
    toml = tmp_path / "e.toml"
    toml.write_text(TOML)
    assert call("train", toml).exit_code == 0
    experiment = launched[0]
    (tmp_path / "e.json").write_text(experiment.to_json())
    (tmp_path / "windows.toml").write_text(TOML.replace("\n", "\r\n"), encoding="utf-8-sig")
    (tmp_path / "link.toml").symlink_to(toml)
    run_path = create_run(experiment, tmp_path / "runs")
    (tmp_path / "experiment.json").write_text(experiment.to_json())
    of_a_run = [run_path, run_path / "experiment.json"]
    for name in ("e.json", "experiment.json", "windows.toml", "link.toml", *of_a_run):
        assert call("train", tmp_path / name).exit_code == 0
    assert launched == [experiment] * 7


def test_without_a_file_there_are_defaults_and_with_one_there_are_its_own(tmp_path, launched):
    (tmp_path / "e.json").write_text('{"task": "mask"}')
    call("train")
    call("train", tmp_path / "e.json", "--recipe", "bf16", "--loss-weight", 0.5, "--optimizer", "sgd")
    assert launched == [
        mw.Experiment(task="digits_cnn", recipe="fp16_dynamic"),
        mw.Experiment(task="mask", recipe="bf16", optimizer="sgd", task_options={"loss_weight": 0.5}),
    ]


def test_numbers_are_read_as_widgets_print_them(launched):
    call(
        *("train", "--loss-weight", "2^-24", "--learning-rate", "1/1024", "--seed", "2^10"),
        *("--steps", "1_000", "--time-limit", "6e1", "--option", "size=2**2"),
    )
    assert launched == [
        mw.Experiment(
            task="digits_cnn", recipe="fp16_dynamic", seed=1024, steps=1000, learning_rate=2**-10,
            time_limit_s=60, task_options={"loss_weight": 2**-24, "size": 4},
        )
    ]  # fmt: skip


def test_phases_are_read_from_a_file_and_from_a_run_and_another_recipe_leaves_them_out(tmp_path, launched):
    toml = tmp_path / "e.toml"
    toml.write_text('task = "mask"\nsteps = 9\nphases = [[0, "fp16_dynamic"], [4, "bf16"]]\n')
    assert call("train", toml).exit_code == 0
    expected = mw.Experiment(task="mask", steps=9, phases=[(0, "fp16_dynamic"), (4, "bf16")])
    run_path = create_run(expected, tmp_path / "runs")
    assert call("train", run_path).exit_code == call("train", run_path, "--recipe", "fp32").exit_code == 0
    assert launched == [expected, expected, expected.replace(recipe="fp32")]
    refused = call("train", toml, "--steps", 4)
    assert refused.exit_code == 2
    assert "from 0 to 3; got 4" in refused.stderr


def test_source_in_a_file_runs_only_where_it_is_trusted(tmp_path):
    text = '{"task": "Own", "task_source": "class Own: pass", "steps": 1}'
    (tmp_path / "own.json").write_text(text)
    refused = call("train", tmp_path / "own.json", "--runs-dir", tmp_path / "runs")
    assert (refused.exit_code, (tmp_path / "runs").exists()) == (2, False)
    assert "if you trust it, add --trust-source" in refused.stderr


def test_trusted_source_is_launched_and_another_task_leaves_it_out(tmp_path, launched):
    own = mw.Experiment(task=Untrained, steps=3)
    (tmp_path / "own.json").write_text(own.to_json())
    assert call("train", tmp_path / "own.json", "--trust-source").exit_code == 0
    assert call("train", tmp_path / "own.json", "--task", "mask").exit_code == 0
    assert [experiment.task_source for experiment in launched] == [own.task_source, ""]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--steps", "0"], "steps"),
        (["--option", "size"], "such as size=4"),
        (["--option", "size=x"], "size takes a whole number"),
        (["--steps", "many"], "'many' is not a number"),
        (["--seed", "1.5"], "got '1.5'"),
        (["--option", "sise=2"], "Did you mean 'size'"),
        (["--time-limit", "0"], "time_limit_s"),
        (["--task", "digits_cn"], "Did you mean 'digits_cnn'"),
        (["--recipe", "fp61"], "recipe"),
        (["--loss-weight", "nan"], "loss_weight"),
        (["--device", "\x1b[31mgpu"], r"\x1b[31mgpu"),
    ],
)
def test_a_wrong_option_is_one_sentence(arguments, says, tmp_path):
    result = call("train", *arguments, "--runs-dir", tmp_path / "runs")
    assert (result.exit_code, result.stdout) == (2, "")
    assert says in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("e.toml", 'task = "mask"\nsteps = = 3\n', "line 2, column 9"),
        ("e.json", '{"task": "mask",\n "steps"}', "line 2 column 9"),
        ("e.toml", 'task = "mask"\nstps = 3', "Did you mean 'steps'"),
        ("e.toml", 'task = "mask"\n[recipe]\ncompute_formt = "float16"', "Did you mean 'compute_format'"),
        ("e.toml", 'task = "mask"\nsteps = "3 000"', "write it without separators, 3000"),
        ("e.toml", 'task = "mask"\nsteps = 2026-01-01', "of type date"),
        ("e.toml", 'task = "mask"\nlearning_rate = nan', "learning_rate"),
        ("e.toml", 'task = "mask"\ntask_options = 3', "task_options takes a mapping"),
        ("e.toml", 'task = "mask"\n"\\u001b[31m" = 3', r"\x1b[31m"),
        ("e.toml", 'task = "mask"\n[grid]\nseed = [1]', "mixwidgets sweep"),
        ("e.json", '{"task": "\\ud800"}', r"\ud800"),
        ("e.json", '{"task": "mask", "schema": 99}', "newer version"),
        ("e.json", "[1]", "an object of fields"),
        ("e.json", "[" * 200_000, "nested too deeply"),
        ("e.toml", "a = " + "[" * 200_000, "nested too deeply"),
        ("e.toml", "#" * (1 << 20) + "\n", "larger than 1048576 bytes"),
        ("e.toml", "", "needs a task"),
        ("e.toml", b"\xff\xfe", "can't decode"),
        ("e.yaml", "task: mask", "a .toml or a .json file"),
        ("[red]e.toml", "=", "[red]e.toml cannot be read"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_experiment_is_one_sentence(name, text, says, tmp_path):
    (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    result = call("train", tmp_path / name, "--runs-dir", tmp_path / "runs")
    assert (result.exit_code, result.stdout) == (2, "")
    assert says in result.stderr
    assert "\x1b" not in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "runs").exists()


def test_what_is_no_file_is_one_sentence(tmp_path):
    os.mkfifo(tmp_path / "fifo.toml")
    create_watched_run(WatchedLoop(model="Net", format="float16", every=1), tmp_path / "watched")
    run_path = create_run(mw.Experiment(task="mask"), tmp_path / "damaged")
    (run_path / "experiment.json").write_bytes(b"{}")
    for path, says in (
        (tmp_path / "none.toml", "No such file or directory"),
        (tmp_path / "fifo.toml", "not a plain file"),
        (tmp_path, "or the folder of a run"),
        (tmp_path / "watched", "only its owner can run it again"),
        (run_path, "there is no checksum"),
    ):
        result = call("train", path, "--runs-dir", tmp_path / "runs")
        assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
        assert says in result.stderr


def test_how_it_ended_is_said_in_words_and_as_the_exit_code(monkeypatch, tmp_path):
    run = run_of(
        tmp_path,
        RunStarted(device="cpu", backend="[red]x\x1b[2J", versions={}),
        step(1, skipped=True, found_inf=True, loss_scale=2.0**24),
        Evaluation(step=1, metrics={"loss": 0.25, "[link=http://x]m\x1b": 0.5}),
        RunFinished(
            reason="crashed", metrics={"loss": 0.25, "[link=http://x]m\x1b": 0.5}, message="\x1b]0;x\x07"
        ),
    )
    monkeypatch.setattr("mixwidgets.runs.scheduler.launch.launch", lambda *_, **__: run)
    result = call("train")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[1:] == [
        r"cpu, [red]x\x1b[2J",
        "step      1 of 300  loss 1  scale 16777216  skipped: a gradient is inf or NaN",
        r"crashed: \x1b]0;x\x07 loss 0.25, [link=http://x]m\x1b 0.5",
    ]


def test_an_interrupted_run_that_does_not_end_at_once_is_waited_for(monkeypatch, launched):
    def interrupted(*_):
        raise KeyboardInterrupt

    def stop(run):
        raise TimeoutError("It was asked to stop.")

    monkeypatch.setattr(Run, "follow", interrupted)
    monkeypatch.setattr(Run, "stop", stop)
    result = call("train")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[1:] == ["", "stopping", "It was asked to stop.", "completed"]


def test_an_interrupted_run_that_cannot_be_asked_to_stop_says_so(monkeypatch, launched):
    def interrupted(*_):
        raise KeyboardInterrupt

    def stop(run):
        raise PermissionError(errno.EACCES, "It cannot be asked to stop.")

    monkeypatch.setattr(Run, "follow", interrupted)
    monkeypatch.setattr(Run, "stop", stop)
    result = call("train")
    assert result.exit_code == 2
    assert result.stderr == "mixwidgets: It cannot be asked to stop.\n"


def test_on_a_terminal_there_is_a_bar_and_control_c_stops(tmp_path):
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    os.set_blocking(ours, False)
    command = [sys.executable, "-c", "from mixwidgets.cli import app; app()", "train", "--steps", "1000000"]
    process = subprocess.Popen(
        [*command, "--runs-dir", tmp_path], stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    )
    shown = bytearray()

    def shows(part):
        with suppress(BlockingIOError):
            shown.extend(os.read(ours, 1 << 16))
        return re.search(part, shown)

    try:
        until(lambda: shows(rb"loss scale \d+, \d+ skipped\]"))
        process.send_signal(signal.SIGINT)
        until(lambda: shows(rb"stopping\s+stopped: "))
        assert process.wait(timeout=LIMIT_S) == 0
    finally:
        process.kill()
        process.wait()
        os.close(ours)
        os.close(theirs)
    (run,) = mw.list_runs(tmp_path)
    assert run.status == "stopped"
