"""Answers to what a page asks: whatever comes, whatever goes wrong, the page hears of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_LONGEST = 1000  # characters of a message, or of a request's name


def answer(do: Callable[[], object], content: Mapping[str, Any]) -> dict[str, Any]:
    """Do what the page asks in `content`; the answer to send."""
    request = content.get("request")
    reply = {"request": request if isinstance(request, int) or _is_short(request) else None}
    try:
        do()
    except Exception as error:  # whatever it is, the page must hear of it
        text = (isinstance(error, OSError) and error.strerror) or str(error) or type(error).__name__
        # Lone surrogates, of a hostile page's text, would not travel.
        text = text[:_LONGEST].encode("utf-8", "backslashreplace").decode()
        return {"kind": "refused", "message": text, **reply}
    return {"kind": "done", **reply}


def _is_short(text: object) -> bool:
    return isinstance(text, str) and len(text) <= _LONGEST and text.isprintable()
