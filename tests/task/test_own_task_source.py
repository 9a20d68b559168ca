"""A user's task as text: found, standing alone, loaded again, or refused with the reason."""

import importlib
import linecache
import math
import os
import subprocess
import sys
import textwrap

import pytest

from mixwidgets.runs.task.own_task import (
    MAX_SOURCE_BYTES,
    check_protocol,
    check_source,
    load_task_class,
    source_of,
)

METHODS = """
    def model(self): return None
    def batches(self, batch_size, seed): yield None
    def loss(self, outputs, targets): return 0
    def evaluate(self, predict): return {}
"""
count = iter(range(10**6))


def run_cells(*cells, scope=None):
    """Run texts as the cells of one notebook, and give the class T that they make."""
    scope = {"__name__": "__main__"} if scope is None else scope
    for cell in map(textwrap.dedent, cells):
        name = f"<cell {next(count)}>"
        linecache.cache[name] = (len(cell), None, cell.splitlines(keepends=True), name)
        exec(compile(cell, name, "exec", dont_inherit=True), scope)
    return scope["T"]


def refused(*cells, scope=None):
    with pytest.raises(ValueError, match="T") as caught:
        source_of(run_cells(*cells, scope=scope))
    return str(caught.value)


@pytest.fixture
def notebook(monkeypatch):
    from IPython.core.interactiveshell import InteractiveShell

    monkeypatch.delenv("VIRTUAL_ENV", raising=False)  # IPython warns where another environment is active
    before, main = set(sys.modules), sys.modules["__main__"]
    kept = {name: getattr(sys, name) for name in ("displayhook", "excepthook")}
    InteractiveShell.clear_instance()
    shell = InteractiveShell(user_ns={}, colors="nocolor")
    yield shell
    shell.history_manager.end_session()
    shell.restore_sys_module_state()
    sys.modules["__main__"] = main
    for name, hook in kept.items():
        setattr(sys, name, hook)
    for name in set(sys.modules) - before:
        if name.startswith("__"):
            del sys.modules[name]


def test_a_class_of_a_notebook_cell_runs_in_a_fresh_process(notebook):
    cells = [
        "import math as m, xml.dom.minidom\nfrom functools import partial\nwidth = 3",
        f"class T:\n    steps = 3{METHODS}"
        "    def all(self):\n"
        "        return partial(m.hypot, 3)(4), T.steps, xml.dom.minidom.Node.TEXT_NODE, open",
    ]
    for cell in cells:
        assert notebook.run_cell(cell).success
    text = source_of(notebook.user_ns["T"])
    assert text.startswith(
        "import xml\nimport xml.dom\nimport xml.dom.minidom\n"
        "from functools import partial\nimport math as m\n\n\nclass T:\n"
    )
    shown = subprocess.run(
        [sys.executable, "-P", "-c", text + "\nprint(T().all())"], capture_output=True, text=True, check=True
    )
    assert shown.stdout.startswith("(5.0, 3, 3, <built-in function open>)")


def test_the_loaded_class_gives_the_same_text_again():
    text = source_of(run_cells("import os.path as p", f"class T:{METHODS}    def x(self): return p.sep\n"))
    loaded = load_task_class("T", text)
    assert loaded().x() == os.sep
    assert source_of(loaded) == text


def test_every_scope_is_seen():
    text = source_of(
        run_cells(
            "import abc, enum, math, json\nfrom functools import cache\n"
            "from typing import Any\nfrom pathlib import Path as P\nfrom string import digits as b",
            """
            @enum.unique
            class T(enum.Enum):
                ONE = 2
                @cache
                def f(self, x: Any = len, *, math=3):
                    def inner(): return [json.dumps(json_) for json_ in (math, 5) if json_]
                    return inner(), P
            """,
        )
    )
    above = text.split("\n\n\n")[0].split("\n")
    assert above == [
        "import enum",
        "import json",
        "from functools import cache",
        "from pathlib import Path as P",
        "from typing import Any",
    ]
    assert load_task_class("T", text).ONE.f()[0] == ["3", "5"]


def test_each_name_that_cannot_travel_is_named_with_the_line_to_add():
    said = refused(
        "class Net: pass\ndef helper(): pass\ndata = [1]; width = 3",
        "class T:\n    steps = width\n    def f(self):\n        return Net(), data\n"
        "    def g(self):\n        return helper(nowhere)",
    )
    assert "`steps = width`: width is a constant of this session: add `width = 3` above that line" in said
    assert "`return Net(), data`: Net is a class of this session: move it into a module" in said
    assert "data is an object of type list, made in this session: make it above that line" in said
    assert "`return helper(nowhere)`: helper is a function of this session" in said
    assert "add `from that_module import helper`" in said
    assert "nowhere is defined nowhere: define `nowhere`" in said


