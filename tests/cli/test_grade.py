"""mixwidgets grade: what a folder of reports says, whatever else stands in it."""

import csv
import email.message
import html
import io
import itertools
import json
import textwrap
import zipfile
from unicodedata import east_asian_width

import pytest

import mixwidgets as mw
from mixwidgets.teaching.exercises import keeping
from mixwidgets.teaching.exercises.cases import TASKS
from mixwidgets.teaching.exercises.handed_in import LARGEST_TEXT
from mixwidgets.teaching.exercises.questions import questions
from mixwidgets.teaching.exercises.report import course, read_reports
from tests.cli.calling import call

FOUND = ["01_bits", "largest-float16", "solved", "2", "1", "1"]
"""What the CSV says of the report below."""


def solved(lang="en", record="=65535\n?\n=65504"):
    return mw.Exercise("largest-float16", lang=lang, _record=record).report()


def rows_of(folder):
    return list(csv.reader(io.StringIO(call("grade", str(folder), "--csv").stdout)))[1:]


def width(text):
    return sum(1 + (east_asian_width(letter) in "WF") for letter in text)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(keeping, "_session", {})
    mw.check("longest-skip", len)
    task = mw.check(
        "longest-skip", lambda skipped: max(map(len, "".join(".x"[s] for s in skipped).split(".")))
    )
    (tmp_path / "ann.txt").write_text(f"Dear teacher,\n\n{solved()}\n\n{task.report()}\n", encoding="utf-8")
    (tmp_path / "李华").mkdir()
    (tmp_path / "李华" / "1.txt").write_text(solved("zh", "=12\n!"), encoding="utf-8")
    (tmp_path / "李华" / "2.txt").write_text(mw.Exercise("sum-of-ones", lang="zh").report(), encoding="utf-8")
    (tmp_path / "=cmd()\x1b[31m.txt").write_bytes(b"\xff\xfe import os; os.abort()")
    (tmp_path / "large.txt").write_bytes(b"x" * (LARGEST_TEXT + 1))
    (tmp_path / ".hidden").write_text(solved(), encoding="utf-8")
    (tmp_path / "link.txt").symlink_to(tmp_path / "ann.txt")
    return tmp_path


# A text


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_best_result_counts_whatever_the_order(lang):
    ends = [
        solved(lang),
        solved(lang, "=12\n!"),
        solved(lang, "=1"),
        solved(lang, ""),
        solved(lang, "=65504"),
    ]
    for order in itertools.permutations(ends):
        assert read_reports("\n".join(order)) == [("largest-float16", "01_bits", 2, "solved", True)]
    assert read_reports(ends[3] + "\n" + ends[1])[0].end == "shown"


@pytest.mark.parametrize(
    "change",
    [
        lambda text: textwrap.indent(text, "    "),
        lambda text: textwrap.indent(text, "> "),
        lambda text: textwrap.indent(text, ">> > "),
        lambda text: textwrap.indent(text, "- "),
        lambda text: textwrap.indent(text, "• "),
        lambda text: textwrap.indent(text, "3. "),
        lambda text: text.replace(" ", "\u00a0"),
        lambda text: text.replace(" ", "  "),
        lambda text: text.replace(":", "：").replace(", lesson", "，lesson"),
        lambda text: text.replace("：", ":").replace("，", ", "),
        lambda text: f"```\n{text}\n```",
        repr,
        lambda text: "\ufeff" + text.replace("\n", "\r\n"),
        lambda text: "".join(f"**{line}**\n" for line in text.splitlines()),
    ],
)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_report_is_read_as_programs_and_people_leave_it(lang, change):
    assert read_reports(change(solved(lang))) == [("largest-float16", "01_bits", 2, "solved", True)]


def test_a_result_without_its_exercise_is_none():
    assert read_reports("Attempts: 1. Result: solved.") == []
    assert read_reports("Exercise largest-float16, lesson 01_bits") == []


# A class


def test_the_table_has_a_line_for_each_student(folder):
    done = call("grade", str(folder))
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    assert done.exit_code == 0
    names, _, *students = lines[: lines.index("Files that were not understood: 2")]
    assert names.split()[:13] == ["student", *(lesson[:2] for lesson in course())]
    assert [line.split()[0] for line in students] == ["=cmd()\\x1b[31m", "ann", "large", "link", "李华"]
    assert students[1].split()[-3:] == ["2", "0", "4"]
    assert students[4].split()[-3:] == ["0", "0", "1"]
    assert students[0].endswith("no report found")
    assert lines[-4:] == [
        "Files that were not understood: 2",
        "  large: large.txt: it has more than 1,000,000 bytes, and reports have fewer",
        "  link: link.txt: link.txt is a link or a socket, not a plain file",
        "Lines that were not understood: 0",
    ]
    assert "\x1b" not in done.stdout


