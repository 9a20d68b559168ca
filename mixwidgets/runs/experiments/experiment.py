"""Experiment: everything that determines a training run, validated, immutable and identified by a hash.

Its canonical JSON is what is stored, sent to workers and hashed. So it holds what a name stands for: of a
preset the Recipe, of a user's class the source text, of an omitted field the task's default.
"""

import dataclasses
import hashlib
import json
import math
import re
import reprlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Literal, Self, cast

from mixwidgets.runs.experiments.options import Options, later, real, whole
from mixwidgets.runs.experiments.recipe import Recipe, as_recipe, recipes
from mixwidgets.runs.task.catalogue import tasks
from mixwidgets.runs.task.own_task import check_protocol, check_source, own_spec, source_of
from mixwidgets.runs.task.spec import DEFAULTS, TaskSpec
from mixwidgets.support.checks import check_names, choice, whole_number
from mixwidgets.support.frozen import FrozenDict

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
    phases: tuple[tuple[int, Recipe], ...] = later(())
    """Recipes that follow each other in one run, each after so many steps, instead of `recipe`:
    `[(0, "fp16_dynamic"), (200, "bf16")]` trains in "bf16" from step 201 on. Weights go on as they are kept
    (rounded to nearest where the new format is narrower), and so do the optimiser's state, the data and the
    schedule. A loss scale goes on if its rule stays the same; delayed scaling forgets its amax histories. All
    recipes have the same `loop`. A single phase is stored as `recipe`; with several, `recipe` is the first.
    """
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
    """The optimiser's step size, above 0; default: the task's. With a warm-up or a schedule, its largest."""
    schedule: Literal["constant", "cosine"] = later(_FROM_TASK)
    """The learning rate after the warm-up: "constant", or falling to nearly 0 along half a cosine (Loshchilov
    and Hutter, "SGDR", ICLR 2017, arXiv:1608.03983, eq. 5 without restarts). Default: the task's."""
    warmup: float = later(real(_FROM_TASK, "a number from 0 to 1", 0.0, 1.0))
    """The share of the steps, 0 … 1, in which the learning rate grows linearly from 0 (Goyal et al.,
    "Accurate, Large Minibatch SGD", 2017, arXiv:1706.02677, section 2.2). Default: the task's."""
    momentum: float = real(_FROM_TASK, "a number from 0 to below 1", 0.0, math.nextafter(1, 0))
    """SGD's momentum, 0 … 1 (1 excluded); must be 0 for Adam. Default: the task's."""
    beta2: float = later(real(_FROM_TASK, "a number from 0 to below 1", 0.0, math.nextafter(1, 0)))
    """The decay of Adam's mean of squared gradients, 0 … 1 (1 excluded); SGD does not use it. That of the
    mean of gradients is 0.9. Default: the task's."""
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
    record_dy: bool = later(False)
    """Whether each snapshot also has dy, the gradient of a linear layer's output, for each linear layer: what
    a recipe with `operands` rounds in the backward pass. See `GradientSnapshot.output_gradients`."""
    time_limit_s: float | None = real(None, f"{_ABOVE_ZERO}, or None", _TINY, math.inf)
    """Seconds after which the run ends with the reason "time_limit", above 0; None: no limit."""

    def __post_init__(self) -> None:
        spec = self._settle_task()
        for name in DEFAULTS:
            if getattr(self, name) is None:
                self._settle(name, getattr(spec, name))
        super().__post_init__()
        phases = _phases(self.phases, self.steps)
        if phases:
            if self.recipe not in (recipes["fp32"], phases[0][1]):
                raise ValueError(
                    f"recipe is {self.recipe.name!r}, and phases begins with {phases[0][1].name!r}: "
                    "leave out recipe, or begin with it."
                )
            self._settle("recipe", phases[0][1])
        self._settle("phases", phases if len(phases) > 1 else ())
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
        """A copy with some fields changed, validated again. Another task does not keep this one's source, and
        another recipe not the phases, nor new phases the recipe."""
        if "recipe" in changes or "phases" in changes:
            changes = {"recipe": "fp32", "phases": (), **changes}
        if changes.get("task", self.task) != self.task:
            changes = {"task_source": "", **changes}
        return super().replace(**changes)

    @property
    def title(self) -> str:
        """A one-line description."""
        return f"{self.task}, {self.recipes_named()}, {self.steps} steps, seed {self.seed}"

    @property
    def loss_weight(self) -> float:
        """The constant factor in the loss: the task option of this name, default 1."""
        return self.task_options.get("loss_weight", 1.0)

    def learning_rate_at(self, step: int) -> float:
        """The learning rate of a step, counted from 1. The last step of the warm-up is the first with the
        full rate; the cosine's first step has it too, and its last one a little more than 0."""
        growing = round(self.warmup * self.steps)
        if 0 < step <= growing:
            return self.learning_rate * (step / growing)
        if self.schedule == "constant":
            return self.learning_rate
        done = (step - 1 - growing) / (self.steps - growing)
        return self.learning_rate * (1 + math.cos(math.pi * done)) / 2

    @property
    def recipes(self) -> tuple[Recipe, ...]:
        """The recipes of its phases, or the one."""
        return tuple(recipe for _, recipe in self.phases) or (self.recipe,)

    def recipe_at(self, step: int) -> Recipe:
        """The recipe of a step, counted from 1."""
        return next((recipe for after, recipe in reversed(self.phases) if step > after), self.recipe)

    def recipe_name_at(self, step: int) -> str:
        """Its name."""
        return self.recipe_at(step).name

    def recipes_named(self, name: Callable[[Recipe], str] = attrgetter("name")) -> str:
        """The recipe's name; of phases "fp16_dynamic → bf16 (200)": the second begins after 200 steps."""
        changes = (f" → {name(recipe)} ({after})" for after, recipe in self.phases[1:])
        return name(self.recipe) + "".join(changes)

    def compute_format_at(self, step: int) -> str:
        """The compute format of a step, to which tables of its gradients refer."""
        return self.recipe_at(step).compute_format

    @property
    def id(self) -> str:
        """The first 16 hex digits of the SHA-256 of the canonical JSON. Equal experiments have equal ids."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()[:16]

    def __repr__(self) -> str:
        """The call that makes it."""
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return f"Experiment({', '.join(f'{name}={value!r}' for name, value in fields.items())})"

    def __hash__(self) -> int:
        return hash(self.id)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_json, (self.to_json(),)

    def to_json(self) -> str:
        """The canonical JSON: all fields, except later ones that have their default, and no white space."""
        return json.dumps(self.to_dict(), sort_keys=True, separators=(",", ":"), allow_nan=False)

    def to_dict(self, *, complete: bool = False) -> dict[str, Any]:
        """The fields as JSON values, with the schema version; see `Options.to_dict`."""
        return {"schema": SCHEMA, **super().to_dict(complete=complete)}

    def _is_usual(self, option: dataclasses.Field[Any]) -> bool:
        """A task's default is left out only if it is that of most tasks."""
        if option.name not in DEFAULTS:
            return super()._is_usual(option)
        usual = getattr(TaskSpec, option.name)
        spec = TaskSpec if self.task_source else tasks[self.task]
        return bool(getattr(self, option.name) == usual == getattr(spec, option.name))

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
        if "recipe" in values:
            values["recipe"] = _of_json(values["recipe"])
        if isinstance(phases := values.get("phases"), list):
            values["phases"] = [
                [_of_json(part) for part in pair] if isinstance(pair, list) else pair for pair in phases
            ]
        return cls(**values)


