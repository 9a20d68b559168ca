"""What a TrainingLab tells of a folder: rows from the statuses, curves when they are shown, and no more."""

import dataclasses
import gc
import itertools
import json
import math
import os
import shutil
import threading
import weakref
from collections import Counter

import numpy as np
import pytest

from mixwidgets.floats.widgets.frame import read_frame
from mixwidgets.runs.experiments.scenarios import scenarios
from mixwidgets.runs.store.events import Memory, RunFinished, Work
from mixwidgets.runs.store.journal import Journal, create_run, create_watched_run
from mixwidgets.runs.store.lock import take_lock
from mixwidgets.runs.store.queue import join, queue_of
from mixwidgets.runs.store.reader import JournalReader
from mixwidgets.runs.store.records import with_checksum, without_checksum
from mixwidgets.runs.store.run import open_run
from mixwidgets.runs.store.watched_loop import WatchedLoop
from mixwidgets.runs.widgets.training_lab.runs_folder import FollowedRun
from mixwidgets.runs.widgets.training_lab.widget import TrainingLab
from mixwidgets.support.files import replace_file
from tests.waiting import until
from tests.widgets.lab_page import (
    curve,
    experiment,
    going_on,
    journalled,
    rows,
    snapshot,
    statuses,
    step_record,
)


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr("mixwidgets.runs.widgets.training_lab.widget._IDLE_S", 0.05)


@pytest.fixture
def unfollowed(monkeypatch, make_lab):
    """Makes labs of a folder that look at it only when they are asked to."""
    monkeypatch.setattr(TrainingLab, "_follow", lambda lab: None)
    return lambda count, folder: [make_lab(folder) for _ in range(count)]


@pytest.fixture
def journals_read(monkeypatch):
    """The ids of the runs whose events are read, and how often."""
    read, read_new = Counter(), JournalReader.read_new

    def noted(reader):
        read[reader._run_path.name] += 1
        return read_new(reader)

    monkeypatch.setattr(JournalReader, "read_new", noted)
    return read


def copies(run, count):
    names = (f"{run.id[:-4]}{number:04x}" for number in itertools.count())
    others = (name for name in names if name != run.id)
    return [
        open_run(shutil.copytree(run.path, run.path.with_name(name)))
        for name in itertools.islice(others, count)
    ]


def is_settled(lab):
    return lab._rows and not lab._is_behind and not lab._folder.is_live


def test_rows_of_runs_that_are_over_come_from_their_statuses_alone(tmp_path, make_lab, journals_read):
    run = journalled(tmp_path, [3.0, math.inf, 1.0], recipe="bf16", seed=4, message="All 3.")
    there = [run, *copies(run, 30)]
    lab = make_lab(tmp_path, _shown=[run.id])
    until(lambda: lab._settled)
    assert len(lab._rows) == 31
    assert set(journals_read) == {run.id}
    for row in (row for row in lab._rows if row["id"] != run.id):
        assert (row["status"], row["step"], row["skipped"], row["message"]) == ("completed", 3, 1, "All 3.")
        assert (row["recipe"], row["seed"], row["metrics"]) == ("bf16", 4, {"loss": 1.0, "accuracy": 0.75})
        assert (row["loss"], row["loss_scale"], row["position"]) == (1.0, 65536.0, None)
        assert (row["rate"], row["memory"], row["backend"]) == (2.0, None, "some backend")
    other = there[7]
    lab._shown = [other.id]
    until(lambda: set(lab._settled) == {other.id})  # read when first shown; the other's curves are let go
    assert journals_read.keys() == {run.id, other.id}
    np.testing.assert_array_equal(curve(lab, other, "loss"), [[1, 3], [2, math.inf], [3, 1]])
    [row] = [row for row in lab._rows if row["id"] == other.id]
    assert (row["rate"], row["backend"]) == (2.0, "some backend")


def test_a_run_that_is_over_is_read_once(tmp_path, make_lab, journals_read):
    first = journalled(tmp_path, [1.0])
    lab = make_lab(tmp_path)
    until(lambda: is_settled(lab))
    for seed in range(3):
        run = journalled(tmp_path, [1.0], seed=seed)
        until(lambda run=run: run.id in lab._settled and is_settled(lab))
    assert journals_read[first.id] == 1


