"""A user's own task: a class that travels to a run's process as its source text, and is made from it there.

Nothing is pickled: the text is what the run's directory keeps, what is hashed, and what a reader reads.
"""

import __future__

import ast
import hashlib
import inspect
import keyword
import linecache
import reprlib
import traceback
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from mixwidgets.task.own_task.names import header
from mixwidgets.task.own_task.protocol import task_class

MAX_SOURCE_BYTES = 100_000
"""The longest source text of a task, in UTF-8."""

_ANNOTATIONS = __future__.annotations.compiler_flag


def source_of(task: type) -> str:
    """The text from which the class can be made anew in another process: its own lines, below the imports
    and constants that it takes from its module or notebook. The same class always gives the same text.

    Constants are frozen at the value that they have now. TypeError for what is no class; ValueError, with
    what to do, where the text is not to be found, uses what cannot travel, or is too long.
    """
    task_class(task)
    place = _find(task)
    text = _cut_out(place)
    flags = place.code.co_flags & _ANNOTATIONS
    _check_unchanged(task, place)
    closure = _names_around(task, place, flags) if "<locals>" in task.__qualname__ else set()
    above = header(task.__name__, text, place.scope, flags, closure)
    if flags:
        above.insert(0, "from __future__ import annotations")
    source = "\n".join([*above, "", "", text]).lstrip("\n")
    check_source(task.__name__, source)
    return source


def check_source(name: object, source: object) -> None:
    """TypeError or ValueError unless these can be the name and the source text of a task."""
    if not isinstance(name, str) or not isinstance(source, str):
        raise TypeError(
            f"A task has a name and a source text; {reprlib.repr(name)} and {reprlib.repr(source)} came."
        )
    if not name.isidentifier() or keyword.iskeyword(name):
        raise ValueError(f"A task is named as its class is; {reprlib.repr(name)} cannot be a class's name.")
    try:
        size = len(source.encode())
    except UnicodeEncodeError as error:
        raise ValueError(
            f"The source text of {name} holds {source[error.start]!r}, which is no character; write it as "
            "an escape, or leave it out."
        ) from None
    if "\0" in source:
        raise ValueError(f"The source text of {name} holds a NUL character; write it as an escape: \\0.")
    if size > MAX_SOURCE_BYTES:
        raise ValueError(
            f"The source text of {name} is {size} bytes long, with the constants that it uses; at most "
            f"{MAX_SOURCE_BYTES} travel. Read data from a file, or make them in a method."
        )


def load_task_class(name: str, source: str) -> type:
    """Run the source text in a namespace of its own and return the class: only for the training process.

    TypeError where the text defines no such class, ValueError where it fails, with the line; tracebacks
    of the task show its lines.
    """
    check_source(name, source)
    place = f"<task {name} {hashlib.sha256(source.encode()).hexdigest()[:8]}>"
    linecache.cache[place] = (len(source), None, [f"{line}\n" for line in source.split("\n")], place)
    namespace: dict[str, Any] = {"__name__": place}
    try:
        exec(compile(source, place, "exec", dont_inherit=True), namespace)
    except Exception as error:
        frames = [
            frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == place
        ]
        line = error.lineno if isinstance(error, SyntaxError) else frames[-1] if frames else None
        raise ValueError(
            f"The source text of {name} fails in line {line}: {type(error).__name__}: {error}."
        ) from error
    task = namespace.get(name)
    if not isinstance(task, type):
        raise TypeError(f"The source text of the task {name} defines no class of this name.")
    return task


class _Place(NamedTuple):
    """Where a class stands: a method's code and globals, the text's lines, the outer statement, its own."""

    code: CodeType
    scope: dict[str, Any]
    lines: list[str]
    statement: ast.stmt
    definition: ast.ClassDef


def _find(task: type) -> _Place:
    """By way of a method's code, which knows its file or cell; `inspect` finds no class of a notebook."""
    for member in vars(task).values():
        method = _function(member)
        if method is None or not method.__qualname__.startswith(f"{task.__qualname__}."):
            continue
        file, line = method.__code__.co_filename, method.__code__.co_firstlineno
        linecache.checkcache(file)
        text = "".join(linecache.getlines(file, method.__globals__)).replace("\r\n", "\n")
        try:
            statements = ast.parse(text).body
        except SyntaxError:
            continue
        for statement in statements:
            for qualname, node in _classes(ast.Module([statement], [])):
                if qualname == task.__qualname__ and node.lineno <= line <= (node.end_lineno or 0):
                    return _Place(method.__code__, method.__globals__, text.split("\n"), statement, node)
    raise ValueError(
        f"The text of {task.__name__} cannot be found. Define the class with at least one method of its own, "
        "in a notebook cell or a file, and run the cell again if it was changed."
    )


def _function(member: object) -> FunctionType | None:
    """The function that a class's member was written as, under its decorators."""
    inner: Any = getattr(member, "__func__", getattr(member, "fget", member))
    function: object = inspect.unwrap(inner) if callable(inner) else None
    return function if isinstance(function, FunctionType) else None


def _classes(node: ast.AST, path: str = "") -> Iterator[tuple[str, ast.ClassDef]]:
    """Every class below a node, with its `__qualname__`."""
    for child in ast.iter_child_nodes(node):
        inner = path
        if isinstance(child, ast.ClassDef):
            yield path + child.name, child
            inner = f"{path}{child.name}."
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            inner = f"{path}{child.name}.<locals>."
        yield from _classes(child, inner)


def _cut_out(place: _Place) -> str:
    """The class's own lines with its decorators, moved to the left margin, without white space at their
    ends; what stands inside a text of several lines stays as it is."""
    node = place.definition
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    within = {
        line
        for part in ast.walk(node)
        if isinstance(part, ast.Constant | ast.JoinedStr)
        for line in range(part.lineno + 1, (part.end_lineno or 0) + 1)
    }
    indent = place.lines[node.lineno - 1][: node.col_offset]
    cut = []
    for number in range(first, (node.end_lineno or 0) + 1):
        line = place.lines[number - 1]
        line = line if number in within else line.removeprefix(indent)
        cut.append(line if number + 1 in within else line.rstrip())
    return "\n".join([*cut, ""])


def _check_unchanged(task: type, place: _Place) -> None:
    """ValueError for a method that was put into the class after it was made: its text is elsewhere."""
    node = place.definition
    if node.decorator_list:  # they may rewrite any method
        return
    written = {
        part.name for part in node.body if isinstance(part, ast.FunctionDef) and not part.decorator_list
    }
    bound = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    for name, member in vars(task).items():
        foreign = isinstance(member, FunctionType) and not member.__qualname__.startswith(task.__qualname__)
        if foreign and (name in written or name not in bound):
            raise ValueError(
                f"{task.__name__}.{name} was set to {member.__qualname__} after the class was made; only the "
                f"class's own text travels. Write {name} inside the class."
            )


def _names_around(task: type, place: _Place, flags: int) -> set[str]:
    """The local names of the functions around a class."""

    def codes(code: CodeType) -> Iterator[CodeType]:
        yield code
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                yield from codes(constant)

    whole = compile(ast.Module([place.statement], []), "<around>", "exec", flags, dont_inherit=True)
    return {
        name
        for code in codes(whole)
        if task.__qualname__.startswith(f"{code.co_qualname}.<locals>.")
        for name in (*code.co_varnames, *code.co_cellvars, *code.co_freevars)
    }
