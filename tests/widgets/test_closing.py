"""A widget that was closed, and that nobody holds, is freed."""

import gc
import weakref

import pytest

from tests.waiting import until
from tests.widgets.every import NAMES, make


@pytest.mark.parametrize("name", NAMES)
def test_a_closed_widget_is_freed(name, tmp_path):
    widgets = [make(name, tmp_path) for _ in range(3)]
    alive = [weakref.ref(widget) for widget in widgets]
    while widgets:
        widgets.pop().close()
    # A lab is held by its thread until that has ended.
    until(lambda: gc.collect() >= 0 and [one() for one in alive] == [None] * 3)
