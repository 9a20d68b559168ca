"""The documentation builds without a warning, names all that is public, fetches nothing, and its figures were
measured."""

import json
import re
from pathlib import Path
from urllib.parse import urlsplit

from typer.main import get_command

import mixwidgets as mw
from mixwidgets.cli import app
from tests.widgets.every import NAMES

ROOT = Path(__file__).parents[2]


def reference(site):
    return "".join(page.read_text(encoding="utf-8") for page in site.glob("reference/*.html"))


def test_every_public_name_is_in_the_reference(site):
    there = set(re.findall(r'id="mixwidgets\.(\w+)"', reference(site)))
    assert set(mw.__all__) - {"__version__"} == there


def test_every_public_trait_is_in_the_reference(site):
    there = reference(site)
    for name in mw.__all__:
        widget = getattr(mw, name)
        for trait, kind in getattr(widget, "class_own_traits", dict)().items():
            if not trait.startswith("_") and kind.metadata.get("sync"):
                assert f'id="mixwidgets.{name}.{trait}"' in there, f"{name}.{trait}"


def test_every_command_is_in_the_reference(site):
    page = (site / "reference" / "command_line.html").read_text(encoding="utf-8")
    for name in get_command(app).commands:
        assert f'id="mixwidgets-{name}"' in page


def test_backticks_of_a_docstring_are_code(site):
    assert "`" not in re.sub(r"<pre>.*?</pre>", "", reference(site), flags=re.DOTALL)


def test_the_pages_fetch_nothing_from_elsewhere(site):
    fetched = r"""<(?:script|img|iframe|source)[^>]*\ssrc="([^"]*)|<link[^>]*\shref="([^"]*)"""
    for page in site.rglob("*.html"):
        for found in re.finditer(fetched, page.read_text(encoding="utf-8")):
            address = urlsplit("".join(filter(None, found.groups())))
            assert (address.scheme in ("", "data"), address.netloc) == (True, ""), (page.name, found[0])
    for style in site.rglob("*.css"):
        text = style.read_text(encoding="utf-8")
        assert not re.search(r"""url\(["']?(?:https?:)?//|@import\s+["'](?:https?:)?//""", text), style.name


def test_every_widget_lives_in_the_gallery_or_is_pictured(site):
    page = (site / "gallery.html").read_text(encoding="utf-8")
    frames = re.findall(r'<iframe class="living" src="([^"]*)" title="[^"]+" loading="lazy"', page)
    pictures = re.findall(r'<img [^>]*src="([^"]*)"', page)
    for path in (*frames, *pictures):
        assert (site / path).stat().st_size > 10_000, path
    sections = page.count("<h2>")
    assert len(NAMES) == sections, f"docs/gallery.md has {sections} sections for the widgets {NAMES}"
    assert sections == len(frames) + 2  # two need processes
    for frame in frames:
        assert f"_images/{Path(frame).stem}-light.png" in pictures  # where scripts do not run


def test_what_the_hub_page_says_of_memory_was_measured():
    page = (ROOT / "docs/hub.md").read_text(encoding="utf-8")
    folder = ROOT / re.search(r"`(benchmarks/results/[a-z0-9-]+)`", page)[1]

    def results(name):
        return json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))["results"]

    def both(of):
        return f"| {of['resident']} | {of['proportional']} |"

    load, memory = results("load")["kernels at the same time"], results("memory")
    over_bare = next(part for name, part in memory.items() if name.startswith("MiB over a bare"))
    bare, full = load["MiB each"].values()
    more = load["MiB each over a bare kernel"]
    runs = memory["MiB of a run's own process"]
    rows = [
        f"| a bare kernel, of {load['kernels']} at the same time {both(bare)}",
        f"| a kernel with a bit editor and an explorer, of {load['kernels']} {both(full)}",
        f"| more than the bare one {both(more)}",
        f"over a bare one | {over_bare['training in the kernel']['median']} |",
        *(f"| the process of a launched run of {task} | {size} |" for task, size in runs.items()),
    ]
    assert not [row for row in rows if row not in page]
