"""The widgets of the site, each made from the arguments that the catalogue names for it."""

from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from mixwidgets.floats.widgets.base import MixWidget
from mixwidgets.floats.widgets.bit_editor.widget import BitEditor
from mixwidgets.floats.widgets.block_lab.widget import BlockLab
from mixwidgets.floats.widgets.format_designer.widget import FormatDesigner
from mixwidgets.floats.widgets.loss_scale_explorer.widget import LossScaleExplorer
from mixwidgets.floats.widgets.number_line.widget import NumberLine
from mixwidgets.runs.store.run import Run, open_run
from mixwidgets.teaching.widgets.exercise.widget import Exercise
from mixwidgets.teaching.widgets.playground.widget import Playground

RECORDED = Path(__file__).with_name("recorded")
"""A run directory, made by docs/recorded_run.py: the site is the same wherever it is made, torch or not."""
LESSONS = Path(__file__).with_name("recorded_lessons")
"""The gradients of the lessons' explorers, by the cell that shows them; made by docs/recorded_run.py too."""


MAKERS: Mapping[str, Callable[..., MixWidget]] = {
    "playground": Playground,
    "bit_editor": BitEditor,
    "number_line": NumberLine,
    "format_designer": FormatDesigner,
    "block_lab": BlockLab,
    "loss_scale_explorer": lambda **arguments: LossScaleExplorer(open_run(RECORDED), **arguments),
}

CLASSES: Mapping[str, Callable[..., MixWidget]] = {
    cls.__name__: cls
    for cls in (Playground, BitEditor, NumberLine, FormatDesigner, BlockLab, LossScaleExplorer, Exercise)
}
"""What a lesson's page can have, by the name that its notebook calls."""


def lesson_gradients(cell: str) -> list[Run]:
    """The recorded run of this cell of a lesson, or none."""
    return [open_run(LESSONS / cell)] if (LESSONS / cell).is_dir() else []


def state_of(page: str, arguments: Mapping[str, Any]) -> str:
    """The state of a page's widget that is made with these arguments."""
    with closing(MAKERS[page](**arguments)) as widget:
        return widget.state
