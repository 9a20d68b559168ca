"""The figures in the site's pages: which boxes lead where, and how a lesson shows one."""

import re
from pathlib import Path

import pytest

from mixwidgets.support.languages.texts import LANGUAGES, texts
from mixwidgets.teaching.site import story
from mixwidgets.teaching.site.figures import CODE, FIGURES, SOURCE, code_of, figure

ROOT = Path(__file__).parents[2]
LOOP = (ROOT / SOURCE).read_text(encoding="utf-8").splitlines()


def said(element):
    return [" ".join(text.itertext()) for text in element.iter("text")]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_each_box_of_the_five_steps_opens_its_line_of_the_loop(lang):
    words = texts(lang, "page")
    for form in figure("five_steps", lang):
        linked = {link.attrib["href"]: said(link) for link in form.iter("a")}
        assert linked.keys() == {code_of(box) for box in CODE}
        assert form.attrib["role"] == "group"
        for box in CODE.keys() - {"scale", "unscale", "update"}:
            assert linked[code_of(box)] == [words[f"five.{box}"], words[f"five.{box}_note"]]
        assert linked[code_of("scale")] == ["× S"]
        assert linked[code_of("unscale")] == ["÷ S"]
        assert linked[code_of("update")][0] in (words["five.update"], words["five.update_short"])


def test_the_lines_stand_in_the_order_of_a_step():
    order = ["forward", "loss", "scale", "backward", "scaled", "unscale", "gradients", "check", "skip"]
    order += ["update", "master", "copies"]
    numbers = {box: int(code_of(box).partition("#L")[2]) for box in CODE}
    assert (
        sorted(numbers, key=numbers.get)
        == [
            *order[:2],
            *sorted(order[2:4], key=numbers.get),  # the product stands within the call of the backward pass
            *order[4:],
        ]
    )
    assert len(set(numbers.values())) == len(numbers)
    assert all(CODE[box] in LOOP[number - 1] for box, number in numbers.items())


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_keeps_to_the_policy_of_a_page_and_has_words_for_who_cannot_see_it(name, lang):
    both = figure(name, lang)
    assert len(both) == 2
    for form in both:
        assert form.attrib["aria-label"]
        assert {"style", "script", "image", "use"} & {one.tag for one in form.iter()} == set()
        assert all("style" not in one.attrib for one in form.iter())
        assert len(said(form)) > 20


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_lesson_shows_a_figure_in_the_place_of_its_picture(lang, monkeypatch):
    text = "# A lesson\n\nBefore.\n\n![words](five_steps.svg)\n\n![words](else.svg) after"
    cells = [{"cell_type": "markdown", "id": "one-text", "source": text, "metadata": {}}]
    monkeypatch.setattr(story, "_notebook", lambda lesson, lang: (lang, cells))
    (scene,) = story.Story("00_start_here", lang, str).elements()
    before, drawn, after = scene[0]
    assert (before.text, after[0].tag) == ("Before.", "img")
    assert said(drawn) == said(figure("five_steps", lang))


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", FIGURES)
def test_a_lesson_s_picture_is_the_figure(name, lang):
    file = ROOT / "notebooks" / ("" if lang == "en" else lang) / f"{name}.svg"
    picture = file.read_text(encoding="utf-8")
    assert picture == (ROOT / f"mixwidgets/static/{name}.{lang}.svg").read_text(encoding="utf-8")
    assert re.search(r"prefers-color-scheme:dark", picture)
