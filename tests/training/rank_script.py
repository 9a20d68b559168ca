"""What each process of tests/training/test_ranks.py does: torchrun … rank_script.py FOLDER RUN_DIR.

The experiments by name are in cases.json there. A rank writes what it saw of each to rank-<n>.json. Then both
train RUN_DIR as `python -m mixwidgets.training RUN_DIR` does.
"""

import hashlib
import json
import sys
import time
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import torch
import torch.distributed as dist

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.training import loop
from mixwidgets.runs.training.device import training_settings
from mixwidgets.runs.training.loop import make_trainer, train
from mixwidgets.runs.training.ranks import ranks_of
from mixwidgets.training import main as train_run_directory

CPU = torch.device("cpu")


def events_of(experiment, leave_at=None):
    """What `train` says, snapshots as counts and without the clock; left after the event of this number."""
    told = []
    for number, event in enumerate(train(experiment, trust_source=True)):
        if event.kind == "step":
            told.append(
                ["step", event.loss, event.grad_norm, event.loss_scale, event.found_inf, event.skipped]
            )
        elif event.kind == "evaluation":
            told.append(["evaluation", event.step, dict(event.metrics)])
        elif event.kind == "gradients":
            counts = {name: repr(summary.counts("float16")) for name, summary in event.summaries.items()}
            told.append(["gradients", counts, dict(event.weights_unchanged), dict(event.flushed)])
        elif event.kind == "finished":
            told.append(["finished", event.reason, event.message])
        if number == leave_at:
            told.append(["left"])
            break
    return told


def steps_of(experiment):
    """The same run step by step: the weights after each; the batch that the rank drew, and what it brought
    to the sum, with whether that was finite."""
    with training_settings(), ranks_of(experiment, CPU) as ranks:
        trainer = make_trainer(experiment, CPU, ranks)
        told = {"batch": [], "own": [], "weights": [digest(trainer.weights.values())]}
        part, add = ranks.part, ranks.sum

        def seen_part(inputs, targets):
            told["batch"].append(digest([inputs, targets]))
            return part(inputs, targets)

        def seen_sum(tensors):
            finite = all(bool(tensor.isfinite().all()) for tensor in tensors)
            told["own"].append([digest(tensors), finite])
            return add(tensors)

        ranks.part, ranks.sum = seen_part, seen_sum
        for number in range(1, experiment.steps + 1):
            trainer.step(number, observed=False)
            told["weights"].append(digest(trainer.weights.values()))
    return told


def digest(tensors):
    whole = hashlib.sha256()
    for tensor in tensors:
        whole.update(tensor.contiguous().flatten().view(torch.uint8).numpy().tobytes())
    return whole.hexdigest()


def refusal(experiment):
    try:
        list(train(experiment, trust_source=True))
    except ValueError as error:
        return str(error)


def main(folder):
    dist.init_process_group("gloo", timeout=timedelta(seconds=60))
    rank = dist.get_rank()
    cases = json.loads((folder / "cases.json").read_text())
    told = {}
    for name, text in cases.items():
        experiment = Experiment.from_json(text)
        told[name] = {"events": events_of(experiment), **steps_of(experiment)}
    any_case = Experiment.from_json(next(iter(cases.values()))).replace(recipe="fp32", summary_every=100)
    told["different"] = refusal(any_case.replace(seed=rank))
    for left_by in (0, 1):
        for at in (0, 1, 7):  # started, the first evaluation, a step
            mine = at if rank == left_by else None
            told[f"left by {left_by} at {at}"] = events_of(any_case.replace(steps=50), mine)
    if rank == 1:  # only its clock says that time is up
        times = iter([0.0] * 5)
        loop.time = SimpleNamespace(monotonic=lambda: next(times, 1e6))
    told["time"] = events_of(any_case.replace(time_limit_s=1000.0))
    loop.time = time
    (folder / f"rank-{rank}.json").write_text(json.dumps(told))


if __name__ == "__main__":
    main(Path(sys.argv.pop(1)))
    sys.exit(train_run_directory())
