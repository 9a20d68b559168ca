"""launch: a run in its own process, so that its failures do not affect the kernel."""

import errno
import os
import shutil
import subprocess
import threading
from collections.abc import Iterable
from pathlib import Path

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.scheduler import processes
from mixwidgets.runs.store import system
from mixwidgets.runs.store.devices import slot_of
from mixwidgets.runs.store.journal import create_run
from mixwidgets.runs.store.lock import take_lock, write_note
from mixwidgets.runs.store.queue import join, queue_of
from mixwidgets.runs.store.run import Run
from mixwidgets.runs.store.status import process_note
from mixwidgets.runs.task.own_task import check_trust
from mixwidgets.support.files import errors_explained
from mixwidgets.support.installed import require_training

_TOO_MANY = (
    "A run cannot be started: this process has as many open files as it may, one of them for each run that "
    "it launched and that is not over. Wait for some of them, launch the experiments as a sweep, or allow "
    "more files with `ulimit -n`"
)
_kernel_ends: set[int] = set()  # of the pipes through which runs see that this process is alive


def launch(
    experiment: Experiment,
    runs_dir: str | os.PathLike[str] = "runs",
    outlive_kernel: bool = False,
    trust_source: bool = False,
) -> Run:
    """Start the experiment in its own process and return at once.

    Runs wait for a slot of their device: one per GPU, one per core of the CPU. All notebooks, sweeps and runs
    folders of a user share the slots of a machine. A notebook's runs start in the order of their launch, and
    notebooks take turns. Until then the run is "queued" (`Run.queue_position`). The process has its own
    session, so interrupting the cell or the terminal does not affect it; it ends with the process that
    launched it, unless `outlive_kernel`. Its records are a new directory in `runs_dir`. A user's task that
    came from a run or a file, not from a class of this session, is executed only with `trust_source`;
    otherwise ValueError. TypeError unless it is an Experiment, ModuleNotFoundError if torch is missing,
    ImportError if torch is too old, OSError if `runs_dir` cannot be written, and on Windows, where runs
    cannot have their own process (use WSL).
    """
    if not isinstance(experiment, Experiment):
        raise TypeError(
            f"launch takes an Experiment; got a {type(experiment).__name__}. "
            "Write launch(Experiment(task='digits_cnn', recipe='fp16_dynamic'))."
        )
    check_trust(experiment.task, experiment.task_source, trust_source)
    system.require_processes(
        "launch", "mw.TrainingLab() trains in the kernel's own process, and so does mw.train(experiment)"
    )
    require_training()
    with errors_explained("A run cannot be started", "change to a folder that exists, with os.chdir"):
        Path.cwd()  # which the run's process inherits; FileNotFoundError if it was deleted
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
        words = [os.fspath(path.absolute()), f"--lock={lock}", f"--ticket={os.fspath(ticket)}"]
        words += [f"--ticket-lock={ticket_lock}", *(f"--kernel-pipe={end}" for end in run_end)]
        with (path / "log.txt").open("xb") as log:
            process = processes.start(words, log, handed_down)
        write_note(lock, process_note(process.pid))  # the process that `Run.stop` may kill while it waits
    except BaseException as error:  # including an interruption of the cell
        _close([*kernel_end, *handed_down])  # first, because removing needs one
        handed_down.clear()
        shutil.rmtree(path, ignore_errors=True)  # it would stay queued forever
        if isinstance(error, OSError) and error.errno == errno.EMFILE:
            raise OSError(error.errno, _TOO_MANY) from None
        raise
    finally:
        _close(handed_down)
    threading.Thread(target=_reap, args=(process, kernel_end), name=f"reap {path.name}", daemon=True).start()
    return Run(path)


def _kernel_pipe(outlive_kernel: bool) -> tuple[list[int], list[int]]:
    """The kernel's end and the run's end of a pipe to which nothing is written: when the kernel ends, in
    whatever way, the run reads end of file. Both are empty for a run that outlives its kernel."""
    if outlive_kernel:
        return [], []
    run_end, kernel_end = os.pipe()
    _kernel_ends.add(kernel_end)
    return [kernel_end], [run_end]


def _reap(process: subprocess.Popen[bytes], kernel_end: list[int]) -> None:
    """Wait for the process, so that it leaves no zombie, and keep the kernel's end open until then."""
    process.wait()
    _close(kernel_end)


def _close(descriptors: Iterable[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)
        _kernel_ends.discard(descriptor)


# Keep forks of this process, such as multiprocessing's, from keeping its runs alive.
system.in_every_fork(lambda: _close([*_kernel_ends]))
