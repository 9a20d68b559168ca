"""mixwidgets lab: JupyterLab, on this machine alone."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

START = Path("notebooks/00_start_here.ipynb")


def open_lab(
    context: typer.Context,
    notebook: Annotated[
        Path | None, typer.Argument(help="What to open; the start notebook if it is here.")
    ] = None,
) -> None:
    """Open JupyterLab on loopback, with its token. Further options go to JupyterLab."""
    target = notebook or (START if START.exists() else None)
    command = [sys.executable, "-m", "jupyter", "lab", "--ServerApp.ip=127.0.0.1"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")  # in a container one is root; the server listens on loopback only
    raise typer.Exit(subprocess.call([*command, *([str(target)] if target else []), *context.args]))
