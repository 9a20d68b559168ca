"""A site is exported into a folder that somebody else prepared: refused at once, and nothing is touched."""

import hashlib
import json
import os
import subprocess
import sys

import pytest

from mixwidgets.teaching.site.folder import MARK

EXPORT = """
import resource, sys
from pathlib import Path
from mixwidgets.teaching.site.folder import write_site

resource.setrlimit(resource.RLIMIT_DATA, (300 << 20, 300 << 20))
try:
    write_site(Path(sys.argv[1]), {"index.html": b"page", "zh/index.html": b"page"})
except FileExistsError as error:
    print(error.filename)
"""


def a_pipe(site, theirs):
    os.mkfifo(site / "index.html")


def a_device(site, theirs):
    (site / "index.html").symlink_to("/dev/zero")


def a_huge_page(site, theirs):
    with (site / "index.html").open("wb") as file:
        file.truncate(1 << 40)  # a hole: it takes no room


def a_link_to_a_file(site, theirs):
    (site / "index.html").symlink_to(theirs / "index.html")


def a_link_to_a_folder(site, theirs):
    (site / "zh").symlink_to(theirs)


def a_mark_that_leads_out(site, theirs):
    content = json.loads((site / MARK).read_text())
    content["files"]["../theirs/index.html"] = content["files"]["zh/index.html"]
    (site / MARK).write_text(json.dumps(content))


def a_huge_mark(site, theirs):
    with (site / MARK).open("wb") as file:
        file.truncate(1 << 40)


ATTACKS = (
    *(a_pipe, a_device, a_huge_page, a_link_to_a_file, a_link_to_a_folder, a_mark_that_leads_out),
    a_huge_mark,
)


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_prepared_folder_is_refused(tmp_path, attack):
    """Its mark knows the content of a user's file, so that the file would be replaced or removed."""
    site, theirs = tmp_path / "site", tmp_path / "theirs"
    site.mkdir()
    theirs.mkdir()
    (theirs / "index.html").write_bytes(b"mine")
    known = [hashlib.sha256(b"mine").hexdigest()]
    (site / MARK).write_text(json.dumps({"files": {"index.html": known, "zh/index.html": known}}))
    attack(site, theirs)
    done = subprocess.run(
        [sys.executable, "-c", EXPORT, os.fspath(site)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.strip(), "it was written"
    assert [path.name for path in theirs.iterdir()] == ["index.html"]
    assert (theirs / "index.html").read_bytes() == b"mine"
