"""Reads a run's events: follows a growing journal, which may be damaged or hostile."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from mixwidgets.runs.store.events import (
    Evaluation,
    Event,
    GradientSnapshot,
    RunFinished,
    RunStarted,
    StepRecord,
)
from mixwidgets.runs.store.records import from_record, without_checksum
from mixwidgets.runs.store.snapshots import SnapshotReader
from mixwidgets.runs.task.spec import MOST_METRICS
from mixwidgets.support.files import open_plain_file
from mixwidgets.support.frozen import FrozenDict

_BUFFER = 1 << 16  # bytes
_LONGEST_RECORD = 1 << 20  # bytes, with its line end
_SAMPLE = 1 << 12  # bytes: more than a step's record has
_MOST_DAMAGE = 10_000  # bad lines after which reading stops; no real journal has so many
_MOST_UNREAD = 64 << 20  # bytes of lines that are set aside, after which reading stops: a file may be a hole
_MOST_DESCRIBED = 100  # bad lines that are described


class JournalReader:
    """Yields each event of a run once, in order, as it is recorded.

    Never raises because of the file's content: damaged records, and those out of order, are set aside and
    reported in `damage`. Stops after 10,000 of them, or 64 MiB. Not thread-safe.
    """

    def __init__(self, run_path: str | os.PathLike[str], *, as_stored: bool = False) -> None:
        """as_stored: snapshots have StoredSummaries, faster if they are not needed or are passed on; damage
        inside them is not reported."""
        self._run_path, self._as_stored = Path(run_path), as_stored
        self._snapshots = SnapshotReader(self._run_path)
        self._offset = 0  # of the first byte after the last complete line
        self._in_giant = False  # inside a line that is too long for a record
        self._metrics: set[str] = set()  # their names
        self._last_step: dict[str, int] = {}
        self._seen_any = False
        self._seen_last = False
        self._sentences: list[str] = []
        self._damaged = self._unread = 0  # records and bytes that were set aside
        self.torn_bytes = 0
        """Bytes after the last complete line: a record being written, or a torn one of a dead process."""

    @property
    def damage(self) -> list[str]:
        """What was set aside: a sentence for each of the first hundred records, and one for the rest."""
        more = []
        if self._damaged > _MOST_DAMAGE:
            more = [f"events.jsonl has more than {_MOST_DAMAGE:,} damaged records; the rest was not read."]
        elif self._damaged > len(self._sentences):
            more = [f"events.jsonl: {self._damaged - len(self._sentences):,} more records were set aside."]
        if self._unread > _MOST_UNREAD:
            unread = f"{_MOST_UNREAD >> 20} MiB that are no records"
            more += [f"events.jsonl has more than {unread}; the rest was not read."]
        return [*self._sentences, *more]

    @property
    def _has_given_up(self) -> bool:
        return self._damaged > _MOST_DAMAGE or self._unread > _MOST_UNREAD

    def read_new(self) -> Iterator[Event]:
        """The events recorded since the last one yielded."""
        if self._has_given_up:
            return
        try:
            descriptor = open_plain_file(self._run_path / "events.jsonl")
        except FileNotFoundError:
            return
        except (OSError, ValueError) as error:
            self._report(f"events.jsonl cannot be read: {error}")
            return
        with os.fdopen(descriptor, "rb", _BUFFER) as file:
            file.seek(self._offset)
            while line := file.readline(_LONGEST_RECORD):
                if not line.endswith(b"\n") and len(line) < _LONGEST_RECORD:
                    break
                if event := self._take(line):
                    yield event
                    continue
                self._unread += len(line)
                if self._has_given_up:
                    return
        self.torn_bytes = len(line)

    def _take(self, line: bytes) -> Event | None:
        """The event of the next line, or part of one that is too long; None if it is set aside."""
        start = self._offset
        self._offset += len(line)
        was_in_giant, self._in_giant = self._in_giant, not line.endswith(b"\n")
        if was_in_giant:
            return None
        if self._in_giant:
            self._report(f"events.jsonl, byte {start}: a line too long for a record was set aside.")
            return None
        try:
            event = self._event(without_checksum(line))
            self._check_order(event)
        except KeyError as error:
            why = f"it has no {error}"
        except (ValueError, TypeError, AttributeError, OverflowError, OSError) as error:
            why = str(error)
        else:
            return event
        self._report(f"events.jsonl, byte {start}: a record was set aside: {why}.")
        return None

    def _event(self, record: dict[str, Any]) -> Event:
        if record.get("kind") == GradientSnapshot.kind:
            snapshot = self._snapshots.read(record)
            if self._as_stored:
                return snapshot
            return replace(
                snapshot,
                summaries=FrozenDict(snapshot.summaries),
                output_gradients=FrozenDict(snapshot.output_gradients),
            )
        try:
            return from_record(record)
        except ValueError as error:
            raise ValueError(
                f"{error}, though its checksum fits; a newer mixwidgets may have written it"
            ) from None

    def _check_order(self, event: Event) -> None:
        if self._seen_last:
            raise ValueError("it comes after the run's last event")
        if isinstance(event, RunStarted):
            if self._seen_any:
                raise ValueError("it starts a run that has started")
        elif isinstance(event, RunFinished):
            self._seen_last = True
        else:
            if event.step <= self._last_step.get(event.kind, -1):
                raise ValueError(f"its step {event.step} came before")
            if isinstance(event, Evaluation):
                names = self._metrics | event.metrics.keys()
                if len(names) > MOST_METRICS:
                    raise ValueError(
                        f"with it the run has {len(names):,} metrics; at most {MOST_METRICS} are read"
                    )
                self._metrics = names
            self._last_step[event.kind] = event.step
        self._seen_any = True

    def _report(self, sentence: str) -> None:
        if sentence in self._sentences[-1:]:
            return
        self._damaged += 1
        if len(self._sentences) < _MOST_DESCRIBED:
            self._sentences.append(sentence)


def sample_steps(run_path: Path, count: int) -> Iterator[StepRecord]:
    """At most `count` of the recorded steps, in order and about evenly spaced in the file: a preview of a
    long journal. Unreadable records are skipped."""
    try:
        descriptor = open_plain_file(run_path / "events.jsonl")
    except (OSError, ValueError):
        return
    last = 0
    with os.fdopen(descriptor, "rb", _SAMPLE) as file:
        size = os.fstat(descriptor).st_size
        for number in range(count):
            file.seek(size * number // count)
            file.readline(_SAMPLE)  # the rest of a record
            try:
                event = from_record(without_checksum(file.readline(_SAMPLE)))
            except (ValueError, LookupError):
                continue
            if isinstance(event, StepRecord) and event.step > last:
                last = event.step
                yield event
