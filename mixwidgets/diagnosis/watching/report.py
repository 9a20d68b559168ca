"""What a format loses of the tensors of a step, in a table with a sentence for each; also of a recorded run.

A loss scale applies to gradients alone. Shares are counted exactly; where a summary cannot decide, the
sentence says between which two a share lies. What a block format loses is known only if it was recorded.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from mixwidgets.diagnosis.watching.updates import Change
from mixwidgets.floats.formats.block_catalogue import any_format
from mixwidgets.floats.formats.block_format import BlockFormat
from mixwidgets.floats.gradients.block_loss import BlockRecord
from mixwidgets.floats.gradients.boundaries import signed_format
from mixwidgets.floats.gradients.summary import LOG2_LOSS_SCALES, GradientSummary, best_loss_scale
from mixwidgets.runs.store.export import ROW_DTYPES, counts_row
from mixwidgets.support.languages.texts import Tell, translated

if TYPE_CHECKING:
    import pandas as pd

_COLUMNS: Mapping[object, str] = {str: "str", int: "Int64", float: "float64"}
_WORST = ("inf", "nan", "overflow", "flushed", "subnormal")
_WORST_OF_BLOCKS = ("not_finite", "relative_error", "flushed")
_MUCH = 60  # binades: beyond any training's need


def is_gradient(name: str) -> bool:
    """Whether a summary with this name is of a gradient, to which the loss scale applies (see `Snapshot`)."""
    return name.endswith(" gradient") or not (" output" in name or name.endswith(" value"))


def report(
    step: int,
    loss_scale: float,
    summaries: Mapping[str, GradientSummary],
    format: str | BlockFormat,
    lang: str,
    changes: Mapping[str, Change] = MappingProxyType({}),
) -> "pd.DataFrame":
    """One row per tensor of a step, the worst first: the columns of `gradient_table`, `best_loss_scale` (NaN
    if there is nothing to scale), what the step changed of a weight, and `finding`, in the language `lang`;
    for a block format, those of `Watcher.report`.
    Raises the errors of `any_format`, and ValueError for an unsigned format."""
    import pandas as pd

    fmt = any_format(format)
    if isinstance(fmt, BlockFormat):
        return _worst_first(_block_report(step, loss_scale, summaries, fmt, lang), _WORST_OF_BLOCKS)
    format = signed_format(fmt).name
    rows: list[dict[str, object]] = []
    for name, summary in summaries.items():
        scale = loss_scale if is_gradient(name) else 1.0
        row = counts_row(step, name, summary, format, scale)
        is_scaled = is_gradient(name) and _values(summary)
        row["best_loss_scale"] = best_loss_scale([summary], format) if is_scaled else math.nan
        if change := changes.get(name.removesuffix(" value")):
            row |= {"changed": change.changed, "below_half_ulp": change.below_half_ulp}
        rows.append({**row, "finding": finding(name, summary, format, scale, lang)})
    shares = dict.fromkeys(("best_loss_scale", "changed", "below_half_ulp"), "float64")
    dtypes = ROW_DTYPES | shares | {"finding": "str"}
    return _worst_first(pd.DataFrame(rows, columns=list(dtypes)).astype(dtypes), _WORST)


def _worst_first(table: "pd.DataFrame", columns: Sequence[str]) -> "pd.DataFrame":
    """Sorted by the shares of these counts, the first of which matters most; else in the given order."""
    counts = table["count"].clip(lower=1)
    keys = table[[*columns]].astype("float64").fillna(0)
    keys = keys.apply(lambda column: column if column.name == "relative_error" else column / counts)
    order = keys.sort_values([*columns], ascending=False, kind="stable").index
    found: pd.DataFrame = table.loc[order].reset_index(drop=True)
    return found


def _block_report(
    step: int, loss_scale: float, summaries: Mapping[str, GradientSummary], fmt: BlockFormat, lang: str
) -> "pd.DataFrame":
    import pandas as pd

    rows: list[dict[str, object]] = []
    for name, summary in summaries.items():
        record = next((block for block in summary.blocks if block.format == fmt.name), None)
        row = {"step": step, "name": name, "loss_scale": loss_scale if is_gradient(name) else 1.0}
        row |= {"count": summary.count, "zero": summary.zero, "not_finite": summary.inf + summary.nan}
        row |= asdict(record) if record else {}
        rows.append({**row, "finding": _block_finding(name, summary, record, fmt, lang)})
    dtypes = {name: ROW_DTYPES[name] for name in ("step", "name", "loss_scale", "count", "zero")}
    dtypes["not_finite"] = "Int64"
    dtypes |= {field.name: _COLUMNS[field.type] for field in fields(BlockRecord) if field.name != "format"}
    dtypes["finding"] = "str"
    return pd.DataFrame(rows, columns=list(dtypes)).astype(dtypes)


def _block_finding(
    name: str, summary: GradientSummary, record: BlockRecord | None, fmt: BlockFormat, lang: str
) -> str:
    """What rounding a tensor to a block format loses.

    "fc.weight: 7.6 % of non-zero values flushed in mxfp4 by their block's scale; 0.3 % clipped; relative
    error 12 %; the largest value of a block is 2^5.4 times its smallest (median), at most 2^9.8; blocks run
    along axis 1".
    """
    tell, values = partial(translated, lang=lang), _values(summary)
    parts = [_broken(tell, summary, is_gradient(name))] if summary.inf or summary.nan else []
    if record is None:
        unknown = tell(
            "what {format} loses is not known from a summary; record it with {code}",
            format=fmt.name,
            code=f"watch(…, block_formats={fmt.name!r})",
        )
        parts.append(unknown)
    elif not values:
        parts.append(tell("no value is finite and not zero"))
    else:
        parts += [
            tell(
                "{share} of non-zero values flushed in {format} by their block's scale",
                share=_percent(record.flushed, values),
                format=fmt.name,
            ),
            tell("{share} clipped", share=_percent(record.clipped, values)),
            tell("blocks with an inf or a NaN become NaN, all of them")
            if math.isinf(record.relative_error)
            else tell("relative error {percent} %", percent=f"{100 * record.relative_error:.2g}"),
            tell(
                "the largest value of a block is 2^{median} times its smallest (median), at most 2^{most}",
                median=f"{record.block_range_p50:.1f}",
                most=f"{record.block_range_max:.1f}",
            ),
        ]
        if record.blocks_along:
            parts.append(tell("blocks run along {axes}", axes=record.blocks_along))
    return tell("{name}: {finding}", name=name, finding=tell("; ").join(parts))


def finding(name: str, summary: GradientSummary, format: str, loss_scale: float, lang: str) -> str:
    """What `format` loses of a tensor's gradients at a loss scale, and what another scale would do.

    "conv3.weight: 41 % of non-zero gradients flushed in float16 at S = 1; none at S ≥ 2^11; 2^15 is safe with
    6 binades of headroom": at 2^15 nothing overflows, even if every gradient were 2^6 times larger. No loss
    scale is mentioned for activations and weights.
    """
    tell, is_scaled = partial(translated, lang=lang), is_gradient(name)
    parts = [_broken(tell, summary, is_scaled)] if summary.inf or summary.nan else []
    if _values(summary):
        parts += _at(tell, summary, format, loss_scale, is_scaled)
        if is_scaled:
            parts.append(_advice(tell, summary, format))
    elif summary.zero and parts:
        parts.append(tell("every other gradient is zero" if is_scaled else "every other value is zero"))
    elif summary.zero:
        parts.append(tell("every gradient is zero" if is_scaled else "every value is zero"))
    elif not parts:
        parts.append(tell("it is empty"))
    return tell("{name}: {finding}", name=name, finding=tell("; ").join(parts))


def _at(tell: Tell, summary: GradientSummary, format: str, loss_scale: float, is_scaled: bool) -> list[str]:
    """What is lost at the current scale, and the lowest scale that flushes nothing."""
    scale = _scale(loss_scale)
    if not 0 < loss_scale < math.inf:
        return [tell("no gradient can be unscaled at S = {scale}", scale=scale)]
    least, most = summary.count_bounds(format, loss_scale)
    where = {"format": format, "scale": scale}

    def share(kind: str) -> str:
        low, high = (_percent(getattr(counts, kind), _values(summary)) for counts in (least, most))
        return low if low == high else tell("between {low} and {high}", low=low, high=high)

    if most.flushed and is_scaled:
        flushed = share("flushed")
        parts = [
            tell("{share} of non-zero gradients flushed in {format} at S = {scale}", share=flushed, **where),
            _none_flushed(tell, summary, format),
        ]
    elif most.flushed:
        parts = [tell("{share} of non-zero values flushed in {format}", share=share("flushed"), **where)]
    elif is_scaled:
        parts = [tell("no gradient flushed in {format} at S = {scale}", **where)]
    else:
        parts = [tell("no value flushed in {format}", **where)]
    if most.subnormal:
        parts.append(tell("{share} subnormal there", share=share("subnormal")))
    if most.overflow:
        parts.append(tell("{share} overflow there", share=share("overflow")))
    elif math.frexp(loss_scale)[0] == 0.5 and (most.subnormal or (most.flushed and not is_scaled)):
        error = summary.relative_error(format, loss_scale).value
        parts.append(tell("relative error about {percent} %", percent=f"{100 * error:.2g}"))
    return parts


def _none_flushed(tell: Tell, summary: GradientSummary, format: str) -> str:
    for log2 in LOG2_LOSS_SCALES:
        if not summary.counts(format, 2.0**log2).flushed:
            return tell("none at S ≥ {scale}", scale=_scale(2.0**log2))
    return tell("some at every S up to {scale}", scale=_scale(2.0 ** LOG2_LOSS_SCALES[-1]))


def _advice(tell: Tell, summary: GradientSummary, format: str) -> str:
    best = best_loss_scale([summary], format)
    counts = summary.counts(format, best)
    if counts.overflow:
        return tell("every S overflows some, {scale} the fewest", scale=_scale(best))
    safe = _safe(tell, summary, format, best)
    if not counts.flushed:
        return safe
    share = _percent(counts.flushed, _values(summary))
    return tell("{safe}, though it flushes {share}", safe=safe, share=share)


def _safe(tell: Tell, summary: GradientSummary, format: str, best: float) -> str:
    """How often the best scale can be doubled before a gradient overflows."""
    scale = _scale(best)
    for binades in range(_MUCH + 1):
        if summary.counts(format, best * 2.0 ** (binades + 1)).overflow:
            if binades == 1:
                return tell("{scale} is safe with 1 binade of headroom", scale=scale)
            return tell("{scale} is safe with {count} binades of headroom", scale=scale, count=binades)
    return tell("{scale} is safe with more than {count} binades of headroom", scale=scale, count=_MUCH)


def _values(summary: GradientSummary) -> int:
    """The number of finite non-zero values."""
    return summary.count - summary.zero - summary.inf - summary.nan


def _broken(tell: Tell, summary: GradientSummary, is_scaled: bool) -> str:
    """How many values are inf or NaN."""
    kinds = [f"{count:,} {what}" for count, what in ((summary.inf, "inf"), (summary.nan, "NaN")) if count]
    broken = tell("{one} and {other}", one=kinds[0], other=kinds[1]) if len(kinds) == 2 else kinds[0]
    return tell(
        "{found} among {count} gradients" if is_scaled else "{found} among {count} values",
        found=broken,
        count=f"{summary.count:,}",
    )


def _scale(value: float) -> str:
    """A power of two such as 2^11 if that is shorter, else digits."""
    fraction, exponent = math.frexp(value)
    return f"2^{exponent - 1}" if fraction == 0.5 and not 0.1 < value < 10 else f"{value:g}"


def _percent(part: int, whole: int) -> str:
    """41 %, 0.3 %; 0 % only for none, and 100 % only for all."""
    share = 100 * part / whole
    if part in (0, whole) or share >= 9.5:
        return f"{min(round(share), 99) if part < whole else 100} %"
    return "under 0.01 %" if share < 0.01 else f"{share:.2g} %"
