"""What holds for every command: --version, --runs-dir, --json, exit codes, completion."""

import json
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from typer.main import get_command

import mixwidgets as mw
from mixwidgets.cli import app
from tests.cli.calling import call, run_of, step

ROOT = Path(__file__).parents[2]
COMMANDS = get_command(app).commands
TABS = """
mixwidgets --install-completion >&2
. ~/.bashrc
registered=($(complete -p mixwidgets))  # complete -o default -F FUNCTION mixwidgets
press_tab() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); "${registered[4]}" "$1"; echo "${COMPREPLY[@]}"; }
press_tab mixwidgets su
press_tab mixwidgets runs --run
"""
TABLES = ("runs", "compare", "sweep", "survey", "report", "format", "grade")


def options_of(name):
    return {option for parameter in COMMANDS[name].params for option in parameter.opts}


def test_the_version_and_the_command_as_a_module():
    assert call("--version").stdout == f"mixwidgets {version('mixwidgets')}\n"
    command = [sys.executable, "-m", "mixwidgets", "--version"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == f"mixwidgets {version('mixwidgets')}\n"


def test_bash_completes_commands_and_options_once_that_is_installed(tmp_path):
    environment = {
        **os.environ,
        "HOME": str(tmp_path),
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
    }
    command = ["bash", "-c", TABS]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["survey", "--runs-dir"], done.stderr


@pytest.mark.parametrize("name", TABLES)
def test_what_shows_a_table_prints_json(name):
    assert "--json" in options_of(name)


@pytest.mark.parametrize("name", ["train", "sweep", "runs", "compare", "report"])
def test_what_takes_a_folder_of_runs_names_it_alike(name):
    assert "--runs-dir" in options_of(name)


def test_runs_takes_its_folder_either_way(tmp_path):
    run = run_of(tmp_path, step(1))
    for arguments in ([tmp_path], ["--runs-dir", tmp_path]):
        (told,) = json.loads(call("runs", *arguments, "--json").stdout)
        assert told["id"] == run.id


def test_a_format_as_json():
    told = json.loads(call("format", "fp16", "--json").stdout)
    half = mw.get_format("float16")
    assert (told["name"], told["bits"], told["max"], told["eps"]) == ("float16", 16, half.max, half.eps)
    near, past, none = json.loads(call("format", "--json", "fp16", "65505", "1e999", "nan").stdout)
    assert (near["code"], near["exactly"], near["rule"], near["error"]) == ("0x7BFF", "65504", "nearest", -1)
    assert (past["value"], past["class"], past["error"]) == ("inf", "infinity", None)
    assert (none["value"], none["class"]) == ("nan", "nan")


@pytest.mark.parametrize("format", mw.list_formats(), ids=lambda format: format.name)
def test_every_format_is_json_without_nan(format):
    def refuse(word):
        pytest.fail(f"{word} is no JSON")

    json.loads(call("format", format.name, "--json").stdout, parse_constant=refuse)
    json.loads(call("format", format.name, "--json", "1e400", "0.3").stdout, parse_constant=refuse)


def test_a_sweep_as_json(tmp_path):
    options = ["--task", "student_teacher", "--recipe", "fp32", "--steps", "2", "--device", "cpu"]
    result = call("sweep", *options, "--runs-dir", tmp_path, "--workers", "1", "--json")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    (run,) = mw.list_runs(tmp_path)
    assert (told["counts"]["done"], told["failures"]) == (1, [])
    assert (told["runs"][0]["id"], told["runs"][0]["metrics.loss"]) == (run.id, run.metrics["loss"])


def test_a_failed_cell_of_a_sweep_is_in_its_json(tmp_path):
    options = ["--recipe", "fp32", "--steps", "2", "--device", "cuda:99"]
    result = call("sweep", *options, "--runs-dir", tmp_path, "--workers", "1", "--json")
    (failure,) = json.loads(result.stdout)["failures"]
    assert result.exit_code == 1
    assert failure["experiment"]["device"] == "cuda:99"
    assert "cuda:99" in failure["why"]


def test_the_reference_has_the_exit_codes():
    page = (ROOT / "docs/reference/command_line.md").read_text(encoding="utf-8")
    assert [line.split("|")[1].strip() for line in page.splitlines() if line.startswith("| ")] == [
        "Exit code",
        *("0", "1", "2", "others"),
    ]
    assert call("format", "float17").exit_code == 2
    assert call("runs", __file__).exit_code == 2
