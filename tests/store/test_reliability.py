"""A few of the kills that `python -m benchmarks reliability` takes by the hundred."""

import pytest

from benchmarks.reliability import kills

pytestmark = pytest.mark.slow


def test_a_killed_run_keeps_what_was_acknowledged(tmp_path):
    found = kills(12, tmp_path)
    assert found["acknowledged"] > 12
    assert (found["lost"], found["damage_not_told"]) == (0, 0)
    assert found["torn_lines"] <= 12
    assert set(found["states"]) <= {"queued", "interrupted"}
