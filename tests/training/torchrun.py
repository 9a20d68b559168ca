"""Two processes that torchrun starts."""

import os
import sys
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

ROOT = Path(__file__).parents[2]
LIMIT_S = 600  # to fail rather than hang: a start loads torch three times


@contextmanager
def torchrun(folder, *what):
    """Two processes that meet on a free port of this machine. However the test ends, nothing is left of them,
    and what they said is shown."""
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    environment = {"OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo", "PYTHONPATH": os.fspath(ROOT)}
    with (folder / "output.txt").open("wb") as output:
        process = psutil.Popen(
            [*command, *map(os.fspath, what)],
            stdout=output,
            stderr=output,
            env={**os.environ, **environment},
        )
    try:
        yield process
    finally:
        for each in [*process.children(recursive=True), process] if process.is_running() else []:
            with suppress(psutil.NoSuchProcess):
                each.kill()
        process.wait()
        print((folder / "output.txt").read_text())


def ended(process):
    """Its exit status, when nothing is left of it."""
    children = process.children(recursive=True)
    status = process.wait(LIMIT_S)
    _, alive = psutil.wait_procs(children, timeout=LIMIT_S)
    assert not alive
    return status
