"""Imports a run received as files from a worker that does not see the runs folder."""

import os
import re
import reprlib
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.scheduler.cells import Cells
from mixwidgets.runs.store.events import REASONS
from mixwidgets.runs.store.journal import read_experiment
from mixwidgets.runs.store.run import RUN_ID, Run
from mixwidgets.runs.store.status import read_status
from mixwidgets.support.files import create_file, read_plain_file

_LIMIT = 1 << 30  # bytes of all files together, which are sent in one message and held in memory
_NAME = re.compile(r"experiment\.json|status\.json|events\.jsonl|log\.txt|gradients-[0-9]{6,8}\.bin")


def packed_run(run_path: Path) -> dict[str, bytes]:
    """The files of a finished run by name. ValueError if they are too large to send."""
    files: dict[str, bytes] = {}
    room = _LIMIT
    for path in sorted(run_path.iterdir()):
        if _NAME.fullmatch(path.name):
            files[path.name] = read_plain_file(path, room)
            room -= len(files[path.name])
    return files


def import_run(experiment: Experiment, run_id: str, files: object, runs_dir: Path) -> Run:
    """Store the files of a run of `experiment` in `runs_dir`, as the run `run_id` (a `checked_run_id`).

    ValueError, with nothing left behind, unless all are files of one finished run of this experiment; OSError
    if they cannot be written.
    """
    contents = _checked(files)
    folder = Path(tempfile.mkdtemp(dir=Cells(runs_dir).folder))  # it is listed only once it is complete
    try:
        folder.chmod(0o755)
        for file, data in contents.items():
            create_file(folder / file, data)
        if read_experiment(folder) != experiment:
            raise ValueError("The files are of a run of another experiment.")
        if (word := read_status(folder).word) not in REASONS:
            raise ValueError(f"The files are of a run that is not over: its status is {word!r}.")
        if os.path.lexists(runs_dir / run_id):
            raise ValueError(f"There is a run {run_id!r} already.")
        folder.rename(runs_dir / run_id)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return Run(runs_dir / run_id)


def checked_run_id(name: object) -> str:
    """`name` if it is a valid id of a run, which cannot lead out of its folder; else ValueError."""
    if isinstance(name, str) and len(name) < 200 and RUN_ID.fullmatch(name):
        return name
    raise ValueError(f"{reprlib.repr(name)} is no run's id.")


def _checked(files: object) -> Mapping[str, bytes]:
    if not isinstance(files, dict):
        raise ValueError(f"A run's files come as a dict; got a {type(files).__name__}.")
    for name, data in files.items():
        if not (isinstance(name, str) and _NAME.fullmatch(name)):
            raise ValueError(f"{reprlib.repr(name)} is no file of a run.")
        if type(data) is not bytes:
            raise ValueError(f"{name} comes as bytes; got a {type(data).__name__}.")
    if missing := [name for name in ("experiment.json", "status.json") if name not in files]:
        raise ValueError(f"The files are no run: {missing[0]} is missing.")
    if (size := sum(map(len, files.values()))) > _LIMIT:
        raise ValueError(f"The files of the run have {size} bytes; at most {_LIMIT} are taken.")
    return files
