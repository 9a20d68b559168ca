"""watch(path=…): a loop of one's own as a run directory."""

import signal
import subprocess
import sys
import textwrap

import pytest
import torch

import mixwidgets as mw
from mixwidgets.runs.store.watched_loop import WatchedLoop
from tests.observe.watch_twins import Twin, in_bytes
from tests.waiting import until


def scaler():
    return torch.amp.GradScaler("cpu", init_scale=2.0**10, growth_interval=3)


def test_what_was_seen_is_opened_later(tmp_path):
    path = tmp_path / "my_loop"
    twin = Twin(scaler=scaler(), poisoned=(4,))
    watcher = twin.run_watched(6, every=3, path=path)
    run = mw.open_run(path)
    assert (run.status, run.damage) == ("completed", [])
    assert run.experiment == WatchedLoop(model="Sequential", format="float16", every=3)
    assert "Sequential, watched every 3 steps" in repr(run)
    assert in_bytes(run.gradients(1)) == twin.seen[0] == in_bytes(watcher.history[0].summaries)
    assert in_bytes(run.gradients()) == twin.seen[3]
    steps = run.steps()
    assert steps["step"].tolist() == [1, 2, 3, 4, 5, 6]
    assert steps["loss_scale"].tolist() == [2.0**10] * 3 + [2.0**11] + [2.0**10] * 2
    assert steps["skipped"].tolist() == [False] * 3 + [True] + [False] * 2
    assert steps["found_inf"].tolist() == steps["skipped"].tolist()
    assert steps["loss"].iloc[:3].notna().all()
    assert steps["grad_norm"].notna().tolist()[:3] == [True, False, False]
    assert steps["first_non_finite"][3] in dict(twin.net.named_parameters())
    assert run.evaluations().empty


def test_the_norm_is_that_of_the_unscaled_gradients(tmp_path):
    twin = Twin(scaler=scaler(), micro_batches=2)
    twin.run_watched(1, path=tmp_path / "run")
    twin_by_hand = Twin(micro_batches=2).run(1)
    norm = torch.cat([weight.grad.flatten() for weight in twin_by_hand.net.parameters()]).double().norm()
    assert mw.open_run(tmp_path / "run").steps()["grad_norm"].item() == pytest.approx(norm.item(), rel=1e-6)


def test_exports_and_lists_take_it_as_any_run(tmp_path):
    Twin().run_watched(2, path=tmp_path / "my_loop")
    (run,) = mw.list_runs(tmp_path)
    exported = run.export("csv")
    assert "flushed" in (exported / "gradients.csv").read_text().splitlines()[0]
    assert run.export("tensorboard").is_dir()


def test_the_lab_shows_it(tmp_path):
    Twin(scaler=scaler()).run_watched(5, path=tmp_path / "my_loop")
    lab = mw.TrainingLab(tmp_path)
    until(lambda: lab._settled)
    (row,) = lab._rows
    assert (row["recipe"], row["step"], row["status"]) == ("Sequential", 5, "completed")
    assert (row["seed"], row["steps"]) == (None, None)
    assert lab._notice == ""
    lab.close()
    lab = mw.TrainingLab(mw.open_run(tmp_path / "my_loop"))
    lab.close()


def test_stop_leaves_the_owners_process_alone(tmp_path):
    twin = Twin()
    watcher = mw.watch(twin.net, twin.steps_by, path=tmp_path / "my_loop").start()
    twin.step()
    run = mw.open_run(tmp_path / "my_loop")
    assert run.status == "running"
    with pytest.raises(ValueError, match="end it where it runs, in process"):
        run.stop()
    lab = mw.TrainingLab(tmp_path)
    assert lab.stop() is None
    lab.close()
    watcher.stop()
    assert run.stop() == "completed"


def test_an_error_in_the_loop_is_in_the_runs_own_words(tmp_path):
    twin = Twin(poisoned=None)
    with pytest.raises(TypeError):
        twin.run_watched(1, path=tmp_path / "run")
    run = mw.open_run(tmp_path / "run")
    assert run.status == "crashed"
    assert "NoneType" in run.message


def test_an_interrupted_loop_was_stopped(tmp_path):
    twin = Twin()
    with pytest.raises(KeyboardInterrupt), mw.watch(twin.net, twin.steps_by, path=tmp_path / "run"):
        raise KeyboardInterrupt
    assert mw.open_run(tmp_path / "run").status == "stopped"


