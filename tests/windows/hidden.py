"""Python as on Windows, as far as Linux can play it: `python -m tests.windows.hidden MODULE [ARGUMENT …]`.

What only POSIX has is hidden before mixwidgets is imported: modules, functions of `os`, flags, signals. The
libraries are loaded first, since they were built for this system. `msvcrt` is played by locks of bytes.
"""

import errno
import importlib
import os
import runpy
import signal
import sys
import types

LOADED_FIRST = (
    *("asyncio", "multiprocessing.util", "subprocess", "tempfile", "tqdm.auto", "concurrent.futures.process"),
    *("numpy", "pandas", "torch", "sklearn.datasets", "anywidget", "ipywidgets", "typer.testing"),
    *("rich.table", "ml_dtypes", "gfloat", "safetensors.torch"),
)
MODULES = ("fcntl", "grp", "pwd", "resource", "termios", "syslog")
OF_OS = (
    *("O_NOFOLLOW", "O_NONBLOCK", "O_DIRECTORY", "O_SYNC", "O_CLOEXEC", "setsid", "setpgid", "getpgid"),
    *("killpg", "fork", "forkpty", "mkfifo", "mknod", "geteuid", "getuid", "getgid", "getegid", "nice"),
    *("sysconf", "pread", "pwrite", "sched_getaffinity", "sched_setaffinity", "register_at_fork", "statvfs"),
)
OF_SIGNAL = ("SIGKILL", "SIGSTOP", "SIGCONT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGALRM", "pthread_sigmask")


def hide() -> None:
    import fcntl

    for name in LOADED_FIRST:
        importlib.import_module(name)

    def locking(descriptor: int, mode: int, size: int) -> None:
        """Of an open file, as Windows' locks are, and mandatory for nobody."""
        assert (mode, size) == (2, 1)
        assert os.lseek(descriptor, 0, os.SEEK_CUR) >= 1 << 30  # a byte that nobody reads
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise PermissionError(errno.EACCES, "Permission denied") from None

    for name in MODULES:
        sys.modules[name] = None  # type: ignore[assignment]
    for where, names in ((os, OF_OS), (signal, OF_SIGNAL)):
        for name in names:
            if hasattr(where, name):
                delattr(where, name)
    sys.modules["msvcrt"] = types.SimpleNamespace(LK_NBLCK=2, locking=locking)  # type: ignore[assignment]
    os.O_BINARY = 0
    sys.platform = "win32"


if __name__ == "__main__":
    hide()
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
