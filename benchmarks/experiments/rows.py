"""The rows of the table: what is trained, which figures are shown, and what is claimed of them."""

from collections.abc import Mapping
from types import MappingProxyType

from benchmarks.experiments import arithmetic, kept_wide, loss_scaling, output_gradients
from benchmarks.experiments.row import Row

ROWS: Mapping[str, Row] = MappingProxyType(
    {**loss_scaling.ROWS, **kept_wide.ROWS, **arithmetic.ROWS, **output_gradients.ROWS}
)
"""By number, in their order."""
