"""No command, and no process that one starts, imports a module from the folder in which it is started."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from mixwidgets.cli import app
from tests.attacks.folders import make_run

MODULES = [
    "altair",
    "anywidget",
    "concurrent",
    "IPython",
    "ipykernel",
    "joblib",
    "json",
    "jupyter",
    "jupyter_core",
    "jupyterlab",
    "loky",
    "mixwidgets",
    "ml_dtypes",
    "multiprocessing",
    "numpy",
    "pandas",
    "pickle",
    "queue",
    "safetensors",
    "secrets",
    "signal",
    "sitecustomize",
    "socket",
    "torch",
    "traitlets",
    "typer",
    "usercustomize",
]
"""What is imported by one of them, or by Python itself."""

STEPS = ["--task", "student_teacher", "--steps", "2"]
COMMANDS = {
    "lab": ["lab", "--version"],
    "train": ["train", *STEPS],
    "sweep": ["sweep", *STEPS, "--recipe", "fp32"],
    "runs": ["runs"],
    "compare": ["compare", "{run}"],
    "report": ["report", "{run}"],
    "survey": ["survey", "some.safetensors"],
    "watch": ["watch", "{script}"],
    "format": ["format", "float16", "1"],
    "grade": ["grade", "reports"],
    "export": ["export", "site", "--lang", "en"],
}
"""A line of each command. The script of `watch` is elsewhere: what is beside a script may be its own."""


def test_every_command_is_here():
    assert {command.name for command in app.registered_commands} == set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_imports_nothing_from_where_it_is(tmp_path, name):
    if name in ("train", "sweep", "watch"):
        pytest.importorskip("torch")
    folder, marks = tmp_path / "planted", tmp_path / "marks"
    run = make_run(folder / "runs").name
    (folder / "reports").mkdir()
    (folder / "reports" / "ann.txt").touch()
    save_file({"weight": np.ones(2, np.float32)}, folder / "some.safetensors")
    (tmp_path / "script.py").write_text("import torch\n")
    for module in MODULES:
        leaves = f"open({os.fspath(marks)!r}, 'a').write('{module} ')\nraise SystemExit('planted')\n"
        (folder / f"{module}.py").write_text(leaves)

    words = [word.format(run=run, script=tmp_path / "script.py") for word in COMMANDS[name]]
    command = Path(sys.executable).with_name("mixwidgets")
    environment = {key: text for key, text in os.environ.items() if key != "PYTHONSAFEPATH"}
    environment["PYTHONPATH"] = os.fspath(Path(__file__).parents[2])
    done = subprocess.run(
        [command, *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert not marks.exists(), marks.read_text()
    assert done.returncode == 0, done.stderr
