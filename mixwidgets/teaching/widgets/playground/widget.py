"""Playground: a small network that trains in the page, next to its twin in float32."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import traitlets as t
from numpy.typing import NDArray

from mixwidgets.floats.widgets.base import Checked, MixWidget
from mixwidgets.floats.widgets.frame import frame, read_frame
from mixwidgets.runs.task.digit_rows import digit_rows
from mixwidgets.support.checks import choice
from mixwidgets.teaching.widgets.playground.settings import (
    DEFAULTS,
    STORIES,
    as_text,
    checked,
    experiment_of,
    of_text,
)

if TYPE_CHECKING:
    import pandas as pd

    from mixwidgets.runs.experiments.experiment import Experiment

_COLUMNS = ("step", "loss_float32", "loss", "loss_scale", "skipped")
MOST_ROWS = 2048  # of the history


def _rows(history: bytes) -> NDArray[np.float64]:
    """The rows of a history, as the page sent it. KeyError or ValueError if they are none."""
    rows = read_frame(history)[1]["rows"]
    if rows.dtype != np.float64 or rows.shape[1:] != (len(_COLUMNS),) or len(rows) > MOST_ROWS:
        raise ValueError("these are no rows of a history")
    counts = rows[:, [0, 4]]
    if not ((counts >= 0) & (counts < 2**53)).all():
        raise ValueError("a step or a number of steps is none")
    return rows


def _setting(name: str) -> Checked[Any]:
    return Checked(DEFAULTS[name], partial(checked, name))


class Playground(MixWidget):
    """A small network trains in the page, in the precision that you choose, next to its twin in float32.

    Both have the same seed and the same batches: `Playground()`. All settings can be changed while they
    train.

    story: the name of a preset for all settings; settings passed with it take precedence.

    A wrong setting raises traitlets.TraitError, with what is accepted, and the old value is kept. The page
    needs neither a kernel nor torch: its own engine rounds after each operation, and the same settings give
    the same numbers everywhere.
    """

    _page = "playground"
    _state_traits: ClassVar[dict[str, Any]] = {
        **{name: as_text(name, value) for name, value in DEFAULTS.items()},
        "task": None,
        "story": "",
    }

    task = _setting("task")
    """The task: "circle", "xor", "gaussians" or "spiral" in the plane, or scikit-learn's "digits"."""
    layers = _setting("layers")
    """Units of each hidden layer, up to three layers of 1 … 32; none: a linear classifier."""
    activation = _setting("activation")
    """The activation of hidden units: "tanh" or "relu"."""
    weight_format = _setting("weight_format")
    """The format of the weights used in the passes and, without master weights, of the kept weights.

    Any signed format of the catalogue up to 32 bits, by name, alias or dtype, or your own IEEE-like format,
    such as "custom_e5m7"."""
    activation_format = _setting("activation_format")
    """The format of inputs and activations."""
    gradient_format = _setting("gradient_format")
    """The format of every gradient, including the loss scale."""
    master_weights = _setting("master_weights")
    """Whether float32 weights are kept and updated, and the passes use copies of them."""
    accumulation = _setting("accumulation")
    """Whether sums of products are accumulated in "float32" or rounded to the "format" after each term."""
    weight_rounding = _setting("weight_rounding")
    """How updated weights are rounded without master weights: "nearest" or "stochastic"."""
    optimizer = _setting("optimizer")
    """"sgd", "momentum" or "adam"."""
    learning_rate = _setting("learning_rate")
    """The optimiser's step size."""
    momentum = _setting("momentum")
    """The momentum of the optimiser "momentum", from 0 to below 1."""
    eps = _setting("eps")
    """Adam's eps."""
    optimizer_format = _setting("optimizer_format")
    """The format of the optimiser's state between steps."""
    loss_scale = _setting("loss_scale")
    """"none", "static" (the slider's value) or "dynamic" (starts at the slider's value)."""
    log2_loss_scale = _setting("log2_loss_scale")
    """The slider's position: −24 … 40."""
    growth_interval = _setting("growth_interval")
    """Good steps in a row after which a dynamic loss scale doubles."""
    loss_weight = _setting("loss_weight")
    """A constant factor in the loss itself; a small one makes every gradient small."""
    batch_size = _setting("batch_size")
    """Examples per step, 1 … 64."""
    seed = _setting("seed")
    """Determines the initial weights, the order of the examples and stochastic rounding."""
    steps = _setting("steps")
    """The step at which Play pauses, 1 … 100,000; training can be continued from there."""
    story = Checked("", partial(choice, "story", accepted=("", *STORIES)))
    """The name of the current story, or "". Setting it changes all settings to the story's."""

    _follows_story = False  # whether setting a story changes the settings

    _digits = t.Bytes(read_only=True).tag(sync=True)  # `digit_rows`
    _history = t.Bytes(
        frame({"rows": np.empty((0, len(_COLUMNS)))}), help='A frame: "rows", float64, with these _COLUMNS.'
    ).tag(sync=True, from_json=lambda data, _: bytes(memoryview(data)))

    def __init__(self, story: str | None = None, *, lang: str | None = None, **settings: Any) -> None:
        self.reject_unknown(settings)
        self.story = story or ""
        self.set_trait("_digits", digit_rows())
        super().__init__(lang=lang, **{**STORIES.get(self.story, {}), **settings})
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

    def _state_value(self, name: str) -> Any:
        return as_text(name, super()._state_value(name))

    def _take_state(self, traits: dict[str, Any]) -> None:
        read = {name: of_text(name, value) for name, value in traits.items()}
        with self._story_apart():
            super()._take_state(read)

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """State from the page, accepted unchanged or rejected as a whole."""
        with self._story_apart():
            try:
                super().set_state(sync_data)
            except (TypeError, ValueError, t.TraitError):
                self.send_state([*DEFAULTS, "story"])  # the page shows the last valid settings again

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
