"""The result of a comparison of two steps."""

import os
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mixwidgets.diagnosis.difference.reasons import in_each_language
from mixwidgets.diagnosis.difference.record import FORWARD, StepRecord
from mixwidgets.diagnosis.difference.recording import STEP
from mixwidgets.diagnosis.difference.verdict import OK, UNKNOWN, ComparedTensor, Row, judged_rows
from mixwidgets.runs.training.precision import name_of
from mixwidgets.support.languages.choice import chosen_language
from mixwidgets.support.languages.texts import Tell, Text, in_language

if TYPE_CHECKING:
    import pandas as pd

    from mixwidgets.diagnosis.widgets.difference.widget import ModuleErrors

_MOST_NAMED = 5


@dataclass(frozen=True, eq=False)
class FirstDifference:
    """The result of `first_difference` and of `compare_steps`."""

    module: str | None
    """The dotted name of the first module that is off (for the model itself, its class name), or "loss" or
    "step"; None if nothing is off."""
    direction: str | None
    """"forward" or "backward"; None if nothing is off."""
    reason: str
    """Why, in a sentence, in the language that new widgets have."""
    table: "pd.DataFrame" = field(repr=False)
    """One row per call of a module and direction, in the order in which they end. Columns: `module`, `kind`
    (its class), `call` (from 0), `direction`, `tensor` (of those that it computes, the one with the worst
    ratio of the next two), `error` and `explained` (both relative, ‖x − reference‖ / ‖reference‖),
    `costliest` (the tensor with the largest error, where that is more than 1 % of an output or an input,
    though rounding explains it) and `costs` (this error), `verdict` and `reason`. The verdict is
    "ok", "off" or "raised"; of a step recorded without a reference, of which it is not known what rounding
    explains, it may be "unknown"."""
    format: str
    """The name of the recipe's compute format."""
    loss_scale: float
    """The loss scale of the recipe's backward pass."""
    costliest: str
    """Where rounding, though it explains the error, costs most of what a module computes, in a sentence; ""
    if nowhere more than 1 %. It is no fault of the module, and may matter all the same, as in positions."""
    notes: list[str] = field(repr=False)
    """What could not be compared, such as a tensor of a library whose values torch cannot read, or a module
    that only one of the steps calls."""
    tensors: list[list[ComparedTensor]] = field(repr=False)
    """For each row of the table, the tensors that the module computes, the worst first: `name`, `error`,
    `explained`, two GradientSummaries, `found` by the recipe and `reference`, and `worst`, the value with the
    largest error in the reference and in the recipe. In the backward pass the summaries contain the loss
    scale, except for "step"."""
    _reasons: list[Text | str] = field(repr=False)
    """The table's reasons in each language."""

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write a page that shows the result, one HTML file without network or kernel. Returns its path.

        It lists the modules in the order of execution, each with its error and the error that rounding
        explains; selecting a module shows its tensors' values in both precisions. Raises the errors of a
        widget's `save`.
        """
        with closing(self._widget()) as widget:
            return widget.save(path)

    def _widget(self) -> "ModuleErrors":
        from mixwidgets.diagnosis.widgets.difference.widget import ModuleErrors  # loaded only if it is shown

        reasons = in_language(self._reasons, chosen_language())
        table = self.table.drop(columns=["tensor", "error", "explained"]).assign(reason=reasons)
        rows: list[Any] = table.to_dict("records")
        return ModuleErrors(rows, self.tensors, self.format, self.loss_scale, costliest=self.costliest)

    def _repr_mimebundle_(self, **keywords: Any) -> Any:
        shown: Any = self._widget()._repr_mimebundle_(**keywords)
        data, metadata = shown
        return {**data, "text/plain": repr(self)}, metadata


def compared(reference: StepRecord, other: StepRecord) -> FirstDifference:
    """The difference of a step from a reference in float32, on whose tensors it ran or did not."""
    import pandas as pd

    rows = [*judged_rows(reference, other)]
    lang, reasons = chosen_language(), [row.reason for row in rows]
    table = pd.DataFrame(rows, columns=list(Row._fields)).assign(reason=in_language(reasons, lang))
    first = next((row for row in rows if row.verdict not in (OK, UNKNOWN)), None)
    costs = _costliest(rows)
    return FirstDifference(
        module=first.module if first else None,
        direction=first.direction if first else None,
        reason=str(in_language(first.reason if first else _none_is_off(rows), lang)),
        table=table.drop(columns=["tensors", "received"]),
        format=name_of(other.dtype),
        loss_scale=other.loss_scale,
        costliest=str(in_language(costs, lang)) if costs else "",
        notes=[*other.notes, *_on_one_side(reference, other)],
        tensors=[row.tensors for row in rows],
        _reasons=reasons,
    )


def _none_is_off(rows: list[Row]) -> Text:
    unknown = [row for row in rows if row.verdict == UNKNOWN]
    if not unknown:
        modules = len({row.module for row in rows})
        return in_each_language(
            lambda tell: tell(
                "Rounding explains the errors of all modules ({count}), forward and backward.", count=modules
            )
        )
    # A gradient may be 0 in exact arithmetic, as of a bias before a norm, and then its error says nothing.
    worst = max(unknown, key=lambda row: (row.direction == FORWARD, row.error))
    return in_each_language(
        lambda tell: tell(
            "Nothing is infinite or NaN. What rounding explains is not known, since the step was recorded "
            "without reference=. The largest error of the {direction} pass is {error}, in {module}.",
            error=f"{worst.error:.2g}",
            module=repr(worst.module),
            direction=tell(worst.direction),
        )
    )


def _costliest(rows: list[Row]) -> Text | str:
    """The largest error of an output or an input that rounding explains."""
    costly = [row for row in rows if row.costliest]
    if not costly:
        return ""
    row = max(costly, key=lambda row: row.costs)
    pair = next(tensor.worst for tensor in row.tensors if tensor.name == row.costliest)
    return in_each_language(lambda tell: _costs(tell, row, pair))


def _costs(tell: Tell, row: Row, pair: tuple[float, float]) -> str:
    """What rounding costs in a call: the values of this pair, and those that it receives."""
    costs = tell(
        "Rounding alone costs {share} in {module}, in its {tensor}: {exact} became {found}.",
        share=f"{100 * row.costs:.3g} %",
        module=repr(row.module),
        tensor=row.costliest,
        exact=f"{pair[0]:.6g}",
        found=f"{pair[1]:.6g}",
    )
    if not (received := row.received):
        return costs
    exact, found = received.worst
    was = tell(
        "What it receives was rounded before: {exact} became {found}.",
        exact=f"{exact:.6g}",
        found=f"{found:.6g}",
    )
    before, after = received.distinct
    left = ""
    if after < before:
        left = tell("{before} different values became {after}.", before=f"{before:,}", after=f"{after:,}")
    return " ".join(filter(None, (costs, was, left)))


def _on_one_side(reference: StepRecord, other: StepRecord) -> list[str]:
    """Sentences on modules that only one of the steps calls. One that raised does not reach all of them."""
    there, here = (dict.fromkeys(call.module for call in each.calls) for each in (reference, other))
    missing = [] if other.raised else [name for name in there if name not in here]
    more = [name for name in here if name not in there]
    if bool(reference.step) != bool(other.step):
        (missing if reference.step else more).append(STEP)  # of the user
    return [
        f"only the {which} calls {_named(names)}: not compared."
        for which, names in (("reference", missing), ("other step", more))
        if names
    ]


def _named(names: list[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED:,} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(map(repr, names[:_MOST_NAMED])) + more
