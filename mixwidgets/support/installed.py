"""Which packages are installed, found without importing them, and their versions."""

import importlib.metadata
import importlib.util
import platform
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from mixwidgets.support.frozen import FrozenDict

if TYPE_CHECKING:
    import torch

_OLDEST_TORCH = (2, 9)  # the first with the settings of float32 products

IN_BROWSER = sys.platform == "emscripten"
"""Whether this Python is Pyodide, as in JupyterLite."""
_FETCHED = ("numpy", "pandas")  # fetched by Pyodide if a cell imports them


def require(what: str, extra: str, *packages: str, instead: str = "") -> None:
    """Raise ModuleNotFoundError, with what to install or do instead, if `what` needs missing packages."""
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    if missing:
        raise ModuleNotFoundError(
            f"{what} needs {' and '.join(missing)}, missing from {sys.executable}: "
            f"pip install 'mixwidgets[{extra}]'{instead and f', or {instead}'}.",
            name=missing[0],
        )


def import_error_in_browser(what: str, error: ModuleNotFoundError) -> ModuleNotFoundError:
    """The error with its fix. Pyodide fetches what a cell imports, but not what a package imports."""
    if error.name in _FETCHED:
        cure = f"write `import {error.name}` first in this cell, which fetches it from Pyodide's site"
    else:
        cure = "it is not in this browser: use mixwidgets on a machine of your own"
    return ModuleNotFoundError(f"{what} needs {error.name}; {cure}.", name=error.name)


def require_training() -> None:
    """Raise ModuleNotFoundError or ImportError, with what to install, if runs cannot be trained here."""
    if IN_BROWSER:
        raise import_error_in_browser("Training", ModuleNotFoundError(name="torch"))
    require("Training", "train", "torch")
    require_recent_torch()


def require_recent_torch() -> None:
    """Raise ImportError if torch is too old for training. Watching a loop works with older versions."""
    with suppress(importlib.metadata.PackageNotFoundError):  # a torch built in place may work
        version = importlib.metadata.version("torch")
        if tuple(map(int, version.split(".")[:2])) < _OLDEST_TORCH:
            oldest = ".".join(map(str, _OLDEST_TORCH))
            raise ImportError(
                f"Training needs torch {oldest} or newer, and {sys.executable} has {version}: "
                "pip install -U 'mixwidgets[train]'.",
                name="torch",
            )


def versions() -> Mapping[str, str]:
    """The versions of Python and of the loaded packages that compute, by name."""
    loaded = {name: sys.modules[name].__version__ for name in ("mixwidgets", "numpy", "torch")}
    return FrozenDict({"python": platform.python_version(), **loaded})


def device_name(device: "torch.device") -> str:
    """A CUDA device's name and memory, such as "NVIDIA H200, 140 GiB"; empty for any other."""
    if device.type != "cuda":
        return ""
    gpu = sys.modules["torch"].cuda.get_device_properties(device)
    return f"{gpu.name}, {gpu.total_memory / 2**30:.0f} GiB"
