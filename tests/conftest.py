"""Settings of all tests."""

import os

from hypothesis import settings

from mixwidgets.runs import stopping
from mixwidgets.sweeps import sweeping
from tests.waiting import LIMIT_S

# No timing is an assertion. In CI the examples are always the same: new ones are looked for at home.
settings.register_profile("mixwidgets", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("mixwidgets")
# Widgets speak English, whatever JupyterLab speaks on this machine; kernels that tests start inherit this.
os.environ["MIXWIDGETS_LANG"] = "en"
# What a command prints depends on these.
for name in ("FORCE_COLOR", "NO_COLOR", "COLUMNS"):
    os.environ.pop(name, None)
# A busy machine may be slow to stop what it was asked to stop.
stopping._PATIENCE_S = sweeping._PATIENCE_S = LIMIT_S
