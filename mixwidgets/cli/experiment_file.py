"""Experiments written down: a TOML or JSON file, or the folder of a run."""

import json
import tomllib
from pathlib import Path
from typing import Any

from mixwidgets.store.files import read_plain_file
from mixwidgets.store.journal import read_experiment
from mixwidgets.store.watched_loop import WatchedLoop

_LIMIT = 1 << 20  # bytes: no experiment comes near it


def read_fields(path: Path) -> dict[str, Any]:
    """The fields that a file names, unchecked; of a run's folder, or the experiment.json in it, those of the
    run.

    ValueError or OSError, with the place in the file where there is one, when it cannot be read.
    """
    is_of_a_run = path.name == "experiment.json" and (path.parent / "status.json").exists()
    folder = path.parent if is_of_a_run else path
    if (folder / "experiment.json").exists():
        experiment = read_experiment(folder)
        if isinstance(experiment, WatchedLoop):
            raise ValueError(f"{path} is a loop that watch looked at: only its owner can run it again.")
        return experiment.to_dict()
    if path.suffix not in _READ:
        raise ValueError(f"{path}: an experiment is a .toml or a .json file, or the folder of a run.")
    try:
        fields = _READ[path.suffix](read_plain_file(path.resolve(), _LIMIT).decode("utf-8-sig"))
    except RecursionError:
        raise ValueError(f"{path} is nested too deeply.") from None
    except ValueError as error:
        raise ValueError(f"{path} cannot be read: {error}") from None
    if not isinstance(fields, dict):
        raise ValueError(f"{path} holds no experiment: one is an object of fields, such as task and steps.")
    return fields


_READ = {".toml": tomllib.loads, ".json": json.loads}