def test_rows_are_there_before_a_journal_is_read(tmp_path, make_lab, monkeypatch):
    run, may_read, read_new = journalled(tmp_path, [1.0]), threading.Event(), JournalReader.read_new
    monkeypatch.setattr(JournalReader, "read_new", lambda reader: may_read.wait() and read_new(reader))
    lab = make_lab(tmp_path)
    until(lambda: statuses(lab) == ["completed"])
    assert lab._settled == {}
    may_read.set()
    until(lambda: set(lab._settled) == {run.id})


def test_what_an_older_status_leaves_out_is_read_from_the_journal(tmp_path, make_lab):
    run = journalled(tmp_path, [1.0, math.nan, 2.0])
    record = without_checksum((run.path / "status.json").read_bytes())
    replace_file(
        run.path / "status.json", with_checksum({**record, "steps": None, "skipped": None})
    )  # as if never written
    lost = create_run(experiment(), tmp_path)
    os.close(take_lock(lost / "lock"))
    lab = make_lab(tmp_path, _shown=["none"])
    expected = [("interrupted", 0, 0), ("completed", 3, 1)]
    until(lambda: [(row["status"], row["step"], row["skipped"]) for row in rows(lab)] == expected)
    assert lab._settled == {}


def test_while_one_run_goes_on_only_its_row_and_its_curves_travel(tmp_path, make_lab):
    run = journalled(tmp_path, [1.0] * 3)
    copies(run, 50)
    lab = make_lab(tmp_path)
    until(lambda: len(lab._settled) == 6)
    with going_on(tmp_path) as journal:
        until(lambda: lab._live)
        sent = []
        lab.comm.publish_msg = lambda kind, data=None, buffers=None, **_: sent.append((data, buffers))
        for step in range(1, 21):
            journal.append(step_record(step))
            until(lambda step=step: lab._live_rows[0]["step"] == step)
        updates = [data for data, _ in sent if data["method"] == "update"]
        changed = [{*data["state"], *(name for name, *_ in data["buffer_paths"])} for data in updates]
        assert changed
        assert set().union(*changed) == {"_live_rows", "_live"}
        assert len(changed) <= 20
        sizes = [len(json.dumps(data)) + sum(map(len, buffers or ())) for data, buffers in sent]
        assert max(sizes) < 2000
        journal.append(RunFinished(reason="completed", metrics={}))
    until(lambda: not lab._live_rows)
    assert journal.path.name in lab._settled


def test_the_rows_of_many_runs_that_are_over_travel_once(tmp_path, make_lab, monkeypatch):
    monkeypatch.setattr("mixwidgets.runs.widgets.training_lab.widget._LIVE_S", 1e-9)  # one event at a look
    sent = []
    monkeypatch.setattr(TrainingLab, "send_state", lambda lab, key=None: sent.append({*key} if key else {}))
    copies(journalled(tmp_path, [1.0] * 5), 20)
    lab = make_lab(tmp_path)
    until(lambda: len(lab._settled) == 6 and is_settled(lab))
    assert sum("_rows" in names for names in sent) == 1  # from the statuses: the journals add nothing
    assert sum("_settled" in names for names in sent) > 6


def test_of_many_runs_the_newest_come_first_and_alone_are_drawn(tmp_path, monkeypatch, unfollowed):
    monkeypatch.setattr("mixwidgets.runs.widgets.training_lab.widget._FIRST", 3)
    there = [run.id for run in copies(journalled(tmp_path, [1.0]), 10)]
    (lab,) = unfollowed(1, tmp_path)
    lab._look()
    rows, shown = lab._rows, lab._shown
    assert [row["id"] for row in rows] == sorted([one.name for one in tmp_path.iterdir()], reverse=True)[:3]
    assert (shown, lab._is_behind) == ([row["id"] for row in reversed(rows)], True)
    lab._look()
    assert lab._shown == shown
    lab.save(tmp_path / "page.html")
    assert len(lab._rows) == len(there) + 1
    assert not lab._is_behind
    late = journalled(tmp_path, [1.0])
    lab._look()
    assert lab._shown == [*shown, late.id]


