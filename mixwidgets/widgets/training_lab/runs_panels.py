"""RunsPanels: what a view of runs opens beside them: a comparison of some, the gradients of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import traitlets as t
from ipywidgets import widget_serialization  # type: ignore[import-untyped]

from mixwidgets.store.snapshots import has_snapshot
from mixwidgets.widgets.loss_scale_explorer.widget import LossScaleExplorer
from mixwidgets.widgets.training_lab.comparison import comparison_of
from mixwidgets.widgets.training_lab.runs_view import RunsView

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from mixwidgets.store.run import Run


class RunsPanels(RunsView):
    """Either may take long to make, in whatever thread asks for it; what was asked for last is shown."""

    _comparison = t.Dict(help="Of some runs, or {} (`comparison_of`).").tag(sync=True)
    _explorer = t.Instance(LossScaleExplorer, allow_none=True).tag(sync=True, **widget_serialization)
    _explorer_run = t.Unicode(help="The id of the run that the explorer is about.").tag(sync=True)

    def __init__(self, runs_dir: str | os.PathLike[str], **traits: Any) -> None:
        self._asked: dict[str, object] = {}  # what was asked for last, of things that take long
        self._awaited: set[str] = set()  # runs of the comparison that went on when it was made
        super().__init__(runs_dir, **traits)

    def compare(self, runs: Iterable[Run]) -> None:
        """Show the settings in which these runs differ and what came of each, and that anew when one of them
        ends; none closes the comparison. ValueError for more than 32 runs."""
        there = list(runs)
        asked = self._asked["compare"] = object()
        awaited = {run.id for run in there if run.is_alive}
        comparison = comparison_of(there)
        with self.hold_sync():
            if self._asked["compare"] is asked:
                self._comparison, self._awaited = comparison, awaited

    def open_gradients(self, run: Run | None) -> LossScaleExplorer | None:
        """Show a run's gradients in a LossScaleExplorer, which comes back; None closes it.

        It follows the run as long as that goes on. LookupError where no gradients are recorded.
        """
        before = self._explorer
        if run and before and before.comm is not None and run.id == self._explorer_run:
            return before
        if run and not has_snapshot(run.path):
            raise LookupError("This run has recorded no gradients yet: its first snapshot comes with step 1.")
        asked = self._asked["gradients"] = object()
        opened = LossScaleExplorer(run, lang=self.lang) if run else None
        with self.hold_sync():
            unwanted = opened
            if self._asked["gradients"] is asked and not self._closed.is_set():
                unwanted, self._explorer = self._explorer, opened
                self._explorer_run = run.id if run else ""
        if unwanted:
            unwanted.close()
        return opened

    def close(self) -> None:
        """Close the widget and its explorer, and end their threads; runs go on."""
        super().close()
        if self._explorer is not None:
            self._explorer.close()

    def _look(self) -> float:
        pause = super()._look()
        if not self._awaited.isdisjoint(row["id"] for row in self._rows):
            self._awaited = set()
            self._begin(self._compare_again)
        return pause

    def _compare_again(self) -> None:
        there, names = {run.id: run for run in self.runs}, self._comparison.get("runs", [])
        self.compare(there[name] for name in names if name in there)
