"""Another user of the machine takes no name and no lock from its owner."""

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.attacks import two_users

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc/locks"),
    pytest.mark.skipif(two_users.command() is None, reason="only root can be two users"),
]


@pytest.mark.parametrize("scenario", [each.__name__ for each in two_users.SCENARIOS])
def test_another_user_takes_nothing(scenario):
    with tempfile.TemporaryDirectory() as folder:  # pytest's own is closed to others
        Path(folder).chmod(0o755)
        child = subprocess.run(
            [*two_users.command(), scenario, folder], capture_output=True, text=True, check=False, timeout=120
        )
    assert child.returncode == 0, child.stderr
