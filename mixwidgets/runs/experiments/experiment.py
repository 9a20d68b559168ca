"""Experiment: everything that determines a training run, validated, immutable and identified by a hash.

Its canonical JSON is what is stored, sent to workers and hashed. So it holds what a name stands for: of a
preset the Recipe, of a user's class the source text, of an omitted field the task's default.
"""

import dataclasses
import hashlib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, Self, cast

from mixwidgets.runs.experiments.options import Options, real, whole
from mixwidgets.runs.experiments.recipe import Recipe, as_recipe, recipes
from mixwidgets.runs.task.catalogue import tasks
from mixwidgets.runs.task.own_task import check_protocol, check_source, own_spec, source_of
from mixwidgets.runs.task.spec import DEFAULTS, TaskSpec
from mixwidgets.support.checks import check_names, choice, whole_number

SCHEMA = 1
"""The version of the JSON form; a higher one was written by a newer mixwidgets."""

_FROM_TASK: Any = None  # placeholder for the task's default
_LARGEST_BATCH = 1_000_000  # for a task with unlimited examples
_ABOVE_ZERO = "a finite number above 0"
_TINY = 5e-324  # the smallest float above 0


class _NameOrClass:
    """A field that accepts a task's name or a user's class; __post_init__ replaces the class by its name."""

    def __get__(self, experiment: object | None, owner: type) -> str:
        if experiment is None:
            raise AttributeError("task has no default")
        name: str = experiment.__dict__["task"]
        return name

    def __set__(self, experiment: object, value: str | type) -> None:
        experiment.__dict__["task"] = value


class _RecipeOrName:
    """A field that accepts a Recipe or a preset's name and always returns the Recipe."""

    def __get__(self, experiment: object | None, owner: type) -> Recipe:
        return recipes["fp32"] if experiment is None else experiment.__dict__["recipe"]

    def __set__(self, experiment: object, value: Recipe | str) -> None:
        experiment.__dict__["recipe"] = as_recipe("recipe", value)


