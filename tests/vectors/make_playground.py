"""Writes playground.json: 200 steps by the NumPy reference of the playground's engine, for many settings;
looks.json: all that the 21st step goes through, beside the same step in float32; and stage.json: what the
stage of a training step asks, answered by the reference.

    python tests/vectors/make_playground.py

vitest holds the engine to the file; pytest makes a part of it anew.
"""

import json
import math
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent.parent))

import mixwidgets as mw  # noqa: E402
from mixwidgets.runs.experiments.loss_scale import LossScale  # noqa: E402
from tests.playground import stage  # noqa: E402
from tests.playground.engine import request  # noqa: E402
from tests.playground.reference import Settings, Trainer, digests  # noqa: E402

STEPS, EVERY = 200, 20
FORMATS = (
    *("float32", "tfloat32", "bfloat16", "float16", "float8_e5m2", "float8_e4m3fn", "float8_e4m3fnuz"),
    *("float6_e3m2fn", "float6_e2m3fn", "float4_e2m1fn"),
)
CUSTOM = (
    mw.FloatFormat(name="e6m5", exponent_bits=6, fraction_bits=5),
    mw.FloatFormat(name="e5m0", exponent_bits=5, fraction_bits=0, infinity="none", nan="none"),
)
SCALES = (
    LossScale(),
    LossScale(kind="static", init_scale=2.0**8),
    LossScale(kind="dynamic", init_scale=2.0**20, growth_interval=10),
)
TASKS = ("circle", "xor", "gaussians", "spiral")


def cases() -> dict[str, Settings]:
    """Every format with every optimiser; what else there is to choose goes round."""
    found = {}
    for i, fmt in enumerate([*map(mw.get_format, FORMATS), *CUSTOM]):
        for j, optimizer in enumerate(("sgd", "momentum", "adam")):
            turn = i + j
            found[f"{fmt.name} {optimizer}"] = Settings(
                task=TASKS[turn % 4],
                layers=((4,), (4, 3), ())[turn % 7 % 3],
                activation=("tanh", "relu")[turn % 5 % 2],
                weight_format=fmt,
                activation_format=fmt,
                gradient_format=fmt,
                master_weights=turn % 3 == 0,
                accumulation=("float32", "format")[turn % 2],
                optimizer=optimizer,
                learning_rate=0.02 if optimizer == "adam" else 0.25,
                eps=1e-8 if turn % 2 else 1e-3,
                optimizer_format=fmt if turn % 3 == 1 else mw.get_format("float32"),
                weight_rounding=("stochastic", "nearest")[i % 2],
                loss_scale=SCALES[(i + 2 * j) % 3],
                loss_weight=(1.0, 2.0**-10)[turn % 4 // 3],
                batch_size=(8, 5)[i % 2],
                seed=(turn, 2**32 - 1)[turn == 3],
            )
    half = {"weight_format", "activation_format", "gradient_format"}
    found["digits float16"] = Settings(
        "digits", (32,), **dict.fromkeys(half, mw.get_format("float16")), loss_scale=SCALES[2], batch_size=4
    )
    return found


def rows(settings: Settings) -> dict:
    """What every 20th step reports; how often steps were skipped."""
    trainer = Trainer(settings)
    reports = [trainer.step() for _ in range(STEPS)]
    seen = reports[EVERY - 1 :: EVERY]
    kept = {name: [report[name] for report in seen] for name in seen[0] if name != "loss"}
    kept["loss"] = [report["loss"] if math.isfinite(report["loss"]) else None for report in seen]
    return {"settings": request(settings), "skipped": sum(r["skipped"] for r in reports), "reports": kept}


def looked(settings: Settings) -> dict:
    """The numbers of the 21st step, with a digest of the arrays at each station."""
    trainer = Trainer(settings)
    for _ in range(EVERY):
        trainer.step()
    return as_json(digests(trainer.look()))


def as_json(report: dict) -> dict:
    """A report as it comes out of JSON, in which inf and NaN are text."""
    words = {math.inf: "Infinity", -math.inf: "-Infinity"}

    def plain(value):
        if isinstance(value, dict):
            return as_json(value)
        return words.get(value, "NaN") if isinstance(value, float) and not math.isfinite(value) else value

    return {name: plain(value) for name, value in report.items()}


def write(name: str, made: dict) -> None:
    lines = [f" {json.dumps(case)}: {json.dumps(row)}" for case, row in made.items()]
    (HERE / name).write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def main() -> None:
    write("playground.json", {name: rows(settings) for name, settings in cases().items()})
    write("looks.json", {name: looked(settings) for name, settings in cases().items()})
    write("stage.json", stage.facts())


if __name__ == "__main__":
    main()
