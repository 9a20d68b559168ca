"""The rows of the table: what is trained or computed, which figures are shown, what is claimed of them."""

from collections.abc import Mapping
from types import MappingProxyType

from benchmarks.experiments import (
    arithmetic,
    four_bits,
    gradient_errors,
    kept_wide,
    loss_scaling,
    output_gradients,
    rounded_sums,
    shrinkage,
    stored_weights,
)
from benchmarks.experiments.row import Row

_OF_FEW_BITS = {
    number: row
    for group in (four_bits, gradient_errors, output_gradients, shrinkage, rounded_sums, stored_weights)
    for number, row in group.ROWS.items()
}

ROWS: Mapping[str, Row] = MappingProxyType(
    {**loss_scaling.ROWS, **kept_wide.ROWS, **arithmetic.ROWS, **dict(sorted(_OF_FEW_BITS.items()))}
)
"""By number, in their order."""
