"""What a TrainingLab does with its runs: stop one or all, compare them, open their gradients."""

import json
import math
import os
import threading
from contextlib import ExitStack, closing, contextmanager

import pytest

from mixwidgets.floats.widgets.loss_scale_explorer.widget import LossScaleExplorer
from mixwidgets.runs.scheduler.slots import runs_at_once
from mixwidgets.runs.store import status
from mixwidgets.runs.store.comparison import comparison_in_json
from mixwidgets.runs.store.events import RunFinished
from mixwidgets.runs.store.journal import Journal, create_run, create_watched_run
from mixwidgets.runs.store.lock import take_lock
from mixwidgets.runs.store.run import open_run
from mixwidgets.runs.store.watched_loop import WatchedLoop
from mixwidgets.runs.widgets.training_lab import widget as training_lab
from mixwidgets.support.files import create_mark
from tests.waiting import LIMIT_S, until
from tests.widgets.lab_page import (
    Page,
    experiment,
    going_on,
    journalled,
    rows,
    snapshot,
    statuses,
    step_record,
)


@pytest.fixture
def processes():
    """Begins a run that waits (`journal` None) or goes on, and ends when `may_end` says so."""
    with ExitStack() as stack:

        def begin(path, journal, may_end):
            lock = None if journal else take_lock(path / "lock")

            def live():
                until(may_end)
                if journal:
                    journal.append(RunFinished(reason="stopped", metrics={}))
                    journal.close()
                else:
                    os.close(lock)

            thread = threading.Thread(target=live)
            thread.start()
            stack.callback(thread.join)

        yield begin


def asked(path):
    return (path / "stop").exists()


def test_stop_all_ends_those_that_wait_before_it_asks_those_that_go_on(
    tmp_path, make_lab, processes, monkeypatch
):
    waiting = [create_run(experiment(seed=seed), tmp_path) for seed in range(3)]
    going = [create_run(experiment(seed=seed), tmp_path) for seed in range(3, 5)]
    over = journalled(tmp_path, [1.0])
    for path in (*waiting, *going):
        journal = Journal(path) if path in going else None
        processes(path, journal, lambda path=path: asked(path))
    lab = make_lab(tmp_path)
    until(lambda: sorted(statuses(lab)) == ["completed", *["queued"] * 3, *["running"] * 2])
    seen = {}

    def noted(mark):
        seen[mark.parent] = [open_run(path).status for path in waiting]
        create_mark(mark)

    monkeypatch.setattr(status, "create_mark", noted)
    assert Page(lab, monkeypatch).ask({"kind": "stop_all", "request": 7}) == {"kind": "done", "request": 7}
    assert {open_run(path).status for path in (*waiting, *going)} == {"stopped"}
    assert seen.keys() == {*waiting, *going}
    assert [seen[path] for path in going] == [["stopped"] * 3] * 2
    assert not asked(over.path)
    assert lab.stop_all() == []
    assert lab.stop() is None


def test_runs_that_are_stopped_together_are_waited_for_together(tmp_path, monkeypatch):
    together = threading.Barrier(5)
    monkeypatch.setattr(status, "stop_run", lambda _: together.wait(LIMIT_S))
    status.stop_runs(create_run(experiment(seed=seed), tmp_path) for seed in range(5))


def test_where_one_cannot_be_stopped_the_others_are(tmp_path, monkeypatch):
    paths = [create_run(experiment(seed=seed), tmp_path) for seed in range(5)]
    stopped = []

    def stop_run(path):
        if path == paths[0]:
            raise PermissionError("its folder is read-only")
        stopped.append(path)

    monkeypatch.setattr(status, "stop_run", stop_run)
    with pytest.raises(PermissionError, match="read-only"):
        status.stop_runs(paths)
    assert set(stopped) == set(paths[1:])


