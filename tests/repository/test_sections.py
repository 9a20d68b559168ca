"""After a kernel restart a section needs the first code cell, and the sections that it names at its head."""

import builtins
import dis
import re
from itertools import pairwise
from types import CodeType

import nbformat
import pytest

from notebooks.zh import edition

SAYS = {
    "en": re.compile(r"^## \d.*\n\n\(After a kernel restart, first run sections? (.+)\.\)$", re.MULTILINE),
    "zh": re.compile(r"^## \d.*\n\n（内核重启后，先运行第 (.+) 节。）$", re.MULTILINE),
}


def names(source):
    """(used, made): the names that code takes from elsewhere, and those that it gives to others."""
    used, made = set(), set(dir(builtins))
    codes = [compile(source, "a cell", "exec")]
    for code in codes:  # a function's body after the cell's own lines, as it runs
        for step in dis.get_instructions(code):
            if step.opname in ("STORE_NAME", "STORE_GLOBAL"):
                made.add(step.argval)
            elif step.opname in ("LOAD_NAME", "LOAD_GLOBAL") and step.argval not in made:
                used.add(step.argval)
        codes += [const for const in code.co_consts if isinstance(const, CodeType)]
    return used, made.difference(dir(builtins))


def sections(cells):
    """The cells of a lesson by section; the opening is section 0."""
    starts = [at for at, cell in enumerate(cells) if re.search(r"^## \d", cell.source, re.MULTILINE)]
    return [cells[start:end] for start, end in pairwise([0, *starts, len(cells)])]


def needed(cells):
    """By number of a section, those that must run before it, beside the opening."""
    maker, needs = {}, {}
    for number, section in enumerate(sections(cells)):
        needs[number] = set()
        for cell in section:
            if cell.cell_type == "code":
                used, made = names(cell.source)
                for earlier in {maker[name] for name in used} - {0, number}:
                    needs[number] |= {earlier} | needs[earlier]
                maker |= dict.fromkeys(made, number)
    return {number: sorted(earlier) for number, earlier in needs.items()}


def said(cells, language):
    told = {}
    for number, section in enumerate(sections(cells)):
        found = SAYS[language].search(section[0].source)
        told[number] = [int(one) for one in re.findall(r"\d+", found[1])] if found else []
    return told


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("lesson", edition.LESSONS)
def test_a_section_names_those_that_it_needs_after_a_kernel_restart(lesson, language):
    folder = edition.ENGLISH if language == "en" else edition.HERE
    cells = nbformat.read(folder / f"{lesson}.ipynb", as_version=4).cells
    assert said(cells, language) == needed(cells)


def test_a_name_from_another_section_is_noticed():
    sources = ["import math\nx = 1", "## 1. One", "def f():\n    return math.pi + x\n", "## 2. Two"]
    sources += ["y = [f() for _ in range(x)]", "## 3. Three", "y = 2\nprint(y)", "## 4. Four", "y += 1"]
    sources += ["## 5. Five", "lambda: y"]
    new = {True: nbformat.v4.new_markdown_cell, False: nbformat.v4.new_code_cell}
    cells = [new[source.startswith("#")](source) for source in sources]
    assert needed(cells) == {0: [], 1: [], 2: [1], 3: [], 4: [3], 5: [3, 4]}
