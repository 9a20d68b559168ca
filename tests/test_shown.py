"""How values show themselves at a prompt and in a notebook, and where a user who errs is told to look."""

import pydoc
import subprocess
import sys
from html.parser import HTMLParser

import ipywidgets
import pytest

import mixwidgets as mw
from tests.cli.calling import run_of, step


class Cells(HTMLParser):
    """The texts of a table's cells, row by row; refuses every other tag."""

    def __init__(self, text):
        super().__init__()
        self.rows = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        assert tag in {"table", "caption", "thead", "tbody", "tr", "th", "td"}
        if tag == "tr":
            self.rows.append([])

    def handle_data(self, data):
        if self.rows:
            self.rows[-1].append(data)


CATALOGUES = {"recipes": mw.recipes, "tasks": mw.tasks, "loss_scales": mw.loss_scales}


@pytest.mark.parametrize("name", CATALOGUES)
def test_a_catalogue_is_a_table_of_its_names(name):
    catalogue = CATALOGUES[name]
    head, *lines = repr(catalogue).splitlines()
    assert head.startswith("name ")
    assert [line.split()[0] for line in lines] == list(catalogue)
    assert [row[0] for row in Cells(catalogue._repr_html_()).rows] == ["name", *catalogue]
    assert len(Cells(catalogue._repr_html_()).rows[0]) == len(Cells(catalogue._repr_html_()).rows[1])


def test_a_catalogue_does_not_change():
    with pytest.raises(TypeError):
        mw.recipes["mine"] = mw.Recipe()
    assert {**mw.recipes} == dict(mw.recipes.items())


@pytest.mark.parametrize("name", [name for name in mw.recipes if name != "fp32"])
def test_the_table_says_how_to_write_a_recipe(name):
    (line,) = [line for line in repr(mw.recipes).splitlines() if line.split()[0] == name]
    keywords = line.removeprefix(name).strip()
    names = {"Recipe": mw.Recipe, "LossScale": mw.LossScale, "Operands": mw.Operands}
    assert eval(f"Recipe({keywords})", names) == mw.recipes[name]


def test_help_says_what_the_tasks_are():
    said = pydoc.plain(pydoc.render_doc(mw.tasks))
    assert all(f"{name}: {task.explanation}" in said for name, task in mw.tasks.items())


def test_experiments_recipes_and_formats_are_tables_in_a_notebook():
    experiment = mw.Experiment(task="digits_cnn", recipe="fp16_static", steps=7)
    shown = dict(Cells(experiment._repr_html_()).rows)
    assert (shown["task"], shown["steps"]) == ("'digits_cnn'", "7")
    assert shown["recipe"].startswith("Recipe(compute_format='float16'")
    assert dict(Cells(mw.Recipe()._repr_html_()).rows)["compute_format"] == "'float32'"
    assert dict(Cells(mw.get_format("fp16")._repr_html_()).rows)["max"] == "65504.0"


def test_a_run_is_a_table_and_its_words_are_no_html(tmp_path):
    run = run_of(tmp_path / "<b>", step(1), step(2, skipped=True))
    shown = dict(Cells(run._repr_html_()).rows)
    assert (shown["id"], shown["steps"], shown["skipped"]) == (run.id, "2", "1")
    assert shown["path"] == str(run.path)


@pytest.mark.parametrize("link", [ipywidgets.jslink, ipywidgets.jsdlink])
def test_who_links_the_value_in_the_page_reads_that_the_code_can_be(link):
    bits, other = mw.BitEditor(3), mw.NumberLine(4)
    with pytest.raises(TypeError, match='in the page link "code"'):
        link((bits, "value"), (other, "value"))
    link((bits, "code"), (other, "code"))
    ipywidgets.dlink((bits, "value"), (other, "value"))
    bits.value = 7
    assert other.value == 7


LAUNCHES = """
import sys
import mixwidgets as mw
run = mw.launch(mw.Experiment(task="student_teacher", steps=2, device="cpu"), sys.argv[1])
if sys.argv[2] == "waits":
    run.wait(progress=False)
"""


@pytest.mark.parametrize("then", ["ends", "waits"])
def test_a_script_that_launches_and_ends_says_where_to_look(tmp_path, then):
    command = [sys.executable, "-c", LAUNCHES, tmp_path, then]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    if then == "waits":
        assert done.stderr == ""
    else:
        assert f"mixwidgets runs --runs-dir {tmp_path}" in done.stderr
        assert "run.wait()" in done.stderr
