"""The run directory, written and read: nothing acknowledged is lost, no damage is fatal."""

import json
import math
import os
import resource
import tracemalloc
import zlib
from contextlib import contextmanager, suppress
from dataclasses import fields
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixwidgets.floats.gradients.summary import GradientSummary
from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.store.events import Evaluation, GradientSnapshot, RunFinished, RunStarted, StepRecord
from mixwidgets.runs.store.journal import Journal, create_run
from mixwidgets.runs.store.reader import JournalReader
from mixwidgets.runs.store.records import to_record, with_checksum
from mixwidgets.runs.store.run import list_runs, open_run
from mixwidgets.support import files
from tests.small_disk import small_disk

EXPERIMENT = Experiment(task="digits_cnn", recipe="fp16_dynamic", steps=20)


def step(number, **fields):
    fields = {
        "loss": 0.5,
        "loss_scale": 1024.0,
        "found_inf": False,
        "skipped": False,
        "grad_norm": 1.0,
        **fields,
    }
    return StepRecord(step=number, seconds=0.01, **fields)


def some_events():
    values = np.array([0.0, 1e-8, -3.0, np.inf, np.nan], dtype=np.float32)
    return [
        RunStarted(device="cpu", backend="native float32 products", versions={"numpy": np.__version__}),
        Evaluation(step=0, metrics={"loss": 2.3, "accuracy": 0.1}),
        step(1, loss=math.nan, grad_norm=math.inf, found_inf=True, skipped=True),
        GradientSnapshot(
            step=1, summaries={"a.weight": GradientSummary.of(values), "<b>": GradientSummary.of(values[:2])}
        ),
        *[step(number) for number in range(2, 21)],
        Evaluation(step=20, metrics={"loss": -math.inf, "accuracy": 0.9}),
        RunFinished(reason="completed", metrics={"loss": 0.1, "accuracy": 0.9}, message="Done: 20 × ok."),
    ]


def comparable(event):
    """An event by its text (NaN differs from itself), a snapshot by its summaries' bytes."""
    if isinstance(event, GradientSnapshot):
        both = event.summaries, event.output_gradients
        return event.step, [{name: one.to_bytes() for name, one in part.items()} for part in both]
    return str(event)


def same(events, expected):
    return [comparable(event) for event in events] == [comparable(event) for event in expected]


def write(runs_dir, events):
    path = create_run(EXPERIMENT, runs_dir)
    with Journal(path) as journal:
        for event in events:
            journal.append(event)
    return path


@pytest.fixture
def run_path(tmp_path):
    return write(tmp_path, some_events())


def test_what_was_written_is_read(run_path):
    run = open_run(run_path)
    assert same(run.events(), some_events())
    assert (run.status, run.damage, run.experiment) == ("completed", [], EXPERIMENT)
    assert run.metrics == {"loss": 0.1, "accuracy": 0.9}
    assert run.message == "Done: 20 × ok."


def test_a_reader_gets_each_event_once_as_it_comes(tmp_path):
    path = create_run(EXPERIMENT, tmp_path)
    reader, seen = JournalReader(path), []
    assert list(reader.read_new()) == []
    with Journal(path) as journal:
        for event in some_events():
            journal.append(event)
            new = list(reader.read_new())
            assert len(new) == 1
            seen += new
    assert list(reader.read_new()) == []
    assert same(seen, some_events())


def test_other_tools_read_the_lines(run_path):
    lines = (run_path / "events.jsonl").read_text().splitlines()
    for line in lines:
        assert list(json.loads(line, parse_constant=pytest.fail))[-1] == "crc32"
    table = pd.read_json(run_path / "events.jsonl", lines=True)
    assert len(table) == len(some_events())
    assert json.loads(lines[2])["loss"] == "nan"


def test_steps_are_a_table_with_fixed_types_also_when_empty(tmp_path, run_path):
    table = open_run(run_path).steps()
    assert list(table.step) == list(range(1, 21))
    assert math.isnan(table.loss[0])
    assert table.grad_norm[0] == math.inf
    empty = open_run(create_run(EXPERIMENT, tmp_path / "other")).steps()
    assert len(empty) == 0
    assert list(empty.dtypes) == list(table.dtypes)


def test_gradients_are_the_newest_or_those_of_a_step(run_path):
    run = open_run(run_path)
    assert list(run.gradients()) == ["a.weight", "<b>"]
    assert run.gradients(1)["a.weight"].count == 5
    with pytest.raises(LookupError, match="those of 1"):
        run.gradients(2)


