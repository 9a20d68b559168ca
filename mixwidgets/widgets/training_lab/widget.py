"""TrainingLab: choose, launch, watch, stop and compare mixed-precision training runs in the notebook."""

from __future__ import annotations

import os
from typing import Any, ClassVar

import traitlets as t

from mixwidgets.experiments.experiment import Experiment
from mixwidgets.experiments.recipe import recipes
from mixwidgets.experiments.recipe_words import brief, describe, heading
from mixwidgets.languages.choice import chosen_language
from mixwidgets.languages.texts import translated
from mixwidgets.scheduler.launch import launch
from mixwidgets.store.devices import choosable_devices
from mixwidgets.store.run import Run
from mixwidgets.store.stopping import stop_runs
from mixwidgets.task.catalogue import tasks
from mixwidgets.widgets.requests import answer
from mixwidgets.widgets.training_lab.choice import CHOICES, as_text, checked, choice_of, experiments, of_text
from mixwidgets.widgets.training_lab.requests import REQUESTS
from mixwidgets.widgets.training_lab.runs_panels import RunsPanels


class _Chosen(t.TraitType[Any, Any]):
    """A field of the next experiment. Anything comes in, None too: the experiment's own check decides."""


class TrainingLab(RunsPanels):
    """Training runs of one folder: launched here or elsewhere, waiting, going on or over.

    `TrainingLab()` shows the folder "runs"; `TrainingLab(run)` the folder of that run with its curves and its
    experiment chosen. The cell returns at once: each run is a process of its own (`launch`), and a thread
    follows the journals. `task`, `recipe`, `steps`, `seed` and `device` are what the next launch takes; of
    recipes and seeds one or several. A wrong one is a TraitError.
    """

    _page = "training_lab"
    _state_traits: ClassVar[dict[str, Any]] = {**dict.fromkeys(CHOICES), "device": "auto"}

    task = _Chosen(next(iter(tasks)), help="A key of `mixwidgets.tasks`.").tag(sync=True)
    recipe = _Chosen("fp16_dynamic", help="A key of `mixwidgets.recipes`, or several.").tag(sync=True)
    steps = _Chosen(help="Optimiser steps; default: the task's.").tag(sync=True)
    seed = _Chosen(0, help="Decides the first weights and the order of the examples; or several.").tag(
        sync=True
    )
    device = _Chosen("auto", help='"auto", "cpu", "cuda" or, by number, "cuda:0".').tag(sync=True)

    _tasks: t.List[Any] = t.List(help="What can be chosen, for the page.").tag(sync=True)
    _recipes: t.List[Any] = t.List().tag(sync=True)
    _devices: t.List[Any] = t.List().tag(sync=True)
    _runs_dir = t.Unicode(help="The folder, as it was given: for the page's line of Python.").tag(sync=True)

    def __init__(
        self, runs_dir: str | os.PathLike[str] | Run = "runs", *, lang: str | None = None, **traits: Any
    ) -> None:
        if isinstance(runs_dir, Run):
            run, runs_dir = runs_dir, runs_dir.path.parent
            traits = {**choice_of(run.experiment), "_shown": [run.id], **traits}
        language = chosen_language(lang)
        super().__init__(
            runs_dir,
            lang=language,
            **traits,
            _tasks=[
                {
                    "name": task.name,
                    "title": translated(task.title, language),
                    "explanation": translated(task.explanation, language),
                }
                for task in tasks.values()
            ],
            _recipes=[
                {
                    "name": name,
                    "heading": heading(recipe, language),
                    "brief": brief(recipe, language),
                    "description": describe(recipe, language),
                }
                for name, recipe in recipes.items()
            ],
            _devices=choosable_devices(),
            _runs_dir=os.fspath(runs_dir),
        )
        self.observe(self._follow_task, "task")  # from now on: both may be given at the start
        self._follow()

    def __repr__(self) -> str:
        names = CHOICES if self.device != "auto" else CHOICES[:-1]
        chosen = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"TrainingLab({self._runs_dir!r}, {chosen})"

    def run(self, name: object) -> Run:
        """The folder's run of this id; LookupError where there is none."""
        found = next((run for run in self.runs if run.id == name), None)
        if found is None:
            raise LookupError("There is no such run in this folder any more.")
        return found

    def launch(self, experiment: Experiment | None = None) -> Run | list[Run]:
        """Start an experiment, or what is chosen, each run in a process of its own; they are shown at once.

        A list comes back where several recipes or seeds are chosen; those for which no device is free wait in
        line.
        """
        chosen = {name: getattr(self, name) for name in CHOICES}
        wanted = experiments(chosen) if experiment is None else [experiment]
        runs = []
        for one in wanted:
            runs.append(launch(one, self._feed.runs_dir))
            self._again.set()
        return runs if len(runs) > 1 else runs[0]

    def stop(self, run: Run | None = None) -> Run | None:
        """Stop a run and return it: the given one, else the newest that runs, else the newest that waits.
        None where none does. Watched loops go on."""
        if run is None:
            going = self._going()
            run = next((one for one in going if one.status == "running"), next(iter(going), None))
        if run is not None:
            run.stop()
            self._again.set()
        return run

    def stop_all(self) -> list[Run]:
        """Stop all runs of the folder, those that wait first, and return them. Watched loops go on."""
        stopped = self._going()
        stop_runs(run.path for run in stopped)
        self._again.set()
        return stopped

    @t.default("steps")
    def _default_steps(self) -> int:
        return tasks[self.task].steps

    def _follow_task(self, change: Any) -> None:
        """Steps that are the task's default become the next task's; others are the user's, and stay."""
        if self.steps == tasks[change.old].steps:
            self.steps = tasks[change.new].steps

    @t.validate(*CHOICES)
    def _validate_choice(self, proposal: Any) -> Any:
        """The experiment's own check and words."""
        try:
            return checked(proposal.trait.name, proposal.value)
        except (TypeError, ValueError) as error:
            raise t.TraitError(str(error)) from None

    def _state_value(self, name: str) -> Any:
        return as_text(name, super()._state_value(name))

    def _take_state(self, traits: dict[str, Any]) -> None:
        super()._take_state({name: of_text(name, value) for name, value in traits.items()})

    def _going(self) -> list[Run]:
        """The runs that can be stopped, newest first."""
        return [run for run in self.runs if isinstance(run.experiment, Experiment) and run.is_alive]

    def _hear(self, content: dict[str, Any]) -> None:
        kind = content.get("kind")
        if kind == "hello":
            self.send({"kind": "hello"})
        elif isinstance(kind, str) and kind in REQUESTS:
            self._begin(self._serve, content)

    def _serve(self, content: dict[str, Any]) -> None:
        self.send(answer(lambda: REQUESTS[content["kind"]](self, content), content))
