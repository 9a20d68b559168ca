"""mixwidgets format: a format's figures, or what it makes of values."""

from typing import Annotated

import typer

from mixwidgets.cli.words import errors_in_words


def show_format(
    name: Annotated[str, typer.Argument(help="A format, such as float16 or bf16.")],
    values: Annotated[list[str] | None, typer.Argument(help="What to round: 65505, 0x1p-3, 0x7C00 …")] = None,
) -> None:
    """Show a format, or how values are rounded to it."""
    from mixwidgets.formats.catalogue import get_format
    from mixwidgets.formats.describe import describe_format, describe_value

    with errors_in_words():
        fmt = get_format(name)
        texts = [describe_value(fmt, value) for value in values] if values else [describe_format(fmt)]
        typer.echo("\n\n".join(texts))
