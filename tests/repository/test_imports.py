"""Imports run down only, no two modules import each other, and heavy libraries load only when used."""

import ast
import importlib
import json
import pkgutil
import re
import subprocess
import sys
import textwrap
import types
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import mixwidgets

ROOT = Path(mixwidgets.__file__).parent
STANDARD = set(sys.stdlib_module_names)

# From the lowest up. Packages of one line stand side by side and do not import each other.
FLOORS = [
    {"support"},
    {"floats"},
    {"runs"},
    {"diagnosis", "teaching"},
    {"charts", "cli", "events", "integrations", "training"},
    {"__main__"},
]
# The libraries that a place may load, apart from the standard library: the longest name that fits counts. All
# others are imported inside functions only.
WIDGETS = {"numpy", "anywidget", "ipywidgets", "traitlets"}
LIBRARIES = {
    "support": set(),
    "floats": {"numpy"},
    "floats.gradients.loops": {"numba"},  # itself imported inside a function
    "floats.widgets": WIDGETS,
    "runs": {"numpy"},
    "runs.task": {"numpy", "torch"},
    "runs.training": {"numpy", "torch"},
    "runs.widgets": WIDGETS,
    "diagnosis": {"numpy", "torch"},
    "diagnosis.watching.told": {"pandas"},  # itself imported inside a function
    "diagnosis.widgets": WIDGETS,
    "teaching": {"numpy"},
    "teaching.site": {"markdown_it"},
    "teaching.widgets": WIDGETS,
    "charts": {"altair", "pandas"},
    "cli": {"typer", "rich"},
    "events": set(),
    "integrations": set(),
    "training": set(),
    "__init__": set(),
    "__main__": set(),
}


