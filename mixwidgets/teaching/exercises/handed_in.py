"""The text in what students hand in: plain text in the encodings of their editors, mails, HTML, notebooks,
and the text files in a ZIP, among them documents of Word and LibreOffice. Nothing in a file is executed.

What cannot be read is a problem with the file's name, never nothing. Each file is bounded, and so is the sum
of a student's.
"""

import codecs
import io
import json
import os
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from email import message_from_bytes
from html.parser import HTMLParser
from pathlib import Path

from mixwidgets.support.files import open_plain_file

LARGEST_TEXT = 1_000_000  # bytes; the reports of a whole course take about 50,000
LARGEST_FILE = 20_000_000  # of a notebook with its pictures, a page, an archive
MOST_FILES = 200  # of one student
OF_A_STUDENT = 3_000_000  # characters of all texts together
MOST_ENTRIES = 2000  # files and folders that are looked at
_KINDS = {  # what cannot be read as text, by its first bytes
    b"%PDF": "a PDF",
    b"Rar!": "a RAR archive",
    b"7z\xbc\xaf": "a 7z archive",
    b"\x1f\x8b": "a gzip archive",
    b"BZh": "a bzip2 archive",
    b"\xfd7zXZ": "an xz archive",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"\xd0\xcf\x11\xe0": "an old Office document",
}
_TEXT_ENDS = (".txt", ".md", ".html", ".htm", ".ipynb", ".eml", "word/document.xml", "content.xml")
_MAIL = re.compile(
    rb"(?i)\s*(?:(?:received|return-path|from|date|mime-version|message-id|subject|delivered-to):"
    rb"[^\n]*\n(?:[ \t][^\n]*\n)*){3}"
)
_LINE_TAGS = {"p", "br", "div", "li", "tr", "pre", "h1", "h2", "h3", "h4", "td", "w:p", "w:br", "text:p"}


@dataclass
class Handed:
    """What was found in a student's files."""

    texts: list[tuple[str, str]] = field(default_factory=list)
    """The name of each readable file, and its text."""
    problems: list[str] = field(default_factory=list)
    """What could not be read, and why."""
    size: int = 0
    """Characters of the texts together."""


def handed_in(places: list[Path], most: int = OF_A_STUDENT) -> Handed:
    """The texts of these files, and of those in these folders; `most`: their characters together."""
    found, count = Handed(), 0
    for path in _files(places, found.problems):
        name = path.name
        count += 1
        if count > MOST_FILES or found.size >= most:
            found.problems.append(f"{name} and what comes after it: more than reports have")
            break
        try:
            texts = _texts_of(name, _content(path), found.problems)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            found.problems.append(f"{name}: {reason}")
            continue
        for inner, text in texts:
            found.texts.append((inner, text[: most - found.size]))
            if len(text) > most - found.size:
                found.problems.append(f"{inner}: read in part; there is more than reports have")
            found.size += len(found.texts[-1][1])
    return found


def _content(path: Path) -> bytes:
    """A file's bytes. ValueError or OSError for what is no file, too large, or no text by its beginning."""
    with os.fdopen(open_plain_file(path), "rb") as file:
        start = file.read(4096)
        _check_kind(start)
        limit = LARGEST_FILE if _is_container(path.name, start) else LARGEST_TEXT
        data = start + file.read(limit)
    if len(data) > limit:
        raise ValueError(f"it has more than {limit:,} bytes, and reports have fewer")
    return data


def _files(places: list[Path], problems: list[str]) -> Iterator[Path]:
    """The files in these places in natural order, folder by folder; hidden ones and links to folders are not
    looked into."""
    entries = 0
    for place in places:
        try:
            is_folder = place.is_dir() and not place.is_symlink()
        except OSError:
            is_folder = False
        if not is_folder:
            yield place
            continue

        def failed(error: OSError) -> None:
            problems.append(f"{Path(str(error.filename)).name[:80]}: {error.strerror}")

        for folder, folders, files in os.walk(place, onerror=failed):
            folders[:] = sorted((name for name in folders if not name.startswith(".")), key=natural)
            for name in sorted((name for name in files if not name.startswith(".")), key=natural):
                yield Path(folder, name)
            for name in list(folders):
                try:
                    is_link = Path(folder, name).is_symlink()
                except OSError as error:  # the path is too long
                    failed(error)
                    folders.remove(name)
                    continue
                if is_link:
                    problems.append(f"{name}: a link")
            entries += len(folders) + len(files)
            if entries > MOST_ENTRIES:
                problems.append(f"{place.name}: more than {MOST_ENTRIES} files and folders")
                return


def natural(name: str) -> list[tuple[int, int, str]]:
    """A key that sorts week2 before week10, whatever the case."""
    parts = re.findall(r"[0-9]{1,18}|[^0-9]+", name.casefold())
    return [(0, int(part), part) if part.isascii() and part.isdigit() else (1, 0, part) for part in parts]


def _check_kind(start: bytes) -> None:
    for magic, kind in _KINDS.items():
        if start.startswith(magic):
            raise ValueError(f"{kind}; ask for a text file")
    if b"\0" in start and not _wide_encoding(start) and not start.startswith(b"PK"):
        raise ValueError("not a text")


