"""SweepProgress: how far a sweep is, which cells failed and why, and a Stop button."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import traitlets as t

from mixwidgets.experiments.experiment import Experiment
from mixwidgets.widgets.following_widget import FollowingWidget

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_LOOK_S = 0.2
_MOST_FAILURES = 100  # that the page lists
_LONGEST = 1000  # characters of a reason
_FIELDS = [field.name for field in fields(Experiment) if field.name != "task_source"]


class Swept(Protocol):
    """What is shown of a sweep; `mixwidgets.sweep` gives such a one."""

    @property
    def experiments(self) -> Iterable[Experiment]: ...
    @property
    def counts(self) -> Mapping[str, int]: ...
    @property
    def failures(self) -> Mapping[Experiment, str]: ...
    @property
    def is_over(self) -> bool: ...
    def stop(self) -> object: ...


class SweepProgress(FollowingWidget):
    """A sweep as it goes: `SweepProgress(sweep(grid(experiment, seed=range(8))))`.

    The cell returns at once; a thread looks at the sweep. Closing the widget leaves the sweep alone.
    TypeError for what is no sweep.
    """

    _page = "sweep_progress"
    _REQUESTS: ClassVar[tuple[str, ...]] = ("stop",)

    _counts: t.Dict[str, int] = t.Dict(help="How many cells are done, running, waiting, …").tag(sync=True)
    _failures: t.List[Any] = t.List(help="Of failed cells: `name` and `why`.").tag(sync=True)
    _is_over = t.Bool(False).tag(sync=True)

    def __init__(self, sweep: Swept, **traits: Any) -> None:
        if not all(hasattr(sweep, name) for name in ("experiments", "counts", "failures", "is_over", "stop")):
            raise TypeError(
                f"SweepProgress takes a sweep; a {type(sweep).__name__} came. "
                "Write SweepProgress(sweep(grid(experiment, seed=range(8))))."
            )
        super().__init__(**traits)
        self._sweep = sweep
        self._varied = _varied(sweep.experiments)
        self._look()  # so that a widget that is saved at once is complete
        self._follow()

    def __repr__(self) -> str:
        words = ", ".join(f"{number} {word}" for word, number in self._counts.items() if number)
        return f"SweepProgress({words})"

    def _look(self) -> float | None:
        is_over = self._sweep.is_over  # before the counts: then nothing is missed
        failures = list(self._sweep.failures.items())[:_MOST_FAILURES]
        self._tell(
            _counts=dict(self._sweep.counts),
            _failures=[{"name": self._name(cell), "why": why[:_LONGEST]} for cell, why in failures],
            _is_over=is_over,
        )
        return None if is_over else _LOOK_S

    def _name(self, experiment: Experiment) -> str:
        """What tells it from the others; its title where nothing does."""
        return ", ".join(f"{name} {_text(experiment, name)}" for name in self._varied) or experiment.title

    def _do(self, content: dict[str, Any]) -> None:
        self._sweep.stop()


def _varied(experiments: Iterable[Experiment]) -> list[str]:
    """The fields in which they differ."""
    cells = list(experiments)
    return [name for name in _FIELDS if len({_text(cell, name) for cell in cells}) > 1]


def _text(experiment: Experiment, name: str) -> str:
    value = getattr(experiment, name)
    if name == "recipe":
        return experiment.recipe.name
    if name == "task_options":
        return " ".join(f"{option}={number:g}" for option, number in value.items()) or "default"
    return f"{value:g}" if isinstance(value, float) else str(value)
