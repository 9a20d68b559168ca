"""A run's experiment trained and recorded; whatever goes wrong is a named end of the run."""

import traceback
from contextlib import suppress
from types import MappingProxyType
from typing import Protocol, TextIO

from mixwidgets.store.errors import in_words, reason_of
from mixwidgets.store.events import Evaluation, RunFinished
from mixwidgets.store.journal import Journal
from mixwidgets.store.watched_loop import WatchedLoop


class Stop(Protocol):
    """What can ask a run to stop."""

    is_loading: bool
    """Whether training has yet to start."""

    @property
    def why(self) -> str:
        """Empty until the run was asked to stop; then who asked, in words."""


def record(journal: Journal, stop: Stop, log: TextIO | None = None) -> RunFinished:
    """Train and journal every event but the last, which comes back: a failure is a named end.

    Its traceback goes to `log`; default: standard error.
    """
    metrics = MappingProxyType[str, float]({})
    try:
        if isinstance(journal.experiment, WatchedLoop):
            raise TypeError("this run directory is a watched loop's: there is no experiment to run")
        from mixwidgets.training.loop import train  # torch loads here, and may fail to

        stop.is_loading = False
        for event in train(journal.experiment):
            if isinstance(event, RunFinished):
                return event
            journal.append(event)
            if isinstance(event, Evaluation):
                metrics = MappingProxyType(dict(event.metrics))
            if stop.why:
                return RunFinished(reason="stopped", metrics=metrics, message=stop.why)
    except BaseException as error:
        with suppress(OSError):  # the log may be on the same full disk
            traceback.print_exc(file=log)
        return RunFinished(reason=reason_of(error), metrics=metrics, message=in_words(error))
    raise AssertionError("train ends with RunFinished")
