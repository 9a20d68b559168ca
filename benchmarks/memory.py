"""Memory of a kernel that shows a bit editor and an explorer, beside a kernel that shows nothing."""

from __future__ import annotations

import statistics

import psutil
from jupyter_client.manager import start_new_kernel

SHOWN = """
import numpy as np, mixwidgets as mw
from IPython.display import display
gradients = {f"layer{i}": np.random.default_rng(i).normal(0, 1e-6, 10_000).astype("f4") for i in range(10)}
display(mw.BitEditor(65504, format="float16"), mw.LossScaleExplorer(gradients))
"""
LOADED = "import sys; print(sorted({'torch', 'altair', 'sklearn', 'pandas'} & set(sys.modules)))"


def _kernel(code: str) -> tuple[float, str]:
    """Resident MiB of a fresh kernel after `code`, and which heavy libraries it has loaded."""
    manager, client = start_new_kernel(kernel_name="python3")
    printed: list[str] = []

    def listen(message: dict[str, dict[str, str]]) -> None:
        printed.append(message["content"].get("text", ""))

    try:
        reply = client.execute_interactive(code, timeout=60, output_hook=lambda _: None)
        assert reply["content"]["status"] == "ok", reply["content"]
        client.execute_interactive(LOADED, timeout=60, output_hook=listen)
        mebibytes = psutil.Process(manager.provisioner.pid).memory_info().rss / 2**20
        return mebibytes, "".join(printed).strip()
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def measure() -> dict[str, object]:
    bare, shown, loaded = [], [], ""
    for _ in range(5):
        bare.append(_kernel("pass")[0])
        mebibytes, loaded = _kernel(SHOWN)
        shown.append(mebibytes)
    extra = statistics.median(shown) - statistics.median(bare)
    return {
        "kernel with an editor and an explorer − bare kernel": {
            "median_mebibytes": round(extra, 1),
            "bare_mebibytes": round(statistics.median(bare), 1),
            "heavy_libraries_loaded": loaded,
            "reach": "≤ 12 MiB, none loaded",
        }
    }
