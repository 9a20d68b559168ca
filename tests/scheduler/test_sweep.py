"""sweep: every cell once, whatever the executor does; failures have names; what is done is not done again."""

import asyncio
import os
import shutil
import subprocess
import sys
import threading
from concurrent import futures
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from threading import Event

import pytest

import mixwidgets as mw
from mixwidgets.runs.scheduler.cells import Cells
from mixwidgets.runs.scheduler.worker import run_cell
from mixwidgets.runs.store.events import RunFinished
from mixwidgets.runs.store.journal import Journal, create_run
from tests.scheduler.ended import ended
from tests.waiting import LIMIT_S, until

EXPERIMENT = mw.Experiment(task="digits_cnn", recipe="fp16_dynamic", steps=3, batch_size=16, device="cpu")
ENDLESS = EXPERIMENT.replace(steps=10_000_000, summary_every=1000)


@pytest.fixture
def thread():
    with ThreadPoolExecutor(1) as executor:
        yield executor


class Worker(Executor):
    """An executor that does at once what a test says."""

    def __init__(self, do):
        self.submit = do


def test_the_thread_that_starts_a_sweep_submits_its_cells(tmp_path):
    """A pool may fork its workers then. A fork on another thread would copy the import locks of this one."""
    submitted = []

    def submit(*_):
        submitted.append(threading.current_thread())
        return told({"run": ""})

    mw.sweep(mw.grid(EXPERIMENT, seed=range(3)), Worker(submit), tmp_path).wait(progress=False)
    assert submitted == [threading.current_thread()] * 3


def told(answer):
    """A future of this result, or exception."""
    future = Future()
    if isinstance(answer, BaseException):
        future.set_exception(answer)
    else:
        future.set_result(answer)
    return future


def make_run(experiment, runs_dir, reason="completed"):
    path = create_run(experiment, runs_dir)
    with Journal(path) as journal:
        journal.append(RunFinished(reason=reason, metrics={"loss": 1.0}))
    return mw.open_run(path)


def wait(sweep):
    return sweep.wait(LIMIT_S, progress=False)


def test_a_sweep_gives_ordinary_runs(tmp_path, thread):
    cells = mw.grid(EXPERIMENT, recipe=["fp32", "fp16_dynamic"], seed=range(2))
    sweep = mw.sweep(cells, thread, tmp_path)
    assert sweep.experiments == tuple(cells)
    came = list(sweep)
    assert [run.experiment for run in came] == cells  # one worker takes them in turn
    assert [run.id for run in sweep.runs] == [run.id for run in came]
    assert (sweep.is_over, sweep.failures) == (True, {})
    assert sweep.counts == {"done": 4, "running": 0, "waiting": 0, "failed": 0, "stopped": 0}
    assert repr(sweep) == "<Sweep of 4: 4 done>"
    for run in came:
        assert (run.path.parent, run.status, run.damage) == (tmp_path, "completed", [])
        here = [event.loss for event in mw.train(run.experiment) if event.kind == "step"]
        assert list(run.steps().loss) == here
    assert {run.id for run in mw.list_runs(tmp_path)} == {run.id for run in came}


def test_what_ended_by_itself_is_not_run_again(tmp_path, thread):
    cells = mw.grid(EXPERIMENT, seed=range(6))
    for cell, reason in zip(cells[3:], ("crashed", "stopped", "out_of_memory"), strict=True):
        make_run(cell, tmp_path, reason)
    reasons = ("completed", "diverged", "time_limit")
    kept = [make_run(cell, tmp_path, reason).id for cell, reason in zip(cells[:3], reasons, strict=True)]
    nobody = Worker(lambda *_: pytest.fail("there is nothing to run"))
    assert [run.id for run in mw.sweep(cells[:3], nobody, tmp_path).wait()] == kept
    sweep = mw.sweep(cells, thread, tmp_path)
    assert {run.id for run, _ in zip(sweep, range(3), strict=False)} == set(kept)  # at once
    runs = wait(sweep)
    assert [run.id for run in runs[:3]] == kept
    assert [run.status for run in runs] == [*reasons, *["completed"] * 3]
    assert ended(tmp_path) == dict.fromkeys((cell.id for cell in cells), 1)
    assert len(mw.list_runs(tmp_path)) == 9


def test_a_failed_cell_is_a_named_result(tmp_path, thread):
    cells = mw.grid(EXPERIMENT, device=["cuda:99", "cpu"], seed=range(2))
    sweep = mw.sweep(cells, thread, tmp_path)
    assert [run.status for run in wait(sweep)] == ["crashed", "crashed", "completed", "completed"]
    assert list(sweep.failures) == cells[:2]
    assert all("device='auto'" in why for why in sweep.failures.values())
    assert "Traceback" in (sweep.runs[0].path / "log.txt").read_text()
    assert (sweep.counts["done"], sweep.counts["failed"]) == (2, 2)