def test_shares_and_memory_are_the_events(tmp_path, make_lab):
    with going_on(tmp_path, recipe="fp16_static", steps=100) as journal:
        journal.append(step_record(1, scale=1.0))
        # float16 at a scale of 1: 0, flushed, subnormal, normal (twice), overflow
        journal.append(snapshot(1, [0.0, 2.0**-30, 2.0**-20], [1.0, 2.0, 2.0**20]))
        journal.append(Memory(step=1, predicted={"weights": 8, "master": 4}, measured={}))
        journal.append(Work(step=1, flops=60, unaligned=6, largest_unaligned="3 × 2, 2 × 5", peak=math.inf))
        journal.append(step_record(2, scale=2.0**10))
        journal.append(snapshot(2, [2.0**-30, 1.0], [2.0**-20, math.inf], flushed={"p0": 1, "p1": 0}))
        journal.append(snapshot(3, [0.0, 0.0], [0.0, 0.0], flushed={"p0": 1, "p1": 0}))
        journal.append(RunFinished(reason="completed", metrics={}))
    lab = make_lab(tmp_path)
    until(lambda: lab._settled)
    run = open_run(journal.path)
    # of all gradients: zero, flushed, subnormal, normal, overflow, not finite; of the third snapshot's zeros
    # one is known to be flushed by float16, and three are zero anyway
    expected = [
        [1, 1 / 6, 1 / 6, 1 / 6, 1 / 3, 1 / 6, 0],
        [2, 0, 0, 0.25, 0.5, 0, 0.25],
        [3, 0.75, 0.25, 0, 0, 0, 0],
    ]
    np.testing.assert_allclose(curve(lab, run, "shares"), np.float32(expected), rtol=1e-6)
    [row] = lab._rows
    assert (row["memory"], row["gradients"]) == ({"weights": 8, "master": 4}, True)
    expected = {"step": 1, "flops": 60, "unaligned": 6, "largest_unaligned": "3 × 2, 2 × 5", "peak": "inf"}
    assert row["work"] == expected
    assert row["flushed"] == 1  # against float32, of those that are not zero in both


def fields_of(experiment):
    """An experiment's fields, for `journalled`."""
    return {one.name: getattr(experiment, one.name) for one in dataclasses.fields(experiment)}


def test_new_runs_are_shown_without_those_of_another_question(tmp_path, make_lab):
    """So the runs of a scenario stand alone, as they begin."""
    old = [journalled(tmp_path, [2.0, 2.0], recipe=recipe) for recipe in ("fp32", "bf16")]
    lab = make_lab(tmp_path)
    until(lambda: lab._shown == [run.id for run in old])
    more = journalled(tmp_path, [2.0, 2.0], recipe="fp16_static")
    until(lambda: lab._shown == [*(run.id for run in old), more.id])
    other = journalled(tmp_path, [0.01], task="mask")
    until(lambda: lab._shown == [other.id])


def test_a_folder_of_several_tasks_opens_with_the_newest_one_s_runs(tmp_path, make_lab):
    digits = [journalled(tmp_path, [2.0], seed=seed) for seed in range(2)]
    mask = journalled(tmp_path, [0.01], task="mask")
    last = journalled(tmp_path, [2.0, 1.0], seed=2)
    lab = make_lab(tmp_path)
    until(lambda: lab._shown)
    assert lab._shown == [*(run.id for run in digits), last.id]
    assert mask.id not in lab._shown


def test_a_scenario_shows_its_own_runs(tmp_path, make_lab):
    own = [journalled(tmp_path, [2.0], **fields_of(one)) for one in scenarios["overflow"].experiments()]
    journalled(tmp_path, [2.0])
    lab = make_lab(tmp_path, scenario="overflow")
    until(lambda: lab._shown)
    assert lab._shown == [run.id for run in own]


def test_the_verdict_is_on_the_shown_runs_of_one_question_once_they_are_over(tmp_path, make_lab):
    runs = [
        journalled(tmp_path, losses, recipe=name)
        for name, losses in (("fp32", [2.0, 1.0]), ("bf16", [2.0, 1.5]))
    ]
    lab = make_lab(tmp_path)
    until(lambda: lab._verdict)
    [finding] = lab._verdict
    assert (finding["runs"], finding["loses"]) == ([runs[1].id], True)
    assert (finding["head"], finding["why"]) == ("bf16 ends behind fp32", "accuracy bf16 75.0 %, fp32 75.0 %")
    lab._shown = [runs[1].id]
    until(lambda: lab._verdict[0]["head"] == "bf16 learns")
    with going_on(tmp_path, recipe="fp16_static", steps=2):
        until(lambda: lab._verdict == [])


