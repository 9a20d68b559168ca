"""mixwidgets: Jupyter widgets with which people touch floating point and mixed-precision training.

The public names are loaded on first use (PEP 562), so that `import mixwidgets` costs little and a bit
editor never loads torch.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOME = {
    "FloatFormat": "formats.float_format",
    "get_format": "formats.catalogue",
    "list_formats": "formats.catalogue",
    "BlockFormat": "formats.block",
    "get_block_format": "formats.block",
    "cast_everywhere": "stacks",
    "GradientSummary": "gradients.summary",
    "survey": "gradients.checkpoint",
    "Recipe": "runs.recipe",
    "recipes": "runs.recipe",
    "tasks": "runs.task",
    "Experiment": "runs.experiment",
    "grid": "runs.product",
    "launch": "runs.launcher",
    "Run": "runs.run",
    "open_run": "runs.run",
    "list_runs": "runs.run",
    "compare": "charts",
    "comparison": "runs.compared",
    "train": "training.loop",
    "sweep": "sweeps.sweeping",
    "op_precisions": "training.op_probe",
    "watch": "training.watcher",
    "BitEditor": "widgets.bit_editor",
    "NumberLine": "widgets.number_line",
    "BlockLab": "widgets.block_lab",
    "FormatDesigner": "widgets.format_designer",
    "LossScaleExplorer": "widgets.loss_scale_explorer",
    "TrainingLab": "widgets.training_lab",
    "SweepProgress": "widgets.sweep_progress",
    "Exercise": "widgets.exercise",
}

__all__ = ["__version__", *_HOME]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