def _wide_encoding(start: bytes) -> str:
    """UTF-16 by its mark, or because one half of the bytes, those above Latin letters, is zero far more often
    than the other; else an empty text."""
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    above, below = start[0::2].count(0), start[1::2].count(0)
    if max(above, below) <= 4 * min(above, below):
        return ""
    return "utf-16-be" if above > below else "utf-16-le"


def _is_container(name: str, start: bytes) -> bool:
    return start.startswith(b"PK") or name.lower().endswith((".ipynb", ".html", ".htm"))


def _texts_of(name: str, data: bytes, problems: list[str]) -> list[tuple[str, str]]:
    """The texts in one file. ValueError if it is none."""
    if data.startswith(b"PK"):
        return _unzipped(name, data, problems)
    _check_kind(data[:4096])
    if name.lower().endswith(".eml") or _MAIL.match(data):
        return _mail_texts(name, data, problems)
    text = _decoded(data)
    head = text[:2000].lstrip().lower()
    if name.lower().endswith(".ipynb") or head.startswith('{"cells"') or '"nbformat"' in head:
        return [(name, _notebook_text(text))]
    if (
        "<html" in head
        or "<!doctype html" in head
        or head.startswith("<?xml")
        or name.lower().endswith(".html")
    ):
        return [(name, _without_tags(text))]
    return [(name, text)]


def _mail_texts(name: str, data: bytes, problems: list[str]) -> list[tuple[str, str]]:
    """The texts of a mail and of what is attached to it, decoded."""
    texts: list[tuple[str, str]] = []
    try:
        parts = [part for part in message_from_bytes(data).walk() if not part.is_multipart()]
        for part in parts[:MOST_FILES]:
            ending = ".html" if part.get_content_type() == "text/html" else ""
            inner = f"{name}, {str(part.get_filename() or 'text')[:80]}{ending}"
            content = part.get_payload(decode=True)
            try:
                texts += _texts_of(inner, content if isinstance(content, bytes) else b"", problems)
            except ValueError as error:
                problems.append(f"{inner}: {error}")
    except (LookupError, RecursionError):
        raise ValueError("a mail that cannot be read") from None
    return texts


def _decoded(data: bytes) -> str:
    if encoding := _wide_encoding(data[:4096]):
        return data.decode(encoding, errors="replace")
    for encoding in ("utf-8-sig", "gb18030"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("utf-8", errors="replace")


def _unzipped(name: str, data: bytes, problems: list[str]) -> list[tuple[str, str]]:
    """The texts in a ZIP. Its members are read, not unpacked, and bounded together."""
    texts, left = [], LARGEST_TEXT * 4
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [one for one in archive.infolist() if not one.is_dir()]
            for member in members[:MOST_FILES]:
                inner = f"{name}, {member.filename[:80]}"
                is_part = name.lower().endswith((".docx", ".odt")) and not member.filename.endswith(
                    _TEXT_ENDS
                )
                if is_part or Path(member.filename).name.startswith("."):
                    continue
                with archive.open(member) as file:
                    content = file.read(left + 1)
                left -= len(content)
                if left < 0:
                    raise ValueError("its files have more bytes than reports have")
                if content.startswith(b"PK"):
                    problems.append(f"{inner}: an archive in an archive")
                    continue
                try:
                    texts += _texts_of(inner, content, problems)
                except ValueError as error:
                    problems.append(f"{inner}: {error}")
            if len(members) > MOST_FILES:
                problems.append(f"{name}: more than {MOST_FILES} files")
    except ValueError:
        raise
    except Exception as error:  # zipfile raises errors of many kinds
        raise ValueError(f"an archive that cannot be read ({type(error).__name__})") from None
    return texts


def _notebook_text(text: str) -> str:
    """What a notebook's cells say and printed."""
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("not a notebook: its JSON cannot be read") from None
    found: list[str] = []
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    for cell in cells if isinstance(cells, list) else []:
        if not isinstance(cell, dict):
            continue
        if cell.get("cell_type") != "code":
            found.append(_joined(cell.get("source")))
        outputs = cell.get("outputs")
        for output in outputs if isinstance(outputs, list) else []:
            if isinstance(output, dict):
                shown = output.get("data")
                plain = shown.get("text/plain") if isinstance(shown, dict) else ""
                found += [_joined(output.get("text")), _joined(plain)]
    return "\n".join(found)


def _joined(lines: object) -> str:
    if isinstance(lines, list):
        return "".join(line for line in lines if isinstance(line, str))
    return lines if isinstance(lines, str) else ""


class _Text(HTMLParser):
    """The text of a page, with a line for each paragraph."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.silent = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.silent = tag in ("script", "style")
        if tag in _LINE_TAGS:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        self.silent = False
        if tag in _LINE_TAGS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self.silent:
            self.parts.append(data)


def _without_tags(text: str) -> str:
    reader = _Text()
    reader.feed(text)
    reader.close()
    return "".join(reader.parts)
