"""Exports: a run's records as files for other tools."""

import os
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.store.event_file import write_event_file
from mixwidgets.runs.store.events import Event
from mixwidgets.runs.store.reader import JournalReader
from mixwidgets.runs.store.tables import evaluation_table, gradient_table, step_table
from mixwidgets.runs.store.watched_loop import WatchedLoop
from mixwidgets.support.checks import choice
from mixwidgets.support.files import errors_told
from mixwidgets.support.installed import require
from mixwidgets.support.plain_text import no_formula

if TYPE_CHECKING:
    import pandas as pd

ExportKind = Literal["tensorboard", "csv", "parquet"]

_NEEDS = {"tensorboard": "tensorboard", "csv": "pandas", "parquet": "pyarrow"}


def export_run(
    run_path: Path,
    experiment: Experiment | WatchedLoop,
    kind: ExportKind,
    path: str | os.PathLike[str] | None = None,
) -> Path:
    """Write a new folder (see `Run.export`), completely or not at all, and return it."""
    choice("export", kind, _NEEDS)
    require("This export", "export", _NEEDS[kind])
    target = _default_target(run_path, kind) if path is None else Path(path).absolute()
    if os.path.lexists(target):
        raise FileExistsError(
            f"{os.fspath(target)!r} already exists, and an export overwrites nothing: "
            "remove it, or use another path."
        )
    draft = target.with_name(f".{target.name}-{secrets.token_hex(4)}")
    with errors_told(
        f"The export cannot be written to {os.fspath(target)!r}",
        "give path a folder that you may make and that has room",
    ):
        draft.mkdir(parents=True)
        try:
            _write(run_path, experiment, kind, draft)
            draft.rename(target)
        except BaseException:
            shutil.rmtree(draft, ignore_errors=True)
            raise
    return target


def _default_target(run_path: Path, kind: str) -> Path:
    folder = run_path / "export"
    if folder.is_symlink():
        raise ValueError(f"{os.fspath(folder)!r} is a link, which may lead out of the run: pass a path.")
    return folder / kind


def _write(run_path: Path, experiment: Experiment | WatchedLoop, kind: str, folder: Path) -> None:
    def events() -> Iterator[Event]:
        return JournalReader(run_path).read_new()

    if kind == "tensorboard":
        started = (run_path / "experiment.json").stat().st_mtime  # written once, when the run was created
        write_event_file(events(), folder, started, experiment.batch_size, experiment.compute_format)
        return
    tables = {
        "steps": step_table(events(), experiment.batch_size),
        "evaluations": evaluation_table(events()),
        "gradients": gradient_table(events(), experiment.compute_format),
    }
    for name, table in tables.items():
        if kind == "csv":
            # RFC 4180's line ends, so that a carriage return in a name is quoted too and starts no cell.
            _without_formulas(table).to_csv(
                folder / f"{name}.csv", index=False, na_rep="nan", lineterminator="\r\n"
            )
        else:
            table.to_parquet(folder / f"{name}.parquet", engine="pyarrow", index=False)


def _without_formulas(table: "pd.DataFrame") -> "pd.DataFrame":
    """The table with `no_formula` applied to texts and to columns' names."""

    def shown(cell: object) -> object:
        return no_formula(cell) if isinstance(cell, str) else cell

    texts = table.select_dtypes(exclude=["number", "bool"])
    return table.assign(**{str(name): texts[name].map(shown) for name in texts}).rename(columns=shown)
