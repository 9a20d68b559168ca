"""The folder of a site: writes it, without losing a file of the user's."""

import errno
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path, PurePath

from mixwidgets.support.files import read_plain_file, replace_file

MARK = "mixwidgets-site.json"
_LIMIT = 1 << 20  # bytes of a mark
_LIMIT_OF_PAGE = 16 << 20  # bytes of a page; real ones have less than a megabyte
_ABOUT = "The files of this site, each with the SHA-256 of what may stand in it until the next export."


def write_site(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write the files of a site, by path from `folder`, each atomically. Pages that only a former site has
    are removed; all other files stay.

    FileExistsError, with nothing changed, if the folder has files but no site, or if a page would replace a
    file of the user's or a page that the user changed. A later OSError says that the site is incomplete;
    another export completes it.
    """
    former = former_site(folder)
    for name in files.keys() | former.keys():
        _check_place(folder, name, former.get(name, []), files.get(name))
    wanted = {name: [_hash(data)] for name, data in files.items()}
    either = {name: [*former.get(name, []), *wanted.get(name, [])] for name in former.keys() | wanted.keys()}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _mark(folder, either)  # written first, so that an incomplete site is recognised
        for name, data in files.items():
            path = folder / name
            path.parent.mkdir(exist_ok=True)
            replace_file(path, data)
        for name in former.keys() - files.keys():
            _remove(folder, folder / name)
        _mark(folder, wanted)
    except OSError as error:
        raise OSError(
            error.errno or errno.EIO,
            f"the site is incomplete ({error.strerror or error}); make room or choose another folder, and "
            "export again",
            str(folder),
        ) from None


def former_site(folder: Path) -> dict[str, list[str]]:
    """The files of the site in the folder, with their hashes; none for a new or empty folder, or an empty
    repository. FileExistsError for any other folder."""
    if folder.exists() and not folder.is_dir():
        raise FileExistsError(errno.EEXIST, "this is a file; name a folder for the site", str(folder))
    if not folder.exists() or all(path.name == ".git" for path in folder.iterdir()):
        return {}
    try:
        files = json.loads(read_plain_file(folder / MARK, _LIMIT))["files"]
        return {str(name): [*map(str, hashes)] for name, hashes in files.items()}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        raise FileExistsError(
            errno.EEXIST,
            f"this folder holds files that are not a site's (it has no readable {MARK}); name a new or an "
            "empty folder",
            str(folder),
        ) from None


def _check_place(folder: Path, name: str, known: list[str], wanted: bytes | None) -> None:
    """Raise FileExistsError if the place of a file has something that no export wrote."""
    path = folder / name
    if ".." in PurePath(name).parts or PurePath(name).is_absolute():
        raise FileExistsError(errno.EEXIST, f"{MARK} names a file that is not in this folder", name)
    if path.parent.is_file() or (path.parent != folder and path.parent.is_symlink()):
        path = path.parent  # a file in the place of the page's folder
    if not path.exists() and not path.is_symlink():
        return
    try:
        present = read_plain_file(path, _LIMIT_OF_PAGE)
    except (OSError, ValueError):
        present = None
    if present is None or (_hash(present) not in known and present != wanted):
        raise FileExistsError(
            errno.EEXIST,
            "this file is not as an export wrote it, and would be lost; move it away, or name another folder",
            str(path),
        )


def _remove(folder: Path, path: Path) -> None:
    """Remove a page, and its folder if that is then empty."""
    path.unlink(missing_ok=True)
    if path.parent != folder and path.parent.is_dir() and not any(path.parent.iterdir()):
        path.parent.rmdir()


def _mark(folder: Path, files: Mapping[str, list[str]]) -> None:
    text = json.dumps({"about": _ABOUT, "files": dict(sorted(files.items()))}, indent=1)
    replace_file(folder / MARK, f"{text}\n".encode())


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
