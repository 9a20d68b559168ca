"""The ten rows of the table: what is trained, which figures are shown, and what is claimed of them."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from benchmarks.experiments import arithmetic, kept_wide, loss_scaling

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchmarks.experiments.row import Row

ROWS: Mapping[str, Row] = MappingProxyType({**loss_scaling.ROWS, **kept_wide.ROWS, **arithmetic.ROWS})
"""By number, in their order."""
