"""Settings of all tests."""

import os

from hypothesis import settings

# No timing is an assertion. In CI the examples are always the same: new ones are looked for at home.
settings.register_profile("mixwidgets", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("mixwidgets")
# Widgets speak English, whatever JupyterLab speaks on this machine; kernels that tests start inherit this.
os.environ["MIXWIDGETS_LANG"] = "en"
