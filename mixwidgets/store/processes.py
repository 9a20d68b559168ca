"""Which process trains or records a run, by what the system says of it."""

import os
import subprocess
from pathlib import Path


def trains(process_id: int, run_path: Path) -> bool:
    """Whether the process was started to train this run, by the command line that the system has of it. The
    directory's own text may be anybody's, and never decides alone who is killed."""
    try:
        command = Path(f"/proc/{process_id}/cmdline").read_bytes().replace(b"\0", b" ")
    except OSError:
        if Path("/proc/self").exists():  # Linux: there is no such process
            return False
        command = _run(["ps", "-ww", "-o", "args=", "-p", str(process_id)])
    paths = {os.fsencode(path) for path in (run_path.absolute(), run_path.resolve())}
    return any(b" -m mixwidgets.training %b " % path in command for path in paths)


def has_open(process_id: int, path: Path) -> bool:
    """Whether the process has the file open. Linux alone tells, and of the user's own processes."""
    try:
        wanted = path.stat()
        return any(_is_same(link, wanted) for link in Path(f"/proc/{process_id}/fd").iterdir())
    except OSError:
        return False


def _is_same(link: Path, wanted: os.stat_result) -> bool:
    try:
        return os.path.samestat(link.stat(), wanted)
    except OSError:
        return False  # closed meanwhile


def _run(command: list[str]) -> bytes:
    """What a command prints; nothing where there is no such command."""
    try:
        return subprocess.run(command, capture_output=True, check=False).stdout
    except OSError:
        return b""
