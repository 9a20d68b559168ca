"""A kernel says when its server has another anywidget, whose pages would draw nothing."""

import json
import subprocess
import sys
import warnings
from importlib.metadata import version
from pathlib import Path

import pytest

import mixwidgets as mw
from mixwidgets.floats.widgets.server import compare_anywidget
from tests.waiting import until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@pytest.fixture
def server(tmp_path, monkeypatch):
    """Makes a process that looks like the server of another environment with this version."""
    started = []

    def start(text):
        folder = tmp_path / "share" / "jupyter" / "labextensions" / "anywidget"
        folder.mkdir(parents=True)
        (folder / "package.json").write_text(text)
        process = subprocess.Popen([str(tmp_path / "bin" / "python"), "600"], executable="/bin/sleep")
        started.append(process)
        until(Path("/proc", str(process.pid), "cmdline").read_bytes)  # it has a name once it runs
        monkeypatch.setenv("JPY_PARENT_PID", str(process.pid))
        compare_anywidget.cache_clear()

    yield start
    compare_anywidget.cache_clear()
    for process in started:
        process.kill()
        process.wait()


def test_another_minor_version_is_told_once(server):
    server(json.dumps({"version": "0.1.7"}))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        mw.BitEditor()
        mw.NumberLine()
    (warning,) = told
    assert warning.category is RuntimeWarning
    assert f"anywidget 0.1.7, this kernel has {version('anywidget')}" in str(warning.message)
    assert "'anywidget==0.1.*'" in str(warning.message)


@pytest.mark.parametrize("text", [json.dumps({"version": version("anywidget")}), "{", "[]", "{}"])
def test_the_same_and_what_cannot_be_read_say_nothing(server, text):
    server(text)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mw.BitEditor()
