"""Playground: a small network that trains in the page, next to its twin in float32."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

import numpy as np
import traitlets as t
from numpy.typing import NDArray

from mixwidgets.floats.widgets.base import Checked
from mixwidgets.floats.widgets.frame import frame, read_frame
from mixwidgets.support.checks import choice, whole_number
from mixwidgets.teaching.widgets.playground.settings import DEFAULTS, STORIES, experiment_of
from mixwidgets.teaching.widgets.settings import NetworkWidget, Settings, as_text
from mixwidgets.teaching.widgets.training_step.widget import DEFAULTS as STEP_DEFAULTS
from mixwidgets.teaching.widgets.training_step.widget import TrainingStep

if TYPE_CHECKING:
    import pandas as pd

    from mixwidgets.runs.experiments.experiment import Experiment

_COLUMNS = ("step", "loss_float32", "loss", "loss_scale", "skipped")
MOST_ROWS = 2048  # of the history
STEP_SETTINGS = [name for name in STEP_DEFAULTS if name in DEFAULTS and name != "steps"]
"""What a training step takes over from a playground, beside the number of its steps."""


def _rows(history: bytes) -> NDArray[np.float64]:
    """The rows of a history, as the page sent it. KeyError or ValueError if they are none."""
    rows = read_frame(history)[1]["rows"]
    if rows.dtype != np.float64 or rows.shape[1:] != (len(_COLUMNS),) or len(rows) > MOST_ROWS:
        raise ValueError("these are no rows of a history")
    counts = rows[:, [0, 4]]
    if not ((counts >= 0) & (counts < 2**53)).all():
        raise ValueError("a step or a number of steps is none")
    return rows


class Playground(NetworkWidget):
    """A small network trains in the page, in the precision that you choose, next to its twin in float32.

    Both have the same seed and the same batches: `Playground()`. All settings can be changed while they
    train.

    story: the name of a preset for all settings; settings passed with it take precedence.

    A wrong setting raises traitlets.TraitError, with what is accepted, and the old value is kept. The page
    needs neither a kernel nor torch: its own engine rounds after each operation, and the same settings give
    the same numbers everywhere.
    """

    _page = "playground"
    _usual = DEFAULTS
    _state_traits: ClassVar[dict[str, Any]] = {
        **{name: as_text(name, value) for name, value in DEFAULTS.items()},
        "task": None,
        "story": "",
    }

    steps = Checked(DEFAULTS["steps"], partial(whole_number, "steps", low=1, high=100_000))
    """The step at which Play pauses, 1 … 100,000; training can be continued from there."""
    story = Checked("", partial(choice, "story", accepted=("", *STORIES)))
    """The name of the current story, or "". Setting it changes all settings to the story's."""

    _follows_story = False  # whether setting a story changes the settings

    _history = t.Bytes(
        frame({"rows": np.empty((0, len(_COLUMNS)))}), help='A frame: "rows", float64, with these _COLUMNS.'
    ).tag(sync=True, from_json=lambda data, _: bytes(memoryview(data)))

    def __init__(self, story: str | None = None, **settings: Unpack[Settings]) -> None:
        self.reject_unknown(settings)
        self.story = story or ""
        super().__init__(**{**STORIES.get(self.story, {}), **settings})
        self._follows_story = True

    @property
    def history(self) -> "pd.DataFrame":
        """The training history when the page was last idle, by "step": the losses of the step's batch,
        "loss_float32" and "loss", the "loss_scale", and whether the step was "skipped" because of inf or NaN
        gradients (1 or 0).

        A row is one step or, for more than 2,048 steps, the 2, 4, … steps up to "step": their mean losses,
        and how many were skipped. Empty if no page has trained.
        """
        import pandas as pd

        table = pd.DataFrame(_rows(self._history).copy(), columns=list(_COLUMNS))
        return table.astype({"step": "int64", "skipped": "int64"})

    @property
    def experiment(self) -> "Experiment":
        """The task "digits" with these settings, for `launch` and `train`: the task "digits_mlp" of the core.

        Its initial weights and its batches are torch's own. ValueError names everything that the core cannot
        express.
        """
        return experiment_of({name: getattr(self, name) for name in DEFAULTS})

    def training_step(self, **settings: Any) -> TrainingStep:
        """The next step here, followed through its stations: a TrainingStep with these settings, after as
        many steps as the page had taken when it was last idle.

        It trains with the present settings from the first step on; changes of settings and of weights while
        the page trained are not repeated. settings: what TrainingStep takes; they take precedence, such as
        `weight=(1, 2, 1)`. traitlets.TraitError after more than 1,000 steps, unless `steps` is given.
        """
        seen = {name: getattr(self, name) for name in STEP_SETTINGS}
        steps = sum(int(step) for step, *_ in _rows(self._history)[-1:])
        return TrainingStep(**{"lang": self.lang, **seen, "float32_steps": 0, "steps": steps, **settings})

    @t.validate("_history")
    def _validate_history(self, proposal: Any) -> bytes:
        data = bytes(proposal.value)
        try:
            _rows(data)
        except (KeyError, ValueError):
            rows = f"at most {MOST_ROWS} rows of {len(_COLUMNS)} float64 numbers"
            raise t.TraitError(f"a history is a frame with {rows}") from None
        return data

    @t.observe("story")
    def _tell_story(self, change: Any) -> None:
        if self._follows_story and change["new"]:
            for name, value in {**DEFAULTS, **STORIES[change["new"]]}.items():
                setattr(self, name, value)

    def _content(self) -> str:
        units = "-".join(map(str, self.layers)) or "none"
        lines = [
            f"{self.task}, hidden units {units}: weights in {self.weight_format}, activations in "
            f"{self.activation_format}, gradients in {self.gradient_format}"
        ]
        for step, wide, loss, *_ in _rows(self._history)[-1:]:
            lines.append(f"step {step:.0f}: loss {loss:.4g}; {wide:.4g} in float32")
        return "\n".join(lines)

    def _take_state(self, traits: dict[str, Any]) -> None:
        with self._story_apart():
            super()._take_state(traits)

    def set_state(self, sync_data: dict[str, Any]) -> None:
        with self._story_apart():
            super().set_state(sync_data)

    @contextmanager
    def _story_apart(self) -> Iterator[None]:
        self._follows_story = False
        try:
            yield
        finally:
            self._follows_story = True

    def __repr__(self) -> str:
        story = [repr(self.story)] if self.story else []
        usual = {**DEFAULTS, **STORIES.get(self.story, {})}
        others = [
            f"{name}={getattr(self, name)!r}" for name in DEFAULTS if getattr(self, name) != usual[name]
        ]
        return f"Playground({', '.join(story + others)})"
