"""mixwidgets watch and report: scripts that know nothing of it."""

import json
import sys
from textwrap import dedent

import pytest

import mixwidgets as mw
from tests.cli.calling import call

SCRIPT = """
    import argparse, sys
    from pathlib import Path
    import torch
    from torch import nn
    import beside

    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int)
    parser.add_argument("--every", type=float)
    parser.add_argument("--exit", type=int)
    given = parser.parse_args()

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.body, self.head = nn.Linear(4, 4), nn.Linear(4, 1)

        def forward(self, x):
            return self.head(self.body(x))

    def main():
        torch.manual_seed(0)
        net = nn.Sequential(Net())  # of the same weights: the module inside is watched
        optimizer = torch.optim.SGD(net.parameters(), lr=given.every)
        for _ in range(given.steps):
            optimizer.zero_grad()
            net(torch.ones(2, 4)).sum().backward()
            optimizer.step()
        Path("weights").write_text(str([w.tolist() for w in net.parameters()]))
        if given.exit is not None:
            sys.exit(given.exit)

    if __name__ == "__main__":
        main()
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "beside.py").write_text("")
    (tmp_path / "code" / "train.py").write_text(dedent(SCRIPT))
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "beside", raising=False)
    return tmp_path


def test_a_script_is_watched_as_it_is(folder):
    found = call("watch", "--every", "2^1", "code/train.py", "--steps", 5, "--every", 0.5)
    assert found.exit_code == 0, found.output
    assert "mixwidgets: 5 steps; see mixwidgets report runs/train" in found.stderr
    watched = (folder / "weights").read_text()
    run = mw.open_run("runs/train")
    assert (run.status, len(run.steps())) == ("completed", 5)
    assert [*run.gradients()] == ["body.weight", "body.bias", "head.weight", "head.bias"]
    assert run.gradients()["head.bias"].exponents == (1,)  # the sum of two ones: 2
    assert sys.argv[0] != "code/train.py"

    shown = call("report", "train").output.splitlines()
    assert shown[0] == "Net, watched every 2 steps: completed, 5 steps"
    assert shown[1] == "Gradients of step 5:"
    assert shown[5].startswith("  head.bias: no gradient flushed in float16 at S = 1; 1 is safe")
    rows = json.loads(call("report", "runs/train", "--format", "bfloat16", "--json").output)
    assert [row["name"] for row in rows] == [*run.gradients()]
    assert "bfloat16" in rows[0]["finding"]

    again = call("watch", "code/train.py", "--steps", 5, "--every", 0.5)
    assert "report runs/train-2" in again.stderr
    assert (folder / "weights").read_text() == watched


def test_block_formats_are_recorded_if_they_are_asked_for(folder):
    command = ("watch", "--block-format", "nvfp4", "--block-format", "mxfp4", "code/train.py")
    assert call(*command, "--steps", 1, "--every", 1).exit_code == 0
    shown = call("report", "train", "--format", "nvfp4").output.splitlines()
    assert "flushed in nvfp4 by their block's scale" in shown[2]
    assert any("blocks run along axis 1" in line for line in shown)
    assert "not known from a summary" in call("report", "train", "--format", "mxfp8_e4m3").output
    assert "mxfp4" in call("watch", "--block-format", "mxfp5", "code/train.py").output
    wrong = call(*command[:3], "--scale-rule", "CEIL", "code/train.py")
    assert "of nvfp4 is one of TE, TORCHAO, FOUR_OVER_SIX" in " ".join(wrong.output.split())
    assert (
        call(*command[:3], "--scale-rule", "TORCHAO", "code/train.py", "--steps", 1, "--every", 1).exit_code
        == 0
    )
    rows = json.loads(call("report", "train-2", "--format", "nvfp4", "--json").output)
    assert {row["scale_rule"] for row in rows} == {"TORCHAO"}


def test_the_help_says_what_is_not_watched():
    assert "Processes that the script starts are not watched." in " ".join(
        call("watch", "--help").output.split()
    )


def test_how_a_script_ends_is_how_the_command_ends(folder):
    ended = call("watch", "--path", "seen", "code/train.py", "--steps", 2, "--every", 1, "--exit", 3)
    assert ended.exit_code == 3
    assert mw.open_run("seen").status == "crashed"
    (folder / "fails.py").write_text((folder / "code" / "train.py").read_text() + "\n1 / 0\n")
    (folder / "beside.py").write_text("")
    failed = call("watch", "fails.py", "--steps", 2, "--every", 1)
    assert isinstance(failed.exception, ZeroDivisionError)
    assert "division" in mw.open_run("runs/fails").message


def test_what_was_not_watched_is_said(folder):
    (folder / "none.py").write_text("print('hello')")
    found = call("watch", "none.py")
    assert (found.exit_code, found.stdout) == (0, "hello\n")
    assert "No torch optimiser stepped" in found.stderr
    assert not (folder / "runs").exists()
    two = """
        import torch
        nets = [torch.nn.Linear(2, 1), torch.nn.Linear(3, 1)]
        for net in nets:
            optimizer = torch.optim.Adam(net.parameters())
            net(torch.ones(net.in_features)).sum().backward()
            optimizer.step()
        loose = torch.ones(2, requires_grad=True)
    """
    (folder / "two.py").write_text(dedent(two))
    found = call("watch", "two.py")
    assert "2 optimisers stepped, Adam, Adam; only the model of the first was watched" in found.stderr
    assert len(mw.open_run("runs/two").steps()) == 1
    loose = "import torch\nw = torch.ones(2, requires_grad=True)\nw.sum().backward()\n"
    (folder / "loose.py").write_text(f"{loose}torch.optim.SGD([w]).step()")
    assert "SGD steps tensors outside any module" in call("watch", "loose.py").stderr


def test_a_scaler_is_found_and_one_that_skips_every_step_is_a_reason_for_watching_nothing(folder):
    skips = """
        import torch
        net, scaler = torch.nn.Linear(2, 1), torch.amp.GradScaler("cpu")
        optimizer = torch.optim.SGD(net.parameters())
        scaler.scale(net(torch.ones(2)).sum() * torch.inf).backward()
        scaler.step(optimizer)
        scaler.update()
    """
    (folder / "skips.py").write_text(dedent(skips))
    assert "GradScaler skipped every step" in call("watch", "skips.py").stderr
    (folder / "steps.py").write_text(dedent(skips).replace(" * torch.inf", ""))
    assert "is used from there on.\n" in call("watch", "steps.py").stderr


def test_wrong_words_teach(folder):
    for words, message in [
        (("watch", "none.py"), "none.py"),
        (("watch", "--format", "flaot16", "code/train.py"), "float16"),
        (
            ("watch", "--path", "code", "code/train.py"),
            "'code' (it already exists",
        ),
        (("watch", "--path", "code/train.py/seen", "code/train.py"), "nothing can be written to '"),
        (("report", "nothing"), "There is no run 'nothing'"),
    ]:
        found = call(*words)
        assert found.exit_code == 2
        assert message in found.stderr


def test_a_module_is_watched_as_by_python_m(folder):
    (folder / "package").mkdir()
    (folder / "package" / "__init__.py").write_text("")
    (folder / "beside.py").write_text("")
    (folder / "code" / "train.py").rename(folder / "package" / "train.py")
    found = call("watch", "-m", "package.train", "--steps", 3, "--every", 0.5)
    assert found.exit_code == 0
    assert "3 steps; see mixwidgets report" in found.output
    assert "In code, pass it" not in found.output
    assert (folder / "runs" / "package.train").is_dir()
    assert "no_such_module" in str(call("watch", "-m", "no_such_module").exception)
