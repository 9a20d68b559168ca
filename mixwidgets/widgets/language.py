"""The language of a widget: which one it speaks, and its page's module and texts in that language."""

from __future__ import annotations

import json
import os
import re
from functools import cache
from pathlib import Path
from typing import Literal, cast, get_args

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = get_args(Language)

VARIABLE = "MIXWIDGETS_LANG"
_CATALOGUE = Path(__file__).parent.parent / "static" / "zh.json"
_TAGS = {"en": "en", "zh": "zh-Hans"}
_MESSAGES = re.compile(r"^var en_default = /\* messages \*/ (\{.*\});$", re.MULTILINE)  # js/build.mjs
_COMMENT = re.compile(r"^\s*//[^\n]*|/\*.*?\*/", re.MULTILINE | re.DOTALL)
_LOCALE = re.compile(r'"locale"\s*:\s*"([^"]*)"')


def chosen_language(lang: str | None = None) -> Language:
    """`lang`; where it is None, what MIXWIDGETS_LANG says, else the language of this machine's JupyterLab, if
    it is one of ours, else "en". ValueError for what is neither "en" nor "zh"."""
    if lang is not None:
        return _checked("lang", lang, "English or Simplified Chinese; None follows JupyterLab")
    if said := os.environ.get(VARIABLE):
        return _checked(VARIABLE, said, "unset it to follow JupyterLab")
    return "zh" if jupyterlab_locale() == "zh_CN" else "en"


def jupyterlab_locale() -> str:
    """The language that the user chose in JupyterLab's settings on this machine, such as "zh_CN"; "default"
    where none was chosen or none can be read."""
    try:
        return _locale(_settings_file().read_text(encoding="utf-8"))
    except (ImportError, OSError, ValueError):
        return "default"


def language_tag(lang: str) -> str:
    """The language as BCP 47 names it, for a `lang` attribute."""
    return _TAGS[lang]


def in_language(module: str, lang: str) -> str:
    """A built module that speaks `lang`: the messages that it carries are replaced."""
    if lang == "en":
        return module
    return _MESSAGES.sub(lambda found: found[0].replace(found[1], _chinese(found[1])), module)


def translated(text: str, lang: str) -> str:
    """A text that Python makes for the page; one that has no translation, as a user's own, stays as it is."""
    return text if lang == "en" else _python_texts().get(text, text)


def _checked(name: str, lang: object, hint: str) -> Language:
    if lang not in LANGUAGES:
        raise ValueError(f'{name} is "en" or "zh" ({hint}); {lang!r} came')
    return lang


def _settings_file() -> Path:
    """Where JupyterLab keeps the language (jupyterlab.commands.get_user_settings_dir)."""
    setting = Path("@jupyterlab", "translation-extension", "plugin.jupyterlab-settings")
    if folder := os.environ.get("JUPYTERLAB_SETTINGS_DIR"):
        return Path(folder) / setting
    from jupyter_core.paths import jupyter_config_dir

    return Path(jupyter_config_dir(), "lab", "user-settings") / setting


def _locale(settings: str) -> str:
    """Of settings, which are JSON with comments."""
    found = _LOCALE.search(_COMMENT.sub("", settings))
    return found[1] if found else "default"


def _chinese(messages: str) -> str:
    catalogue = _catalogue()
    told = {key: catalogue.get(key, english) for key, english in json.loads(messages).items()}
    return json.dumps(told, ensure_ascii=False)


@cache
def _catalogue() -> dict[str, str]:
    """The Chinese messages of the page, by key."""
    return cast("dict[str, str]", json.loads(_CATALOGUE.read_text(encoding="utf-8")))


@cache
def _python_texts() -> dict[str, str]:
    """The Chinese of texts that Python makes, by their English."""
    path = Path(__file__).with_name("python_texts_zh.json")
    return cast("dict[str, str]", json.loads(path.read_text(encoding="utf-8")))
