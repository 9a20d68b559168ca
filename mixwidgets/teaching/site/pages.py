"""The pages of the site: the index, which opens on the first widget, and one for each widget and lesson."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from xml.etree.ElementTree import Element, fromstring

from mixwidgets.support.languages.texts import LANGUAGES
from mixwidgets.teaching.site.catalogue import (
    MAKERS,
    LessonPage,
    WidgetPage,
    lesson_pages,
    state_of,
    widget_pages,
)
from mixwidgets.teaching.site.edition import INDEX, Edition, h
from mixwidgets.teaching.site.figures import figure
from mixwidgets.teaching.site.story import Story
from mixwidgets.teaching.widgets.exercise.widget import Exercise
from mixwidgets.teaching.widgets.playground.widget import STEP_SETTINGS

TEACHING = "https://mixwidgets.github.io/mixwidgets/teaching/plan.html"
"""The only link out of the site, about the course; no page needs it."""
_DRAWINGS = Path(__file__).with_name("drawings")
_NOTE = h("p", {"id": "note", "role": "status"})


def build_site(languages: tuple[str, ...] = LANGUAGES, *, served: bool = False) -> Mapping[str, bytes]:
    """The pages by path, the first language's at the root. The same version always gives the same bytes.

    Each page is one file, which opens from disk. Those of a `served` site need a web server: they share their
    code and style, as files in `shared/` which are named after what is in them.
    """
    names = {_file(page): page.name for page in widget_pages()}
    shared: dict[str, bytes] = {}

    def share(text: str, suffix: str) -> str:
        data = text.encode()
        path = f"shared/{sha256(data).hexdigest()[:16]}{suffix}"
        shared[path] = data
        return path

    editions = [Edition(lang, languages, names, share if served else None) for lang in languages]
    pages = {path: page.encode() for edition in editions for path, page in _pages_of(edition)}
    return pages | shared


def _pages_of(edition: Edition) -> Iterator[tuple[str, str]]:
    yield edition.path(INDEX), _index(edition)
    for page in widget_pages():
        yield edition.path(_file(page)), _widget_page(edition, page)
    lessons = [None, *lesson_pages(), None]
    for (before, lesson), (_, after) in pairwise(pairwise(lessons)):
        if lesson:
            yield edition.path(_file(lesson)), _lesson_page(edition, lesson, before, after)


def _index(edition: Edition) -> str:
    lang = edition.lang
    cards, lessons = h("ul", {"class": "cards"}), h("ul", {"class": "lessons"})
    for page in widget_pages():
        drawing = fromstring((_DRAWINGS / f"{page.id}.svg").read_text(encoding="utf-8"))
        card = (drawing, h("h3", {}, page.name[lang]), h("p", {}, page.question[lang]))
        cards.append(h("li", {}, h("a", {"class": "card", "href": _file(page)}, *card)))
    for lesson in lesson_pages():
        count = len(lesson.questions)
        questions = edition.says("one_question" if count == 1 else "questions", count=count)
        number = h("span", {"class": "number"}, _number(lesson))
        count_of = {"class": "count", "data-questions": " ".join(lesson.questions)}
        line = (number, h("span", {}, lesson.name[lang]), h("span", count_of, questions))
        lessons.append(h("li", {}, h("a", {"href": _file(lesson)}, *line)))
    first = widget_pages()[0]
    with closing(MAKERS[first.id](lang=lang, **first.arguments)) as widget:
        return edition.page(
            INDEX,
            edition.says("title"),
            h("h1", {}, edition.says("title")),
            h("p", {"class": "lead"}, edition.says("lead")),
            h("h2", {"class": "hidden"}, first.name[lang]),
            h("div", {"id": "widget"}),
            _NOTE,
            *_look(edition, first),
            _section(edition.says("widgets"), cards),
            _section(edition.says("exercises"), h("p", {}, edition.says("exercises_lead")), lessons),
            h("p", {"class": "quiet"}, edition.says("needs_python")),
            h("p", {"class": "quiet"}, h("a", {"href": TEACHING}, edition.says("teachers"))),
            widgets={"widget": widget},
        )


def _widget_page(edition: Edition, page: WidgetPage) -> str:
    lang = edition.lang
    presets = [
        h("li", {}, h("a", {"href": f"#{state_of(page.id, preset.arguments)}"}, preset.text[lang]))
        for preset in page.presets
    ]
    with ExitStack() as stack:
        widget = stack.enter_context(closing(MAKERS[page.id](lang=lang, **page.arguments)))
        exercises = [stack.enter_context(closing(Exercise(task, lang=lang))) for task in page.tasks]
        tasks = {f"exercise-{exercise.exercise}": exercise for exercise in exercises}
        places = [h("div", {"id": id, "class": "exercise"}) for id in tasks]
        return edition.page(
            _file(page),
            page.name[lang],
            h("h1", {}, page.question[lang]),
            h("p", {"class": "lead"}, page.lead[lang]),
            h(
                "nav",
                {"class": "presets", "aria-labelledby": "start"},
                h("h2", {"id": "start"}, edition.says("start")),
                h("ul", {}, *presets),
            ),
            h("h2", {"class": "hidden"}, edition.says("widget")),
            h("div", {"id": "widget"}, *_still(page, lang)),
            _NOTE,
            *_look(edition, page),
            *([h("p", {"class": "quiet"}, page.note[lang])] if page.note else []),
            *_five_steps(edition, page),
            _section(edition.says("tasks"), h("p", {}, edition.says("tasks_lead")), *places),
            *([_answers(edition)] if tasks else []),
            widgets={"widget": widget, **tasks},
        )


def _lesson_page(
    edition: Edition, page: LessonPage, before: LessonPage | None, after: LessonPage | None
) -> str:
    lang = edition.lang
    ways = [
        h("a", {"href": _file(other), "rel": rel}, edition.says(key, title=other.name[lang]))
        for other, rel, key in ((before, "prev", "previous"), (after, "next", "next"))
        if other
    ]
    story = Story(page.id, lang, edition.says)
    try:
        return edition.page(
            _file(page),
            page.name[lang],
            h("p", {"class": "above"}, edition.says("lesson", number=_number(page), title=page.name[lang])),
            story.title,
            h("p", {"class": "quiet"}, edition.says("from_notebook")),
            _NOTE,
            *story.elements(),
            _answers(edition),
            h("nav", {"class": "ways", "aria-label": edition.says("neighbours")}, *ways),
            widgets=story.widgets,
        )
    finally:
        for widget in story.widgets.values():
            widget.close()


def _look(edition: Edition, page: WidgetPage) -> list[Element]:
    """Below a playground, the link to its next step, which gets its state from the page's host."""
    if page.id != "playground":
        return []
    traits = {"data-traits": " ".join(STEP_SETTINGS), "href": "training_step.html"}
    return [h("p", {"class": "quiet"}, h("a", traits, edition.says("look")))]


