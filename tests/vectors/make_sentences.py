"""Writes sentences.json: what the page and Python say of a rounded value, and of a format, in each language.

    python tests/vectors/make_sentences.py

The words are Python's: pytest and vitest read the file, so that the page says the same, in the same words.
That they are true is another matter, and tests/formats/test_sentences.py's.
"""

import json
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import mixwidgets as mw
from mixwidgets.floats.formats.describe import figures_of, readouts_of
from mixwidgets.floats.formats.encode import ROUNDINGS
from mixwidgets.floats.formats.explanation import chosen, sentence

HERE = Path(__file__).parent
LANGUAGES = ("en", "zh")
POLICIES = ("native", "saturate", "propagate", "torch")
P3109 = ("binary8p4se", "binary8p4sf", "binary8p4ue", "binary8p4uf", "binary6p1se", "binary5p1uf")


def formats() -> list[mw.FloatFormat]:
    custom = json.loads((HERE / "custom.json").read_text(encoding="utf-8"))
    own = [mw.FloatFormat(name=name, **definition) for name, [definition] in custom.items()]
    return [*mw.list_formats(), *(mw.get_format(name) for name in P3109), *own]


def texts(fmt: mw.FloatFormat) -> list[str]:
    """Values for which a format has something to say: special ones, and those around its edges."""
    largest, step = fmt.magnitude(fmt.max_code), fmt.magnitude(fmt.max_code + 1)
    small, middle = fmt.magnitude(fmt.smallest_code), fmt.max_code // 2
    inside = [(fmt.magnitude(middle + n) + fmt.magnitude(middle + 1 + n)) / 2 for n in (0, 1)]
    points = [small / 2, small / 3, small * 31 / 32, *inside, (fmt.magnitude(middle) + 2 * inside[0]) / 3]
    points += [largest, (3 * largest + step) / 4, (largest + step) / 2, (largest + 3 * step) / 4, 2 * step]
    signed = [f"{sign}{value}" for value in points for sign in ("", "-")]
    return ["0", "-0", "0.1", "-1", "1e-400", "-1e400", "inf", "-inf", "nan", fmt.to_hex(1), *signed]


def rows(fmt: mw.FloatFormat, turn: int) -> list[dict[str, Any]]:
    """One for each sentence that the format has; `turn` begins with other values, directions and policies."""
    found: dict[str, dict[str, Any]] = {}
    for text, overflow, rounding in product(*(turned(x, turn) for x in (texts(fmt), POLICIES, ROUNDINGS))):
        try:
            how = fmt.explain(text, rounding=rounding, overflow=overflow)
        except ValueError:
            continue
        row: dict[str, Any] = {"text": text, "rounding": rounding, "overflow": overflow}
        row |= {lang: sentence(how, lang) for lang in LANGUAGES}
        row["readouts"] = list(readouts_of(how, "en").values())
        found.setdefault(chosen(how, "en")[0], row)
    return list(found.values())


def turned(items: Sequence[str], by: int) -> list[str]:
    return [*items[by % len(items) :], *items[: by % len(items)]]


def main() -> None:
    content = {fmt.name: [figures_of(fmt, "en"), *rows(fmt, 3 * turn)] for turn, fmt in enumerate(formats())}
    parts = [
        f" {json.dumps(name)}: [\n"
        + ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in listed)
        + "\n ]"
        for name, listed in content.items()
    ]
    (HERE / "sentences.json").write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
