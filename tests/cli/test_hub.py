"""A real JupyterHub with three users and the settings of docs/hub.md: a bit that a page flips, a launched
run, and what others see of it."""

import importlib.util
import json
import os
import re
import socket
import subprocess
import sys
import urllib.error
import urllib.request
import uuid
from contextlib import closing
from pathlib import Path

import pytest

from tests.waiting import until

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PROXY = ROOT / "node_modules/configurable-http-proxy/bin/configurable-http-proxy"
USERS = ("ada", "bob", "cleo")
PRINTED = re.compile(r"```python\n(# jupyterhub_config\.py\n.*?)```", re.DOTALL)
PATIENCE_S = 120
CONFIG = """
c.JupyterHub.bind_url = "http://127.0.0.1:{ports[0]}"
c.JupyterHub.hub_port = {ports[1]}
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{ports[2]}"
c.ConfigurableHTTPProxy.command = [{node!r}, {proxy!r}]
c.JupyterHub.authenticator_class = "dummy"
c.DummyAuthenticator.allow_all = True
c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = {folder!r} + "/{{username}}"
c.Spawner.args = ["--allow-root"]
c.Spawner.http_timeout = c.Spawner.start_timeout = {patience}
c.JupyterHub.load_roles = [
    {{"name": "test", "scopes": ["admin:users", "admin:servers", "access:servers"], "services": ["test"]}}
]
c.JupyterHub.services = [{{"name": "test", "api_token": {token!r}}}]
"""


class Hub:
    """A hub on loopback, as its administrator's service talks to it."""

    def __init__(self, folder):
        self.token = uuid.uuid4().hex
        ports = _free_ports(3)
        self.address = f"127.0.0.1:{ports[0]}"
        python = Path(sys.executable)
        # not the script in .venv/bin, whose child would outlive the hub
        node = subprocess.check_output(
            [python.with_name("node"), "-p", "process.execPath"], text=True
        ).strip()
        settings = {
            "ports": ports,
            "node": node,
            "proxy": str(PROXY),
            "folder": str(folder),
            "token": self.token,
            "patience": PATIENCE_S,
        }
        printed = PRINTED.findall((ROOT / "docs/hub.md").read_text(encoding="utf-8"))
        config = "\n".join([CONFIG.format(**settings), *printed])
        (folder / "jupyterhub_config.py").write_text(config, encoding="utf-8")
        self.log = folder / "hub.log"
        environment = {  # a hub passes PATH and PYTHONPATH on to its servers
            **os.environ,
            "PATH": os.pathsep.join([str(python.parent), os.environ["PATH"]]),
            "PYTHONPATH": str(ROOT),
            "CONFIGPROXY_AUTH_TOKEN": uuid.uuid4().hex,
        }
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "jupyterhub"], cwd=folder, env=environment, stdout=log, stderr=log
            )
        until(self._answers, PATIENCE_S)

    def ask(self, method, path):
        headers = {"Authorization": f"token {self.token}"}
        request = urllib.request.Request(f"http://{self.address}{path}", method=method, headers=headers)
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            return json.loads(answer.read() or b"null")

    def is_ready(self, user):
        return self.ask("GET", f"/hub/api/users/{user}")["servers"].get("", {}).get("ready")

    def _answers(self):
        assert self.process.poll() is None, self.log.read_text()
        try:
            return self.ask("GET", "/hub/api/")
        except (urllib.error.URLError, ConnectionError):
            return None

    def close(self):
        for user in USERS:
            try:
                self.ask("DELETE", f"/hub/api/users/{user}/server")
            except urllib.error.URLError:
                continue
        self.process.terminate()
        self.process.wait(PATIENCE_S)


