"""One set of exact versions serves `make lab`, `make test` and binder."""

import json
import os
import subprocess
import sys
import tomllib
from importlib.metadata import distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

import mixwidgets

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

BY_USERS_ALONE = ("mlflow-skinny",)  # never installed here


def pinned() -> dict[str, Version]:
    lines = (ROOT / "constraints.txt").read_text().split()
    requirements = [Requirement(line) for line in lines]
    return {canonicalize_name(r.name): Version(str(r.specifier).removeprefix("==")) for r in requirements}


def test_constraints_pin_every_dependency_exactly():
    versions = pinned()
    extras = [line for extra in PROJECT["optional-dependencies"].values() for line in extra]
    for requirement in map(Requirement, [*PROJECT["dependencies"], *extras]):
        if requirement.name not in ("mixwidgets", *BY_USERS_ALONE):
            assert versions[canonicalize_name(requirement.name)] in requirement.specifier
    assert versions["torch"] == Version("2.13.0")


def test_the_pinned_versions_accept_the_oldest_python():
    """Debian 12 has Python 3.11.2, which not every package for Python 3.11 accepts."""
    (lowest,) = SpecifierSet(PROJECT["requires-python"])
    versions = pinned()
    accepted = {
        package.name: SpecifierSet(package.metadata.get("Requires-Python", ""))
        for package in distributions()
        if canonicalize_name(package.name) in versions
    }
    assert len(accepted) > 100
    assert not [name for name in accepted if f"{lowest.version}.0" not in accepted[name]]


def test_one_version_is_named_everywhere():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8").splitlines()
    assert f"version: {PROJECT['version']}" in citation
    assert mixwidgets.__version__ == PROJECT["version"]


@pytest.mark.parametrize("host", ["JupyterLab", "Notebook", "Voilà", "marimo"])
def test_the_readme_names_the_version_of_a_host_that_is_tested(host):
    package = host.lower().replace("à", "a")
    assert f"| {host} {pinned()[package]} | yes |" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_binder_resolves_to_this_environment():
    """pip, asked for binder's requirements without an index, finds that everything is here already."""
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--dry-run",
        "--no-index",
        "--no-build-isolation",
        "--quiet",
    ]
    command += ["--report", "-", "--requirement", "binder/requirements.txt"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert {item["metadata"]["name"] for item in report["install"]} <= {"mixwidgets"}


def test_binder_runs_a_python_that_the_package_accepts():
    version = (ROOT / "binder" / "runtime.txt").read_text().strip().removeprefix("python-")
    assert Version(version) in SpecifierSet(PROJECT["requires-python"])


@pytest.mark.slow
def test_binder_opens_the_first_lesson(tmp_path):
    """What binder runs after its build, in a home of its own: JupyterLab's start page is then the lesson."""
    environment = {
        "HOME": str(tmp_path),
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
    }
    for command in (["binder/postBuild"], [sys.executable, "-m", "jupyter", "lab", "--show-config-json"]):
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    opens = json.loads(done.stdout)["LabApp"]["default_url"].removeprefix("/lab/tree/")
    assert opens == "notebooks/00_start_here.ipynb"
    assert (ROOT / opens).exists()
    assert opens in (ROOT / "binder" / "postBuild").read_text().split("urlpath=")[1]


def test_no_file_names_a_registry_or_a_private_path():
    files = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    hosts = ("registry" + ".npmjs", "pypi" + ".org", "python" + "hosted", "deb." + "debian")
    for name in files:
        if not name.endswith((".png", ".gif", ".bin")):
            text = (ROOT / name).read_text(encoding="utf-8")
            assert not [host for host in hosts if host in text], name
