"""ModuleErrors: the result of `first_difference`, module by module."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import traitlets as t

from mixwidgets.widgets.base import MixWidget

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from mixwidgets.gradients.summary import GradientSummary

_LENGTH = struct.Struct("<I")


class ModuleErrors(MixWidget):
    """The modules of a model in the order of execution, each with its error and the error explained by
    rounding.

    rows: the texts of each row of the table; errors: float64 (rows, 2), the error and the explained error;
    summaries: for each row, of its tensor and of the reference's.
    """

    _page = "difference"

    _rows: t.List[Any] = t.List(help="Of each row the texts, by column.").tag(sync=True)
    _errors = t.Bytes(help="Of each row the error and what is explained: float64, little-endian.").tag(
        sync=True
    )
    _tensors = t.Bytes(help="Of each row two summaries, each after its length as a u32.").tag(sync=True)
    _format = t.Unicode(help="The format in which the recipe computes.").tag(sync=True)
    _loss_scale = t.Float(help="What is on the tensors of the backward pass.").tag(sync=True)

    def __init__(
        self,
        rows: Sequence[Mapping[str, Any]],
        errors: NDArray[np.float64],
        summaries: Iterable[tuple[GradientSummary, GradientSummary]],
        format: str,
        loss_scale: float,
        **traits: Any,
    ) -> None:
        packed = [summary.to_bytes() for pair in summaries for summary in pair]
        super().__init__(
            _rows=list(rows),
            _errors=errors.astype("<f8").tobytes(),
            _tensors=b"".join(part for one in packed for part in (_LENGTH.pack(len(one)), one)),
            _format=format,
            _loss_scale=loss_scale,
            **traits,
        )

    def __repr__(self) -> str:
        return f"ModuleErrors({len(self._rows)} rows)"
