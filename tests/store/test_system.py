"""What macOS's programs say of a process, in place of Linux's /proc."""

import sys

import pytest

from mixwidgets.runs.store import system

# As POSIX has ps: after "=" the rest of an -o is the title of its last column.
PS = """
import sys
says = {"stat": "S+", "lstart": "Wed Nov 25 17:32:23 2026  ", "args": "python -m mixwidgets.training /one"}
chosen = [word.partition("=") for flag, word in zip(sys.argv, sys.argv[1:]) if flag == "-o"]
columns = [name for names, _, _ in chosen for name in names.split(",")]
titles = [title for _, _, title in chosen if title]
if sys.argv[-1] != "7":
    sys.exit(1)
print("".join(f"{title}\\n" for title in titles) + " ".join(says[name] for name in columns))
"""


@pytest.fixture
def macos(monkeypatch, tmp_path):
    """No /proc, and a `ps` that knows the process 7 alone."""
    (tmp_path / "ps.py").write_text(PS)
    # A first line of a script may be neither long nor hold blanks, as the path of a Python may.
    (tmp_path / "ps").write_text(f'#!/bin/sh\nexec "{sys.executable}" "{tmp_path}/ps.py" "$@"\n')
    (tmp_path / "ps").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(system, "_PROC", tmp_path / "proc")


def test_a_process_is_told_by_its_start(macos):
    assert system.process_start(7) == "Wed Nov 25 17:32:23 2026"
    assert system.process_start(8) == ""


def test_its_command_line_is_what_it_was_started_with(macos):
    assert system.command_line(7) == b"python -m mixwidgets.training /one"
    assert system.command_line(8) == b""


def test_one_that_has_ended_has_no_start(macos, tmp_path):
    (tmp_path / "ps.py").write_text(PS.replace('"S+"', '"Z"'))
    assert system.process_start(7) == ""


def test_without_such_a_program_nothing_is_known(macos, tmp_path):
    (tmp_path / "ps").unlink()
    assert (system.process_start(7), system.command_line(7)) == ("", b"")
