"""The verdict on runs that differ only in recipe and seed: which recipes learn as the reference does, which
do not, and what their records say about why.

It compares what training took off the held-out loss. A recipe learns nothing with less than a fiftieth of
what the reference took off, hardly learns with less than a tenth, and ends where the reference does with that
within a twentieth. A reference that took off less than a fiftieth of the first loss decides nothing.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.recipe_words import power_text
from mixwidgets.runs.store.figures import RunState, unweighted
from mixwidgets.support.languages.texts import message, texts, translated

NOTHING, HARDLY, LIKE, TOO_LITTLE = 0.02, 0.1, 0.05, 0.02
TEXTS = {
    "seeds": "{name} ({seeds} seeds)",
    "diverged": "{name} diverges",
    "nothing": "{name} learns nothing",
    "hardly": "{name} hardly learns",
    "behind": "{name} ends behind {reference}",
    "alike_one": "{name} ends where {reference} does",
    "alike": "{names} end where {reference} does",
    "all_alike": "All {count} learn alike",
    "ahead": "{name} ends ahead of {reference}",
    "alone": "{name} learns",
    "short": "Too few steps to conclude",
    "why_short": "after {steps} steps {reference} has hardly learned either",
    "why_skipped_all": "all of its {steps} steps were skipped, because gradients overflow at the "
    "loss scale {scale}",
    "why_skipped": "{skipped} of its {steps} steps were skipped",
    "why_not_finite": "its loss became NaN or infinite",
    "why_not_finite_skipped": "its loss became NaN or infinite, and "
    "{skipped} of its {steps} steps were skipped",
    "why_flushed": "{share} of its gradients became 0 in {format}",
    "why_zero": "{share} of its gradients are 0 in {format} (of {reference}: {usual})",
    "why_unchanged": "its last recorded update left {share} of the weights unchanged",
    "scores": "{metric} {scores}",
    "scale_up": "the loss scale of {name} went up from {first} to {last}, {skipped} of {steps} steps skipped",
    "scale_down": "the loss scale of {name} went down from {first} to {last}, "
    "{skipped} of {steps} steps skipped",
    "scale_stays": "the loss scale of {name} stayed at {last}, {skipped} of {steps} steps skipped",
}
"""What a verdict says."""
_ENDS = ("completed", "diverged")
_SHARES = ("accuracy", "iou")
_MANY = 0.5  # the share of gradients, or of updates, from which on it is a reason


@dataclass(frozen=True, kw_only=True)
class Ended:
    """A run that is over, under the name of its recipe."""

    name: str
    experiment: Experiment
    status: str
    state: RunState
    """Summarised (`RunState.summed_up`)."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A sentence of the verdict, in one language."""

    names: tuple[str, ...]
    """The recipes that it is about."""
    loses: bool
    """Whether they do worse than the reference."""
    head: str
    """What they do: "fp16 unscaled learns nothing"."""
    why: str
    """The reason in its records, or the figures that show it."""
    figures: str
    """Further figures; "" for none."""


def in_json(ends: Mapping[str, Ended], lang: str = "en") -> list[dict[str, Any]]:
    """The `verdict` on runs, given by their ids, as JSON values: each finding, with its `runs`."""
    return [
        {
            "runs": [run_id for run_id, end in ends.items() if end.name in finding.names],
            "loses": finding.loses,
            "head": finding.head,
            "why": finding.why,
            "figures": finding.figures,
        }
        for finding in verdict(ends.values(), lang)
    ]


def question(experiment: Experiment) -> str:
    """The id of what runs have in common that differ only in recipe, seed and device."""
    alike = {"recipe": "fp32", "phases": (), "seed": 0, "device": "auto", "time_limit_s": None}
    return experiment.replace(**alike).id


def verdict(runs: Iterable[Ended], lang: str = "en") -> list[Finding]:
    """The findings, the worst first. The reference is fp32 if it is there, else the recipe with the lowest
    loss. Runs that did not end by themselves are left out. All runs answer one `question`."""
    groups: dict[str, list[Ended]] = {}
    for run in runs:
        if run.status in _ENDS and "loss" in run.state.metrics:
            groups.setdefault(run.name, []).append(run)
    return sorted(_Verdict(groups, lang).findings(), key=lambda finding: not finding.loses) if groups else []


