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

# package: (those below it, what it may import of others on loading, and what only inside functions)
PACKAGES = {
    "suggestion": (set(), set(), set()),
    "formats": ({"suggestion"}, {"numpy"}, set()),
    "gradients": ({"formats"}, {"numpy"}, {"numba", "pandas", "safetensors", "torch"}),
    "checks": ({"formats", "suggestion"}, set(), set()),
    "installed": (set(), set(), set()),
    "plain_text": (set(), set(), set()),
    "task": ({"checks", "suggestion", "formats"}, {"numpy", "torch"}, {"sklearn"}),
    "experiments": ({"checks", "suggestion", "formats", "task", "languages"}, {"numpy"}, set()),
    "store": (
        {"checks", "installed", "plain_text", "formats", "gradients", "task", "experiments"},
        {"numpy"},
        {"pandas", "tensorboard", "tqdm"},
    ),
    "observe": (
        {"checks", "installed", "formats", "gradients", "experiments", "languages", "store"},
        {"numpy", "torch"},
        {"pandas"},
    ),
    "training": (
        {"checks", "installed", "formats", "gradients", "task", "experiments", "store", "observe"},
        {"numpy", "torch"},
        {"pandas"},
    ),
    "integrations": ({"observe", "store"}, set(), {"transformers", "lightning", "pytorch_lightning"}),
    "scheduler": (
        {"checks", "installed", "gradients", "task", "experiments", "store", "training"},
        set(),
        {"loky", "tqdm"},
    ),
    "languages": (set(), set(), {"jupyter_core"}),
    "exercises": ({"checks", "formats", "languages", "store"}, {"numpy"}, {"torch"}),
    "widgets": (
        {
            *("checks", "suggestion", "formats", "gradients", "task", "experiments", "store", "scheduler"),
            *("languages", "exercises"),
        },
        {"numpy", "anywidget", "ipywidgets", "traitlets"},
        {"playwright", "pandas", "IPython"},
    ),
    "difference": (
        {"checks", "gradients", "experiments", "training", "languages", "widgets"},
        {"numpy", "torch"},
        {"pandas"},
    ),
    "stacks": ({"formats", "languages"}, {"numpy"}, {"torch", "ml_dtypes", "gfloat"}),
    "charts": ({"formats", "gradients", "experiments", "store", "languages"}, {"altair", "pandas"}, set()),
    "site": ({"task", "store", "languages", "exercises", "widgets"}, {"markdown_it"}, set()),
    "cli": (
        {
            *("checks", "installed", "formats", "gradients", "task", "experiments", "store", "training"),
            *("observe", "scheduler", "languages", "exercises", "widgets", "site"),
            *("plain_text", "suggestion"),
        },
        {"typer", "rich"},
        {"distributed"},
    ),
    "__init__": ({"installed"}, set(), set()),
}
# Files that are imported inside functions only, and what they may import of others on loading.
LATE = {"mixwidgets.gradients.loops": {"numba"}}


def package_of(path: Path) -> str:
    """An entry point, which starts a process, is above all: it may import what the command line may."""
    first = path.relative_to(ROOT).parts[0]
    return "cli" if path.name == "__main__.py" else first.removesuffix(".py")


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


def wrong(path: Path):
    """What is wrong with a file's imports, in words."""
    package = package_of(path)
    below, loading, inside = PACKAGES[package]
    loading = LATE.get(module_of(path), loading)
    for module, where in IMPORTS[path]:
        top = module.split(".")[0]
        if module in LATE and where != "inside":
            yield f"{module} is for who has what it needs: import it inside a function"
        if top == "mixwidgets":
            target = module.split(".")[1] if "." in module else "__init__"
            if target not in {package, *below, "__init__", "__version__"}:
                yield f"{package} imports {module}, which is not below it"
        elif top not in STANDARD and where != "typing":
            allowed = loading | inside if where == "inside" else loading
            if top not in allowed:
                yield f"{package} may not import {top} {where}; it may import {sorted(allowed)}"


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


def test_no_typescript_modules_import_each_other():
    """Not even for their types."""
    top = ROOT.parent
    aliases = json.loads((top / "package.json").read_text())["imports"]
    roots = {alias.removesuffix("*"): top / target.removesuffix("*") for alias, target in aliases.items()}

    def path_of(name, importer):
        alias, _, rest = name.partition("/")
        found = roots[f"{alias}/"] / rest if f"{alias}/" in roots else importer.parent / name
        return found.resolve()

    files = [path for folder in (top / "js", ROOT / "widgets") for path in folder.rglob("*.ts")]
    graph = {
        path.resolve(): {path_of(name, path) for name in re.findall(r'from "([^"]+\.ts)"', path.read_text())}
        for path in files
    }
    assert len(graph) > 100
    assert all(imported <= graph.keys() for imported in graph.values())
    TopologicalSorter(graph).prepare()


def test_the_import_rule_sees_a_wrong_import():
    path = ROOT / "widgets" / "x.py"
    code = "from ..training.loop import train\nimport torch\ndef f():\n    import altair"
    found = list(imports(ast.parse(code), path))
    assert found == [("mixwidgets.training.loop", "loading"), ("torch", "loading"), ("altair", "inside")]


def run_python(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_import_and_a_bit_editor_load_nothing_heavy():
    assert (
        run_python("""
        import mixwidgets as mw, sys
        after_import = {"torch", "altair", "sklearn", "pandas", "numpy", "ipywidgets"} & set(sys.modules)
        mw.BitEditor(65504, format="float16")._repr_mimebundle_()
        print(after_import, {"torch", "altair", "sklearn", "pandas", "numpy"} & set(sys.modules))
    """)
        == "set() set()"
    )


def test_the_lower_packages_need_no_jupyter():
    assert (
        run_python("""
        import importlib, pkgutil, sys

        for missing in "ipywidgets anywidget IPython traitlets pandas typer altair".split():
            sys.modules[missing] = None  # importing it raises ModuleNotFoundError
        import mixwidgets
        for name in ("formats", "gradients", "task", "experiments", "store", "observe", "training"):
            package = importlib.import_module(f"mixwidgets.{name}")
            for module in pkgutil.iter_modules(package.__path__, f"mixwidgets.{name}."):
                if not module.name.endswith("__main__"):
                    importlib.import_module(module.name)
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
