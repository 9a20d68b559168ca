"""Files of a run directory whose checksums are right and whose content is not, and things in their place.

What damage does to the bytes is in test_journal.py; what permissions do, in test_run_folder.py.
"""

import json
import os
import zlib

import numpy as np
import pytest

from mixwidgets.floats.gradients.summary import GradientSummary
from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.store.comparison import comparison_rows
from mixwidgets.runs.store.events import Evaluation, GradientSnapshot, RunFinished, RunStarted, StepRecord
from mixwidgets.runs.store.journal import Journal, create_run
from mixwidgets.runs.store.run import list_runs, open_run

EXPERIMENT = Experiment(task="digits_cnn", steps=2)
METRICS = {"loss": 0.5, "accuracy": 0.75}
STEP = {
    "loss": 0.5,
    "loss_scale": 1.0,
    "found_inf": False,
    "skipped": False,
    "grad_norm": 1.0,
    "seconds": 0.1,
}


@pytest.fixture
def run_path(tmp_path):
    path = create_run(EXPERIMENT, tmp_path / "runs")
    with Journal(path) as journal:
        journal.append(RunStarted(device="cpu", backend="x", versions={}))
        journal.append(StepRecord(step=1, **STEP))
        journal.append(GradientSnapshot(step=1, summaries={"w": GradientSummary.of(np.ones(3, "f4"))}))
        journal.append(StepRecord(step=2, **STEP))
        journal.append(Evaluation(step=2, metrics=METRICS))
        journal.append(RunFinished(reason="completed", metrics=METRICS))
    return path


def sealed(text):
    """A line with a good checksum, whatever it holds."""
    body = text.encode()
    return body[:-1] + b',"crc32":"%08x"}\n' % zlib.crc32(body)


def said(path):
    """The text of a sealed file without its checksum."""
    fields = json.loads(path.read_bytes())
    del fields["crc32"]
    return json.dumps(fields)


# What JSON does not have, what text does not have, and what a reader does not look for.
CONTENTS = {
    "bare NaN": lambda text: text[:-1] + ', "more": NaN}',
    "bare Infinity": lambda text: text[:-1] + ', "more": -Infinity}',
    "lone surrogate": lambda text: text.replace("completed", "\\ud800").replace("digits_cnn", "\\ud800"),
    "nested": lambda text: '{"more": ' + "[" * 200_000 + "]" * 200_000 + "}",
    "a list": lambda text: '["x"}',
    "nothing": lambda text: "{}",
    "wrong types": lambda text: json.dumps({name: ["x"] for name in json.loads(text)}),
}


@pytest.mark.parametrize("change", CONTENTS.values(), ids=CONTENTS)
def test_a_status_that_says_nonsense_is_told_and_the_events_answer(run_path, change):
    status = run_path / "status.json"
    status.write_bytes(sealed(change(said(status))))
    run = open_run(run_path)
    assert (run.status, run.metrics) == ("completed", METRICS)
    assert "status.json cannot be used" in run.damage[-1]


@pytest.mark.parametrize("change", CONTENTS.values(), ids=CONTENTS)
def test_an_experiment_that_says_nonsense_is_a_clear_error(run_path, change):
    experiment = run_path / "experiment.json"
    experiment.write_bytes(sealed(change(said(experiment))))
    with pytest.raises(ValueError, match=r"experiment\.json of .* cannot be used: "):
        open_run(run_path)
    with pytest.warns(UserWarning, match="A run was skipped"):
        assert list_runs(run_path.parent) == []


@pytest.mark.parametrize("change", CONTENTS.values(), ids=CONTENTS)
def test_an_event_that_says_nonsense_costs_only_itself(run_path, change):
    events = run_path / "events.jsonl"
    first, second, *others = events.read_bytes().splitlines(keepends=True)
    fields = json.loads(second)
    del fields["crc32"]
    spoilt = sealed(change(json.dumps({**fields, "first_non_finite": "digits_cnn"})))
    events.write_bytes(b"".join([first, spoilt, *others]))
    run = open_run(run_path)
    assert run.steps()["step"].tolist() == [2]
    assert (run.status, len(run.damage)) == ("completed", 1)


