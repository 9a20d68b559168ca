"""Whether an effect shows: told by the figures of every seed, by one criterion for all rows."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Literal

Seeds = Sequence[Mapping[str, Any]]
"""One cell's figures, seed by seed."""

_SLIGHT = 0.01  # of a figure
_WORDS = {"<": "below", ">": "above", "=": "equal to", "≈": "like"}


@dataclass(frozen=True)
class Claim:
    """A figure of one cell beside that of another cell at the same seed, or beside a number.

    It shows if it holds at every seed. "≈", beside a cell: the two differ at no seed by more than `within`.
    Without that: at no seed by more than the spread (greatest − least) of the other cell's figure over the
    seeds, nor to the same side by more than 1 % at every seed, for then one of the two is the better.
    A loss that is NaN counts as infinite; a figure that is not there fulfils nothing.
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
        within = self.within if self.within is not None else max(rights) - min(rights)
        held = sum(self._holds(left, right, within) for left, right in pairs)
        parts = self.relation == "≈" and self.within is None and _on_one_side(pairs)
        shows = held == len(pairs) and not parts
        text = f"{'Shows' if shows else 'Does not show'}: {self._what()} in {held} of {len(pairs)} seeds"
        text += f" ({self._means(lefts, rights, within, parts)})."
        return {"shows": shows, "text": f"{text} Published: {self.published}." if self.published else text}

    def _holds(self, left: float, right: float, within: float) -> bool:
        if self.relation == "≈":
            return abs(left - right) <= within
        return {"<": left < right, ">": left > right, "=": left == right}[self.relation]

    def _what(self) -> str:
        right = f"“{self.right}”" if isinstance(self.right, str) else in_words(self.right)
        return f"{self.figure.replace('_', ' ')} of “{self.left}” {_WORDS[self.relation]} {right}"

    def _means(self, lefts: list[float], rights: list[float], within: float, parts: bool) -> str:
        if not isinstance(self.right, str):
            allowed = f", allowed ±{within:.2g}" if self.relation == "≈" else ""
            return f"mean {in_words(fmean(lefts))}{allowed}"
        means = f"mean {in_words(fmean(lefts))} against {in_words(fmean(rights))}"
        if self.relation == "≈":
            apart = [left - right for left, right in zip(lefts, rights, strict=True)]
            side = "; to the same side at every seed" if parts else ""
            return f"{means}; apart by {min(apart):.2g} … {max(apart):.2g}, allowed ±{within:.2g}{side}"
        separate = min(lefts) > max(rights) or max(lefts) < min(rights)
        return f"{means}; the two ranges {'do not overlap' if separate else 'overlap'}"


def in_words(value: float) -> str:
    """Four digits, or all of those before the point."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _on_one_side(pairs: Sequence[tuple[float, float]]) -> bool:
    above = all(left - right > _SLIGHT * abs(right) for left, right in pairs)
    return above or all(right - left > _SLIGHT * abs(right) for left, right in pairs)


def _number(figures: Mapping[str, Any], name: str) -> float:
    """The figure; NaN where there is none, with which no comparison holds."""
    value = math.nan if figures.get(name) is None else float(figures[name])
    return math.inf if name.startswith("loss") and math.isnan(value) else value
