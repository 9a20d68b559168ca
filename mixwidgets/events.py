"""The events of a training run, as `train` yields them. `event.kind` says which one it is."""

from mixwidgets.runs.store.events import (
    REASONS,
    Evaluation,
    Event,
    GradientSnapshot,
    Memory,
    RunFinished,
    RunStarted,
    StepRecord,
    Work,
)

__all__ = [
    "REASONS",
    "Evaluation",
    "Event",
    "GradientSnapshot",
    "Memory",
    "RunFinished",
    "RunStarted",
    "StepRecord",
    "Work",
]