class Hungry:
    """Takes more memory than there is in its second step."""

    def model(self):
        from torch import nn

        return nn.Linear(4, 1)

    def batches(self, batch_size, seed):
        import torch

        while True:
            yield torch.ones(batch_size, 4), torch.ones(batch_size, 1)
            if seed:
                torch.ones(1 << 50)

    def loss(self, outputs, targets):
        return (outputs - targets).square().mean()

    def evaluate(self, predict):
        import os

        import torch

        return {"loss": 0.0, "threads": torch.get_num_threads(), "process": float(os.getpid())}


def test_a_task_of_ones_own_and_one_that_takes_all_memory(tmp_path, thread):
    sweep = mw.sweep(mw.grid(mw.Experiment(task=Hungry, steps=3), seed=range(2)), thread, tmp_path)
    good, bad = wait(sweep)
    assert (good.status, good.metrics["threads"]) == ("completed", 1)
    assert (bad.status, list(sweep.failures)) == ("out_of_memory", [bad.experiment])


BAD_ANSWERS = [
    (RuntimeError("no room in the cluster"), "RuntimeError: no room in the cluster"),
    (SystemExit(3), "SystemExit"),
    (BrokenExecutor("its processes died"), "its processes died"),
    (CancelledError(), "CancelledError"),
    (None, "returns the id of a run"),
    ({"runs": "x"}, "returns the id of a run"),
    ({"run": "../../x"}, "no run's id"),
    ({"run": 3}, "no run's id"),
    ({"run": "20260101-000000000-digits_cnn-fp32-abcd"}, "is not a run"),
    ({"run": "a", "files": {"../x": b""}}, "no file of a run"),
]


@pytest.mark.parametrize(("answer", "why"), BAD_ANSWERS)
def test_whatever_an_executor_gives_the_others_go_on(tmp_path, thread, answer, why):
    def submit(fn, text, *more):
        return told(answer) if '"seed":1' in text else thread.submit(fn, text, *more)

    cells = mw.grid(EXPERIMENT.replace(steps=1), seed=range(3))
    sweep = mw.sweep(cells, Worker(submit), tmp_path)
    assert [run.experiment.seed for run in wait(sweep)] == [0, 2]
    assert list(sweep.failures) == [cells[1]]
    assert why in sweep.failures[cells[1]]
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != ".cells") == [
        run.id for run in sweep.runs
    ]


def test_an_executor_that_takes_no_call_or_loses_them(tmp_path):
    def submit(fn, text, *more):
        if '"seed":0' in text:
            raise RuntimeError("cannot schedule new futures after shutdown")
        future = Future()
        future.cancel()
        return future if '"seed":1' in text else "no future"

    sweep = mw.sweep(mw.grid(EXPERIMENT, seed=range(3)), Worker(submit), tmp_path)
    assert wait(sweep) == []
    refused, cancelled, strange = sweep.failures.values()
    assert "after shutdown" in refused
    assert "cancelled" in cancelled
    assert "AttributeError" in strange


def test_a_run_of_another_experiment_is_refused(tmp_path):
    other = make_run(EXPERIMENT.replace(seed=7), tmp_path)
    sweep = mw.sweep([EXPERIMENT], Worker(lambda *_: told({"run": other.id})), tmp_path)
    assert wait(sweep) == []
    assert "another experiment" in sweep.failures[EXPERIMENT]


def test_only_texts_travel(tmp_path):
    calls = []

    def submit(*call):
        calls.append(call)
        return told({"run": ""})

    sweep = mw.sweep([EXPERIMENT], Worker(submit), tmp_path)
    assert wait(sweep) == []
    ((function, *texts),) = calls
    assert function is run_cell
    assert [type(text) for text in texts] == [str, str, str]
    assert texts[:2] == [EXPERIMENT.to_json(), str(tmp_path)]


def test_a_worker_that_does_not_see_the_folder_sends_its_run_home(tmp_path, thread):
    def submit(fn, text, runs_dir, token):
        return thread.submit(fn, text, runs_dir + "/elsewhere", token)

    cells = mw.grid(EXPERIMENT, device=["cpu", "cuda:99"])
    sweep = mw.sweep(cells, Worker(submit), tmp_path / "runs")
    good, bad = wait(sweep)
    assert (good.status, bad.status) == ("completed", "crashed")
    assert good.path.parent == tmp_path / "runs"
    assert list(good.steps().loss) == [e.loss for e in mw.train(EXPERIMENT) if e.kind == "step"]
    assert good.gradients(1)["conv1.weight"].count
    assert (good.damage, list(sweep.failures)) == ([], [cells[1]])
    assert [path.name for path in tmp_path.iterdir()] == ["runs"]
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == [".cells", good.id, bad.id]


