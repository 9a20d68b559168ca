"""python -m mixwidgets: the command line, where the command itself is not on the path."""

from mixwidgets.cli import app

app(prog_name="mixwidgets")