def test_wide_characters_keep_the_columns(folder):
    lines = call("grade", str(folder)).stdout.splitlines()
    ends = {width(line[: line.index(f"{count}/")]) for line, count in ((lines[3], 0), (lines[6], 0))}
    assert len(ends) == 1


def test_as_csv_there_is_a_line_for_each_exercise_and_no_formula(folder):
    rows = rows_of(folder)
    assert ["ann", *FOUND] in rows
    assert ["ann", "06_run_experiments", "longest-skip", "solved", "2", "0", "1"] in rows
    assert ["李华", "03_why_fp32_copies", "sum-of-ones", "open", "0", "0", "1"] in rows
    assert rows[0][0] == "'=cmd()\\x1b[31m"


def test_as_json_there_is_an_object_for_each_student(folder):
    told = {one["name"]: one for one in json.loads(call("grade", str(folder), "--json").stdout)}
    first = {"exercise": "largest-float16", "lesson": "01_bits", "attempts": 2, "end": "solved", "hint": True}
    assert first in told["ann"]["reports"]
    assert [one["exercise"] for one in told["李华"]["reports"]] == ["largest-float16", "sum-of-ones"]
    assert told["large"]["reports"] == []
    assert len(told["large"]["files"]) == 1
    assert call("grade", str(folder), "--json", "--csv").exit_code == 2


def test_no_cell_begins_as_a_formula(tmp_path):
    (tmp_path / "＝1+1.txt").write_text(solved().replace("01_bits", "-1-1"), encoding="utf-8")
    (tmp_path / "ann").mkdir()
    (tmp_path / "ann" / "=1+1.txt").write_bytes(b"x" * (LARGEST_TEXT + 1))
    cells = [cell for row in rows_of(tmp_path) for cell in row]
    assert "'＝1+1" in cells
    assert "'-1-1" in cells
    assert not [cell for cell in cells if cell.startswith(("=", "＝", "-", "+", "@"))]


def test_names_are_sorted_as_people_count_and_weeks_do_not_undo_each_other(tmp_path):
    for name in ("s10", "S9", "s1"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "week2.txt").write_text(solved(record=""), encoding="utf-8")
        (tmp_path / name / "week10.txt").write_text(solved(), encoding="utf-8")
    assert rows_of(tmp_path) == [[name, *FOUND] for name in ("s1", "S9", "s10")]


def test_one_student_may_hand_in_files_of_several_kinds(tmp_path):
    (tmp_path / "li.txt").write_text(solved(), encoding="utf-8")
    (tmp_path / "li.md").write_text(mw.Exercise("sum-of-ones").report(), encoding="utf-8")
    (tmp_path / "li").mkdir()
    (tmp_path / "li" / "a.txt").write_text(mw.Exercise("tie-2051").report(), encoding="utf-8")
    assert {row[0] for row in rows_of(tmp_path)} == {"li"}
    assert {row[2] for row in rows_of(tmp_path)} == {"largest-float16", "sum-of-ones", "tie-2051"}


def test_exercises_that_the_course_does_not_have_are_told_apart(tmp_path):
    for name, exercise in (("ann", "ten-tenths"), ("bo", "eleven-tenths")):
        said = solved().replace("largest-float16", exercise)
        (tmp_path / f"{name}.txt").write_text(f"{solved()}\n{said}", encoding="utf-8")
    assert [row[-1] for row in rows_of(tmp_path)] == ["1", "0", "1", "0"]
    lines = call("grade", str(tmp_path)).stdout.splitlines()
    assert lines[2].split()[-3:] == ["1", "1", "4"]
    assert "Others, which the course does not have: eleven-tenths, ten-tenths" in lines


def test_lines_that_look_like_a_report_and_are_none_are_named(tmp_path):
    said = solved().splitlines()
    text = "\n".join(["Hello", said[0], *said[:-2], "Attempts: many. Result: solved.", *said])
    (tmp_path / "ann.txt").write_text(text, encoding="utf-8")
    (tmp_path / "bo.txt").write_text("Attempts: x.\n" * 1000, encoding="utf-8")
    lines = call("grade", str(tmp_path)).stdout.splitlines()
    start = lines.index("Lines that were not understood: 1003")
    assert lines[start + 1 : start + 5] == [
        "  ann: ann.txt, line 2: Exercise largest-float16, lesson 01_bits",
        "  ann: ann.txt, line 8: Attempts: many. Result: solved.",
        "  ann: ann.txt, line 3: Exercise largest-float16, lesson 01_bits",
        "  bo: bo.txt, line 1: Attempts: x.",
    ]
    assert lines[-1] == "  bo: and 980 more"


