"""The gradient snapshots of an explorer, in bounded memory.

They travel in one frame, which js/core/gradients/snapshots.ts reads: in the head "names" and "outputs", for
each snapshot the names of weights and, if it has dy, of linear layers; "snapshots", a row of step, loss scale
and loss for each (float64, NaN if unknown); and the `packed` summaries, snapshot by snapshot, weights first.
"""

import json
import threading
from collections.abc import Mapping
from math import nan
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from mixwidgets.floats.gradients.lazy import StoredSummaries
from mixwidgets.floats.gradients.sources import Kind
from mixwidgets.floats.gradients.summary import GradientSummary
from mixwidgets.floats.widgets.frame import frame, packed
from mixwidgets.floats.widgets.thinned import Thinned

MOST_BYTES = 10 << 20  # a page may hold twice as much: the initial snapshots and later ones
MOST_SNAPSHOTS = 1000  # more than a slider's pixels
_FRAME = 256  # bytes of a frame without snapshots, and what fills it up
_ROW, _SIZE = 24, 4  # bytes for a snapshot; for a summary's size


class _Kept(NamedTuple):
    loss_scale: float
    loss: float
    weights: StoredSummaries
    outputs: StoredSummaries


class SnapshotFeed:
    """Snapshots by step, ascending. Beyond the limits, every other one of the older half is dropped; the
    first and the newest are always kept. Thread-safe."""

    def __init__(self, most_bytes: int = MOST_BYTES, most_snapshots: int = MOST_SNAPSHOTS) -> None:
        self.seen = 0
        """The number of snapshots so far, including dropped ones."""
        self.loss = Thinned()
        """The loss by step, if the source reports it."""
        self._limits = most_bytes, most_snapshots
        self._kept: dict[int, _Kept] = {}
        self._size = _FRAME
        self._lock = threading.Lock()

    @property
    def steps(self) -> list[int]:
        """The steps of the kept snapshots."""
        with self._lock:
            return list(self._kept)

    def add(
        self,
        step: int,
        summaries: Mapping[str, GradientSummary],
        loss_scale: float = nan,
        loss: float = nan,
        outputs: Mapping[str, GradientSummary] = MappingProxyType({}),
    ) -> None:
        """Add a snapshot, newer than those before; a snapshot without a step has the step 0.

        StoredSummaries are passed on as stored; the page reports damaged ones.
        """
        kept = _Kept(loss_scale, loss, _stored(summaries), _stored(outputs))
        with self._lock:
            self._kept[step] = kept
            self._size += _size_of(kept)
            self.seen += 1
            most_bytes, most_snapshots = self._limits
            while len(self._kept) > 2 and (self._size > most_bytes or len(self._kept) > most_snapshots):
                older = list(self._kept)[1 : max(2, len(self._kept) // 2)]
                for dropped in older[::2]:
                    self._size -= _size_of(self._kept.pop(dropped))

    def add_loss(self, step: int, loss: float) -> None:
        """Add a step's loss."""
        self.loss.append(step, loss)

    def nearest(self, step: int, kind: Kind = "weights") -> tuple[int | None, Mapping[str, GradientSummary]]:
        """The kept step nearest to `step`, or the newest for 0, and its gradients by name; None and nothing
        before the first. The weights' gradients where the snapshot has no dy."""
        with self._lock:
            if not self._kept:
                return None, {}
            newest = next(reversed(self._kept))
            at = min(self._kept, key=lambda kept: abs(kept - step)) if step else newest
            kept = self._kept[at]
            return at, kept.outputs if kind == "outputs" and kept.outputs else kept.weights

    def to_frame(self, after: int = -1) -> bytes:
        """The kept snapshots of steps after `after`."""
        with self._lock:
            newer = {step: kept for step, kept in self._kept.items() if step > after}
        rows = [(step, kept.loss_scale, kept.loss) for step, kept in newer.items()]
        kinds = [(kept.weights.parts, kept.outputs.parts) for kept in newer.values()]
        return frame(
            {
                "snapshots": np.array(rows, np.float64).reshape(-1, 3),
                **packed([part for both in kinds for parts in both for part in parts.values()]),
            },
            names=[list(weights) for weights, _ in kinds],
            outputs=[list(outputs) for _, outputs in kinds],
        )


def _stored(summaries: Mapping[str, GradientSummary]) -> StoredSummaries:
    if isinstance(summaries, StoredSummaries):
        return summaries
    return StoredSummaries({name: summary.to_bytes() for name, summary in summaries.items()})


def _size_of(kept: _Kept) -> int:
    """The bytes that a snapshot adds to a frame."""
    both = kept.weights.parts, kept.outputs.parts
    return _ROW + sum(
        len(json.dumps(list(parts))) + sum(_SIZE + len(part) for part in parts.values()) for parts in both
    )
