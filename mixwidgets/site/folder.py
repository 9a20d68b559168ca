"""The folder of a site: which one may be written to, and how, so that no file of the user's is lost."""

import errno
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path, PurePath

from mixwidgets.store.files import read_plain_file, replace_file

MARK = "mixwidgets-site.json"
_LIMIT = 1 << 20  # bytes of a mark that is read
_LIMIT_OF_PAGE = 16 << 20  # and of a page, which has less than one
_ABOUT = "The files of this site, each with the SHA-256 of what may stand in it until the next export."


def write_site(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write the files of a site, by path from `folder`, each as a whole. What a former site had and this one
    has not is removed; whatever else is in the folder stays.

    Raises FileExistsError, with nothing changed, for a folder that holds other things than a site, and where
    a file of the user's, or one that the user changed, stands in a page's place. An OSError later than that
    tells that the site is incomplete; exporting once more completes it.
    """
    former = former_site(folder)
    for name in files.keys() | former.keys():
        _check_place(folder, name, former.get(name, []), files.get(name))
    wanted = {name: [_hash(data)] for name, data in files.items()}
    either = {name: [*former.get(name, []), *wanted.get(name, [])] for name in former.keys() | wanted.keys()}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _mark(folder, either)  # first: what is begun is known as a site
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
    """The files of the site that is there, with their hashes; none of a new or an empty folder.

    A repository that holds nothing yet is empty. Raises FileExistsError for any other folder.
    """
    if folder.exists() and not folder.is_dir():
        raise FileExistsError(errno.EEXIST, "this is a file; name a folder for the site", str(folder))
    if not folder.exists() or all(path.name == ".git" for path in folder.iterdir()):
        return {}
    try:
        files = json.loads(read_plain_file(folder / MARK, _LIMIT))["files"]
        return {str(name): [str(one) for one in hashes] for name, hashes in files.items()}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        raise FileExistsError(
            errno.EEXIST,
            f"this folder holds files that are not a site's (it has no readable {MARK}); name a new or an "
            "empty folder",
            str(folder),
        ) from None


def _check_place(folder: Path, name: str, known: list[str], wanted: bytes | None) -> None:
    """Raise FileExistsError where something stands that no export wrote."""
    path = folder / name
    if ".." in PurePath(name).parts or PurePath(name).is_absolute():
        raise FileExistsError(errno.EEXIST, f"{MARK} names a file that is not in this folder", name)
    if path.parent.is_file() or (path.parent != folder and path.parent.is_symlink()):
        path = path.parent  # where the page's folder belongs
    if not path.exists() and not path.is_symlink():
        return
    try:
        found = read_plain_file(path, _LIMIT_OF_PAGE)
    except (OSError, ValueError):
        found = None
    if found is None or (_hash(found) not in known and found != wanted):
        raise FileExistsError(
            errno.EEXIST,
            "this file is not as an export wrote it, and would be lost; move it away, or name another folder",
            str(path),
        )


def _remove(folder: Path, path: Path) -> None:
    """Remove a page, and its folder in the site where nothing else is in it."""
    path.unlink(missing_ok=True)
    if path.parent != folder and path.parent.is_dir() and not any(path.parent.iterdir()):
        path.parent.rmdir()


def _mark(folder: Path, files: Mapping[str, list[str]]) -> None:
    text = json.dumps({"about": _ABOUT, "files": dict(sorted(files.items()))}, indent=1)
    replace_file(folder / MARK, f"{text}\n".encode())


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
