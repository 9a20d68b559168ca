"""A run that comes home as files: all of it, or nothing; no name, size or link leads out of the folder."""

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mixwidgets.runs.scheduler.worker as importing
from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.scheduler.cells import Cells
from mixwidgets.runs.scheduler.worker import checked_run_id, import_run, packed_run
from mixwidgets.runs.store.events import RunFinished, StepRecord
from mixwidgets.runs.store.journal import Journal, create_run
from mixwidgets.runs.store.run import list_runs, open_run

EXPERIMENT = Experiment(task="digits_cnn", steps=1)
STEP = StepRecord(
    step=1, loss=2.5, loss_scale=1.0, found_inf=False, skipped=False, grad_norm=1.0, seconds=0.1
)


@pytest.fixture
def home(tmp_path):
    """A runs folder in which a sweep goes on."""
    Cells(tmp_path / "home").begin()
    return tmp_path / "home"


@pytest.fixture
def path(tmp_path):
    """A run that ended elsewhere."""
    path = create_run(EXPERIMENT, tmp_path / "away")
    with Journal(path) as journal:
        journal.append(STEP)
        journal.append(RunFinished(reason="completed", metrics={"loss": 2.5}))
    (path / "log.txt").write_text("printed")
    return path


def untouched(home):
    return [entry.name for entry in home.iterdir()] == [".cells"] and len(list(home.glob(".cells/*"))) == 1


def test_a_run_arrives_whole(path, home):
    files = packed_run(path)
    assert set(files) == {"experiment.json", "status.json", "events.jsonl", "log.txt"}
    run = import_run(EXPERIMENT, path.name, files, home)
    assert (run.path, run.status, run.metrics, run.damage) == (
        home / path.name,
        "completed",
        {"loss": 2.5},
        [],
    )
    assert run.events() == open_run(path).events()
    assert [found.id for found in list_runs(home)] == [path.name]
    assert len(list(home.glob(".cells/*"))) == 1


@pytest.mark.parametrize(
    "name", ["../x", "/tmp/x", "a/b", "..", "", ".cells", "A", "x" * 300, "a\0", None, 3]
)
def test_hostile_ids(name):
    with pytest.raises(ValueError, match="no run's id"):
        checked_run_id(name)


@pytest.mark.parametrize(
    "name",
    [
        "../x",
        "/tmp/x",
        "stop",
        "lock",
        "status.json.new",
        "gradients-1.bin",
        "log.txt\n",
        "",
        None,
        b"log.txt",
    ],
)
def test_hostile_file_names(path, home, name):
    with pytest.raises(ValueError, match="no file of a run"):
        import_run(EXPERIMENT, path.name, {**packed_run(path), name: b""}, home)
    assert untouched(home)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"log.txt": "text"}, "comes as bytes; got a str"),
        ({"log.txt": 10**12}, "comes as bytes; got a int"),
        ({"log.txt": bytearray(3)}, "comes as bytes; got a bytearray"),
        ({"experiment.json": b""}, "cannot be used"),
        ({"status.json": b"{}"}, "checksum"),
        ({"log.txt": bytes(5000)}, r"at most .* are taken"),
    ],
)
def test_hostile_contents(path, home, change, why, monkeypatch):
    monkeypatch.setattr(importing, "_LIMIT", 5000)
    with pytest.raises(ValueError, match=why):
        import_run(EXPERIMENT, path.name, {**packed_run(path), **change}, home)
    assert untouched(home)


@pytest.mark.parametrize("files", [None, [], "files", {}, {"events.jsonl": b""}])
def test_what_is_no_run(home, files):
    with pytest.raises(ValueError, match=r"as a dict|experiment\.json is missing"):
        import_run(EXPERIMENT, "a", files, home)
    assert untouched(home)


def test_another_experiment_and_a_run_that_is_not_over(path, home, tmp_path):
    with pytest.raises(ValueError, match="another experiment"):
        import_run(EXPERIMENT.replace(seed=1), path.name, packed_run(path), home)
    begun = create_run(EXPERIMENT, tmp_path / "away")
    with pytest.raises(ValueError, match="is not over: its status is 'queued'"):
        import_run(EXPERIMENT, begun.name, packed_run(begun), home)
    assert untouched(home)


def test_what_is_there_stays(path, home, tmp_path):
    (tmp_path / "outside").mkdir()
    for make in (
        lambda there: there.symlink_to(tmp_path / "outside"),
        lambda there: there.symlink_to(tmp_path / "nothing"),
        lambda there: there.mkdir(),
        lambda there: there.touch(),
    ):
        make(home / path.name)
        with pytest.raises(ValueError, match=r"There is a run .* already"):
            import_run(EXPERIMENT, path.name, packed_run(path), home)
        there = home / path.name
        there.rmdir() if there.is_dir() and not there.is_symlink() else there.unlink()
    assert untouched(home)
    assert list((tmp_path / "outside").iterdir()) == []


def test_links_and_strangers_do_not_travel(path, tmp_path, monkeypatch):
    (path / "note.txt").write_text("a user's own")
    (path / "gradients-000001.bin").symlink_to("/etc/passwd")
    with pytest.raises(ValueError, match="a link"):
        packed_run(path)
    (path / "gradients-000001.bin").unlink()
    os.mkfifo(path / "gradients-000001.bin")
    with pytest.raises(ValueError, match="not a plain file"):
        packed_run(path)
    (path / "gradients-000001.bin").unlink()
    assert "note.txt" not in packed_run(path)
    monkeypatch.setattr(importing, "_LIMIT", 100)
    with pytest.raises(ValueError, match="larger than"):
        packed_run(path)


@settings(max_examples=25)  # each takes some twenty syncs to disk
@given(st.data())
def test_a_flipped_byte_is_refused_or_told(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("flipped")
    Cells(folder / "home").begin()
    path = create_run(EXPERIMENT, folder / "away")
    with Journal(path) as journal:
        journal.append(STEP)
        journal.append(RunFinished(reason="completed", metrics={"loss": 2.5}))
    files = packed_run(path)
    name = data.draw(st.sampled_from(sorted(files)))
    content = bytearray(files[name])
    content[data.draw(st.integers(0, len(content) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    try:
        run = import_run(EXPERIMENT, path.name, {**files, name: bytes(content)}, folder / "home")
    except ValueError:
        assert untouched(folder / "home")
    else:
        assert name == "events.jsonl"
        assert run.damage
        assert run.status == "completed"
