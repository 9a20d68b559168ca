"""The runs of a folder as a TrainingLab shows them: their rows, and the curves of those that are drawn.

`RunsFolder` is read once for all labs that show it. The row of a finished run comes from its status.json, so
that a folder of thousands opens at once. A journal is read only for curves, or if the status lacks something;
a long one is first drawn from a sample of its steps.
"""

import math
import os
import threading
import time
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from mixwidgets.floats.widgets.frame import frame
from mixwidgets.floats.widgets.thinned import Thinned
from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.store.events import REASONS, Event, GradientSnapshot, StepRecord
from mixwidgets.runs.store.figures import RunState, row_of
from mixwidgets.runs.store.labels import Label, read_label, write_label
from mixwidgets.runs.store.queue import positions
from mixwidgets.runs.store.reader import JournalReader, sample_steps
from mixwidgets.runs.store.run import Run, open_run
from mixwidgets.runs.store.shares import shares_of_all
from mixwidgets.runs.store.snapshots import has_snapshot
from mixwidgets.runs.store.status import ALIVE, Status, current_status
from mixwidgets.runs.store.verdict import question
from mixwidgets.runs.store.watched_loop import WatchedLoop
from mixwidgets.runs.widgets.training_lab import settings

_Rows = dict[str, NDArray[np.float32]]

_LONG = 1 << 20  # bytes of a journal, read in about 0.1 s
_SAMPLED = 512  # steps; about one per pixel of a chart
_MOST_FAULTS = 3  # reported in full


