"""Runs side by side, in JSON values, for the page of a TrainingLab."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mixwidgets.store.comparison import comparison_rows
from mixwidgets.store.records import to_json_number

if TYPE_CHECKING:
    from mixwidgets.store.run import Run

MOST_COMPARED = 32  # columns of one table


def comparison_in_json(runs: list[Run]) -> dict[str, Any]:
    """Their ids as `runs`; as `rows` a field, its kind ("setting" or "result") and a value for each run: a
    text, a number, None, or a word for a number that is not finite. {} of no runs.

    ValueError where there are too many.
    """
    if not runs:
        return {}
    if len(runs) > MOST_COMPARED:
        raise ValueError(
            f"At most {MOST_COMPARED} runs are compared here; got {len(runs)}. "
            "mw.comparison(runs) makes a table of any number."
        )
    rows = [
        {"field": row.name, "kind": row.kind, "values": [_json(value) for value in row.values]}
        for row in comparison_rows(runs)
    ]
    return {"runs": [run.id for run in runs], "rows": rows}


def _json(value: str | float | bool | None) -> str | float | None:
    if isinstance(value, bool):
        return str(value).lower()
    return to_json_number(value) if isinstance(value, float) else value