def _still(page: WidgetPage, lang: str) -> list[Element]:
    """What stands in a training step's place without scripts, and when its page is broken."""
    return [figure("training_step", lang)] if page.id == "training_step" else []


def _five_steps(edition: Edition, page: WidgetPage) -> list[Element]:
    if page.id != "training_step":
        return []
    lead = h("p", {}, edition.says("five_steps_lead"))
    return [_section(edition.says("five_steps"), lead, figure("five_steps", edition.lang))]


def _answers(edition: Edition) -> Element:
    """All reports of the page as one text, and whether its answers are kept; the host makes them work."""
    copying = h("button", {"type": "button", "id": "copy-all", "hidden": ""}, edition.says("copy_all"))
    choice = h("input", {"type": "checkbox", "id": "keep-answers"})
    return h(
        "section",
        {"class": "answers", "aria-labelledby": "answers"},
        h("h2", {"id": "answers"}, edition.says("answers")),
        h("p", {"class": "quiet"}, edition.says("copy_all_about")),
        h("p", {}, copying, h("span", {"id": "copied", "role": "status"})),
        h("pre", {"id": "all-reports", "tabindex": "0", "hidden": ""}),
        h("p", {}, h("label", {}, choice, " ", edition.says("keep_answers"))),
        h("p", {"class": "quiet"}, edition.says("keep_about")),
    )


def _section(heading: str, *children: Element) -> Element:
    return h("section", {}, h("h2", {}, heading), *children)


def _file(page: WidgetPage | LessonPage) -> str:
    return f"{page.id}.html" if isinstance(page, WidgetPage) else f"lesson_{page.id}.html"


def _number(page: LessonPage) -> str:
    """1 for "01_bits"."""
    return str(int(page.id.partition("_")[0]))
