"""Whether the server whose pages draw the widgets has the anywidget that this kernel has."""

import json
import os
import warnings
from functools import cache
from importlib.metadata import version
from pathlib import Path

_EXTENSION = Path("share", "jupyter", "labextensions", "anywidget", "package.json")


@cache
def compare_anywidget() -> None:
    """Warn, once, where the server that started this kernel has another minor version of anywidget.

    Then its pages leave a widget's place empty, and only the browser's console says why. The server's
    environment is known on Linux, from the command of the process that started the kernel.
    """
    try:
        command = Path("/proc", os.environ["JPY_PARENT_PID"], "cmdline").read_bytes()
        python = Path(os.fsdecode(command.partition(b"\0")[0]))
        theirs = str(json.loads((python.parents[1] / _EXTENSION).read_bytes())["version"])
    except (KeyError, OSError, ValueError, TypeError, IndexError):
        return
    ours = version("anywidget")
    if theirs.split(".")[:2] != ours.split(".")[:2]:
        same = ".".join([*theirs.split(".")[:2], "*"])
        warnings.warn(
            f"The server has anywidget {theirs}, this kernel has {ours}: widgets stay empty in its pages. "
            f"Both need the same minor version, such as by `pip install 'anywidget=={same}'` here.",
            RuntimeWarning,
            stacklevel=4,
        )
