"""launch: a run in its own process, so that its failures do not affect the kernel."""

import atexit
import errno
import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.scheduler import processes, waiting
from mixwidgets.runs.scheduler.slots import until_near
from mixwidgets.runs.store import system
from mixwidgets.runs.store.devices import slot_of
from mixwidgets.runs.store.journal import create_run
from mixwidgets.runs.store.lock import take_lock
from mixwidgets.runs.store.queue import join, queue_of
from mixwidgets.runs.store.run import Run
from mixwidgets.runs.store.status import ALIVE, current_status
from mixwidgets.runs.task.own_task import check_trust
from mixwidgets.support.files import errors_explained
from mixwidgets.support.installed import require_training

_TOO_MANY = (
    "A run cannot be started: this process has as many open files as it may. Close some of them, or allow "
    "more with `ulimit -n`"
)
_ending: list[Path] = []  # the launched runs that end with this process


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
    handed_down: list[int] = []
    try:
        lock = take_lock(path / "lock")
        handed_down.append(lock)
        queue = queue_of(slot_of(experiment.device))
        ticket, ticket_lock = join(queue, f"process{os.getpid()}", path.name, path.parent)
        handed_down.append(ticket_lock)
        kernel = None if outlive_kernel else processes.kernel_pipe()
        run = processes.QueuedRun(path.absolute(), lock, ticket, ticket_lock, kernel)
        if until_near(ticket):
            waiting.hand_over(run)
        else:
            processes.start(run)
    except BaseException as error:  # including an interruption of the cell
        _close(handed_down)  # first, because removing needs one
        handed_down.clear()
        shutil.rmtree(path, ignore_errors=True)  # it would stay queued forever
        if isinstance(error, OSError) and error.errno == errno.EMFILE:
            raise OSError(error.errno, _TOO_MANY) from None
        raise
    finally:
        _close(handed_down)
    if not outlive_kernel:
        _ending.append(path)
    return Run(path)


def _close(descriptors: Iterable[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


system.in_every_fork(_ending.clear)


@atexit.register
def _say_what_ends() -> None:
    """For a script that launches and does not wait, whose runs would end in silence."""
    alive = [path for path in _ending if current_status(path).word in ALIVE]
    if alive:
        runs = "1 run ends" if len(alive) == 1 else f"{len(alive)} runs end"
        print(
            f"mixwidgets: {runs} with this process; see `mixwidgets runs --runs-dir {alive[0].parent}`. To "
            "wait for a run and see its progress, write run.wait(); to let it go on, "
            "launch(…, outlive_kernel=True).",
            file=sys.stderr,
        )
