"""What goes to a terminal: text that is shown and never obeyed, errors in one sentence."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer


def plain(text: object) -> str:
    """The text on one line, with what does not print spelt out: an escape sequence is seen as \\x1b[31m.

    Names and messages come from files and from other people's code. Control characters would reach the
    terminal as commands, marks of direction would turn the line around.
    """
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in str(text)
    )


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
