"""TrainingStep: one step of a small network, followed through the five steps of mixed-precision training."""

import json
import reprlib
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

import traitlets as t

from mixwidgets.floats.widgets.base import Checked
from mixwidgets.support.checks import whole_number, yes_or_no
from mixwidgets.teaching.widgets.settings import NetworkWidget, Settings, as_text
from mixwidgets.teaching.widgets.training_step.stations import COLUMNS, NO_STATIONS, read_stations

if TYPE_CHECKING:
    import pandas as pd

_FILE = json.loads(files(__package__).joinpath("usual.json").read_text(encoding="utf-8"))
DEFAULTS: Mapping[str, Any] = _FILE["usual"]
MOST_STEPS = 1000
_FIRST = [1, 1, 1]  # the weight of any network


def _whole(name: str, low: int, high: int) -> Checked[int]:
    return Checked(DEFAULTS[name], partial(whole_number, name, low=low, high=high))


def _weight(value: object) -> list[int]:
    if isinstance(value, str) or not isinstance(value, Iterable) or len(weight := list(value)) != 3:
        raise TypeError(
            "weight takes (layer, input, unit), from 1, such as (1, 1, 3), and input 0 for the bias; "
            f"got {reprlib.repr(value)}."
        )
    return [
        whole_number("weight's layer", weight[0], 1, 4),
        whole_number("weight's input", weight[1], 0, 64),
        whole_number("weight's unit", weight[2], 1, 32),
    ]


def _scales(value: object) -> list[int]:
    if isinstance(value, str) or not isinstance(value, Iterable) or len(scales := list(value)) % 2:
        raise TypeError(
            "earlier_scales takes log2 of a loss scale and how many steps had it, in turn, such as "
            f"[16, 300, 3, 1]; got {reprlib.repr(value)}."
        )
    for log2, count in zip(scales[::2], scales[1::2], strict=True):
        whole_number("log2 of an earlier scale", log2, -24, 40)
        whole_number("the steps of an earlier scale", count, 1, MOST_STEPS)
    if (steps := sum(scales[1::2])) > MOST_STEPS:
        raise ValueError(f"earlier_scales are those of at most {MOST_STEPS:,} steps; got {steps:,}.")
    return [*map(int, scales)]


def _widths(task: str, layers: list[int]) -> list[int]:
    features, classes = (64, 10) if task == "digits" else (2, 2)
    return [features, *layers, classes]


def _network(task: str, layers: list[int]) -> str:
    return f"{'-'.join(map(str, _widths(task, layers)))} units"


def _is_in_network(weight: list[int], task: str, layers: list[int]) -> bool:
    widths = _widths(task, layers)
    layer, source, unit = weight
    return layer < len(widths) and source <= widths[layer - 1] and unit <= widths[layer]


class StepSettings(Settings, total=False):
    """The settings, as keywords."""

    float32_steps: int
    earlier_scales: Sequence[int]
    weight: Sequence[int]
    all_weights: bool


class TrainingStep(NetworkWidget):
    """One real training step of a small network as a loop: a weight goes through it in its bits.

    `TrainingStep()` shows the step after `float32_steps` in float32 and `steps` with the settings: the
    weight, its copy and the forward pass, the loss times the loss scale, the gradient, the check and the
    update, at each the value in its format beside the value in float32. Both steps begin with the same
    weights, state of the optimiser and batch.

    A wrong setting raises traitlets.TraitError, with what is accepted, and the old value is kept. The page
    needs neither a kernel nor torch.
    """

    _page = "training_step"
    _usual = MappingProxyType({name: DEFAULTS[name] for name in DEFAULTS if name != "weight"})
    _state_traits: ClassVar[dict[str, Any]] = {
        **{name: as_text(name, value) for name, value in DEFAULTS.items()},
        "task": None,
    }

    float32_steps = _whole("float32_steps", 0, MOST_STEPS)
    """Steps before, in float32: the weights after them depend on no format and no loss scale. 0 … 1,000."""
    steps = _whole("steps", 0, MOST_STEPS)
    """Steps after these, with the settings; the next one is shown. 0 … 1,000.

    Without `float32_steps` it is the playground's step of the same settings."""
    earlier_scales = Checked(DEFAULTS["earlier_scales"], _scales)
    """The loss scales of the first of `steps`: log2 of one, and how many steps had it, in turn.

    [16, 300, 3, 1]: 300 steps at S = 2^16, then one at 2^3. The steps after these have the slider's, as all
    have with []. The page writes it when the slider is moved, so that the weights before the step stay."""
    weight = Checked(DEFAULTS["weight"], _weight)
    """The weight that is followed: (layer, input, unit), each from 1; input 0 is the unit's bias.

    It becomes (1, 1, 1) if the network, changed, has no such weight."""
    all_weights = Checked(DEFAULTS["all_weights"], partial(yes_or_no, "all_weights"))
    """Whether all weights are shown together, as shares, instead of one."""

    _stations = t.Bytes(NO_STATIONS, help="A frame, see stations.py.").tag(
        sync=True, from_json=lambda data, _: bytes(memoryview(data))
    )

    def __init__(self, **settings: Unpack[StepSettings]) -> None:
        super().__init__(**settings)

    @property
    def stations(self) -> "pd.DataFrame":
        """The numbers of the chosen weight as the page shows them, a row for each "station".

        "value" is in the "format", "code" the hex digits of its bits, "float32" the same number in float32's
        step, and "error" the difference of the two as a share of float32's: 0.01 is one percent. The gradient
        is multiplied by the loss scale in both; the optimiser's state is that after the step; the update is
        subtracted. Empty if no page has shown the step.
        """
        import pandas as pd

        return pd.DataFrame(read_stations(self._stations), columns=list(COLUMNS))

    @t.validate("weight")
    def _validate_weight(self, proposal: Any) -> list[int]:
        weight: list[int] = proposal.value
        if not _is_in_network(weight, self.task, self.layers):
            network = _network(self.task, self.layers)
            raise t.TraitError(f"weight {tuple(weight)} is not in this network, which has {network}.")
        return weight

    @t.validate("_stations")
    def _validate_stations(self, proposal: Any) -> bytes:
        data = bytes(proposal.value)
        try:
            read_stations(data)
        except ValueError as error:
            raise t.TraitError(str(error)) from None
        return data

    @t.observe("task", "layers")
    def _keep_weight(self, _: Any) -> None:
        if not _is_in_network(self.weight, self.task, self.layers):
            self.weight = _FIRST

    def _content(self) -> str:
        scale = "no loss scale" if self.loss_scale == "none" else f"S = 2^{self.log2_loss_scale}"
        step = self.float32_steps + self.steps + 1
        return (
            f"step {step} of {self.task}, {_network(self.task, self.layers)}, {scale}: weights in "
            f"{self.weight_format}, activations in {self.activation_format}, "
            f"gradients in {self.gradient_format}"
        )

    def __repr__(self) -> str:
        others = [
            f"{name}={getattr(self, name)!r}" for name in DEFAULTS if getattr(self, name) != DEFAULTS[name]
        ]
        return f"TrainingStep({', '.join(others)})"
