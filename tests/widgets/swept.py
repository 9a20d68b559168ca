"""Sweeps that nobody computes: a test says how far they are."""

import math

import mixwidgets as mw
from mixwidgets.runs.scheduler.sweep import Sweep
from mixwidgets.runs.store.events import StepRecord

PAYLOAD = "</script><script>window.hit=1</script><img src=x onerror=window.hit=1>"


class Over:
    """A run of an experiment that ended by itself."""

    status = "completed"

    def __init__(self, experiment, path, metrics, losses=()):
        self.experiment, self.path, self.metrics, self._losses = experiment, path, metrics, losses

    def reader(self, **how):
        return self

    def read_new(self):
        usual = {"loss_scale": 1.0, "found_inf": False, "skipped": False, "grad_norm": 1.0, "seconds": 0.1}
        return [StepRecord(step=step, loss=loss, **usual) for step, loss in enumerate(self._losses, 1)]


class Swept(Sweep):
    """A sweep of these experiments; `counts` are those of its states that are not 0."""

    counts = failures = runs = is_over = None  # the instance's own, not computed

    def __init__(self, experiments, failures=(), **counts):
        self.experiments = experiments
        self.counts = {"done": 0, "running": 0, "waiting": 0, "failed": 0, "stopped": 0, **counts}
        self.failures = dict(failures)
        self.runs = {}  # by place
        self.is_over = False
        self.stops = 0

    @property
    def cell_states(self):
        """Those that failed where `failures` has them, the others in the order of the counts."""
        words = [word for word, count in self.counts.items() for _ in range(count if word != "failed" else 0)]
        words = iter([*words, *["waiting"] * len(self.experiments)])
        return [
            ("failed" if cell in self.failures else next(words), self.runs.get(place))
            for place, cell in enumerate(self.experiments)
        ]

    def stop(self):
        self.stops += 1
        self.is_over = True
        self.counts = {**dict.fromkeys(self.counts, 0), "stopped": len(self.experiments)}


def swept_halfway():
    """Eight cells, of which two failed; one of them with markup in what it says."""
    cells = mw.grid(
        mw.Experiment(task="digits_cnn", steps=60), recipe=["fp32", "fp16_dynamic"], seed=range(4)
    )
    failures = {
        cells[1]: "ValueError: device 'cuda:99' is no CUDA device of this machine (torch sees none here)",
        cells[6]: PAYLOAD,
    }
    swept = Swept(cells, failures, done=3, running=2, waiting=1, failed=2)
    for place, accuracy in ((0, 0.88), (2, 0.92), (4, 0.91)):
        path = "runs/7" if place == 4 else f"runs/{place}"
        losses = [2.3 * math.exp(-step / (15 + 3 * place)) + 0.05 * math.sin(step) for step in range(60)]
        swept.runs[place] = Over(cells[place], path, {"accuracy": accuracy, "loss": 0.3}, losses)
    return swept
