"""Untrusted text for a terminal, which shows control characters instead of obeying them."""


def plain(text: object) -> str:
    """The text on one line, with what does not print spelt out: an escape sequence is seen as \\x1b[31m.

    Names and messages come from files and from other people's code. Control characters would reach the
    terminal as commands, marks of direction would turn the line around.
    """
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in str(text)
    )
