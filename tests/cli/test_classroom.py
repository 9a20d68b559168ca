"""mixwidgets lab --classroom: a copy of the course, in which no work of the student's is ever lost."""

import json
import os
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

from mixwidgets.teaching import course
from tests.cli.calling import call

FIRST = "00_start_here.ipynb"


def lesson(words):
    cell = {"cell_type": "markdown", "id": "a-b", "metadata": {}, "source": [words]}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


@pytest.fixture
def lessons(tmp_path, monkeypatch):
    """A small course in the package's place: two lessons and a Chinese one."""
    folder = tmp_path / "package" / "notebooks"
    (folder / "zh").mkdir(parents=True)
    for name in (FIRST, "01_bits.ipynb", f"zh/{FIRST}"):
        (folder / name).write_text(lesson(f"{name}, first edition"))
    (folder / "zh" / "01_bits.md").write_text("a source of the lessons, and no lesson")
    monkeypatch.setattr(course, "PACKAGE", folder.parent)
    return folder


@pytest.fixture
def opened(monkeypatch, tmp_path):
    """What JupyterLab is called with, in a folder where nothing is."""
    called = []
    monkeypatch.setattr(subprocess, "call", lambda command, env: called.append(command) or 0)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("MIXWIDGETS_LANG", "en")
    return called


def told(path):
    return json.loads(path.read_text())["cells"][0]["source"][0]