def test_the_verdict_is_in_the_language_of_the_lab(tmp_path, make_lab):
    journalled(tmp_path, [2.0, 1.0], recipe="fp32")
    lab = make_lab(tmp_path, lang="zh")
    until(lambda: lab._verdict)
    assert lab._verdict[0]["head"] == "fp32 学到了东西"


def test_what_a_narrow_backward_pass_flushed_is_not_known(tmp_path, make_lab):
    journalled(tmp_path, [1.0], gradients=[snapshot(1, [0.0, 0.0, 1e-3])])
    lab = make_lab(tmp_path)
    until(lambda: lab._settled)
    assert (lab._rows[0]["flushed"], lab._rows[0]["gradients"]) == (None, True)


def test_a_run_tells_its_changes_of_recipe_and_of_each_step_the_shares_in_its_format(tmp_path, make_lab):
    phases = [(0, "fp16_unscaled"), (1, "bf16"), (2, "fp16_static")]
    small = [2.0**-30, 1.0, 1.0, 1.0]  # float16 flushes the first one, bfloat16 does not
    journalled(
        tmp_path, [1.0, 1.0, 1.0], scales=[1.0, 1.0, 1.0], recipe="fp32", phases=phases,
        gradients=[snapshot(step, small) for step in (1, 2, 3)],
    )  # fmt: skip
    lab = make_lab(tmp_path)
    until(lambda: lab._settled)
    [row] = lab._rows
    assert row["recipe"] == "fp16_unscaled → bf16 (1) → fp16_static (2)"
    assert row["changes"] == [{"step": 1, "recipe": "bf16"}, {"step": 2, "recipe": "fp16_static"}]
    assert row["scaled"] is True
    until(lambda: len(curve(lab, open_run(tmp_path / row["id"]), "shares")) == 3)
    assert curve(lab, open_run(tmp_path / row["id"]), "shares")[:, 2].tolist() == [0.25, 0.0, 0.25]


def test_a_watched_loop_is_told_as_one(tmp_path, make_lab):
    path = tmp_path / "my_loop"
    create_watched_run(WatchedLoop(model="Net", format="float16", every=1), path)
    with Journal(path) as journal:
        journal.append(step_record(1, scale=1.0))
        journal.append(snapshot(1, [2.0**-30, 1.0, 1.0, 1.0]))
        lab = make_lab(tmp_path)
        until(lambda: lab._live)
        [row] = lab._live_rows
        assert (row["task"], row["recipe"], row["seed"], row["flushed"]) == ("watch", "Net", None, 0.25)


def test_places_in_line_are_told_and_a_run_that_waits_is_not_drawn(tmp_path, make_lab):
    paths = [create_run(experiment(seed=seed), tmp_path) for seed in range(3)]
    locks = [take_lock(path / "lock") for path in paths]
    try:
        for path in paths:
            locks.append(join(queue_of("cpu"), "me", path.name, tmp_path)[1])
        lab = make_lab(tmp_path)
        until(lambda: lab._live_rows)
        told = {row["id"]: (row["status"], row["position"], row["step"]) for row in lab._live_rows}
        assert told == {path.name: ("queued", place, 0) for place, path in enumerate(paths, 1)}
        assert lab._shown == []
    finally:
        for lock in locks:
            os.close(lock)
    until(lambda: statuses(lab) == ["interrupted"] * 3)
    assert {row["position"] for row in lab._rows} == {None}


def test_one_that_seemed_interrupted_and_begins_is_followed(tmp_path, make_lab):
    path = create_run(experiment(), tmp_path)
    os.close(take_lock(path / "lock"))
    lab = make_lab(tmp_path)
    until(lambda: statuses(lab) == ["interrupted"])
    with Journal(path) as journal:
        until(lambda: statuses(lab) == ["running"])
        journal.append(RunFinished(reason="completed", metrics={}))
    until(lambda: statuses(lab) == ["completed"])


