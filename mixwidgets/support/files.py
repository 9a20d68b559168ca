"""Files that others can change, or whose writing a crash or a full disk can interrupt.

Links and devices are refused, and a file is replaced whole or not at all. Windows has neither O_NOFOLLOW nor
a rename over a file that is being read: there links are looked for first, and a rename is tried for a second.
"""

import errno
import os
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PLAIN = getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
"""Flags of `os.open` for all files: binary, and symlinks are not followed."""
FOLLOWS_LINKS = not hasattr(os, "O_NOFOLLOW")
"""Whether `os.open` follows symlinks in spite of PLAIN."""
NO_WAIT = getattr(os, "O_NONBLOCK", 0)
"""A flag of `os.open`: do not wait for the writer of a FIFO."""

_MODE = 0o666  # less the umask: the user decides who may read
_PATIENCE_S = 1.0
_DISK_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def is_disk_full(error: BaseException) -> bool:
    """Whether `error` means that there is no space (disk, quota or file-size limit)."""
    return isinstance(error, OSError) and error.errno in _DISK_FULL


@contextmanager
def errors_explained(what: str, fix: str) -> Iterator[None]:
    """Gives an OSError inside `with` a message with what failed, the system's reason, and the fix."""
    try:
        yield
    except OSError as error:
        raise type(error)(error.errno, f"{what} ({error.strerror}): {fix}") from None


def open_plain_file(path: Path) -> int:
    """A descriptor for reading. ValueError for a symlink, FIFO, directory or device."""
    try:
        if FOLLOWS_LINKS and path.is_symlink():
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        descriptor = os.open(path, os.O_RDONLY | PLAIN | NO_WAIT)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO, errno.EOPNOTSUPP):  # of a socket: Linux, macOS
            raise ValueError(f"{path.name} is a link or a socket, not a plain file") from None
        raise
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise ValueError(f"{path.name} is not a plain file")


def read_plain_file(path: Path, limit: int) -> bytes:
    """The content of a plain file of at most `limit` bytes. ValueError or OSError otherwise."""
    with os.fdopen(open_plain_file(path), "rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise ValueError(f"{path.name} is larger than {limit} bytes")
    return data


def write_once(descriptor: int, data: bytes) -> None:
    """Append with a single write. OSError, with the file unchanged, if not all bytes fit."""
    before = os.fstat(descriptor).st_size
    try:
        if os.write(descriptor, data) < len(data):
            raise OSError(errno.ENOSPC, "There is no room left on the disk")
    except OSError:
        os.ftruncate(descriptor, before)
        raise


def create_file(path: Path, data: bytes) -> None:
    """Create a file with `data`, on disk (fsync) on return; no file is left if that fails."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | PLAIN, _MODE)
    try:
        with os.fdopen(descriptor, "wb", buffering=0):
            write_once(descriptor, data)
            os.fsync(descriptor)
    except OSError:
        path.unlink()
        raise


def create_mark(path: Path, words: str = "") -> None:
    """Create a file at `path` with `words` in it, unless something exists there. Follows no links."""
    with suppress(FileExistsError):
        create_file(path, words.encode())


def rename(source: Path, target: Path) -> None:
    """Replace a file by another, on disk. Windows refuses while the target is read, so a second is tried."""
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        try:
            source.replace(target)
            break
        except PermissionError:
            if not FOLLOWS_LINKS or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
    if hasattr(os, "O_DIRECTORY"):
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A path for a new file, which on leaving replaces `path` by a rename and keeps its permissions. It is
    to be on disk by then (fsync). Nothing is left of it if that, or anything inside `with`, fails."""
    temporary = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    try:
        yield temporary
        with suppress(FileNotFoundError):
            if stat.S_ISREG(mode := path.lstat().st_mode):
                temporary.chmod(stat.S_IMODE(mode))
        rename(temporary, path)
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename is not None:
            raise OSError(error.errno, error.strerror, os.fspath(path)) from None
        raise


def replace_file(path: Path, data: bytes) -> None:
    """Replace the content of `path` atomically: temporary file, fsync, rename. It keeps its permissions."""
    with replacing(path) as temporary:
        create_file(temporary, data)


def replace_by_reserved(path: Path, reserved: Path, data: bytes) -> None:
    """Like `replace_file`, but uses the space of the file `reserved`, so that it works on a full disk."""
    descriptor = os.open(reserved, os.O_WRONLY | PLAIN | NO_WAIT)
    try:
        os.write(descriptor, data)
        os.ftruncate(descriptor, len(data))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    rename(reserved, path)
