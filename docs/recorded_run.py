"""Records the gradients that the classroom site shows: python -m docs.recorded_run.

The mask task in float32, with the loss weight at which the experiments see FP16 fail without a loss scale
(benchmarks/results/experiments.md); and the snapshot that each lesson's explorer shows. They are committed,
since a site is made where torch may be missing.
"""

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

import mixwidgets as mw
from mixwidgets.runs.store.journal import Journal, create_run

SITE = Path(mw.__file__).parent / "teaching" / "site"
EXPERIMENT = mw.Experiment(
    task="mask", recipe="fp32", seed=0, steps=200, summary_every=40, task_options={"loss_weight": 1 / 128}
)
LESSONS: Mapping[str, tuple[mw.Experiment, int]] = {
    "start-explorer": (
        mw.Experiment(
            task="digits_cnn", recipe="fp32", steps=150, eps=1e-12, task_options={"loss_weight": 1e-5}
        ),
        21,
    ),
    "scaling-explorer": (
        mw.Experiment(task="mask", eps=1e-12, task_options={"loss_weight": 1 / 128}, device="cpu"),
        21,
    ),
    "narrow-explorer": (
        mw.Experiment(task="digits_mlp", recipe="fp32", steps=1, device="cpu", record_dy=True),
        1,
    ),
}
"""By the cell that shows an explorer: the experiment of its lesson, and the step of its gradients."""
KEPT = ("experiment.json", "events.jsonl", "gradients-*.bin")  # the status names the machine


def record(experiment: mw.Experiment, target: Path, step: int | None = None) -> None:
    """The run of an experiment; of one step its gradients alone."""
    with tempfile.TemporaryDirectory() as folder:
        path = create_run(experiment, folder)
        with Journal(path) as journal:
            for event in mw.train(experiment):
                if step is None or (event.kind == "gradients" and event.step == step):
                    journal.append(event)
                if step is not None and getattr(event, "step", 0) > step:
                    break
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        for file in sorted(file for pattern in KEPT for file in path.glob(pattern)):
            shutil.copy(file, target)


def main() -> None:
    record(EXPERIMENT, SITE / "recorded")
    for cell, (experiment, step) in LESSONS.items():
        record(experiment, SITE / "recorded_lessons" / cell, step)


if __name__ == "__main__":
    main()
