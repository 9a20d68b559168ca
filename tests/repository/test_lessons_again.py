"""A lesson's cells may be run twice and stopped, and leave the libraries as they are."""

import ast

import nbformat
import pytest

from notebooks import again
from notebooks.conftest import too_long

LESSONS = {
    lesson: nbformat.read(again.HERE / f"{lesson}.ipynb", as_version=4).cells for lesson in again.LESSONS
}


def root_of(node):
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def changed_attributes(sources):
    """Assignments to attributes of imported modules, and of what is in them, in code cells."""
    trees = [ast.parse(source) for source in sources]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    imported = {
        (alias.asname or alias.name).partition(".")[0]
        for node in nodes
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    targets = [
        target
        for node in nodes
        for target in (
            node.targets
            if isinstance(node, ast.Assign | ast.Delete)
            else [node.target]
            if isinstance(node, ast.AugAssign | ast.AnnAssign)
            else node.args[:1]
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("setattr", "delattr")
            else []
        )
    ]
    attributes = [one for one in targets if isinstance(one, ast.Attribute) or root_of(one) in imported]
    return [ast.unparse(one) for one in attributes if root_of(one) in imported]


@pytest.mark.parametrize("lesson", LESSONS)
def test_no_lesson_changes_a_library(lesson):
    assert changed_attributes(cell.source for cell in LESSONS[lesson] if cell.cell_type == "code") == []


@pytest.mark.parametrize(
    "source",
    ["import torch\ntorch.Tensor.exp = 1", "import torch as t\nt.x += 1", "import os\nsetattr(os, 'x', 1)"],
)
def test_a_change_of_a_library_is_noticed(source):
    assert changed_attributes([source])
    assert not changed_attributes(["import torch\nclass Own: pass\nOwn.x = torch.ones(1)\ny = torch.exp"])


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("lesson", ["02_rounding_and_overflow", "05_the_training_loop"])
def test_each_cell_runs_twice_and_may_be_stopped(lesson):
    assert again.faults(lesson) == []


@pytest.mark.slow
def test_what_goes_wrong_in_a_second_run_is_said():
    sources = {
        "first": "import torch, time",
        "graph": "x = torch.ones(1, requires_grad=True).exp()",
        "backward": "x.backward()",
        "stopped": "kept = torch.Tensor.exp\ntorch.Tensor.exp = None\ntime.sleep(3)\ntorch.Tensor.exp = kept",
    }
    cells = [nbformat.v4.new_code_cell(source, id=name) for name, source in sources.items()]
    backward, stopped = again.faults_of(cells)
    assert backward.startswith("backward fails in its second run: RuntimeError: Trying to backward")
    assert stopped.startswith("stopped changes a library: ")
    assert "Tensor.exp" in stopped


def test_a_lesson_that_takes_longer_than_two_minutes_is_named():
    seconds = {"notebooks/04.ipynb": 119.9, "notebooks/10.ipynb": 150.2}
    (sentence,) = too_long(seconds)
    assert sentence.startswith("notebooks/10.ipynb took 150 s;")
