"""The README's moving pictures are short and small, and every picture is shown somewhere."""

import json
import re
from pathlib import Path

import pytest
from PIL import Image

import mixwidgets as mw
from mixwidgets.teaching.site.catalogue import RECORDED
from notebooks import pictures

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "screenshots"


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    ("name", "size", "count", "lasts"),
    [("drag", 400_000, 30, (3000, 5000)), ("story", 700_000, 19, (10_000, 16_000))],
)
def test_pictures_move_in_the_readme(name, size, count, lasts, theme):
    path = PICTURES / f"{name}-{theme}.gif"
    assert path.stat().st_size < size
    frames, duration = set(), 0
    with Image.open(path) as picture:
        for place in range(picture.n_frames):
            picture.seek(place)
            frames.add(picture.convert("RGB").tobytes())
            duration += picture.info["duration"]
        assert picture.info["loop"] == 0  # for ever
    assert len(frames) == count
    assert lasts[0] <= duration <= lasts[1]


def test_every_picture_is_shown():
    shown = set()
    for page in (ROOT / "README.md", ROOT / "README.zh.md", ROOT / "docs" / "gallery.md"):
        text = page.read_text(encoding="utf-8")
        shown |= set(re.findall(r"screenshots/([\w-]+\.\w+)", text))
        shown |= {f"{name}-light.png" for name in re.findall(r"\{living\} (\S+)", text)}
    assert {path.name for path in PICTURES.iterdir()} == shown


def test_a_lab_is_drawn_once_its_runs_have_ended(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pictures, "_of_widget", lambda lab: [{"image/png": str(len(lab._shown))}, {}])
    run = mw.open_run(RECORDED)
    lab = mw.TrainingLab(RECORDED.parent)
    empty = mw.TrainingLab(tmp_path)
    waiting = {3: lab, 4: empty}
    pictures._draw_ended(waiting)
    assert waiting == {4: empty}
    assert lab._shown == [run.id]
    assert json.loads((tmp_path / pictures.LABS).read_text()) == {"3": [{"image/png": "1"}, {}]}
    lab.close()
    empty.close()
