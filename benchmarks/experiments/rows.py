"""The rows of the table: what is trained or computed, which figures are shown, what is claimed of them."""

from collections.abc import Mapping
from types import MappingProxyType

from benchmarks.experiments import (
    arithmetic,
    kept_wide,
    loss_scaling,
    output_gradients,
    rounded_sums,
    shrinkage,
)
from benchmarks.experiments.row import Row

_OF_FEW_BITS = {**shrinkage.ROWS, **output_gradients.ROWS, **rounded_sums.ROWS}

ROWS: Mapping[str, Row] = MappingProxyType(
    {**loss_scaling.ROWS, **kept_wide.ROWS, **arithmetic.ROWS, **dict(sorted(_OF_FEW_BITS.items()))}
)
"""By number, in their order."""
