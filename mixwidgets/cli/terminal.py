"""Errors on a terminal: one sentence."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from mixwidgets.plain_text import plain


@contextmanager
def errors_in_words() -> Iterator[None]:
    """A wrong argument is one sentence on stderr and exit code 2, never a traceback."""
    try:
        yield
    except (TypeError, ValueError, LookupError, OSError, ImportError) as error:
        typer.echo(f"mixwidgets: {plain(_said(error))}", err=True)
        raise typer.Exit(2) from None


def _said(error: Exception) -> object:
    """The message without what Python puts around it: an error's number, the quotes of a KeyError."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    return error.args[0] if isinstance(error, KeyError) and error.args else error
