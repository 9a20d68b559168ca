"""What students' functions do: python -m tests.attacks.functions, in a process with limits, checks each.

Prints a line of JSON for each: its name, what `check` said, and whether the process is as it was. To add an
attack, add a function to `ATTACKS`.
"""

import json
import os
import resource
import signal
import sys
import time

import numpy as np
import torch

MEMORY = 2 << 30  # bytes of data
SECONDS = 60  # of a core, to fail rather than hang


class SlowRepr:
    def __repr__(self):
        deadline = time.monotonic() + 8
        while time.monotonic() < deadline:
            pass
        return "late"


class ExitingError(Exception):
    def __str__(self):
        raise SystemExit(3)


def slow_repr(*_):
    return SlowRepr()


def thirty_million(*_):
    return [0.5] * 30_000_000


def a_text_that_exits(*_):
    raise ExitingError


def deep_recursion(*_):
    sys.setrecursionlimit(10**9)
    return max([0], key=deep_recursion)


def a_loop_that_catches_all(*_):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass


def one_long_product(*_):
    return 10**10**9


def an_exit(*_):
    os._exit(0)


def a_kill(*_):
    os.kill(os.getpid(), signal.SIGKILL)


def other_settings(*_):
    np.seterr(all="raise")
    torch.set_default_dtype(torch.float64)
    torch.set_grad_enabled(False)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    sys.setrecursionlimit(100)
    return 0


def a_fork(*_):
    os.fork()
    return 0


def a_question(*_):
    return input("your answer: ")


ATTACKS = (
    slow_repr,
    thirty_million,
    a_text_that_exits,
    deep_recursion,
    a_loop_that_catches_all,
    one_long_product,
    an_exit,
    a_kill,
    other_settings,
    a_fork,
    a_question,
)


def settings():
    mask = sorted(signal.pthread_sigmask(signal.SIG_BLOCK, []))
    torchs = [str(torch.get_default_dtype()), torch.is_grad_enabled(), torch.get_num_threads()]
    return [mask, np.geterr(), torchs, sys.getrecursionlimit()]


def main():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    import mixwidgets as mw
    from mixwidgets.teaching.exercises import coding

    coding.LIMIT_S = 0.5
    before = settings()
    for attack in ATTACKS:
        said = repr(mw.check("longest-skip", attack, lang="en"))
        print(json.dumps([attack.__name__, said, settings() == before]), flush=True)


if __name__ == "__main__":
    main()
