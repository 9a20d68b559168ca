"""What the training step's stage asks, answered by the NumPy reference alone."""

import json
from functools import cache

import numpy as np

import mixwidgets as mw
from mixwidgets.runs.experiments.loss_scale import LossScale
from tests.playground.engine import ROOT
from tests.playground.reference import Settings, Trainer, held_out_loss, in_float32

HIGHEST, MORE_STEPS, WITHIN = 40, 300, 0.1
_FILE = ROOT / "mixwidgets/teaching/widgets/training_step/usual.json"
USUAL = json.loads(_FILE.read_text(encoding="utf-8"))["usual"]
WIDE = USUAL["float32_steps"]
TENSOR, INDEX = 2 * USUAL["weight"][0] - 2, tuple(one - 1 for one in USUAL["weight"][1:])


def settings(log2: int, kind: str = "static", **others) -> Settings:
    half = dict.fromkeys(("weight_format", "activation_format", "gradient_format"), mw.get_format("float16"))
    named = ("task", "optimizer", "learning_rate", "loss_weight", "batch_size", "seed")
    scale = LossScale(kind=kind, init_scale=2.0**log2)
    rest = {name: USUAL[name] for name in named}
    return Settings(layers=tuple(USUAL["layers"]), loss_scale=scale, **rest, **half, **others)


@cache
def trainer(narrow: Settings, wide: int, steps: int) -> Trainer:
    """After so many steps in float32, and then so many with the settings."""
    made = Trainer(in_float32(narrow))
    for _ in range(wide):
        made.step()
    changes = [f"{of}_format" for of in ("weight", "activation", "gradient", "optimizer")]
    names = [*changes, "master_weights", "loss_scale"]
    made.change(**{name: getattr(narrow, name) for name in names})
    made.skips = [made.step()["skipped"] for _ in range(steps)]
    return made


def at(log2: int, *, wide: int = WIDE, steps: int = 0, history: int | None = None, **others):
    """The next step with a loss scale, from weights that came about with that one or with another."""
    before = trainer(settings(log2 if history is None else history, **others), wide, steps)
    old = before.settings, before.scale
    before.change(loss_scale=settings(log2, **others).loss_scale)
    seen = before.look()
    before.settings, before.scale = old
    return seen


def moved(side: dict) -> float:
    return float(side["next"][TENSOR][INDEX] - side["kept"][TENSOR][INDEX])


def both(seen: dict) -> dict:
    return {"moved": moved(seen), "wanted": moved(seen["twin"])}


def alike(seen: dict) -> int:
    """How many weights move as in float32, within a tenth."""
    pairs = zip(seen["kept"], seen["next"], seen["twin"]["next"], strict=True)
    return sum(int((abs(own - twin) <= WITHIN * abs(twin - kept)).sum()) for kept, own, twin in pairs)


def facts() -> dict:
    """The numbers of the questions and of their answers, in the order in which they are asked."""
    first = at(0)
    smallest = next(log2 for log2 in range(HIGHEST + 1) if moved(at(log2)) != 0)
    at16, at39 = at(16), at(39)
    lost = {"wide": 0, "steps": MORE_STEPS, "history": 16, "master_weights": False}
    without = at(16, **lost)
    skips = trainer(settings(HIGHEST, "dynamic"), WIDE, HIGHEST)
    runs = {log2: trainer(settings(log2), WIDE, MORE_STEPS) for log2 in (0, 16)}
    return {
        "smallest": {"log2": smallest, **both(at(smallest))},
        "larger": {
            "ratio": abs(float(at16["update"][TENSOR][INDEX] / at16["twin"]["update"][TENSOR][INDEX])),
            **both(at16),
        },
        "fits": {
            "gradient": float(at39["gradient"][TENSOR][INDEX]),
            "others": sum(int((~np.isfinite(one)).sum()) for one in at39["gradient"]),
            "moved": moved(at39),
        },
        "skips": {"count": skips.skips.index(False), "log2": HIGHEST - skips.skips.index(False)},
        "alike": {"count": alike(first), "all": sum(one.size for one in first["kept"])},
        "update": {
            "weight": float(without["kept"][TENSOR][INDEX]),
            "update": float(without["update"][TENSOR][INDEX]),
            "moved": moved(without),
            "larger": [moved(at(log2, **lost)) for log2 in range(17, HIGHEST + 1)],
        },
        "run": {
            "before": held_out_loss(trainer(settings(0), WIDE, 0)),
            "after": held_out_loss(runs[0]),
            "other": held_out_loss(runs[16]),
        },
    }
