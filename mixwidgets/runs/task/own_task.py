"""A user's own task: a class with the four methods of a task, and defaults of an experiment.

class MyTask:                               # the docstring is its explanation in menus
    steps = 200                             # optional: the experiment's defaults
    def model(self): ...                    # a torch.nn.Module with float32 weights
    def batches(self, batch_size, seed): ...  # an iterator of (inputs, targets)
    def loss(self, outputs, targets): ...   # the mean of the examples' losses, a scalar
    def evaluate(self, predict): ...        # a dict of metrics, "loss" among them

Random numbers come from `seed` or from torch's global generator, which the run has seeded. The model gets
floating-point inputs in the compute format and integers unchanged; frozen parameters stay frozen. It returns
a tensor, or tensors in a tuple, list, dict or Hugging Face ModelOutput. The explicit loop does not support
activation checkpointing, whose second forward pass it does not see; loop="amp" does.

The class goes to its run as source text (`source_of`), which is stored in the run directory and hashed with
the experiment, and becomes a class again where it is trained (`load_task_class`). Nothing is pickled: a text
can be read before it is trusted, and does not depend on the session that wrote it. So it must contain
everything that it uses except modules.
"""

import __future__

import ast
import builtins
import hashlib
import inspect
import keyword
import linecache
import re
import reprlib
import symtable
import sys
import traceback
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from itertools import accumulate
from types import FunctionType, ModuleType
from typing import Any

from mixwidgets.runs.task.spec import DEFAULTS, TaskSpec
from mixwidgets.support.suggestion import did_you_mean

MAX_SOURCE_BYTES = 100_000
"""The longest source text of a task, in UTF-8."""

_LITERALS = (int, float, str, tuple, list, dict)
_of_this_session: set[str] = set()  # sources read from classes of this process
_METHODS = {
    "model": ((), "gives the torch.nn.Module with its float32 weights; made once, after the seed was set"),
    "batches": (("batch_size", "seed"), "gives an iterator of (inputs, targets), first axis the example"),
    "loss": (("outputs", "targets"), "gives the mean of the examples' losses, a scalar tensor"),
    "evaluate": (("predict",), "gives a dict of metrics; predict(inputs) are the outputs in float32"),
}


def check_protocol(task: object) -> None:
    """Raise TypeError, with the purpose of each method, unless `task` is a class that needs no arguments and
    has the methods `model`, `batches`, `loss` and `evaluate`."""
    if not isinstance(task, type):
        raise TypeError(
            "A task is a class, not an instance: write task=MyTask, not task=MyTask(). "
            f"{reprlib.repr(task)} is of type {type(task).__name__}."
        )
    problems = []
    for name, (arguments, purpose) in _METHODS.items():
        shown = f"{name}({', '.join(('self', *arguments))})"
        member = inspect.getattr_static(task, name, None)
        bound = () if isinstance(member, staticmethod | classmethod) else ("self",)
        if not callable(getattr(task, name, None)):
            near = did_you_mean(name, [own for own in dir(task) if own[0] != "_" and own not in _METHODS])
            missing = "is missing" if member is None else f"is not a method but {reprlib.repr(member)}"
            problems.append(f"  {shown} {missing}: it {purpose}.{near.replace('Did you mean', 'Is it')}")
        elif not _can_bind(getattr(task, name), (*bound, *arguments)):
            problems.append(f"  {name} must be callable as {shown}: it {purpose}.")
    if not _can_bind(task, ()):
        problems.append("  __init__ needs arguments: give each a default, because a run passes none.")
    if problems:
        raise TypeError("\n".join([f"{task.__name__} is not a complete task yet:", *problems]))


def _can_bind(function: Any, arguments: tuple[str, ...]) -> bool:
    try:
        inspect.signature(function).bind(*arguments)
    except TypeError:
        return False
    except ValueError:  # implemented in C, without a signature
        return True
    return True


def own_spec(name: str, task: type | None = None) -> TaskSpec:
    """The spec of a user's task, from the attributes of its class, if it is at hand."""
    defaults = {field: getattr(task, field) for field in DEFAULTS if getattr(task, field, None) is not None}
    return TaskSpec(name=name, title=name, explanation=(task and inspect.getdoc(task)) or "", **defaults)