# Files


def notebook():
    printed = {"output_type": "stream", "name": "stdout", "text": solved().splitlines(keepends=True)}
    shown = {"output_type": "execute_result", "data": {"text/plain": [repr(solved("zh"))]}}
    code = {"cell_type": "code", "source": ["print(1)"], "outputs": [printed, shown, {}, None, 3]}
    return json.dumps({"cells": [code, None, {"cell_type": "markdown", "source": 3}], "nbformat": 4})


def page():
    body = "".join(f"<p>{html.escape(line)}&nbsp;</p>" for line in solved().splitlines())
    return f"<!DOCTYPE html><html><style>p {{}}</style><body>{body}</body></html>"


def mail(lang="zh", subtype="plain"):
    message = email.message.EmailMessage()
    message["From"], message["Subject"], message["Date"] = (
        "li@example.org",
        "作业",
        "Mon, 30 Nov 2026 09:00:00 +0800",
    )
    message.set_content(solved(lang) if subtype == "plain" else page(), subtype=subtype, cte="base64")
    return bytes(message)


def zipped(**files):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), content)
    return data.getvalue()


def document():
    lines = "".join(f"<w:p><w:r><w:t>{html.escape(line)}</w:t></w:r></w:p>" for line in solved().splitlines())
    xml = f'<?xml version="1.0"?><w:document><w:body>{lines}</w:body></w:document>'
    return zipped(word__document_xml=xml, word__styles_xml="<a/>")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("ann.txt", solved("zh").encode("utf-8-sig")),
        ("ann.txt", solved("zh").encode("utf-16")),
        ("ann.txt", solved("zh").encode("utf-16-le")),
        ("ann.txt", solved("en").encode("utf-16-be")),
        ("ann.txt", solved("zh").encode("gb18030")),
        ("ann.txt", ("Bäck, José\n" + solved()).encode("latin-1")),
        ("ann.ipynb", notebook().encode()),
        ("ann.html", page().encode()),
        ("ann", page().encode()),
        ("ann.eml", mail()),
        ("ann.txt", mail()),
        ("ann.eml", mail(subtype="html")),
        ("ann.zip", zipped(a_txt=solved(), b__c_ipynb=notebook())),
        ("ann.docx", document()),
    ],
)
def test_a_report_is_read_from_what_students_hand_in(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    assert rows_of(tmp_path) == [["ann", *FOUND]]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("ann.pdf", b"%PDF-1.7", "a PDF; ask for a text file"),
        ("ann.rar", b"Rar!\x1a\x07", "a RAR archive; ask for a text file"),
        ("ann.tgz", b"\x1f\x8b\x08", "a gzip archive; ask for a text file"),
        ("ann.txt", b"\x89PNG", "a picture; ask for a text file"),
        ("ann.txt", b"\0" * 999, "not a text"),
        ("ann.ipynb", b"[" * 100_000, "not a notebook: its JSON cannot be read"),
        ("ann.ipynb", b"{", "not a notebook: its JSON cannot be read"),
        ("ann.zip", b"PK\x03\x04 and no more", "an archive that cannot be read (BadZipFile)"),
        ("ann.zip", zipped(a_txt="\n" * 10_000_000), "its files have more bytes than reports have"),
        ("ann.zip", zipped(a_zip=zipped(b_txt="")), "an archive in an archive"),
        ("ann.zip", zipped(a_pdf=b"%PDF"), "a PDF; ask for a text file"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path, name, content, said):
    (tmp_path / name).write_bytes(content)
    (student, *_, first), (_, _, _, second, *_) = [row[:4] for row in rows_of(tmp_path)]
    assert (student, first) == ("ann", "no report found")
    assert second.startswith(f"not understood: {name}")
    assert second.endswith(said)


def test_what_is_no_folder_is_told(folder):
    done = call("grade", str(folder / "ann.txt"))
    assert done.exit_code == 2
    assert "name the folder of the students" in done.stderr


def test_every_exercise_of_the_course_is_counted():
    assert sum(map(len, course().values())) == len(questions()) + len(TASKS)