def test_a_torn_tail_is_set_aside_and_told(run_path):
    events = run_path / "events.jsonl"
    whole = events.read_bytes()
    for kept in range(len(whole) - 1, len(whole) - 150, -7):
        events.write_bytes(whole[:kept])
        run = open_run(run_path)
        assert same(run.events(), some_events()[: whole[:kept].count(b"\n")])
        assert any("torn" in sentence for sentence in run.damage)


@pytest.fixture(scope="module")
def flippable(tmp_path_factory):
    path = write(tmp_path_factory.mktemp("flip"), some_events())
    return path, (path / "events.jsonl").read_bytes()


@settings(max_examples=300, deadline=None, derandomize=True)
@given(data=st.data())
def test_a_flipped_byte_costs_one_record_and_is_told(flippable, data):
    path, whole = flippable
    at = data.draw(st.integers(0, len(whole) - 1))
    flipped = whole[at] ^ data.draw(st.integers(1, 255))
    (path / "events.jsonl").write_bytes(whole[:at] + bytes([flipped]) + whole[at + 1 :])
    reader = JournalReader(path)
    kept = [comparable(event) for event in reader.read_new()]
    written = [comparable(event) for event in some_events()]
    assert len(kept) >= len(written) - (2 if whole[at : at + 1] == b"\n" else 1)
    assert kept == [event for event in written if event in kept]
    assert reader.damage or reader.torn_bytes


def lines_of(run_path):
    return (run_path / "events.jsonl").read_bytes().splitlines(keepends=True)


@pytest.mark.parametrize(
    ("spoil", "lost"),
    [
        (lambda lines: [], 25),
        (lambda lines: [b"\0" * 5000, b"\n", *lines], 0),
        (lambda lines: [*lines[:5], b"x" * 3_000_000 + b"\n", *lines[5:]], 0),
        (lambda lines: [*lines[:6], lines[5], *lines[6:]], 0),
        (lambda lines: [*lines[:5], lines[6], lines[5], *lines[7:]], 1),
        (lambda lines: [*lines, with_checksum(to_record(step(21)))], 0),
        (lambda lines: [lines[1], lines[0], *lines[2:]], 1),
        (lambda lines: [*lines[:5], lines[5].replace(b"0.5", b"NaN"), *lines[6:]], 1),
        (lambda lines: [*lines, b'{"kind":"step","loss":NaN}\n'], 0),
        (lambda lines: [*lines, b"[" * 200_000 + b"\n"], 0),
        (lambda lines: [lines[0], with_checksum({"kind": "step", "step": -1}), *lines[1:]], 0),
        (
            lambda lines: [
                lines[0],
                with_checksum({**to_record(step(21)), "step": 10**30}),
                *lines[1:],
            ],
            0,
        ),
        (lambda lines: [lines[0], with_checksum({"kind": "future"}), *lines[1:]], 0),
        (lambda lines: [lines[0], with_checksum({"no": "kind"}), *lines[1:]], 0),
        (lambda lines: [lines[0], with_checksum({"kind": ["step"]}), *lines[1:]], 0),
        (lambda lines: [lines[0], with_checksum({"kind": "gradients", "step": 5}), *lines[1:]], 0),
        (
            lambda lines: [
                *lines[:-1],
                with_checksum(
                    {"kind": "finished", "reason": "completed", "metrics": {}, "message": "\ud800"}
                ),
            ],
            1,
        ),
    ],
)
def test_spoilt_journals_open_and_tell(run_path, spoil, lost):
    (run_path / "events.jsonl").write_bytes(b"".join(spoil(lines_of(run_path))))
    run = open_run(run_path)
    assert len(run.events()) == 25 - lost
    assert run.damage or lost == 25
    assert run.status == "completed"


def test_a_record_of_an_older_version_lacks_what_came_later(run_path):
    *most, last = lines_of(run_path)
    older = {k: v for k, v in to_record(step(21)).items() if k not in ("non_finite", "first_non_finite")}
    (run_path / "events.jsonl").write_bytes(b"".join([*most, with_checksum(older), last]))
    run = open_run(run_path)
    assert run.damage == []
    assert run.steps().non_finite.iloc[-1] == 0


def test_a_deeply_nested_record_with_a_good_checksum_is_set_aside(run_path):
    body = b'{"kind":' + b"[" * 200_000 + b"]" * 200_000 + b"}"
    sealed = body[:-1] + b',"crc32":"%08x"}\n' % zlib.crc32(body)
    (run_path / "events.jsonl").write_bytes(b"".join([sealed, *lines_of(run_path)]))
    run = open_run(run_path)
    assert same(run.events(), some_events())
    assert "nested" in run.damage[0]


