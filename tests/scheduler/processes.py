"""The worker processes of a pool, and the process of a run that waits."""

import os

import psutil


def workers(process_id=None):
    """Those of loky's that this process, or another, started and that live."""
    return [child for child in psutil.Process(process_id).children() if _is_worker(child)]


def _is_worker(process):
    try:
        return process.status() != psutil.STATUS_ZOMBIE and "popen_loky_posix" in " ".join(process.cmdline())
    except psutil.NoSuchProcess:  # it has just ended
        return False


def waiting_process(run):
    """The process of a launched run whose turn is near."""
    there = [
        one
        for one in psutil.process_iter(["cmdline"])
        if os.fspath(run.path) in (one.info["cmdline"] or []) and one.status() != psutil.STATUS_ZOMBIE
    ]
    return there[0] if there else None