@pytest.mark.slow
def test_several_are_launched_wait_in_line_and_all_are_stopped(tmp_path, make_lab, monkeypatch):
    if (at_once := runs_at_once("cpu")) > 4:
        pytest.skip("too many runs would go on at the same time")
    lab = make_lab(tmp_path, seed=range(at_once + 2), steps=1_000_000, recipe="fp32", device="cpu")
    try:
        runs = lab.launch()
        assert len(runs) == at_once + 2
        going = runs[:at_once]
        until(lambda: sum(row["step"] > 0 for row in lab._live_rows) == at_once)
        places = {row["id"]: row["position"] for row in lab._live_rows}
        assert [places[run.id] for run in runs] == [*[None] * at_once, 1, 2]
        assert sorted(lab._shown) == sorted(run.id for run in going)
    finally:
        assert {run.id for run in lab.stop_all()} == {run.id for run in runs}
    until(lambda: statuses(lab) == ["stopped"] * len(runs))
    assert [(run.path / "events.jsonl").exists() for run in runs] == [True] * at_once + [False] * 2


def test_without_a_name_stop_takes_one_that_runs_before_one_that_waits(tmp_path, make_lab, processes):
    running = create_run(experiment(), tmp_path)
    waiting = create_run(experiment(), tmp_path)
    processes(running, Journal(running), lambda: asked(running))
    processes(waiting, None, lambda: asked(waiting))
    lab = make_lab(tmp_path)
    assert lab.stop().id == running.name
    assert lab.stop().id == waiting.name
    assert lab.stop() is None


@pytest.mark.parametrize(
    "act",
    [
        lambda lab, run: lab.stop(run),
        lambda lab, run: lab.compare([run]),
        lambda lab, run: lab.open_gradients(run),
    ],
)
def test_an_id_in_place_of_a_run_is_refused_with_what_to_pass(tmp_path, make_lab, act):
    with pytest.raises(TypeError, match=r"got a str\. Open one by mw\.open_run"):
        act(make_lab(tmp_path), "20261101-120000-digits")


def test_a_watched_loop_is_not_stopped(tmp_path, make_lab, monkeypatch):
    create_watched_run(WatchedLoop(model="Net", format="float16", every=1), tmp_path / "loop")
    with Journal(tmp_path / "loop") as journal:
        lab = make_lab(tmp_path)
        answer = Page(lab, monkeypatch).ask({"kind": "stop", "request": 1, "run": "loop"})
        assert answer["kind"] == "refused"
        assert "end it where it runs" in answer["message"]
        assert (lab.stop(), lab.stop_all()) == (None, [])
        journal.append(step_record(1))


def test_runs_are_compared_side_by_side_and_the_comparison_is_closed(tmp_path, make_lab, monkeypatch):
    first = journalled(tmp_path, [1.0, math.nan], recipe="fp16_unscaled", reason="diverged")
    second = journalled(tmp_path, [1.0, 2.0, 3.0], recipe="bf16")
    lab = make_lab(tmp_path)
    page = Page(lab, monkeypatch)
    ids = [second.id, first.id]
    assert page.ask({"kind": "compare", "request": 1, "runs": ids})["kind"] == "done"
    assert lab._comparison["runs"] == ids
    told = {row["field"]: (row["kind"], row["values"]) for row in lab._comparison["rows"]}
    assert told["recipe.compute_format"] == ("setting", ["bfloat16", "float16"])
    assert told["steps"] == ("setting", [3, 2])
    assert told["loss"] == ("result", [3.0, "nan"])
    assert told["status"] == ("result", ["completed", "diverged"])
    assert "seed" not in told
    json.dumps(lab._comparison, allow_nan=False)
    assert all(isinstance(value, str | int | float | None) for _, values in told.values() for value in values)
    page.ask({"kind": "compare", "request": 2, "runs": []})
    assert lab._comparison == {}
    lab.compare([first])
    assert lab._comparison["runs"] == [first.id]


def test_a_comparison_is_made_anew_when_one_of_its_runs_ends(tmp_path, make_lab):
    over = journalled(tmp_path, [1.0])
    with going_on(tmp_path) as journal:
        lab = make_lab(tmp_path)
        lab.compare([over, open_run(journal.path)])

        def told(field):
            return next((row["values"] for row in lab._comparison["rows"] if row["field"] == field), None)

        assert told("status") == ["completed", "running"]
        journal.append(step_record(1, 5.0))
        journal.append(RunFinished(reason="stopped", metrics={}))
    until(lambda: told("status") == ["completed", "stopped"])
    assert told("loss") == [1.0, 5.0]


