"""FrozenDict: values by name that do not change."""

from typing import Any, Never, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class FrozenDict(dict[K, V]):
    """A dict that does not change. Unlike a MappingProxyType, it pickles, copies and is written as JSON."""

    def _refuse(self, *_: object, **__: object) -> Never:
        raise TypeError("these values do not change; dict(…) makes a copy that does")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self),)
