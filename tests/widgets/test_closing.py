"""A widget that was closed, and that nobody holds, is freed."""

import gc
import weakref

import numpy as np
import pytest

import mixwidgets as mw

MAKERS = {
    "BitEditor": mw.BitEditor,
    "NumberLine": mw.NumberLine,
    "BlockLab": mw.BlockLab,
    "FormatDesigner": mw.FormatDesigner,
    "Exercise": lambda: mw.Exercise.of_lesson("02_rounding_and_overflow")[0],
    "LossScaleExplorer": lambda: mw.LossScaleExplorer({"weight": np.ones(3, "float32")}),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_a_closed_widget_is_freed(make):
    widgets = [make() for _ in range(3)]
    alive = [weakref.ref(widget) for widget in widgets]
    while widgets:
        widgets.pop().close()
    gc.collect()
    assert [one() for one in alive] == [None] * 3
