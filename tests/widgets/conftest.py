"""Fixtures of the widgets' tests."""

import pytest

from mixwidgets.runs.widgets.training_lab.widget import TrainingLab


@pytest.fixture(autouse=True)
def _no_spare(monkeypatch):
    """Loading torch takes a core for seconds."""
    monkeypatch.setattr("mixwidgets.runs.widgets.training_lab.widget.keep_spare", lambda: None)


@pytest.fixture
def make_lab():
    labs = []

    def make(*args, **kwargs):
        labs.append(TrainingLab(*args, **kwargs))
        return labs[-1]

    yield make
    for lab in labs:
        lab.close()
