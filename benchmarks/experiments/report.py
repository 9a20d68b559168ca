"""What the figures show, and the readable table: both made of the results' JSON."""

import math
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from benchmarks.experiments.claims import LEVEL, MARGIN, POINTS, in_words
from benchmarks.experiments.results import Results
from benchmarks.experiments.rows import ROWS

_HEAD = """# The mini-experiments

Made by `python -m benchmarks.experiments`; every seed's figures, each cell's experiment and the machine are
in [experiments.json](experiments.json). A cell gives the mean over {seeds} seeds and (least … greatest).
Losses are the task's, on held-out data unless a step is named; a loss weight is divided out. Diverged: the
runs that ended for want of a finite loss. Seconds are the processor's, of one thread, for one run.

A loss over another cell's is divided by it seed by seed.

Of {claims} statements {shown} show. One **shows** only if it holds at every seed, each compared with the
same seed of the other cell. What no seed changes is computed once. "Like" means: the {level:.0%} interval of
the mean difference, paired by seed, lies within ±{margin:.0%} of a loss, or ±{points:g} percentage point of
a share such as an accuracy; these margins are those of all rows. "Published" is what the source says, of
models and machines of another size.
"""
_SHRINKAGE = ("nearest", "stochastic", "largest_nearest", "largest_stochastic")
_PERCENT = (
    *("accuracy", "iou", "unchanged", "error", "greatest", "outward", "flushed", "dy", "dw"),
    *_SHRINKAGE,
)
_NAMES = {
    "iou": "IoU",
    "skipped": "steps skipped",
    "skipped_in_first_8": "skipped in the first 8",
    "loss_scales": "loss scale × steps, seed 0",
    "unchanged": "weights left unchanged by a step",
    "weights_lost_at_step_1": "weights inf or NaN after step 1",
    "nan_losses": "steps whose loss is NaN",
    "first_nan_loss": "first NaN at step",
    "loss_at_step_10": "training loss at step 10",
    "error": "relative error",
    "flushed": "flushed to zero",
    "loss_bf16": "loss in BF16",
    "greatest": "greatest relative error",
    "outward": "rounded outward",
    "dy": "error of dy",
    "dw": "error of dW",
    "dy_helped": "smaller error of dy",
    "dw_helped": "smaller error of dW",
    "nearest": "to nearest",
    "largest_nearest": "largest of a block, to nearest",
    "largest_stochastic": "largest of a block, stochastic",
}


def judged(number: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """A measured row with its title and its claims, each {"shows": bool, "text": a sentence}."""
    seeds = {label: cell["seeds"] for label, cell in row["cells"].items()}
    claims = [claim.judge(seeds) for claim in ROWS[number].claims]
    return {**row, "title": ROWS[number].title, "claims": claims}


def markdown(rows: Results) -> str:
    """One table for each row, and below it what shows and what does not; rows not measured are named."""
    seeds = max(len(cell["seeds"]) for row in rows.values() for cell in row["cells"].values())
    missing = ", ".join(number for number in ROWS if number not in rows)
    note = [f"**Not measured: row {missing}.**\n"] if missing else []
    sections = [_section(number, row) for number, row in rows.items()]
    claims = [claim["shows"] for row in rows.values() for claim in row["claims"]]
    head = _HEAD.format(
        seeds=seeds, claims=len(claims), shown=sum(claims), level=LEVEL, margin=MARGIN, points=100 * POINTS
    )
    return "\n".join([head, *note, *sections])


def _section(number: str, row: Mapping[str, Any]) -> str:
    columns, over = ROWS[number].columns, ROWS[number].over
    losses = [column for column in columns if over and column.startswith("loss")]
    base = [seed["loss"] for seed in row["cells"][over]["seeds"]] if over else []
    trained = any("reason" in seed for cell in row["cells"].values() for seed in cell["seeds"])
    names = [_NAMES.get(column, column) for column in columns]
    names += [f"{_NAMES.get(loss, loss)} over {over}" for loss in losses] + ["diverged"] * trained + ["s"]
    lines = [
        f"## {number}. {row['title']}",
        "",
        "| " + " | ".join(["", *names]) + " |",
        "|" + "---|" * (len(names) + 1),
    ]
    for label, cell in row["cells"].items():
        seeds = cell["seeds"]
        texts = [_column(column, [seed.get(column) for seed in seeds]) for column in columns]
        texts += [_over([seed.get(loss) for seed in seeds], base) for loss in losses]
        if trained:
            diverged = sum(seed.get("reason") == "diverged" for seed in seeds)
            texts.append(f"{diverged} of {len(seeds)}")
        seconds = fmean(seed["seconds"] for seed in seeds)
        lines.append("| " + " | ".join([label, *texts, f"{seconds:.1f}"]) + " |")
    lines += ["", *(f"- {_emphasised(claim['text'])}" for claim in row["claims"]), ""]
    return "\n".join(lines)


def _emphasised(sentence: str) -> str:
    verdict, rest = sentence.split(":", 1)
    return f"**{verdict}**:{rest}"


def _column(name: str, values: Sequence[Any]) -> str:
    if name == "loss_scales":
        return ", ".join(f"{_power(float(scale))} × {steps}" for scale, steps in values[0])
    there = [float(value) for value in values if value is not None]
    numbers = [value for value in there if math.isfinite(value)]
    lost = f"NaN or inf in {len(there) - len(numbers)} of {len(values)}" * (numbers != there)
    if not numbers:
        return lost or "–"
    mean, least, greatest = (_number(name, value) for value in (fmean(numbers), min(numbers), max(numbers)))
    text = mean if least == greatest else f"{mean} ({least} … {greatest})"
    if len(there) < len(values):
        text += f", in {len(there)} of {len(values)}"
    return f"{text}, {lost}" if lost else text


def _over(losses: Sequence[Any], base: Sequence[Any]) -> str:
    pairs = [
        (float(loss), float(other)) for loss, other in zip(losses, base, strict=True) if loss is not None
    ]
    shares = [100 * (loss / other - 1) for loss, other in pairs]
    if not shares:
        return "–"
    return f"{fmean(shares):+.2f} % ({min(shares):+.2f} … {max(shares):+.2f})"


def _number(name: str, value: float) -> str:
    if name in _PERCENT:
        return f"{100 * value:.3g} %"
    return in_words(value)


def _power(scale: float) -> str:
    return f"2^{scale.hex().partition('p')[2].lstrip('+')}"
