"""The base of Recipe, LossScale, Operands and Experiment: immutable fields, validated at construction.

A field's declaration has its check, so that a class lists what it accepts in one place. What several fields
exclude together is left to the class's own `__post_init__`.
"""

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import Field, dataclass, field, fields
from functools import partial
from typing import Any, Literal, Self, Union, get_args, get_origin

from mixwidgets.support.checks import check_names, choice, real_number, whole_number, yes_or_no


def whole(default: int | None, low: int, high: int) -> Any:
    """A field for whole numbers from `low` to `high`."""
    return field(default=default, metadata={"check": partial(whole_number, low=low, high=high)})


def real(default: float | None, accepted: str, low: float, high: float) -> Any:
    """A field for finite numbers from `low` to `high`, described by `accepted` in errors."""
    check = partial(real_number, accepted=accepted, low=low, high=high)
    return field(default=default, metadata={"check": check})


@dataclass(frozen=True, kw_only=True)
class Options:
    """Unknown names raise TypeError. A field's declaration says what it accepts: a Literal, bool, `whole` or
    `real`, and None if that is its default."""

    def __new__(cls, **values: Any) -> Self:
        check_names(cls.__name__, values, [option.name for option in fields(cls)])
        return super().__new__(cls)

    def __post_init__(self) -> None:
        for option in fields(self):
            value = getattr(self, option.name)
            if value is None and option.default is None:
                continue
            if accepted := choices(option):
                choice(option.name, value, accepted)
            elif option.type is bool:
                yes_or_no(option.name, value)
            elif "check" in option.metadata:
                self._settle(option.name, option.metadata["check"](option.name, value))

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed, validated again."""
        return dataclasses.replace(self, **changes)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Made from the JSON values of its fields."""
        return cls(**values)

    def _settle(self, name: str, value: object) -> None:
        """Replace a field's value by its validated form."""
        object.__setattr__(self, name, value)


def choices(option: Field[Any]) -> tuple[str, ...]:
    """The names that a field takes whose type is a Literal, or a Literal or None; empty for any other."""
    kinds = get_args(option.type) if get_origin(option.type) is Union else (option.type,)
    return next((get_args(kind) for kind in kinds if get_origin(kind) is Literal), ())


def flat(fields: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Each field of nested mappings and its value, by a dotted name; a list as a text."""
    for name, value in fields.items():
        if isinstance(value, Mapping):
            yield from flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, ", ".join(value) if isinstance(value, list) else value
