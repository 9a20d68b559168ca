"""python -m benchmarks.playground_stories: trains the playground's stories on five seeds.

Each story has three networks: float32, the chosen precision, and the contrast, one change away from it.
Measured is the share of float32's progress: how far the test loss fell below ln(classes), over how far
float32's did. A network learns at 75 % or more and fails at 50 % or less; a loss of NaN is 0 %.
"""

import json
import math
from pathlib import Path

from mixwidgets.runs.experiments.loss_scale import LossScale
from mixwidgets.teaching.widgets.playground.settings import ACTS, DEFAULTS, STORIES
from tests.playground.engine import Engine, request

RESULTS = Path(__file__).parent / "results"
SEEDS = range(5)
LEARNS, FAILS = 0.75, 0.5

_FP4 = "float4_e2m1fn"
LEARNED = {
    # whether the network of a story's first act learns; that of its second, the contrast, ends the other way
    "loss_scale": False,
    "master_weights": False,
    "stochastic_rounding": True,
    "fp8_gradients": False,
    "adam_epsilon": False,
    "fp4": True,
}
_FLOAT32 = {
    **dict.fromkeys(("weight_format", "activation_format", "gradient_format", "optimizer_format"), "float32"),
    "master_weights": True,
    "weight_rounding": "nearest",
    "loss_scale": "none",
}

_HALF = dict.fromkeys(("weightFormat", "activationFormat", "gradientFormat"), "float16")
_BF16 = {**dict.fromkeys(_HALF, "bfloat16"), "masterWeights": False}
_DIGITS = {"task": "digits"}
TRIED: dict[str, tuple[dict, dict, bool, int]] = {
    # what was looked for: base, precision, whether it was expected to learn, steps
    "FP16 without a loss scale fails at a loss weight of 2^-14": (
        {"task": "circle", "lossWeight": 2.0**-14},
        _HALF,
        False,
        400,
    ),
    "BF16 without master weights stalls with SGD at a learning rate of 0.1": (
        {"task": "circle", "optimizer": "sgd", "learningRate": 0.1},
        _BF16,
        False,
        3000,
    ),
    "E4M3 gradients vanish at a loss weight of 1": (
        {"task": "circle"},
        {"gradientFormat": "float8_e4m3fn"},
        False,
        400,
    ),
    "E5M2 gradients still learn at a loss weight of 2^-12": (
        {"task": "circle", "lossWeight": 2.0**-12},
        {"gradientFormat": "float8_e5m2"},
        True,
        400,
    ),
    "FP4 weights learn the digits (they start below 1/8, and FP4's least value is 1/2)": (
        _DIGITS,
        {"weightFormat": _FP4},
        True,
        300,
    ),
    "FP4 activations learn the digits": (_DIGITS, {"activationFormat": _FP4}, True, 300),
    "FP4 weights, kept in FP4 and rounded to nearest, learn the circle": (
        {"task": "circle"},
        {"weightFormat": _FP4, "masterWeights": False},
        True,
        1000,
    ),
}


def progress(engine: Engine, networks: list[dict], steps: int) -> list[list[float]]:
    """For each network after the first, its share of the first one's progress on each seed."""
    shares: list[list[float]] = [[] for _ in networks[1:]]
    for seed in SEEDS:
        losses = [engine.train({**network, "seed": seed}, steps)["test"]["loss"] for network in networks]
        start = math.log(10 if networks[0]["task"] == "digits" else 2)
        fell = [start - float(loss) for loss in losses]  # NaN comes as text
        for share, one in zip(shares, fell[1:], strict=True):
            share.append(0.0 if math.isnan(one) else round(one / fell[0], 3))
    return shares


def shows(shares: list[float], learns: bool) -> bool:
    return min(shares) >= LEARNS if learns else max(shares) <= FAILS


def story_progress(engine: Engine, name: str) -> list[list[float]]:
    """The shares of a story's network and of its contrast."""
    story = {**DEFAULTS, **STORIES[name]}
    networks = [_request(one) for one in ({**story, **_FLOAT32}, story, {**story, **ACTS[name]})]
    return progress(engine, networks, story["steps"])


def _request(settings: dict) -> dict:
    """The playground's settings as the engine reads them."""
    kept = {name: value for name, value in settings.items() if name != "steps"}
    kind, log2, interval = (kept.pop(name) for name in ("loss_scale", "log2_loss_scale", "growth_interval"))
    start = 0 if kind == "none" else log2
    scale = LossScale(kind=kind, init_scale=2.0**start, growth_interval=interval)
    return request({**kept, "loss_scale": scale})


def measure() -> dict[str, dict]:
    with Engine() as engine:
        told = {}
        for name in STORIES:
            learns = LEARNED[name]
            one, other = story_progress(engine, name)
            holds = shows(one, learns) and shows(other, not learns)
            told[name] = {"chosen": one, "contrast": other, "learns": learns, "shown": holds}
        tried = {}
        for words, (base, precision, learns, steps) in TRIED.items():
            (one,) = progress(engine, [base, {**base, **precision}], steps)
            tried[words] = {"chosen": one, "learns": learns, "shown": shows(one, learns)}
    return {"stories": told, "tried": tried}


def markdown(results: dict[str, dict]) -> str:
    def percent(shares: list[float]) -> str:
        return ", ".join(f"{100 * share:.0f}" for share in shares)

    head = (
        *("story (`stories.json`)", "chosen precision", "expected", "contrast", "expected"),
        "shown on all seeds",
    )
    lines = [
        "# The playground's stories on five seeds",
        "",
        "Made by `python -m benchmarks.playground_stories`. Numbers are percent of float32's progress (how",
        "far the test loss fell below ln(classes)), a number for each seed. A network learns from "
        f"{LEARNS:.0%} on and fails up to {FAILS:.0%}.",
        "",
        f"| {' | '.join(head)} |",
        "|---|---|---|---|---|---|",
    ]
    word = {True: "learns", False: "fails"}
    for name, row in results["stories"].items():
        cells = [
            name,
            percent(row["chosen"]),
            word[row["learns"]],
            percent(row["contrast"]),
            word[not row["learns"]],
        ]
        lines.append(f"| {' | '.join(cells)} | {'yes' if row['shown'] else 'no'} |")
    lines += [
        "",
        "Also tried, and what it showed:",
        "",
        "| claim | precision | shown on all seeds |",
        "|---|---|---|",
    ]
    for words, row in results["tried"].items():
        lines.append(f"| {words} | {percent(row['chosen'])} | {'yes' if row['shown'] else 'no'} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    results = measure()
    (RESULTS / "playground_stories.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    (RESULTS / "playground_stories.md").write_text(markdown(results), encoding="utf-8")
    print(markdown(results))


if __name__ == "__main__":
    main()
