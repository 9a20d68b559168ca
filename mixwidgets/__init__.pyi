"""The public names for editors and type checkers; __init__.py loads them on first use."""

from mixwidgets.charts import compare as compare
from mixwidgets.diagnosis.difference.first_difference import (
    compare_steps as compare_steps,
)
from mixwidgets.diagnosis.difference.first_difference import (
    first_difference as first_difference,
)
from mixwidgets.diagnosis.difference.first_difference import (
    record_step as record_step,
)
from mixwidgets.diagnosis.op_precisions import op_precisions as op_precisions
from mixwidgets.diagnosis.watching.watch import watch as watch
from mixwidgets.floats.formats.block_catalogue import get_block_format as get_block_format
from mixwidgets.floats.formats.catalogue import (
    get_format as get_format,
)
from mixwidgets.floats.formats.catalogue import (
    list_formats as list_formats,
)
from mixwidgets.floats.formats.float_format import FloatFormat as FloatFormat
from mixwidgets.floats.gradients.summary import GradientSummary as GradientSummary
from mixwidgets.floats.gradients.survey import survey as survey
from mixwidgets.floats.stacks import cast_everywhere as cast_everywhere
from mixwidgets.floats.widgets.bit_editor.widget import BitEditor as BitEditor
from mixwidgets.floats.widgets.block_lab.widget import BlockLab as BlockLab
from mixwidgets.floats.widgets.format_designer.widget import FormatDesigner as FormatDesigner
from mixwidgets.floats.widgets.loss_scale_explorer.widget import LossScaleExplorer as LossScaleExplorer
from mixwidgets.floats.widgets.number_line.widget import NumberLine as NumberLine
from mixwidgets.runs.experiments.experiment import Experiment as Experiment
from mixwidgets.runs.experiments.grid import grid as grid
from mixwidgets.runs.experiments.loss_scale import (
    LossScale as LossScale,
)
from mixwidgets.runs.experiments.loss_scale import (
    loss_scales as loss_scales,
)
from mixwidgets.runs.experiments.operands import Operands as Operands
from mixwidgets.runs.experiments.recipe import (
    Recipe as Recipe,
)
from mixwidgets.runs.experiments.recipe import (
    recipes as recipes,
)
from mixwidgets.runs.scheduler.launch import launch as launch
from mixwidgets.runs.store.comparison import comparison as comparison
from mixwidgets.runs.store.run import (
    list_runs as list_runs,
)
from mixwidgets.runs.store.run import (
    open_run as open_run,
)
from mixwidgets.runs.task.catalogue import tasks as tasks
from mixwidgets.runs.training.loop import train as train
from mixwidgets.runs.widgets.sweep_progress.shown import sweep as sweep
from mixwidgets.runs.widgets.sweep_progress.widget import SweepProgress as SweepProgress
from mixwidgets.runs.widgets.training_lab.widget import TrainingLab as TrainingLab
from mixwidgets.teaching.exercises.coding import check as check
from mixwidgets.teaching.exercises.lesson_report import hand_in as hand_in
from mixwidgets.teaching.widgets.exercise.widget import Exercise as Exercise
from mixwidgets.teaching.widgets.playground.widget import Playground as Playground
from mixwidgets.teaching.widgets.training_step.widget import TrainingStep as TrainingStep

__version__: str
