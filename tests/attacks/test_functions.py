"""Whatever a student's function does, it costs a sentence, and the kernel is as it was."""

import json
import subprocess
import sys

import pytest

import mixwidgets as mw

pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="judges in a fork")

NO_RESULT = "no result after 0.5 s"
SAID = {
    "slow_repr": ["whose repr fails"],
    "thirty_million": ["0.5, 0.5", "whose repr fails", NO_RESULT],  # as fast as the machine is
    "a_text_that_exits": ["ExitingError: its text cannot be shown"],
    "deep_recursion": ["ended the process that runs it: SIGSEGV", "RecursionError", NO_RESULT],  # by Python
    "a_loop_that_catches_all": [NO_RESULT],
    "one_long_product": [NO_RESULT],
    "an_exit": ["the function ended the process that runs it: os._exit(0)"],
    "a_kill": ["the function ended the process that runs it: SIGKILL"],
    "other_settings": ["got       0"],
    "a_fork": ["got       0"],
    "a_question": ["RuntimeError: input() asks nobody"],
}


def test_no_function_ends_or_changes_the_kernel():
    command = [sys.executable, "-m", "tests.attacks.functions"]
    child = subprocess.run(command, capture_output=True, text=True, check=False)
    assert child.returncode == 0, child.stderr[-2000:]
    told = {name: rest for name, *rest in map(json.loads, child.stdout.splitlines())}
    assert set(told) == set(SAID)
    for name, (said, is_unchanged) in told.items():
        assert "not right yet" in said
        assert is_unchanged, name
        assert any(words in said for words in SAID[name]), said


def test_what_a_function_prints_is_printed(capsys):
    def talks(_):
        print("looking at", 3)
        return 0

    mw.check("longest-skip", talks)
    assert capsys.readouterr().out.startswith("looking at 3\n")


def test_a_function_of_torch_runs_beside_torchs_own_threads():
    import torch

    torch.ones(2000, 2000) @ torch.ones(2000, 2000)  # its threads live, and not in a fork
    torch.ones(10**6).exp()

    def multiplies(_):
        return float((torch.ones(2000, 2000) @ torch.ones(2000, 2000))[0, 0])

    assert "2000.0" in repr(mw.check("longest-skip", multiplies, lang="en"))


def test_without_a_fork_the_kernel_gets_its_settings_back(monkeypatch):
    from tests.attacks import functions

    monkeypatch.setattr("mixwidgets.runs.store.system.can_fork", lambda: False)
    before = functions.settings()
    for attack in (functions.other_settings, functions.a_text_that_exits):
        assert "not right yet" in repr(mw.check("longest-skip", attack, lang="en"))
    assert functions.settings() == before
