"""`make test` runs every part, whichever failed, and ends with the names of those that did."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STUBS = """\
good last:
\t@echo $@ ran, slow tests: [$(SLOW)]
bad worse:
\t@exit 3
"""


@pytest.fixture
def make(tmp_path):
    """Runs `make` in the checkout, with parts that do next to nothing."""
    (tmp_path / "stubs.mk").write_text(STUBS, encoding="utf-8")
    # No variable of the `make` that runs this test. Each make reads MAKEFILES before the Makefile.
    environment = {"PATH": os.environ["PATH"], "MAKEFILES": str(tmp_path / "stubs.mk")}

    def run(target, parts):
        command = ["make", target, f"PARTS={parts}"]
        return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)

    return run


@pytest.mark.parametrize(
    ("target", "left_out", "alone"), [("test", "and not slow", ""), ("test-all", "", " ALL=yes")]
)
def test_every_part_runs_and_those_that_failed_are_named_last(make, target, left_out, alone):
    done = make(target, "good bad worse last")
    assert done.returncode != 0
    assert done.stdout.splitlines() == [
        f"good ran, slow tests: [{left_out}]",
        f"last ran, slow tests: [{left_out}]",
        f"bad failed. To run it alone: make bad{alone}",
        f"worse failed. To run it alone: make worse{alone}",
    ]


def test_where_none_failed_the_last_line_is_that_of_the_last_part(make):
    done = make("test", "good last")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == "last ran, slow tests: [and not slow]"
