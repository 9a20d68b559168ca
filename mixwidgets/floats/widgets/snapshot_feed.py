"""The gradient snapshots of an explorer, in bounded memory.

A snapshot is stored as bytes, which js/core/gradients/snapshots.ts reads too (little-endian):
u32 length of what follows, u32 step, f64 loss scale, f64 loss (NaN if unknown)
u32 length of the names, the names as a JSON list
for each name: u32 length, GradientSummary.to_bytes()
"""

import json
import struct
import threading
from collections.abc import Mapping
from math import nan

from mixwidgets.floats.gradients.lazy import StoredSummaries
from mixwidgets.floats.gradients.summary import GradientSummary
from mixwidgets.floats.widgets.thinned import Thinned

MOST_BYTES = 10 << 20  # a page may hold twice as much: the initial snapshots and later ones
MOST_SNAPSHOTS = 1000  # more than a slider's pixels
_LENGTH = struct.Struct("<I")
_HEAD = struct.Struct("<IddI")


class SnapshotFeed:
    """Snapshots by step, ascending. Beyond the limits, every other one of the older half is dropped; the
    first and the newest are always kept. Thread-safe."""

    def __init__(self, most_bytes: int = MOST_BYTES, most_snapshots: int = MOST_SNAPSHOTS) -> None:
        self.seen = 0
        """The number of snapshots so far, including dropped ones."""
        self.loss = Thinned()
        """The loss by step, if the source reports it."""
        self._limits = most_bytes, most_snapshots
        self._kept: dict[int, tuple[bytes, StoredSummaries]] = {}  # what precedes the summaries, and these
        self._size = 0
        self._lock = threading.Lock()

    @property
    def steps(self) -> list[int]:
        """The steps of the kept snapshots."""
        with self._lock:
            return list(self._kept)

    def add(
        self, step: int, summaries: Mapping[str, GradientSummary], loss_scale: float = nan, loss: float = nan
    ) -> None:
        """Add a snapshot, newer than those before; a snapshot without a step has the step 0.

        StoredSummaries are passed on as stored; the page reports damaged ones.
        """
        if not isinstance(summaries, StoredSummaries):
            summaries = StoredSummaries({name: one.to_bytes() for name, one in summaries.items()})
        names = json.dumps(list(summaries)).encode()
        kept = _HEAD.pack(step, loss_scale, loss, len(names)) + names, summaries
        with self._lock:
            self._kept[step] = kept
            self._size += len(_in_bytes(*kept))
            self.seen += 1
            most_bytes, most_snapshots = self._limits
            while len(self._kept) > 2 and (self._size > most_bytes or len(self._kept) > most_snapshots):
                older = list(self._kept)[1 : max(2, len(self._kept) // 2)]
                for dropped in older[::2]:
                    self._size -= len(_in_bytes(*self._kept.pop(dropped)))

    def add_loss(self, step: int, loss: float) -> None:
        """Add a step's loss."""
        self.loss.append(step, loss)

    def nearest(self, step: int) -> tuple[int | None, Mapping[str, GradientSummary]]:
        """The kept step nearest to `step`, or the newest for 0, and its gradients by name; None and nothing
        before the first."""
        with self._lock:
            if not self._kept:
                return None, {}
            at = min(self._kept, key=lambda one: abs(one - step)) if step else next(reversed(self._kept))
            return at, self._kept[at][1]

    def to_bytes(self, after: int = -1) -> bytes:
        """The kept snapshots of steps after `after`, concatenated."""
        with self._lock:
            newer = [kept for step, kept in self._kept.items() if step > after]
        return b"".join(_in_bytes(*kept) for kept in newer)


def _in_bytes(head: bytes, summaries: StoredSummaries) -> bytes:
    return _with_length(head + b"".join(map(_with_length, summaries.parts.values())))


def _with_length(data: bytes) -> bytes:
    return _LENGTH.pack(len(data)) + data
