"""mixwidgets format | survey: how a format rounds, and what a checkpoint would lose in narrower formats."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mixwidgets.cli.experiment import NUMBER, ScaleRule
from mixwidgets.cli.terminal import errors_in_words, say, show_table
from mixwidgets.support.checks import whole_number

if TYPE_CHECKING:
    import pandas as pd

_SHARES = ("zero", "flushed", "subnormal", "overflow", "clipped", "not_finite")


def show_format(
    name: Annotated[str, typer.Argument(help="A format, such as float16 or bf16.")],
    values: Annotated[list[str] | None, typer.Argument(help="What to round: 65505, 0x1p-3, 0x7C00 …")] = None,
) -> None:
    """Show a format, or how values are rounded to it."""
    from mixwidgets.floats.formats.catalogue import get_format
    from mixwidgets.floats.formats.describe import describe_format, describe_value
    from mixwidgets.support.languages.choice import chosen_language

    with errors_in_words():
        fmt, lang = get_format(name), chosen_language()
        texts = [describe_value(fmt, value, lang) for value in values or ()]
        texts = texts or [describe_format(fmt, lang)]
        say("\n\n".join(texts))


def survey_file(
    file: Annotated[
        Path,
        typer.Argument(
            help="A safetensors file, the index or the folder of several, or a torch.save file (.pt, .pth, "
            ".bin or .ckpt)."
        ),
    ],
    formats: Annotated[
        list[str] | None,
        typer.Option(
            "--format",
            "-f",
            help="A float or block format, such as bfloat16 or mxfp4. Repeatable.",
            show_default="float16, bfloat16, float8_e4m3fn, mxfp4",
        ),
    ] = None,
    block_axis: Annotated[
        str | None,
        typer.Option(
            metavar=NUMBER,
            help="The axis along which blocks run; default: the one that a layer's product sums over.",
            show_default=False,
        ),
    ] = None,
    scale_rule: ScaleRule = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for scripts: all columns.")] = False,
) -> None:
    """Show what each tensor of a checkpoint would lose in narrower formats.

    help(mixwidgets.survey) explains each column; – means not applicable.
    """
    from mixwidgets.floats.gradients.survey import FORMATS, survey

    with errors_in_words():
        axis = None if block_axis is None else whole_number("block_axis", block_axis, -64, 63)
        table = survey(file, formats or FORMATS, axis, scale_rule)
    if as_json:
        typer.echo(table.to_json(orient="records", double_precision=15))
        return
    if table.empty:
        typer.echo("It has no floating-point tensors, and no others are counted.")
        _show_notes(table)
        return
    names = ("tensor", "values", "format", "blocks_along", *_SHARES, "relative_error")
    show_table(
        [name.replace("_", " ") for name in names],
        [[_in_words(name, row[name]) for name in names] for row in table.to_dict("records")],
    )
    _show_notes(table)


def _show_notes(table: "pd.DataFrame") -> None:
    for note in table.attrs["notes"]:
        typer.echo(note)


def _in_words(name: str, value: object) -> str:
    if isinstance(value, float):
        shown = f"{100 * value:.3g} %" if name in _SHARES else f"{value:.3g}"
        return "–" if value != value else shown
    return f"{value:,}" if isinstance(value, int) else str(value) or "–"