def test_a_damaged_or_missing_snapshot_costs_only_itself(run_path):
    snapshot = run_path / "gradients-000001.bin"
    data = snapshot.read_bytes()
    for spoilt in (data[:-1], b"\0" * len(data), b""):
        snapshot.write_bytes(spoilt)
        assert len(open_run(run_path).events()) == 24
    snapshot.unlink()
    run = open_run(run_path)
    assert len(run.events()) == 24
    assert "set aside" in run.damage[0]


def as_fifo(path):
    path.unlink()
    os.mkfifo(path)


def as_link(path):
    kept = path.with_name("elsewhere")
    path.rename(kept)
    path.symlink_to(kept)


def as_directory(path):
    path.unlink()
    path.mkdir()


SPOILT_FILES = [
    as_fifo,
    as_link,
    as_directory,
    lambda path: path.write_bytes(b""),
    lambda path: path.write_bytes(path.read_bytes()[:-9]),
    lambda path: path.write_bytes(b"\0" * 4096),
    lambda path: path.write_bytes(path.read_bytes().replace(b"0", b"1", 1)),
    lambda path: path.write_bytes(with_checksum({"schema": 99, "status": "resting"})),
    lambda path: path.write_bytes(b"[" * 200_000),
]


@pytest.mark.parametrize("spoil", SPOILT_FILES)
def test_a_spoilt_status_is_told_and_the_events_answer(run_path, spoil):
    spoil(run_path / "status.json")
    run = open_run(run_path)
    assert run.status == "completed"
    assert run.metrics == {"loss": 0.1, "accuracy": 0.9}
    assert "status.json" in run.damage[-1]


@pytest.mark.parametrize("spoil", SPOILT_FILES)
def test_a_spoilt_experiment_is_a_clear_error(run_path, spoil):
    spoil(run_path / "experiment.json")
    with pytest.raises(ValueError, match=r"experiment\.json"):
        open_run(run_path)


@pytest.mark.parametrize("spoil", [as_fifo, as_link, as_directory])
def test_events_that_are_no_plain_file_are_told(run_path, spoil):
    spoil(run_path / "events.jsonl")
    run = open_run(run_path)
    assert run.events() == []
    assert "events.jsonl" in run.damage[0]
    assert run.status == "completed"


def test_a_run_has_one_writer(tmp_path, monkeypatch):
    monkeypatch.setattr("mixwidgets.runs.store.lock._PATIENCE_S", 0.05)
    path = create_run(EXPERIMENT, tmp_path)
    with Journal(path) as journal:
        journal.append(some_events()[0])
        with pytest.raises(BlockingIOError, match="one writer"):
            Journal(path)
        assert open_run(path).status == "running"
    with pytest.raises(FileExistsError, match="launch its experiment again"):
        Journal(path)
    assert open_run(path).status == "interrupted"


