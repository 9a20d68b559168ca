"""Whether an effect shows: told by the figures of every seed, by one criterion for all rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Literal

Seeds = Sequence[Mapping[str, Any]]
"""One cell's figures, seed by seed."""

_WORDS = {"<": "below", ">": "above", "=": "equal to", "≈": "like"}


@dataclass(frozen=True)
class Claim:
    """A figure of one cell beside that of another cell at the same seed, or beside a number.

    It shows if it holds at every seed. "≈", beside a cell: the two differ by at most `within`; without that,
    by at most the spread (greatest − least) of the other cell's figure over the seeds. A loss that is NaN
    counts as infinite; a figure that is not there fulfils nothing.
    """

    figure: str
    left: str
    relation: Literal["<", ">", "=", "≈"]
    right: str | float
    within: float | None = None

    def judge(self, cells: Mapping[str, Seeds]) -> dict[str, Any]:
        """{"shows": bool, "text": a sentence}, from the cells' figures by label."""
        lefts = [_number(seed, self.figure) for seed in cells[self.left]]
        if isinstance(self.right, str):
            rights = [_number(seed, self.figure) for seed in cells[self.right]]
        else:
            rights = [float(self.right)] * len(lefts)
        within = self.within if self.within is not None else max(rights) - min(rights)
        held = [self._holds(left, right, within) for left, right in zip(lefts, rights, strict=True)]
        shows = all(held)
        return {"shows": shows, "text": self._sentence(lefts, rights, within, sum(held))}

    def _holds(self, left: float, right: float, within: float) -> bool:
        if self.relation == "≈":
            return abs(left - right) <= within
        return {"<": left < right, ">": left > right, "=": left == right}[self.relation]

    def _sentence(self, lefts: list[float], rights: list[float], within: float, held: int) -> str:
        seeds = len(lefts)
        verdict = "Shows" if held == seeds else "Does not show"
        what = f"{self.figure.replace('_', ' ')} of “{self.left}” {_WORDS[self.relation]} "
        count = f"in {held} of {seeds} seeds"
        if not isinstance(self.right, str):
            return f"{verdict}: {what}{self.right:g} {count} (mean {fmean(lefts):.4g})."
        means = f"mean {fmean(lefts):.4g} against {fmean(rights):.4g}"
        if self.relation == "≈":
            worst = max(abs(left - right) for left, right in zip(lefts, rights, strict=True))
            rest = f"; furthest apart {worst:.2g}, allowed {within:.2g}"
        else:
            apart = min(lefts) > max(rights) or max(lefts) < min(rights)
            rest = f"; the two ranges {'do not overlap' if apart else 'overlap'}"
        return f"{verdict}: {what}“{self.right}” {count} ({means}{rest})."


def _number(figures: Mapping[str, Any], name: str) -> float:
    """The figure; NaN where there is none, with which no comparison holds."""
    value = math.nan if figures.get(name) is None else float(figures[name])
    return math.inf if name.startswith("loss") and math.isnan(value) else value
