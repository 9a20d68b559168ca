"""The command line, mixwidgets: each command parses, then calls.

What a command calls is imported inside it, so that `--help` loads neither torch nor NumPy nor a widget.
"""

import io
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from mixwidgets.cli.classroom import export_site, grade_class, open_lab
from mixwidgets.cli.runs import compare_runs, show_runs
from mixwidgets.cli.survey import show_format, survey_file
from mixwidgets.cli.train import run_sweep, train_one
from mixwidgets.cli.watch import report_run, watch_script


class _Commands(TyperGroup):
    def main(self, *args: Any, **options: Any) -> Any:
        """Print "?" for a sign that the output's encoding lacks, as of the help in Latin-1, not an error."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")
        return super().main(*args, **options)


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Explore floating point and mixed-precision training.",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(asked: bool) -> None:
    if asked:
        from mixwidgets import __version__

        typer.echo(f"mixwidgets {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """The options of no command."""


app.command("lab", context_settings={"allow_extra_args": True, "ignore_unknown_options": True})(open_lab)
app.command("train")(train_one)
app.command("runs")(show_runs)
app.command("compare")(compare_runs)
app.command("sweep")(run_sweep)
app.command("grade")(grade_class)
app.command("survey")(survey_file)
app.command("watch", context_settings={"allow_interspersed_args": False})(watch_script)
app.command("report")(report_run)
app.command("format", context_settings={"ignore_unknown_options": True})(show_format)  # -0.1 is a value
app.command("export")(export_site)
