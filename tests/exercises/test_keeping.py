"""A learner's work is kept beside the notebook, and comes back when a cell runs again."""

import os
import sys
from pathlib import Path
from types import SimpleNamespace

import IPython
import pytest

import mixwidgets as mw
from mixwidgets.teaching.exercises import keeping
from mixwidgets.teaching.exercises.report import course, read_reports

FILE = Path(keeping.FILE)


@pytest.fixture
def notebook(monkeypatch, tmp_path):
    """A folder in which a notebook's kernel runs."""
    monkeypatch.chdir(tmp_path)
    shell = SimpleNamespace(kernel=object())
    monkeypatch.setattr(IPython, "get_ipython", lambda: shell)
    monkeypatch.setattr(keeping, "_said", set())
    restart(monkeypatch)
    return tmp_path


def restart(monkeypatch):
    """A new kernel has nothing of the last one's session."""
    monkeypatch.setattr(keeping, "_session", {})


def answer(exercise, *steps):
    """What the page sends, step by step."""
    for number in range(len(steps)):
        exercise.set_state({"_record": "\n".join(steps[: number + 1])})


def longest(skipped):
    return max(map(len, "".join(".x"[skip] for skip in skipped).split(".")))


def test_an_exercise_shows_its_answers_when_the_cell_runs_again(notebook, monkeypatch):
    mw.Exercise("largest-float16")
    assert not FILE.exists()  # looking at a question writes nothing
    answer(mw.Exercise("largest-float16"), "=65535", "?", "=65504")
    assert FILE.read_text().splitlines()[1:] == [
        *("largest-float16 =65535", "largest-float16 ?", "largest-float16 =65504")
    ]
    restart(monkeypatch)
    again = mw.Exercise("largest-float16", lang="zh")
    assert again.solved
    assert [one.answer for one in again.attempts] == ["65535", "65504"]
    assert mw.Exercise("sum-of-ones").attempts == []
    again.set_state({"_record": ""})  # "Start over"
    assert mw.Exercise("largest-float16").attempts == []
    answer(again, "=1")
    assert [one.answer for one in mw.Exercise("largest-float16").attempts] == ["1"]
    assert len(FILE.read_text().splitlines()) == 6  # lines are only added


def test_a_coding_task_keeps_its_tries_and_can_be_started_over(notebook, monkeypatch):
    mw.check("longest-skip", len, lang="en")
    restart(monkeypatch)
    mw.check("longest-skip", longest, lang="en")
    restart(monkeypatch)
    untouched = mw.check("longest-skip", lambda skipped: sum(skipped), lang="en")
    assert repr(untouched).endswith("  before    Attempts: 2. Result: solved.")
    assert "Result: solved." in untouched.report()
    started = mw.check("longest-skip", len, start_over=True, lang="en")
    assert "Attempts: 1. Result: not solved yet." in started.report()


def test_outside_a_notebook_nothing_is_written_and_a_widget_begins_anew(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    restart(monkeypatch)
    answer(mw.Exercise("largest-float16"), "=65504")
    mw.check("longest-skip", longest)
    assert not FILE.exists()
    assert mw.Exercise("largest-float16").attempts == []
    assert {one.exercise: one.end for one in read_reports(mw.hand_in())}["longest-skip"] == "solved"


def test_hand_in_is_one_text_of_all_that_a_lesson_asks(notebook, monkeypatch):
    answer(mw.Exercise("largest-float16"), "=1", "=65504")
    mw.check("longest-skip", longest)
    restart(monkeypatch)
    for lang in ("en", "zh"):
        text = mw.hand_in("01_bits", "06_run_experiments", lang=lang)
        assert repr(text) == str(text)  # a cell shows it as it is
        found = read_reports(text)
        assert [one.exercise for one in found] == [*course()["01_bits"], *course()["06_run_experiments"]]
        assert {one.exercise for one in found if one.end == "solved"} == {"largest-float16", "longest-skip"}
    assert mw.hand_in() == mw.hand_in("01_bits", "06_run_experiments")
    with pytest.raises(ValueError, match="Did you mean '01_bits'"):
        mw.hand_in("01_bit")


@pytest.mark.parametrize(
    "content",
    [
        b"\xff\x00largest-float16 =65504\n",
        b"largest-float16 =65504\nlargest-float16 =1\n",  # nothing follows a right answer
        b"largest-float16 =no number\n",
        b"largest-float16 __import__('os').abort()\n",
        b"largest-float16 ?\n",
        b"largest-float16 =" + b"1" * 10**6,
        b"\n" * 10**6,
    ],
)
def test_what_is_no_work_is_ignored(notebook, content):
    FILE.write_bytes(content)
    assert mw.Exercise("largest-float16").attempts == []
    assert mw.check("longest-skip", longest).is_right


@pytest.mark.skipif(sys.platform == "win32", reason="makes links and a FIFO")
@pytest.mark.parametrize("make", [lambda: FILE.symlink_to("elsewhere"), lambda: os.mkfifo(FILE), FILE.mkdir])
def test_work_is_written_to_a_plain_file_alone_and_its_absence_is_told_once(notebook, make, recwarn):
    make()
    exercise = mw.Exercise("largest-float16")
    answer(exercise, "=1", "=2", "=65504")
    assert exercise.solved
    assert not Path("elsewhere").exists()
    assert ["your answers are not kept in mixwidgets_answers.txt" in str(one.message) for one in recwarn] == [
        True
    ]


def test_the_file_does_not_grow_without_end(notebook, recwarn):
    FILE.write_bytes(b"largest-float16 =1\n" * (keeping.LARGEST // 19 + 1))
    before = FILE.stat().st_size
    answer(mw.Exercise("sum-of-ones"), "=1")
    assert FILE.stat().st_size == before
    assert "rename it" in str(recwarn.pop().message)
