"""The command line: mixwidgets lab | train | runs | compare | sweep | format | export: parse, then call."""

import typer

from mixwidgets.cli.comparing import compare_runs
from mixwidgets.cli.exporting import export
from mixwidgets.cli.listing import show_runs
from mixwidgets.cli.notebook import open_lab
from mixwidgets.cli.spec_sheet import show_format
from mixwidgets.cli.sweeping import run_sweep
from mixwidgets.cli.training import train_one

_PASS_ON = {"allow_extra_args": True, "ignore_unknown_options": True}

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Touch floating point and mixed-precision training.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("lab", context_settings=_PASS_ON)(open_lab)
app.command("train")(train_one)
app.command("runs")(show_runs)
app.command("compare")(compare_runs)
app.command("sweep")(run_sweep)
app.command("format", context_settings={"ignore_unknown_options": True})(show_format)  # -0.1 is a value
app.command("export")(export)
