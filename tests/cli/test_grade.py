"""mixwidgets grade: what a folder of reports says, whatever else stands in it."""

import csv
import io
import textwrap

import pytest

import mixwidgets as mw
from mixwidgets.teaching.exercises import coding
from mixwidgets.teaching.exercises.cases import TASKS
from mixwidgets.teaching.exercises.questions import questions
from mixwidgets.teaching.exercises.report import LARGEST_FILE, course, read_reports
from tests.cli.calling import call


def solved(lang="en", record="=65535\n?\n=65504"):
    return mw.Exercise("largest-float16", lang=lang, _record=record).report()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(coding, "_tried", {})
    mw.check("longest-skip", sum)
    task = mw.check(
        "longest-skip", lambda skipped: max(map(len, "".join(".x"[s] for s in skipped).split(".")))
    )
    (tmp_path / "ann.txt").write_text(f"Dear teacher,\n\n{solved()}\n\n{task.report()}\n", encoding="utf-8")
    (tmp_path / "李华").mkdir()
    (tmp_path / "李华" / "1.txt").write_text(solved("zh", "=12\n!"), encoding="utf-8")
    (tmp_path / "李华" / "2.txt").write_text(mw.Exercise("sum-of-ones", lang="zh").report(), encoding="utf-8")
    (tmp_path / "=cmd()\x1b[31m.txt").write_bytes(b"\xff\xfe import os; os.abort()")
    (tmp_path / "large.txt").write_bytes(b"x" * (LARGEST_FILE + 1))
    (tmp_path / ".hidden").write_text(solved(), encoding="utf-8")
    (tmp_path / "link.txt").symlink_to(tmp_path / "ann.txt")
    return tmp_path


def test_a_report_is_read_in_every_language():
    for lang in ("en", "zh"):
        found = read_reports(solved(lang) + "\n" + solved(lang, "=12\n!"))
        assert found == [("largest-float16", "01_bits", 1, "shown", True)]  # the last one counts
        for said in (solved(lang), textwrap.indent(solved(lang), "    ")):
            assert read_reports(said) == [("largest-float16", "01_bits", 2, "solved", True)]


def test_a_result_without_its_exercise_is_none():
    assert read_reports("Attempts: 1. Result: solved.") == []
    assert read_reports("Exercise largest-float16, lesson 01_bits") == []


def test_the_table_has_a_line_for_each_student(folder):
    done = call("grade", str(folder))
    lines = done.stdout.splitlines()
    assert done.exit_code == 0
    assert [line.split()[0] for line in lines] == ["student", "=cmd()\\x1b[31m", "ann", "large", "李华"]
    assert lines[0].split()[1:13] == [lesson[:2] for lesson in course()]
    assert lines[2].split()[-2:] == ["2", "4"]
    assert lines[4].split()[-2:] == ["0", "1"]
    assert "no report found" in lines[1]
    assert "more than reports have" in lines[3]
    assert "\x1b" not in done.stdout


def test_as_csv_there_is_a_line_for_each_exercise_and_no_formula(folder):
    rows = list(csv.reader(io.StringIO(call("grade", str(folder), "--csv").stdout)))
    assert rows[0] == ["student", "lesson", "exercise", "result", "attempts", "hint"]
    assert ["ann", "01_bits", "largest-float16", "solved", "2", "1"] in rows
    assert ["ann", "06_run_experiments", "longest-skip", "solved", "2", "0"] in rows
    assert ["李华", "03_why_fp32_copies", "sum-of-ones", "open", "0", "0"] in rows
    assert rows[1][0] == "'=cmd()\\x1b[31m"


def test_no_cell_begins_as_a_formula(tmp_path):
    (tmp_path / "＝1+1.txt").write_text(solved().replace("01_bits", "-1-1"), encoding="utf-8")
    (tmp_path / "ann").mkdir()
    (tmp_path / "ann" / "=1+1.txt").write_bytes(b"x" * (LARGEST_FILE + 1))
    rows = list(csv.reader(io.StringIO(call("grade", str(tmp_path), "--csv").stdout)))
    assert rows[1][3].startswith("'=1+1.txt has ")
    assert rows[2][:2] == ["'＝1+1", "'-1-1"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_report_saved_by_an_editor_of_windows_is_read(tmp_path, encoding):
    (tmp_path / "ann.txt").write_text(solved("zh"), encoding=encoding)
    rows = list(csv.reader(io.StringIO(call("grade", str(tmp_path), "--csv").stdout)))
    assert rows[1:] == [["ann", "01_bits", "largest-float16", "solved", "2", "1"]]


def test_what_is_no_folder_is_told(folder):
    done = call("grade", str(folder / "ann.txt"))
    assert done.exit_code == 2
    assert "name the folder of the students" in done.stderr


def test_every_exercise_of_the_course_is_counted():
    assert sum(map(len, course().values())) == len(questions()) + len(TASKS)
