"""A user's own task as text: what can be one, and the class made from it in the process that trains it.

Nothing is pickled: the text is what the run's directory keeps, what is hashed, and what a reader reads.
"""

import hashlib
import keyword
import linecache
import reprlib
import traceback
from typing import Any

MAX_SOURCE_BYTES = 100_000
"""The longest source text of a task, in UTF-8."""


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
            f"The source text of {name} is {size} bytes long; at most {MAX_SOURCE_BYTES} travel. Read data "
            "from a file, or make them in a method."
        )


def load_task_class(name: str, source: str) -> type:
    """Run the source text in a namespace of its own and return the class: only for the training process.

    TypeError where the text defines no such class, ValueError where it fails, with the line; tracebacks of
    the task show its lines.
    """
    check_source(name, source)
    place = f"<task {name} {hashlib.sha256(source.encode()).hexdigest()[:8]}>"
    linecache.cache[place] = (len(source), None, source.splitlines(keepends=True), place)
    namespace: dict[str, Any] = {"__name__": place}
    try:
        exec(compile(source, place, "exec", dont_inherit=True), namespace)
    except Exception as error:
        frames = [one.lineno for one in traceback.extract_tb(error.__traceback__) if one.filename == place]
        line = error.lineno if isinstance(error, SyntaxError) else frames[-1] if frames else None
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
