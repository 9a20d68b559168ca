"""Python as on Windows, as far as Linux can play it: `python -m tests.windows.hidden MODULE [ARGUMENT …]`.

What only POSIX has is hidden before mixwidgets is imported: modules, functions, flags, signals. The
libraries are loaded first, since they were built for this system. `msvcrt` is played by locks of bytes.
"""

import errno
import importlib
import os
import runpy
import select  # noqa: F401 - loaded, so that names of it can be hidden
import shutil
import signal  # noqa: F401
import socket  # noqa: F401
import ssl
import sys
import time  # noqa: F401
import types

LOADED_FIRST = (
    *("asyncio", "multiprocessing.util", "subprocess", "tempfile", "tqdm.auto", "concurrent.futures.process"),
    *("numpy", "pandas", "torch", "sklearn.datasets", "anywidget", "ipywidgets", "typer.testing"),
    *("rich.table", "ml_dtypes", "gfloat", "safetensors.torch"),
)
MODULES = (
    *("fcntl", "grp", "pwd", "resource", "termios", "syslog", "tty", "pty", "curses", "readline", "nis"),
    *("crypt", "spwd"),
)
NAMES = {
    "os": (
        *("O_NOFOLLOW", "O_NONBLOCK", "O_DIRECTORY", "O_SYNC", "O_DSYNC", "O_CLOEXEC", "O_NOCTTY", "O_PATH"),
        *("O_DIRECT", "O_NOATIME", "WNOHANG", "WIFEXITED", "WIFSIGNALED", "WEXITSTATUS", "WTERMSIG"),
        *("wait", "wait3", "wait4", "waitid", "setsid", "getsid", "setpgid", "getpgid", "setpgrp"),
        *("getpgrp", "killpg", "fork", "forkpty", "openpty", "posix_spawn", "pidfd_open", "mkfifo", "mknod"),
        *("geteuid", "getuid", "getgid", "getegid", "getgroups", "setuid", "seteuid", "setgid", "chown"),
        *("fchown", "lchown", "chroot", "fchdir", "nice", "getpriority", "setpriority", "getloadavg"),
        *("sysconf", "confstr", "pathconf", "fpathconf", "uname", "pread", "preadv", "pwrite", "pwritev"),
        *("readv", "writev", "sendfile", "lockf", "fdatasync", "sync", "posix_fallocate", "posix_fadvise"),
        *("statvfs", "fstatvfs", "getxattr", "setxattr", "pipe2", "eventfd", "memfd_create", "getrandom"),
        *("sched_getaffinity", "sched_setaffinity", "sched_yield", "register_at_fork", "environb", "getenvb"),
        *("ttyname", "tcgetpgrp", "ctermid", "fwalk"),
    ),
    "signal": (
        *("SIGKILL", "SIGSTOP", "SIGCONT", "SIGTSTP", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGALRM"),
        *("SIGPIPE", "SIGCHLD", "SIGBUS", "SIGTRAP", "SIGWINCH", "SIGXCPU", "SIGXFSZ", "ITIMER_REAL"),
        *("ITIMER_VIRTUAL", "alarm", "pause", "getitimer", "setitimer", "siginterrupt", "sigwait"),
        *("pthread_kill", "pthread_sigmask"),
    ),
    "socket": ("AF_UNIX", "SCM_RIGHTS", "CMSG_LEN", "send_fds", "recv_fds"),
    "select": ("poll", "epoll", "EPOLLIN", "POLLIN", "PIPE_BUF"),
    "time": ("clock_gettime", "clock_gettime_ns", "clock_getres", "tzset"),
}
"""What Windows lacks of modules that it has."""
ARGUMENTS = ("pass_fds", "preexec_fn", "start_new_session", "process_group", "dir_fd")
"""Of functions of `subprocess` and `os`: Windows refuses or ignores them."""


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
    for where, names in NAMES.items():
        for name in names:
            vars(sys.modules[where]).pop(name, None)
    shutil._use_fd_functions = False  # type: ignore[attr-defined]
    sys.modules["msvcrt"] = types.SimpleNamespace(LK_NBLCK=2, locking=locking)  # type: ignore[assignment]
    ssl.enum_certificates = lambda store: ()  # type: ignore[attr-defined]
    os.O_BINARY = 0
    sys.platform = "win32"


if __name__ == "__main__":
    hide()
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
