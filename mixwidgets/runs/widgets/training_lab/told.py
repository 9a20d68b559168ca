"""What the page of a TrainingLab is told of the runs in its folder: their rows, and the verdict on them."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.recipe import Recipe
from mixwidgets.runs.experiments.scenarios import Scenario
from mixwidgets.runs.store.verdict import Ended, in_json
from mixwidgets.runs.widgets.training_lab import own_recipes
from mixwidgets.runs.widgets.training_lab.runs_folder import FollowedRun

_MOST_UNASKED = 6  # runs whose curves are drawn by default
IN_KERNEL = (
    "Runs with processes of their own need Linux, macOS or WSL, the Linux inside Windows. Launch trains in "
    "the kernel's own process instead, one run after another; they end with the kernel."
)


def row(followed: FollowedRun, own: Mapping[str, Recipe]) -> dict[str, Any]:
    """Its row, in which a recipe of the user's own has its name."""
    row, what = followed.row(), followed.run.experiment
    if "custom" not in row["recipe"] or not isinstance(what, Experiment):
        return row

    def name(recipe: Recipe) -> str:
        return own_recipes.name_of(recipe, own) or recipe.name

    changes = [{"step": after, "recipe": name(recipe)} for after, recipe in what.phases[1:]]
    return {**row, "recipe": what.recipes_named(name), "changes": changes}


def judged(shown: Collection[FollowedRun], own: Mapping[str, Recipe], language: str) -> list[dict[str, Any]]:
    """The verdict on the shown runs that share the last one's question, once all of them are over."""
    asked = [run for run in shown if run.question == list(shown)[-1].question]
    if any(run.is_alive for run in asked):
        return []
    ends = {}
    for run in asked:
        what = run.run.experiment
        if isinstance(what, Experiment):
            name, state = row(run, own)["recipe"].replace("_", " "), run.state.summed_up(what)
            ends[run.run.id] = Ended(name=name, experiment=what, status=run.status, state=state)
    return in_json(ends, language)


def with_new(
    followed: Mapping[str, FollowedRun], shown: Sequence[str], new: Sequence[str], *, is_first: bool
) -> list[str]:
    """The ids of the runs to show: those shown before and the `new` ones, oldest first, of the newest one's
    question; at the first look those of its task."""
    if not new:
        return list(shown)
    asked, newest = [name for name in [*shown, *new] if name in followed], followed[new[-1]]
    most = max(_MOST_UNASKED, len(shown))
    if is_first:
        return [name for name in asked if followed[name].task == newest.task][-most:]
    return [name for name in asked[-most:] if followed[name].question == newest.question]


def runs_of(scenario: Scenario, followed: dict[str, FollowedRun]) -> list[str]:
    """The newest run of each of a scenario's experiments, as far as they are there."""
    ids = {
        one.run.experiment.replace(device="auto").id: name
        for name, one in reversed(followed.items())
        if isinstance(one.run.experiment, Experiment) and one.run.experiment.task == scenario.task
    }
    wanted = [one.replace(device="auto").id for one in scenario.experiments()]
    return [ids[name] for name in wanted if name in ids]
