"""Both ways to round an array."""

import pytest

from mixwidgets.floats.formats import keys


@pytest.fixture(params=["a table", "no table"])
def tables(request, monkeypatch):
    """With a table at once, also for a few values, or never with one. The tables made so far."""
    made = {}

    def cached(what, count, entries, build):
        if request.param == "a table" and what not in made:
            made[what] = build()
        return made.get(what)

    monkeypatch.setattr(keys, "_cached", cached)
    return made
