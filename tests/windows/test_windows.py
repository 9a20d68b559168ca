"""Without what only POSIX has, as on Windows: what needs no process of its own works, the rest says so."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import mixwidgets
from tests.windows.hidden import MODULES, OF_OS, OF_SIGNAL
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


def test_what_is_posix_stands_in_one_module():
    found = {}
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                names = [node.attr] if node.value.id in ("os", "signal") else []
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module, *(alias.name for alias in node.names)]
            for name in {*MODULES, *OF_OS, *OF_SIGNAL}.intersection(names):
                found.setdefault(path.relative_to(ROOT).as_posix(), set()).add(name)
    assert list(found) == ["store/system.py"]
