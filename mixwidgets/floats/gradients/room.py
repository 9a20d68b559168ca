"""What reading a stranger's checkpoint may cost.

Shapes, nesting and sharing are what a file states: one of a hundred bytes can state a tensor of 2^62 rows, or
a value that is repeated 10^12 times. So the work is bounded by the bytes that the file has.
"""

import math
import reprlib
from collections.abc import Iterable, Mapping
from typing import Any

_VALUES_PER_BYTE, _MORE_VALUES = 8, 1 << 20  # FP4 has two values a byte, and tied weights count again
_BYTES_PER_TENSOR, _MORE_TENSORS = 1 << 12, 4_000
_MOST_LISTED = 1 << 26  # values in Python's lists
_DEEPEST, _LONGEST_NAME = 100, 1_000


class Room:
    """What may still be read of a source: any number of values until a file is named (`of_file`)."""

    def __init__(self) -> None:
        self._values = self._tensors = math.inf
        self._seen: dict[int, object] = {}  # objects by their ids, which are theirs as long as they are kept
        self._too_large = self._too_deep = self._repeated = 0
        self.unread: list[str] = []
        """The names of tensors of a dtype that cannot be read, each with its dtype."""

    def of_file(self, size: int) -> None:
        """The values come from a file of so many bytes; several files add up."""
        if math.isinf(self._values):
            self._values, self._tensors = _MORE_VALUES, _MORE_TENSORS
        self._values += _VALUES_PER_BYTE * size
        self._tensors += size // _BYTES_PER_TENSOR

    def takes(self, shape: Iterable[int]) -> bool:
        """Whether a tensor of this shape is read."""
        count = math.prod(shape)
        if count > self._values or self._tensors < 1:
            self._too_large += 1
            return False
        self._values -= count
        self._tensors -= 1
        return True

    def takes_list(self, values: Any) -> bool:
        """Whether a number, or a list that may hold others, is read."""
        most, waiting = min(self._values, _MOST_LISTED), [values]
        count = 0
        while waiting:
            one = waiting.pop()
            count += 1
            if isinstance(one, list | tuple):
                if count + len(waiting) + len(one) > most:
                    self._too_large += 1
                    return False
                waiting += one
        return True

    def enters(self, part: Mapping[Any, Any], name: str) -> bool:
        """Whether the mapping of this name is read: each is read once, and to a depth."""
        if name.count(".") > _DEEPEST or len(name) > _LONGEST_NAME:
            self._too_deep += 1
        elif id(part) in self._seen:
            self._repeated += 1
        else:
            self._seen[id(part)] = part
            return True
        return False

    def notes(self) -> list[str]:
        """What was not read, in sentences."""
        large = "with them there would be more tensors or values than a file of this size holds"
        reasons = {
            large: f"{self._too_large:,}" * bool(self._too_large),
            "they are too deep or have too long a name": f"{self._too_deep:,}" * bool(self._too_deep),
            "they are the same as an earlier part": f"{self._repeated:,}" * bool(self._repeated),
            "their dtype cannot be read": reprlib.repr(self.unread)[1:-1],
        }
        return [f"Left out, because {why}: {what}." for why, what in reasons.items() if what]


def key_text(key: object) -> str:
    """A key of a mapping as a part of a name."""
    return key if isinstance(key, str) else reprlib.repr(key)
