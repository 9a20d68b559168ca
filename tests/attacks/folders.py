"""Hostile run folders, made by code. To add an attack, add a function here: the tests find it.

Each function takes a new run's directory, that of a run that completed, and makes it hostile.
"""

import json
import os
import re
import struct
import zlib

import numpy as np

from mixwidgets.floats.gradients.summary import GradientSummary
from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.store.events import Evaluation, GradientSnapshot, RunFinished, RunStarted, StepRecord
from mixwidgets.runs.store.journal import Journal, create_run
from mixwidgets.runs.store.records import with_checksum, without_checksum

HUGE = 10**400  # beyond float64
MB = 1 << 20
EXPERIMENT = Experiment(task="digits_cnn", recipe="fp16_dynamic", steps=2)


def make_run(runs_dir):
    """A run that completed, as its process writes it; the path of its directory."""
    path = create_run(EXPERIMENT, runs_dir)
    with Journal(path) as journal:
        journal.append(RunStarted(device="cpu", backend="float32 products", versions={"torch": "2.13.0"}))
        for step in (1, 2):
            journal.append(
                StepRecord(
                    step=step,
                    loss=2.0 / step,
                    loss_scale=65536.0,
                    found_inf=False,
                    skipped=False,
                    grad_norm=1.0,
                    seconds=0.1,
                )
            )
            summaries = {"weight": GradientSummary.of([1e-3, 1e-6, 1e-9])}
            journal.append(GradientSnapshot(step=step, summaries=summaries))
        journal.append(Evaluation(step=2, metrics={"loss": 1.0, "accuracy": 0.5}))
        journal.append(RunFinished(reason="completed", metrics={"loss": 1.0, "accuracy": 0.5}))
    return path


def rewrite(path, **fields):
    """Give a file of one record other fields, and the checksum that fits."""
    path.write_bytes(with_checksum({**without_checksum(path.read_bytes()), **fields}))


def rewrite_events(path, kind, **fields):
    """Give every event of a kind other fields, and the checksums that fit."""
    events = path / "events.jsonl"
    records = map(without_checksum, events.read_bytes().splitlines())
    events.write_bytes(
        b"".join(with_checksum({**one, **fields} if one["kind"] == kind else one) for one in records)
    )


def huge_status(path):
    rewrite(path / "status.json", loss=HUGE, loss_scale=HUGE, metrics={"loss": HUGE})


def huge_counts(path):
    rewrite(path / "status.json", steps=HUGE, skipped=HUGE, process_id=HUGE)


def a_list_for_the_kind_of_an_event(path):
    rewrite(path / "status.json", started={"kind": []})


def a_list_for_a_reason(path):
    rewrite(path / "status.json", started={"kind": "finished", "reason": [], "metrics": {}})


def no_time_at_all(path):
    rewrite(path / "status.json", seconds=5e-324)
    rewrite_events(path, "step", seconds=5e-324)


def steps_beyond_the_page(path):
    """Snapshots of steps for which a page has no number; their files have names that a disk takes."""
    for step, name in zip((1, 2), (2**32, 10**100), strict=True):
        (path / f"gradients-{step:06d}.bin").rename(path / f"gradients-{name}.bin")
    events = path / "events.jsonl"
    records = map(without_checksum, events.read_bytes().splitlines())
    events.write_bytes(
        b"".join(
            with_checksum(
                {**one, "step": {1: 2**32, 2: 10**100}[one["step"]]} if one["kind"] == "gradients" else one
            )
            for one in records
        )
    )


def huge_events(path):
    rewrite_events(path, "step", loss=HUGE, seconds=HUGE)
    rewrite_events(path, "evaluation", metrics={"loss": HUGE})
    (path / "status.json").unlink()  # so that the events have to be read


def many_metrics(path):
    """A table of the evaluations would have a column for each."""
    (path / "status.json").unlink()
    events = path / "events.jsonl"
    *lines, last = events.read_bytes().splitlines(keepends=True)
    for step in range(10, 20):
        metrics = {f"{step}_{number}": 1.0 for number in range(40_000)}
        lines.append(with_checksum({"kind": "evaluation", "step": step, "metrics": metrics}))
    events.write_bytes(b"".join([*lines, last]))


def huge_steps(path):
    rewrite_events(path, "step", step=HUGE)
    rewrite_events(path, "gradients", step=HUGE, sizes=[HUGE], weights_unchanged={"weight": HUGE})


def huge_experiment(path):
    rewrite(path / "experiment.json", learning_rate=HUGE, task_options={"loss_weight": HUGE})


def a_float_beyond_float64(path):
    events = path / "events.jsonl"
    line = re.sub(rb',"crc32":"[0-9a-f]{8}"\}\n$', b"}", events.read_bytes().splitlines(keepends=True)[1])
    body = line.replace(b'"loss":2.0', b'"loss":1e999')
    sealed = body[:-1] + b',"crc32":"%08x"}\n' % zlib.crc32(body)
    events.write_bytes(events.read_bytes() + sealed)


def newlines(path):
    (path / "status.json").unlink()
    with (path / "events.jsonl").open("ab") as events:
        events.write(b"\n" * (8 * MB))


