"""Untrusted text for a terminal, with control characters escaped."""


def plain(text: object) -> str:
    """The text on one line with non-printable characters escaped, such as \\x1b[31m.

    Names and messages come from files and from other people's code. Control characters would reach the
    terminal as commands, and bidirectional marks would reorder the line.
    """
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in str(text)
    )
