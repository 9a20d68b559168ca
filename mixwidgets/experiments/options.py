"""What Recipe, LossScale, Operands and Experiment share: frozen fields that are checked when one is made."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self, get_args, get_origin

from mixwidgets.checks import check_names, choice, yes_or_no


@dataclass(frozen=True, kw_only=True)
class Options:
    """Unknown names raise TypeError. Fields annotated as a Literal or as bool take nothing else."""

    def __new__(cls, **given: Any) -> Self:
        check_names(cls.__name__, given, [field.name for field in dataclasses.fields(cls)])
        return super().__new__(cls)

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            if get_origin(field.type) is Literal:
                choice(field.name, getattr(self, field.name), get_args(field.type))
            elif field.type is bool:
                yes_or_no(field.name, getattr(self, field.name))

    def replace(self, **changes: Any) -> Self:
        """The same with some fields changed, checked anew."""
        return type(self)(**{**self._fields(), **changes})

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Self:
        """From JSON values of its fields."""
        return cls(**fields)

    def _fields(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    def _settle(self, name: str, value: object) -> None:
        """Put a checked value in the place of the given one."""
        object.__setattr__(self, name, value)