def test_stop_ends_what_runs_and_drops_what_waits(tmp_path, thread):
    sweep = mw.sweep(mw.grid(ENDLESS, seed=range(4)), thread, tmp_path)
    (run,) = until(lambda: mw.list_runs(tmp_path))
    until(lambda: len(run.steps()) > 2)
    assert (sweep.counts["running"], sweep.counts["waiting"], sweep.is_over) == (1, 3, False)
    with pytest.raises(TimeoutError, match="it goes on"):
        sweep.wait(0, progress=False)
    sweep.stop()
    assert (sweep.counts["stopped"], sweep.failures) == (4, {})
    assert [(run.status, run.message) for run in sweep] == [("stopped", "Its sweep was asked to stop.")]
    assert len(mw.list_runs(tmp_path)) == 1
    sweep.stop()


def test_stop_drops_cells_of_workers_that_it_cannot_ask(tmp_path):
    futures = [Future() for _ in range(3)]
    left = iter(futures)
    sweep = mw.sweep(mw.grid(EXPERIMENT, seed=range(3)), Worker(lambda *_: next(left)), tmp_path)
    sweep.stop()
    assert (sweep.counts["stopped"], sweep.failures) == (3, {})
    until(lambda: all(future.cancelled() for future in futures))


def test_a_cell_that_ends_as_soon_as_it_is_asked_to_keeps_its_run(tmp_path, thread, monkeypatch):
    ask, asked, told_late = Cells.ask_to_stop, Event(), Future()
    calls = []

    def ask_and_see_it_end(cells, token):
        ask(cells, token)
        until(lambda: not cells.is_running(ENDLESS.id))
        asked.set()

    def submit(*call):
        calls.append(thread.submit(*call))
        return told_late

    monkeypatch.setattr(Cells, "ask_to_stop", ask_and_see_it_end)
    sweep = mw.sweep([ENDLESS], Worker(submit), tmp_path)
    until(lambda: mw.list_runs(tmp_path))
    with ThreadPoolExecutor(1) as other:
        stopping = other.submit(sweep.stop)
        assert asked.wait(LIMIT_S)
        if told_late not in futures.wait([told_late], timeout=0.3).done:  # not cancelled
            told_late.set_result(calls[0].result())
        stopping.result()
    assert [run.status for run in sweep.runs] == ["stopped"]


def test_a_run_of_a_sweep_is_stopped_like_any_other_and_its_process_left_alone(tmp_path, thread):
    cells = [ENDLESS, EXPERIMENT]
    sweep = mw.sweep(cells, thread, tmp_path)
    (run,) = until(lambda: mw.list_runs(tmp_path))
    until(lambda: run.process_id == os.getpid())
    assert run.stop() == "stopped"
    assert [run.status for run in wait(sweep)] == ["stopped", "completed"]
    assert (sweep.counts["stopped"], sweep.counts["done"]) == (1, 1)


def test_a_worker_that_comes_late_to_a_stopped_sweep_begins_nothing(tmp_path):
    held, release = [], Event()

    def submit(fn, *texts):
        held.append(texts)
        future = Future()
        future.set_running_or_notify_cancel()
        future.add_done_callback(lambda _: release.set())
        held.append(future)
        return future

    sweep = mw.sweep([EXPERIMENT], Worker(submit), tmp_path)
    texts, future = until(lambda: len(held) == 2 and held)
    with ThreadPoolExecutor(1) as other:
        stopping = other.submit(sweep.stop)
        until(lambda: Cells(tmp_path).is_stopped(texts[2]))
        future.set_result(run_cell(*texts))
        stopping.result()
    assert (sweep.counts["stopped"], mw.list_runs(tmp_path)) == (1, [])
    assert run_cell(*texts) == {"run": ""}


def test_two_sweeps_over_the_same_cells_run_each_once(tmp_path):
    cells = mw.grid(EXPERIMENT, seed=range(4))
    with ThreadPoolExecutor(2) as one, ThreadPoolExecutor(2) as other:
        sweeps = [mw.sweep(cells, one, tmp_path), mw.sweep(cells[::-1], other, tmp_path)]
        first, second = map(wait, sweeps)
    assert [run.id for run in first] == [run.id for run in second[::-1]]
    assert len(mw.list_runs(tmp_path)) == 4


