"""A watcher's snapshots as scalars for experiment trackers."""

import importlib
import os
import re
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from mixwidgets.diagnosis.watching.history import Snapshot
from mixwidgets.diagnosis.watching.report import is_gradient
from mixwidgets.runs.store.export import EventFile
from mixwidgets.runs.store.shares import tensor_scalars
from mixwidgets.support.installed import require

_REFUSED_BY_MLFLOW = re.compile(r"[^\w\-. :/]")
"""What a metric's name must not hold, such as the brackets of "encoder output[0]"."""


class ScalarLog:
    """Writes each snapshot to the target of `log_to`."""

    def __init__(
        self, where: "str | Callable[..., object]", folder: str | os.PathLike[str], format: str
    ) -> None:
        """Raises the errors of `Watcher.log_to`."""
        self._format, self._folder = format, Path(folder)
        self._file: EventFile | None = None
        if callable(where):
            self._write = where
        elif where == "tensorboard":
            require("log_to('tensorboard')", "export", "tensorboard")
            self._write = self._to_tensorboard
        elif where == "wandb":
            require("log_to('wandb')", "wandb", "wandb")
            self._write = self._to_wandb
        elif where == "mlflow":
            require("log_to('mlflow')", "mlflow", "mlflow")
            self._write = self._to_mlflow
        else:
            raise ValueError(
                "log_to takes 'tensorboard', 'wandb', 'mlflow', or a function of a dict and step=; "
                f"got {where!r}."
            )

    def add(self, snapshot: Snapshot) -> None:
        self._write(scalars(snapshot, self._format), step=snapshot.step)

    def close(self) -> None:
        """Close the file. Later snapshots go to a new one in the same folder."""
        if self._file:
            self._file.close()
        self._file = None

    def _to_wandb(self, values: Mapping[str, float], step: int) -> None:
        importlib.import_module("wandb").log(values, step=step)  # wandb.init sets `log` to that of its run

    def _to_mlflow(self, values: Mapping[str, float], step: int) -> None:
        named = {_REFUSED_BY_MLFLOW.sub("_", tag): value for tag, value in values.items()}
        importlib.import_module("mlflow").log_metrics(named, step=step)

    def _to_tensorboard(self, values: Mapping[str, float], step: int) -> None:
        self._file = self._file or EventFile(self._folder)
        self._file.add(step, time.time(), values)


def scalars(snapshot: Snapshot, format: str) -> dict[str, float]:
    """The numbers of `Watcher.log_to`. Unknown values are left out."""
    values = {"loss": snapshot.loss, "loss_scale": snapshot.loss_scale}
    values |= {"grad_norm": snapshot.grad_norm, "optimizer_norm": snapshot.optimizer_norm}
    for name, summary in snapshot.summaries.items():
        values |= tensor_scalars(name, summary, format, snapshot.loss_scale if is_gradient(name) else 1.0)
    for name, change in {**snapshot.changes, **snapshot.extras}.items():
        values |= {f"changed/{name}": change.changed, f"below_half_ulp/{name}": change.below_half_ulp}
    return {tag: value for tag, value in values.items() if value == value}
