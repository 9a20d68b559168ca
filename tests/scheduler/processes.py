"""The worker processes of a pool."""

import psutil


def workers(process_id=None):
    """Those of loky's that this process, or another, started and that live."""
    return [child for child in psutil.Process(process_id).children() if _is_worker(child)]


def _is_worker(process):
    try:
        return process.status() != psutil.STATUS_ZOMBIE and "popen_loky_posix" in " ".join(process.cmdline())
    except psutil.NoSuchProcess:  # it has just ended
        return False
