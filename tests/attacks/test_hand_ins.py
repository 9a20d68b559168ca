"""One bad hand-in costs a sentence: `mixwidgets grade` in a process with little memory and time."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import mixwidgets as mw
from mixwidgets.teaching.exercises.handed_in import LARGEST_TEXT, MOST_FILES

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits a child's memory, and makes a FIFO")

LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_CPU, (30, 30))
resource.setrlimit(resource.RLIMIT_DATA, (600 << 20, 600 << 20))
from mixwidgets.cli import app
app(["grade", sys.argv[1]])
"""


def a_fifo(folder):
    os.mkfifo(folder / "bad.txt")


def a_folder_with_a_fifo(folder):
    (folder / "bad").mkdir()
    os.mkfifo(folder / "bad" / "report.txt")


def a_path_too_long(folder):
    (folder / "bad").mkdir()
    before = os.open(".", os.O_RDONLY)
    try:
        os.chdir(folder / "bad")
        for _ in range(25):
            Path("x" * 200).mkdir()
            os.chdir("x" * 200)
    finally:
        os.fchdir(before)
        os.close(before)


def an_unreadable_file(folder):
    (folder / "bad").mkdir()
    (folder / "bad" / "report.txt").symlink_to("/proc/self/mem")


def many_files_of_zeros(folder):
    (folder / "bad").mkdir()
    for number in range(1500):
        with (folder / "bad" / f"{number}.txt").open("wb") as file:
            file.truncate(LARGEST_TEXT)


def many_long_files(folder):
    (folder / "bad").mkdir()
    for number in range(MOST_FILES + 1):
        (folder / "bad" / f"{number}.txt").write_bytes(b"Attempts: 1.\n" * 2_000)


def an_endless_file(folder):
    with (folder / "bad.txt").open("wb") as file:
        file.truncate(1 << 40)


def an_inflating_archive(folder):
    archive = zipfile.ZipFile(folder / "bad.zip", "w", zipfile.ZIP_DEFLATED)
    with archive, archive.open("report.txt", "w") as member:
        for _ in range(20):
            member.write(bytes(1 << 20))


def a_deep_page(folder):
    (folder / "bad.html").write_text("<html>" + "<div><a b=" * 90_000, encoding="utf-8")


@pytest.mark.parametrize(
    "attack",
    [
        *(a_fifo, a_path_too_long, many_files_of_zeros),
        *(
            pytest.param(attack, marks=pytest.mark.slow)
            for attack in (
                *(a_folder_with_a_fifo, an_unreadable_file, many_long_files),
                *(an_endless_file, an_inflating_archive, a_deep_page),
            )
        ),
    ],
)
def test_it_is_that_students_line_and_the_others_are_read(tmp_path, attack):
    solved = mw.Exercise("largest-float16", lang="en", _record="=65504").report()
    for name in ("ann.txt", "zoe.txt"):
        (tmp_path / name).write_text(solved, encoding="utf-8")
    attack(tmp_path)
    command = [sys.executable, "-P", "-c", LIMITED, os.fspath(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    rows = {line.split()[0]: line.split() for line in done.stdout.splitlines() if line.strip()}
    assert rows["ann"][-3:] == rows["zoe"][-3:] == ["1", "0", "1"]
    assert rows["bad"][-3:] == ["no", "report", "found"]
    assert "not understood: 0\nLines that were not understood: 0" not in done.stdout or attack is a_deep_page
    assert len(done.stdout.splitlines()) < MOST_FILES + 50
