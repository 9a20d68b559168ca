"""Sweeps that nobody computes: a test says how far they are."""

import mixwidgets as mw

PAYLOAD = "</script><script>window.hit=1</script><img src=x onerror=window.hit=1>"


class Swept:
    """A sweep of these experiments; `counts` are those of its states that are not 0."""

    def __init__(self, experiments, failures=(), **counts):
        self.experiments = experiments
        self.counts = {"done": 0, "running": 0, "waiting": 0, "failed": 0, "stopped": 0, **counts}
        self.failures = dict(failures)
        self.is_over = False
        self.stops = 0

    def stop(self):
        self.stops += 1
        self.is_over = True
        self.counts = {**dict.fromkeys(self.counts, 0), "stopped": len(self.experiments)}


def swept_halfway():
    """Eight cells, of which two failed; one of them with markup in what it says."""
    cells = mw.grid(mw.Experiment(task="digits_cnn"), recipe=["fp32", "fp16_dynamic"], seed=range(4))
    failures = {
        cells[1]: "ValueError: device 'cuda:99' is no CUDA device of this machine (torch sees none here)",
        cells[6]: PAYLOAD,
    }
    return Swept(cells, failures, done=3, running=2, waiting=1, failed=2)
