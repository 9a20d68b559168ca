"""Whoever looks at a folder with a hostile run sees the others, a word about that one, and lives on."""

import json
import multiprocessing
import sys
from contextlib import suppress

import pytest

from tests.attacks.folders import ATTACKS, make_run

if sys.platform == "linux":
    from tests.attacks.looks import LOOKS, look_at

    # a process that has imported what the looks need forks for each folder
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(["tests.attacks.looks", "altair", "pandas"])

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc, and limits a child's memory")

MOST_MEMORY = 300  # MiB, of all looks together
CORE = ("huge_status", "newlines", "inflating_snapshots")


def looked_at(folder):
    """What each look told, by its name, and what came out of those that failed."""
    told, tell = processes.Pipe(duplex=False)
    child = processes.Process(target=look_at, args=[folder, tell])
    child.start()
    tell.close()
    lines = []
    with suppress(EOFError):  # it has ended
        while True:
            lines.append(json.loads(told.recv()))
    child.join()
    failed = [error for _, _, error in lines if error]
    if child.exitcode:
        failed.append(f"ended with {child.exitcode}")
    return {name: told for name, told, _ in lines}, failed


def test_nothing_is_said_of_a_folder_that_is_right(tmp_path):
    good = make_run(tmp_path)
    told, failed = looked_at(tmp_path)
    assert failed == []
    assert [row[:3] for row in told["listed"]] == [[good.name, "completed", ""]]
    assert [row[-1] for row in told["listed"]] == [[]]
    assert told["lab"][0] == [good.name, "completed"]
    assert told["lab"][-1][0] == ""


@pytest.mark.parametrize(
    "attack", [name if name in CORE else pytest.param(name, marks=pytest.mark.slow) for name in ATTACKS]
)
def test_a_hostile_run_is_one_row_that_says_so(tmp_path, attack):
    good, bad = make_run(tmp_path), make_run(tmp_path)
    ATTACKS[attack](bad)
    told, failed = looked_at(tmp_path)
    assert failed == []
    assert set(told) == {*(look.__name__ for look in LOOKS), "memory"}
    assert told["memory"] < MOST_MEMORY
    assert [good.name, "completed"] in [row[:2] for row in told["listed"]]
    assert [good.name, "completed"] in told["lab"]
    for name in ("listed", "lab"):
        assert bad.name in json.dumps(told[name])
    of_bad = [row for row in told["listed"] if bad.name in row[0]]
    assert len(of_bad) == 1
    if attack not in (
        "hostile_texts",
        "hostile_labels",
        "a_float_beyond_float64",
        "no_time_at_all",
    ):  # these hold what a run may hold
        assert len(of_bad[0]) == 1 or of_bad[0][-1]  # skipped, or with its damage told