@pytest.mark.parametrize(
    "record",
    [
        {"kind": "x" * 500_000},
        {"kind": ["x"] * 100_000},
        {"kind": "evaluation", "step": 3, "metrics": ["x"] * 100_000},
        {"kind": "finished", "metrics": {}, "reason": "x" * 500_000},
    ],
    ids=["a kind", "a list", "metrics", "a reason"],
)
def test_the_sentence_on_a_damaged_record_does_not_repeat_all_of_it(run_path, record):
    events = run_path / "events.jsonl"
    events.write_bytes(sealed(json.dumps(record)))
    (told,) = open_run(run_path).damage
    assert len(told) < 200


def as_fifo(path, outside):
    os.mkfifo(path)


def as_link_out(path, outside):
    path.symlink_to(outside)


def as_endless_device(path, outside):
    path.symlink_to("/dev/zero")


def as_folder(path, outside):
    path.mkdir()


def replace(path, put):
    """Put something in a file's place; a link leads to what was there."""
    outside = path.parents[2] / "outside"
    outside.write_bytes(path.read_bytes() if path.exists() else b"")
    path.unlink(missing_ok=True)
    put(path, outside)


IN_PLACE = [as_fifo, as_link_out, as_endless_device, as_folder]


@pytest.mark.parametrize("put", IN_PLACE)
@pytest.mark.parametrize(
    ("name", "steps", "snapshots"),
    [
        ("events.jsonl", 0, 0), ("status.json", 2, 1), ("gradients-000001.bin", 2, 0), ("lock", 2, 1),
        ("stop", 2, 1), ("status.reserved", 2, 1), ("log.txt", 2, 1),
    ],
)  # fmt: skip
def test_what_stands_in_a_files_place_is_not_read(run_path, put, name, steps, snapshots):
    replace(run_path / name, put)
    run = open_run(run_path)
    assert (run.status, run.stop()) == ("completed", "completed")
    state = run.state()
    assert (state.steps, state.snapshot is not None) == (steps, bool(snapshots))
    results = {row.name: row.values[0] for row in comparison_rows([run])}
    assert results["steps_done"] == 2  # by the status, else by the events
    assert [listed.id for listed in list_runs(run_path.parent)] == [run_path.name]
    if name in ("events.jsonl", "status.json", "gradients-000001.bin"):
        assert name in " ".join(run.damage)


@pytest.mark.parametrize("put", IN_PLACE)
def test_an_experiment_that_is_no_file_is_a_clear_error(run_path, put):
    replace(run_path / "experiment.json", put)
    with pytest.raises(ValueError, match=r"experiment\.json"):
        open_run(run_path)


def test_a_file_that_is_too_large_is_not_read(run_path):
    for name, says in (("status.json", "larger than 16384 bytes"), ("gradients-000001.bin", "larger than")):
        with (run_path / name).open("r+b") as file:
            file.truncate(1 << 40)  # no room is taken
        assert says in " ".join(open_run(run_path).damage)
    assert open_run(run_path).status == "completed"
    with (run_path / "experiment.json").open("r+b") as file:
        file.truncate(1 << 40)
    with pytest.raises(ValueError, match="larger than 1048576 bytes"):
        open_run(run_path)


@pytest.mark.parametrize("names", [None, 1, ["x"], [1], {"w": "w"}, "w"])
def test_names_of_layers_that_the_snapshot_does_not_have_cost_only_the_snapshot(run_path, names):
    events = run_path / "events.jsonl"
    lines = events.read_bytes().splitlines(keepends=True)
    record = json.loads(lines[2])
    del record["crc32"]
    lines[2] = sealed(json.dumps({**record, "output_names": names}))
    events.write_bytes(b"".join(lines))
    run = open_run(run_path)
    assert [event.kind for event in run.events()].count("gradients") == 0
    assert (run.steps()["step"].tolist(), run.status, len(run.damage)) == ([1, 2], "completed", 1)
