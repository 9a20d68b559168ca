"""export_site: the classroom site in a folder."""

import os
from collections.abc import Mapping
from pathlib import Path

from mixwidgets.languages.texts import LANGUAGES
from mixwidgets.site.folder import former_site, write_site
from mixwidgets.site.pages import editions, pages_of


def build_site(languages: tuple[str, ...] = LANGUAGES) -> Mapping[str, bytes]:
    """The pages by their paths, the first language's at the site's root. A version's are always the same."""
    return {path: page.encode() for edition in editions(languages) for path, page in pages_of(edition)}


def export_site(
    folder: str | os.PathLike[str], languages: tuple[str, ...] = LANGUAGES
) -> Mapping[str, bytes]:
    """Write the site to a new or an empty folder, or over a former site; errors as of `write_site`.

    Returns what was written. All pages are made before the first is written.
    """
    target = Path(folder)
    former_site(target)  # where it is refused nobody waits for the pages
    files = build_site(languages)
    write_site(target, files)
    return files
