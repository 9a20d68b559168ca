"""Where a site may be written, what becomes of what was there, and what is told when writing fails."""

import errno
import json
import os

import pytest

from mixwidgets.teaching.site.folder import MARK, write_site

PAGES = {"index.html": b"<p>one", "zh/index.html": b"<p>eins"}
LATER = {"index.html": b"<p>two", "more.html": b"<p>more"}


def found(folder):
    """Every file, and every empty folder, by its path."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b""
        for path in folder.rglob("*")
        if path.is_file() or not any(path.iterdir())
    }


def pages(folder):
    return {name: data for name, data in found(folder).items() if name != MARK}


def test_a_new_folder_an_empty_one_and_a_former_site_are_written_to(tmp_path):
    folder = tmp_path / "deep" / "site"
    write_site(folder, PAGES)
    assert pages(folder) == PAGES
    write_site(folder, PAGES)
    assert pages(folder) == PAGES
    (tmp_path / "empty").mkdir()
    write_site(tmp_path / "empty", PAGES)
    assert found(tmp_path / "empty") == found(folder)
    (tmp_path / "repository" / ".git").mkdir(parents=True)
    write_site(tmp_path / "repository", PAGES)
    assert found(tmp_path / "repository") == {**found(folder), ".git": b""}


def test_a_later_site_replaces_pages_removes_its_own_and_keeps_the_user_s(tmp_path):
    write_site(tmp_path, PAGES)
    (tmp_path / "CNAME").write_bytes(b"example.org")
    (tmp_path / "zh" / "notes.html").write_bytes(b"mine")
    write_site(tmp_path, LATER)
    assert pages(tmp_path) == {**LATER, "CNAME": b"example.org", "zh/notes.html": b"mine"}
    assert json.loads((tmp_path / MARK).read_text(encoding="utf-8"))["files"].keys() == LATER.keys()


@pytest.mark.parametrize("name", ["thesis.tex", "index.html", ".hidden"])
def test_a_folder_with_other_files_is_refused_and_stays_as_it_was(tmp_path, name):
    (tmp_path / name).write_bytes(b"years of work")
    with pytest.raises(FileExistsError, match=r"not a site's.*name a new or an empty folder"):
        write_site(tmp_path, PAGES)
    assert found(tmp_path) == {name: b"years of work"}


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "site").write_bytes(b"text")
    with pytest.raises(FileExistsError, match="this is a file; name a folder"):
        write_site(tmp_path / "site", PAGES)
    assert (tmp_path / "site").read_bytes() == b"text"


@pytest.mark.parametrize("name", ["index.html", "zh/index.html", "more.html"])
def test_what_no_export_wrote_is_not_overwritten_nor_removed(tmp_path, name):
    write_site(tmp_path, PAGES)
    (tmp_path / name).write_bytes(b"edited by hand")
    before = found(tmp_path)
    with pytest.raises(FileExistsError, match=r"not as an export wrote it.*move it away") as raised:
        write_site(tmp_path, LATER)
    assert raised.value.filename == str(tmp_path / name)
    assert found(tmp_path) == before


def test_a_folder_or_a_dead_link_in_a_page_s_place_is_refused(tmp_path):
    write_site(tmp_path, PAGES)
    for make in (lambda path: path.mkdir(), lambda path: path.symlink_to(tmp_path / "nowhere")):
        make(tmp_path / "more.html")
        with pytest.raises(FileExistsError, match="not as an export wrote it"):
            write_site(tmp_path, LATER)
        remove = os.unlink if (tmp_path / "more.html").is_symlink() else os.rmdir
        remove(tmp_path / "more.html")
    assert pages(tmp_path) == PAGES


def test_a_file_in_the_place_of_a_page_s_folder_is_refused(tmp_path):
    write_site(tmp_path, {"index.html": b"<p>one"})
    (tmp_path / "zh").write_bytes(b"mine")
    before = found(tmp_path)
    with pytest.raises(FileExistsError, match="not as an export wrote it") as raised:
        write_site(tmp_path, PAGES)
    assert raised.value.filename == str(tmp_path / "zh")
    assert found(tmp_path) == before


@pytest.mark.parametrize(
    "mark",
    [b"", b"{", b"[]", b'{"files": 3}', b'{"files": {"a": 3}}', b"\xff", b'{"files": {}}' + b" " * (2 << 20)],
)
def test_a_mark_that_cannot_be_read_marks_nothing(tmp_path, mark):
    (tmp_path / MARK).write_bytes(mark)
    (tmp_path / "index.html").write_bytes(b"mine")
    with pytest.raises(FileExistsError, match=f"no readable {MARK}"):
        write_site(tmp_path, PAGES)
    assert found(tmp_path) == {MARK: mark, "index.html": b"mine"}


@pytest.mark.parametrize("name", ["../kept.txt", "zh/../../kept.txt", "{}/kept.txt"])
def test_a_mark_reaches_no_file_outside(tmp_path, name):
    kept = tmp_path / "kept.txt"
    kept.write_bytes(b"")
    folder = tmp_path / "site"
    folder.mkdir()
    sha_of_nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    text = json.dumps({"files": {name.format(tmp_path): [sha_of_nothing]}})
    (folder / MARK).write_text(text, encoding="utf-8")
    with pytest.raises(FileExistsError, match="names a file that is not in this folder"):
        write_site(folder, PAGES)
    assert kept.exists()
    assert found(folder) == {MARK: text.encode()}


@pytest.mark.parametrize("after", range(5))
def test_a_write_that_fails_is_told_and_the_next_export_completes_the_site(tmp_path, monkeypatch, after):
    folder = tmp_path / "site"
    write_site(folder, PAGES)
    (folder / "CNAME").write_bytes(b"example.org")
    write, count = os.write, iter(range(100))

    def full(descriptor, data):
        if next(count) >= after:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(descriptor, data)

    monkeypatch.setattr(os, "write", full)
    if after < 4:  # the mark, two pages, the mark again
        with pytest.raises(OSError, match=r"incomplete \(No space left.*export again"):
            write_site(folder, LATER)
    monkeypatch.undo()
    for name, data in pages(folder).items():  # each page is whole: an old one or a new one
        assert data in (PAGES.get(name), LATER.get(name), b"example.org")
    write_site(folder, LATER)
    assert pages(folder) == {**LATER, "CNAME": b"example.org"}
