"""The results' file: every seed's figures as JSON, one line each."""

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

Results = Mapping[str, Mapping[str, Any]]
"""Rows by number, as JSON values; NaN and infinities are the texts "nan", "inf" and "-inf"."""

PATH = Path(__file__).parents[1] / "results" / "experiments.json"

_LEVELS = 5  # rows, a row, its cells, a cell, its seeds: each of these has a line for each of its parts


def read(path: Path) -> dict[str, Any]:
    """The rows that were measured before; none where there is no file."""
    rows: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return rows


def write(rows: Results, path: Path) -> None:
    """Replace the file by these rows."""
    path.write_text(_indented(rows, _LEVELS, "\n") + "\n", encoding="utf-8")


def plain(value: Any) -> Any:
    """The same as JSON values: JSON knows neither NaN nor infinities."""
    if isinstance(value, Mapping):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _indented(value: Any, levels: int, line: str) -> str:
    parts: Sequence[str]
    if levels and value and isinstance(value, dict):
        parts = [
            f"{json.dumps(name)}: {_indented(item, levels - 1, line + ' ')}" for name, item in value.items()
        ]
        opening, closing = "{}"
    elif levels and value and isinstance(value, list):
        parts = [_indented(item, levels - 1, line + " ") for item in value]
        opening, closing = "[]"
    else:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    return opening + ",".join(f"{line} {part}" for part in parts) + line + closing