def everything(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def test_the_figures_of_the_lessons_are_beside_the_copies(lessons, tmp_path):
    for place in ("five_steps.svg", "zh/five_steps.svg"):
        (lessons / place).write_text(f"<svg/> of {place}")
    assert [*map(str, course.copy_course(tmp_path / "mine"))] == [
        "00_start_here.ipynb",
        "01_bits.ipynb",
        "zh/00_start_here.ipynb",
    ]
    assert (tmp_path / "mine/zh/five_steps.svg").read_text() == "<svg/> of zh/five_steps.svg"
    (tmp_path / "mine/five_steps.svg").write_text("a drawing of the student's own")
    course.copy_course(tmp_path / "mine")
    assert (tmp_path / "mine/five_steps.svg").read_text() == "a drawing of the student's own"


def test_it_opens_a_copy_of_the_whole_course(lessons, opened):
    assert call("lab", "--classroom", "mine", "--no-browser").exit_code == 0
    assert opened[0][-2:] == [f"mine/{FIRST}", "--no-browser"]
    assert set(everything(Path("mine"))) == {FIRST, "01_bits.ipynb", f"zh/{FIRST}"}
    assert told(Path("mine", "01_bits.ipynb")) == "01_bits.ipynb, first edition"


@pytest.mark.parametrize(
    ("arguments", "hub"),
    [(["--copy-only"], ""), (["--classroom"], "/user/ada/"), (["--copy-only"], "/user/ada/")],
)
def test_the_course_is_copied_and_named_where_nothing_can_be_opened(
    lessons, opened, arguments, hub, monkeypatch
):
    if hub:
        monkeypatch.setenv("JUPYTERHUB_SERVICE_PREFIX", hub)
    result = call("lab", *arguments, "mine")
    assert (result.exit_code, opened) == (0, [])
    assert f"The course is in {Path('mine').absolute()}" in result.stdout
    assert f"Open {FIRST} there" in result.stdout
    assert set(everything(Path("mine"))) == {FIRST, "01_bits.ipynb", f"zh/{FIRST}"}


def test_on_a_hub_no_second_server_is_started(opened, monkeypatch):
    monkeypatch.setenv("JUPYTERHUB_SERVICE_PREFIX", "/user/ada/")
    result = call("lab")
    assert (result.exit_code, opened) == (2, [])
    assert "your JupyterLab runs already" in result.stderr


def test_a_folder_and_the_language_need_not_be_named(lessons, opened, monkeypatch):
    monkeypatch.setenv("MIXWIDGETS_LANG", "zh")
    assert call("lab", "--classroom", "--no-browser").exit_code == 0
    assert opened[0][-2:] == [f"mixwidgets-course/zh/{FIRST}", "--no-browser"]
    (lessons / "zh" / FIRST).unlink()
    assert call("lab", "--classroom", "other").exit_code == 0
    assert opened[1][-1] == f"other/{FIRST}"  # what there is of the course


def test_the_wrong_language_is_one_sentence(lessons, opened, monkeypatch):
    monkeypatch.setenv("MIXWIDGETS_LANG", "xx")
    result = call("lab", "--classroom")
    assert result.exit_code == 2
    assert 'MIXWIDGETS_LANG is "en" or ' in result.stderr
    assert opened == []


def test_a_second_start_changes_nothing_and_brings_back_what_is_gone(lessons, opened):
    mine = Path("mine")
    call("lab", "--classroom", mine)
    changed = json.loads((mine / "01_bits.ipynb").read_text())
    changed["cells"][0]["source"] = ["my own work"]  # JupyterLab keeps the metadata
    (mine / "01_bits.ipynb").write_text(json.dumps(changed))
    (mine / "notes.txt").write_text("of mine")
    (mine / FIRST).unlink()
    call("lab", "--classroom", mine)
    assert set(everything(mine)) == {FIRST, "01_bits.ipynb", f"zh/{FIRST}", "notes.txt"}
    assert told(mine / "01_bits.ipynb") == "my own work"
    assert told(mine / FIRST) == f"{FIRST}, first edition"


@pytest.mark.parametrize("work", ["{", '{"metadata": 3}', lesson("not of this course"), "[" * 100_000])
def test_a_newer_lesson_is_put_beside_whatever_is_there(lessons, opened, work):
    mine = Path("mine")
    call("lab", "--classroom", mine)
    (mine / "01_bits.ipynb").write_text(work)
    (lessons / FIRST).write_text(lesson("second edition"))
    before = everything(mine)
    for _ in range(2):  # the second start finds all in place
        result = call("lab", "--classroom", mine)
        after = everything(mine)
        assert before.items() <= after.items()
        assert set(after) - set(before) == {"00_start_here_2.ipynb", "01_bits_2.ipynb"}
        assert opened[-1][-1] == "mine/00_start_here_2.ipynb"
        assert "mine/00_start_here_2.ipynb is the course's 00_start_here.ipynb now" in result.stdout
    assert told(mine / "00_start_here_2.ipynb") == "second edition"


def test_links_are_never_written_through(lessons, opened, tmp_path):
    mine, elsewhere = Path("mine"), tmp_path / "elsewhere"
    mine.mkdir()
    elsewhere.write_text("not a notebook")
    (mine / FIRST).symlink_to(elsewhere)
    (mine / "01_bits.ipynb").symlink_to(tmp_path / "nowhere")
    call("lab", "--classroom", mine)
    assert elsewhere.read_text() == "not a notebook"
    assert not (tmp_path / "nowhere").exists()
    assert (mine / FIRST).is_symlink()
    assert told(mine / "00_start_here_2.ipynb") == f"{FIRST}, first edition"
    assert told(mine / "01_bits_2.ipynb") == "01_bits.ipynb, first edition"


def test_two_starts_at_once_make_one_copy(lessons):
    mine = Path(lessons.parents[1], "mine")
    for number in range(20):
        (lessons / f"{number + 2:02}.ipynb").write_text(lesson(f"lesson {number}"))
    with ThreadPoolExecutor(8) as several:
        found = list(several.map(course.copy_course, [mine] * 8))
    assert all(one == found[0] for one in found)
    assert set(everything(mine)) == {name.as_posix() for name in found[0]}


def test_an_interrupted_copy_leaves_no_half_and_the_next_start_ends_it(lessons, opened, monkeypatch):
    def interrupted(source, target):
        assert told(Path(source))  # the whole of it is on disk before its name is taken
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(os, "link", interrupted)
        assert call("lab", "--classroom", "mine").exit_code != 0
    assert everything(Path("mine")) == {}
    assert opened == []
    assert call("lab", "--classroom", "mine").exit_code == 0
    assert told(Path("mine", FIRST)) == f"{FIRST}, first edition"


def test_a_drive_without_links_keeps_what_is_there_too(lessons, opened, monkeypatch):
    def refused(source, target):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refused)
    for _ in range(2):
        assert call("lab", "--classroom", "mine").exit_code == 0
        assert set(everything(Path("mine"))) == {FIRST, "01_bits.ipynb", f"zh/{FIRST}"}


