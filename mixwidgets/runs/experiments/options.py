"""The base of Recipe, LossScale, Operands and Experiment: immutable fields, validated at construction.

A field's declaration has its check, so that a class lists what it accepts in one place. What several fields
exclude together is left to the class's own `__post_init__`.
"""

import dataclasses
import reprlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import Field, dataclass, field, fields
from functools import partial
from typing import Any, Literal, Self, Union, get_args, get_origin

from mixwidgets.support.checks import check_names, choice, real_number, whole_number, yes_or_no
from mixwidgets.support.shown import html_table


def whole(default: int | None, low: int, high: int) -> Any:
    """A field for whole numbers from `low` to `high`."""
    return field(default=default, metadata={"check": partial(whole_number, low=low, high=high)})


def real(default: float | None, accepted: str, low: float, high: float) -> Any:
    """A field for finite numbers from `low` to `high`, described by `accepted` in errors."""
    check = partial(real_number, accepted=accepted, low=low, high=high)
    return field(default=default, metadata={"check": check})


def some_of(*accepted: str, empty: bool = True) -> Any:
    """A field for some of these names, in this order; by default all. `empty`: whether it may be none."""
    check = partial(_in_order, accepted=accepted, empty=empty)
    return field(default=accepted, metadata={"check": check, "some_of": accepted})


def _in_order(name: str, value: object, accepted: tuple[str, ...], empty: bool) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise TypeError(f"{name} takes some of {accepted}, such as ({accepted[-1]!r},); got {value!r}.")
    named = {choice(name, one, accepted) for one in value}
    if not (named or empty):
        raise ValueError(f"{name} takes at least one of {accepted}; got {value!r}.")
    return tuple(one for one in accepted if one in named)


def names() -> Any:
    """A field for a tuple of names or patterns of names, by default none."""
    return field(default=(), metadata={"check": _as_names, "names": True})


def _as_names(name: str, value: object) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise TypeError(f"{name} takes a tuple of names, such as ('head',); got {reprlib.repr(value)}.")
    given = tuple(value)
    if not all(isinstance(one, str) and one.strip() for one in given):
        raise TypeError(f"{name} takes names, which are texts that are not empty; got {reprlib.repr(given)}.")
    return tuple(dict.fromkeys(one.strip() for one in given))


def later(option: Any) -> Any:
    """A field, given with its default or as a default alone, that came after runs were recorded: their
    identity does not change, because `to_dict` leaves it out while it has its default."""
    declared = option if isinstance(option, Field) else field(default=option)
    return field(default=declared.default, metadata={**declared.metadata, "later": True})


@dataclass(frozen=True, kw_only=True)
class Options:
    """Unknown names raise TypeError. A field's declaration says what it accepts: a Literal, bool, `whole`,
    `real`, `some_of` or `names`, and None if that is its default."""

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

    def to_dict(self, *, complete: bool = False) -> dict[str, Any]:
        """The fields as JSON values; without `complete`, no `later` field that has its default."""
        return {
            option.name: _in_json(getattr(self, option.name), complete)
            for option in fields(self)
            if complete or not (option.metadata.get("later") and self._is_usual(option))
        }

    def differences(self) -> str:
        """The keywords that differ from the defaults, as one writes them; "" if none does."""
        values = {option.name: getattr(self, option.name) for option in fields(self)}
        usual = {option.name: _default(option) for option in fields(self)}
        return ", ".join(f"{name}={_short(v)}" for name, v in values.items() if v != usual[name])

    def _repr_html_(self) -> str:
        rows = [(option.name, _short(getattr(self, option.name))) for option in fields(self)]
        return html_table((), rows, type(self).__name__)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Made from the JSON values of its fields."""
        return cls(**values)

    def _is_usual(self, option: Field[Any]) -> bool:
        return bool(getattr(self, option.name) == option.default)

    def _settle(self, name: str, value: object) -> None:
        """Replace a field's value by its validated form."""
        object.__setattr__(self, name, value)


def _short(value: object) -> str:
    return f"{type(value).__name__}({value.differences()})" if isinstance(value, Options) else repr(value)


def _default(option: Field[Any]) -> Any:
    return option.default if option.default_factory is dataclasses.MISSING else option.default_factory()


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


def _in_json(value: Any, complete: bool) -> Any:
    if isinstance(value, Options):
        return value.to_dict(complete=complete)
    if isinstance(value, tuple):
        return [_in_json(item, complete) for item in value]
    return dict(value) if isinstance(value, Mapping) else value
