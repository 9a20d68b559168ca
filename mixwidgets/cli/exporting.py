"""mixwidgets export: the classroom site as a folder of pages."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

import typer

from mixwidgets.cli.words import errors_in_words, plain


class Lang(StrEnum):
    """In which languages the site is made."""

    en = "en"
    zh = "zh"
    both = "both"


_LANGUAGES: dict[Lang, tuple[Literal["en", "zh"], ...]] = {
    Lang.en: ("en",),
    Lang.zh: ("zh",),
    Lang.both: ("en", "zh"),
}


def export(
    folder: Annotated[
        Path, typer.Argument(help="A new or an empty folder, or one with a former site.", show_default=False)
    ],
    lang: Annotated[
        Lang, typer.Option(help="English, Simplified Chinese (with the index at the root), or both.")
    ] = Lang.both,
) -> None:
    """Write the classroom site: widgets, presets and exercises as pages without a kernel or a network."""
    from mixwidgets.site.exporting import export_site

    with errors_in_words():
        files = export_site(folder, _LANGUAGES[lang])
        size = sum(map(len, files.values())) / 1e6
        typer.echo(f"{len(files)} pages, {size:.1f} MB, in {plain(folder)}")
        typer.echo(f"Open {plain((folder / 'index.html').resolve().as_uri())}")
