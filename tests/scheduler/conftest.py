"""A real Dask cluster: a scheduler and workers, processes of their own on 127.0.0.1, ended with the test."""

import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from distributed import Client

from tests.waiting import until

ROOT = Path(__file__).parents[2]
NO_PAGE = ("--host", "127.0.0.1", "--no-dashboard")


class Cluster:
    """A scheduler, its workers, and a client."""

    def __init__(self, folder):
        self.folder = folder
        self.processes = []
        told = folder / "scheduler.json"
        try:
            # Should this process be killed, the scheduler ends by itself, and its workers with it.
            self._start("scheduler", *NO_PAGE, "--port=0", "--idle-timeout=600s", f"--scheduler-file={told}")
            self.address = until(lambda: self._address(told))
            self.client = Client(self.address)
        except BaseException:
            self.close()
            raise

    def add_worker(self, *options, through=()):
        """A worker with one thread; its process. `through`: a command that starts the command given to it."""
        name = f"worker-{len(self.processes)}"
        worker = self._start(
            *("worker", self.address, *NO_PAGE, f"--name={name}", "--nthreads=1", "--no-nanny"),
            *("--memory-limit=0", "--death-timeout=60", f"--local-directory={self.folder}", *options),
            through=through,
        )
        until(lambda: name in self._names(), 300)
        return worker

    def close(self):
        with suppress(AttributeError):  # there is no client where the scheduler did not start
            self.client.close()
        for process in reversed(self.processes):
            process.kill()
            process.wait()

    def _start(self, *arguments, through=()):
        search_path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
        with (self.folder / "log.txt").open("ab") as log:
            process = subprocess.Popen(
                [*through, sys.executable, "-m", "dask", *arguments],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                env={**os.environ, "PYTHONPATH": search_path},
            )
        self.processes.append(process)
        return process

    def _names(self):
        """Of the workers that the scheduler knows."""
        return {worker["name"] for worker in self.client.scheduler_info(n_workers=-1)["workers"].values()}

    def _address(self, told):
        with suppress(OSError, ValueError):  # not there yet, or half written
            return json.loads(told.read_text())["address"]
        assert self.processes[0].poll() is None, (self.folder / "log.txt").read_text()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """A scheduler without workers."""
    cluster = Cluster(tmp_path_factory.mktemp("dask"))
    yield cluster
    cluster.close()