def short_lines(path):
    (path / "status.json").unlink()
    with (path / "events.jsonl").open("ab") as events:
        events.write(b"{}\n" * (8 * MB // 3))


def one_long_line(path):
    (path / "status.json").unlink()
    with (path / "events.jsonl").open("ab") as events:
        events.write(b"[" * (8 * MB))


def a_hole(path):
    """A journal of a TiB that takes no room on the disk."""
    (path / "status.json").unlink()
    os.truncate(path / "events.jsonl", 1 << 40)


def sealed_junk(path):
    (path / "status.json").unlink()
    with (path / "events.jsonl").open("ab") as events:
        events.write(with_checksum({"kind": "junk", "deep": [[[[]]]]}) * (8 * MB // 60))


def deep_nesting(path):
    body = b'{"kind":"step","step":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    for name in ("status.json", "experiment.json", "events.jsonl"):
        (path / name).write_bytes(body[:-1] + b',"crc32":"%08x"}\n' % zlib.crc32(body))


def _snapshots(path, content, sizes, number=3):
    """Replace the journal by one of so many snapshots of this content."""
    data = zlib.compress(content, 9)
    records = []
    for step in range(1, number + 1):
        (path / f"gradients-{step:06d}.bin").write_bytes(data)
        records.append(
            with_checksum(
                {
                    "kind": "gradients",
                    "step": step,
                    "names": [f"weight{i}" for i in range(len(sizes))],
                    "sizes": sizes,
                    "file_crc32": f"{zlib.crc32(data):08x}",
                    "weights_unchanged": {},
                    "flushed": {},
                }
            )
        )
    lines = (path / "events.jsonl").read_bytes().splitlines(keepends=True)
    keep = [line for line in lines if b'"kind":"gradients"' not in line]
    (path / "events.jsonl").write_bytes(b"".join([*keep[:-1], *records, keep[-1]]))


def inflating_snapshots(path):
    _snapshots(path, bytes(64 * MB), [64 * MB])


def many_inflating_snapshots(path):
    _snapshots(path, bytes(8 * MB), [8 * MB], number=800)


def small_snapshots_that_inflate(path):
    """4 GB from 5 MB, a MiB at a time."""
    _snapshots(path, bytes(MB), [MB // 4] * 4, number=4000)


def inflating_beyond_what_is_stated(path):
    _snapshots(path, bytes(64 * MB), [100])


def a_summary_of_many_cuts(path):
    """Checksums fit, and counts of one byte stand for numbers of 28 in Python."""
    rows, cuts = 2000, 255
    body = struct.pack("<4sBBHQQQ", b"MWGS", 2, cuts, rows, 0, 0, 0)
    body += struct.pack(f"<{cuts}Q", *range(1, cuts + 1)) + struct.pack(f"<{rows}h", *range(-1000, 1000))
    body += b"\x01" * (rows * (cuts + 1)) + b"\x00" * rows
    body += struct.pack("<I", zlib.crc32(body))
    _snapshots(path, body * 100, [len(body)] * 100)


def links_to_one_snapshot(path):
    """Fifty snapshots that are one file, of 1.4 MB when inflated."""
    random = np.random.default_rng(0)
    values = np.exp2(20 * random.standard_normal((200, 3000))).astype(np.float32)
    parts = [GradientSummary.of(row).to_bytes() for row in values] * 2  # too far apart to be deflated
    _snapshots(path, b"".join(parts), [len(part) for part in parts], number=1)
    lines = (path / "events.jsonl").read_bytes().splitlines(keepends=True)
    records = [
        with_checksum({**without_checksum(line), "step": step})
        for line in lines
        if b'"kind":"gradients"' in line
        for step in range(2, 51)
    ]
    (path / "events.jsonl").write_bytes(b"".join([*lines[:-1], *records, lines[-1]]))
    for step in range(2, 51):
        (path / f"gradients-{step:06d}.bin").unlink(missing_ok=True)
        os.link(path / "gradients-000001.bin", path / f"gradients-{step:06d}.bin")


def many_tensors(path):
    empty = GradientSummary.of([]).to_bytes()
    _snapshots(path, empty * 200_000, [len(empty)] * 200_000)


def hostile_texts(path):
    text = "\x1b[2J\u202e=cmd|' /C calc'!A0 <img src=x onerror=window.hit=1>"
    rewrite(path / "status.json", status="crashed", message=text, metrics={text: 1.0})
    rewrite_events(path, "evaluation", metrics={"loss": 1.0, text: 1.0})
    record = json.loads((path / "experiment.json").read_bytes())
    recipe = {**record["recipe"], "name": text}
    rewrite(path / "experiment.json", recipe=recipe)


def hostile_labels(path):
    """What a lab keeps beside runs: names, notes, recipes."""
    text = "\x1b[2J\u202e=cmd|' /C calc'!A0 <img src=x onerror=window.hit=1>"
    (path / "label.json").write_text(json.dumps({"name": text, "note": text, "star": True}))
    (path.parent / ".recipes.json").write_text(
        json.dumps({text: {}, "mine": {"compute_format": text}, "x": HUGE})
    )


ATTACKS = {
    name: function
    for name, function in globals().items()
    if callable(function)
    and getattr(function, "__module__", "") == __name__
    and not name.startswith("_")
    and name not in ("make_run", "rewrite", "rewrite_events")
}