def imports(tree: ast.AST, path: Path):
    """(absolute module, "loading" | "inside" | "typing") of every import in a file."""
    package = ["mixwidgets", *path.relative_to(ROOT).parts[:-1]]

    def walk(node, where):
        for child in ast.iter_child_nodes(node):
            inner = where
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                inner = "inside"
            elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
                inner = "typing"
            if isinstance(child, ast.Import):
                yield from ((alias.name, inner) for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                base = package[: len(package) + 1 - child.level] if child.level else []
                module = ".".join([*base, *([child.module] if child.module else [])])
                for alias in child.names:
                    name = f"{module}.{alias.name}"
                    yield (name if name in MODULES or not child.module else module), inner
            yield from walk(child, inner)

    yield from walk(tree, "loading")


FILES = sorted(ROOT.rglob("*.py"))


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__")


MODULES = {module_of(path) for path in FILES}
IMPORTS = {path: [*imports(ast.parse(path.read_text(encoding="utf-8")), path)] for path in FILES}


def floor_of(module: str) -> int:
    """The number of a module's floor; the package itself, whose names load on first use, is below all."""
    name = module.removeprefix("mixwidgets.").split(".")[0] if module.startswith("mixwidgets.") else ""
    return next((number for number, floor in enumerate(FLOORS) if name in floor), -1)


def wrong(path: Path):
    """What is wrong with a file's imports, in words."""
    module = module_of(path)
    inner = module.removeprefix("mixwidgets").lstrip(".") or "__init__"
    place = max((name for name in LIBRARIES if f"{inner}.".startswith(f"{name}.")), key=len)
    for imported, where in IMPORTS[path]:
        top, *below = imported.split(".")
        if top == "mixwidgets":
            is_same = below[:1] == module.split(".")[1:2]
            if inner != "__init__" and not is_same and floor_of(imported) >= floor_of(module):
                yield f"{module} imports {imported}, which is on no floor below it"
        elif top not in STANDARD and where == "loading" and top not in LIBRARIES[place]:
            yield f"{module} loads {top}; {place} loads {sorted(LIBRARIES[place])}, the rest inside functions"
        elif top == "torch" and where == "inside" and "widgets" in module.split("."):
            yield f"{module} imports torch, which no widget needs"


def test_imports_run_down():
    found = {str(path.relative_to(ROOT)): [*wrong(path)] for path in FILES}
    assert {path: sentences for path, sentences in found.items() if sentences} == {}


def test_no_modules_import_each_other():
    """Not even inside functions, or for type checking only."""
    graph = {
        module_of(path): {module for module, _ in found if module in MODULES}
        for path, found in IMPORTS.items()
    }
    TopologicalSorter(graph).prepare()  # CycleError names the modules


def test_imports_run_down_inside_a_floor():
    graph = {}
    for path, found in IMPORTS.items():
        package = module_of(path).split(".")[1:3]
        imported = [module.split(".")[1:3] for module, _ in found if module in MODULES]
        inside = {".".join(other) for other in imported if other[:1] == package[:1] and other != package}
        graph.setdefault(".".join(package), set()).update(inside)
    TopologicalSorter(graph).prepare()


def test_no_typescript_modules_import_each_other():
    """Not even for their types."""
    top = ROOT.parent
    aliases = json.loads((top / "package.json").read_text())["imports"]
    roots = {alias.removesuffix("*"): top / target.removesuffix("*") for alias, target in aliases.items()}

    def path_of(name, importer):
        alias, _, rest = name.partition("/")
        found = roots[f"{alias}/"] / rest if f"{alias}/" in roots else importer.parent / name
        return found.resolve()

    files = [path for folder in (top / "js", ROOT) for path in folder.rglob("*.ts")]
    graph = {
        path.resolve(): {path_of(name, path) for name in re.findall(r'from "([^"]+\.ts)"', path.read_text())}
        for path in files
    }
    assert len(graph) > 100
    assert all(imported <= graph.keys() for imported in graph.values())
    TopologicalSorter(graph).prepare()


def test_the_import_rule_sees_a_wrong_import(monkeypatch):
    path = ROOT / "floats" / "widgets" / "x.py"
    code = "from ...runs.training.loop import train\nimport torch\ndef f():\n    import torch, altair"
    found = list(imports(ast.parse(code), path))
    expected = [("mixwidgets.runs.training.loop", "loading"), ("torch", "loading")]
    assert found == [*expected, ("torch", "inside"), ("altair", "inside")]
    monkeypatch.setitem(IMPORTS, path, found)
    assert len([*wrong(path)]) == 3


def run_python(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize(
    "widget",
    ["BitEditor(65504, format='float16')", "LossScaleExplorer({'w': mw.GradientSummary.of([1e-9])})"],
)
def test_a_widget_of_floats_loads_nothing_above_it(widget):
    loaded = run_python(f"""
        import mixwidgets as mw, sys
        print({{"torch", "altair", "pandas", "numpy", "ipywidgets"}} & set(sys.modules))
        mw.{widget}._repr_mimebundle_()
        print(*sys.modules)
    """)
    after_import, modules = loaded.splitlines()
    assert after_import == "set()"
    heavy = {"torch", "altair", "sklearn", "pandas", "numba", *(["numpy"] if "Bit" in widget else [])}
    assert heavy & set(modules.split()) == set()
    assert {one for one in modules.split() if floor_of(one) > floor_of("mixwidgets.floats")} == set()


def test_what_trains_needs_no_jupyter():
    assert (
        run_python("""
        import importlib, pkgutil, sys

        for missing in "ipywidgets anywidget IPython traitlets pandas typer altair".split():
            sys.modules[missing] = None  # importing it raises ModuleNotFoundError
        import mixwidgets.support, mixwidgets.floats, mixwidgets.runs
        for floor in (mixwidgets.support, mixwidgets.floats, mixwidgets.runs):
            for module in pkgutil.walk_packages(floor.__path__, f"{floor.__name__}."):
                if ".widgets" not in module.name:
                    importlib.import_module(module.name)
        import mixwidgets.diagnosis.watching.watch, mixwidgets.training
        experiment = mixwidgets.Experiment(task="digits_cnn", recipe="fp16_dynamic", steps=1)
        print(next(iter(mixwidgets.train(experiment))).kind)
    """)
        == "started"
    )


def test_every_public_name_is_there_twice():
    """Once fresh, and once more after every module was imported: no module hides a function of its name."""

    def public():
        return {name: getattr(mixwidgets, name) for name in mixwidgets.__all__}

    before = public()
    for module in pkgutil.walk_packages(mixwidgets.__path__, "mixwidgets."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    after = public()
    assert before == after
    assert not any(isinstance(value, types.ModuleType) for value in after.values())
    assert dir(mixwidgets) == sorted(mixwidgets.__all__)


def test_an_unknown_public_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'BitEdtor'"):
        _ = mixwidgets.BitEdtor


FLOOR = re.compile(rf"mixwidgets\.({'|'.join(sorted(set.union(*FLOORS[:-2])))})\b")


def test_no_line_of_a_user_names_a_floor():
    top = ROOT.parent
    pages = [
        *top.glob("README*.md"),
        *(page for page in top.glob("docs/**/*.md") if page.stem != "architecture"),
    ]
    lines = [line for page in pages for line in page.read_text(encoding="utf-8").splitlines()]
    for notebook in top.glob("notebooks/**/*.ipynb"):
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        lines += ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    for source in ROOT.rglob("*.py"):  # its errors
        raised = [
            node for node in ast.walk(ast.parse(source.read_text("utf-8"))) if isinstance(node, ast.Raise)
        ]
        lines += [text.value for node in raised for text in ast.walk(node) if isinstance(text, ast.Constant)]
    assert len(lines) > 3_000
    assert [line for line in lines if isinstance(line, str) and FLOOR.search(line)] == []


# A saved page imports the one module that it holds.
EXCEPTIONS = {("js/host/page.ts", "import("), ("mixwidgets/static/host.js", "import(")}


def test_the_front_end_has_no_markup_eval_or_remote_import():
    typescript = [*(ROOT.parent / "js").rglob("*.ts"), *ROOT.rglob("*.ts")]
    sources = [*typescript, *(ROOT / "static").iterdir()]
    assert len(sources) > 100
    for path in sources:
        text = path.read_text(encoding="utf-8")
        name = path.relative_to(ROOT.parent).as_posix()
        for risky in (
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "eval(",
            "new Function",
            "document.write",
            "setHTMLUnsafe",
            "createContextualFragment",
            "DOMParser",
            "srcdoc",
            "javascript:",
            "import(",
            "importScripts",
            "fetch(",
            "XMLHttpRequest",
            "WebSocket",
            "EventSource",
            "sendBeacon",
        ):
            if not name.startswith("js/test/") and (name, risky) not in EXCEPTIONS:
                assert risky not in text, f"{name} uses {risky}"


# A text reaches the page through h, s, set and setText, where a mark of direction is spelled out.
PAST_THE_DOOR = re.compile(
    r"""\.(?:textContent|innerText|title|ariaLabel|placeholder)\s*=[^=]"""
    r"""|\.setAttribute\(|createTextNode\("""
    r"""|\.(?:append|prepend|before|after|replaceChildren|replaceWith|insertAdjacentText)\(\s*["'`]"""
)


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("p.textContent = name", True),
        ("p.setAttribute('title', name)", True),
        ("p.append(`${name}`)", True),
        ("p.replaceChildren(h('b', {}, name))", False),
        ("if (p.textContent === name)", False),
    ],
)
def test_a_text_past_the_door_is_found(code, found):
    assert bool(PAST_THE_DOOR.search(code)) == found


def test_every_text_of_a_page_goes_through_one_door():
    for path in [*(ROOT.parent / "js").rglob("*.ts"), *ROOT.rglob("*.ts")]:
        name = path.relative_to(ROOT.parent).as_posix()
        if not name.startswith("js/test/") and name != "js/ui/dom.ts":
            assert PAST_THE_DOOR.findall(path.read_text(encoding="utf-8")) == [], name
