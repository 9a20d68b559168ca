"""Whether an effect shows: told by the figures of every seed, by one criterion for all rows."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Literal

from scipy import stats

Seeds = Sequence[Mapping[str, Any]]
"""One cell's figures, seed by seed."""

LEVEL = 0.9  # of the interval: two one-sided tests at 5 % (Schuirmann 1987)
MARGIN = 0.05  # of a loss
POINTS = 0.01  # of a share between 0 and 1
_SHARES = ("accuracy", "iou")
_WORDS = {"<": "below", ">": "above", "=": "equal to", "≈": "like"}


@dataclass(frozen=True)
class Claim:
    """A figure of one cell beside that of another cell at the same seed, or beside a number.

    It shows if it holds at every seed. "≈" with `within`: the two differ at no seed by more than that. "≈"
    without it, beside a cell: the 90 % interval of the mean difference, paired by seed, lies within ± 5 % of
    a loss, or ± 1 percentage point of a share. These margins are those of all rows.
    A loss that is NaN counts as infinite; a figure that is not there fulfils nothing. What no seed changes is
    computed once.
    """

    figure: str
    left: str
    relation: Literal["<", ">", "=", "≈"]
    right: str | float
    within: float | None = None
    published: str = ""
    """The source, what it says and its number, which the sentence puts beside ours."""

    def judge(self, cells: Mapping[str, Seeds]) -> dict[str, Any]:
        """{"shows": bool, "text": a sentence}, from the cells' figures by label."""
        lefts = [_number(seed, self.figure) for seed in cells[self.left]]
        if isinstance(self.right, str):
            rights = [_number(seed, self.figure) for seed in cells[self.right]]
        else:
            rights = [float(self.right)] * len(lefts)
        pairs = list(zip(lefts, rights, strict=True))
        if self.relation == "≈" and self.within is None:
            shows, told = _alike(pairs, self.figure in _SHARES)
        else:
            held = sum(self._holds(left, right) for left, right in pairs)
            shows, told = held == len(pairs), self._told(lefts, rights)
            if len(pairs) > 1:
                told = f" in {held} of {len(pairs)} seeds{told}"
        text = f"{'Shows' if shows else 'Does not show'}: {self._what()}{told}."
        return {"shows": shows, "text": f"{text} Published: {self.published}." if self.published else text}

    def _holds(self, left: float, right: float) -> bool:
        if self.within is not None:
            return abs(left - right) <= self.within
        return {"<": left < right, ">": left > right, "=": left == right}[self.relation]

    def _what(self) -> str:
        right = f"“{self.right}”" if isinstance(self.right, str) else in_words(self.right)
        return f"{self.figure.replace('_', ' ')} of “{self.left}” {_WORDS[self.relation]} {right}"

    def _told(self, lefts: list[float], rights: list[float]) -> str:
        """The means, and how far apart the two are."""
        mean = "mean " * (len(lefts) > 1) + in_words(fmean(lefts))
        allowed = f", allowed ±{self.within:.2g}" if self.within is not None else ""
        if not isinstance(self.right, str):
            return f" ({mean}{allowed})"
        means = f"{mean} against {in_words(fmean(rights))}"
        if allowed:
            apart = [left - right for left, right in zip(lefts, rights, strict=True)]
            return f" ({means}; apart by {min(apart):.2g} … {max(apart):.2g}{allowed})"
        separate = min(lefts) > max(rights) or max(lefts) < min(rights)
        ranges = f"; the two ranges {'do not overlap' if separate else 'overlap'}" * (len(lefts) > 1)
        return f" ({means}{ranges})"


def _alike(pairs: Sequence[tuple[float, float]], is_share: bool) -> tuple[bool, str]:
    """Whether the interval of the paired difference lies within the margin, and that in words."""
    differences = [left - right if is_share else left / right - 1 for left, right in pairs]
    margin, unit = (POINTS, "percentage points") if is_share else (MARGIN, "%")
    allowed = f"allowed ±{100 * margin:g}"
    if not all(map(math.isfinite, differences)):
        return False, f" (not finite at every seed; {allowed} {unit})"
    if min(differences) == max(differences):
        low = high = differences[0]
    else:
        spread = stats.sem(differences)
        low, high = stats.t.interval(LEVEL, len(differences) - 1, fmean(differences), spread)
    interval = f"{100 * low:+.2g} … {100 * high:+.2g} {unit}"
    told = f" (by {interval}: the {LEVEL:.0%} interval of {len(pairs)} seeds; {allowed})"
    return bool(-margin <= low and high <= margin), told


def in_words(value: float) -> str:
    """Four digits, or all of those before the point."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _number(figures: Mapping[str, Any], name: str) -> float:
    """The figure; NaN where there is none, with which no comparison holds."""
    value = math.nan if figures.get(name) is None else float(figures[name])
    return math.inf if name.startswith("loss") and math.isnan(value) else value
