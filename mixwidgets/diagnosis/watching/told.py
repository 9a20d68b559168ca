"""A report that prints as sentences: what happened, the worst tensors, and then the numbers."""

import html
import math
from collections.abc import Iterator, Sequence
from functools import partial

import pandas as pd

from mixwidgets.diagnosis.watching.history import Snapshot
from mixwidgets.diagnosis.watching.updates import Change, all_together
from mixwidgets.support.languages.texts import Tell, translated

_LOST = ("flushed", "overflow", "clipped")
_BROKEN = ("inf", "nan", "not_finite")
_MOST = 20  # findings that are printed


class Told(pd.DataFrame):
    """The DataFrame of `Watcher.report`. What is selected from it is a plain DataFrame."""

    _metadata = ["_sentences", "_lang"]  # noqa: RUF012  (pandas reads it from the class)
    _sentences: list[str]
    _lang: str

    def __repr__(self) -> str:
        first, findings, numbers = self._parts()
        return "\n".join([*first, *(f"  {finding}" for finding in findings), numbers])

    def _repr_html_(self) -> str:
        first, findings, numbers = self._parts()
        told = "".join(f"<p>{html.escape(sentence)}</p>" for sentence in first)
        items = "".join(f"<li>{html.escape(finding)}</li>" for finding in findings)
        table = pd.DataFrame(self).drop(columns="finding").to_html()
        return f"{told}<ol>{items}</ol><details><summary>{html.escape(numbers)}</summary>{table}</details>"

    def _parts(self) -> tuple[list[str], list[str], str]:
        tell: Tell = partial(translated, lang=self._lang)
        findings = [*self["finding"][:_MOST]]
        if len(self) > _MOST:
            findings.append(tell("and {count} more tensors", count=f"{len(self) - _MOST:,}"))
        names = ", ".join(name for name in self.columns if name != "finding")
        return (
            [*self._sentences],
            findings,
            tell("The numbers of each tensor are in the columns {names}.", names=names),
        )


def told(
    table: pd.DataFrame,
    newest: Snapshot | None,
    compared: Snapshot | None,
    notes: Sequence[str],
    lang: str,
    format: str,
) -> Told:
    """The table with its sentences. `newest`: the step that it is of; `compared`: that of its changes."""
    report = Told(table)
    report.attrs["notes"] = [*notes]
    tell: Tell = partial(translated, lang=lang)
    report._lang = lang
    headline = _headline(tell, table, newest, format) if newest else ()
    report._sentences = [*headline, *_changes(tell, compared), *notes]
    return report


def _headline(tell: Tell, table: pd.DataFrame, newest: Snapshot, format: str) -> Iterator[str]:
    total = f"{len(table):,}"
    yield tell(
        "Step {step}: {format} loses values of {count} of {total} tensors.",
        step=f"{newest.step:,}",
        format=format,
        count=f"{_having(table, _LOST):,}",
        total=total,
    )
    if broken := _having(table, _BROKEN):
        yield tell("{count} of {total} tensors hold an inf or a NaN.", count=f"{broken:,}", total=total)
    if not (math.isnan(newest.grad_norm) or math.isnan(newest.optimizer_norm)):
        yield tell(
            "The gradients have the norm {arrived} after the backward pass, and {received} as the optimiser "
            "steps.",
            arrived=f"{newest.grad_norm:.3g}",
            received=f"{newest.optimizer_norm:.3g}",
        )


def _having(table: pd.DataFrame, columns: Sequence[str]) -> int:
    """How many tensors have a value that is counted in one of these columns."""
    counts = table[[name for name in columns if name in table]].astype("float64").fillna(0)
    return int((counts.sum(axis=1) > 0).sum())


def _changes(tell: Tell, compared: Snapshot | None) -> Iterator[str]:
    if compared is None:
        return
    weights = all_together(compared.changes.values())
    if weights.count:
        yield _changed(tell, compared.step, weights, tell("the weights"))
    for name in dict.fromkeys(name.partition(".")[0] for name in compared.extras):
        own = all_together(change for of, change in compared.extras.items() if of.partition(".")[0] == name)
        yield _changed(tell, compared.step - 1, own, name)


def _changed(tell: Tell, step: int, change: Change, what: str) -> str:
    share = _percent(change.changed)
    return tell("Step {step} changed {share} of {what}.", step=f"{step:,}", share=share, what=what)


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"
