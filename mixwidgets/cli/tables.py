"""Runs as tables on a terminal: one beneath the other, and side by side."""

from mixwidgets.cli.console import make_console, show_table
from mixwidgets.cli.figures import result_in_words, setting_in_words
from mixwidgets.store.comparison import ComparedRow
from mixwidgets.store.outcome import brief_results
from mixwidgets.store.run import Run
from mixwidgets.store.settings import settings_of


def show_list(runs: list[Run]) -> None:
    """A line for each run."""
    names = ("id", "task", "recipe", "seed", "status", "skipped", "loss", "metrics")
    show_table(make_console(), names, [_line(run) for run in runs])


def show_side_by_side(runs: list[Run], rows: list[ComparedRow]) -> None:
    """The runs by number, then a line for each setting and each result."""
    console = make_console()
    show_table(
        console,
        ("run", "id", "what"),
        [[str(n), run.id, run.experiment.title] for n, run in enumerate(runs, 1)],
    )
    console.print()
    settings = [[row.name, *map(setting_in_words, row.values)] for row in rows if row.kind == "setting"]
    results = [
        [row.name, *(result_in_words(row.name, value) for value in row.values)]
        for row in rows
        if row.kind == "result"
    ]
    show_table(console, ("", *(str(number) for number in range(1, len(runs) + 1))), settings, results)


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
        *map(setting_in_words, (what["task"], what.get("recipe", what.get("model")), what.get("seed"))),
        *(figures.get(name, "–") for name in ("status", "skipped", "metrics.loss")),
        ", ".join(metrics),
    ]
