"""Shadow: where a class has no hook, a call after one instance's method."""

from collections.abc import Callable
from typing import Any


class Shadow:
    """A method of an instance, and what is called after it with the same arguments, in the method's place.

    Copied or pickled with the instance it is the method alone.
    """

    def __init__(self, instance: object, name: str, after: Callable[..., None]) -> None:
        self._instance, self._name, self._after = instance, name, after
        self._method = getattr(instance, name)
        self._before = vars(instance).get(name)
        setattr(instance, name, self)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        result = self._method(*args, **kwargs)
        self._after(*args, **kwargs)
        return result

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, (self._instance, self._name)

    def remove(self) -> None:
        if vars(self._instance).get(self._name) is not self:
            return  # somebody else's lies over it: it stays, and sees nothing
        if self._before is None:
            delattr(self._instance, self._name)
        else:
            setattr(self._instance, self._name, self._before)
