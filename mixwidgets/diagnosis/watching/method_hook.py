"""A hook on a method or function, for which torch has none."""

from collections.abc import Callable
from typing import Any


def _nothing(*args: object, **kwargs: object) -> None:
    """What a `MethodHook` calls by default."""


class MethodHook:
    """Replaces a method of one instance, or a function of a module, and calls `before` and `after` with the
    same arguments. When it is copied or pickled with the instance, it becomes the method."""

    def __init__(
        self,
        instance: object,
        name: str,
        after: Callable[..., None] = _nothing,
        *,
        before: Callable[..., None] = _nothing,
    ) -> None:
        self._instance, self._name, self._before_it, self._after = instance, name, before, after
        self._method = getattr(instance, name)
        self._before = vars(instance).get(name)
        setattr(instance, name, self)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self._before_it(*args, **kwargs)
        result = self._method(*args, **kwargs)
        self._after(*args, **kwargs)
        return result

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, (self._instance, self._name)

    def remove(self) -> None:
        self._before_it = self._after = _nothing
        if vars(self._instance).get(self._name) is not self:
            return  # somebody replaced it in turn, so it stays, but is no longer called back
        if self._before is None:
            delattr(self._instance, self._name)
        else:
            setattr(self._instance, self._name, self._before)
