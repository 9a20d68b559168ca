"""Calls a student's function safely, so that it cannot end the kernel."""

from collections.abc import Callable
from typing import Any

from mixwidgets.runs.store.system import time_limit
from mixwidgets.support.languages.texts import translated

LONGEST = 160  # characters of a displayed value


class _TooLong(BaseException):  # not an Exception, so that `except Exception` does not catch it
    pass


def call(
    function: Callable[..., Any], arguments: tuple[Any, ...], limit_s: float, lang: str
) -> tuple[Any, str]:
    """What `function(*arguments)` returns, or else why it failed, in words.

    Only KeyboardInterrupt is passed on. A call that takes longer than `limit_s` seconds is interrupted, on
    the main thread of a system with SIGALRM (not on Windows). A bare `except:` inside an endless loop catches
    that too; then only the kernel's own Interrupt helps.
    """
    try:
        with time_limit(limit_s, _TooLong):
            return function(*arguments), ""
    except KeyboardInterrupt:
        raise
    except _TooLong:
        why = translated(
            "no result after {seconds} s; is there a loop without an end?", lang, seconds=f"{limit_s:g}"
        )
        return None, why
    except RecursionError:
        return None, translated("RecursionError: the function calls itself without an end", lang)
    except BaseException as error:  # a student's exit() raises SystemExit
        return None, f"{type(error).__name__}: {_said(error)}"[:LONGEST]


def shown(value: object) -> str:
    """A value as a short text on one line, even if its repr fails."""
    try:
        text = " ".join(repr(value).split())
    except KeyboardInterrupt:
        raise
    except BaseException:
        text = f"an object of type {type(value).__name__} whose repr fails"
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _said(error: BaseException) -> str:
    try:
        return " ".join(str(error).split())
    except Exception:
        return "its text cannot be shown"
