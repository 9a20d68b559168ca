"""A host's server on loopback: started in a folder, waited for, and ended."""

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Server:
    url: str
    token: str
    root: Path
    process: subprocess.Popen

    def end_kernels(self) -> None:
        """Of a Jupyter server: end all sessions."""
        address = f"{self.url}/api/sessions"
        headers = {"Authorization": f"token {self.token}"}
        with urllib.request.urlopen(urllib.request.Request(address, headers=headers)) as answer:
            sessions = json.load(answer)
        for session in sessions:
            one = f"{address}/{session['id']}"
            urllib.request.urlopen(urllib.request.Request(one, headers=headers, method="DELETE")).close()


@contextmanager
def serving(root: Path, *arguments: str):
    """Start `python -m` with these arguments in `root`, wait until it answers, and end it with its kernels.

    "{port}" and "{token}" in an argument stand for a free port and a secret.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token = secrets.token_hex(16)
    command = [sys.executable, "-m", *(one.format(port=port, token=token) for one in arguments)]
    log = root / "server.log"
    with log.open("w") as output:
        process = subprocess.Popen(command, cwd=root, stdout=output, stderr=output, start_new_session=True)
    server = Server(f"http://127.0.0.1:{port}", token, root, process)
    try:
        _wait_until_it_answers(server, log)
        yield server
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:  # busy kernels, on a busy machine
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _wait_until_it_answers(server: Server, log: Path) -> None:
    while True:
        with suppress(subprocess.TimeoutExpired):
            server.process.wait(0.1)  # between two tries, notice an early death
            raise AssertionError(log.read_text())
        try:
            with urllib.request.urlopen(f"{server.url}/api?token={server.token}", timeout=60):
                return
        except urllib.error.HTTPError as answer:  # where there is no such address
            answer.close()
            return
        except (urllib.error.URLError, ConnectionError):
            continue
