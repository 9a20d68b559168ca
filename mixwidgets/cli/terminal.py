"""Output on a terminal: errors as one sentence each, and tables."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import typer

from mixwidgets.support.plain_text import plain

_UNBOUNDED = 10_000  # columns: piped output is for other programs and not wrapped


@contextmanager
def errors_in_words() -> Iterator[None]:
    """Report a wrong argument as one sentence on stderr with exit code 2, without a traceback."""
    try:
        yield
    except (TypeError, ValueError, LookupError, OSError, ImportError) as error:
        typer.echo(f"mixwidgets: {plain(_message(error))}", err=True)
        raise typer.Exit(2) from None


def _message(error: Exception) -> object:
    """The message without Python's additions: the number of an OSError, the quotes of a KeyError."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    return error.args[0] if isinstance(error, KeyError) and error.args else error


def say(text: str) -> None:
    """Print a text with signs such as −: in UTF-8 where the output's encoding, as on Windows, lacks one."""
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    typer.echo(text)


def show_table(names: Sequence[str], *sections: Sequence[Sequence[str]]) -> None:
    """Print rows under the columns' names. If words would have to break, each row is a paragraph instead.

    Text is printed literally: no markup, emoji codes or automatic colours.
    """
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.measure import Measurement
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    console = Console(markup=False, emoji=False, highlight=False)
    if not console.is_terminal:
        console.width = _UNBOUNDED
    rows = [row for section in sections for row in section]
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name, *cells in zip(names, *rows, strict=True):
        table.add_column(Text(plain(name)), no_wrap=not any(" " in cell for cell in cells))
    for section in sections:
        for row in section:
            table.add_row(*(Text(plain(cell)) for cell in row))
        table.add_section()
    unbounded = console.options.update(max_width=_UNBOUNDED)
    if not console.is_terminal or Measurement.get(console, unbounded, table).minimum <= console.width:
        console.print(table)
        return
    for first, *others in rows:
        figures = (f"{name} {cell}" for name, cell in zip(names[1:], others, strict=True) if cell)
        console.print(Text(plain(first), style="bold"), overflow="fold")
        console.print(Padding(Text(plain(" · ".join(figures))), (0, 0, 0, 2)))
