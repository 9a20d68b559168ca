"""Importing and creating a BitEditor, compared with importing and creating an ipywidgets IntSlider."""

import subprocess
import sys

from benchmarks.pairs import compare

SLIDER = "import ipywidgets; ipywidgets.IntSlider(3)"
EDITOR = "import mixwidgets as mw; mw.BitEditor(65504, format='float16')"


def _cpu_seconds(code: str) -> float:
    done = subprocess.run(
        [sys.executable, "-c", f"{code}; import time; print(time.process_time())"],
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout)


def measure() -> dict[str, object]:
    result = compare(lambda: _cpu_seconds(SLIDER), lambda: _cpu_seconds(EDITOR), pairs=11)
    return {"import and make a BitEditor / an IntSlider": {**result, "reach": "≤ 1.8"}}
