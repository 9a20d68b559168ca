"""Altair charts of the numbers that the widgets show, to keep, restyle or publish.

Each function returns an altair chart and does not display it. Altair's default display fetches Vega from the
network. Offline, `chart.save("chart.svg")` works (with vl-convert-python), and so does
`altair.renderers.enable("png")`, which every notebook viewer can show. Titles, axes and legends are in the
language that new widgets have.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import reduce
from typing import Any

import altair as alt
import pandas as pd

from mixwidgets.floats.formats.catalogue import get_format
from mixwidgets.floats.formats.float_format import FloatFormat
from mixwidgets.floats.gradients.sources import collect
from mixwidgets.floats.gradients.summary import LOG2_LOSS_SCALES, GradientSummary, best_loss_scale
from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.grid import ExperimentNames
from mixwidgets.runs.store.bands import band, losses_of
from mixwidgets.runs.store.comparison import checked_runs
from mixwidgets.runs.store.run import Run
from mixwidgets.runs.store.watched_loop import WatchedLoop
from mixwidgets.support.languages.choice import tell

_CLASSES = ("flushed", "subnormal", "normal", "overflow")
_NOT_NORMAL = ("flushed", "subnormal", "overflow")
_COLOURS = ("#b0413e", "#c98500", "#2b7bba", "#8e4b9b")  # the widgets' own


def gradients(source: object, format: str | FloatFormat = "float16", loss_scale: float = 1.0) -> alt.Chart:
    """A histogram over binades of `|gradient| × loss scale`, coloured by class in `format`.

    source: anything that `LossScaleExplorer` accepts: a GradientSummary or a mapping of them, a model after
    backward(), arrays by name. Zeros, infinities and NaNs have no binade and are left out. Raises the errors
    of `GradientSummary.counts`.
    """
    fmt, summary, words = get_format(format), _together(source), _class_words()
    rows = [
        {"binade": exponent + _log2(loss_scale), "class": words[name], "gradients": getattr(counts, name)}
        for exponent, counts in _by_binade(summary, fmt, loss_scale)
        for name in _CLASSES
    ]
    frame = pd.DataFrame(rows, columns=["binade", "class", "gradients"])
    title = tell("{format}, loss scale {scale}", format=_harmless(fmt.name), scale=_power(loss_scale))
    chart: alt.Chart = (
        alt.Chart(frame, title=title)
        .transform_calculate(end="datum.binade + 1")
        .mark_bar()
        .encode(
            x=alt.X("binade:Q", title=tell("log2 |gradient × loss scale|"), scale=alt.Scale(nice=False)),
            x2="end:Q",
            y=alt.Y("sum(gradients):Q", title=tell("gradients")),
            color=_colour(words),
            order=alt.Order("class:N"),
            tooltip=_tooltip("binade:Q", "class:N", "gradients:Q"),
        )
    )
    return chart


def loss_scale_curve(
    source: object, format: str | FloatFormat = "float16"
) -> alt.LayerChart | alt.FacetChart:
    """The shares of non-zero gradients that are flushed, subnormal and overflowing, at every loss scale from
    2^-24 to 2^40; a rule marks the best scale (as `best_loss_scale` defines it).

    source: as for `gradients`.
    """
    fmt, summary, words = get_format(format), _together(source), _class_words()
    rows = []
    for log2 in LOG2_LOSS_SCALES:
        counts = summary.counts(fmt, 2.0**log2)
        finite = sum(getattr(counts, name) for name in _CLASSES)
        rows += [
            {"log2": log2, "class": words[name], "share": getattr(counts, name) / finite if finite else 0.0}
            for name in _NOT_NORMAL
        ]
    x = alt.X("log2:Q", title=tell("log2 of the loss scale"), scale=alt.Scale(nice=False))
    curve = (
        alt.Chart(pd.DataFrame(rows))
        .mark_line()
        .encode(
            x=x,
            y=alt.Y(
                "share:Q", title=tell("share of the gradients that are not 0"), axis=alt.Axis(format="%")
            ),
            color=_colour(words).legend(values=[words[name] for name in _NOT_NORMAL]),
            tooltip=[*_tooltip("log2:Q", "class:N"), *(share.format(".2%") for share in _tooltip("share:Q"))],
        )
    )
    best = _log2(best_loss_scale([summary], fmt))
    rule = alt.Chart(pd.DataFrame({"log2": [best]})).mark_rule(strokeDash=[4, 3]).encode(x=x)
    title = tell(
        "{format}: the best loss scale here is {scale}",
        format=_harmless(fmt.name),
        scale=_power(2.0**best),
    )
    return alt.layer(curve, rule).properties(title=title)


def compare(runs: Run | Iterable[Run], *more: Run) -> alt.VConcatChart:
    """Loss and loss scale of runs by step; skipped steps are marked on the loss scale, changes of recipe on
    the loss.

    `compare(a, b)` and `compare([a, b])` are the same. Losses that are not finite leave a gap. The loss is
    divided by the task option loss_weight, so that runs with different weights share an axis. ValueError if
    there are no runs, TypeError for anything else. As a table: `mixwidgets.comparison`.
    """
    there = checked_runs(runs, *more)
    tables, changes = [], []
    for number, (run, label) in enumerate(zip(there, _labels(there), strict=True)):
        steps = run.steps()
        if isinstance(run.experiment, Experiment):
            changes += [{"run": label, "step": after} for after, _ in run.experiment.phases[1:]]
        tables.append(steps.assign(run=label, id=number, loss=steps["loss"] / run.experiment.loss_weight))
    frame = pd.concat(tables, ignore_index=True)[["run", "id", "step", "loss", "loss_scale", "skipped"]]
    finite = frame[frame["loss"].abs() < float("inf")]
    x = alt.X("step:Q", title=tell("step"))
    colour = alt.Color("run:N", title=None, sort=None, legend=alt.Legend(labelLimit=0))
    tooltip = _tooltip("run:N", "step:Q", "loss:Q", "loss_scale:Q")
    loss = (
        alt.Chart(finite)
        .mark_line()
        .encode(
            x=x,
            y=alt.Y("loss:Q", title=_loss_title(there)),
            color=colour,
            detail="id:N",
            tooltip=tooltip,
        )
    )
    if changes:
        rules = alt.Chart(pd.DataFrame(changes)).mark_rule(strokeDash=[2, 3])
        loss = alt.layer(loss, rules.encode(x=x, color=colour))
    scaled = frame[frame["loss_scale"] > 0]
    y = alt.Y("loss_scale:Q", title=tell("loss scale"), scale=alt.Scale(type="log", base=2))
    scale = (
        alt.Chart(scaled).mark_line(interpolate="step-after").encode(x=x, y=y, color=colour, detail="id:N")
    )
    skips = (
        alt.Chart(scaled[scaled["skipped"]])
        .mark_point(shape="triangle-down", filled=True)
        .encode(x=x, y=y, color=colour, tooltip=tooltip)
    )
    chart: alt.VConcatChart = alt.vconcat(
        loss.properties(height=220), alt.layer(scale, skips).properties(height=110)
    ).resolve_scale(x="shared")
    return chart


def seeds(runs: Run | Iterable[Run], *more: Run) -> alt.LayerChart | alt.FacetChart:
    """The loss by step of each setting over its seeds: their mean as a line, from their lowest to their
    highest as a band.

    `seeds(sweep.wait())` is what SweepProgress draws of a sweep. Runs that differ in the seed alone share a
    band. The mean has a gap where a seed has no finite loss, as after one that diverged. Of a run of more
    than 512 steps, a point is the mean of several steps. The loss is divided by the task option loss_weight.
    ValueError if there are no runs, TypeError for anything else and for a loop observed by `watch`, whose
    seed is not known.
    """
    there = checked_runs(runs, *more)
    experiments = [_experiment(run) for run in there]
    names = ExperimentNames(experiments)
    settings: dict[str, tuple[int, list[Any]]] = {}  # steps, and the losses of each seed
    for run, experiment in zip(there, experiments, strict=True):
        _, losses = settings.setdefault(names.of(experiment, without="seed"), (experiment.steps, []))
        losses.append(losses_of(run, experiment.steps))
    tables = []
    for setting, (steps, losses) in settings.items():
        table = pd.DataFrame(band(losses, steps), columns=["step", "mean", "low", "high"])
        many = len(losses) > 1
        label = tell(
            "{setting} ({count} seeds)" if many else "{setting} (1 seed)", setting=setting, count=len(losses)
        )
        tables.append(table.assign(setting=_harmless(label)))
    title = _loss_title(there)
    base = alt.Chart(pd.concat(tables, ignore_index=True)).encode(
        x=alt.X("step:Q", title=tell("step")),
        color=alt.Color("setting:N", title=None, sort=None, legend=alt.Legend(labelLimit=0, symbolOpacity=1)),
    )
    area = base.mark_area(opacity=0.25).encode(y=alt.Y("low:Q", title=title), y2="high:Q")
    line = base.mark_line().encode(
        y=alt.Y("mean:Q", title=title),
        tooltip=_tooltip("setting:N", "step:Q", "mean:Q", "low:Q", "high:Q"),
    )
    return alt.layer(area, line).properties(height=240)


def _class_words() -> dict[str, str]:
    """The classes in the chosen language, which is read from a file."""
    return {name: tell(name) for name in _CLASSES}


def _colour(words: dict[str, str]) -> alt.Color:
    return alt.Color("class:N", scale=alt.Scale(domain=[*words.values()], range=_COLOURS), title=None)


def _tooltip(*columns: str) -> list[alt.Tooltip]:
    titles = [tell(column.partition(":")[0].replace("_", " ")) for column in columns]
    return [alt.Tooltip(column, title=title) for column, title in zip(columns, titles, strict=True)]


def _loss_title(runs: list[Run]) -> str:
    weighted = any(run.experiment.loss_weight != 1 for run in runs)
    return tell("loss ÷ loss weight" if weighted else "loss")


def _experiment(run: Run) -> Experiment:
    if isinstance(run.experiment, WatchedLoop):
        raise TypeError(f"seeds takes runs of experiments; {run.id} is a loop observed by watch.")
    return run.experiment


def _together(source: object) -> GradientSummary:
    return reduce(GradientSummary.merge, collect(source).summaries.values())


def _by_binade(summary: GradientSummary, fmt: FloatFormat, loss_scale: float) -> Iterator[tuple[int, Any]]:
    """Each binade's exponent, and the counts of its values."""
    for row, exponent in enumerate(summary.exponents):
        alone = replace(
            summary, exponents=(exponent,), cells=summary.cells[row : row + 1], zero=0, inf=0, nan=0
        )
        yield exponent, alone.counts(fmt, loss_scale)


def _log2(scale: float) -> int:
    return math.frexp(scale)[1] - 1


def _power(scale: float) -> str:
    return f"2^{_log2(scale)} = {scale:g}"


def _labels(runs: list[Run]) -> list[str]:
    """A label per run; equal labels get the end of the run's id."""
    labels = [_label(run) for run in runs]
    return [
        _harmless(f"{label} ({run.id[-4:]})" if labels.count(label) > 1 else label)
        for run, label in zip(runs, labels, strict=True)
    ]


def _harmless(text: str) -> str:
    """Text from possibly foreign files without "<". Altair writes a chart's data into a <script> unescaped,
    so a </script> in a name would end it."""
    return text.replace("<", "‹")


def _label(run: Run) -> str:
    what = run.experiment
    if isinstance(what, WatchedLoop):
        return what.title
    named = {"recipe": what.recipes_named(), "task": what.task, "seed": what.seed}
    if what.loss_weight == 1:
        return tell("{recipe}, {task}, seed {seed}", **named)
    weight = f"{what.loss_weight:g}"
    return tell("{recipe}, {task}, seed {seed}, loss weight {weight}", **named, weight=weight)
