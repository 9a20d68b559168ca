"""The built wheel, installed into an empty environment, draws an editor and runs the command line."""

import json
import os
import re
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path
from zipfile import ZipFile

import pytest
import trove_classifiers

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The folder of the environment's programs. Its libraries are those of this one: there is no network."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    build = [*pip, "wheel", "--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir", folder, ROOT]
    subprocess.run(build, check=True)
    venv.create(folder / "env", with_pip=False)
    scheme = {"base": os.fspath(folder / "env"), "platbase": os.fspath(folder / "env")}
    packages = Path(sysconfig.get_path("purelib", vars=scheme))
    python = folder / "env" / Path(sysconfig.get_path("scripts", vars=scheme)).name / "python"
    (wheel,) = folder.glob("*.whl")
    subprocess.run([*pip, "--python", python, "install", "--no-deps", "--no-index", wheel], check=True)
    (packages / "libraries.pth").write_text(sysconfig.get_path("purelib"))
    return python.parent


@pytest.fixture
def wheel(installed):
    """Its files."""
    (path,) = installed.parents[1].glob("*.whl")
    with ZipFile(path) as files:
        yield files


def test_its_description_has_absolute_addresses_and_begins_with_what_one_types(wheel):
    (name,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
    head, description = wheel.read(name).decode().split("\n\n", 1)
    assert description.strip().startswith("```sh\npip install mixwidgets ")
    targets = re.findall(r'\]\(([^)]+)\)|(?:src|srcset|href)="([^"]+)"', description)
    assert len(targets) > 30
    assert [one for pair in targets for one in pair if one and not re.match("https://|#", one)] == []
    ours = re.compile(
        r"https://(?:github|raw\.githubusercontent)\.com/mixwidgets/mixwidgets/(?:blob/)?main/([^#]*)"
    )
    files = [found[1] for pair in targets for one in pair if (found := ours.match(one))]
    assert len(files) > 30
    assert [file for file in files if not (ROOT / file).exists()] == []
    classifiers = re.findall("^Classifier: (.*)", head, re.MULTILINE)
    assert set(classifiers) <= trove_classifiers.classifiers
    assert "Typing :: Typed" in classifiers


def test_it_has_types_and_the_lessons_but_no_pictures_of_widgets(wheel):
    names = set(wheel.namelist())
    assert {"mixwidgets/py.typed", "mixwidgets/__init__.pyi"} <= names
    lessons = [*ROOT.glob("notebooks/*.ipynb"), *ROOT.glob("notebooks/zh/*.ipynb")]
    for lesson in lessons:
        light = json.loads(wheel.read(f"mixwidgets/{lesson.relative_to(ROOT).as_posix()}"))
        whole = json.loads(lesson.read_text(encoding="utf-8"))
        pairs = list(zip(light["cells"], whole["cells"], strict=True))
        assert all(ours["source"] == theirs["source"] for ours, theirs in pairs)
        outputs = [output for cell, _ in pairs for output in cell.get("outputs", ())]
        assert not [one for one in outputs if "alt" in one.get("metadata", {}).get("image/png", {})]
        assert all(one.get("text") or one["data"] for one in outputs)
    assert sum(file.compress_size for file in wheel.infolist()) < 2_500_000


def output(installed, folder, *words):
    """What a program of the environment prints, started away from the checkout."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    command = [installed / words[0], *words[1:]]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_is_the_wheel_that_is_imported(installed, tmp_path):
    place = output(installed, tmp_path, "python", "-c", "import mixwidgets; print(mixwidgets.__file__)")
    assert Path(place).is_relative_to(installed.parent)


def test_an_editor_is_drawn(installed, tmp_path):
    code = "import mixwidgets as mw; mw.BitEditor(65504, format='float16').save('page.html'); mw.BitEditor()"
    output(installed, tmp_path, "python", "-W", "error", "-c", code)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.endswith("</html>\n")
    assert len(page) > 50_000  # its module, its style and its messages are there


def test_the_command_line_runs(installed, tmp_path):
    assert "It is nearer to 65504 (error −1)." in output(
        installed, tmp_path, "mixwidgets", "format", "float16", "65505"
    )
    assert "No runs" in output(installed, tmp_path, "mixwidgets", "runs")
    output(installed, tmp_path, "mixwidgets", "export", "site", "--lang", "en")
    assert (tmp_path / "site" / "index.html").exists()


def test_it_brings_the_lessons_and_the_licences(installed, tmp_path):
    code = "from mixwidgets.teaching.course import course_folder; print(course_folder())"
    course = Path(output(installed, tmp_path, "python", "-c", code).strip())
    assert course.is_relative_to(installed.parent)
    assert len(list(course.glob("*.ipynb"))) == len(list((ROOT / "notebooks").glob("*.ipynb")))
    assert (course.parent / "static" / "THIRD_PARTY_NOTICES.txt").exists()
