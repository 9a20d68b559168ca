"""TrainingLab: choose, launch, watch, stop and compare mixed-precision training runs in the notebook."""

import os
import threading
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any, ClassVar, Unpack

import traitlets as t
from ipywidgets import widget_serialization  # type: ignore[import-untyped]

from mixwidgets.floats.widgets.base import Checked
from mixwidgets.floats.widgets.following_widget import FollowingWidget
from mixwidgets.floats.widgets.frame import frame
from mixwidgets.floats.widgets.loss_scale_explorer.widget import LossScaleExplorer
from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.recipe import Recipe
from mixwidgets.runs.experiments.scenarios import scenarios
from mixwidgets.runs.scheduler.launch import launch
from mixwidgets.runs.scheduler.processes import keep_spare
from mixwidgets.runs.scheduler.recording import train_here
from mixwidgets.runs.store.comparison import comparison_in_json
from mixwidgets.runs.store.figures import NEWEST
from mixwidgets.runs.store.labels import throw_away
from mixwidgets.runs.store.run import Run, checked_run
from mixwidgets.runs.store.snapshots import has_snapshot
from mixwidgets.runs.store.status import stop_runs
from mixwidgets.runs.store.system import can_launch
from mixwidgets.runs.task.catalogue import tasks
from mixwidgets.runs.widgets.training_lab import own_recipes, settings
from mixwidgets.runs.widgets.training_lab.choice import (
    CHOICES,
    LabKeywords,
    as_text,
    checked,
    choice_in,
    choice_of,
    experiments,
    of_text,
    offered,
    offered_recipes,
)
from mixwidgets.runs.widgets.training_lab.requests import REQUESTS
from mixwidgets.runs.widgets.training_lab.runs_folder import FollowedRun, runs_folder
from mixwidgets.runs.widgets.training_lab.told import IN_KERNEL, judged, row, runs_of, with_new
from mixwidgets.support.checks import choice
from mixwidgets.support.languages.choice import chosen_language
from mixwidgets.support.languages.texts import translated

_LIVE_S = 0.1  # between two looks while a run is alive; also the longest time that one look reads
_IDLE_S = 1.0  # otherwise: a run launched elsewhere appears within this time
_BEHIND_S = 0.02  # while there is more to read: leaves time to the kernel's other threads
_MOST_COMPARED = 32  # columns of one table; and runs whose curves are sent
_FIRST = 200  # the newest runs, which the first look shows at once even if there are thousands
_FROM_PAGE = frozenset({"_shown", "_comparison", "_explorer", "_view_count"})
_LONGEST_ID = 255  # characters of a folder's name
_USUAL = {"device": "auto", "settings": "", "changes": ""}  # choices that a state and a repr leave out


