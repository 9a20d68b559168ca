"""mixwidgets: Jupyter widgets for exploring floating point and mixed-precision training.

Public names are loaded on first use (PEP 562), so that `import mixwidgets` is fast and a bit editor never
loads torch.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_MODULES = {
    "FloatFormat": "formats.float_format",
    "get_format": "formats.catalogue",
    "list_formats": "formats.catalogue",
    "get_block_format": "formats.block",
    "cast_everywhere": "stacks",
    "GradientSummary": "gradients.summary",
    "survey": "gradients.survey",
    "Recipe": "experiments.recipe",
    "recipes": "experiments.recipe",
    "tasks": "task.catalogue",
    "Experiment": "experiments.experiment",
    "grid": "experiments.grid",
    "launch": "scheduler.launch",
    "open_run": "store.run",
    "list_runs": "store.run",
    "compare": "charts",
    "comparison": "store.comparison",
    "train": "training.loop",
    "sweep": "widgets.sweep_progress.shown",
    "op_precisions": "training.op_precisions",
    "watch": "observe.watch",
    "first_difference": "difference.first_difference",
    "BitEditor": "widgets.bit_editor.widget",
    "NumberLine": "widgets.number_line.widget",
    "BlockLab": "widgets.block_lab.widget",
    "FormatDesigner": "widgets.format_designer.widget",
    "LossScaleExplorer": "widgets.loss_scale_explorer.widget",
    "TrainingLab": "widgets.training_lab.widget",
    "Playground": "widgets.playground.widget",
    "SweepProgress": "widgets.sweep_progress.widget",
    "Exercise": "widgets.exercise.widget",
    "check": "exercises.coding",
}

__all__ = ["__version__", *_MODULES]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    except ModuleNotFoundError as error:
        from mixwidgets.installed import IN_BROWSER, import_error_in_browser

        if IN_BROWSER:
            raise import_error_in_browser(f"mixwidgets.{name}", error) from None
        raise
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
