"""Builds JupyterLite with mixwidgets inside: `make lite`. Its notebooks run in the browser's own Python.

All that the widgets need is in the folder. What is compiled for Pyodide, such as NumPy, is fetched from
Pyodide's own site when a cell imports it.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from hashlib import sha256
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parent
WHEELS = ROOT / "build" / "wheels"  # `make build/wheels/.made`
PYODIDE = ROOT / "build" / "npm" / "pyodide-314.0.7"  # `make build/npm/.made`
SITE_OF_PYODIDE = f"https://cdn.jsdelivr.net/pyodide/v{PYODIDE.name.removeprefix('pyodide-')}/full/"
PYODIDE_FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")

KERNEL = "jupyterlite_pyodide_kernel"
EXTENSIONS = (KERNEL, "anywidget", "jupyterlab_widgets")
"""Wheels that bring an extension of JupyterLab."""
ONLY_EXTENSIONS = (KERNEL, "jupyterlab_widgets")
"""Those of them that no cell imports."""
FROM_THE_KERNEL = ("piplite", "pyodide_kernel", "ipykernel")
"""Wheels inside the kernel's wheel: `ipykernel` stands in for the one that needs sockets."""


def build(folder: Path) -> None:
    """Write the whole into `folder`, in the place of what was there."""
    shutil.rmtree(folder, ignore_errors=True)
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        wheels = _wheels(scratch)
        _jupyterlite(folder, scratch, [_distribution(wheel) for wheel in wheels])
        _pyodide(folder / "static" / "pyodide", wheels)


def _wheels(scratch: Path) -> list[Path]:
    """The wheels that Python in the browser has from the start."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "wheel", "--no-deps"]
    command += ["--no-index", "--no-build-isolation", f"--wheel-dir={scratch / 'whole'}"]
    subprocess.run([*command, ROOT], check=True)
    (whole,) = (scratch / "whole").iterdir()
    with (
        zipfile.ZipFile(whole) as ours,
        zipfile.ZipFile(scratch / whole.name, "w", zipfile.ZIP_DEFLATED) as small,
    ):
        for entry in ours.namelist():
            if not entry.startswith("mixwidgets/notebooks/"):  # megabytes of pictures, for a class's machines
                small.writestr(entry, ours.read(entry))
    with zipfile.ZipFile(_found(KERNEL)) as kernel:
        for entry in kernel.namelist():
            if re.search(rf"/pypi/({'|'.join(FROM_THE_KERNEL)})-[^/]*whl$", entry):
                (scratch / Path(entry).name).write_bytes(kernel.read(entry))
    others = [one for one in WHEELS.glob("*.whl") if not one.name.startswith(ONLY_EXTENSIONS)]
    return sorted([*scratch.glob("*.whl"), *others])


def _jupyterlite(folder: Path, scratch: Path, packages: list[str]) -> None:
    settings = {
        "pyodideUrl": "./static/pyodide/pyodide.mjs",
        "loadPyodideOptions": {"lockFileURL": "./static/pyodide/pyodide-lock.json", "packages": packages},
    }
    data = {
        "appName": "mixwidgets",
        "litePluginSettings": {"@jupyterlite/pyodide-kernel-extension:kernel": settings},
    }
    _write(scratch / "jupyter-lite.json", {"jupyter-lite-schema-version": 0, "jupyter-config-data": data})
    options = {
        "output_dir": str(folder.absolute()),
        "contents": [str(HERE / "pages")],
        "apps": ["lab"],
        "federated_extensions": [str(_found(name)) for name in EXTENSIONS],
        "ignore_sys_prefix": True,  # the extensions of this machine's JupyterLab
        "no_sourcemaps": True,
        "no_unused_shared_packages": True,
    }
    _write(scratch / "jupyter_lite_config.json", {"LiteBuildConfig": options})
    command = [sys.executable, "-m", "jupyterlite_core", "build"]
    subprocess.run(command, check=True, cwd=scratch, stdout=subprocess.DEVNULL)


def _pyodide(folder: Path, wheels: list[Path]) -> None:
    """Pyodide, with a lock file that says where each package is: ours here, the others on Pyodide's site."""
    folder.mkdir(parents=True)
    for name in PYODIDE_FILES:
        shutil.copy(PYODIDE / name, folder)
    lock = json.loads((PYODIDE / "pyodide-lock.json").read_text(encoding="utf-8"))
    for package in lock["packages"].values():
        package["file_name"] = SITE_OF_PYODIDE + package["file_name"]
    for wheel in wheels:
        shutil.copy(wheel, folder)
        lock["packages"][_distribution(wheel)] = _locked(wheel)
    _write(folder / "pyodide-lock.json", lock)


def _locked(wheel: Path) -> dict[str, Any]:
    """A wheel's entry in the lock file. It depends on nothing: all of them are loaded at the start."""
    with zipfile.ZipFile(wheel) as content:
        imports = {name.partition("/")[0].removesuffix(".py") for name in content.namelist()}
    return {
        "name": _distribution(wheel),
        "version": wheel.name.split("-")[1],
        "file_name": wheel.name,
        "install_dir": "site",
        "sha256": sha256(wheel.read_bytes()).hexdigest(),
        "package_type": "package",
        "imports": sorted(name for name in imports if name.isidentifier()),
        "depends": [],
        "unvendored_tests": False,
    }


def _distribution(wheel: Path) -> str:
    """The name of a wheel's distribution, as the lock file spells it."""
    return re.sub(r"[-_.]+", "-", wheel.name.split("-")[0]).lower()


def _write(path: Path, content: object) -> None:
    path.write_text(json.dumps(content), encoding="utf-8")


def _found(name: str) -> Path:
    (wheel,) = WHEELS.glob(f"{name}-*.whl")
    return wheel


if __name__ == "__main__":
    build(ROOT / "build" / "lite")