class RunsFolder:
    """The runs in a folder as of the last `look`. Hold the `lock` while using it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        """It need not exist yet."""
        self.lock = threading.Lock()
        self.followed: dict[str, FollowedRun] = {}
        """By id, newest first."""
        self._unreadable: dict[str, tuple[str, object]] = {}  # why the others cannot be read, and when, by id
        self._shown: WeakKeyDictionary[object, Collection[str]] = WeakKeyDictionary()  # ids, by lab

    def scan(self, most: int | None = None) -> bool:
        """Add new runs, at most `most`, and forget those that are gone. Returns whether there are more."""
        names = self._names()
        for known in (self.followed, self._unreadable):
            for name in known.keys() - names:
                del known[name]
        for name, (_, when) in list(self._unreadable.items()):
            if _stamp(self.path / name / "experiment.json") != when:
                del self._unreadable[name]  # it may have been copied in meanwhile
        new = sorted(names - self.followed.keys() - self._unreadable.keys(), reverse=True)
        for name in new[:most]:
            stamp = _stamp(self.path / name / "experiment.json")
            try:
                self.followed[name] = FollowedRun(open_run(self.path / name))
            except FileNotFoundError:
                continue  # not a run, or not complete yet
            except (OSError, ValueError) as error:
                self._unreadable[name] = str(error), stamp
        if new:
            self.followed = dict(sorted(self.followed.items(), reverse=True))
        return most is not None and len(new) > most

    def look(self, most: int | None = None) -> bool:
        """`scan`, and read the status of each run."""
        has_more = self.scan(most)
        try:
            places = positions(self.path)
        except OSError:
            places = {}  # the queue is being removed
        for followed in self.followed.values():
            followed.look(places)
        return has_more

    def read(self, lab: object, shown: Collection[str], seconds: float) -> bool:
        """Read journals for about this time: of running runs first, then of those that `lab` shows, then of
        those whose row needs it. Returns whether a part of the first two is left."""
        unread = [each for each in self.followed.values() if not each.is_read]
        alive = [each for each in unread if each.is_alive]
        drawn = [each for each in unread if each.run.id in shown and not each.is_alive]
        rows = [
            each for each in unread if each.needs_journal and each.run.id not in shown and not each.is_alive
        ]
        until = time.monotonic() + seconds
        for followed in (*alive, *drawn, *rows) if seconds else ():
            followed.read(until)
            if time.monotonic() >= until:
                break
        self._release(lab, shown)
        return not all(each.is_read for each in (*alive, *drawn))

    @property
    def is_live(self) -> bool:
        """Whether news is expected soon: at the last look a run was queued or running, or the row of a
        finished one was incomplete."""
        return any(followed.needs_journal for followed in self.followed.values())

    @property
    def notice(self) -> str:
        """What could not be read."""
        faults = [fault for fault, _ in self._unreadable.values()]
        for name, followed in self.followed.items():
            faults += [f"{name}: {sentence}" for sentence in followed.damage]
        more = len(faults) - _MOST_FAULTS
        return " ".join(faults[:_MOST_FAULTS] + ([f"And {more} more."] if more > 0 else []))

    def _release(self, lab: object, shown: Collection[str]) -> None:
        """Note what `lab` shows now, and release the curves of runs that no lab shows."""
        self._shown[lab] = shown
        kept = set().union(*self._shown.values())
        for name, followed in self.followed.items():
            if name not in kept:
                followed.release()

    def _names(self) -> set[str]:
        """The folders that may be runs: with a printable name that does not begin with a dot."""
        try:
            with os.scandir(self.path) as entries:
                folders = {entry.name for entry in entries if entry.is_dir(follow_symlinks=False)}
        except OSError:
            return set()  # missing or unreadable; launching there says what is wrong
        return {name for name in folders if name.isprintable() and not name.startswith(".")}


_folders: WeakValueDictionary[Path, RunsFolder] = WeakValueDictionary()
_opening = threading.Lock()


def runs_folder(path: Path) -> RunsFolder:
    """The RunsFolder of this absolute path, shared by all that hold it."""
    with _opening:
        folder = _folders.get(path)
        if folder is None:
            folder = _folders[path] = RunsFolder(path)
        return folder


class FollowedRun:
    """A run as of the last `look` and `read`."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.needs_journal = False
        """Whether the row needs the rest of the journal."""
        self.is_read = False
        """Whether the journal was read to its end since the last look."""
        self.curves = b""
        """A frame of the curves read so far; empty before. Rows of float32: in "loss" step and loss without
        the loss weight, in "scale" step and log2 of the loss scale wherever it changed, in "skipped" the same
        for each skipped step, in "shares" step and the `shares_of_all` its gradients."""
        self.label = read_label(run.path)
        """What the user says of it."""
        self._status = Status(word="queued")
        self._stamp: tuple[int, int] | None = None
        self._size: tuple[int, int] | None = None  # the journal's stamp when it was last read
        self._position: int | None = None
        self._has_gradients = False
        self._reader: JournalReader | None = None  # from the first `read` until `release`
        self._state, self._thinned = RunState(), _no_curves()  # as far as it has read
        self._overview: _Rows = {}  # curves of a sample of the steps, until all are read
        self._recorded: RunState | None = None  # for the row, once the journal was read for it
        self._row: dict[str, Any] | None = None

    @property
    def is_alive(self) -> bool:
        """Whether it was queued or running."""
        return self._status.word in ALIVE

    @property
    def status(self) -> str:
        """The word for it, as of the last look."""
        return self._status.word

    @property
    def state(self) -> RunState:
        """What is known of it. While it `needs_journal`, its steps may be 0."""
        is_complete = self._status.state is not None and self._status.state.started is not None
        state = (None if is_complete else self._recorded) or self._status.state or RunState()
        return state if state.metrics else replace(state, metrics=self._status.metrics)

    @property
    def task(self) -> str:
        """Its name, by which runs share an axis; of a watched loop its model's."""
        what = self.run.experiment
        return what.task if isinstance(what, Experiment) else what.model

    @cached_property
    def question(self) -> str:
        """What it has in common with runs that differ only in recipe, seed and device."""
        what = self.run.experiment
        return question(what) if isinstance(what, Experiment) else self.run.id

    @property
    def is_waiting(self) -> bool:
        """Whether it was queued."""
        return self._status.word == "queued"

    @property
    def damage(self) -> list[str]:
        """What could not be read, in sentences. Damage of the journal is known while it is being read."""
        of_status = [self._status.damage] if self._status.damage else []
        return of_status + (self._reader.damage if self._reader else [])

    def look(self, places: Mapping[str, int]) -> None:
        """Read the status again if it may have changed. places: positions in the queue by id."""
        if self._status.word in REASONS:
            # The journal of a folder that is copied in may come after its status.
            if self.is_read and self._state.finished is None:
                self.is_read = self._size == _stamp(self.run.path / "events.jsonl")
            return
        # A run that seems interrupted may be about to take its lock; its process then replaces the status.
        stamp = _stamp(self.run.path / "status.json")
        if not self.is_alive and stamp == self._stamp:
            return
        self._stamp, self._row = stamp, None
        self._status = current_status(self.run.path)  # before the events, so that none is missed
        self.is_read = self.is_waiting  # a waiting run has no journal
        self.needs_journal = self.needs_journal or self.is_alive or self._status.state is None
        self._position = places.get(self.run.id) if self.is_waiting else None
        self._has_gradients = self._has_gradients or (not self.is_waiting and has_snapshot(self.run.path))

    def relabel(self, label: Label) -> None:
        """Write and show another label."""
        write_label(self.run.path, label)
        self.label, self._row = label, None

    def read(self, until: float) -> None:
        """Read what is new in the journal until that time of `time.monotonic()`."""
        if self._reader is None:
            self._reader, self._overview = self.run.reader(), _overview(self.run)
        self.is_read, self._size = False, _stamp(self.run.path / "events.jsonl")
        for event in self._reader.read_new():
            self._state.add(event)
            _draw(self._thinned, event, self._state, self.run.experiment)
            if time.monotonic() >= until:
                break
        else:
            self.is_read, self._overview = True, {}
        self.curves = frame(_rows(self._thinned) | self._overview)
        if self.is_read or self.is_alive:
            self._recorded, self._row = self._state, None
            self.needs_journal = self.is_alive

    def release(self) -> None:
        """Release the curves of a finished run; the row stays."""
        if self._reader is None or self.needs_journal:
            return
        if self._recorded is self._state:
            self._recorded = self._state.summed_up(self.run.experiment)
        self._reader, self._state, self._thinned = None, RunState(), _no_curves()
        self.curves, self.is_read = b"", False

    def row(self) -> dict[str, Any]:
        """The run as JSON values; None or "" if unknown. While it `needs_journal`, its steps may be 0."""
        if self._row is None:
            status, what = self._status, self.run.experiment
            self._row = {
                "id": self.run.id,
                **_what(what),
                **row_of(self.state, what),
                "status": status.word,
                "message": status.message,
                "position": self._position,
                "gradients": self._has_gradients,
                **{name: value for name, value in vars(self.label).items() if value},
            }
        return self._row