def test_a_killed_script_leaves_a_run_that_opens(tmp_path):
    script = f"""
        import os, signal, sys, torch, mixwidgets as mw
        model = torch.nn.Linear(3, 2)
        with mw.watch(model, every=2, path={str(tmp_path / "run")!r}) as watcher:
            assert "torch._dynamo" not in sys.modules  # it would take seconds to load
            for step in range(1, 100):
                model(torch.ones(4, 3)).sum().backward()
                if step == 5:
                    os.kill(os.getpid(), signal.SIGKILL)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], check=False)
    assert done.returncode == -signal.SIGKILL
    run = mw.open_run(tmp_path / "run")
    assert (run.status, run.damage) == ("interrupted", [])
    assert run.steps()["step"].tolist() == [1, 2, 3, 4, 5]
    assert set(run.gradients(5)) == {"weight", "bias"}


@pytest.mark.parametrize("there", ["a file", "a folder with something in it", "a link to nowhere"])
def test_a_path_that_is_taken(tmp_path, there):
    path = tmp_path / "run"
    if there == "a file":
        path.write_text("mine")
    elif there == "a link to nowhere":
        path.symlink_to(tmp_path / "nowhere")
    else:
        path.mkdir()
        (path / "mine").write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    twin = Twin()
    with pytest.raises(FileExistsError, match=r"not an empty folder.*give path a new folder"):
        mw.watch(twin.net, twin.steps_by, path=path).start()
    assert sorted(tmp_path.rglob("*")) == before
    assert not twin.net[0]._forward_hooks


def test_a_path_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    twin = Twin()
    with pytest.raises(OSError, match="cannot be recorded in"):
        mw.watch(twin.net, twin.steps_by, path=tmp_path / "file" / "run").start()


def test_hooks_that_cannot_be_placed_end_the_run(tmp_path, monkeypatch):
    twin = Twin()
    monkeypatch.setattr(twin.steps_by, "register_step_post_hook", lambda hook: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        mw.watch(twin.net, twin.steps_by, path=tmp_path / "run").start()
    assert mw.open_run(tmp_path / "run").status == "crashed"


def test_what_another_device_computes_is_read_a_step_later_or_when_asked(tmp_path):
    twin = Twin()
    watcher = mw.watch(twin.net, twin.steps_by, every=1, path=tmp_path / "run")
    watcher._observer._steps_behind = 1  # as on a GPU
    with watcher:
        twin.run(3)
        recorded = mw.open_run(tmp_path / "run").steps()["step"].tolist()
        assert recorded == [1, 2]
        assert watcher.step == 3
        assert mw.open_run(tmp_path / "run").steps()["step"].tolist() == [1, 2, 3]
        assert [in_bytes(snapshot.summaries) for snapshot in watcher.history] == twin.seen


def test_an_empty_folder_will_do_and_a_second_run_is_put_beside_it(tmp_path):
    twin = Twin()
    (tmp_path / "run").mkdir()
    watcher = twin.run_watched(2, path=tmp_path / "run")
    with watcher:
        twin.run(3)
    assert mw.open_run(tmp_path / "run").steps()["step"].tolist() == [1, 2]
    assert mw.open_run(tmp_path / "run-2").steps()["step"].tolist() == [3, 4, 5]


def test_a_full_disk_ends_watching_and_not_training(tmp_path, monkeypatch):
    plain, twin = Twin().run(4), Twin()
    watcher = mw.watch(twin.net, twin.steps_by, every=1, path=tmp_path / "run").start()
    twin.run(2)
    monkeypatch.setattr("mixwidgets.runs.store.journal.write_snapshot", _full)
    with pytest.warns(RuntimeWarning, match="No space left"):
        twin.run(2)
    watcher.stop()
    assert twin.seen == plain.seen
    run = mw.open_run(tmp_path / "run")
    assert run.status == "disk_full"
    assert run.steps()["step"].tolist() == [1, 2, 3]


def _full(*_):
    raise OSError(28, "No space left on device")


def test_a_watched_loop_survives_json():
    loop = WatchedLoop(model="Net", format="bfloat16", every=7)
    assert WatchedLoop.from_dict(loop.to_dict()) == loop


@pytest.mark.parametrize(
    "changes",
    [{"schema": 2}, {"every": 0}, {"every": True}, {"model": 3}, {"format": "float61"}, {"seed": 1}],
)
def test_a_watched_loop_that_is_none(changes):
    fields = {**WatchedLoop(model="Net", format="bfloat16", every=7).to_dict(), **changes}
    with pytest.raises((ValueError, TypeError)):
        WatchedLoop.from_dict(fields)


@pytest.mark.parametrize(
    ("poisoned", "by", "says"), [((), None, False), ((2,), scaler(), False), ((2,), None, True)]
)
def test_a_run_that_ends_with_nan_says_so(tmp_path, poisoned, by, says):
    Twin(poisoned=poisoned, scaler=by).run_watched(3, path=tmp_path / "run")
    run = mw.open_run(tmp_path / "run")
    assert run.status == "completed"
    assert ("inf or NaN" in run.message) == says