def source_of(task: type) -> str:
    """The source text of a class with its bases and imports, so that another process can define it.

    Bases from the class's own script or notebook precede it. Global names used become imports if they are
    modules or belong to one. ValueError names every other one and the line to add; it also says what to do
    if a text cannot be found or is too long. The same class always gives the same text.
    """
    method, text = _find(task)
    classes = [task]
    for base in task.__mro__[1:]:
        named = base.__module__ == task.__module__ and _first_line(base.__name__, text)
        if named and not _imports(base.__name__, base, text):
            classes.append(base)
            text = f"{_find(base)[1]}\n\n{text}"
    future = method.__code__.co_flags & __future__.annotations.compiler_flag
    above = ["from __future__ import annotations"] if future else []
    scope = {**vars(builtins), **method.__globals__}
    for each in classes:
        for function in _functions(each):
            scope |= inspect.getclosurevars(function).nonlocals
    names = _globals(symtable.symtable("\n".join([*above, text]), task.__name__, "exec"))
    imports, problems = set(), []
    for name in sorted(names - {"__name__", *(each.__name__ for each in classes)}):
        value = scope.get(name)
        if _is_builtin(name, value):
            continue
        if lines := _imports(name, value, text):
            imports |= lines
        else:
            problems.append(_advice(name, scope, text))
    if problems:
        head = f"{task.__name__} uses names that its run would not find: only the class's text is sent to it."
        raise ValueError("\n".join([head, *problems]))
    # `import a.b` comes first because it binds `a`, which a later import may rebind.
    above += sorted(imports, key=lambda line: (line.count(" ") > 1, line))
    source = "\n".join([*above, "", "", text]).lstrip("\n")
    check_source(task.__name__, source)
    _of_this_session.add(source)
    return source


def check_trust(name: str, source: str, trust_source: bool) -> None:
    """Raise ValueError for untrusted source from a file or a run, which training would execute."""
    if source and not trust_source and source not in _of_this_session:
        raise ValueError(
            f"The task {name} brings Python source that is not from this session, and training executes it. "
            "Read it first: print(experiment.task_source). On the command line, if you trust it, add "
            "--trust-source; in Python, trust_source=True."
        )


