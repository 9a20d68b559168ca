"""Runs as tables on a terminal, drawn by rich. Imported where one is shown: rich takes its time to load."""

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from mixwidgets.cli.terminal import plain
from mixwidgets.store.comparison import ComparisonRow, brief_results
from mixwidgets.store.run import Run
from mixwidgets.store.settings import Value, settings_of

_UNBOUNDED = 10_000  # columns: what is piped is for other programs, and is not wrapped
_SHARES = ("gradients.", "weights_unchanged")


def show_list(runs: list[Run]) -> None:
    """A line for each run."""
    names = ("id", "task", "recipe", "seed", "status", "skipped", "loss", "metrics")
    _show_table(_console(), names, [_line(run) for run in runs])


def show_side_by_side(runs: list[Run], rows: list[ComparisonRow]) -> None:
    """The runs by number, then a line for each setting and each result."""
    console = _console()
    _show_table(
        console,
        ("run", "id", "what"),
        [[str(n), run.id, run.experiment.title] for n, run in enumerate(runs, 1)],
    )
    console.print()
    settings = [[row.name, *map(_setting_in_words, row.values)] for row in rows if row.kind == "setting"]
    results = [
        [row.name, *(result_in_words(row.name, value) for value in row.values)]
        for row in rows
        if row.kind == "result"
    ]
    _show_table(console, ("", *(str(number) for number in range(1, len(runs) + 1))), settings, results)


def _line(run: Run) -> list[str]:
    what, results = settings_of(run.experiment), brief_results(run)
    figures = {name: result_in_words(name, value) for name, value in results.items()}
    metrics = [
        f"{name.removeprefix('metrics.')} {figure}"
        for name, figure in figures.items()
        if name.startswith("metrics.") and name != "metrics.loss"
    ]
    return [
        run.id,
        *map(_setting_in_words, (what["task"], what.get("recipe", what.get("model")), what.get("seed"))),
        *(figures.get(name, "–") for name in ("status", "skipped", "metrics.loss")),
        ", ".join(metrics),
    ]


def _setting_in_words(value: Value) -> str:
    """A setting, exactly; what is not known, or not there, is –."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "–" if value is None else f"{value:.15g}" if isinstance(value, float) else str(value)


def result_in_words(name: str, value: Value) -> str:
    """A result of `comparison`: four digits, shares in percent, bytes in MB; what is not known is –."""
    if value is None or isinstance(value, str):
        return value or "–"
    if name.startswith(_SHARES):
        return f"{100 * value:.3g} %"
    if name.startswith("memory."):
        return f"{value / 1e6:,.4g} MB"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _console() -> Console:
    """A console that takes text as text: no markup, no emoji codes, no guessed colours."""
    console = Console(markup=False, emoji=False, highlight=False)
    if not console.is_terminal:
        console.width = _UNBOUNDED
    return console


def _show_table(console: Console, names: Sequence[str], *sections: Sequence[Sequence[str]]) -> None:
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
