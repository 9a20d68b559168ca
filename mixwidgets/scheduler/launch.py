"""launch: a run in a process of its own, so that its failures leave the kernel alone."""

import os
import shutil
import subprocess
import threading
from collections.abc import Iterable
from pathlib import Path

from mixwidgets.experiments.experiment import Experiment
from mixwidgets.installed import require_training
from mixwidgets.scheduler import processes
from mixwidgets.store import system
from mixwidgets.store.devices import slot_of
from mixwidgets.store.journal import create_run
from mixwidgets.store.lock import take_lock, write_note
from mixwidgets.store.queue import join, queue_of
from mixwidgets.store.run import Run
from mixwidgets.store.status import process_note
from mixwidgets.task.source import check_trust

_kernel_ends: set[int] = set()  # of the pipes by which runs know that this process lives


def launch(
    experiment: Experiment,
    runs_dir: str | os.PathLike[str] = "runs",
    outlive_kernel: bool = False,
    trust_source: bool = False,
) -> Run:
    """Start the experiment in a process of its own and return at once.

    Runs wait for a slot of their device: one on a GPU, one for each core on the CPU. All notebooks, sweeps
    and runs folders of a user share the slots of a machine. A notebook's runs go in the order in which they
    were launched, and notebooks take turns. Until then the run is "queued" (`Run.queue_position`). The
    process has its own session, so interrupting the cell or the terminal leaves it alone; it ends with the
    process that launched it, unless `outlive_kernel`. Its records are a new directory in `runs_dir`.
    A task of a user's own that came from a run or a file, not from a class of this session, is executed only
    with `trust_source`; else ValueError. TypeError for what is no Experiment, ModuleNotFoundError where torch
    or scikit-learn is missing, ImportError where torch is too old, OSError where `runs_dir` cannot be
    written, and on Windows, which has no such processes (its WSL has).
    """
    if not isinstance(experiment, Experiment):
        raise TypeError(
            f"launch takes an Experiment; a {type(experiment).__name__} came. "
            "Write launch(Experiment(task='digits_cnn', recipe='fp16_dynamic'))."
        )
    check_trust(experiment.task, experiment.task_source, trust_source)
    system.require_processes(
        "launch", "mw.TrainingLab() trains in the kernel's own process, and so does mw.train(experiment)"
    )
    require_training()
    path = create_run(experiment, runs_dir)
    kernel_end: list[int] = []
    handed_down: list[int] = []
    try:
        kernel_end, run_end = _kernel_pipe(outlive_kernel)
        handed_down += run_end
        lock = take_lock(path / "lock")
        handed_down.append(lock)
        queue = queue_of(slot_of(experiment.device))
        ticket, ticket_lock = join(queue, f"process{os.getpid()}", path.name, path.parent)
        handed_down.append(ticket_lock)
        process = _start(path, lock, ticket, ticket_lock, run_end, handed_down)
        write_note(lock, process_note(process.pid))  # whom `Run.stop` may end while the run waits
    except BaseException:  # the cell's interruption too
        _close(kernel_end)
        shutil.rmtree(path, ignore_errors=True)  # it would stay queued for ever
        raise
    finally:
        _close(handed_down)
    threading.Thread(target=_reap, args=(process, kernel_end), name=f"reap {path.name}", daemon=True).start()
    return Run(path)


def _kernel_pipe(outlive_kernel: bool) -> tuple[list[int], list[int]]:
    """The kernel's end and the run's end of a pipe that nothing is written to: when the kernel is gone,
    however it went, the run reads the end of file. Both empty for a run that outlives its kernel."""
    if outlive_kernel:
        return [], []
    run_end, kernel_end = os.pipe()
    _kernel_ends.add(kernel_end)
    return [kernel_end], [run_end]


def _start(
    path: Path, lock: int, ticket: Path, ticket_lock: int, run_end: list[int], handed_down: list[int]
) -> subprocess.Popen[bytes]:
    words = [os.fspath(path.absolute()), "--lock", str(lock)]
    words += ["--ticket", os.fspath(ticket), "--ticket-lock", str(ticket_lock)]
    for descriptor in run_end:
        words += ["--kernel-pipe", str(descriptor)]
    with (path / "log.txt").open("xb") as log:
        return processes.start(words, log, handed_down)


def _reap(process: subprocess.Popen[bytes], kernel_end: list[int]) -> None:
    """Wait for the process, so that it leaves no zombie, and hold the kernel's end open meanwhile."""
    process.wait()
    _close(kernel_end)


def _close(descriptors: Iterable[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)
        _kernel_ends.discard(descriptor)


def _close_in_fork() -> None:
    """A fork of this process, such as multiprocessing's, does not keep its runs alive."""
    _close([*_kernel_ends])


system.in_every_fork(_close_in_fork)
