"""Every way to look at a folder of runs. To add one, add a function to `LOOKS`."""

import csv
import json
import resource
import tempfile
import traceback
import warnings
from pathlib import Path

from typer.testing import CliRunner

import mixwidgets as mw
from mixwidgets import charts
from mixwidgets.cli import app
from tests.waiting import until

MEMORY = 700 << 20  # bytes of data: an interpreter with pandas, altair and a hostile folder of 8 MB
SECONDS = 60  # of a core, to fail rather than hang


def listed(folder):
    with warnings.catch_warnings(record=True) as skipped:
        warnings.simplefilter("always")
        runs = mw.list_runs(folder)
    told = [[run.id, run.status, run.message, repr(run), run.metrics, run.damage] for run in runs]
    return [*told, *([str(one.message)] for one in skipped)]


def tables(folder):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [[run.id, len(run.steps()), len(run.evaluations())] for run in mw.list_runs(folder)]


def compared(folder):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return mw.comparison(mw.list_runs(folder)).reset_index().to_csv()


def gradients(folder):
    told = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for run in mw.list_runs(folder):
            try:
                told.append([run.id, {name: one.count for name, one in run.gradients().items()}])
            except (LookupError, ValueError) as error:  # what was asked for is not there, in words
                told.append([run.id, str(error)])
    return told


def drawn(folder):
    told = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        runs = mw.list_runs(folder)
        told.append(charts.compare(runs).to_dict())
        for run in runs:
            try:
                told.append(charts.gradients(run).to_dict())
            except (LookupError, ValueError) as error:  # what was asked for is not there, in words
                told.append([run.id, str(error)])
    return told


def exported(folder):
    told = []
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as out:
        warnings.simplefilter("ignore")
        for run in mw.list_runs(folder):
            for kind in ("csv", "tensorboard"):
                run.export(kind, Path(out) / f"{run.id}-{kind}")
            with (Path(out) / f"{run.id}-csv" / "evaluations.csv").open(newline="") as file:
                told.append([run.id, *csv.reader(file)])
    return told


def command_line(folder):
    told = []
    compare = ["compare", *(path.name for path in folder.iterdir()), "--runs-dir", folder]
    for command in (["runs", folder], ["runs", folder, "--json"], compare):
        result = CliRunner().invoke(app, list(map(str, command)))
        told.append([result.exit_code, result.output])
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
    return told


def lab(folder):
    lab = mw.TrainingLab(folder)
    until(lambda: lab._settled and not lab._folder.is_live and not lab._is_behind, SECONDS)
    page = lab.save(Path(tempfile.mkdtemp()) / "page.html")
    return [[row["id"], row["status"]] for row in lab._rows] + [[lab._notice, page.stat().st_size]]


def explorer(folder):
    told = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for run in mw.list_runs(folder):
            try:
                widget = mw.LossScaleExplorer(run)
                told.append([run.id, widget.save(Path(tempfile.mkdtemp()) / "page.html").stat().st_size])
            except (LookupError, ValueError) as error:  # what was asked for is not there, in words
                told.append([run.id, str(error)])
    return told


LOOKS = (listed, tables, compared, gradients, drawn, exported, command_line, lab, explorer)


def most_memory():
    """MiB of this process at its largest. (`getrusage` would also tell of the one that forked it.)"""
    (line,) = [line for line in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in line]
    return int(line.split()[1]) >> 10


def look_at(folder, tell):
    """Look in every way, in a process of its own, which gets limits.

    Sends a line of JSON for each: its name, what it told of the runs, or the error that came out of it; and
    how much memory they took.
    """
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    for look in LOOKS:
        try:
            told = look(folder)
        except BaseException:
            tell.send(json.dumps([look.__name__, None, traceback.format_exc()[-2000:]]))
        else:
            tell.send(json.dumps([look.__name__, told, ""], default=str))
    tell.send(json.dumps(["memory", most_memory(), ""]))
