"""run_cell: what a worker of an executor does. Texts come in; a name, and where need be files, go out."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mixwidgets.experiments.experiment import Experiment
from mixwidgets.scheduler.cells import Cells
from mixwidgets.scheduler.import_run import packed_run
from mixwidgets.scheduler.recording import ONE_AT_A_TIME, record
from mixwidgets.scheduler.slots import slot_for
from mixwidgets.store.journal import Journal, create_run
from mixwidgets.store.lock import write_note


def run_cell(experiment_json: str, runs_dir: str, token: str) -> dict[str, Any]:
    """Train the experiment, record it as a run, and tell which run it is: `{"run": id}`.

    `runs_dir` is an absolute path. Where the sweep's `token` is seen there, the run is made and journalled
    there, live; a cell that another worker has is waited for and then not run again; the id is "" where the
    sweep was stopped before the run began. Where the token is not seen, the run is made in a temporary folder
    and its files come back too, as "files": bytes by name. A failing run is a run all the same: its status
    says why. ValueError or TypeError for a text that is no experiment of this mixwidgets, OSError where no
    run can be made.
    """
    experiment, cells = Experiment.from_json(experiment_json), Cells(Path(runs_dir))

    def is_wanted() -> bool:
        return not cells.is_stopped(token)

    with (
        ONE_AT_A_TIME,
        slot_for(experiment.device, token, experiment.id, cells.runs_dir, is_wanted) as has_slot,
    ):
        if not cells.sees(token):
            with tempfile.TemporaryDirectory(prefix="mixwidgets-") as folder:
                path = create_run(experiment, folder)
                _train(path, is_wanted)
                return {"run": path.name, "files": packed_run(path)}
        if not has_slot:
            return {"run": ""}
        with cells.claim(experiment.id, is_wanted) as lock:
            if lock is None:
                return {"run": ""}
            if (done := cells.done(lock)) or not is_wanted():
                return {"run": done}
            path = create_run(experiment, cells.runs_dir)
            write_note(lock, path.name)
            _train(path, is_wanted)
            return {"run": path.name}


def _train(path: Path, is_wanted: Callable[[], bool]) -> None:
    def why_stop() -> str:
        if not is_wanted():
            return "Its sweep was asked to stop."
        return "It was asked to stop." if os.path.lexists(path / "stop") else ""

    # The process may run other cells, or be the kernel itself: it is not the run's to end.
    with Journal(path) as journal, (path / "log.txt").open("x") as log:
        record(journal, why_stop, log)
