"""The reason and message of a run that ends with an error."""

import traceback

from mixwidgets.support.files import is_disk_full

_LONGEST = 10_000  # characters of a message, whose end is most informative
_NO_MEMORY = ("can't allocate memory", "std::bad_alloc")  # torch's wording on the CPU


def reason_of(error: BaseException) -> str:
    """A key of `REASONS`: "disk_full", "out_of_memory" or "crashed"."""
    if is_disk_full(error):
        return "disk_full"
    # A failed allocation is a torch.OutOfMemoryError on CUDA and a plain RuntimeError on the CPU.
    names = {kind.__name__ for kind in type(error).__mro__}
    if names & {"MemoryError", "OutOfMemoryError"} or any(part in str(error) for part in _NO_MEMORY):
        return "out_of_memory"
    return "crashed"


def in_words(error: BaseException) -> str:
    """The error's type and message, and the line of a user's task where it happened. Lone surrogates, which
    cannot be encoded, are escaped."""
    text = "".join(traceback.format_exception_only(error)).strip()
    first = error.__cause__ or error  # a StopIteration is the cause of a generator's RuntimeError
    for frame in reversed(traceback.extract_tb(first.__traceback__)):
        if frame.filename.startswith("<task "):
            text += f"\nIn line {frame.lineno} of its task, in {frame.name}: {frame.line}"
            break
    return text[-_LONGEST:].encode("utf-8", "backslashreplace").decode()