def _no_curves() -> dict[str, Thinned]:
    return {name: Thinned() for name in ("loss", "scale", "skipped", "shares")}


def _draw(
    curves: Mapping[str, Thinned], event: Event, state: RunState, what: Experiment | WatchedLoop
) -> None:
    """Add an event to the curves; `state` is that after the event."""
    if isinstance(event, StepRecord):
        log2_scale = math.log2(event.loss_scale) if 0 < event.loss_scale < math.inf else -math.inf
        curves["loss"].append(event.step, event.loss / what.loss_weight)
        if curves["scale"].last is None or curves["scale"].last[1] != log2_scale:
            curves["scale"].append(event.step, log2_scale)
        if event.skipped:
            curves["skipped"].append(event.step, log2_scale)
    elif isinstance(event, GradientSnapshot):
        shares = shares_of_all(event, state.shares(what.compute_format_at(event.step)))
        if all(map(math.isfinite, shares)):  # NaN if the summaries cannot decide them
            curves["shares"].append(event.step, *shares)


def _rows(curves: Mapping[str, Thinned]) -> _Rows:
    return {name: curve.rows() for name, curve in curves.items()}


def _overview(run: Run) -> _Rows:
    """The losses and loss scales of a sample of the steps of a long journal; nothing for a short one."""
    try:
        if (run.path / "events.jsonl").stat().st_size < _LONG:
            return {}
    except OSError:
        return {}
    curves = _no_curves()
    for step in sample_steps(run.path, _SAMPLED):
        _draw(curves, step, RunState(), run.experiment)
    return _rows({name: curves[name] for name in ("loss", "scale")})


def _stamp(path: Path) -> tuple[int, int] | None:
    """A value that changes when a file is written or replaced."""
    try:
        there = path.lstat()
    except OSError:
        return None
    return there.st_ino ^ there.st_size, there.st_mtime_ns


def _what(run: Experiment | WatchedLoop) -> dict[str, Any]:
    """What is run, as JSON values. The seed, steps and batch size of a watched loop are unknown."""
    if isinstance(run, WatchedLoop):
        about = {"task": "watch", "recipe": run.model, "changes": [], "scaled": True}
        about |= {"loss_weight": run.loss_weight}
        return {**about, "seed": None, "steps": None, "batch_size": None, "settings": None}
    return {
        "task": run.task,
        "recipe": run.recipes_named(),
        "changes": [{"step": after, "recipe": recipe.name} for after, recipe in run.phases[1:]],
        "scaled": any(recipe.loss_scale.kind != "none" for recipe in run.recipes),
        "seed": run.seed,
        "loss_weight": run.loss_weight,
        "steps": run.steps,
        "batch_size": run.batch_size,
        "settings": None if run.task_source else settings.of_experiment(run),
    }
