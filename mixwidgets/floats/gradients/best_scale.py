"""The best loss scale for recorded gradients."""

from collections.abc import Iterable
from functools import reduce

from mixwidgets.floats.formats.float_format import FloatFormat
from mixwidgets.floats.gradients.summary import GradientSummary

# From below any real need to beyond Megatron's starting scale of 2^32.
LOG2_LOSS_SCALES = range(-24, 41)
# The next step's gradients may be 16 times larger before the scale has to go down.
HEADROOM = 4


def best_loss_scale(
    summaries: Iterable[GradientSummary], format: str | FloatFormat, *, headroom: int = HEADROOM
) -> float:
    """The best power of two, 2^-24 … 2^40, for all these gradients in `format`.

    Among the scales that overflow nothing even `headroom` binades higher, it is the one that flushes the
    fewest gradients to zero, then leaves the fewest subnormal, then is nearest to 1 (no scaling). If every
    scale overflows something that high, it is the one that overflows the fewest. Infinities and NaNs among
    the gradients do not count: no scale removes them. Raises ValueError if there are no summaries.
    """
    parts = list(summaries)
    if not parts:
        raise ValueError("there are no gradients to choose a loss scale for")
    together = reduce(GradientSummary.merge, parts)

    def cost(log2: int) -> tuple[int, int, int, int, int]:
        counts = together.counts(format, 2.0**log2)
        above = together.counts(format, 2.0 ** (log2 + headroom))
        return above.overflow, counts.flushed, counts.subnormal, abs(log2), log2

    return 2.0 ** min(LOG2_LOSS_SCALES, key=cost)
