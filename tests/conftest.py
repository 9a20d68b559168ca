"""Settings of all tests."""

import atexit
import os
import shutil
import signal
import tempfile

import pytest
from hypothesis import settings

from mixwidgets.runs.scheduler import sweep as sweeping
from mixwidgets.runs.store import status
from tests.waiting import LIMIT_S

# No timing is an assertion. In CI the examples are always the same: new ones are looked for at home.
settings.register_profile("mixwidgets", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("mixwidgets")
# Widgets speak English, whatever JupyterLab speaks on this machine; kernels that tests start inherit this.
os.environ["MIXWIDGETS_LANG"] = "en"
# These tests compute on the CPU, with "auto" too. Those in tests/gpu have settings of their own.
os.environ["CUDA_VISIBLE_DEVICES"] = ""
# The runs of this test process share slots, and no others' on this machine.
os.environ["MIXWIDGETS_QUEUE"] = tempfile.mkdtemp(prefix="mixwidgets-queue-")
atexit.register(shutil.rmtree, os.environ["MIXWIDGETS_QUEUE"], ignore_errors=True)
# What a command prints depends on these.
for name in ("FORCE_COLOR", "NO_COLOR", "COLUMNS"):
    os.environ.pop(name, None)
# What a shell starts in the background has some signals ignored, and what tests start would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
for name in {"SIGQUIT", "SIGHUP"} & {*dir(signal)}:
    if signal.getsignal(getattr(signal, name)) is signal.SIG_IGN:
        signal.signal(getattr(signal, name), signal.SIG_DFL)
# A busy machine may be slow to stop what it was asked to stop.
status._PATIENCE_S = sweeping._PATIENCE_S = LIMIT_S


@pytest.fixture
def one_thread():
    """torch on one thread, as in a run: several sum in another order."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