def test_a_short_write_is_rolled_back(tmp_path, monkeypatch):
    path = create_run(EXPERIMENT, tmp_path)
    real_write = os.write
    with Journal(path) as journal:
        journal.append(some_events()[0])
        before = (path / "events.jsonl").read_bytes()
        with monkeypatch.context() as patch:
            patch.setattr(
                os, "write", lambda descriptor, data: real_write(descriptor, data[: len(data) // 2])
            )
            with pytest.raises(OSError, match="no room"):
                journal.append(step(1))
        assert (path / "events.jsonl").read_bytes() == before
        journal.append(step(1))
    assert len(open_run(path).events()) == 2


@contextmanager
def small_files(folder):
    """As a small disk, by the limit on the size of a file."""
    folder.mkdir()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
    try:
        yield folder
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("limited", [small_disk, small_files])
def test_a_full_disk_still_gets_the_last_status(tmp_path, limited):
    acknowledged = []
    with limited(tmp_path / "disk") as disk:
        path = create_run(EXPERIMENT, disk)
        with Journal(path) as journal:
            with pytest.raises(OSError) as failure:  # noqa: PT011, PT012
                for number in range(1, 10_000):
                    journal.append(step(number))
                    acknowledged.append(number)
            journal.append(RunFinished(reason="disk_full", metrics={}, message="x" * 5000))
        run = open_run(path)
        assert files.is_disk_full(failure.value)
        assert run.status == "disk_full"
        assert [event.step for event in run.events() if event.kind == "step"] == acknowledged
        assert len(acknowledged) > 50
        assert run.damage == []


@pytest.mark.parametrize("spoil", [Path.unlink, lambda path: as_link(path), lambda path: as_fifo(path)])
def test_the_last_status_gets_through_without_its_reserved_room(tmp_path, spoil):
    path = create_run(EXPERIMENT, tmp_path)
    spoil(path / "status.reserved")
    with Journal(path) as journal:
        journal.append(RunFinished(reason="completed", metrics={}, message=""))
    assert open_run(path).status == "completed"


def test_the_longest_message_fits_the_reserved_room(tmp_path):
    path = write(tmp_path, [RunFinished(reason="crashed", metrics={}, message="\U0001f600" * 5000)])
    assert open_run(path).status == "crashed"


def widest(number):
    """A step whose every field prints as wide as it can."""
    wide = {int: 10**12, float: -2.2250738585072014e-308, bool: False, str: "a_module.of.a_deep_model." * 3}
    values = {field.name: wide[field.type] for field in fields(StepRecord)}
    return StepRecord(**{**values, "step": number})


def test_ten_thousand_steps_stay_under_5_mb(tmp_path):
    path = create_run(EXPERIMENT, tmp_path)
    with Journal(path) as journal:
        for number in range(1, 10_001):
            journal.append(widest(number))
            if number % 100 == 0:
                journal.append(Evaluation(step=number, metrics={"loss": -1 / 3, "accuracy": 1 / 3}))
    assert (path / "events.jsonl").stat().st_size < 5e6
    run = open_run(path)
    tracemalloc.start()
    try:
        assert sum(event.kind == "step" for event in run.follow()) == 10_000
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 1e6  # the events themselves take some 10 MB


def test_a_run_of_a_newer_version_loses_nothing(run_path):
    """What this version does not know is told as such, the rest is read, and no file is touched."""
    newer = [
        with_checksum({"kind": "thought", "step": 7, "text": "hm"}),
        with_checksum({**to_record(step(21)), "temperature": 1}),
        with_checksum({"kind": "finished", "reason": "bored", "metrics": {}, "message": ""}),
    ]
    events = run_path / "events.jsonl"
    events.write_bytes(b"".join([*lines_of(run_path)[:-1], *newer]))
    before = events.read_bytes()
    run = open_run(run_path)
    assert run.steps().step.tolist() == list(range(1, 22))
    assert len(run.damage) == 2
    for word, sentence in zip(("thought", "bored"), run.damage, strict=True):
        assert word in sentence
        assert "newer mixwidgets" in sentence
    experiment = {**EXPERIMENT.to_dict(), "schema": 99}
    (run_path / "experiment.json").write_bytes(with_checksum(experiment))
    with pytest.raises(ValueError, match=r"schema 99.*upgrade mixwidgets"):
        open_run(run_path)
    with pytest.warns(UserWarning, match="schema 99"):
        assert list_runs(run_path.parent) == []
    assert events.read_bytes() == before


def test_a_mark_follows_no_link(tmp_path):
    path = create_run(EXPERIMENT, tmp_path / "runs")
    (path / "stop").symlink_to(tmp_path / "outside")
    files.create_mark(path / "stop")
    assert not (tmp_path / "outside").exists()
    assert open_run(path).status == "stopped"


def test_the_process_writes_through_no_link(tmp_path):
    outside = tmp_path / "outside"
    outside.write_text("mine")
    for name in ("events.jsonl", "status.json", "status.json.new", "lock", "gradients-000001.bin"):
        path = create_run(EXPERIMENT, tmp_path / "runs")
        (path / name).unlink(missing_ok=True)
        (path / name).symlink_to(outside)
        with suppress(OSError), Journal(path) as journal:
            for event in some_events():
                journal.append(event)
        assert outside.read_text() == "mine"


def test_a_snapshot_with_dy(tmp_path):
    gradients = {"a.weight": GradientSummary.of(np.ones(3, "f4"))}
    dy = {"b": GradientSummary.of(np.full(5, 2.0, "f4")), "a": GradientSummary.of(np.full(7, 4.0, "f4"))}
    events = [
        some_events()[0],
        GradientSnapshot(step=1, summaries=gradients, output_gradients=dy),
        GradientSnapshot(step=2, summaries=gradients),
    ]
    run = open_run(write(tmp_path, events))
    assert same(run.events(), events)
    assert list(run.gradients(1)) == ["a.weight"]
    assert [*run.gradients(1, "outputs").items()] == [*dy.items()]
    for step in (2, None):
        with pytest.raises(LookupError, match="record_dy=True"):
            run.gradients(step, kind="outputs")
    with pytest.raises(ValueError, match="'weights', 'outputs'"):
        run.gradients(kind="inputs")
    # A record without dy is as it was before there was any.
    lines = (run.path / "events.jsonl").read_text().splitlines()
    with_dy, without = [line for line in lines if "names" in line]
    assert '"output_names":["b","a"]' in with_dy
    assert "output" not in without
