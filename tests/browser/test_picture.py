"""A widget's picture: what Chromium draws of its saved page, and what is said where nothing can draw."""

import asyncio
import sys

import pytest

import mixwidgets as mw
from mixwidgets.floats.widgets.page import picture
from notebooks import pictures
from tests.repository.test_notebooks import size_and_lines


def test_a_picture_is_a_light_png_of_the_card(chromium, tmp_path):
    editor = mw.BitEditor("65505")
    assert editor.picture(tmp_path / "bit.png") == tmp_path / "bit.png"
    png = (tmp_path / "bit.png").read_bytes()
    (width, height), lines = size_and_lines(png)
    assert 1000 < width <= 1280
    assert height > 400
    assert lines > 200


def test_a_loop_that_runs_as_in_a_notebook_is_no_hindrance(chromium):
    asyncio.get_running_loop()  # that of the fixture's browser
    png, alt = picture(mw.Exercise("largest-float16"))
    assert alt == "Exercise: What is the largest finite float16?"
    assert size_and_lines(png)[1] > 50
    assert (
        picture(mw.LossScaleExplorer({"w": [1.0]})).alt == "Loss scale explorer"
    )  # what is hidden is not told


def test_without_playwright_it_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "playwright.sync_api", None)
    with pytest.raises(ModuleNotFoundError, match="pip install playwright, then playwright install chromium"):
        mw.BitEditor(1).picture(tmp_path / "bit.png")
    assert not (tmp_path / "bit.png").exists()


def test_without_chromium_it_says_where_to_get_one(monkeypatch, tmp_path):
    monkeypatch.setenv("MIXWIDGETS_CHROMIUM", str(tmp_path / "none"))
    with pytest.raises(RuntimeError, match="none could be started: run `playwright install chromium`"):
        mw.BitEditor(1).picture(tmp_path / "bit.png")
    assert not (tmp_path / "bit.png").exists()


def test_a_wrong_path_or_a_closed_widget_is_refused_before_a_browser_starts(monkeypatch, tmp_path):
    monkeypatch.setenv("MIXWIDGETS_CHROMIUM", str(tmp_path / "none"))
    editor = mw.BitEditor(1)
    with pytest.raises(IsADirectoryError, match=r"such as 'bit.png'"):
        editor.picture(tmp_path)
    with pytest.raises(ValueError, match=r"but this is image/png: name it as 'bit.png'"):
        editor.picture(tmp_path / "bit.svg")
    editor.close()
    with pytest.raises(ValueError, match="this widget was closed"):
        editor.picture(tmp_path / "bit.png")


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
