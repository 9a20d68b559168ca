"""Without what only POSIX has, as on Windows: what needs no process of its own works, the rest says so."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import mixwidgets
from tests.windows.hidden import ARGUMENTS, MODULES, NAMES
from tests.windows.journeys import JOURNEYS

ROOT = Path(mixwidgets.__file__).parent


@pytest.fixture(scope="module")
def errors(tmp_path_factory):
    """By journey; "" of one that went well."""
    hidden = ["tests.windows.hidden"] if os.name == "posix" else []
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", *hidden, "tests.windows.journeys"],
        cwd=ROOT.parent,
        env={**os.environ, "TMPDIR": os.fspath(tmp_path_factory.mktemp("windows"))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return dict(map(json.loads, done.stdout.splitlines()))


@pytest.mark.parametrize("journey", JOURNEYS)
def test_a_journey(errors, journey):
    assert errors[journey] == ""


def posix_in(source):
    """What Windows lacks of the names in this source."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Attribute(value=ast.Name(id=module), attr=name) if name in NAMES.get(module, ()):
                found.add(f"{module}.{name}")
            case ast.Import(names=names):
                found.update({one.name for one in names}.intersection(MODULES))
            case ast.ImportFrom(module=module, names=names):
                found.update({module}.intersection(MODULES))
                found.update({one.name for one in names}.intersection(NAMES.get(module, ())))
            case ast.Call(keywords=keywords):
                found.update({one.arg for one in keywords}.intersection(ARGUMENTS))
    return found


def test_what_is_posix_stands_in_one_module():
    sources = {path: posix_in(path.read_text(encoding="utf-8")) for path in ROOT.rglob("*.py")}
    assert [path.relative_to(ROOT).as_posix() for path, found in sources.items() if found] == [
        "runs/store/system.py"
    ]


@pytest.mark.parametrize(
    "source",
    [
        "import fcntl",
        "from pwd import getpwuid",
        "from os import fork",
        "os.kill(1, signal.SIGKILL)",
        "socket.send_fds(end, [b''], [1])",
        "subprocess.Popen('ls', start_new_session=True)",
    ],
)
def test_what_is_posix_is_noticed(source):
    assert len(posix_in(source)) == 1