def _find(task: type) -> tuple[FunctionType, str]:
    """A method of the class, and the class's text without indentation.

    The text is found through a method, because `inspect.getsource` does not find classes of a notebook.
    """
    for function in _functions(task):
        try:
            lines, _ = inspect.findsource(function)
            tree = ast.parse("".join(lines))
        except (OSError, SyntaxError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and node.name == task.__name__:
                first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                if first <= function.__code__.co_firstlineno <= (node.end_lineno or 0):
                    text = _at_the_margin(lines, first, node)
                    _check_unchanged(task, text, node)
                    return function, text
    if not _functions(task):
        raise ValueError(
            f"{task.__name__} has no method of its own, through which its text could be found: give it one, "
            "or move what it contains into a class that has one."
        )
    raise ValueError(
        f"The text of {task.__name__} cannot be found. Define the class in a file, or in a notebook cell "
        "that does not begin with %%time, and run it again if it was changed."
    )


def _at_the_margin(lines: list[str], first: int, node: ast.ClassDef) -> str:
    """The class's lines without their indentation, except inside multi-line strings."""
    within = {
        line
        for part in ast.walk(node)
        if isinstance(part, ast.Constant | ast.JoinedStr)
        for line in range(part.lineno + 1, (part.end_lineno or 0) + 1)
    }
    indent = lines[first - 1][: node.col_offset]
    numbered = enumerate(lines[first - 1 : node.end_lineno], first)
    text = "".join(line if number in within else line.removeprefix(indent) for number, line in numbered)
    return text.rstrip("\n") + "\n"


def _check_unchanged(task: type, text: str, node: ast.ClassDef) -> None:
    """Raise ValueError for a method or a constant that was set later, since the text does not have it."""
    methods = {
        part.name for part in node.body if isinstance(part, ast.FunctionDef) and not part.decorator_list
    }
    constants = _constants(node)
    for name, member in vars(task).items():
        foreign = isinstance(member, FunctionType) and not member.__qualname__.startswith(task.__qualname__)
        unwritten = name[0] != "_" and not _first_line(name, text)  # a metaclass adds names with "_"
        changed = isinstance(member, _LITERALS) and constants.get(name, member) != member
        if (foreign and (unwritten or name in methods)) or (changed and name not in DEFAULTS):
            value = member.__qualname__ if isinstance(member, FunctionType) else reprlib.repr(member)
            raise ValueError(
                f"{task.__name__}.{name} was set to {value} after the class was defined; only "
                f"the class's own text is sent to a run. Define {name} inside the class."
            )


def _constants(node: ast.ClassDef) -> dict[str, object]:
    """The literals that a class assigns to a name that it assigns only once. None, [] and {} are left out:
    a method may fill them."""
    stored = (
        name.id for name in ast.walk(node) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
    )
    times, literals = Counter(stored), dict[str, object]()
    for part in node.body:
        match part:
            case (
                ast.Assign(targets=[ast.Name(name)], value=value)
                | ast.AnnAssign(target=ast.Name(name), value=ast.expr() as value)
            ) if times[name] == 1:
                with suppress(ValueError):  # not a literal
                    literals[name] = ast.literal_eval(value)
    return {name: literal for name, literal in literals.items() if literal not in (None, [], {})}


def _functions(task: type) -> list[FunctionType]:
    """The functions of the class's own members, without their decorators."""
    members = [getattr(member, "__func__", getattr(member, "fget", member)) for member in vars(task).values()]
    unwrapped = [inspect.unwrap(member) for member in members if callable(member)]
    return [function for function in unwrapped if isinstance(function, FunctionType)]


def _globals(table: symtable.SymbolTable) -> set[str]:
    """The global names that a text uses but does not define."""
    used = {each.get_name() for each in table.get_symbols() if each.is_global() and each.is_referenced()}
    return used.union(*map(_globals, table.get_children()))


def _is_builtin(name: str, value: Any) -> bool:
    """Whether this is Python's own builtin. IPython wraps `open` and adds other names."""
    builtin = vars(builtins).get(name)
    made_in = getattr(builtin, "__module__", "builtins")
    unwrapped = value if isinstance(value, type) else getattr(value, "__wrapped__", value)
    return name in vars(builtins) and made_in in ("builtins", "io", "_io") and unwrapped is builtin


def _imports(name: str, value: object, text: str) -> set[str]:
    """The imports that bind this object to `name`; empty if no module contains it."""
    if isinstance(value, ModuleType):
        package = value.__name__
        if sys.modules.get(package) is not value:
            return set()
        # `xml.dom.minidom` uses submodules, which importing the package alone may not load.
        chains = [chain.split(".")[1:] for chain in re.findall(rf"(?<![\w.]){name}((?:\.\w+)+)", text)]
        reached = {path for chain in chains for path in accumulate([package, *chain], "{}.{}".format)}
        own = f"import {package}" + f" as {name}" * (package != name)
        return {own, *(f"import {path}" for path in reached - {package} if path in sys.modules)}
    attribute = getattr(value, "__name__", name)
    parts = str(getattr(value, "__module__", "__main__")).split(".")
    # Prefer the shortest path, which is the public one: sklearn.datasets, not sklearn.datasets._base.
    for path in accumulate(parts, "{}.{}".format):
        if path != "__main__" and getattr(sys.modules.get(path), attribute, None) is value:
            return {f"from {path} import {attribute}" + f" as {name}" * (attribute != name)}
    return set()


def _advice(name: str, scope: Mapping[str, Any], text: str) -> str:
    """What a missing name is, where it is used, and the line to add."""
    value, used = scope.get(name), _first_line(name, text)
    if name not in scope:
        what, line = "is defined nowhere", f"define `{name}`"
    elif isinstance(value, int | float | str | tuple | None) and len(repr(value)) < 60:
        what, line = "is a constant of this session", f"add `{name} = {value!r}`"
    elif isinstance(value, type | FunctionType):
        what = f"is a {'class' if isinstance(value, type) else 'function'} of this session"
        line = f"move it into a module of your own and add `from that_module import {name}`, or repeat it"
    else:
        what, line = f"is an object of type {type(value).__name__}, made in this session", "make it"
    advice = f"{line} above that line, inside the class."
    if not used[:1].isspace():
        advice = "a class's decorators and first line can use only literals and what modules define."
    return f"  `{used.strip()[:60]}`: {name} {what}: {advice}"


def _first_line(name: str, text: str) -> str:
    """The first line that contains the name; empty if none does."""
    return next((line for line in text.splitlines() if re.search(rf"\b{re.escape(name)}\b", line)), "")


def check_source(name: object, source: object) -> None:
    """Raise TypeError or ValueError unless these are a valid name and source text of a task."""
    if not isinstance(name, str) or not isinstance(source, str):
        raise TypeError(
            f"A task has a name and a source text; got {reprlib.repr(name)} and {reprlib.repr(source)}."
        )
    if not name.isidentifier() or keyword.iskeyword(name):
        raise ValueError(f"A task is named as its class is; {reprlib.repr(name)} cannot be a class's name.")
    if bad := re.search("[\0\ud800-\udfff]", source):
        raise ValueError(
            f"The source text of {name} contains {bad[0]!r}, a NUL or a lone surrogate: write it as an "
            "escape, or remove it."
        )
    if (size := len(source.encode())) > MAX_SOURCE_BYTES:
        raise ValueError(
            f"The source text of {name} is {size} bytes long; at most {MAX_SOURCE_BYTES} are allowed. Read "
            "data from a file, or create them in a method."
        )


def load_task_class(name: str, source: str) -> type:
    """Execute a text that `check_source` accepts in its own namespace and return the class. Only for the
    training process.

    TypeError if the text defines no such class, ValueError, with the line, if it fails. Tracebacks of the
    task show its lines.
    """
    place = f"<task {name} {hashlib.sha256(source.encode()).hexdigest()[:8]}>"
    linecache.cache[place] = (len(source), None, source.splitlines(keepends=True), place)
    namespace: dict[str, Any] = {"__name__": place}
    try:
        exec(compile(source, place, "exec", dont_inherit=True), namespace)
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if frame.filename == place]
        line = error.lineno if isinstance(error, SyntaxError) else lines[-1] if lines else None
        hint = ""
        if isinstance(error, ModuleNotFoundError):
            hint = " A run sees no module beside the notebook: install it, or name its folder in PYTHONPATH."
        raise ValueError(
            f"The source text of {name} fails in line {line}: {type(error).__name__}: {error}.{hint}"
        ) from error
    task = namespace.get(name)
    if not isinstance(task, type):
        raise TypeError(f"The source text of the task {name} defines no class of this name.")
    return task
