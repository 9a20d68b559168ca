"""Tables on a terminal, drawn by rich. Imported where one is shown: rich takes its time to load."""

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from mixwidgets.cli.words import plain

_UNBOUNDED = 10_000  # columns: what is piped is for other programs, and is not wrapped


def make_console() -> Console:
    """A console that takes text as text: no markup, no emoji codes, no guessed colours."""
    console = Console(markup=False, emoji=False, highlight=False)
    if not console.is_terminal:
        console.width = _UNBOUNDED
    return console


def show_table(console: Console, names: Sequence[str], *sections: Sequence[Sequence[str]]) -> None:
    """Rows under the columns' names. Where words would have to break, a row stands under its first cell."""
    rows = [row for section in sections for row in section]
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name, *cells in zip(names, *rows, strict=True):
        table.add_column(Text(plain(name)), no_wrap=not any(" " in cell for cell in cells))
    for section in sections:
        for row in section:
            table.add_row(*(Text(plain(cell)) for cell in row))
        table.add_section()
    unbounded = console.options.update(max_width=_UNBOUNDED)
    if Measurement.get(console, unbounded, table).minimum <= console.width:
        console.print(table)
        return
    for first, *others in rows:
        told = (f"{name} {cell}" for name, cell in zip(names[1:], others, strict=True) if cell)
        console.print(Text(plain(first), style="bold"), overflow="fold")
        console.print(Padding(Text(plain(" · ".join(told))), (0, 0, 0, 2)))
