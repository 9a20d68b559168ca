"""mixwidgets format and mixwidgets lab, and what --help costs."""

import subprocess
import sys

import pytest

from tests.cli.calling import call


def test_format_shows_how_a_value_is_rounded():
    shown = call("format", "float16", "65505").stdout
    for part in (
        "0x7BFF = 0 11110 1111111111 (sign exponent fraction)",
        "between 65504 and inf",
        "midpoint 65520",
        "error -1",
        "65472 and inf",
    ):
        assert part in shown


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("65520", "overflow begins at 65520, the midpoint to the next step; so inf"),
        ("2049", "a tie: the even code wins"),
        ("-0.1", "-0.0999755859375 is nearer; error 0.0000244140625"),
        ("65504", "none: the value is representable"),
        ("0x7C00", "none: a bit pattern was given"),
        ("nan", "class       nan"),
    ],
)
def test_format_says_why(value, says):
    assert says in call("format", "half", "--", value).stdout


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("float8_e8m0fnu", "3", "a tie: the larger wins, as no significand is even"),
        ("float8_e4m3fn", "500", "overflow begins past 464, the midpoint to the next step; so nan"),
    ],
)
def test_format_says_why_where_ties_have_another_end(name, value, says):
    assert says in call("format", name, value).stdout


def test_format_alone_is_a_spec_sheet():
    shown = call("format", "bf16").stdout
    assert "bfloat16 (16 bits)" in shown
    assert "to infinity, from 3.3961775292304601e+38" in shown
    assert "no sign" in call("format", "float8_e8m0fnu").stdout
    assert "above 464" in call("format", "float8_e4m3fn").stdout
    assert "smallest subnormal" not in call("format", "binary8p1se").stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["fp8", "1"], "write one of float8_e5m2, float8_e4m3fn"),
        (["float16", "12 bytes"], "write the plain number, 12"),
        (["float16", "\x1b[31m"], r"\u001b[31m"),
    ],
)
def test_a_wrong_argument_is_one_sentence(arguments, says):
    result = call("format", *arguments)
    assert result.exit_code == 2
    assert says in result.stderr
    assert "\x1b" not in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("text", ["65,504", "２＾16-32", "(2-2^-10)*2^15", "x = 65504", "0x7BFF"])
def test_values_are_read_as_everywhere(text):
    assert "0x7BFF" in call("format", "float16", text).stdout


def test_lab_opens_the_start_notebook_on_loopback(monkeypatch, tmp_path):
    called = []
    monkeypatch.setattr(subprocess, "call", lambda command: called.append(command) or 0)
    monkeypatch.chdir(tmp_path)
    assert call("lab", "--no-browser").exit_code == 0  # no start notebook here: JupyterLab alone
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks" / "00_start_here.ipynb").touch()
    assert call("lab").exit_code == 0
    assert call("lab", "mine.ipynb").exit_code == 0
    for command in called:
        assert command[:4] == [sys.executable, "-m", "jupyter", "lab"]
        assert "--ServerApp.ip=127.0.0.1" in command
        assert not [argument for argument in command if "token" in argument or "password" in argument]
    assert called[0][-1] == "--no-browser"
    assert [command[-1] for command in called[1:]] == ["notebooks/00_start_here.ipynb", "mine.ipynb"]


def test_help_names_the_commands_and_loads_nothing_heavy():
    code = (
        "import sys; from mixwidgets.cli import app\n"
        "try: app(['--help'])\n"
        "except SystemExit: print({'torch', 'ipywidgets', 'numpy', 'distributed'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("set()")
    for command in ("lab", "train", "runs", "compare", "sweep", "format", "export"):
        assert command in done.stdout