def test_yes_and_no_of_a_setting_travel_as_words(tmp_path, make_lab):
    there = [
        journalled(tmp_path, [1.0], fp32_reference=choice, recipe="fp16_static") for choice in (True, False)
    ]
    lab = make_lab(tmp_path)
    lab.compare(there)
    [row] = [row for row in lab._comparison["rows"] if row["field"] == "fp32_reference"]
    assert row["values"] == [True, False]


def test_gradients_open_in_an_explorer_and_the_one_before_is_closed(tmp_path, make_lab, monkeypatch):
    first, second = (
        journalled(tmp_path, [1.0, 2.0], seed=seed, gradients=[snapshot(1, [1e-3] * 5)]) for seed in range(2)
    )
    lab = make_lab(tmp_path)
    page = Page(lab, monkeypatch)
    page.ask({"kind": "gradients", "request": 1, "run": first.id})
    opened = lab._explorer
    assert lab._explorer_run == first.id
    assert opened.counts().count == 5
    assert lab.get_state("_explorer") == {"_explorer": f"IPY_MODEL_{opened.model_id}"}
    assert lab.open_gradients(first) is opened  # where the slider was left
    page.ask({"kind": "gradients", "request": 2, "run": first.id, "step": 1})
    assert opened.step == 1
    assert lab.open_gradients(first, 0) is opened
    assert opened.step == 0
    page.ask({"kind": "gradients", "request": 2, "run": second.id})
    assert lab._explorer_run == second.id
    assert (opened.comm, lab._explorer.comm is None) == (None, False)
    again = lab._explorer
    page.ask({"kind": "gradients", "request": 3, "run": None})
    assert (lab._explorer, lab._explorer_run, again.comm) == (None, "", None)
    last = lab.open_gradients(first)
    last.close()  # by hand
    newest = lab.open_gradients(first)
    assert newest is not last
    lab.close()
    assert newest.comm is None


def test_of_what_is_asked_for_at_the_same_time_the_newest_is_shown(tmp_path, make_lab, monkeypatch):
    first, second = (
        journalled(tmp_path, [1.0], seed=seed, gradients=[snapshot(1, [1.0])]) for seed in range(2)
    )
    lab, slow = make_lab(tmp_path), threading.Event()
    opened = []

    def explorer(run, **how):
        made = LossScaleExplorer(run, **how)
        opened.append(made)
        if run.id == first.id:
            slow.wait()
        return made

    def comparison(runs):
        if runs[0].id == first.id:
            slow.wait()
        return comparison_in_json(runs)

    monkeypatch.setattr(training_lab, "LossScaleExplorer", explorer)
    monkeypatch.setattr(training_lab, "comparison_in_json", comparison)
    jobs = [
        threading.Thread(target=lab.open_gradients, args=[first], daemon=True),
        threading.Thread(target=lab.compare, args=[[first]], daemon=True),
    ]
    for job in jobs:
        job.start()
    until(lambda: opened and "compare" in lab._asked)
    lab.compare([second])
    lab.open_gradients(second)
    slow.set()
    for job in jobs:
        job.join()
    assert (lab._comparison["runs"], lab._explorer_run) == ([second.id], second.id)
    assert [one.comm is None for one in opened] == [True, False]


def test_an_explorer_that_comes_when_the_lab_is_closed_is_closed_too(tmp_path, make_lab):
    run = journalled(tmp_path, [1.0], gradients=[snapshot(1, [1.0])])
    lab = make_lab(tmp_path)
    lab.close()
    assert lab.open_gradients(run).comm is None


