"""Where the notebooks of the course are."""

from pathlib import Path

FIRST = "00_start_here.ipynb"
PACKAGE = Path(__file__).parents[2]


def course_folder() -> Path:
    """The folder of the lessons: in an installed package, or next to the package in a checkout.

    FileNotFoundError if there is neither.
    """
    for folder in (PACKAGE / "notebooks", PACKAGE.parent / "notebooks"):
        if (folder / FIRST).is_file():
            return folder
    raise FileNotFoundError("This mixwidgets has no lessons; install it from its wheel.")
