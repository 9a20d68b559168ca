"""RunsView: a widget of a folder of runs, launched here or elsewhere, waiting, going on or over."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import traitlets as t

from mixwidgets.widgets.following_widget import FollowingWidget
from mixwidgets.widgets.training_lab.comparison import MOST_COMPARED
from mixwidgets.widgets.training_lab.runs_feed import RunsFeed

if TYPE_CHECKING:
    import os

    from mixwidgets.store.run import Run

_LIVE_S = 0.1  # between two looks while a run goes on; also about the longest that one look reads
_IDLE_S = 1.0  # and while none does: a run that was launched elsewhere appears within this time
_BEHIND_S = 0.02  # and while there is more to read: the kernel's other threads get their turns
_MOST_UNASKED = 6  # runs whose curves are drawn without being asked for
_LONGEST_ID = 255  # of a folder's name


class RunsView(FollowingWidget):
    """Sends its page a row for each run, and the curves of those that are shown."""

    _rows: t.List[Any] = t.List(help="Of the runs that are over, newest first (FollowedRun.row).").tag(
        sync=True
    )
    _live_rows: t.List[Any] = t.List(help="Of those that go on or wait.").tag(sync=True)
    _settled = t.Dict(help="Curves of the shown runs that are over, by id (JournalDigest.curves).").tag(
        sync=True
    )
    _live = t.Dict(help="Of those that go on. While they do, these and their rows travel alone.").tag(
        sync=True
    )
    _shown = t.List(t.Unicode(), help="The ids of the runs whose curves are drawn.").tag(sync=True)
    _notice = t.Unicode(help="What in the folder could not be read.").tag(sync=True)

    def __init__(self, runs_dir: str | os.PathLike[str], **traits: Any) -> None:
        self._feed = RunsFeed(Path(runs_dir).absolute())
        self._seen: set[str] | None = None  # ids of the runs that had begun at the last look
        self._looking = threading.RLock()
        super().__init__(**traits)
        self.observe(lambda _: self._again.set(), "_shown")

    @property
    def runs(self) -> list[Run]:
        """The folder's runs, newest first."""
        return self._feed.runs()

    def save(self, path: str | os.PathLike[str]) -> Path:
        """As every widget's, with the runs as they are now, also where the page has not been told of them."""
        self._look()
        while self._look() == _BEHIND_S:
            pass
        return super().save(path)

    @t.validate("_shown")
    def _validate_shown(self, proposal: Any) -> list[str]:
        """The newest of them: each travels with its curves."""
        names = [name for name in proposal.value if len(name) <= _LONGEST_ID]
        return list(dict.fromkeys(names))[-MOST_COMPARED:]

    def _look(self) -> float:
        """Rows come with the first look, curves with the next."""
        with self._looking:
            is_first = self._seen is None
            shown = self._with_new(self._feed.look())
            self._tell(_shown=shown, **self._feed.traits(shown, 0 if is_first else _LIVE_S))
        return _BEHIND_S if self._feed.is_behind else _LIVE_S if self._feed.is_live else _IDLE_S

    def _with_new(self, begun: list[str]) -> list[str]:
        """What is shown, and the runs that had not begun before."""
        before = self._seen
        self._seen = {*begun}
        if before is None:
            before = self._seen if self._shown else set()
        new = [name for name in reversed(begun) if name not in before]
        most = max(_MOST_UNASKED, len(self._shown))
        return [*self._shown, *new][-most:] if new else self._shown
