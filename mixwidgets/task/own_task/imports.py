"""What a run's own process can import of the things that the kernel holds.

`launch` starts it with -P: the notebook's folder and later additions to `sys.path` are not on its path.
"""

import functools
import json
import keyword
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType


def import_of(name: str, value: object) -> tuple[ModuleType, str] | None:
    """The module that gives this very object on import, and the import that binds it to `name`."""
    if isinstance(value, ModuleType):
        path = value.__name__
        if not _is_importable(path, value):
            return None
        return value, f"import {path}" if path == name else f"import {path} as {name}"
    made_in = getattr(value, "__module__", None)
    parts = made_in.split(".") if isinstance(made_in, str) else []
    # The shortest package on the way is the public one: sklearn.datasets, not sklearn.datasets._base.
    for length in range(1, len(parts) + 1):
        path = ".".join(parts[:length])
        module = sys.modules.get(path)
        if module is None or not _is_importable(path, module):
            continue
        for attribute in (getattr(value, "__name__", name), name):
            if can_be_imported_as(attribute) and vars(module).get(attribute) is value:
                alias = "" if attribute == name else f" as {name}"
                return module, f"from {path} import {attribute}{alias}"
    return None


def _is_importable(path: str, module: object) -> bool:
    return (
        path != "__main__"
        and can_be_imported_as(path)
        and sys.modules.get(path) is module
        and getattr(module, "__spec__", None) is not None
    )


def can_be_imported_as(path: object) -> bool:
    """Whether an import statement can say this dotted name."""
    return isinstance(path, str) and all(
        part.isidentifier() and not keyword.iskeyword(part) for part in path.split(".")
    )


_PROBE = """
import importlib.util, json, sys
def place(name):
    spec = importlib.util.find_spec(name)
    if spec is None:
        return "missing"
    return spec.origin if spec.has_location else list(spec.submodule_search_locations or ())
print(json.dumps({name: place(name) for name in sys.argv[1:]}))
"""


def unseen(modules: Mapping[str, ModuleType]) -> Iterator[str]:
    """The names whose top-level package a run's process would not find, or would find elsewhere."""
    packages = {name: module.__name__.split(".")[0] for name, module in modules.items()}
    wanted = sorted({*packages.values()} - {"mixwidgets"})  # which `launch` puts on the path itself
    places = _places_in_a_run(tuple(wanted), os.environ.get("PYTHONPATH"))
    for name, package in packages.items():
        if package in places and places[package] != _place(sys.modules.get(package, modules[name])):
            yield name


@functools.lru_cache
def _places_in_a_run(packages: tuple[str, ...], python_path: str | None) -> dict[str, str | list[str]]:
    """Where a process started as `launch` starts it (-P: without the notebook's folder) finds packages."""
    if not packages:
        return {}
    # Frozen standard modules are told by their file, since the kernel may have been started without them.
    command = [sys.executable, "-P", "-X", "frozen_modules=off", "-c", _PROBE, *packages]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=True)
    found = json.loads(done.stdout.splitlines()[-1])
    return {name: _real(place) for name, place in found.items()}


def _place(module: ModuleType) -> str | list[str]:
    return _real(getattr(module, "__file__", None) or list(getattr(module, "__path__", ())))


def _real(place: str | list[str]) -> str | list[str]:
    return os.path.realpath(place) if isinstance(place, str) else [os.path.realpath(item) for item in place]


def why_unseen(module: ModuleType) -> str:
    package = sys.modules.get(module.__name__.split(".")[0], module)
    places = [*getattr(package, "__path__", ()), getattr(package, "__file__", None) or ""]
    folder = str(Path(places[0]).parent)
    return (
        f"comes from {package.__name__}, which a run does not see: its process starts without the notebook's "
        f"folder on its path (install it, or set os.environ['PYTHONPATH'] = {folder!r})"
    )
