"""What the suite never does, whoever wrote the files, names and texts that it is given.

Beside this: what a hostile run directory can do (tests/store/test_journal.py, test_run_folder.py), one that
comes from a worker (test_arrival.py), a hostile line (test_queue.py) or page (tests/widgets, tests/browser);
markup in the front end (tests/repository/test_imports.py) and in charts; what a terminal shows (tests/cli).
"""

import ast
import json
import keyword
import re
import socket
import subprocess
import sys
import textwrap
from pathlib import Path

import psutil
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import mixwidgets as mw
from mixwidgets.runs.store.events import Evaluation, RunFinished, RunStarted
from mixwidgets.runs.store.journal import create_run, create_watched_run
from mixwidgets.runs.store.watched_loop import WatchedLoop
from tests.cli.calling import run_of, step
from tests.waiting import LIMIT_S, until

PACKAGE = Path(mw.__file__).parent
PAYLOAD = "</script><img src=x onerror=alert(1)>"


def listening(process):
    """The sockets of a process and all that it started that others could reach: TCP that listens, UDP."""
    return [
        connection
        for one in (process, *process.children(recursive=True))
        if one.status() != psutil.STATUS_ZOMBIE
        for connection in one.net_connections(kind="inet")
        if connection.status == psutil.CONN_LISTEN or connection.type == socket.SOCK_DGRAM
    ]


@pytest.mark.parametrize("kind", [socket.SOCK_STREAM, socket.SOCK_DGRAM])
def test_a_socket_that_listens_is_seen(kind):
    with socket.socket(socket.AF_INET, kind) as one:
        one.bind(("127.0.0.1", 0))
        if kind == socket.SOCK_STREAM:
            one.listen()
        assert one.getsockname() in [tuple(found.laddr) for found in listening(psutil.Process())]


KERNEL = """
    import os
    import sys
    import time
    from pathlib import Path

    os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[:2]))  # two slots

    import mixwidgets as mw
    from tests.widgets.every import NAMES, make

    runs_dir = sys.argv[1]
    endless = mw.Experiment(task="digits_cnn", steps=10_000_000, batch_size=16, summary_every=1000)
    runs = [mw.launch(endless, runs_dir)]
    sweep = mw.sweep([endless.replace(seed=1)], runs_dir=runs_dir)
    while not sweep.counts["running"]:
        time.sleep(0.05)
    runs.append(mw.launch(endless, runs_dir))  # which waits
    others = set(NAMES) - {"TrainingLab", "SweepProgress"}
    made = [mw.TrainingLab(runs_dir), mw.SweepProgress(sweep)]
    made += [make(name, Path(runs_dir)) for name in others]
    for widget in made:
        widget._repr_mimebundle_()
    print("shown", flush=True)
    sys.stdin.readline()  # until these go on, and one run waits
    sweep.stop()
    for run in reversed(runs):
        run.stop()
"""


def how_far(runs_dir):
    """Of each run its seed, its status, and whether it has taken a step."""
    runs = [(run.experiment.seed, run.status, len(run.steps()) > 0) for run in mw.list_runs(runs_dir)]
    return sorted(runs)


@pytest.mark.slow
def test_nothing_listens_while_widgets_runs_and_a_sweep_go_on(tmp_path):
    kernel = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(KERNEL), tmp_path],
        cwd=PACKAGE.parent,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert kernel.stdout.readline() == "shown\n"
        expected = [(0, "queued", False), (0, "running", True), (1, "running", True)]
        until(lambda: how_far(tmp_path) == expected, 3 * LIMIT_S)
        process = psutil.Process(kernel.pid)
        assert len(process.children(recursive=True)) >= 3
        assert listening(process) == []
        kernel.communicate("\n", timeout=LIMIT_S)
        assert kernel.returncode == 0
    finally:
        kernel.kill()
        kernel.communicate()


SOURCES = {path.relative_to(PACKAGE).as_posix(): path.read_text("utf-8") for path in PACKAGE.rglob("*.py")}
RUNS_TEXT = {"eval", "exec", "__import__"}
UNPICKLES = {"pickle", "_pickle", "cloudpickle", "dill", "marshal", "shelve", "joblib", "yaml"}
REACHES_OUT = {"urllib.request", "http", "ftplib", "smtplib", "requests", "httpx", "socketserver", "xmlrpc"}
EXCEPTIONS = {("runs/task/own_task.py", "exec")}  # a user's own task, in the process that trains it


