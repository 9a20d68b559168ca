"""run_cell: what a worker of an executor does: an experiment as JSON in, the id of its run out."""

import tempfile
from pathlib import Path
from typing import Any

from mixwidgets.experiments.experiment import Experiment
from mixwidgets.scheduler.cells import Cells
from mixwidgets.scheduler.import_run import packed_run
from mixwidgets.scheduler.recording import ONE_AT_A_TIME, record_on_thread, why_stopped
from mixwidgets.scheduler.slots import slot_for
from mixwidgets.store.journal import create_run
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

    def train(path: Path) -> None:
        stopped = "Its sweep was asked to stop."
        record_on_thread(path, lambda: why_stopped(path) if is_wanted() else stopped)

    with (
        ONE_AT_A_TIME,
        slot_for(experiment.device, token, experiment.id, cells.runs_dir, is_wanted) as has_slot,
    ):
        if not cells.sees(token):
            with tempfile.TemporaryDirectory(prefix="mixwidgets-") as folder:
                path = create_run(experiment, folder)
                train(path)
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
            train(path)
            return {"run": path.name}
