"""mixwidgets format and mixwidgets lab, and what --help costs."""

import os
import subprocess
import sys

import pytest

from tests.cli.calling import call


def test_format_shows_how_a_value_is_rounded():
    assert call("format", "float16", "65505").stdout.splitlines() == [
        "65505 is not a float16. It lies between 65504 and the next step, 65536, which would be infinity. "
        "It is nearer to 65504 (error −1). Overflow begins at 65520, the midpoint.",
        "  code         0x7BFF = 0 11110 1111111111",
        "  class        normal",
        "  exactly      65504",
        "  shortest     65500",
        "  value below  65472, 32 away",
        "  value above  ∞",
        "  error        −1, relative −0.0000152660102…",
    ]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("half 65520", "65520 overflows to ∞. It lies exactly halfway between 65504"),
        ("half -- -0.1", "nearer to −0.0999755859375 (error +0.0000244140625)."),
        ("half 0x7C00", "In float16 these bits are ∞."),
        ("half nan", "NaN needs no rounding"),
        ("float8_e4m3fn 448", "Below it is 416; above it is no number, only NaN."),
        ("float8_e4m3fn 448", "value above  no number, only NaN"),
        ("float8_e4m3fn 464", "the next step, 480, whose code is NaN’s. A tie goes to the even neighbour"),
        (
            "float8_e4m3fn inf",
            "∞ becomes NaN: float8_e4m3fn has no infinity, and the overflow policy is native.",
        ),
        ("float4_e2m1fn 6.5", "It lies between 6 and the next step, 8, which has no code."),
        (
            "float4_e2m1fn 7",
            "7 is out of range and becomes 6: on overflow, float4_e2m1fn gives its largest number",
        ),
        ("float8_e8m0fnu 3", "no number of it is even: a tie goes to the neighbour larger in magnitude, 4"),
        ("float8_e8m0fnu 0", "0 becomes NaN: float8_e8m0fnu has no zero"),
        ("float64 0.1", "between 0.0999999999999999916… and 0.100000000000000005…, nearer to 0.1000000000"),
    ],
)
def test_format_says_why(arguments, says):
    assert says in call("format", *arguments.split()).stdout


def test_format_alone_is_a_spec_sheet():
    shown = call("format", "bf16").stdout
    assert shown.startswith("This is bfloat16 (")
    for row in ("16 = 1 + 8 + 7", "≥ 3.396177529…e+38 → ∞", "2⁻¹²⁶ ≈ 1.175494350e−38", "0x8000"):
        assert row in shown
    e8m0 = call("format", "float8_e8m0fnu").stdout
    for row in (
        "2¹²⁷ ≈ 1.701411834e+38",
        "smallest subnormal             none",
        "zero                           none",
    ):
        assert row in e8m0
    assert "> 464 → NaN" in call("format", "float8_e4m3fn").stdout
    assert "≥ 248 → 240" in call("format", "binary8p4sf").stdout


def test_format_speaks_the_chosen_language(monkeypatch):
    monkeypatch.setenv("MIXWIDGETS_LANG", "zh")
    shown = call("format", "float16", "65505").stdout
    assert "65505 不是 float16 数。它位于 65504 和下一级 65536 之间" in shown
    assert "  下一个较小值  65472，相距 32" in shown
    assert "位数" in call("format", "float16").stdout


def test_format_prints_signs_that_the_encoding_of_the_output_lacks():
    code = "from mixwidgets.cli import app; app(['format', 'float16', '65505'])"
    environment = {**os.environ, "PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment, check=True)
    assert "It is nearer to 65504 (error −1)." in done.stdout.decode("utf-8")


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


def test_lab_saves_the_state_of_widgets_unless_its_user_chose_otherwise(monkeypatch, tmp_path):
    found = []
    monkeypatch.setattr(subprocess, "call", lambda command, env: found.append(env) or 0)
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", str(tmp_path))
    assert call("lab").exit_code == 0
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", found[0]["JUPYTER_CONFIG_PATH"])
    from jupyterlab_server.settings_utils import _get_overrides

    overrides, _ = _get_overrides(str(tmp_path))
    assert overrides["@jupyter-widgets/jupyterlab-manager:plugin"] == {"saveState": True}
    assert found[0]["JUPYTER_CONFIG_PATH"].startswith(str(tmp_path))


def test_lab_opens_the_start_notebook_on_loopback(monkeypatch, tmp_path):
    called = []
    monkeypatch.setattr(subprocess, "call", lambda command, env: called.append(command) or 0)
    monkeypatch.chdir(tmp_path)
    assert call("lab", "--no-browser").exit_code == 0  # no start notebook here: JupyterLab alone
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks" / "00_start_here.ipynb").touch()
    assert call("lab").exit_code == 0
    assert call("lab", "mine.ipynb").exit_code == 0
    for command in called:
        assert command[:5] == [sys.executable, "-P", "-m", "jupyter", "lab"]
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
