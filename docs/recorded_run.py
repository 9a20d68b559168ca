"""Records the run whose gradients the classroom site shows: python -m docs.recorded_run.

The mask task in float32, with the loss weight at which the experiments see FP16 fail without a loss scale
(benchmarks/results/experiments.md). The run is committed, since a site is made where torch may be missing.
"""

import shutil
import tempfile
from pathlib import Path

import mixwidgets as mw
from mixwidgets.store.journal import Journal, create_run

TARGET = Path(mw.__file__).parent / "site" / "recorded"
EXPERIMENT = mw.Experiment(
    task="mask", recipe="fp32", seed=0, steps=200, summary_every=40, task_options={"loss_weight": 1 / 128}
)
KEPT = ("experiment.json", "events.jsonl", "gradients-*.bin")  # the status names the machine


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = create_run(EXPERIMENT, folder)
        with Journal(path) as journal:
            for event in mw.train(EXPERIMENT):
                journal.append(event)
        shutil.rmtree(TARGET, ignore_errors=True)
        TARGET.mkdir(parents=True)
        for file in sorted(file for pattern in KEPT for file in path.glob(pattern)):
            shutil.copy(file, TARGET)


if __name__ == "__main__":
    main()