def test_runs_in_every_state_are_shown_as_they_are_and_one_that_goes_on_is_attached(tmp_path, make_lab):
    over = journalled(tmp_path, [1.0], reason="time_limit", message="60 s were up.")
    lost, waiting = (create_run(experiment(), tmp_path) for _ in range(2))
    os.close(take_lock(lost / "lock"))
    with going_on(tmp_path, seed=3) as journal:
        journal.append(step_record(1))
        lab = make_lab(open_run(journal.path))
        until(lambda: lab._live)
        assert {row["id"]: row["status"] for row in rows(lab)} == {
            over.id: "time_limit",
            lost.name: "interrupted",
            waiting.name: "queued",
            journal.path.name: "running",
        }
        assert (lab._shown, lab.seed) == ([journal.path.name], 3)
        assert len([*tmp_path.iterdir()]) == 4


def test_a_run_that_goes_on_may_be_taken_away(tmp_path, make_lab):
    lab = make_lab(tmp_path)
    with going_on(tmp_path) as journal:
        until(lambda: lab._live)
        shutil.rmtree(journal.path)
        until(lambda: rows(lab) == [] and lab._live == {})
    journalled(tmp_path, [1.0])
    until(lambda: statuses(lab) == ["completed"])


def test_a_long_journal_is_read_in_parts_and_in_bounded_room(tmp_path, make_lab, monkeypatch):
    monkeypatch.setattr("mixwidgets.runs.widgets.training_lab.widget._LIVE_S", 0.005)
    run = journalled(tmp_path, [float(step % 7) for step in range(4_500)])
    lab = make_lab(tmp_path)
    until(lambda: lab._settled)
    parts = {lab._settled[run.id]}
    until(lambda: parts.add(lab._settled[run.id]) or is_settled(lab))
    assert len(parts) > 2  # it grew while it was read
    until(lambda: (lab._rows[0]["step"], lab._rows[0]["rate"]) == (4_500, 2.0))
    points = curve(lab, run, "loss")
    assert len(points) <= 1025
    assert (points[-1] == [4_500, 4_499 % 7]).all()


