"""The choice of a language: an argument, MIXWIDGETS_LANG, or JupyterLab's setting, read from its file."""

import os
import re
from pathlib import Path

from mixwidgets.support.languages.texts import ENGLISH, LANGUAGES, texts, translated

VARIABLE = "MIXWIDGETS_LANG"
_COMMENT = re.compile(r"^\s*//[^\n]*|/\*.*?\*/", re.MULTILINE | re.DOTALL)
_LOCALE = re.compile(r'"locale"\s*:\s*"([^"]*)"')


def chosen_language(lang: str | None = None) -> str:
    """`lang`; if it is None, MIXWIDGETS_LANG, else the language of this machine's JupyterLab if it is one of
    LANGUAGES, else "en". ValueError for an unknown language."""
    if lang is not None:
        return _checked("lang", lang, "None follows JupyterLab")
    if variable := os.environ.get(VARIABLE):
        return _checked(VARIABLE, variable, "unset it to follow JupyterLab")
    locale = jupyterlab_locale()
    return next((lang for lang in LANGUAGES if texts(lang, "language")["jupyterlab"] == locale), ENGLISH)


def tell(text: str, **values: object) -> str:
    """`translated` into the chosen language."""
    return translated(text, chosen_language(), **values)


def jupyterlab_locale() -> str:
    """The language chosen in JupyterLab's settings on this machine, such as "zh_CN"; "default" if none was
    chosen or the settings cannot be read."""
    try:
        settings = _settings_file().read_text(encoding="utf-8")
    except (ImportError, OSError, ValueError):
        return "default"
    locale = _LOCALE.search(_COMMENT.sub("", settings))  # JSON with comments
    return locale[1] if locale else "default"


def _checked(name: str, lang: object, hint: str) -> str:
    if not isinstance(lang, str) or lang not in LANGUAGES:
        accepted = " or ".join(f'"{name}"' for name in LANGUAGES)
        raise ValueError(f"{name} is {accepted} ({hint}); got {lang!r}")
    return lang


def _settings_file() -> Path:
    """The file in which JupyterLab stores the language (jupyterlab.commands.get_user_settings_dir)."""
    setting = Path("@jupyterlab", "translation-extension", "plugin.jupyterlab-settings")
    if folder := os.environ.get("JUPYTERLAB_SETTINGS_DIR"):
        return Path(folder) / setting
    from jupyter_core.paths import jupyter_config_dir

    return Path(jupyter_config_dir(), "lab", "user-settings") / setting
