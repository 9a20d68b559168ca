"""One run over two processes on the CPU, through torchrun and gloo: what one process would have done."""

import json
import os
import sys
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from mixwidgets.runs.store.journal import create_run
from mixwidgets.runs.store.run import list_runs, open_run
from mixwidgets.runs.training.device import choose_device
from mixwidgets.runs.training.ranks import ALONE, own_gpu, ranks_of
from mixwidgets.training import main
from tests.training import rank_script
from tests.training.rank_cases import BASE, CASES, ENDLESS, TINY
from tests.training.torchrun import LIMIT_S, ended, torchrun
from tests.waiting import until

ROOT = Path(__file__).parents[2]
COMMAND = ("-m", "mixwidgets.training")

# By how much a loss and a norm may differ from one process's: sums are rounded in another order.
FLOAT32, NARROW = (2e-5, 2e-4), (5e-3, 5e-2)
LIKE_ONE_PROCESS = {
    name: FLOAT32 if experiment.recipe.name == "fp32" else NARROW
    for name, experiment in CASES.items()
    if not name.startswith(("own", "stochastic"))
}


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    """What both ranks saw of every case, and a run of which rank 1 was killed: all after one start."""
    folder = tmp_path_factory.mktemp("ranks")
    (folder / "cases.json").write_text(json.dumps({name: case.to_json() for name, case in CASES.items()}))
    run = open_run(create_run(ENDLESS, folder))
    with torchrun(folder, rank_script.__file__, folder, run.path) as process:
        until(lambda: process.poll() is not None or len(run.steps()) > 0, LIMIT_S)
        next(rank for rank in process.children() if rank.environ()["RANK"] == "1").kill()
        status = ended(process)
    told = [json.loads((folder / f"rank-{rank}.json").read_text()) for rank in (0, 1)]
    return SimpleNamespace(told=told, killed=run, exit_status=status)


@pytest.fixture
def told(two):
    return two.told


def steps(events):
    return [event[1:] for event in events if event[0] == "step"]


@pytest.mark.slow
@pytest.mark.parametrize("name", LIKE_ONE_PROCESS)
def test_two_ranks_train_as_one_process_does(told, name):
    by_loss, by_norm = LIKE_ONE_PROCESS[name]
    one, two = steps(rank_script.events_of(CASES[name])), steps(told[0][name]["events"])
    assert len(one) == len(two)
    assert (len(one) < CASES[name].steps) == (name == "diverges")
    for (loss, norm, *rest), (also_loss, also_norm, *also_rest) in zip(one, two, strict=True):
        assert also_loss == pytest.approx(loss, rel=by_loss, nan_ok=True)
        assert also_norm == pytest.approx(norm, rel=by_norm, nan_ok=True)
        assert also_rest == rest  # loss scale, found_inf, skipped


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_both_ranks_say_the_same_and_hold_the_same_weights(told, name):
    first, second = (rank[name] for rank in told)
    assert json.dumps(first["events"]) == json.dumps(second["events"])
    assert first["weights"] == second["weights"]
    assert len(set(first["weights"])) > 1 or name == "diverges"
    assert first["batch"] == second["batch"]


@pytest.mark.slow
def test_an_overflow_on_one_rank_is_one_on_all(told):
    first, second = (rank["huge"] for rank in told)
    third = [number % 3 == 0 for number in range(1, TINY.steps + 1)]
    assert [finite for _, finite in first["own"]] == [True] * TINY.steps
    assert [not finite for _, finite in second["own"]] == third
    for name in ("huge", "huge amp"):
        taken = steps(told[0][name]["events"])
        assert [skipped for *_, skipped in taken] == third
        scales = [scale for _, _, scale, *_ in taken]
        assert all(
            after == before / 2 for (before, after), bad in zip(pairwise(scales), third, strict=False) if bad
        )
        weights = told[1][name]["weights"]
        assert [before == after for before, after in pairwise(weights)] == third


@pytest.mark.slow
def test_dropout_draws_differ_where_batches_and_first_weights_do_not(told):
    """All examples of its batches are one, so without dropout equal parts have equal gradients."""
    first, second = (rank["own even"] for rank in told)
    assert all(mine != other for (mine, _), (other, _) in zip(first["own"], second["own"], strict=True))
    assert len(set(first["batch"])) == TINY.steps
    assert first["weights"][0] == second["weights"][0]


