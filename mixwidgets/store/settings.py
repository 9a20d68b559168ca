"""The settings of a run as a flat mapping: dotted names to texts, numbers or None."""

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

from mixwidgets.experiments.experiment import Experiment
from mixwidgets.store.events import RunStarted
from mixwidgets.store.watched_loop import WatchedLoop
from mixwidgets.task.catalogue import tasks
from mixwidgets.task.spec import LOSS_WEIGHT

Value = str | float | None
"""A setting or result; bool and int are included."""

_MEANS = {"none": ("kind",), "static": ("kind", "init_scale")}
"""The applicable fields by kind of loss scale; for a dynamic one, all."""


def settings_of(what: Experiment | WatchedLoop) -> dict[str, Value]:
    """The applicable fields of a run: a loss scale that is not dynamic has no growth interval.

    Task options include their defaults. A source text is replaced by the start of its SHA-256. `place_of` has
    the device, because it knows what "auto" became.
    """
    if isinstance(what, WatchedLoop):
        return {"task": "watch", "model": what.model, "format": what.format, "summary_every": what.every}
    fields = what.to_dict()
    for name in ("schema", "device"):
        del fields[name]
    source = fields["task_source"]
    fields["task_source"] = f"SHA-256 {hashlib.sha256(source.encode()).hexdigest()[:8]} …" if source else None
    options = (LOSS_WEIGHT,) if source else tasks[what.task].options
    fields["task_options"] = {option.name: option.default for option in options} | fields["task_options"]
    recipe = fields["recipe"]
    scale = recipe["loss_scale"]
    if (means := _MEANS.get(scale["kind"])) is not None:
        recipe["loss_scale"] = {name: scale[name] for name in means}
    operands = recipe["operands"] = recipe["operands"] or {"forward": None, "backward": None}
    if operands.get("scaling") != "delayed":
        operands.pop("amax_history_len", None)
    return {"task": what.task, "recipe": what.recipe.name, **dict(_flat(fields))}


def place_of(started: RunStarted | None) -> dict[str, Value]:
    """The environment of a run: device, backend and versions. Empty before it started."""
    return dict(_flat(vars(started))) if started else {}


def _flat(fields: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Value]]:
    for name, value in fields.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, ", ".join(value) if isinstance(value, list) else value