def test_async_for(tmp_path, thread):
    async def main():
        ticks = 0

        async def tick():
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0)

        ticking = asyncio.create_task(tick())
        seeds = [run.experiment.seed async for run in mw.sweep(cells, thread, tmp_path)]
        ticking.cancel()
        return seeds, ticks

    cells = mw.grid(EXPERIMENT, seed=range(3))
    seeds, ticks = asyncio.run(main())
    assert seeds == [0, 1, 2]
    assert ticks > len(seeds)  # others had their turn meanwhile


def test_wait_shows_a_bar(tmp_path, thread, capsys, monkeypatch):
    monkeypatch.setattr("tqdm.auto.tqdm", lambda **given: tqdm(**{**given, "delay": 0}))
    from tqdm import tqdm

    mw.sweep(mw.grid(EXPERIMENT, device=["cpu", "cuda:99"]), thread, tmp_path).wait()
    shown = capsys.readouterr().err
    assert "2/2" in shown
    assert "failed=1" in shown


def test_nothing_to_do_is_over_at_once(tmp_path):
    sweep = mw.sweep([], runs_dir=tmp_path)
    assert (sweep.is_over, list(sweep), sweep.wait()) == (True, [], [])
    assert repr(sweep) == "<Sweep of 0: nothing to do>"
    assert len(mw.sweep([EXPERIMENT, EXPERIMENT], Worker(lambda *_: told(None)), tmp_path).experiments) == 1


class Client:
    """Dask's has this method too."""

    def get_executor(self): ...


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((EXPERIMENT,), r"sweep\(grid"),
        (("digits_cnn",), r"sweep\(grid"),
        ((3,), "got an? int"),
        (([EXPERIMENT, "digits_cnn"],), "a str is among them"),
        (([EXPERIMENT], 4), "got a int"),
        (([EXPERIMENT], Client()), r"client.get_executor\(\)"),
    ],
)
def test_mistakes_teach(tmp_path, given, message):
    with pytest.raises(TypeError, match=message):
        mw.sweep(*given, runs_dir=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_workers_are_as_many_as_are_asked_for(tmp_path, monkeypatch, thread):
    asked = []
    monkeypatch.setattr(
        "mixwidgets.runs.scheduler.sweep.local_pool", lambda slots, workers: asked.append(workers) or thread
    )
    mw.sweep([EXPERIMENT], runs_dir=tmp_path, workers=2).stop()
    mw.sweep([EXPERIMENT], runs_dir=tmp_path, workers="2^2").stop()
    assert asked == [2, 4]
    for wrong, error in ((0, ValueError), (2.0, TypeError)):
        with pytest.raises(error, match="workers takes a whole number from 1"):
            mw.sweep([EXPERIMENT], runs_dir=tmp_path, workers=wrong)
    with pytest.raises(ValueError, match="workers or an executor"):
        mw.sweep([EXPERIMENT], thread, tmp_path, workers=2)


def test_a_folder_that_cannot_be_written_teaches(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="give runs_dir a folder"):
        mw.sweep([EXPERIMENT], runs_dir=tmp_path / "file")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / ".cells").symlink_to(tmp_path)
    with pytest.raises(OSError, match="is a link"):
        mw.sweep([EXPERIMENT], runs_dir=tmp_path / "runs")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "runs"]


def test_stop_drops_what_waits_where_nothing_can_be_written(tmp_path):
    busy, handed_out = Event(), []

    class Pool(ThreadPoolExecutor):
        def submit(self, *given):
            future = super().submit(*given)
            handed_out.append(future)
            return future

    with Pool(1) as pool:
        pool.submit(busy.wait)
        sweep = mw.sweep(mw.grid(EXPERIMENT, seed=range(3)), pool, tmp_path)
        until(lambda: len(handed_out) == 4)
        shutil.rmtree(tmp_path / ".cells")
        with pytest.raises(OSError, match="No such file"):
            sweep.stop()
        busy.set()
    until(lambda: sweep.is_over)
    assert (sweep.counts["stopped"], sweep.runs) == (3, [])


def test_without_loky_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "loky", None)
    with pytest.raises(
        ModuleNotFoundError, match=r"pip install 'mixwidgets\[sweep\]', or give it an executor"
    ):
        mw.sweep([EXPERIMENT], runs_dir=tmp_path)


def test_a_torch_that_cannot_train_is_told_before_the_first_cell(tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.metadata.version", lambda name: "2.8.1+cpu")
    with pytest.raises(ImportError, match=r"torch 2\.9 or newer"):
        mw.sweep([EXPERIMENT], runs_dir=tmp_path)
    assert mw.list_runs(tmp_path) == []


def test_the_sweeping_process_loads_no_torch():
    code = "import mixwidgets, sys; mixwidgets.sweep, mixwidgets.grid; print('torch' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "False"
