"""A run's gradient snapshots as an explorer reads them (`floats.gradients.sources`)."""

from pathlib import Path

from mixwidgets.floats.gradients.sources import Feed
from mixwidgets.runs.store.events import GradientSnapshot, StepRecord
from mixwidgets.runs.store.reader import JournalReader
from mixwidgets.runs.store.state import RunState
from mixwidgets.runs.store.status import ALIVE, current_status


class RunSource:
    """The snapshots recorded so far, then new ones, each with its loss scale and loss."""

    without_gradient = ()

    def __init__(self, run_path: Path) -> None:
        self.is_over = False
        self._path, self._reader = run_path, JournalReader(run_path, as_stored=True)
        self._state = RunState()

    def read(self, feed: Feed) -> bool:
        # Whether the run goes on is asked before reading, so that its last records are not missed.
        self.is_over = current_status(self._path).word not in ALIVE
        found = False
        for event in self._reader.read_new():
            self._state.add(event)
            if isinstance(event, StepRecord):
                feed.add_loss(event.step, event.loss)
            elif isinstance(event, GradientSnapshot):
                feed.add(event.step, event.summaries, self._state.snapshot_scale, self._state.snapshot_loss)
            found = True
        return found
