"""Editors know the public names' types: pyright accepts a right script and reports typical mistakes."""

import ast
import inspect
import json
import subprocess
import sys
from pathlib import Path
from typing import get_type_hints

import pytest

import mixwidgets as mw
from mixwidgets.floats.widgets.base import MixWidget

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
NODE = Path(sys.executable).with_name("node")
PUBLIC = [getattr(mw, name) for name in mw.__all__]
WIDGETS = [kind for kind in PUBLIC if isinstance(kind, type) and issubclass(kind, MixWidget)]


@pytest.fixture(scope="module")
def reported(tmp_path_factory) -> dict[str, dict[int, str]]:
    """What pyright reports in its strict mode: the first message by file and line."""
    folder = tmp_path_factory.mktemp("pyright")
    for name in ("right.py", "mistakes.py"):
        (folder / name).write_bytes((HERE / name).read_bytes())
    settings = {"typeCheckingMode": "strict", "extraPaths": [str(ROOT)], "pythonVersion": "3.11"}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    pyright = ROOT / "node_modules/pyright/index.js"
    assert pyright.exists(), "pyright is missing: `npm ci` installs it"
    command = [NODE, pyright, "--outputjson", "--pythonpath", sys.executable, "-p", folder]
    done = subprocess.run(command, capture_output=True, text=True, timeout=250, check=False)
    answer = json.loads(done.stdout)
    assert answer["summary"]["filesAnalyzed"] == 2
    found: dict[str, dict[int, str]] = {"right.py": {}, "mistakes.py": {}}
    for one in answer["generalDiagnostics"]:
        if one["severity"] == "error":
            line = one["range"]["start"]["line"] + 1
            found[Path(one["file"]).name].setdefault(line, one["message"])
    return found


def test_a_right_script_passes_the_strict_mode(reported):
    assert reported["right.py"] == {}


def test_each_typical_mistake_is_reported(reported):
    lines = (HERE / "mistakes.py").read_text(encoding="utf-8").splitlines()
    wrong = {number for number, line in enumerate(lines, 1) if line.endswith("# wrong")}
    assert len(wrong) >= 10
    assert set(reported["mistakes.py"]) == wrong, reported["mistakes.py"]


def test_the_static_names_are_the_lazy_ones():
    stub = ast.parse((ROOT / "mixwidgets/__init__.pyi").read_text(encoding="utf-8"))
    static = {
        alias.asname: f"{node.module}.{alias.name}"
        for node in stub.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    lazy = {name: f"mixwidgets.{module}.{name}" for name, module in mw._MODULES.items()}
    assert static == lazy


@pytest.mark.parametrize("widget", WIDGETS, ids=lambda widget: widget.__name__)
def test_every_trait_that_a_constructor_takes_is_a_named_keyword(widget):
    parameters = inspect.signature(widget.__init__).parameters
    rest = next(one for one in parameters.values() if one.kind is one.VAR_KEYWORD)
    (keywords,) = rest.annotation.__args__  # Unpack[…]
    named = {*parameters, *get_type_hints(keywords)}
    ours = [base for base in widget.__mro__ if issubclass(base, MixWidget)]
    traits = {name for base in ours for name in base.class_own_traits() if not name.startswith("_")}
    assert traits - named == set()
    assert set(get_type_hints(keywords)) <= set(widget.class_trait_names())
