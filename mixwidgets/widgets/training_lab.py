"""TrainingLab: choose, launch, watch and stop mixed-precision training runs in the notebook."""

from __future__ import annotations

import os
import threading
from contextvars import copy_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import traitlets as t

from mixwidgets.runs.experiment import Experiment
from mixwidgets.runs.launcher import launch
from mixwidgets.runs.recipe import Recipe, recipes
from mixwidgets.runs.run import Run
from mixwidgets.runs.task import tasks
from mixwidgets.runs.watched_loop import WatchedLoop
from mixwidgets.widgets.base import STATIC, MixWidget
from mixwidgets.widgets.runs_feed import RunsFeed

if TYPE_CHECKING:
    from contextvars import Context

_LIVE_S = 0.1  # between two looks while a run goes on
_IDLE_S = 1.0  # and while none does: a run that was launched elsewhere appears within this time
_MOST_SHOWN = 6  # runs whose curves are drawn unasked


class _Chosen(t.TraitType[Any, Any]):
    """A field of the next experiment. Anything comes in, None too: the experiment's own check decides."""


class TrainingLab(MixWidget):
    """Training runs of one folder: launched here or elsewhere, going on or over.

    `TrainingLab()` shows the folder "runs"; `TrainingLab(run)` the folder of that run with its curves and its
    experiment chosen. The cell returns at once: each run is a process of its own (`launch`), and a thread
    follows the journals. `task`, `recipe`, `steps` and `seed` are what the next launch takes; a wrong one is
    a TraitError.
    """

    _esm = STATIC / "training_lab.js"
    _state_traits: ClassVar[dict[str, Any]] = {"task": None, "recipe": None, "steps": None, "seed": None}

    task = _Chosen(next(iter(tasks)), help="A key of `mixwidgets.tasks`.").tag(sync=True)
    recipe = _Chosen("fp16_dynamic", help="A key of `mixwidgets.recipes`.").tag(sync=True)
    steps = _Chosen(help="Optimiser steps; default: the task's.").tag(sync=True)
    seed = _Chosen(0, help="Decides the first weights and the order of the examples.").tag(sync=True)

    _tasks: t.List[Any] = t.List(help="What can be chosen, for the page.").tag(sync=True)
    _recipes: t.List[Any] = t.List().tag(sync=True)
    _rows: t.List[Any] = t.List(help="A row per run, newest first (FollowedRun.row).").tag(sync=True)
    _settled = t.Dict(help="The curves of the runs that are over, by id (FollowedRun.curves).").tag(sync=True)
    _live = t.Dict(help="Those of the runs that go on: only these travel while they do.").tag(sync=True)
    _shown = t.List(t.Unicode(), help="The ids of the runs whose curves are drawn.").tag(sync=True)
    _notice = t.Unicode(help="What in the folder could not be read.").tag(sync=True)

    def __init__(self, runs_dir: str | os.PathLike[str] | Run = "runs", **traits: Any) -> None:
        self._wake, self._closed, self._publishing = threading.Event(), threading.Event(), threading.Lock()
        if isinstance(runs_dir, Run):
            run, runs_dir = runs_dir, runs_dir.path.parent
            traits = {**_choice_of(run.experiment), "_shown": [run.id], **traits}
        self._given_dir = os.fspath(runs_dir)
        self._feed = RunsFeed(Path(runs_dir).absolute())
        self._seen: set[str] | None = None  # ids that were there at the last look
        self._context: Context | None = None
        super().__init__(
            **traits,
            _tasks=[
                {"name": task.name, "title": task.title, "explanation": task.explanation}
                for task in tasks.values()
            ],
            _recipes=[{"name": name, **recipe.to_dict()} for name, recipe in recipes.items()],
        )
        self.observe(self._follow_task, "task")  # from now on: both may be given at the start
        self.on_msg(self._on_message)
        threading.Thread(target=self._follow, name="TrainingLab", daemon=True).start()

    def __repr__(self) -> str:
        chosen = f"task={self.task!r}, recipe={self.recipe!r}, steps={self.steps!r}, seed={self.seed!r}"
        return f"TrainingLab({self._given_dir!r}, {chosen})"

    @property
    def runs(self) -> list[Run]:
        """The folder's runs, newest first."""
        return self._feed.runs()

    def launch(self, experiment: Experiment | None = None) -> Run:
        """Start an experiment, or what is chosen, in a process of its own; it is shown at once."""
        if experiment is None:
            experiment = Experiment(
                task=self.task, recipe=recipes[self.recipe], steps=self.steps, seed=self.seed
            )
        run = launch(experiment, self._feed.runs_dir)
        self._wake.set()
        return run

    def stop(self) -> Run | None:
        """Stop the newest run that goes on and return it; None where none goes on. Watched loops go on."""
        alive = (run for run in self.runs if run.is_alive)
        run = next((run for run in alive if isinstance(run.experiment, Experiment)), None)
        if run is not None:
            run.stop()
            self._wake.set()
        return run

    def close(self) -> None:
        """Close the widget and end its thread; runs go on."""
        with self._publishing:
            self._closed.set()
        self._wake.set()
        super().close()

    @t.default("steps")
    def _default_steps(self) -> int:
        return tasks[self.task].steps

    def _follow_task(self, change: Any) -> None:
        """Steps that are the task's default become the next task's; others are the user's, and stay."""
        if self.steps == tasks[change.old].steps:
            self.steps = tasks[change.new].steps

    @t.validate("task", "recipe", "steps", "seed")
    def _validate_choice(self, proposal: Any) -> Any:
        """The experiment's own check and words."""
        name = proposal.trait.name
        try:
            value = getattr(Experiment(**{"task": next(iter(tasks)), name: proposal.value}), name)
        except (TypeError, ValueError) as error:
            raise t.TraitError(str(error)) from None
        if not isinstance(value, Recipe):
            return value
        if value.name not in recipes:
            raise t.TraitError(
                f"recipe takes a preset, one of {', '.join(map(repr, recipes))}; a custom Recipe came. "
                "Launch it by lab.launch(Experiment(task=..., recipe=...))."
            )
        return value.name

    def _on_message(self, _: Any, content: Any, __: Any) -> None:
        # The kernel routes the page's next message to whatever loop last sent on this comm. Sending in the
        # context of a message keeps them on the loop that it came by, which a running cell does not block.
        self._context = copy_context()
        kind = content.get("kind") if isinstance(content, dict) else None
        if kind == "hello":
            self.send({"kind": "hello"})
        elif kind in ("launch", "stop"):
            job = threading.Thread(target=copy_context().run, args=(self._serve, content), daemon=True)
            job.start()

    def _serve(self, content: dict[str, Any]) -> None:
        """Do what the page asks and answer it."""
        answer = {"request": content.get("request")}
        try:
            if content["kind"] == "launch":
                self.launch(Experiment.from_dict(content.get("experiment")))
            else:
                self._stop_run(content.get("run"))
        except Exception as error:  # whatever it is, the page must hear of it
            text = (isinstance(error, OSError) and error.strerror) or str(error)
            self.send({"kind": "refused", "message": text or type(error).__name__, **answer})
        else:
            self.send({"kind": "done", **answer})

    def _stop_run(self, name: object) -> None:
        run = next((run for run in self.runs if run.id == name), None)
        if run is None:
            raise LookupError("There is no such run in this folder any more.")
        run.stop()
        self._wake.set()

    def _follow(self) -> None:
        """The thread: it ends when the widget is closed, which is also all that lets go of a widget."""
        while not self._closed.is_set():
            self._wake.clear()
            if self._context is None:
                self._publish()
            else:
                self._context.run(self._publish)
            self._wake.wait(_LIVE_S if self._feed.is_live else _IDLE_S)

    def _publish(self) -> None:
        """Send the page what is new in the folder."""
        with self._publishing:
            if self._closed.is_set():
                return
            news = self._feed.refresh()
            with self.hold_sync():
                self._shown = self._with_new([row["id"] for row in news["_rows"]])
                for name, value in news.items():
                    setattr(self, name, value)

    def _with_new(self, ids: list[str]) -> list[str]:
        """What is shown, and the runs that were not there before."""
        before = self._seen
        self._seen = {*ids}
        if before is None:
            before = self._seen if self._shown else set()
        new = [name for name in reversed(ids) if name not in before]
        return [*self._shown, *new][-_MOST_SHOWN:] if new else self._shown


def _choice_of(experiment: Experiment | WatchedLoop) -> dict[str, Any]:
    """What of an experiment can be chosen in the lab: neither a task nor a recipe of the user's own."""
    if isinstance(experiment, WatchedLoop):
        return {}
    chosen: dict[str, Any] = {"steps": experiment.steps, "seed": experiment.seed}
    if not experiment.task_source:
        chosen["task"] = experiment.task
    if experiment.recipe.name in recipes:
        chosen["recipe"] = experiment.recipe.name
    return chosen