def test_gradients_of_a_run_that_goes_on_come_as_they_are_recorded(tmp_path, make_lab, monkeypatch):
    with going_on(tmp_path) as journal:
        lab = make_lab(tmp_path)
        page = Page(lab, monkeypatch)
        answer = page.ask({"kind": "gradients", "request": 1, "run": journal.path.name})
        assert answer["kind"] == "refused"
        assert "no gradients yet" in answer["message"]
        journal.append(step_record(1))
        journal.append(snapshot(1, [1.0]))
        until(lambda: lab._live_rows and lab._live_rows[0]["gradients"])
        page.ask({"kind": "gradients", "request": 2, "run": journal.path.name})
        journal.append(step_record(11))
        journal.append(snapshot(11, [1.0, 2.0]))
        until(lambda: lab._explorer.steps == [1, 11])


HOSTILE_NAMES = [
    "../x",
    "",
    ".",
    "..",
    "/etc/passwd",
    "x" * 10_000_000,
    "\0",
    "\ud800",
    [],
    {"$ne": 1},
    3,
    True,
]


@pytest.mark.parametrize("kind", ["stop", "gradients", "compare"])
def test_what_is_no_run_of_the_folder_is_refused_in_words(tmp_path, make_lab, monkeypatch, kind):
    folder, outside = tmp_path / "runs", journalled(tmp_path, [1.0], gradients=[snapshot(1, [1.0])])
    journalled(folder, [1.0])
    lab = make_lab(folder)
    page = Page(lab, monkeypatch)
    opened = []
    monkeypatch.setattr(
        "mixwidgets.runs.widgets.training_lab.runs_folder.open_run",
        lambda path: opened.append(path) or open_run(path),
    )
    for name in [*HOSTILE_NAMES, f"../{outside.id}", outside.id]:
        for asked in [name, [name]] if kind != "compare" else [[name], [[name]], name or None]:
            field = "runs" if kind == "compare" else "run"
            if kind == "compare" and asked == []:
                continue  # that closes it
            answer = page.ask({"kind": kind, "request": 1, field: asked})
            assert answer["kind"] == "refused"
            assert 20 < len(answer["message"]) <= 1000
    assert all(path.parent == folder for path in opened)
    assert (lab._comparison, lab._explorer) == ({}, None)


def test_a_comparison_has_a_limit(tmp_path, make_lab, monkeypatch):
    run = journalled(tmp_path, [1.0])
    answer = Page(make_lab(tmp_path), monkeypatch).ask(
        {"kind": "compare", "request": 1, "runs": [run.id] * 33}
    )
    assert answer["kind"] == "refused"
    assert "At most 32 runs" in answer["message"]


@contextmanager
def damaged(run):
    (run.path / "events.jsonl").write_bytes(os.urandom(10_000))
    yield
    (run.path / "status.json").write_bytes(b"")


def test_damaged_runs_are_compared_and_opened_without_harm(tmp_path, make_lab, monkeypatch):
    run = journalled(tmp_path, [1.0], gradients=[snapshot(1, [1.0])])
    lab = make_lab(tmp_path)
    page = Page(lab, monkeypatch)
    with damaged(run):
        assert page.ask({"kind": "compare", "request": 1, "runs": [run.id]})["kind"] == "done"
        assert page.ask({"kind": "gradients", "request": 2, "run": run.id})["kind"] == "done"
    assert page.ask({"kind": "compare", "request": 3, "runs": [run.id]})["kind"] == "done"
    until(lambda: rows(lab))


@pytest.mark.parametrize("request_id", ["\ud800", "x" * 10_000_000, [1], {"a": 1}, None, 1.5, math.nan])
def test_an_answer_always_travels(tmp_path, make_lab, monkeypatch, request_id):
    answer = Page(make_lab(tmp_path), monkeypatch).ask({"kind": "stop", "run": "x", "request": request_id})
    assert (answer["kind"], answer["request"]) == ("refused", None)
    json.dumps(answer, allow_nan=False).encode()


def test_a_page_cannot_change_what_it_only_shows(tmp_path):
    with closing(training_lab.TrainingLab(tmp_path)) as lab:
        lab.set_state({"_runs_dir": "elsewhere", "_rows": [{"id": "made-up"}], "_shown": ["one"], "seed": 3})
        assert lab._runs_dir == str(tmp_path)
        assert lab._rows == []
        assert (lab._shown, lab.seed) == (["one"], 3)
