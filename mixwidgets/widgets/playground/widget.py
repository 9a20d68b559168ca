"""Playground: a small network that trains in the page, beside its twin in float32."""

from __future__ import annotations

import json
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import traitlets as t

from mixwidgets.checks import choice
from mixwidgets.task.digit_rows import digit_rows
from mixwidgets.widgets.base import MixWidget
from mixwidgets.widgets.playground.experiment import experiment_of
from mixwidgets.widgets.playground.settings import DEFAULTS, as_text, checked, of_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from mixwidgets.experiments.experiment import Experiment

_COLUMNS = ("step", "loss_float32", "loss", "loss_scale", "skipped")
MOST_ROWS = 2048  # of the history
_ROW = 8 * len(_COLUMNS)


@cache
def stories() -> dict[str, dict[str, Any]]:
    """The settings of each story, by its name; state.ts reads the same file."""
    found: dict[str, dict[str, Any]] = json.loads(
        files(__package__).joinpath("stories.json").read_text(encoding="utf-8")
    )["stories"]
    return found


class Playground(MixWidget):
    """A small network trains in the page, in the precision that you choose, beside its twin in float32.

    Both have the same seed and see the same batches: `Playground()`. Everything can be changed while they
    train.

    story: the name of a preset that sets all else; a setting that comes with it goes before.

    A setting that cannot be trained with is a traitlets.TraitError that says what can, and what was there
    stays. The page needs neither a kernel nor torch: its own engine rounds after each operation, and the same
    settings give the same numbers wherever it runs.
    """

    _page = "playground"
    _state_traits: ClassVar[dict[str, Any]] = {**DEFAULTS, "task": None, "story": ""}

    task = t.Unicode(DEFAULTS["task"]).tag(sync=True)
    """What is learned: "circle", "xor", "gaussians" or "spiral" in the plane, or scikit-learn's "digits"."""
    layers: t.List[int] = t.List(t.Int(), DEFAULTS["layers"]).tag(sync=True)
    """Units of each hidden layer, up to three layers of 1 … 128; none: a linear classifier."""
    activation = t.Unicode(DEFAULTS["activation"]).tag(sync=True)
    """Of hidden units: "tanh" or "relu"."""
    weight_format = t.Unicode(DEFAULTS["weight_format"]).tag(sync=True)
    """The format of the weights that the passes read, and, without master weights, of those that are kept.

    Any signed format of the catalogue up to 32 bits, by name or alias, or one of your own as IEEE formats
    are, such as "custom_e5m7"."""
    activation_format = t.Unicode(DEFAULTS["activation_format"]).tag(sync=True)
    """The format of inputs and activations."""
    gradient_format = t.Unicode(DEFAULTS["gradient_format"]).tag(sync=True)
    """The format of every gradient, with the loss scale in it."""
    master_weights = t.Bool(DEFAULTS["master_weights"]).tag(sync=True)
    """Whether float32 weights are kept and updated, of which the passes read copies."""
    accumulation = t.Unicode(DEFAULTS["accumulation"]).tag(sync=True)
    """Whether sums of products are kept in "float32" or rounded after each term, to the "format"."""
    weight_rounding = t.Unicode(DEFAULTS["weight_rounding"]).tag(sync=True)
    """How updated weights are rounded without master weights: "nearest" or "stochastic"."""
    optimizer = t.Unicode(DEFAULTS["optimizer"]).tag(sync=True)
    """"sgd", "momentum" or "adam"."""
    learning_rate = t.Float(DEFAULTS["learning_rate"]).tag(sync=True)
    """The optimiser's step size."""
    momentum = t.Float(DEFAULTS["momentum"]).tag(sync=True)
    """Of the optimiser "momentum", 0 to below 1."""
    eps = t.Float(DEFAULTS["eps"]).tag(sync=True)
    """Adam's eps."""
    optimizer_format = t.Unicode(DEFAULTS["optimizer_format"]).tag(sync=True)
    """The format of the optimiser's state between steps."""
    loss_scale = t.Unicode(DEFAULTS["loss_scale"]).tag(sync=True)
    """"none", "static" (the slider) or "dynamic" (from the slider on)."""
    log2_loss_scale = t.Int(DEFAULTS["log2_loss_scale"]).tag(sync=True)
    """The slider's place: −24 … 40."""
    growth_interval = t.Int(DEFAULTS["growth_interval"]).tag(sync=True)
    """Good steps in a row after which a dynamic loss scale doubles."""
    loss_weight = t.Float(DEFAULTS["loss_weight"]).tag(sync=True)
    """A constant factor in the loss itself; a small one makes every gradient small."""
    batch_size = t.Int(DEFAULTS["batch_size"]).tag(sync=True)
    """Examples a step, 1 … 256."""
    seed = t.Int(DEFAULTS["seed"]).tag(sync=True)
    """Decides the first weights, the order of the examples and the draws of stochastic rounding."""
    steps = t.Int(DEFAULTS["steps"]).tag(sync=True)
    """Where Play pauses, 1 … 100,000; one may go on from there."""
    story = t.Unicode("").tag(sync=True)
    """The name of the story that is told; "" for none. Set it, and all settings are the story's."""

    _follows_story = False  # whether a story brings its settings: not where it comes with settings

    _digits = t.Bytes(read_only=True).tag(sync=True)  # `digit_rows`
    _history = t.Bytes().tag(
        sync=True, from_json=lambda data, _: bytes(memoryview(data))
    )  # rows of little-endian float64, in the order of _COLUMNS

    def __init__(self, story: str | None = None, *, lang: str | None = None, **settings: Any) -> None:
        self.reject_unknown(settings)
        told = _story(story or "")
        self.set_trait("_digits", digit_rows())
        given = {**stories().get(told, {}), **settings}
        whole = {name: self._checked(name, value) for name, value in given.items()}
        super().__init__(lang=lang, story=told, **whole)
        self._follows_story = True

    @property
    def history(self) -> pd.DataFrame:
        """What was seen until the page last rested, by "step": the losses of the step's batch, "loss_float32"
        and "loss", the "loss_scale", and whether the step was "skipped" for inf or NaN gradients (1 or 0).

        A row is a step; of more than 2,048 steps it is 2, 4, … of them up to "step": their mean losses, and
        how many were skipped. Empty where no page has trained.
        """
        import pandas as pd

        rows = np.frombuffer(self._history, "<f8").reshape(-1, len(_COLUMNS))
        table = pd.DataFrame(rows.copy(), columns=list(_COLUMNS))
        return table.astype({"step": "int64", "skipped": "int64"})

    @property
    def experiment(self) -> Experiment:
        """The digits in these settings, for `launch` and `train`: the task "digits_mlp" of the training core.

        Its first weights and its batches are torch's own. ValueError names all that the core cannot express.
        """
        return experiment_of({name: getattr(self, name) for name in DEFAULTS})

    @t.validate(*DEFAULTS)
    def _validate_setting(self, proposal: Any) -> Any:
        return self._checked(proposal.trait.name, proposal.value)

    @t.validate("story")
    def _validate_story(self, proposal: Any) -> str:
        return _story(proposal.value)

    @t.validate("_history")
    def _validate_history(self, proposal: Any) -> bytes:
        data = bytes(proposal.value)
        rows = np.frombuffer(data[: len(data) // _ROW * _ROW], "<f8").reshape(-1, len(_COLUMNS))
        counts = rows[:, [0, 4]]
        if len(data) % _ROW or len(rows) > MOST_ROWS or not (counts >= 0).all() or not (counts < 2**53).all():
            raise t.TraitError(f"a history is rows of {len(_COLUMNS)} float64 numbers, {MOST_ROWS} at most")
        return data

    @t.observe("story")
    def _tell_story(self, change: Any) -> None:
        if self._follows_story and change["new"]:
            for name, value in {**DEFAULTS, **stories()[change["new"]]}.items():
                setattr(self, name, value)

    def _checked(self, name: str, value: Any) -> Any:
        """The setting's own check and words."""
        try:
            return checked(name, value) if name in DEFAULTS else value
        except (TypeError, ValueError) as error:
            raise t.TraitError(str(error)) from None

    def _state_value(self, name: str) -> Any:
        return as_text(name, super()._state_value(name))

    def state_defaults(self) -> dict[str, Any]:
        return {
            name: as_text(name, value) if value is not None else None
            for name, value in self._state_traits.items()
        }

    def _take_state(self, traits: dict[str, Any]) -> None:
        read = {name: of_text(name, value) for name, value in traits.items()}
        with self._story_apart():
            super()._take_state({name: self._checked(name, value) for name, value in read.items()})

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """State from the page, taken as it is, or refused as a whole."""
        with self._story_apart():
            try:
                super().set_state(sync_data)
            except (TypeError, ValueError, t.TraitError):
                self.send_state([*DEFAULTS, "story"])  # the page shows the last good settings again

    @contextmanager
    def _story_apart(self) -> Iterator[None]:
        self._follows_story = False
        try:
            yield
        finally:
            self._follows_story = True

    def __repr__(self) -> str:
        told = [repr(self.story)] if self.story else []
        usual = {**DEFAULTS, **stories().get(self.story, {})}
        others = [
            f"{name}={getattr(self, name)!r}" for name in DEFAULTS if getattr(self, name) != usual[name]
        ]
        return f"Playground({', '.join(told + others)})"


def _story(name: object) -> str:
    try:
        return choice("story", name, ("", *stories()))
    except ValueError as error:
        raise t.TraitError(str(error)) from None
