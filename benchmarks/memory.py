"""Memory of a kernel that shows widgets or trains, compared with an idle one, and of a run's process."""

import statistics
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from tempfile import TemporaryDirectory

import psutil
from jupyter_client.manager import start_new_kernel

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.scheduler.launch import launch

EDITOR = "import mixwidgets as mw; mw.BitEditor(65504, format='float16')"
BOTH = """
import numpy as np, mixwidgets as mw
from IPython.display import display
gradients = {f"layer{i}": np.geomspace(1e-12, 1, 10_000, dtype="f4") for i in range(10)}
display(mw.BitEditor(65504, format="float16"), mw.LossScaleExplorer(gradients))
"""
TRAINED = """
import mixwidgets as mw
for event in mw.train(mw.Experiment(task="digits_cnn", recipe="fp16_dynamic", steps=20)): pass
"""
KERNELS = {
    "bare": "pass",
    "numpy alone": "import numpy",
    "an editor": EDITOR,
    "an editor and an explorer": BOTH,
    "training in the kernel": TRAINED,
}
RUNS = {task: Experiment(task=task, recipe="fp16_dynamic", steps=60) for task in ("digits_cnn", "char_gpt")}
LOADED = "import sys; print(sorted({'torch', 'altair', 'sklearn', 'pandas'} & set(sys.modules)))"


@contextmanager
def kernel(code: str) -> Iterator[tuple[psutil.Process, str]]:
    """The process of a fresh kernel after `code`, and which heavy libraries it has loaded."""
    manager, client = start_new_kernel(kernel_name="python3")
    printed: list[str] = []

    def listen(message: dict[str, dict[str, str]]) -> None:
        printed.append(message["content"].get("text", ""))

    try:
        reply = client.execute_interactive(code, timeout=60, output_hook=lambda _: None)
        assert reply["content"]["status"] == "ok", reply["content"]
        client.execute_interactive(LOADED, timeout=60, output_hook=listen)
        yield psutil.Process(manager.provisioner.pid), "".join(printed).strip()
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def largest(experiment: Experiment) -> float:
    """The largest size that was observed of a launched run's process, in MiB."""
    with TemporaryDirectory() as folder:
        run = launch(experiment, folder)
        seen = [0]
        for event in run.follow():
            if event.kind != "finished" and run.process_id:
                with suppress(psutil.NoSuchProcess):  # it has just ended
                    seen.append(psutil.Process(run.process_id).memory_info().rss)
        return max(seen) / 2**20


def measure() -> dict[str, object]:
    found: dict[str, list[float]] = {name: [] for name in KERNELS}
    loaded = {}
    for _ in range(5):
        for name, code in KERNELS.items():
            with kernel(code) as (process, loaded[name]):
                found[name].append(process.memory_info().rss / 2**20)
    median = {name: statistics.median(values) for name, values in found.items()}
    return {
        f"MiB over a bare kernel's {median['bare']:.0f}": {
            name: {"median": round(value - median["bare"], 1), "of the heavy libraries": loaded[name]}
            for name, value in median.items()
            if name != "bare"
        },
        "MiB of a run's own process": {task: round(largest(run)) for task, run in RUNS.items()},
        "reach": "≤ 12 MiB, no torch, altair, sklearn or pandas",
    }
