"""mixwidgets runs and mixwidgets compare: what the tables say, in any width, whatever the runs hold."""

import json
import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mixwidgets as mw
from mixwidgets.runs.store.events import Evaluation, Memory, RunFinished, RunStarted
from mixwidgets.runs.store.journal import Journal, create_run, create_watched_run
from mixwidgets.runs.store.watched_loop import WatchedLoop
from mixwidgets.support.plain_text import plain
from tests.cli.calling import call, run_of, step

HOSTILE = "[red]Net[/red] \x1b[2J\x1b]8;;http://x\x07link\x1b]8;;\x07 :smile: \u202eteN\r\n\x9b31m"
SHOWN = r"[red]Net[/red] \x1b[2J\x1b]8;;http://x\x07link\x1b]8;;\x07 :smile: \u202eteN\r\n\x9b31m"
_T4 = "Tesla T4, 15 GiB"
TERMINAL = {"FORCE_COLOR": "1", "TERM": "xterm-256color"}


@pytest.fixture
def runs(tmp_path):
    """Two runs that are over and one that waits, oldest first."""
    return [
        run_of(
            tmp_path,
            RunStarted(device="cpu", backend="native products", versions={}),
            step(1, loss=2.0, seconds=0.25),
            Memory(step=1, predicted={"weights": 2_500_000}, measured={}),
            Evaluation(step=1, metrics={"loss": 0.123456, "accuracy": 0.97215}),
            RunFinished(reason="completed", metrics={"loss": 0.123456, "accuracy": 0.97215}),
        ),
        run_of(
            tmp_path,
            RunStarted(device="cuda:0", backend="native products", versions={}, device_name=_T4),
            step(1, loss=math.inf, skipped=True, found_inf=True),
            step(2, loss=math.nan),
            RunFinished(reason="diverged", metrics={}),
            recipe="fp16_dynamic",
            clip_norm=0.1,
        ),
        mw.open_run(create_run(mw.Experiment(task="mask", seed=4294967295), tmp_path)),
    ]


def cells(line):
    return re.split(r"\s{2,}", line.strip())


def test_runs_are_listed_newest_first(runs, tmp_path):
    done, diverged, waiting = runs
    head, _, *lines = call("runs", tmp_path).stdout.splitlines()
    assert cells(head) == ["id", "task", "recipe", "seed", "device", "status", "skipped", "loss", "metrics"]
    assert [cells(line) for line in lines] == [
        [waiting.id, "mask", "fp32", "4294967295", "–", "queued", "–", "–"],
        [diverged.id, "digits_cnn", "fp16_dynamic", "0", _T4, "diverged", "1", "–"],
        [done.id, "digits_cnn", "fp32", "0", "cpu", "completed", "0", "0.1235", "accuracy 0.9721"],
    ]


@pytest.mark.parametrize(
    ("options", "listed"), [("", 3), ("-n 2", 2), ("--newest 0", 3), ("-n 3", 3), ("-n 2^1", 2)]
)
def test_a_long_list_says_what_it_leaves_out(runs, tmp_path, options, listed):
    told = call("runs", tmp_path, *options.split()).stdout
    assert [run.id for run in reversed(runs) if run.id in told] == [
        run.id for run in runs[: -listed - 1 : -1]
    ]
    assert ("--newest 0 lists all" in told) == (listed < 3)
    assert len(json.loads(call("runs", tmp_path, "--json", *options.split()).stdout)) == listed


def test_runs_are_json_for_scripts(runs, tmp_path):
    told = json.loads(call("runs", tmp_path, "--json").stdout)
    assert [run["id"] for run in told] == [run.id for run in reversed(runs)]
    assert told[0] == {
        "id": runs[2].id, "path": str(runs[2].path), "title": runs[2].experiment.title, "task": "mask",
        "recipe": "fp32", "seed": 4294967295, "steps": 130, "status": "queued",
    }  # fmt: skip
    assert told[2]["metrics.accuracy"] == 0.97215
    assert (told[1]["skipped"], told[1]["steps_done"]) == (1, 2)
    assert (told[1]["device"], told[1]["device_name"], told[2]["device"]) == ("cuda:0", _T4, "cpu")


def test_a_folder_without_runs_says_so(tmp_path):
    assert "No runs in" in call("runs", tmp_path / "none").stdout
    assert json.loads(call("runs", tmp_path / "none", "--json").stdout) == []
    (tmp_path / "file").touch()
    refused = call("runs", tmp_path / "file")
    assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1)


def test_a_damaged_run_is_told_beside_the_others(runs, tmp_path):
    (runs[0].path / "experiment.json").write_text("{}")
    result = call("runs", tmp_path)
    assert result.exit_code == 0
    assert "A run was skipped" in result.stderr
    assert len(result.stdout.splitlines()) == 2 + 2


def test_a_comparison_names_what_differs_and_what_came_of_it(runs, tmp_path):
    done, diverged, _ = runs
    lines = call("compare", done.path, diverged.id, "--runs-dir", tmp_path).stdout.splitlines()
    told = {cells(line)[0]: cells(line)[1:] for line in reversed(lines) if line.strip()}
    assert told["1"] == [done.id, done.experiment.title]
    assert told["2"] == [diverged.id, diverged.experiment.title]
    for name, values in {
        "recipe": ["fp32", "fp16_dynamic"],
        "recipe.loss_scale.kind": ["none", "dynamic"],
        "clip_norm": ["–", "0.1"],
        "status": ["completed", "diverged"],
        "loss": ["2", "nan"],
        "metrics.accuracy": ["0.9721", "–"],
        "steps_per_second": ["4", "2"],
        "examples_per_second": ["512", "256"],
        "memory.predicted": ["2.5 MB", "–"],
    }.items():
        assert told[name] == values
    assert not {"seed", "backend", "gradients.flushed"} & set(told)


