"""Judges what a student's function does in a process of its own, so that the kernel is as it was before.

The process is a fork, which costs milliseconds and has everything that the function refers to. It is killed
when a case takes too long, also where Python cannot interrupt it. On Windows there is no fork, and on macOS
libraries break in one: there the kernel judges, and what the function changed is restored.
"""

import builtins
import io
import json
import os
import select
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import IO, Any, NamedTuple

import numpy as np

from mixwidgets.runs.store import system

Judge = Callable[[], dict[str, str] | None]

_GRACE_S = 1.0  # for the fork, and for Python's own interruption, whose words are better
_MOST_PRINTED = 100_000  # characters


class Outcome(NamedTuple):
    """What came of judging the cases in turn."""

    failure: dict[str, str] | None = None
    """What the first judge returned that found a failure; None if none did."""
    number: int = -1
    """The case at which the process ended or was killed; negative if it judged to the end."""
    cause: str = ""
    """Why it ended, such as "SIGSEGV"; empty if it was killed because it took too long."""


def first_failure(judges: Sequence[Judge], limit_s: float) -> Outcome:
    """The first result of the judges that is not None. One takes about `limit_s` seconds at most.

    What they print is printed here. KeyboardInterrupt is passed on, from here and from there.
    """
    if not system.can_fork():
        with _restored():
            return Outcome(next(filter(None, (judge() for judge in judges)), None))
    read, write = os.pipe()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    if not (child := system.fork()):
        _judge(judges, write)
    os.close(write)
    try:
        with os.fdopen(read, "rb", buffering=0) as answers:
            return _outcome(answers, child, limit_s + _GRACE_S)
    finally:
        system.kill(child)
        with suppress(ChildProcessError):  # it was waited for
            os.waitpid(child, 0)


def _judge(judges: Sequence[Judge], answers: int) -> None:
    """In the fork, which ends here: answer with the number of each case as it begins, then with the end."""
    me, end = os.getpid(), dict[str, Any]()
    try:
        # Threads of torch and the kernel's sockets do not live in a fork.
        sys.stdout = sys.stderr = printed = io.StringIO()
        builtins.input = _no_input
        if torch := sys.modules.get("torch"):
            torch.set_num_threads(1)
        for number, judge in enumerate(judges):
            os.write(answers, b"%d\n" % number)
            if failure := judge():
                end["failure"] = failure
                break
        end["printed"] = printed.getvalue()[:_MOST_PRINTED]
    except KeyboardInterrupt:
        end["is_interrupted"] = True
    finally:
        if os.getpid() == me:  # and not a fork of the function's
            with suppress(BaseException), os.fdopen(answers, "wb") as file:
                file.write(json.dumps(end).encode() + b"\n")
        os._exit(0)


def _outcome(answers: IO[bytes], child: int, limit_s: float) -> Outcome:
    number, unread = 0, b""
    while select.select([answers], [], [], limit_s)[0]:
        read = answers.read(1 << 16)
        *lines, unread = (unread + read).split(b"\n")
        for line in lines:
            if not line.startswith(b"{"):
                number = int(line)
                continue
            end = json.loads(line)
            if end.get("is_interrupted"):
                raise KeyboardInterrupt
            print(end.get("printed", ""), end="")
            return Outcome(end.get("failure"))
        if not read:
            return Outcome(None, number, _cause(child))
    return Outcome(None, number)


def _cause(child: int) -> str:
    """How the fork ended."""
    try:
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    except ChildProcessError:
        return "?"
    return signal.Signals(-code).name if code < 0 else f"os._exit({code})"


def _no_input(*_: object) -> str:
    raise RuntimeError("input() asks nobody while a function is checked")


@contextmanager
def _restored() -> Iterator[None]:
    """Restore what a function may have changed in the kernel."""
    torch = sys.modules.get("torch")
    depth, errors, printing = sys.getrecursionlimit(), np.geterr(), np.get_printoptions()
    dtype, has_grad = (torch.get_default_dtype(), torch.is_grad_enabled()) if torch else (None, True)
    try:
        with system.signal_mask_kept():
            yield
    finally:
        sys.setrecursionlimit(depth)
        np.seterr(**errors)
        np.set_printoptions(**printing)
        if torch:
            torch.set_default_dtype(dtype)
            torch.set_grad_enabled(has_grad)