def _of_json(value: object) -> Any:
    return Recipe.from_dict(value) if isinstance(value, dict) else value


def _phases(value: object, steps: int) -> tuple[tuple[int, Recipe], ...]:
    """The validated phases: in order, from step 0, all of one loop."""
    try:
        pairs = [(after, recipe) for after, recipe in cast("Any", value)]
    except (TypeError, ValueError):
        raise TypeError(
            "phases takes pairs of the steps before it and a recipe, such as [(0, 'fp16_dynamic'), "
            f"(200, 'bf16')]; got {reprlib.repr(value)}."
        ) from None
    phases = [
        (whole_number("A step of phases", after, 0, steps - 1), as_recipe("A recipe of phases", recipe))
        for after, recipe in pairs
    ]
    begins = [after for after, _ in phases]
    if phases and begins[0] != 0:
        raise ValueError(f"phases begins at step 0; got {begins[0]} first: put (0, a recipe) before it.")
    if begins != sorted(set(begins)):
        raise ValueError(f"phases takes each step once, in order; got the steps {begins}.")
    loops = [recipe.loop for _, recipe in phases]
    if len(set(loops)) > 1:
        raise ValueError(
            f"phases has recipes of the loops {loops}: a run cannot change between torch.amp, which keeps "
            "the weights in the model and the loss scale in a GradScaler, and the explicit loop, which keeps "
            "both itself. Take recipes of one loop."
        )
    return tuple(phases)


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
    return FrozenDict({name: options[name].check(number) for name, number in value.items()})


def _batch_size(value: object, spec: TaskSpec) -> int:
    try:
        return whole_number("batch_size", value, 1, spec.training_examples or _LARGEST_BATCH)
    except ValueError as error:
        there = (
            f" {spec.name} has {spec.training_examples} training examples." if spec.training_examples else ""
        )
        raise ValueError(f"{error}{there}") from None
