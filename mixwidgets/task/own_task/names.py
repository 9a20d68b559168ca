"""What a task's text takes from its surroundings: imports and constants to write above it, or an error."""

import ast
import builtins
import dis
import inspect
import math
import sys
from collections.abc import Iterator, Mapping
from types import CodeType, FunctionType, ModuleType
from typing import Any

from mixwidgets.task.own_task.imports import can_be_imported_as, import_of, unseen, why_unseen

_LOOK_UPS = {"LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS"}
_ALWAYS_THERE = {"__name__", "__builtins__"}


def header(task: str, text: str, scope: Mapping[str, Any], flags: int, closure: set[str]) -> list[str]:
    """The lines that make the class `task`, whose text this is, stand alone; sorted, imports first.

    `scope` is the globals of its methods, `flags` the compiler's (for `from __future__ import annotations`),
    `closure` the names that are local to the functions around it. Constants (numbers, texts, booleans, None
    and tuples of them) are frozen at their value of now. ValueError names whatever cannot travel.
    """
    tree = ast.parse(text)
    used = dict(sorted(_used(task, compile(tree, task, "exec", flags, dont_inherit=True)).items()))
    statements, constants = set(_submodules(tree, used, scope)), []
    modules: dict[str, ModuleType] = {}
    problems: dict[str, str] = {}
    for name in used:
        if name in closure:
            problems[name] = "is a variable of the function around the class"
        elif name not in scope and not hasattr(builtins, name):
            problems[name] = "is defined nowhere"
        elif _is_builtin(name, value := scope.get(name, getattr(builtins, name, None))):
            continue
        elif (literal := _literal(value)) is not None:
            constants.append(f"{name} = {literal}")
        elif home := import_of(name, value):
            modules[name], statement = home
            statements.add(statement)
        else:
            problems[name] = _what(value)
    for name in unseen(modules):
        problems[name] = why_unseen(modules[name])
    if problems:
        raise ValueError(_lesson(task, text, used, problems))
    # `import a.b` comes first: it binds `a`, which a later line may need for something else.
    return [*sorted(statements, key=lambda line: (line.count(" ") > 1, line)), *constants]


def _used(task: str, code: CodeType) -> dict[str, int]:
    """The names that the class looks up outside of itself, with the first line that does so.

    The compiler has settled every scope: what it looks up by name, and did not store before, is global.
    """
    found: dict[str, int] = {}
    stored = set()
    for instruction in dis.get_instructions(code):
        name = instruction.argval
        if instruction.opname == "STORE_NAME":
            stored.add(name)
        elif instruction.opname in _LOOK_UPS and name not in stored | _ALWAYS_THERE:
            line = instruction.positions.lineno if instruction.positions else None
            found.setdefault(name, line or code.co_firstlineno)
    for inner in filter(lambda constant: isinstance(constant, CodeType), code.co_consts):
        for name, line in _used(task, inner).items():
            if name != task:
                found[name] = min(line, found.get(name, line))
    return found


def _submodules(tree: ast.AST, used: Mapping[str, int], scope: Mapping[str, Any]) -> Iterator[str]:
    """An import for every submodule that an expression such as `xml.dom.minidom` reaches through its
    package: importing the package alone need not load it."""
    for node in ast.walk(tree):
        attributes: list[str] = []
        while isinstance(node, ast.Attribute):
            attributes.insert(0, node.attr)
            node = node.value
        module = scope.get(node.id) if isinstance(node, ast.Name) and node.id in used else None
        for attribute in attributes:
            if not isinstance(module, ModuleType):
                break
            name = f"{module.__name__}.{attribute}"
            inner = vars(module).get(attribute)
            if inner is None or sys.modules.get(name) is not inner or not can_be_imported_as(name):
                break
            yield f"import {name}"
            module = inner


def _is_builtin(name: str, value: object) -> bool:
    """Whether a fresh process has this under this name. IPython wraps `open`, and adds names of its own."""
    builtin = vars(builtins).get(name)
    made_in = getattr(builtin, "__module__", "builtins")
    return name in vars(builtins) and made_in in ("builtins", "io", "_io") and _unwrapped(value) is builtin


def _unwrapped(value: Any) -> object:
    """Of what functools.wraps made what it wraps; classes (staticmethod's too) are what they are."""
    return inspect.unwrap(value) if callable(value) and not isinstance(value, type) else value


def _literal(value: object) -> str | None:
    """Python text that evaluates to the constant `value`; None for what is none."""
    if type(value) is float and not math.isfinite(value):
        return f'float("{value}")'
    if type(value) in (int, float, str, bool, type(None)):
        return repr(value)
    if type(value) is tuple:
        items = [_literal(item) for item in value]
        if None not in items:
            return f"({', '.join(map(str, items))}{',' * (len(items) == 1)})"
    return None


def _what(value: object) -> str:
    if isinstance(value, type):
        return "is a class that no module holds"
    if isinstance(value, FunctionType):
        return "is a function that no module holds"
    return f"is an object of type {type(value).__name__}, made in this session"


def _lesson(task: str, text: str, used: Mapping[str, int], problems: Mapping[str, str]) -> str:
    lines = text.split("\n")
    named = [
        f"  line {used[name]}, `{lines[used[name] - 1].strip()[:60]}`: {name} {problems[name]}"
        for name in sorted(problems, key=lambda name: (used[name], name))
    ]
    return "\n".join(
        [
            f"{task} uses names that its run would not find, since only the text of the class travels:",
            *named,
            f"Move each into the body of {task} (as self.…), into one of its methods, or into a module that "
            "can be imported.",
        ]
    )
