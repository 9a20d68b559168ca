"""The texts of every language. Each folder next to this file is a language, and `lang` accepts its name:

language.json   its own name, and JupyterLab's name for it
page.json       the texts of the widgets' pages; "common.lang" is the language's BCP 47 tag
python.json     texts that Python shows, keyed by the English text in the code
exercises.json  the lessons' questions, and the report for a teacher
site.json       the classroom site
"""

import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

ENGLISH = "en"
_FOLDER = Path(__file__).parent
_FOUND = sorted(path.parent.name for path in _FOLDER.glob("*/language.json"))
LANGUAGES: tuple[str, ...] = (ENGLISH, *(name for name in _FOUND if name != ENGLISH))

Text = Mapping[str, str]
"""One text by language, such as {"en": …, "zh": …}."""
Tell = Callable[..., str]
"""`translated` into one language."""


@cache
def texts(lang: str, part: str) -> dict[str, Any]:
    """The content of a language's file, such as `texts("zh", "page")`."""
    content: dict[str, Any] = json.loads((_FOLDER / lang / f"{part}.json").read_text(encoding="utf-8"))
    return content


def with_texts(structure: Any, by_language: Mapping[str, Any]) -> Any:
    """`structure` with the texts of each language, which have the same shape: {"en": {"title": …}, "zh": …}
    adds "title": {"en": …, "zh": …}. ValueError if a list of texts has the wrong length."""
    english = by_language[ENGLISH]
    if isinstance(english, str):
        return dict(by_language)

    def at(place: Any) -> dict[str, Any]:
        return {lang: part[place] for lang, part in by_language.items()}

    if isinstance(english, list):
        return [with_texts(part, at(i)) for i, (part, _) in enumerate(zip(structure, english, strict=True))]
    return {**structure, **{name: with_texts(structure.get(name, {}), at(name)) for name in english}}


def is_text(value: object) -> bool:
    """Whether this is one text by language."""
    return isinstance(value, Mapping) and ENGLISH in value and value.keys() <= set(LANGUAGES)


def in_language(value: Any, lang: str) -> Any:
    """`value`, JSON or one text, with each text in it in one language, or in English if that is missing."""
    if is_text(value):
        return value.get(lang, value[ENGLISH])
    if isinstance(value, Mapping):
        return {name: in_language(part, lang) for name, part in value.items()}
    return [in_language(part, lang) for part in value] if isinstance(value, list | tuple) else value


def translated(text: str, lang: str, **values: object) -> str:
    """The translation of a text that Python shows, with its {fields} filled if values are given; a user's own
    text is returned unchanged."""
    translation = text if lang == ENGLISH else str(texts(lang, "python").get(text, text))
    return translation.format(**values) if values else translation


def message(lang: str, key: str, **values: object) -> str:
    """A message of the page (page.json) with its {fields} filled, as plain text: without the marks of what is
    strong, and with ordinary blanks."""
    return str(texts(lang, "page")[key]).replace("*", "").replace("\u00a0", " ").format(**values)


def language_tag(lang: str) -> str:
    """The language as BCP 47 names it, for a `lang` attribute."""
    return str(texts(lang, "page")["common.lang"])
