"""mixwidgets: Jupyter widgets for exploring floating point and mixed-precision training.

Public names are loaded on first use (PEP 562), so that `import mixwidgets` is fast and a bit editor never
loads torch.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_MODULES = {
    "FloatFormat": "floats.formats.float_format",
    "get_format": "floats.formats.catalogue",
    "list_formats": "floats.formats.catalogue",
    "get_block_format": "floats.formats.block_catalogue",
    "cast_everywhere": "floats.stacks",
    "GradientSummary": "floats.gradients.summary",
    "survey": "floats.gradients.survey",
    "Recipe": "runs.experiments.recipe",
    "recipes": "runs.experiments.recipe",
    "LossScale": "runs.experiments.loss_scale",
    "loss_scales": "runs.experiments.loss_scale",
    "Operands": "runs.experiments.operands",
    "tasks": "runs.task.catalogue",
    "Experiment": "runs.experiments.experiment",
    "grid": "runs.experiments.grid",
    "launch": "runs.scheduler.launch",
    "open_run": "runs.store.run",
    "list_runs": "runs.store.run",
    "compare": "charts",
    "comparison": "runs.store.comparison",
    "train": "runs.training.loop",
    "sweep": "runs.widgets.sweep_progress.shown",
    "op_precisions": "diagnosis.op_precisions",
    "watch": "diagnosis.watching.watch",
    "first_difference": "diagnosis.difference.first_difference",
    "record_step": "diagnosis.difference.first_difference",
    "compare_steps": "diagnosis.difference.first_difference",
    "BitEditor": "floats.widgets.bit_editor.widget",
    "NumberLine": "floats.widgets.number_line.widget",
    "BlockLab": "floats.widgets.block_lab.widget",
    "FormatDesigner": "floats.widgets.format_designer.widget",
    "LossScaleExplorer": "floats.widgets.loss_scale_explorer.widget",
    "TrainingLab": "runs.widgets.training_lab.widget",
    "Playground": "teaching.widgets.playground.widget",
    "TrainingStep": "teaching.widgets.training_step.widget",
    "SweepProgress": "runs.widgets.sweep_progress.widget",
    "Exercise": "teaching.widgets.exercise.widget",
    "check": "teaching.exercises.coding",
    "hand_in": "teaching.exercises.lesson_report",
}

__all__ = ["__version__", *_MODULES]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    except ModuleNotFoundError as error:
        from mixwidgets.support.installed import IN_BROWSER, import_error_in_browser

        if IN_BROWSER:
            raise import_error_in_browser(f"mixwidgets.{name}", error) from None
        raise
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
