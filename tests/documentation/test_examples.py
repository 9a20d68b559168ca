"""The examples in README and docs/ do what they say: Python runs, offline, in a folder of its own; what a
command prints is compared where it stands below the command, and other commands are parsed."""

import doctest
import re
import shlex
from contextlib import suppress
from pathlib import Path
from unittest import SkipTest

import pytest
import torch
from ipywidgets import Widget
from sybil import Sybil
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser, SkipParser
from typer.main import get_command

import mixwidgets as mw
from mixwidgets.cli import app
from tests.cli.calling import call

ROOT = Path(__file__).parents[2]
ELSEWHERE = {"cluster.md"}  # tests/scheduler/test_dask.py runs its examples, on a cluster
PAGES = [ROOT / "README.md", *(page for page in ROOT.glob("docs/*.md") if page.name not in ELSEWHERE)]


def run_python(example):
    """As a file of its own, in which a class that travels as its source text is found again."""
    place = Path(f"line_{example.line}.py").absolute()
    place.write_text(example.parsed, encoding="utf-8")
    exec(compile(example.parsed, place, "exec"), example.namespace)


def run_commands(example):
    for command, printed in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n?)*)", example.parsed, re.MULTILINE):
        program, *words = shlex.split(command)
        if program != "mixwidgets":
            continue
        if printed:
            assert call(*words).output.rstrip() == printed.rstrip(), command
        else:
            group = get_command(app)
            name, subcommand, rest = group.resolve_command(group.make_context("mixwidgets", [*words]), words)
            subcommand.make_context(name, rest)


def find_targets(example):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^(?:.* )?make ([\w-]+)", example.parsed, re.MULTILINE):
        assert re.search(rf"^([\w-]+ )*{target}( [\w-]+)*:", makefile, re.MULTILINE), (
            f"make {target} is no target"
        )


prompts = PythonCodeBlockParser(doctest_optionflags=doctest.ELLIPSIS)
prompts.codeblock_parser = CodeBlockParser("pycon", run_python)
KINDS = {"python": run_python, "console": run_commands, "sh": find_targets}
SYBIL = Sybil([prompts, SkipParser(), *(CodeBlockParser(*kind) for kind in KINDS.items())])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty one; what is launched in it is stopped at the end. Torch is as it was before."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    threads, state = torch.get_num_threads(), torch.random.get_rng_state()
    torch.set_num_threads(1)
    yield tmp_path
    torch.set_num_threads(threads)
    torch.random.set_rng_state(state)
    Widget.close_all()
    for run in mw.list_runs("runs"):
        run.stop()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_of_a_page(folder, page):
    document = SYBIL.parse(page)
    for example in document:
        with suppress(SkipTest):
            example.evaluate()
