"""What Recipe, LossScale, Operands and Experiment share: frozen fields that are checked when one is made."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any, Literal, Self, get_args, get_origin

from mixwidgets.checks import check_names, choice, real_number, whole_number, yes_or_no


def whole(default: int | None, low: int, high: int) -> Any:
    """A field that takes whole numbers from `low` to `high`."""
    return field(default=default, metadata={"check": partial(whole_number, low=low, high=high)})


def real(default: float | None, accepted: str, low: float, high: float) -> Any:
    """A field that takes finite numbers from `low` to `high`, in words `accepted`."""
    check = partial(real_number, accepted=accepted, low=low, high=high)
    return field(default=default, metadata={"check": check})


@dataclass(frozen=True, kw_only=True)
class Options:
    """Unknown names raise TypeError. What a field takes is said where it stands: by a Literal, bool, `whole`
    or `real`; None too where that is the default."""

    def __new__(cls, **given: Any) -> Self:
        check_names(cls.__name__, given, [one.name for one in fields(cls)])
        return super().__new__(cls)

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if get_origin(one.type) is Literal:
                choice(one.name, value, get_args(one.type))
            elif one.type is bool:
                yes_or_no(one.name, value)
            elif "check" in one.metadata and (value is not None or one.default is not None):
                self._settle(one.name, one.metadata["check"](one.name, value))

    def replace(self, **changes: Any) -> Self:
        """The same with some fields changed, checked anew."""
        return type(self)(**{**self._fields(), **changes})

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Self:
        """From JSON values of its fields."""
        return cls(**given)

    def _fields(self) -> dict[str, Any]:
        return {one.name: getattr(self, one.name) for one in fields(self)}

    def _settle(self, name: str, value: object) -> None:
        """Put a checked value in the place of the given one."""
        object.__setattr__(self, name, value)