@pytest.mark.slow
def test_what_half_precision_flushed_is_counted_over_all_ranks(told):
    flushed = [sum(event[3].values()) for event in told[0]["flushed"]["events"] if event[0] == "gradients"]
    alone = rank_script.events_of(CASES["flushed"])
    expected = [sum(event[3].values()) for event in alone if event[0] == "gradients"]
    assert min(expected) > 100
    assert flushed == pytest.approx(expected, rel=0.2)


@pytest.mark.slow
@pytest.mark.parametrize("left_by", [0, 1])
@pytest.mark.parametrize(("at", "after"), [(0, 0), (1, 0), (7, 3)])
def test_a_loop_that_one_rank_leaves_ends_for_all(told, left_by, at, after):
    name = f"left by {left_by} at {at}"
    assert told[left_by][name][-1] == ["left"]
    assert told[1 - left_by][name][-1] == [
        "finished",
        "stopped",
        f"Another rank left the loop after step {after} of 50.",
    ]


@pytest.mark.slow
def test_one_ranks_clock_ends_the_run_for_all(told):
    ends = [rank["time"][-1] for rank in told]
    assert ends[0] == ends[1]
    assert ends[0][1] == "time_limit"


@pytest.mark.slow
def test_different_experiments_are_refused_on_every_rank(told):
    for rank in told:
        assert "2 ranks have different experiments" in rank["different"]
        assert "sweep" in rank["different"]


@pytest.mark.slow
def test_torchrun_makes_a_run_that_stop_ends_on_all_ranks(tmp_path):
    file, runs_dir = tmp_path / "exp.json", tmp_path / "runs"
    file.write_text(ENDLESS.replace(recipe="amp_bf16").to_json())
    with torchrun(tmp_path, *COMMAND, "--experiment", file, "--runs-dir", runs_dir) as process:
        (run,) = until(lambda: process.poll() is not None or list_runs(runs_dir), LIMIT_S)
        until(lambda: process.poll() is not None or len(run.steps()) > 20, LIMIT_S)
        (run.path / "stop").touch()
        assert ended(process) == 0
    assert (run.status, run.message) == ("stopped", "It was asked to stop.")
    alone = steps(rank_script.events_of(run.experiment.replace(steps=20)))
    assert list(run.steps().loss[:20]) == pytest.approx([loss for loss, *_ in alone], rel=NARROW[0])
    assert run.damage == []


@pytest.mark.slow
def test_a_rank_that_dies_leaves_nobody_waiting_and_a_named_end(two):
    assert two.exit_status == 1
    assert two.killed.status == "crashed"
    assert "Rank 0 of 2 lost contact with the others" in two.killed.message


@pytest.fixture
def torchrun_says(monkeypatch):
    """The environment of torchrun's second process of two."""
    for name, value in {
        "TORCHELASTIC_RUN_ID": "x",
        "RANK": "1",
        "LOCAL_RANK": "1",
        "WORLD_SIZE": "2",
    }.items():
        monkeypatch.setenv(name, value)


def test_a_launched_run_is_alone_also_when_a_rank_launched_it(torchrun_says, tmp_path, monkeypatch):
    monkeypatch.setattr("mixwidgets.training.StopRequest", lambda *_: None)
    monkeypatch.setattr(sys, "argv", ["", os.fspath(tmp_path), "--lock", "0"])
    assert main() == 2  # the folder is no run
    assert own_gpu() == 0


def test_a_ranks_gpu_is_its_own(torchrun_says, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert choose_device("auto", own_gpu()) == choose_device("cuda", own_gpu()) == torch.device("cuda:1")
    assert choose_device("cuda:0", own_gpu()) == torch.device("cuda:0")
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    with pytest.raises(ValueError, match=r"'cuda:1' is no CUDA device .* no more processes than"):
        choose_device("auto", own_gpu())


def test_without_torchrun_a_process_is_alone(monkeypatch):
    """WORLD_SIZE and RANK stand in the environment of many a cluster's job."""
    for name in ("RANK", "LOCAL_RANK", "WORLD_SIZE"):
        monkeypatch.setenv(name, "1" if name != "WORLD_SIZE" else "2")
    assert own_gpu() == 0
    with ranks_of(BASE, torch.device("cpu")) as ranks:
        assert ranks is ALONE
