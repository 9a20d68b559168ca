"""A trait whose check raises errors that say what is accepted, in place of traitlets' own."""

from collections.abc import Callable
from typing import Any, TypeVar

import traitlets

T = TypeVar("T")


class Checked(traitlets.TraitType[T, Any]):
    """A trait that is sent to the page. `check` gets each new value and gives the one that is kept.

    Its TypeError or ValueError becomes a TraitError with the same words, and the old value is kept. Without
    `check`, the widget validates the trait, such as together with others.
    """

    def __init__(self, default: T, check: Callable[[Any], T] | None = None, *, help: str = "") -> None:
        super().__init__(default, help=help)
        self.tag(sync=True)
        self._check = check

    def validate(self, obj: Any, value: Any) -> Any:
        try:
            return self._check(value) if self._check else value
        except (TypeError, ValueError) as error:
            raise traitlets.TraitError(str(error)) from None
