"""Runs each cell of a lesson twice, as a reader does: `python -m notebooks.again`, or with lessons' names.

A cell that takes longer than a second is stopped in its first run, as by the ■ of JupyterLab, and then run to
its end. No second run may fail, and no cell may change a function or a class of a library, finished or
stopped. All lessons take as long as they take to run; the tests do it with the short ones and with lesson 5.
"""

import sys
from pathlib import Path
from queue import Empty
from tempfile import TemporaryDirectory
from typing import Any

import nbformat
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager, start_new_kernel

HERE = Path(__file__).parent
LESSONS = sorted(path.stem for path in HERE.glob("[0-9]*.ipynb"))
_SHORT = 1.0  # seconds
_LONGEST = 600.0

# In the kernel: which functions and classes of libraries are not those of the last look.
_LOOK = """
def _look(seen={}):
    import inspect, sys
    changed = []
    for place, known in seen.items():
        now = vars(place)
        above = set().union(*map(vars, place.__mro__[1:])) if inspect.isclass(place) else set()
        new = [key for key in now if key not in known and key in above and not key.startswith("__")]
        gone = [key for key, value in known.items() if callable(value) and now.get(key) is not value]
        changed += [f"{place.__name__}.{key}" for key in [*gone, *new]]
    seen.clear()
    for name, module in sorted(sys.modules.items()):
        if name.partition(".")[0] in {"torch", "numpy", "pandas", "altair", "mixwidgets"}:
            classes = filter(inspect.isclass, vars(module).values())
            for place in (module, *(one for one in classes if one.__module__ == name)):
                seen[place] = dict(vars(place))
    return changed
"""

# A module whose import is stopped stays broken in any program, and torch itself wraps functions on first use.
_WARM = """
import sys
if "torch" in sys.modules:
    import torch._dynamo
    for _optimizer in (torch.optim.SGD, torch.optim.Adam):
        _optimizer([torch.ones(1)], lr=1.0)
_look()
"""


def faults(lesson: str) -> list[str]:
    """What goes wrong where each cell of a lesson is run twice, a sentence for each."""
    notebook = nbformat.read(HERE / f"{lesson}.ipynb", as_version=4)
    return faults_of([cell for cell in notebook.cells if cell.cell_type == "code"])


def faults_of(cells: list[nbformat.NotebookNode]) -> list[str]:
    """`faults` of these code cells; the first, with its imports, is never stopped."""
    found = []
    with TemporaryDirectory() as folder:
        manager, client = start_new_kernel(cwd=folder)
        try:
            _run(manager, client, _LOOK)
            for number, cell in enumerate(cells):
                if number == 1:
                    _run(manager, client, _WARM)
                first = _run(manager, client, cell.source, stop_after=_SHORT if number else _LONGEST)
                if first not in ("", "KeyboardInterrupt"):
                    found.append(f"{cell.id} fails: {first}")
                elif second := _run(manager, client, cell.source):
                    found.append(f"{cell.id} fails in its second run: {second}")
                if changed := _run(manager, client, "assert not (found := _look()), found"):
                    found.append(f"{cell.id} changes a library: {changed}")
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)
    return found


def _run(
    manager: KernelManager, client: BlockingKernelClient, source: str, stop_after: float = _LONGEST
) -> str:
    """Run code; the error it ends with, or nothing. It is stopped after so many seconds."""
    sent = client.execute(source, store_history=False, allow_stdin=False, stop_on_error=False)
    wait = stop_after
    while True:
        try:
            reply: dict[str, Any] = client.get_shell_msg(timeout=wait)
        except Empty:
            manager.interrupt_kernel()
            wait = _LONGEST
            continue
        if reply["parent_header"].get("msg_id") == sent:
            break
    content = reply["content"]
    if content["status"] == "ok":
        return ""
    name, said = content.get("ename", content["status"]), content.get("evalue", "")
    return "KeyboardInterrupt" if name == "KeyboardInterrupt" else f"{name}: {said}"


if __name__ == "__main__":
    wrong = 0
    for lesson in sys.argv[1:] or LESSONS:
        sentences = faults(lesson)
        wrong += len(sentences)
        print(lesson, "is as good in a second run" if not sentences else "", flush=True)
        print(*(f"  {sentence}" for sentence in sentences), sep="\n", end="\n" if sentences else "")
    sys.exit(wrong > 0)