def risky(text):
    """What in a Python text runs text, unpickles, starts a shell or opens the network."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            package = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            for name in (f"{package}{alias.name}." for alias in node.names):
                yield from (known for known in UNPICKLES | REACHES_OUT if name.startswith(f"{known}."))
        if not isinstance(node, ast.Call):
            continue
        called = ast.unparse(node.func)
        said = {keyword.arg: ast.unparse(keyword.value) for keyword in node.keywords}
        if called.removeprefix("builtins.") in RUNS_TEXT or called in ("os.system", "os.popen"):
            yield called
        if called.endswith("read_pickle") or (called == "torch.load" and said.get("weights_only") != "True"):
            yield called
        if said.get("allow_pickle", "False") != "False" or said.get("shell", "False") != "False":
            yield called


@pytest.mark.parametrize(
    "text",
    [
        "eval(text)",
        "import builtins; builtins.exec(text)",
        "def f():\n    from pickle import loads",
        "import cloudpickle.x as y",
        "torch.load(path)",
        "torch.load(path, weights_only=False)",
        "numpy.load(path, allow_pickle=True)",
        "np.load(path, allow_pickle=trusted)",
        "pd.read_pickle(path)",
        "subprocess.run(command, shell=True)",
        "os.system(command)",
        "import urllib.request",
        "from urllib import request",
        "from http.server import HTTPServer",
    ],
)
def test_what_is_risky_is_seen(text):
    assert list(risky(text))


def test_the_package_runs_no_text_unpickles_nothing_and_reaches_nowhere():
    assert len(SOURCES) > 100
    found = {(path, what) for path, text in SOURCES.items() for what in risky(text)}
    assert found == EXCEPTIONS


def test_the_source_of_a_task_is_run_by_training_alone():
    by = {path for path, text in SOURCES.items() if "load_task_class" in text}
    assert {path.rpartition("/")[0] for path in by - {"runs/task/own_task.py"}} == {"runs/training"}


NAMES = st.text(min_size=1, max_size=300).map(lambda text: re.sub(r"\W", "_", f"X{text}"))


@given(NAMES)
def test_a_run_has_a_slug_for_an_id_whatever_the_name_of_its_task(tmp_path_factory, name):
    assume(name.isidentifier() and not keyword.iskeyword(name))
    runs_dir = tmp_path_factory.mktemp("runs")
    source = f"class {name}:\n    pass\n"
    try:
        experiment = mw.Experiment.from_dict({"task": name, "task_source": source, "steps": 1})
    except ValueError:
        assume(False)  # a text that is refused as a task, see tests/task/test_own_task_source.py
    path = create_run(experiment, runs_dir)
    assert re.fullmatch(r"\d{8}-\d{9}-[a-z0-9_]{1,40}-fp32-[0-9a-f]{4}", path.name)
    assert [entry.name for entry in runs_dir.iterdir()] == [path.name]
    assert mw.open_run(path).experiment.task == name


def test_no_table_shows_a_text_as_markup(tmp_path):
    create_watched_run(WatchedLoop(model=PAYLOAD, format="float16", every=1), tmp_path / "watched")
    run = run_of(
        tmp_path,
        RunStarted(device=PAYLOAD, backend=PAYLOAD, versions={PAYLOAD: PAYLOAD}),
        step(1, found_inf=True, non_finite=1, first_non_finite=PAYLOAD),
        Evaluation(step=1, metrics={PAYLOAD: 1.0}),
        RunFinished(reason="crashed", metrics={PAYLOAD: 1.0}, message=PAYLOAD),
    )
    watched = mw.open_run(tmp_path / "watched")
    for table in (mw.comparison([run, watched]), run.steps(), run.evaluations()):
        page = table._repr_html_()
        assert "onerror" in page
        assert "<img" not in page


def test_an_experiment_leads_nowhere(tmp_path):
    """No field is a path: what looks like one is refused where it is a name, and data where it is text."""
    for fields in (
        {"task": "../../x"},
        {"task": "mask", "recipe": "../../x"},
        {"task": "mask", "device": "/dev/sda"},
    ):
        with pytest.raises(ValueError, match="is not known"):
            mw.Experiment.from_json(json.dumps(fields))
