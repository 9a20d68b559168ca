"""A step of the playground's engine beside the same loops on Float32Array without rounding, in Node.

And, where PLAYGROUND_NN names a copy of src/nn.ts of github.com/tensorflow/playground (Apache licence; it is
not in this repository), beside a batch of TensorFlow Playground's own engine.
"""

from __future__ import annotations

import json
import os
import subprocess
from functools import partial

from benchmarks.pairs import compare
from tests.playground.engine import NODE, ROOT

HALF = dict.fromkeys(("weightFormat", "activationFormat", "gradientFormat"), "float16")
E4M3 = {**dict.fromkeys(HALF, "float8_e4m3fn"), "accumulation": "format"}
PRECISIONS = {
    "float32": {},
    "float16, float32 sums": HALF,
    "float16, sums in the format": {**HALF, "accumulation": "format"},
    "E4M3, sums in the format": E4M3,
}
STEPS = {"digits": 100, "circle": 1000}  # of one timing


def measure() -> dict[str, object]:
    rows: dict[str, object] = {}
    command = [str(NODE), "benchmarks/playground_steps.ts"]
    with subprocess.Popen(command, cwd=ROOT, stdin=-1, stdout=-1, text=True) as process:

        def milliseconds(kind: str, **settings: object) -> float:
            request = {"kind": kind, "settings": settings, "steps": STEPS[str(settings["task"])]}
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            return float(json.loads(process.stdout.readline()))

        for task in STEPS:
            plain = partial(milliseconds, "plain", task=task)
            for name, precision in PRECISIONS.items():
                engine = partial(milliseconds, "engine", task=task, **precision)
                ratios = compare(plain, engine)
                each = {"plain_ms": round(plain(), 4), "engine_ms": round(engine(), 4)}
                rows[f"{task}, {name}, a step over the plain loops"] = {**ratios, **each}
        if "PLAYGROUND_NN" in os.environ:
            theirs = partial(milliseconds, "tensorflow", task="circle")
            ours = partial(milliseconds, "engine", task="circle", optimizer="sgd")
            rows["circle, float32, a step over TensorFlow Playground's"] = compare(theirs, ours)
        process.stdin.close()
    return rows