@dataclass(frozen=True, kw_only=True)
class Experiment(Options):
    """A training run to start: task, recipe, optimiser, steps, seed and device.

    Wrong values raise ValueError, wrong types and unknown names TypeError; both say what is accepted.
    """

    task: _NameOrClass = _NameOrClass()
    """A key of `tasks`, such as "digits_cnn", or a class of your own with the methods listed in
    `mixwidgets.runs.task.own_task`; stored as the class's name."""
    task_source: str = ""
    """The source text of a task of your own, taken from its class."""
    recipe: _RecipeOrName = _RecipeOrName()
    """A Recipe, or a key of `recipes` such as "fp16_dynamic" (stored as the Recipe)."""
    steps: int = whole(_FROM_TASK, 1, 10_000_000)
    """Optimiser steps, 1 … 10 million; default: the task's."""
    seed: int = whole(0, 0, 2**32 - 1)
    """Determines the initial weights and the order of the examples; 0 … 2^32 − 1."""
    device: str = "auto"
    """"auto" (CUDA if available), "cpu", "cuda" or "cuda:1"."""
    task_options: Mapping[str, float] = dataclasses.field(default_factory=dict)
    """Values for the task's `options`. Every task has "loss_weight", a constant factor in the loss itself."""
    optimizer: Literal["adam", "sgd"] = "adam"
    """torch.optim.Adam or torch.optim.SGD, applied to the weights that the recipe keeps."""
    learning_rate: float = real(_FROM_TASK, _ABOVE_ZERO, _TINY, math.inf)
    """The optimiser's step size, above 0; default: the task's."""
    momentum: float = real(_FROM_TASK, "a number from 0 to below 1", 0.0, math.nextafter(1, 0))
    """SGD's momentum, 0 … 1 (1 excluded); must be 0 for Adam. Default: the task's."""
    eps: float = real(_FROM_TASK, _ABOVE_ZERO, _TINY, math.inf)
    """Adam's eps, above 0; SGD does not use it. Default: the task's."""
    batch_size: int = _FROM_TASK
    """Examples per optimiser step, split over the micro-batches; default: the task's."""
    micro_batches: int = 1
    """Backward passes per optimiser step; their gradients are summed in the recipe's `accumulation_format`. A
    batch with fewer examples is processed one example at a time."""
    clip_norm: float | None = real(None, f"{_ABOVE_ZERO}, or None", _TINY, math.inf)
    """The largest allowed global L2 norm of the unscaled gradients, above 0; None: no clipping."""
    summary_every: int = whole(_FROM_TASK, 1, 10_000_000)
    """Optimiser steps between gradient snapshots; default: the task's."""
    fp32_reference: bool = False
    """Whether each snapshot repeats its step in float32 with the same weights and batch, to tell gradients
    that the format flushed to zero from those that are zero anyway. Costs one float32 step per snapshot."""
    time_limit_s: float | None = real(None, f"{_ABOVE_ZERO}, or None", _TINY, math.inf)
    """Seconds after which the run ends with the reason "time_limit", above 0; None: no limit."""

    def __post_init__(self) -> None:
        spec = self._settle_task()
        for name in DEFAULTS:
            if getattr(self, name) is None:
                self._settle(name, getattr(spec, name))
        super().__post_init__()
        self._settle("device", _device(self.device))
        self._settle("task_options", _task_options(self.task_options, spec))
        self._settle("batch_size", _batch_size(self.batch_size, spec))
        self._settle("micro_batches", whole_number("micro_batches", self.micro_batches, 1, self.batch_size))
        if self.optimizer == "adam" and self.momentum:
            raise ValueError(
                f"momentum {self.momentum:g} is for optimizer='sgd'; Adam has its own: leave it at 0."
            )

    def _settle_task(self) -> TaskSpec:
        """Replace a class by its name and source; returns the task's spec."""
        name_or_class: object = self.task
        if isinstance(name_or_class, type) or hasattr(name_or_class, "model"):
            check_protocol(name_or_class)
            task = cast("type", name_or_class)
            self._settle("task", task.__name__)
            self._settle("task_source", source_of(task))
            return own_spec(task.__name__, task)
        if self.task_source:
            check_source(self.task, self.task_source)
            return own_spec(self.task)
        return tasks[choice("task", self.task, tasks)]

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed, validated again. Another task does not keep this one's source."""
        if changes.get("task", self.task) != self.task:
            changes = {"task_source": "", **changes}
        return super().replace(**changes)

    @property
    def title(self) -> str:
        """A one-line description."""
        return f"{self.task}, {self.recipe.name}, {self.steps} steps, seed {self.seed}"

    @property
    def loss_weight(self) -> float:
        """The constant factor in the loss: the task option of this name, default 1."""
        return self.task_options.get("loss_weight", 1.0)

    @property
    def compute_format(self) -> str:
        """The recipe's compute format, to which tables of the gradients refer."""
        return self.recipe.compute_format

    @property
    def id(self) -> str:
        """The first 16 hex digits of the SHA-256 of the canonical JSON. Equal experiments have equal ids."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()[:16]

    def __hash__(self) -> int:
        return hash(self.id)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_json, (self.to_json(),)

    def to_json(self) -> str:
        """The canonical JSON: all fields, sorted keys, no white space."""
        return json.dumps(self.to_dict(), sort_keys=True, separators=(",", ":"), allow_nan=False)

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON values, with the schema version."""
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        nested = {"recipe": self.recipe.to_dict(), "task_options": dict(self.task_options)}
        return {"schema": SCHEMA, **values, **nested}

    @classmethod
    def from_json(cls, text: str) -> Self:
        """An experiment from its JSON; fields may be omitted and `recipe` may be a preset's name."""
        try:
            fields = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"This is not the JSON of an experiment: {error}.") from None
        return cls.from_dict(fields)

    @classmethod
    def from_dict(cls, fields: object) -> Self:
        """An experiment from the JSON values of its fields."""
        if not isinstance(fields, dict):
            raise TypeError(f"An experiment is a JSON object; got a {type(fields).__name__}.")
        schema = fields.get("schema", SCHEMA)
        if schema != SCHEMA:
            raise ValueError(
                f"This experiment has schema {schema!r}; this mixwidgets reads schema {SCHEMA}. "
                "Was it written by a newer version? Then upgrade mixwidgets."
            )
        values = {name: value for name, value in fields.items() if name != "schema"}
        check_names("An experiment", values, [field.name for field in dataclasses.fields(cls)])
        if "task" not in values:
            raise TypeError(f"An experiment needs a task, one of {', '.join(map(repr, tasks))}.")
        if isinstance(values.get("recipe"), dict):
            values["recipe"] = Recipe.from_dict(values["recipe"])
        return cls(**values)


def _device(value: object) -> str:
    if isinstance(value, str) and re.fullmatch(r"auto|cpu|cuda(:(0|[1-9][0-9]{0,2}))?", value):
        return value
    other = isinstance(value, str) and value.startswith(("mps", "xpu"))
    hint = " Apple's and Intel's GPUs are not supported: use 'cpu'." if other else ""
    raise ValueError(
        f"device {value!r} is not known; it is 'auto', 'cpu', 'cuda' or, by number, 'cuda:0'.{hint}"
    )


def _task_options(value: object, spec: TaskSpec) -> Mapping[str, float]:
    if not isinstance(value, Mapping):
        raise TypeError(f"task_options takes a mapping such as {{'loss_weight': 1e-5}}; got {value!r}.")
    options = {option.name: option for option in spec.options}
    check_names("task_options", value, options)
    return MappingProxyType({name: options[name].check(number) for name, number in value.items()})


def _batch_size(value: object, spec: TaskSpec) -> int:
    try:
        return whole_number("batch_size", value, 1, spec.training_examples or _LARGEST_BATCH)
    except ValueError as error:
        there = (
            f" {spec.name} has {spec.training_examples} training examples." if spec.training_examples else ""
        )
        raise ValueError(f"{error}{there}") from None
