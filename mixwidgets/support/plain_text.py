"""Untrusted text for a terminal, with control characters escaped, and for a spreadsheet."""

_FORMULA = tuple("=+-@\uff1d\uff0b\uff0d\uff20\t\r\n")  # a spreadsheet may execute cells that begin so


def plain(text: object) -> str:
    """The text on one line with non-printable characters escaped, such as \\x1b[31m.

    Names and messages come from files and from other people's code. Control characters would reach the
    terminal as commands, and bidirectional marks would reorder the line.
    """
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in str(text)
    )


def no_formula(cell: str) -> str:
    """The text with an apostrophe before it if a spreadsheet might execute it."""
    return f"'{cell}" if cell.startswith(_FORMULA) else cell
