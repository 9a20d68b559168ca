"""Files of a run directory: hostile files are read safely, and writing survives crashes and full disks."""

import errno
import json
import os
import re
import secrets
import stat
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from mixwidgets.store import system


def _no_constant(name: str) -> None:
    raise ValueError(f"it holds a bare {name}")


_JSON = json.JSONDecoder(parse_constant=_no_constant)
_CHECKSUM = re.compile(rb',"crc32":"([0-9a-f]{8})"\}\n?\Z')
_DISK_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def is_disk_full(error: BaseException) -> bool:
    """Whether `error` means that there is no space (disk, quota or file-size limit)."""
    return isinstance(error, OSError) and error.errno in _DISK_FULL


@contextmanager
def errors_told(what: str, fix: str) -> Iterator[None]:
    """Gives an OSError inside `with` a message with what failed, the system's reason, and the fix."""
    try:
        yield
    except OSError as error:
        raise type(error)(error.errno, f"{what} ({error.strerror}): {fix}") from None


def with_checksum(record: Mapping[str, Any]) -> bytes:
    """One line of JSON whose last key, "crc32", is the CRC-32 of the same line without it."""
    body = json.dumps(record, separators=(",", ":"), allow_nan=False).encode()
    return body[:-1] + b',"crc32":"%08x"}\n' % zlib.crc32(body)


def without_checksum(line: bytes) -> dict[str, Any]:
    """The record in a line of `with_checksum`. ValueError says what is wrong with the line."""
    found = _CHECKSUM.search(line)
    if not found:
        raise ValueError("there is no checksum at its end")
    body = line[: found.start()] + b"}"
    if int(found[1], 16) != zlib.crc32(body):
        raise ValueError("the checksum does not match")
    try:
        record = _JSON.decode(body.decode())
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(record, dict):
        raise ValueError("it is no JSON object")
    return record


def open_plain_file(path: Path) -> int:
    """A descriptor for reading. ValueError for a symlink, FIFO, directory or device."""
    try:
        if system.FOLLOWS_LINKS and path.is_symlink():
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        descriptor = os.open(path, os.O_RDONLY | system.PLAIN | system.NO_WAIT)
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
            raise OSError(errno.ENOSPC, "There is no room left for the record; the partial write was undone")
    except OSError:
        os.ftruncate(descriptor, before)
        raise


def create_file(path: Path, data: bytes) -> None:
    """Create a file with `data`, on disk (fsync) on return; no file is left if that fails."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | system.PLAIN, 0o644)
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


def replace_file(path: Path, data: bytes) -> None:
    """Replace the content of `path` atomically: temporary file, fsync, rename."""
    temporary = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    try:
        create_file(temporary, data)
        system.rename(temporary, path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        if error.filename is None:
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None


def replace_by_reserved(path: Path, reserved: Path, data: bytes) -> None:
    """Like `replace_file`, but uses the space of the file `reserved`, so that it works on a full disk."""
    descriptor = os.open(reserved, os.O_WRONLY | system.PLAIN | system.NO_WAIT)
    try:
        os.write(descriptor, data)
        os.ftruncate(descriptor, len(data))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    system.rename(reserved, path)