def test_a_long_journal_is_drawn_whole_before_it_is_read(tmp_path):
    losses = [float(step) for step in range(1, 8_001)]
    run = journalled(tmp_path, losses, scales=[2.0 ** (1 + step // 2_000) for step in range(8_000)])
    followed = FollowedRun(run)
    followed.look({})
    followed.read(until=0)
    drawn = read_frame(followed.curves)[1]["loss"]
    assert not followed.is_read
    assert len(drawn) > 400
    assert (drawn[0, 0], drawn[-1, 0] > 7_900) == (1, True)
    assert (drawn[:, 0] == drawn[:, 1]).all()  # steps as they were recorded
    assert read_frame(followed.curves)[1]["scale"][:, 1].tolist() == [1, 2, 3, 4]
    while not followed.is_read:
        followed.read(until=0)
    assert read_frame(followed.curves)[1]["loss"][-1].tolist() == [8_000, 8_000]


def test_a_run_of_a_folder_with_damage_is_shown_and_the_damage_told(tmp_path, make_lab):
    there = [journalled(tmp_path, [float(seed), 2.0], seed=seed) for seed in range(8)]
    spoilt = there[:4]
    for run in spoilt:
        (run.path / "experiment.json").write_bytes(b"\0" * 100)
    (there[4].path / "status.json").write_bytes(b"{}")
    (there[5].path / "events.jsonl").write_bytes(b"\0" * 100 + b"\n")
    (there[6].path / "events.jsonl").unlink()
    os.mkfifo(there[6].path / "events.jsonl")
    lab = make_lab(tmp_path)
    until(lambda: is_settled(lab) and len(lab._settled) == 4)
    assert [row["id"] for row in lab._rows] == [run.id for run in reversed(there[4:])]
    assert statuses(lab) == ["completed"] * 4
    assert "experiment.json" in lab._notice
    assert lab._notice.endswith("And 4 more.")  # 4 experiments, a status, 2 journals; three are told in full
    assert len(lab._notice) < 1000
    for run in spoilt:
        shutil.rmtree(run.path)
    until(lambda: all(run.id in lab._notice for run in there[4:7]))
    assert "status.json cannot be used" in lab._notice


def test_names_that_no_page_can_show_and_hidden_folders_are_passed_over(tmp_path, make_lab):
    run = journalled(tmp_path, [1.0])
    for name in (".hidden", "\udcff", "\u202edesrever", "line\nbreak"):  # \udcff: a byte that is no UTF-8
        shutil.copytree(run.path, tmp_path / name)
    lab = make_lab(tmp_path)
    until(lambda: lab._rows)
    assert [row["id"] for row in lab._rows] == [run.id]


def test_what_is_shown_is_bounded_and_unknown_ids_do_no_harm(tmp_path, make_lab):
    run = journalled(tmp_path, [1.0])
    lab = make_lab(tmp_path)
    until(lambda: lab._settled)
    lab.set_state({"_shown": ["../x", "", "x" * 10_000_000, *map(str, range(1000)), run.id, run.id]})
    assert len(lab._shown) == 32
    assert lab._shown[-2:] == ["999", run.id]
    until(lambda: set(lab._settled) == {run.id})


def test_a_new_run_takes_the_place_of_the_one_that_was_shown_longest(tmp_path, make_lab):
    there = [journalled(tmp_path, [1.0], seed=seed) for seed in range(9)]
    chosen = [run.id for run in there[:8]]
    lab = make_lab(tmp_path, _shown=chosen)
    until(lambda: len(lab._settled) == 8)
    new = journalled(tmp_path, [1.0], seed=10)
    until(lambda: lab._shown == [*chosen[1:], new.id])


def test_the_folder_may_come_and_go(tmp_path, make_lab):
    folder = tmp_path / "runs"
    lab = make_lab(folder)
    until(lambda: lab._begun is not None)
    journalled(folder, [1.0])
    until(lambda: statuses(lab) == ["completed"])
    folder.rename(tmp_path / "elsewhere")
    until(lambda: lab._rows == [] and lab._settled == {})
    (tmp_path / "elsewhere").rename(folder)
    until(lambda: statuses(lab) == ["completed"])


def test_labs_of_one_folder_read_its_runs_once(tmp_path, make_lab, journals_read):
    runs = [journalled(tmp_path, [1.0], seed=seed) for seed in range(3)]
    labs = [make_lab(tmp_path, _shown=[runs[0].id]) for _ in range(4)]
    until(lambda: all(is_settled(lab) and lab._settled for lab in labs))
    assert journals_read == {runs[0].id: 1}
    labs[0]._shown = [runs[1].id]
    until(lambda: set(labs[0]._settled) == {runs[1].id})
    new = journalled(tmp_path / ".elsewhere", [2.0], seed=9)
    new.path.rename(tmp_path / new.id)  # so that no lab reads it while it is being written
    # Each shows what is new, and keeps what it showed.
    until(lambda: all(new.id in lab._settled and len(lab._rows) == 4 for lab in labs))
    assert [set(lab._settled) - {new.id} for lab in labs] == [{runs[1].id}, *[{runs[0].id}] * 3]
    assert journals_read == {runs[0].id: 1, runs[1].id: 1, new.id: 1}


def test_a_lab_that_opens_beside_one_that_has_not_looked_at_all_yet_makes_no_run_new(
    tmp_path, monkeypatch, unfollowed
):
    monkeypatch.setattr("mixwidgets.runs.widgets.training_lab.widget._FIRST", 3)
    runs = [journalled(tmp_path, [1.0], seed=seed) for seed in range(9)]
    first, second = unfollowed(2, tmp_path)
    newest = [run.id for run in sorted(runs, key=lambda run: run.id)[-3:]]
    first._look()
    assert first._shown == newest
    second._look()
    second._look()
    first._look()
    assert first._shown == newest


def test_a_lab_that_is_closed_is_freed(tmp_path):
    journalled(tmp_path, [1.0])
    labs = [TrainingLab(tmp_path)]
    until(lambda: is_settled(labs[0]))
    alive = weakref.ref(labs[0])
    labs.pop().close()

    def is_freed():
        gc.collect()
        return alive() is None

    until(is_freed)
