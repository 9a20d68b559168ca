"""What other places read of this package: the description of its wheel, and the recipe for conda-forge."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
TEXT = (ROOT / "conda/recipe.yaml").read_text(encoding="utf-8")
RECIPE = yaml.safe_load(TEXT.replace("${{ python_min }}", yaml.safe_load(TEXT)["context"]["python_min"]))


def needed(requirements):
    found = [re.fullmatch(r"([\w-]+) ?(\S*)", str(requirement)).groups() for requirement in requirements]
    return dict(found)


def test_the_recipe_for_conda_needs_what_the_wheel_needs():
    project = PROJECT["project"]
    python = {"python": project["requires-python"]}
    declared = {one.name: str(one.specifier) for one in map(Requirement, project["dependencies"])}
    assert needed(RECIPE["requirements"]["run"]) == python | declared
    tools = {one.name: str(one.specifier) for one in map(Requirement, PROJECT["build-system"]["requires"])}
    assert tools.items() <= needed(RECIPE["requirements"]["host"]).items()


def test_the_recipe_for_conda_is_of_this_version_and_its_files_exist():
    assert RECIPE["context"]["version"] == PROJECT["project"]["version"]
    assert RECIPE["about"]["license"] == PROJECT["project"]["license"]
    assert RECIPE["about"]["license_file"] == PROJECT["project"]["license-files"]
    assert RECIPE["build"]["python"]["entry_points"] == ["mixwidgets = mixwidgets.cli:app"]


@pytest.mark.slow  # asks the package index
def test_the_extras_that_the_tests_do_not_install_go_with_the_constraints():
    extras = PROJECT["project"]["optional-dependencies"]
    (own,) = (Requirement(line) for line in extras["test"] if line.startswith("mixwidgets["))
    others = [line for name, lines in extras.items() if name not in own.extras | {"test"} for line in lines]
    assert others
    pip = [sys.executable, "-m", "pip", "install", "--dry-run", "--quiet", "-c", "constraints.txt"]
    found = subprocess.run([*pip, *others], cwd=ROOT, capture_output=True, text=True, timeout=280)
    assert found.returncode == 0, found.stderr
