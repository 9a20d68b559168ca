"""Fixtures of the widgets' tests."""

import pytest

from mixwidgets.widgets.training_lab.widget import TrainingLab


@pytest.fixture
def make_lab():
    labs = []

    def make(*args, **kwargs):
        labs.append(TrainingLab(*args, **kwargs))
        return labs[-1]

    yield make
    for lab in labs:
        lab.close()
