"""The last status tells how far a run came, so that nobody has to read its journal for that."""

import math

import pytest

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.store.events import RunFinished, StepRecord
from mixwidgets.runs.store.journal import Journal, create_run
from mixwidgets.runs.store.records import with_checksum, without_checksum
from mixwidgets.runs.store.run import open_run
from mixwidgets.runs.store.status import current_status
from mixwidgets.support.files import replace_file


def ended(tmp_path, losses):
    path = create_run(Experiment(task="digits_cnn", steps=100), tmp_path)
    with Journal(path) as journal:
        for step, loss in enumerate(losses, 1):
            lost = math.isinf(loss)
            journal.append(
                StepRecord(
                    step=step,
                    loss=loss,
                    loss_scale=32.0,
                    found_inf=lost,
                    skipped=lost,
                    grad_norm=1.0,
                    seconds=1.0,
                )
            )
        journal.append(RunFinished(reason="stopped", metrics={}, message="It was asked to."))
    return path


@pytest.mark.parametrize("last", [3.0, -math.inf])
def test_it_tells_the_last_step_and_how_many_were_skipped(tmp_path, last):
    path = ended(tmp_path, [1.0, math.inf, 2.0, math.inf, last])
    (path / "events.jsonl").unlink()
    status = current_status(path)
    state = status.state
    assert (status.word, state.steps, state.skipped) == ("stopped", 5, 2 + math.isinf(last))
    assert (state.loss, state.loss_scale) == (last, 32.0)


def test_a_run_without_a_step_came_nowhere(tmp_path):
    state = current_status(ended(tmp_path, [])).state
    assert (state.steps, state.skipped, state.loss, state.loss_scale) == (0, 0, None, None)


def test_the_status_of_an_older_version_still_opens(tmp_path):
    path = ended(tmp_path, [1.0])
    record = without_checksum((path / "status.json").read_bytes())
    older = {name: record[name] for name in ("status", "process_id", "host", "metrics", "message")}
    replace_file(path / "status.json", with_checksum(older))
    run, status = open_run(path), current_status(path)
    assert (run.status, run.message, run.damage) == ("stopped", "It was asked to.", [])
    assert status.state is None


def test_a_strange_number_is_damage(tmp_path):
    strange = [("steps", one) for one in (-1, 1.5, "3", True, [], 2**70)]
    strange += [("loss", "much"), ("loss_scale", {}), ("seconds", []), ("lost", {"gradients.zero": "all"})]
    for event in ([], {}, {"kind": "started"}, {"kind": "finished", "reason": "completed", "metrics": {}}):
        strange += [("started", event), ("memory", event), ("work", event)]
    for name, value in strange:
        path = ended(tmp_path, [1.0])
        record = without_checksum((path / "status.json").read_bytes())
        replace_file(path / "status.json", with_checksum({**record, name: value}))
        run = open_run(path)
        assert run.status == "stopped"  # by its events
        assert "status.json cannot be used" in run.damage[-1]


@pytest.mark.parametrize(
    ("left", "told"),
    [
        (b"Its kernel ended.", "Its kernel ended."),
        (b"", "It was ended."),
        (b"\xff", "It was ended."),
        (b"x" * 5000, "It was ended."),
    ],
)
def test_a_process_that_could_say_no_more_leaves_who_asked_it_to_stop(tmp_path, left, told):
    path = create_run(Experiment(task="digits_cnn"), tmp_path)
    (path / "stop").write_bytes(left)
    assert (open_run(path).status, open_run(path).message) == ("stopped", told)