@pytest.mark.parametrize(
    ("line", "use"), [("width = 3", "def f(self): return width"), ("n = [1]", "def f(self, m=n): return m")]
)
def test_the_line_that_an_error_names_is_the_fix(line, use):
    where, name = ("\n        ", "width") if "return width" in use else ("\n    ", "n")
    assert f"{name} is" in refused(line, f"class T:\n    {use}")
    mended = (
        use.replace(": return", f":{where}{line}{where}return") if name == "width" else f"{line}\n    {use}"
    )
    task = run_cells(f"class T:\n    {mended}")
    assert load_task_class("T", source_of(task))().f() == (3 if name == "width" else [1])


BASES = """
class Root:
    def f(self): return m.pi
class Base(Root, ABC):
    def g(self): return self.f(), json.dumps(1)
"""


def test_base_classes_of_the_session_come_before_the_class():
    text = source_of(
        run_cells(
            "import json, math as m\nfrom abc import ABC\nfrom collections import UserDict as Other",
            BASES,
            "class T(Base, Other):\n    def f(self): return super().f() + 1",
        )
    )
    assert text.startswith("import json\nfrom abc import ABC\nfrom collections import UserDict as Other\n")
    assert text.index("class Root") < text.index("class Base") < text.index("class T(Base, Other)")
    loaded = load_task_class("T", text)
    assert loaded().g() == (math.pi + 1, "1")
    assert source_of(loaded) == text


def test_a_class_may_have_the_name_of_its_base():
    task = run_cells("class T:\n    def f(self): return 1", "class T(T):\n    def g(self): return self.f()")
    assert load_task_class("T", source_of(task))().g() == 1


def test_a_base_class_of_an_imported_module_is_imported(tmp_path, monkeypatch):
    (tmp_path / "bases.py").write_text(f"import json, math as m\nfrom abc import ABC\n{BASES}")
    monkeypatch.syspath_prepend(tmp_path)
    task = run_cells("from bases import Base", "class T(Base):\n    def h(self): return 2")
    assert source_of(task).startswith("from bases import Base\n\n\nclass T(Base):")
    del sys.modules["bases"]


def test_a_name_in_a_base_class_that_cannot_travel_is_named():
    said = refused(
        "width = 3\nclass Base:\n    def f(self): return width", "class T(Base):\n    def g(self): 0"
    )
    assert "`def f(self): return width`: width is a constant of this session: add `width = 3` above" in said


@pytest.mark.parametrize(
    ("header", "mended", "words"),
    [
        ("@call(key)\nclass T(Base):", "@call('k')\nclass T(Base):", "`@call(key)`: key is a constant"),
        ("class T(Other):", "class T(Base):", "`class T(Other):`: Other is a class"),
    ],
)
def test_a_decorator_or_first_line_that_cannot_travel_is_told_its_own_fix(header, mended, words):
    above = f"from operator import methodcaller\nimport json, math as m\nfrom abc import ABC\n{BASES}"
    above += "    @classmethod\n    def k(cls): return cls\nOther, key, call = Base, 'k', methodcaller"
    said = refused(above, f"{header}\n    def h(self): return 3")
    assert f"{words} of this session: a class's decorators and first line can use only literals" in said
    assert "inside the class" not in said
    assert (
        load_task_class("T", source_of(run_cells(above, f"{mended}\n    def h(self): return 3")))().h() == 3
    )


@pytest.mark.parametrize("value", ["object()", "2"])
def test_a_variable_of_the_function_around_the_class_does_not_travel(value):
    cell = "import json as n\ndef make(n):\n    class T:\n        def f(self): return n\n    return T\n"
    cell += f"T = make({value})"
    assert "`def f(self): return n`: n is a" in refused(cell)


def test_a_module_that_the_function_around_the_class_imported_does():
    text = source_of(
        run_cells(
            "def make():\n    import math as n\n    class T:\n        def f(self): return n.pi\n"
            "    return T\nT = make()"
        )
    )
    assert text.startswith("import math as n\n\n\nclass T:\n    def f")
    assert load_task_class("T", text)().f() == math.pi


def test_what_the_class_body_made_itself_is_not_taken_from_outside():
    body = "class T:\n    for i in range(3): last = i\n    steps = 5\n    double = 2 * steps\n"
    body += "    def f(self): return self.last, self.double"
    text = source_of(run_cells("steps = 7; i = object()", body))
    assert text.startswith("class T:")
    assert load_task_class("T", text)().f() == (2, 10)


def test_what_python_brings_along_needs_no_import():
    task = run_cells(
        """
        class T:
            loss = staticmethod(max)
            size = property(len)

            def model(self): return None
            def batches(self, batch_size, seed): yield None
            @classmethod
            def evaluate(cls, predict): return {"loss": abs(-1)}
        """
    )
    assert source_of(task).startswith("class T:")


def test_a_class_in_a_function_is_cut_out_whole():
    text = source_of(
        run_cells(
            'def make():\n    if True:\n        class T:\n            t = """a  \n          b"""\n'
            "            def f(self): return self.t\n        return T\nT = make()"
        )
    )
    assert text.startswith("class T:\n    t =")
    assert load_task_class("T", text)().f() == "a  \n          b"