class Kernel:
    """A kernel of a user's server, and what a page sends to it."""

    def __init__(self, hub, user):
        import websocket

        hub.ask("POST", f"/hub/api/users/{user}")
        hub.ask("POST", f"/hub/api/users/{user}/server")
        until(lambda: hub.is_ready(user), PATIENCE_S)
        kernel = hub.ask("POST", f"/user/{user}/api/kernels")["id"]
        address = f"ws://{hub.address}/user/{user}/api/kernels/{kernel}/channels"
        self._channel = websocket.create_connection(
            address, timeout=PATIENCE_S, header=[f"Authorization: token {hub.token}"], suppress_origin=True
        )

    def send(self, kind, content):
        head = {
            "msg_id": uuid.uuid4().hex,
            "msg_type": kind,
            "username": "",
            "session": "s",
            "version": "5.3",
        }
        parts = {"header": head, "parent_header": {}, "metadata": {}, "content": content, "buffers": []}
        self._channel.send(json.dumps({**parts, "channel": "shell"}))
        return head["msg_id"]

    def run(self, code):
        """What the code prints."""
        asked, printed = self.send("execute_request", {"code": code, "silent": False}), ""
        while True:
            frame = self._channel.recv()
            if not isinstance(frame, str):
                continue  # with buffers
            message = json.loads(frame)
            if message["parent_header"].get("msg_id") != asked:
                continue
            content = message["content"]
            assert message["msg_type"] != "error", content
            if message["msg_type"] == "stream" and content["name"] == "stdout":
                printed += content["text"]
            elif message["msg_type"] == "status" and content["execution_state"] == "idle":
                return printed.strip()

    def close(self):
        self._channel.close()


def _free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    missing = [name for name in ("jupyterhub", "websocket") if importlib.util.find_spec(name) is None]
    missing += [] if PROXY.exists() else ["configurable-http-proxy"]
    if missing and "CI" not in os.environ:
        pytest.skip(f"{missing} are missing: `make .venv/.test node_modules/.installed` installs them")
    with closing(Hub(tmp_path_factory.mktemp("hub"))) as hub:
        kernels = {user: Kernel(hub, user) for user in USERS}
        yield kernels
        for kernel in kernels.values():
            kernel.close()


@pytest.mark.parametrize("user", USERS)
def test_a_bit_that_the_page_flips_reaches_python(kernels, user):
    kernel = kernels[user]
    comm = kernel.run("import mixwidgets as mw; bits = mw.BitEditor(1, 'float16'); print(bits.comm.comm_id)")
    state = {"format": "float16", "code": "0x4000", "_input": ""}
    data = {"method": "update", "state": state, "buffer_paths": []}
    kernel.send("comm_msg", {"comm_id": comm, "data": data})
    assert kernel.run("print(bits.value)") == "2.0"


def test_a_run_finishes_and_other_users_do_not_see_it(kernels):
    launch = (
        "import mixwidgets as mw\n"
        "run = mw.launch(mw.Experiment(task='student_teacher', recipe='bf16', steps=3, device='cpu'))\n"
        "print(run.wait(progress=False), len(mw.list_runs()))"
    )
    assert kernels["ada"].run(launch) == "completed 1"
    for other in ("bob", "cleo"):
        assert kernels[other].run("print(mw.list_runs())") == "[]"
        assert kernels[other].run("print(mw.TrainingLab().runs)") == "[]"


def test_the_settings_of_the_documentation_copy_the_course_and_reach_the_kernel(kernels):
    assert "00_start_here.ipynb" in kernels["ada"].run("import os; print(*os.listdir('mixwidgets-course'))")
    names = ["MIXWIDGETS_LANG", "OMP_NUM_THREADS"]
    assert kernels["ada"].run(f"print(*map(os.environ.get, {names}))") == "zh 1"


def test_the_course_is_copied_and_no_second_server_is_started(kernels):
    command = "import subprocess, sys; print(subprocess.run([sys.executable, '-m', 'mixwidgets', 'lab', "
    told = kernels["bob"].run(
        f"{command}'--classroom', 'mine'], capture_output=True, text=True, check=True).stdout)"
    )
    assert "bob/mine" in told
    lessons = kernels["bob"].run("import os; print(*os.listdir('mine'))").split()
    assert "00_start_here.ipynb" in lessons
