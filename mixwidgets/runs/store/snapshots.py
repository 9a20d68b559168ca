"""Gradient snapshots on disk: a file with the summaries' bytes, and a record in the journal.

The file `gradients-000010.bin` contains the summaries, deflated; the record has the tensors' names, each
summary's length and the file's CRC-32. The file's name follows from the step: a record names no path.
"""

import math
import os
import zlib
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

from mixwidgets.floats.gradients.lazy import StoredSummaries
from mixwidgets.runs.store.events import GradientSnapshot
from mixwidgets.runs.store.records import (
    from_json_count,
    from_json_counts,
    from_json_number,
    from_json_text,
    to_json,
)
from mixwidgets.support.files import create_file, read_plain_file

_MOST = 8 << 20  # bytes of an inflated snapshot: thousands of tensors, at about a kilobyte each
_MOST_SUMMARY = 256 << 10  # bytes of a tensor's summary; with values in every binade of float64 it has 80,000
_LAST_STEP = 2**32 - 1  # in `mixwidgets.floats.widgets.snapshot_feed`
_ROOM, _RATIO = 128 << 20, 20  # a run's snapshots may inflate to so many bytes, and so many times their size
_ROOM_AGAIN = 8 << 20  # bytes to which the further links to a snapshot's file may inflate


def write_snapshot(run_path: Path, event: GradientSnapshot) -> dict[str, Any]:
    """Write the file and return the record for the journal."""
    named = [*event.summaries.items(), *event.output_gradients.items()]
    parts = [summary.to_bytes() for _, summary in named]
    data = zlib.compress(b"".join(parts), level=1)
    create_file(_path(run_path, event.step), data)
    return {
        "kind": event.kind,
        "step": event.step,
        "names": list(event.summaries),
        "sizes": [len(part) for part in parts],
        "file_crc32": f"{zlib.crc32(data):08x}",
        "weights_unchanged": dict(event.weights_unchanged),
        "flushed": dict(event.flushed),
        **({"output_names": list(event.output_gradients)} if event.output_gradients else {}),
        **({} if math.isnan(event.optimizer_norm) else {"optimizer_norm": to_json(event.optimizer_norm)}),
    }


class SnapshotReader:
    """Reads the snapshots of a run, in bounded time."""

    def __init__(self, run_path: Path) -> None:
        self._run_path, self._room, self._room_again = run_path, _ROOM, _ROOM_AGAIN
        self._files: set[tuple[int, int]] = set()  # those read, by device and inode

    def read(self, record: Mapping[str, Any]) -> GradientSnapshot:
        """The event of a record, with StoredSummaries. ValueError or OSError if the file is damaged."""
        names = list(map(from_json_text, record["names"]))
        output_names = list(map(from_json_text, record.get("output_names", ())))
        sizes = [from_json_count(size) for size in record["sizes"]]
        if (step := from_json_count(record["step"])) > _LAST_STEP:
            raise ValueError(f"its step {step} is beyond {_LAST_STEP}")
        if len(names) + len(output_names) != len(sizes):
            raise ValueError("its names and sizes differ in number")
        if sum(sizes) > _MOST or max(sizes, default=0) > _MOST_SUMMARY:
            raise ValueError(
                f"its summaries have {sum(sizes):,} bytes, the largest {max(sizes):,}; at most {_MOST:,} and "
                f"{_MOST_SUMMARY:,} are read"
            )
        path = _path(self._run_path, step)
        data = read_plain_file(path, _MOST)
        if f"{zlib.crc32(data):08x}" != record["file_crc32"]:
            raise ValueError(f"the checksum of {path.name} does not match")
        state = path.lstat()
        if (file := (state.st_dev, state.st_ino)) in self._files:
            self._room_again -= sum(sizes)
        else:
            self._files.add(file)
            self._room += _RATIO * len(data) - sum(sizes)
        if self._room_again < 0:
            raise ValueError(f"{path.name} is the same file as an earlier one, like too many others")
        if self._room < 0:
            raise ValueError(
                f"with {path.name}, the run's snapshots inflate to more than {_RATIO} times their size"
            )
        try:
            content = zlib.decompressobj().decompress(data, max_length=sum(sizes) + 1)
        except zlib.error as error:
            raise ValueError(f"{path.name} cannot be inflated: {error}") from None
        if len(content) != sum(sizes):
            raise ValueError(f"{path.name} does not have the size that its record states")
        stream = BytesIO(content)
        parts = [stream.read(size) for size in sizes]
        return GradientSnapshot(
            step=step,
            summaries=StoredSummaries(dict(zip(names, parts, strict=False))),
            weights_unchanged=from_json_counts(record["weights_unchanged"]),
            flushed=from_json_counts(record["flushed"]),
            optimizer_norm=from_json_number(record.get("optimizer_norm", "nan")),
            output_gradients=StoredSummaries(dict(zip(output_names, parts[len(names) :], strict=True))),
        )


def has_snapshot(run_path: Path) -> bool:
    """Whether there is a snapshot file, which may be damaged."""
    try:
        with os.scandir(run_path) as entries:
            return any(entry.name.startswith("gradients-") for entry in entries)
    except OSError:
        return False


def _path(run_path: Path, step: int) -> Path:
    return run_path / f"gradients-{step:06d}.bin"
