"""The README's moving picture is short and small, and every picture is shown somewhere."""

import re
from pathlib import Path

import pytest
from PIL import Image

import mixwidgets as mw
from notebooks import pictures

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "screenshots"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_drag_moves_in_the_readme(theme):
    path = PICTURES / f"drag-{theme}.gif"
    assert path.stat().st_size < 400_000
    frames, duration = set(), 0
    with Image.open(path) as picture:
        for place in range(picture.n_frames):
            picture.seek(place)
            frames.add(picture.convert("RGB").tobytes())
            duration += picture.info["duration"]
        assert picture.info["loop"] == 0  # for ever
    assert len(frames) == 30
    assert 3000 <= duration <= 5000


def test_every_picture_is_shown():
    shown = set()
    for page in (ROOT / "README.md", ROOT / "README.zh.md", ROOT / "docs" / "gallery.md"):
        text = page.read_text(encoding="utf-8")
        shown |= set(re.findall(r"screenshots/([\w-]+\.\w+)", text))
        shown |= {f"{name}-light.png" for name in re.findall(r"\{living\} (\S+)", text)}
    assert {path.name for path in PICTURES.iterdir()} == shown


@pytest.mark.browser
def test_the_lessons_pictures_of_a_widget_are_drawn_in_both_languages():
    editor = mw.BitEditor("0.1", format="float16")
    data, metadata = pictures._of_widget(editor)
    chinese = metadata[pictures.CHINESE]
    assert data["text/plain"].startswith(repr(editor))
    assert "0.1 is rounded to 0.0999755859375" in data["text/plain"]
    assert "Bit editor" in metadata["image/png"]["alt"]
    assert "位编辑器" in chinese["alt"]
    assert chinese["png"] != data["image/png"]
    assert editor.lang == "en"