def test_a_comparison_is_json_for_scripts(runs, tmp_path):
    told = json.loads(call("compare", *(run.path for run in runs[:2]), "--json").stdout)
    assert told["runs"] == [run.id for run in runs[:2]]
    rows = {row["field"]: (row["kind"], row["values"]) for row in told["rows"]}
    assert rows["clip_norm"] == ("setting", [None, 0.1])
    assert rows["loss"] == ("result", [2.0, "nan"])


def ended(folder, recipe, seed, loss, accuracy):
    """A run of 200 steps that began with a loss of 2.3."""
    return run_of(
        folder,
        RunStarted(device="cpu", backend="native products", versions={}),
        Evaluation(step=0, metrics={"loss": 2.3, "accuracy": 0.1}),
        *(step(number, loss=2.0) for number in range(1, 201)),
        RunFinished(reason="completed", metrics={"loss": loss, "accuracy": accuracy}),
        recipe=recipe,
        seed=seed,
    )


def test_a_comparison_ends_with_the_verdict(tmp_path, runs):
    wide, narrow = ended(tmp_path, "fp32", 0, 0.1, 0.97), ended(tmp_path, "fp16_unscaled", 0, 2.3, 0.1)
    shown = call("compare", wide.path, narrow.path).stdout.splitlines()
    assert shown[-2:] == ["", "fp16_unscaled learns nothing: accuracy fp16_unscaled 10.0 %, fp32 97.0 %."]
    told = json.loads(call("compare", wide.path, narrow.path, "--json").stdout)["verdict"]
    assert [(finding["runs"], finding["loses"], finding["head"]) for finding in told] == [
        ([narrow.id], True, "fp16_unscaled learns nothing")
    ]
    other = ended(tmp_path, "bf16", 1, 0.1, 0.97)
    told = json.loads(call("compare", wide.path, other.path, runs[2].path, "--json").stdout)["verdict"]
    assert [(finding["runs"], finding["head"]) for finding in told] == [
        ([other.id], "bf16 ends where fp32 does")
    ]


def test_runs_are_named_by_a_part_of_their_id_that_no_other_has(runs, tmp_path):
    assert json.loads(call("compare", "mask", "--runs-dir", tmp_path, "--json").stdout)["runs"] == [
        runs[2].id
    ]
    for named, says in (
        ("digits_cnn", "is in the ids of 2 runs"),
        (runs[0].id[:-4] + "zzzz", f"Did you mean '{runs[0].id}'"),
        ("nothing", "See mixwidgets runs"),
        ("../../x", "is not a run"),
        ("\x1b[31m", r"\x1b[31m"),
    ):
        refused = call("compare", named, "--runs-dir", tmp_path)
        assert (refused.exit_code, refused.stdout, refused.stderr.count("\n")) == (2, "", 1)
        assert says in refused.stderr
        assert "\x1b" not in refused.stderr


@pytest.mark.parametrize("width", [20, 60, 100])
def test_on_a_narrow_terminal_every_row_keeps_its_words(runs, tmp_path, width):
    shown = call("runs", tmp_path, COLUMNS=str(width), NO_COLOR="1", **TERMINAL).stdout
    lines = re.sub(r"\x1b\[[01]?m", "", shown).splitlines()
    assert "\x1b" not in "".join(lines)  # bold, and no colour
    assert max(map(len, lines)) <= width
    words = " ".join(" ".join(lines).split())
    for part in ("recipe fp16_dynamic", "status diverged", "accuracy 0.9721"):
        assert part in words
    if width > 20:
        assert [line.strip() for line in lines if line[:1].isdigit()] == [run.id for run in reversed(runs)]


def hostile_run(folder):
    create_watched_run(WatchedLoop(model=HOSTILE, format="float16", every=1), folder / "watched")
    with Journal(folder / "watched") as journal:
        journal.append(RunStarted(device=HOSTILE, backend=HOSTILE, versions={HOSTILE: HOSTILE}))
        journal.append(Evaluation(step=1, metrics={HOSTILE: 0.5}))
        journal.append(RunFinished(reason="crashed", metrics={HOSTILE: 0.5}, message=HOSTILE))
    return mw.open_run(folder / "watched")


@pytest.mark.parametrize("environment", [{}, {**TERMINAL, "COLUMNS": "60"}, {**TERMINAL, "COLUMNS": "999"}])
def test_what_a_run_holds_is_shown_and_never_obeyed(tmp_path, environment):
    hostile = hostile_run(tmp_path)
    plain_run = run_of(tmp_path, RunStarted(device="cpu", backend="x", versions={"torch": "2"}))
    for command in (["runs", tmp_path], ["compare", hostile.path, plain_run.path]):
        shown = call(*command, **environment).stdout
        assert set(re.findall(r"\x1b\[?[^m]*m?", shown)) <= {"\x1b[1m", "\x1b[0m"}  # the table's own bold
        text = re.sub(r"\x1b\[[01]m", "", shown)
        assert all(letter.isprintable() or letter == "\n" for letter in text)
        assert "".join(SHOWN.split()) in "".join(text.split())
    for command in (["runs", tmp_path, "--json"], ["compare", hostile.path, plain_run.path, "--json"]):
        shown = call(*command, **environment).stdout
        assert shown.isascii()
        assert shown.rstrip("\n").isprintable()


@given(st.text())
def test_plain_text_is_one_line_that_prints_and_leaves_what_prints(text):
    shown = plain(text)
    assert shown.isprintable()
    assert shown == text or not text.isprintable()