class TrainingLab(FollowingWidget):
    """The training runs of one folder: launched here or elsewhere, waiting, running or finished.

    `TrainingLab()` shows the folder "runs"; `TrainingLab(run)` shows the folder of that run, with its curves,
    and chooses its experiment as far as the page can: not a task or a recipe of your own, micro-batches,
    clipping or a time limit. The cell returns at once: each run has its own process (`launch`), and a thread
    reads the journals. The next launch uses `task`, `recipe`, `steps`, `seed` and `device`; recipe and seed
    can be lists. `changes="200: bf16"` changes each run's recipe after 200 steps. `settings` has other
    differences from the task's defaults, as a mapping or a text: `TrainingLab(settings={"loss_weight":
    1e-5})`. A wrong value raises TraitError. `scenario`, a name such as "overflow", chooses runs that show a
    difference between recipes. `own_recipes` are further recipes by name, including those edited and kept in
    the page: `TrainingLab(own_recipes={"low": recipes["fp16_static"].replace(...)}, recipe="low")`. Those
    kept in the page are also in the folder, for the next lab.

    While a page shows the lab and nothing runs, one process waits for the next launch with torch loaded, so
    that the first step comes at once. There is one per kernel, with about 310 MB of memory (torch 2.13 for a
    CPU). It ends with the kernel, or five minutes after a lab was last shown, its choice changed or its last
    run ended.
    """

    _page = "training_lab"
    _state_traits: ClassVar[dict[str, Any]] = {**dict.fromkeys(CHOICES), **_USUAL}
    _REQUESTS: ClassVar[tuple[str, ...]] = tuple(REQUESTS)

    task = Checked(next(iter(tasks)), help="A key of `mixwidgets.tasks`.")
    recipe = Checked[Any](
        "fp16_dynamic", help="A key of `mixwidgets.recipes` or of `own_recipes`, or several."
    )
    own_recipes = t.Dict(help="The user's own recipes by name, which the page offers too.")
    changes = Checked("", help="Changes of recipe in the course of each run, such as '200: bf16'.")
    steps = Checked[Any](None, help="Optimiser steps; default: the task's.")
    seed = Checked[Any](0, help="Determines the initial weights and the order of the examples; or several.")
    device = Checked("auto", help='"auto", "cpu", "cuda" or, by number, "cuda:0".')
    settings = Checked("", help="Such as 'loss_weight=1e-05, eps=1e-12'; \"\": the task's defaults.")

    _tasks: t.List[Any] = t.List(help="The tasks that the page offers.").tag(sync=True)
    _scenarios: t.List[Any] = t.List().tag(sync=True)
    _recipes: t.List[Any] = t.List().tag(sync=True)
    _recipe_form: t.List[Any] = t.List().tag(sync=True)
    _devices: t.List[Any] = t.List().tag(sync=True)
    _figures: t.List[Any] = t.List(help="`figures.NEWEST`.").tag(sync=True)
    _runs_dir = t.Unicode(help="The folder as given, for the page's line of Python.").tag(sync=True)

    _rows: t.List[Any] = t.List(help="The finished runs, newest first (`FollowedRun.row`).").tag(sync=True)
    _live_rows: t.List[Any] = t.List(help="The queued and running ones.").tag(sync=True)
    # The curves of all runs travel as one buffer. `nbconvert --execute` stores every buffer ever sent at its
    # place in the state. With a buffer per run, that place would be gone once the run has left `_live`, and
    # the page that nbconvert writes would fail.
    _settled: "t.Dict[str, bytes]" = t.Dict(
        t.Bytes(), help="The curves of the shown finished runs by id (`FollowedRun.curves`)."
    ).tag(sync=True, to_json=lambda curves, _: frame(curves))
    _live: "t.Dict[str, bytes]" = t.Dict(
        t.Bytes(), help="Those of the running ones; while they run, only what is live is sent."
    ).tag(sync=True, to_json=lambda curves, _: frame(curves))
    _shown = t.List(t.Unicode(), help="The ids of the runs whose curves are drawn.").tag(sync=True)
    _verdict: t.List[Any] = t.List(
        help="The findings about the shown runs of one question, the worst first, with the ids of their runs."
    ).tag(sync=True)
    _code = t.Dict(help="The Python that launches a run again, as `text`, and its id, as `run`.").tag(
        sync=True
    )
    _notice = t.Unicode(help="What could not be read in the folder.").tag(sync=True)

    _comparison = t.Dict(help="The shown comparison (`comparison_in_json`), or {}.").tag(sync=True)
    _explorer = t.Instance(LossScaleExplorer, allow_none=True).tag(sync=True, **widget_serialization)
    _explorer_run = t.Unicode(help="The id of the run that the explorer shows.").tag(sync=True)

    def __init__(
        self,
        runs_dir: str | os.PathLike[str] | Run = "runs",
        *,
        scenario: str | None = None,
        **given: Unpack[LabKeywords],
    ) -> None:
        traits: dict[str, Any] = dict(given)
        if isinstance(runs_dir, Run):
            run, runs_dir = runs_dir, runs_dir.path.parent
            traits = {**choice_of(run.experiment), "_shown": [run.id], **traits}
        self._scenario = None if scenario is None else scenarios[choice("scenario", scenario, scenarios)]
        if self._scenario is not None:
            traits = {**choice_in(self._scenario), **traits}
        self._folder = runs_folder(Path(runs_dir).absolute())
        kept = own_recipes.read_kept(self._folder.path)
        if kept:
            traits["own_recipes"] = {**kept, **traits.get("own_recipes", {})}
        self._looking = threading.RLock()
        self._begun: set[str] | None = None  # ids of the runs that had begun at the last look
        self._has_more = False  # whether that look left out older runs
        self._is_behind = False  # whether it left out a run, or a part of a journal that grows or is shown
        self._over: list[FollowedRun] = []  # the runs of `_rows`
        self._asked: dict[str, object] = {}  # the newest requests for a comparison and for gradients
        self._wants_spare = False  # whether a launch is expected, so that a spare is worth its memory
        self._awaited: set[str] = set()  # runs of the comparison that were alive when it was made
        language = chosen_language(traits.pop("lang", None))
        super().__init__(
            lang=language,
            **traits,
            **offered(language),
            _figures=NEWEST,
            _runs_dir=os.fspath(runs_dir),
        )
        self._offer_recipes()
        self.observe(self._offer_recipes, "own_recipes")
        self.observe(self._follow_task, "task")  # not before: task and steps may both be given here
        self.observe(lambda _: self._again.set(), "_shown")
        self.observe(self._expect_launch, CHOICES)
        self._follow()

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Take what the page may change; the other private traits are only shown there."""
        taken = {n: value for n, value in sync_data.items() if not n.startswith("_") or n in _FROM_PAGE}
        super().set_state(taken)

    def __repr__(self) -> str:
        names = [name for name in CHOICES if name not in _USUAL or getattr(self, name) != _USUAL[name]]
        chosen = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        own = f", own_recipes={self.own_recipes!r}" if self.own_recipes else ""
        return f"TrainingLab({self._runs_dir!r}, {chosen}{own})"

    @property
    def runs(self) -> list[Run]:
        """The folder's runs, newest first."""
        with self._folder.lock:
            self._folder.scan()
            return [followed.run for followed in self._folder.followed.values()]

    def run(self, name: object) -> Run:
        """The run with this id. LookupError if the folder has none."""
        named = next((run for run in self.runs if run.id == name), None)
        if named is None:
            raise LookupError("There is no such run in this folder any more.")
        return named

    def launch(self, experiment: Experiment | None = None, *, trust_source: bool = False) -> Run | list[Run]:
        """Start an experiment, or the chosen ones, each run in its own process, and show them at once.

        Returns a list if several recipes or seeds are chosen; runs without a free device are queued. Where
        runs cannot have processes, as on Windows, they train in this one, one after another. `trust_source`
        is as in `launch`.
        """
        chosen = {name: getattr(self, name) for name in CHOICES}
        wanted = experiments(chosen, self.own_recipes) if experiment is None else [experiment]
        start = launch if can_launch() else train_here
        runs = []
        self._expect_launch()  # the next one, after these
        for each in wanted:
            runs.append(start(each, self._folder.path, trust_source=trust_source))
            self._again.set()
        return runs if len(runs) > 1 else runs[0]

    def stop(self, run: Run | None = None) -> Run | None:
        """Stop a run and return it: the given one, else the newest running one, else the newest waiting one.
        None if there is none. Watched loops go on."""
        if run is None:
            going = self._going()
            run = next((run for run in going if run.status == "running"), next(iter(going), None))
        if run is not None:
            checked_run(run).stop()
            self._again.set()
        return run

    def stop_all(self) -> list[Run]:
        """Stop all runs of the folder, waiting ones first, and return them. Watched loops go on."""
        stopped = self._going()
        stop_runs(run.path for run in stopped)
        self._again.set()
        return stopped

    def label(self, run: Run, **changes: Any) -> None:
        """Give a run a `name`, a `note` (at most 80 and 1,000 characters) or a `star` (True or False), kept
        in its folder. Raises TypeError or ValueError."""
        followed = self._folder.followed[checked_run(run).id]
        followed.relabel(followed.label.changed(changes))
        self._look_anew()

    def throw_away(self, runs: Iterable[Run]) -> list[Path]:
        """Move runs that are over into the folder ".trash" beside them, and return their new places.
        ValueError for one that goes on; then none is moved."""
        there = [checked_run(run) for run in runs]
        for run in there:
            if run.is_alive:
                raise ValueError(f"Run {run.id} is {run.status}: stop it before it is thrown away.")
        places = [throw_away(run) for run in there]
        self._look_anew()
        return places

    def _look_anew(self) -> None:
        """Send all rows with the next look, at once."""
        with self._folder.lock:
            self._over = []
        self._again.set()

    def compare(self, runs: Iterable[Run]) -> None:
        """Show the settings in which these runs differ and their results, updated when one of them ends. No
        runs: close the comparison. ValueError for more than 32 runs."""
        there = [checked_run(run) for run in runs]
        if len(there) > _MOST_COMPARED:
            raise ValueError(
                f"At most {_MOST_COMPARED} runs are compared here; got {len(there)}. "
                "mw.comparison(runs) makes a table of any number."
            )
        asked = self._asked["compare"] = object()
        awaited = {run.id for run in there if run.is_alive}
        comparison = comparison_in_json(there) if there else {}
        with self.hold_sync():
            if self._asked["compare"] is asked:
                self._comparison, self._awaited = comparison, awaited

    def open_gradients(self, run: Run | None, step: int | None = None) -> LossScaleExplorer | None:
        """Show a run's gradients in a LossScaleExplorer that follows it, and return that; None closes it.

        step: the snapshot nearest to it is shown; 0: the newest; None: an open explorer keeps its snapshot.

        LookupError if no gradients are recorded.
        """
        if run is not None:
            checked_run(run)
        before = self._explorer
        if run and before and before.comm is not None and run.id == self._explorer_run:
            if step is not None:
                before.step = step
            return before
        if run and not has_snapshot(run.path):
            raise LookupError("This run has recorded no gradients yet: its first snapshot comes with step 1.")
        asked = self._asked["gradients"] = object()
        opened = LossScaleExplorer(run, step=step or 0, lang=self.lang) if run else None
        with self.hold_sync():
            unwanted = opened
            if self._asked["gradients"] is asked and not self._closed.is_set():
                unwanted, self._explorer = self._explorer, opened
                self._explorer_run = run.id if run else ""
        if unwanted:
            unwanted.close()
        return opened

    def save(self, path: str | os.PathLike[str]) -> Path:
        """As for every widget, with the present state of the runs, even if no page shows it yet, and with the
        curves of those that answer the questions of the stage."""
        with self._looking:  # nothing else is told meanwhile
            self._look()
            while self._look() == _BEHIND_S:
                pass
            asked = [one for one in scenarios.values() if one.question]
            drawn = {*self._shown, *(name for one in asked for name in runs_of(one, self._folder.followed))}
            with self._folder.lock:
                while self._folder.read(self, drawn, _LIVE_S):
                    pass
                over = [run for run in self._folder.followed.values() if not run.is_alive]
            kept = self._settled
            self._settled = {run.run.id: run.curves for run in over if run.run.id in drawn and run.curves}
            try:
                return super().save(path)
            finally:
                self._settled = kept

    def close(self) -> None:
        """Close the widget and its explorer, and end their threads. Runs go on."""
        super().close()
        if self._explorer is not None:
            self._explorer.close()

    @t.default("steps")
    def _default_steps(self) -> int:
        return tasks[self.task].steps

    def _follow_task(self, change: Any) -> None:
        """Use the new task's default steps unless the user chose others, and drop settings that it does not
        accept."""
        if self.steps == tasks[change.old].steps:
            self.steps = tasks[change.new].steps
        self.settings = settings.fitting(self.settings, change.new)

    @t.validate(*CHOICES)
    def _validate_choice(self, proposal: Any) -> Any:
        try:
            return checked(proposal.trait.name, proposal.value, self.task, self.own_recipes)
        except (TypeError, ValueError) as error:
            raise t.TraitError(str(error)) from None

    @t.validate("own_recipes")
    def _validate_own_recipes(self, proposal: Any) -> dict[str, Recipe]:
        try:
            return own_recipes.checked(proposal.value)
        except (TypeError, ValueError) as error:
            raise t.TraitError(str(error)) from None

    def _offer_recipes(self, _: object = None) -> None:
        """Offer the recipes in the page, and choose none that no longer exists."""
        offer = offered_recipes(self.own_recipes, self.lang)
        there = {recipe["name"] for recipe in offer}
        chosen = self.recipe if isinstance(self.recipe, list) else [self.recipe]
        self._look_anew()  # rows have the names of own recipes
        with self.hold_sync():
            self.recipe = [name for name in chosen if name in there] or "fp16_dynamic"
            if any(
                change.partition(": ")[2] not in there for change in filter(None, self.changes.split(", "))
            ):
                self.changes = ""
            self._recipes = offer

    @t.validate("_shown")
    def _validate_shown(self, proposal: Any) -> list[str]:
        """The newest ids, a limited number because each is sent with its curves."""
        names = [name for name in proposal.value if len(name) <= _LONGEST_ID]
        return list(dict.fromkeys(names))[-_MOST_COMPARED:]

    def _state_value(self, name: str) -> Any:
        return as_text(name, super()._state_value(name))

    def _take_state(self, traits: dict[str, Any]) -> None:
        super()._take_state({name: of_text(name, value) for name, value in traits.items()})

    def _going(self) -> list[Run]:
        """The runs that can be stopped, newest first."""
        return [run for run in self.runs if isinstance(run.experiment, Experiment) and run.is_alive]

    def _look(self) -> float:
        """The first look sends rows, later ones also curves."""
        with self._looking:
            with self._folder.lock:
                seconds = 0 if self._begun is None else _LIVE_S
                asked = self._shown
                shown = self._shown_now()
                self._is_behind = self._folder.read(self, shown, seconds) or self._has_more
                traits, is_live = self._news(shown), self._folder.is_live
            if shown != asked:  # else the page may have chosen others meanwhile
                traits["_shown"] = shown
            self._tell(**traits)
        if self._wants_spare and self._views and not is_live:
            self._wants_spare = False
            keep_spare()
        if not self._awaited.isdisjoint(row["id"] for row in self._rows):
            self._awaited = set()
            self._begin(self._compare_again)
        return _BEHIND_S if self._is_behind else _LIVE_S if is_live else _IDLE_S

    def _shown_now(self) -> list[str]:
        """Look at the folder, at first only for the newest runs. Returns the ids of the runs to show: those
        shown before, and new ones that have begun, of the newest one's question; if none was shown, the first
        look shows the runs of the scenario that was asked for or, without one, the newest of one task."""
        is_first, had_more, shown = self._begun is None, self._has_more, self._shown
        self._has_more = self._folder.look(_FIRST if is_first else None)
        followed = self._folder.followed
        begun = [name for name, run in followed.items() if not run.is_waiting]
        before, self._begun = self._begun or set(), set(begun)
        if is_first and self._scenario is not None and not shown:
            shown = runs_of(self._scenario, self._folder.followed)
            before = self._begun
        if had_more or (is_first and shown):
            before = self._begun  # older runs are not news
        new = [name for name in reversed(begun) if name not in before]
        return with_new(followed, shown, new, is_first=is_first)

    def _news(self, shown: Collection[str]) -> dict[str, Any]:
        """The traits that follow the folder."""
        there = self._folder.followed
        live = [run for run in there.values() if run.is_alive]
        over = [run for run in there.values() if not run.is_alive]
        # The rows of many runs are large: while journals are read, they are sent only if a run came or ended.
        is_new = not self._is_behind or over != self._over
        self._over = over if is_new else self._over
        in_kernel = "" if can_launch() else translated(IN_KERNEL, self.lang)
        return {
            "_rows": [row(run, self.own_recipes) for run in over] if is_new else self._rows,
            "_live_rows": [row(run, self.own_recipes) for run in live],
            "_settled": {run.run.id: run.curves for run in over if run.run.id in shown and run.curves},
            "_live": {run.run.id: run.curves for run in live if run.run.id in shown and run.curves},
            "_verdict": judged([there[name] for name in shown if name in there], self.own_recipes, self.lang),
            "_notice": " ".join(filter(None, [in_kernel, self._folder.notice])),
        }

    def _tell_fault(self, fault: str) -> None:
        self._tell(_notice=fault)

    def _hear(self, content: dict[str, Any]) -> None:
        if content.get("kind") == "hello":
            self._expect_launch()
        super()._hear(content)

    def _expect_launch(self, _: object = None) -> None:
        self._wants_spare = True

    def _compare_again(self) -> None:
        there, names = {run.id: run for run in self.runs}, self._comparison.get("runs", [])
        self.compare(there[name] for name in names if name in there)

    def _do(self, content: dict[str, Any]) -> None:
        REQUESTS[content["kind"]](self, content)
