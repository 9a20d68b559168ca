"""Every widget that has a public name, made with what it needs to show something."""

import numpy as np

import mixwidgets as mw
from mixwidgets.floats.widgets.base import MixWidget

PAYLOAD = "</script><script>window.hit=1</script><!--<script>\u2028\ud800\"'&"
NAMES = [
    name
    for name in mw.__all__
    if isinstance(getattr(mw, name), type) and issubclass(getattr(mw, name), MixWidget)
]
# A new widget is listed here only if it cannot be made without arguments.
_ARGUMENTS = {
    "LossScaleExplorer": lambda folder: [{PAYLOAD: np.float32([1e-8, 1, 3e5]), "w": np.float32([2])}],
    "TrainingLab": lambda folder: [folder / "runs"],
    "Exercise": lambda folder: ["largest-float16"],
    "SweepProgress": lambda folder: [mw.sweep([], runs_dir=folder / "swept")],
}


def make(name, folder, **traits):
    """The widget of this name; its files, if it has any, are in `folder`, a Path."""
    return getattr(mw, name)(*_ARGUMENTS.get(name, lambda folder: [])(folder), **traits)