def test_the_cell_that_ran_counts_and_postponed_annotations_stay_so():
    text = source_of(
        run_cells(
            "class T:\n    def f(self): return 1",
            "from __future__ import annotations\nclass T:\n    def f(self: Unknown): return 2",
        )
    )
    assert text.startswith("from __future__ import annotations\n")
    assert load_task_class("T", text)().f() == 2


def test_a_method_set_later_is_an_error():
    said = refused(
        "class T:\n    def f(self): pass\n    def g(self): pass", "def better(self): pass\nT.f = better"
    )
    assert "T.f was set to better after the class was defined" in said


CONSTANTS = """
class T:
    width, seen = 8, 0
    depth = 2
    rate: float = 0.1
    sizes = [8, -8]
    cache = []
    steps = 5
    text = None
    n = 1
    n += 1
    def f(self): return self.width, self.depth, self.rate, self.text, self.n
"""


@pytest.mark.parametrize(
    "change", ["T.depth = 64", "T.rate = 0.5", "T.depth = 'deep'", "T.sizes = [64]", "T.sizes = (8, -8)"]
)
def test_a_constant_set_later_is_an_error_as_its_run_would_have_the_first_one(change):
    name, value = change.removeprefix("T.").split(" = ")
    said = refused(CONSTANTS, change)
    assert f"T.{name} was set to {value} after the class was defined; only the class's own text" in said


@pytest.mark.parametrize(
    "change", ["T.depth = 2", "T.text = 'loaded'", "T.cache.append(1)", "T.steps = 9", ""]
)
def test_a_constant_that_is_the_same_or_that_the_experiment_keeps_is_accepted(change):
    assert "depth = 2" in source_of(run_cells(CONSTANTS, change))


def test_a_decorated_method_is_not_taken_for_one_that_was_set_later():
    cell = """
        def plain(function):
            def call(self): return function(self)
            return call
        class T:
            @plain
            def f(self): return 1
            def g(self): return 2
    """
    assert "`@plain`: plain is a function of this session: move it into a module" in refused(cell)


def test_a_module_that_only_the_kernel_sees_is_an_error_with_the_fix_where_it_is_missing(
    tmp_path, monkeypatch
):
    (tmp_path / "beside_it.py").write_text(
        "def helper(): return 7\nclass T:\n    def f(self): return helper()\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    text = source_of(importlib.import_module("beside_it").T)
    assert text.startswith("from beside_it import helper\n\n\nclass T:")
    assert load_task_class("T", text)().f() == 7
    del sys.modules["beside_it"]
    monkeypatch.undo()
    with pytest.raises(ValueError, match=r"line 1: ModuleNotFoundError: .* name its folder in PYTHONPATH"):
        load_task_class("T", text)


def test_a_text_that_is_not_to_be_found_is_an_error(notebook):
    notebook.run_cell("%%time\nclass T:\n    def f(self): pass")
    with pytest.raises(ValueError, match=r"text of T cannot be found.* does not begin with %%time"):
        source_of(notebook.user_ns["T"])


@pytest.mark.parametrize("name", ["T", "NoTask"])
def test_a_class_without_a_method_is_told_that_it_needs_one(name):
    cells = {
        "T": "class T(Base): steps = 5",
        "NoTask": "class NoTask: 0\nclass T(Base, NoTask):\n    def f(self): 0",
    }
    said = refused("class Base:\n    def f(self): return 1", cells[name])
    assert said.startswith(f"{name} has no method of its own")


def test_the_protocol_says_what_is_missing():
    check_protocol(run_cells(f"class T:{METHODS}"))
    task = run_cells(
        "class T:\n    def modle(self): pass\n    loss = 3\n"
        "    def evaluate(self): pass\n    def __init__(self, n): pass"
    )
    with pytest.raises(TypeError) as caught:
        check_protocol(task)
    said = str(caught.value)
    assert "model(self) is missing: it gives the torch.nn.Module" in said
    assert "'modle'?" in said
    assert "loss(self, outputs, targets) is not a method but 3" in said
    assert "evaluate must be callable as evaluate(self, predict)" in said
    assert "__init__ needs arguments" in said
    with pytest.raises(TypeError, match="not an instance"):
        check_protocol(object())


@pytest.mark.parametrize("name", ["", "a b", "class", "T\n", "T;x", "1T", "../T"])
def test_hostile_names_are_refused(name):
    with pytest.raises(ValueError, match="cannot be a class's name"):
        check_source(name, "x = 1")


@pytest.mark.parametrize("source", ["x = '\0'", "x = '\ud800'", "#" * (MAX_SOURCE_BYTES + 1)])
def test_hostile_texts_are_refused(source):
    with pytest.raises(ValueError, match="The source text of T"):
        check_source("T", source)


def test_errors_of_a_text_name_the_line():
    with pytest.raises(ValueError, match="fails in line 2: ZeroDivisionError"):
        load_task_class("T", "x = 1\n1 / 0")
    with pytest.raises(ValueError, match="fails in line 1: SyntaxError"):
        load_task_class("T", "class T")
    with pytest.raises(TypeError, match="defines no class of this name"):
        load_task_class("T", f"T = {math.pi}")
