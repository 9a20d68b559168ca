"""run_cell: what a worker of an executor does. Texts come in; a name, and where need be files, go out."""

import os
import tempfile
import threading
from pathlib import Path
from typing import Any

from mixwidgets.experiments.experiment import Experiment
from mixwidgets.scheduler.cells import Cells
from mixwidgets.scheduler.import_run import packed_run
from mixwidgets.scheduler.recording import record
from mixwidgets.scheduler.slots import slot_for
from mixwidgets.store.journal import Journal, create_run

_ONE_AT_A_TIME = threading.Lock()  # torch's random generators and settings belong to the whole process


def run_cell(experiment_json: str, runs_dir: str, token: str) -> dict[str, Any]:
    """Train the experiment, record it as a run, and tell which run it is: `{"run": id}`.

    `runs_dir` is an absolute path. Where the sweep's `token` is seen there, the run is made and journalled
    there, live; a cell that another worker has is waited for and then not run again; the id is "" where the
    sweep was stopped before the run began. Where the token is not seen, the run is made in a temporary folder
    and its files come back too, as "files": bytes by name. A failing run is a run all the same: its status
    says why. ValueError or TypeError for a text that is no experiment of this mixwidgets, OSError where no
    run can be made.
    """
    experiment = Experiment.from_json(experiment_json)
    cells = Cells(Path(runs_dir))

    def is_wanted() -> bool:
        return not cells.is_stopped(token)

    with (
        _ONE_AT_A_TIME,
        slot_for(experiment.device, token, experiment.id, cells.runs_dir, is_wanted) as has_slot,
    ):
        if cells.sees(token):
            return {"run": _run_there(experiment, cells, token) if has_slot else ""}
        with tempfile.TemporaryDirectory(prefix="mixwidgets-") as folder:
            path = create_run(experiment, folder)
            _train(path, _Asked(path, cells, token))
            return {"run": path.name, "files": packed_run(path)}


def _run_there(experiment: Experiment, cells: Cells, token: str) -> str:
    with cells.claim(experiment.id, give_up=lambda: cells.is_stopped(token)) as claim:
        if claim is None:
            return ""
        if (done := claim.done()) or cells.is_stopped(token):
            return done
        path = create_run(experiment, cells.runs_dir)
        claim.begun(path.name)
        _train(path, _Asked(path, cells, token))
        return path.name


def _train(path: Path, asked: "_Asked") -> None:
    """The process may run other cells, or be the kernel itself: it is not the run's to end."""
    with Journal(path, has_own_process=False) as journal, (path / "log.txt").open("x") as log:
        journal.append(record(journal, asked, log))


class _Asked:
    """Whether the run, or its sweep, was asked to stop: looked at after each event."""

    is_loading = True

    def __init__(self, path: Path, cells: Cells, token: str) -> None:
        self._run_stop = path / "stop"
        self._cells = cells
        self._token = token

    @property
    def why(self) -> str:
        if self._cells.is_stopped(self._token):
            return "Its sweep was asked to stop."
        return "It was asked to stop." if os.path.lexists(self._run_stop) else ""
