"""What a user of Windows does: `python -m tests.windows.hidden tests.windows.journeys`.

Each function of JOURNEYS is one, in an empty folder, and fails by an exception. Prints
a line of JSON for each: its name and the error.
"""

import importlib
import json
import os
import pkgutil
import tempfile
import traceback
from contextlib import closing, suppress
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import mixwidgets as mw
from mixwidgets.cli import app
from mixwidgets.runs.store.journal import Journal, create_run
from tests.waiting import until
from tests.widgets.every import NAMES, make

EXPERIMENT = mw.Experiment(task="digits_mlp", recipe="fp16_dynamic", steps=3, device="cpu")
ENDLESS = EXPERIMENT.replace(steps=1_000_000)
NEEDS = "needs Linux, macOS or WSL"


def formats():
    assert mw.get_format("float16").round(["65505", "65520"]).tolist() == [65504, np.inf]
    assert "65504" in str(mw.cast_everywhere("65505", "float16"))


def every_module_is_imported():
    for module in pkgutil.walk_packages(mw.__path__, "mixwidgets."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def widgets_are_saved():
    for widget in (make(name, Path()) for name in NAMES if name != "SweepProgress"):  # a sweep needs POSIX
        widget.save("page.html")
        widget.save("page.html")  # over the first
        assert Path("page.html").read_text(encoding="utf-8").endswith("</html>\n")
        widget.close()
    assert list(Path().iterdir()) == [Path("page.html")]


def a_site_is_exported():
    for _ in range(2):
        result = CliRunner().invoke(app, ["export", "site", "--lang", "en"])
        assert result.exit_code == 0, result.output
    assert Path("site/index.html").exists()


def a_loop_is_watched_and_recorded():
    import torch

    model = torch.nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    with mw.watch(model, optimizer, every=1, path="watched") as watcher:
        model(torch.ones(3, 4)).square().mean().backward()
        optimizer.step()
        assert mw.open_run("watched").status == "running"
    run = mw.open_run("watched")
    assert (run.status, len(run.steps()), run.damage) == ("completed", 1, [])
    assert watcher.report().name.tolist() == ["weight", "bias"]
    assert run.gradients()["weight"].count == 8


def a_loop_is_followed():
    import torch

    model = torch.nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    with mw.watch(model, optimizer, every=1) as watcher, closing(mw.LossScaleExplorer(watcher)) as explorer:
        model(torch.ones(3, 4)).square().mean().backward()
        optimizer.step()
        until(lambda: list(explorer.steps) == [1])


def a_difference_is_found():
    import torch

    found = mw.first_difference(torch.nn.Linear(4, 2), torch.ones(3, 4), lambda y: y.square().mean())
    found.save("difference.html")
    assert Path("difference.html").exists()


def code_is_checked():
    assert not mw.check("choose-scale", lambda *given: 1 / 0).is_right


def a_script_is_watched():
    Path("loop.py").write_text(
        "import torch\n"
        "model = torch.nn.Linear(4, 2)\n"
        "optimizer = torch.optim.SGD(model.parameters(), 0.1)\n"
        "model(torch.ones(3, 4)).square().mean().backward()\n"
        "optimizer.step()\n"
    )
    for command in (["watch", "--every", "1", "loop.py"], ["report", "runs/loop"]):
        result = CliRunner().invoke(app, command)
        assert result.exit_code == 0, result.output
    assert "weight" in result.output


def a_checkpoint_is_surveyed():
    import torch

    assert len(mw.survey(torch.nn.Linear(4, 2), formats=["bfloat16"]))


def a_run_trains_in_the_cell():
    assert [event.kind for event in mw.train(EXPERIMENT)][-1] == "finished"


def what_needs_processes_says_so():
    for start in (lambda: mw.launch(EXPERIMENT, "runs"), lambda: mw.sweep([EXPERIMENT], runs_dir="runs")):
        with pytest.raises(OSError, match=NEEDS) as caught:
            start()
        assert len(caught.value.strerror) < 200
    assert not Path("runs").exists()
    result = CliRunner().invoke(app, ["sweep", "--seed", "0-1"])
    assert (result.exit_code, NEEDS in result.output) == (2, True)


def the_lab_trains_in_the_kernel_and_stops():
    with closing(mw.TrainingLab("runs")) as lab:
        until(lambda: NEEDS.removeprefix("needs ") in lab._notice)
        run = lab.launch(EXPERIMENT)
        assert run.wait(progress=False) == "completed"
        assert len(run.steps()) == 3
        first, second = lab.launch(ENDLESS), lab.launch(ENDLESS)
        until(lambda: len(first.events()) > 3)
        assert (first.status, second.status) == ("running", "queued")
        assert second.stop() == "stopped"
        assert lab.stop().id == first.id
        assert (first.status, first.message) == ("stopped", "It was asked to stop.")
        until(lambda: sorted(row["status"] for row in lab._rows) == ["completed", "stopped", "stopped"])
        assert lab.launch(EXPERIMENT).wait(progress=False) == "completed"
    assert all(not run.damage for run in mw.list_runs("runs"))


def the_command_line_trains_lists_and_compares():
    for _ in range(2):
        result = CliRunner().invoke(app, ["train", "--task", "digits_mlp", "--steps", "2", "--device", "cpu"])
        assert result.exit_code == 0, result.output
    for command in (["runs"], ["compare", *(run.id for run in mw.list_runs())]):
        result = CliRunner().invoke(app, command)
        assert (result.exit_code, "completed" in result.output) == (0, True)
    mw.list_runs()[0].export("csv", "tables")
    assert len(mw.comparison(mw.list_runs())) == 2
    mw.compare(mw.list_runs()).to_dict()


def a_run_that_was_killed_is_interrupted():
    path = create_run(EXPERIMENT, "runs")
    with Journal(path):
        assert mw.open_run(path).status == "running"
        with pytest.raises(BlockingIOError):
            Journal(path)
    with suppress(TimeoutError):
        mw.open_run(path).stop()


def links_are_not_followed():
    Path("elsewhere").write_bytes(b"{}")
    path = create_run(EXPERIMENT, "runs")
    (path / "status.json").unlink()
    (path / "status.json").symlink_to(Path("elsewhere").absolute())
    assert "link" in mw.open_run(path).damage[0]


JOURNEYS = {
    name: function
    for name, function in globals().items()
    if getattr(function, "__module__", "") == __name__ and callable(function)
}

if __name__ == "__main__":
    for name, journey in JOURNEYS.items():
        os.chdir(tempfile.mkdtemp())
        try:
            journey()
        except BaseException:
            print(json.dumps([name, traceback.format_exc()[-3000:]]), flush=True)
        else:
            print(json.dumps([name, ""]), flush=True)
