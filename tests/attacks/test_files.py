"""What is saved touches no file but its own."""

import os
import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

import mixwidgets as mw
from mixwidgets.runs.store.queue import queue_of
from mixwidgets.support import files


def test_a_users_own_files_beside_a_page_stay(tmp_path):
    theirs = {tmp_path / name: name.encode() for name in ("page.html.new", ".page.html", "page.html~")}
    for path, content in theirs.items():
        path.write_bytes(content)
    mw.BitEditor(1).save(tmp_path / "page.html")
    assert {path: path.read_bytes() for path in theirs} == theirs
    assert {path.name for path in tmp_path.iterdir()} == {"page.html", *(path.name for path in theirs)}


def test_many_saves_at_once(tmp_path):
    editors = [mw.BitEditor(number) for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda editor: editor.save(tmp_path / "page.html"), editors * 10))
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
    assert (tmp_path / "page.html").read_text().endswith("</html>\n")


def test_a_failed_save_leaves_nothing(tmp_path, monkeypatch):
    def fail(*_):
        raise OSError("no")

    monkeypatch.setattr("mixwidgets.support.files.rename", fail)
    try:
        mw.BitEditor(1).save(tmp_path / "page.html")
    except OSError:
        assert list(tmp_path.iterdir()) == []
    else:
        raise AssertionError("it was saved")


def test_a_private_page_stays_private(tmp_path):
    path = mw.BitEditor(1).save(tmp_path / "page.html")
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask()
    path.chmod(0o600)
    mw.BitEditor(2).save(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def umask():
    os.umask(mask := os.umask(0))
    return mask


def test_what_does_not_fit_on_the_disk_is_no_record(tmp_path, monkeypatch):
    monkeypatch.setattr(files.os, "write", lambda *_: 0)
    with pytest.raises(OSError, match="no room left on the disk"):
        mw.BitEditor(1).save(tmp_path / "page.html")
    monkeypatch.undo()
    assert list(tmp_path.iterdir()) == []


def test_the_queue_may_be_in_the_home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", os.fspath(tmp_path))
    monkeypatch.setenv("MIXWIDGETS_QUEUE", "~/somewhere/else")
    assert queue_of("cpu") == tmp_path / "somewhere" / "else" / "cpu"
