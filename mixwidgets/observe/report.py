"""The report of a watcher: one sentence per tensor."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from mixwidgets.formats.catalogue import get_format
from mixwidgets.gradients.best_scale import LOG2_LOSS_SCALES, best_loss_scale
from mixwidgets.gradients.summary import GradientSummary
from mixwidgets.store.tables import ROW_DTYPES, counts_row

if TYPE_CHECKING:
    import pandas as pd

_MUCH = 60  # binades: beyond any training's need


def is_gradient(name: str) -> bool:
    """Whether a summary with this name is of a gradient, to which the loss scale applies (see `Snapshot`)."""
    return name.endswith(" gradient") or not (" output" in name or name.endswith(" value"))


def report(
    step: int, loss_scale: float, summaries: Mapping[str, GradientSummary], format: str
) -> "pd.DataFrame":
    """One row per tensor of a step: the columns of `gradient_table`, `best_loss_scale` (NaN if there is
    nothing to scale) and `finding`."""
    import pandas as pd

    rows: list[dict[str, object]] = []
    for name, summary in summaries.items():
        scale = loss_scale if is_gradient(name) else 1.0
        row = counts_row(step, name, summary, format, scale)
        is_scaled = is_gradient(name) and _values(summary)
        row["best_loss_scale"] = best_loss_scale([summary], format) if is_scaled else math.nan
        rows.append({**row, "finding": finding(name, summary, format, scale)})
    dtypes = ROW_DTYPES | {"best_loss_scale": "float64", "finding": "str"}
    return pd.DataFrame(rows, columns=list(dtypes)).astype(dtypes)


def finding(name: str, summary: GradientSummary, format: str, loss_scale: float) -> str:
    """What `format` loses of a tensor's gradients at a loss scale, and what another scale would do.

    "conv3.weight: 41 % of non-zero gradients flushed in float16 at S = 1; none at S ≥ 2^11; 2^15 is safe with
    6 binades of headroom": at 2^15 nothing overflows, even if every gradient were 2^6 times larger. No loss
    scale is mentioned for activations and weights.
    """
    what, one = ("gradients", "gradient") if is_gradient(name) else ("values", "value")
    parts = [_broken(summary, what)] if summary.inf or summary.nan else []
    if _values(summary):
        parts += _at(summary, format, loss_scale, what)
        if is_gradient(name):
            parts.append(_advice(summary, format))
    elif summary.zero:
        parts.append(f"every other {one} is zero" if parts else f"every {one} is zero")
    elif not parts:
        parts.append("it is empty")
    return f"{name}: {'; '.join(parts)}"


def _at(summary: GradientSummary, format: str, loss_scale: float, what: str) -> list[str]:
    """What is lost at the current scale, and the lowest scale that flushes nothing."""
    fmt = get_format(format).name
    if not 0 < loss_scale < math.inf:
        return [f"no gradient can be unscaled at S = {loss_scale:g}"]
    least, most = summary.count_bounds(format, loss_scale)
    values, are_scaled = _values(summary), what == "gradients"
    at = f"in {fmt} at S = {_scale(loss_scale)}" if are_scaled else f"in {fmt}"
    if not most.flushed:
        parts = [f"no {what.removesuffix('s')} flushed {at}"]
    else:
        parts = [f"{_shares(least.flushed, most.flushed, values)} of non-zero {what} flushed {at}"]
        parts += [_none_flushed(summary, format)] if are_scaled else []
    if most.subnormal:
        parts.append(f"{_shares(least.subnormal, most.subnormal, values)} subnormal there")
    if most.overflow:
        parts.append(f"{_shares(least.overflow, most.overflow, values)} overflow there")
    elif math.frexp(loss_scale)[0] == 0.5 and (most.subnormal or (most.flushed and not are_scaled)):
        error = summary.relative_error(format, loss_scale).value
        parts.append(f"relative error about {100 * error:.2g} %")
    return parts


def _none_flushed(summary: GradientSummary, format: str) -> str:
    for log2 in LOG2_LOSS_SCALES:
        if not summary.counts(format, 2.0**log2).flushed:
            return f"none at S ≥ {_scale(2.0**log2)}"
    return f"some at every S up to 2^{LOG2_LOSS_SCALES[-1]}"


def _advice(summary: GradientSummary, format: str) -> str:
    best = best_loss_scale([summary], format)
    counts = summary.counts(format, best)
    if counts.overflow:
        return f"every S overflows some, {_scale(best)} the fewest"
    safe = f"{_scale(best)} is safe with {_headroom(summary, format, best)} of headroom"
    return (
        f"{safe}, though it flushes {_percent(counts.flushed, _values(summary))}" if counts.flushed else safe
    )


def _headroom(summary: GradientSummary, format: str, scale: float) -> str:
    """How often the scale can be doubled before a gradient overflows."""
    for binades in range(_MUCH + 1):
        if summary.counts(format, scale * 2.0 ** (binades + 1)).overflow:
            return "1 binade" if binades == 1 else f"{binades} binades"
    return f"more than {_MUCH} binades"


def _values(summary: GradientSummary) -> int:
    """The number of finite non-zero values."""
    return summary.count - summary.zero - summary.inf - summary.nan


def _broken(summary: GradientSummary, what: str) -> str:
    """How many values are inf or NaN."""
    found = [f"{count:,} {what}" for count, what in ((summary.inf, "inf"), (summary.nan, "NaN")) if count]
    return f"{' and '.join(found)} among {summary.count:,} {what}"


def _scale(value: float) -> str:
    """A power of two such as 2^11 if that is shorter, else digits."""
    fraction, exponent = math.frexp(value)
    return f"2^{exponent - 1}" if fraction == 0.5 and not 0.1 < value < 10 else f"{value:g}"


def _shares(least: int, most: int, of: int) -> str:
    low, high = _percent(least, of), _percent(most, of)
    return low if low == high else f"between {low} and {high}"


def _percent(part: int, whole: int) -> str:
    """41 %, 0.3 %; 0 % only for none, and 100 % only for all."""
    share = 100 * part / whole
    if part in (0, whole) or share >= 9.5:
        return f"{min(round(share), 99) if part < whole else 100} %"
    return "under 0.01 %" if share < 0.01 else f"{share:.2g} %"