def test_what_cannot_be_is_one_sentence(lessons, opened, monkeypatch):
    Path("file").write_text("of mine")
    result = call("lab", "--classroom", "file")
    assert result.exit_code == 2
    assert "'file' is a file; open it without --classroom, or name a folder" in result.stderr
    for inside in (lessons, lessons / "zh"):
        result = call("lab", "--classroom", inside)
        assert result.exit_code == 2
        assert "holds the course itself; name a folder of your own" in result.stderr
    monkeypatch.setattr(course, "PACKAGE", Path("nowhere", "package"))
    result = call("lab", "--classroom", "mine")
    assert result.exit_code == 2
    assert "has no lessons" in result.stderr
    assert opened == []
    assert Path("file").read_text() == "of mine"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_one_sentence_unless_all_is_there(lessons, opened):
    mine = Path("mine")
    mine.mkdir(mode=0o500)
    result = call("lab", "--classroom", mine)
    assert result.exit_code == 2
    assert "Permission denied" in result.stderr
    mine.chmod(0o700)
    call("lab", "--classroom", mine)
    mine.chmod(0o500)
    assert call("lab", "--classroom", mine).exit_code == 0
    mine.chmod(0o700)


def test_a_folder_that_refuses_is_one_sentence(lessons, opened, monkeypatch):
    """As the test above, which root cannot run."""

    def refused(path, data):
        raise PermissionError(13, "Permission denied", str(path))

    call("lab", "--classroom", "full")
    monkeypatch.setattr(course, "create_file", refused)
    result = call("lab", "--classroom", "mine")
    assert result.exit_code == 2
    assert "Permission denied: mine/" in result.stderr
    assert call("lab", "--classroom", "full").exit_code == 0  # nothing is to be written there


def test_a_wheel_brings_the_lessons_and_no_runs(tmp_path):
    """Built without a network, unpacked, and used as an installed package would be."""
    root = Path(__file__).parents[2]
    builder = WheelBuilder(str(root))
    [wheel] = builder.build(directory=str(tmp_path))
    code = """
import sys, zipfile
from pathlib import Path
wheel, site = sys.argv[1:]
zipfile.ZipFile(wheel).extractall(site)
sys.path.insert(0, site)
from mixwidgets.teaching import course
assert course.course_folder() == Path(site, "mixwidgets", "notebooks")
found = course.course_folder()
print(*sorted(path.relative_to(found) for path in found.rglob("*.*")), sep="\\n")
print(len(course.copy_course(Path("mine"))), (Path("mine") / course.FIRST).exists())
"""
    command = [sys.executable, "-c", code, wheel, tmp_path / "site"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    *brought, copied = done.stdout.splitlines()
    with zipfile.ZipFile(wheel) as files:
        (notices,) = [
            name
            for name in files.namelist()
            if name.endswith("licenses/mixwidgets/static/THIRD_PARTY_NOTICES.txt")
        ]
        text = files.read(notices).decode()
    for package in json.loads((root / "package.json").read_text())["dependencies"]:
        assert (
            f"\n{package} " in text
        )  # what the pages are built with; the others are by the build's own list
    lessons, figures = (
        [*(root / "notebooks").glob(f"*.{kind}"), *(root / "notebooks").glob(f"zh/*.{kind}")]
        for kind in ("ipynb", "svg")
    )
    assert brought == sorted(str(path.relative_to(root / "notebooks")) for path in [*lessons, *figures])
    assert copied == f"{len(lessons)} True"
    # Where a module's path were another in the package, hatchling would refuse an editable install.
    assert all(
        file.path.endswith(file.distribution_path)
        for file in builder.recurse_selected_project_files()
        if file.path.endswith(".py")
    )


def test_a_checkout_has_the_lessons_beside_the_package():
    assert course.course_folder() == Path(__file__).parents[2] / "notebooks"