class _Verdict:
    def __init__(self, groups: Mapping[str, list[Ended]], lang: str) -> None:
        self.groups, self.lang = groups, lang
        self.loss = {name: _mean(run.state.metrics["loss"] for run in some) for name, some in groups.items()}
        finite = [name for name in groups if math.isfinite(self.loss[name]) and not self._diverged(name)]
        self.reference = "fp32" if "fp32" in finite else min(finite, key=self.loss.__getitem__, default=None)
        before = [run.state.first_metrics.get("loss", math.nan) for some in groups.values() for run in some]
        self.before = _mean(before)

    def findings(self) -> Iterator[Finding]:
        kinds: dict[str, list[str]] = {}
        for name in self.groups:
            kinds.setdefault(self._kind(name), []).append(name)
        for kind in ("diverged", "nothing", "hardly", "behind"):
            for name in kinds.get(kind, []):
                yield self._loser(kind, name)
        alike = [name for name in kinds.get("alike", []) if name != self.reference]
        yield from self._alike(alike, is_all=len(alike) + 1 == len(self.groups))
        for name in kinds.get("ahead", []):
            yield self._finding([name], "ahead", self._scores(name), self._scale(name))
        if kinds.get("short"):
            steps = f"{self._first(kinds['short'][0]).experiment.steps:,}"
            why = self._say("why_short", steps=steps, reference=self._named(self.reference or ""))
            yield self._finding(kinds["short"], "short", why)

    def _kind(self, name: str) -> str:
        loss, reference = self.loss[name], self.loss.get(self.reference or "", math.nan)
        if self._diverged(name):
            return "diverged"
        if self._skips_all(name):
            return "nothing"
        if self.before - reference < TOO_LITTLE * abs(self.before):
            return "nothing" if len(self.groups) == 1 else "short"
        taken_off = self.before - reference
        if self.before - loss < HARDLY * taken_off:
            return "nothing" if self.before - loss < NOTHING * taken_off else "hardly"
        within = LIKE * abs(reference if math.isnan(taken_off) else taken_off)
        return "behind" if loss > reference + within else "ahead" if loss < reference - within else "alike"

    def _loser(self, kind: str, name: str) -> Finding:
        return self._finding([name], kind, next(self._reasons(name), ""), self._scores(name), loses=True)

    def _alike(self, names: list[str], is_all: bool) -> Iterator[Finding]:
        reference = self.reference
        if reference and len(self.groups) == 1 and self._kind(reference) == "alike":
            yield self._finding([reference], "alone", self._scores(reference), self._scale(reference))
        elif reference and names:
            how = "all_alike" if is_all and len(names) > 1 else "alike" if len(names) > 1 else "alike_one"
            yield self._finding(names, how, self._scores(*names), *map(self._scale, names))

    def _finding(self, names: list[str], key: str, *why: str, loses: bool = False) -> Finding:
        named = [self._named(name) for name in names]
        words = {
            "name": named[0],
            "names": self._joined("common.list", named),
            "count": str(len(self.groups)),
        }
        head = self._say(key, **words, reference=self._named(self.reference or ""))
        first, *more = [part for part in why if part] or [""]
        figures = self._joined("common.series", more)
        return Finding(names=(*names,), loses=loses, head=head, why=first, figures=figures)

    def _reasons(self, name: str) -> Iterator[str]:
        """What the records say about why it does not learn, the most telling first: shares are means over its
        seeds, counts are of all of them."""
        run = self._first(name)
        steps, skipped = (
            sum(getattr(each.state, count) for each in self.groups[name]) for count in ("steps", "skipped")
        )
        if self._skips_all(name):
            yield self._say(
                "why_skipped_all", steps=f"{steps:,}", scale=power_text(run.state.loss_scale or 1)
            )
        if self._diverged(name):
            words = {"skipped": f"{skipped:,}", "steps": f"{steps:,}"}
            yield self._say("why_not_finite_skipped" if skipped else "why_not_finite", **words)
        format = run.experiment.compute_format_at(run.state.steps)
        flushed = self._lost(name, "gradients.flushed_against_float32")
        if flushed > _MANY:
            yield self._say("why_flushed", share=_percent(flushed), format=format)
        zero, usual = self._lost(name, "gradients.zero"), math.nan
        if self.reference and self.reference != name:
            usual = self._lost(self.reference, "gradients.zero")
        if zero > _MANY and zero - usual > _MANY * (1 - usual):
            words = {"reference": self._named(self.reference or ""), "usual": _percent(usual)}
            yield self._say("why_zero", share=_percent(zero), format=format, **words)
        unchanged = self._lost(name, "weights_unchanged")
        if unchanged > _MANY:
            yield self._say("why_unchanged", share=_percent(unchanged))
        if skipped:
            yield self._say("why_skipped", skipped=f"{skipped:,}", steps=f"{steps:,}")

    def _scores(self, *names: str) -> str:
        """What the task calls a good result, of these recipes and of the reference."""
        known = [name for name in dict.fromkeys((*names, self.reference)) if name]
        metrics = {
            name: [unweighted(run.state.metrics, run.experiment) for run in self.groups[name]]
            for name in known
        }
        own = [name for name in metrics[known[0]][0] if name not in ("loss", "loss_bf16")]
        score = own[0] if own else "loss"
        means = {name: _mean(each.get(score, math.nan) for each in some) for name, some in metrics.items()}
        write = _percent if score in _SHARES else "{:.4g}".format
        values = [
            write(mean) if len(known) == 1 else f"{self._named(name)} {write(mean)}"
            for name, mean in means.items()
        ]
        word = texts(self.lang, "page").get(f"run.metric_{score}", score)
        return self._say("scores", metric=word, scores=self._joined("common.list", values))

    def _scale(self, name: str) -> str:
        """What a dynamic loss scale did, of a recipe with a single run."""
        run = self._first(name)
        rule, last = run.experiment.recipe_at(run.state.steps).loss_scale, run.state.loss_scale
        if len(self.groups[name]) > 1 or rule.kind != "dynamic" or not last or run.experiment.phases:
            return ""
        first, steps = rule.init_scale, f"{run.state.steps:,}"
        how = "scale_up" if last > first else "scale_down" if last < first else "scale_stays"
        words = {"first": power_text(first), "last": power_text(last), "skipped": f"{run.state.skipped:,}"}
        return self._say(how, name=name, steps=steps, **words)

    def _lost(self, name: str, share: str) -> float:
        """Its mean over the seeds; NaN if one has no record of it."""
        return _mean(run.state.lost.get(share, math.nan) for run in self.groups[name])

    def _diverged(self, name: str) -> bool:
        some = self.groups[name]
        return not math.isfinite(self.loss[name]) or any(run.status == "diverged" for run in some)

    def _skips_all(self, name: str) -> bool:
        return all(run.state.steps == run.state.skipped > 0 for run in self.groups[name])

    def _first(self, name: str) -> Ended:
        return self.groups[name][0]

    def _named(self, name: str) -> str:
        seeds = len(self.groups.get(name, ()))
        return self._say("seeds", name=name, seeds=str(seeds)) if seeds > 1 else name

    def _say(self, key: str, **values: Any) -> str:
        return translated(TEXTS[key], self.lang, **values)

    def _joined(self, how: str, parts: Iterable[str]) -> str:
        one, *more = [part for part in parts if part] or [""]
        for part in more:
            one = message(self.lang, how, one=one, more=part)
        return one


def _mean(values: Iterable[float]) -> float:
    """Of any floats: unlike statistics.fmean it takes those whose sum is beyond the largest."""
    there = list(values)
    return sum(there) / len(there)


def _percent(share: float) -> str:
    return "< 0.1 %" if 0 < share < 0.0005 else f"{100 * share:.1f} %"
