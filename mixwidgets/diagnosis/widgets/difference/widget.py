"""ModuleErrors: the result of `first_difference`, module by module."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import traitlets as t

from mixwidgets.floats.gradients.summary import GradientSummary
from mixwidgets.floats.widgets.base import MixWidget
from mixwidgets.floats.widgets.frame import frame, packed

Compared = tuple[str, float, float, GradientSummary, GradientSummary, tuple[float, float]]


class ModuleErrors(MixWidget):
    """The modules of a model in the order of execution, each with its error and the error explained by
    rounding.

    rows: the texts of each row of the table, and what rounding costs there; tensors: for each row, the
    tensors that are compared, the worst first: name, error, explained error, and the summaries of what was
    found and of the reference; costliest: a sentence.
    """

    _page = "difference"

    _rows: t.List[Any] = t.List(help="The texts of each row, and the names of its tensors.").tag(sync=True)
    _tensors = t.Bytes(
        help='A frame: "errors", a row of error and explained error per tensor, and two summaries each.'
    ).tag(sync=True)
    _format = t.Unicode(help="The format in which the recipe computes.").tag(sync=True)
    _loss_scale = t.Float(help="The loss scale of the tensors of the backward pass.").tag(sync=True)

    _costliest = t.Unicode(help="Where rounding costs most, in a sentence.").tag(sync=True)

    def __init__(
        self,
        rows: Sequence[Mapping[str, Any]],
        tensors: Sequence[Sequence[Compared]],
        format: str,
        loss_scale: float,
        costliest: str = "",
        **traits: Any,
    ) -> None:
        every = [tensor for row in tensors for tensor in row]
        errors = np.array([tensor[1:3] for tensor in every], np.float64).reshape(-1, 2)
        summaries = [summary.to_bytes() for tensor in every for summary in tensor[3:5]]
        super().__init__(
            _rows=[
                {**row, "costs": _number(row["costs"]), "tensors": [name for name, *_ in compared]}
                for row, compared in zip(rows, tensors, strict=True)
            ],
            _tensors=frame({"errors": errors, **packed(summaries)}),
            _format=format,
            _loss_scale=loss_scale,
            _costliest=costliest,
            **traits,
        )

    def __repr__(self) -> str:
        return f"ModuleErrors({len(self._rows)} rows)"


def _number(costs: float) -> float | None:
    return None if math.isnan(costs) else costs
