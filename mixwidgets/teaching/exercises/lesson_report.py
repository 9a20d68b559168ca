"""hand_in: one text of all that a learner did in a lesson, for the teacher."""

from mixwidgets.support.checks import choice
from mixwidgets.support.languages.choice import chosen_language
from mixwidgets.teaching.exercises import coding
from mixwidgets.teaching.exercises.cases import TASKS
from mixwidgets.teaching.exercises.keeping import kept
from mixwidgets.teaching.exercises.questions import questions, report_words
from mixwidgets.teaching.exercises.record import read_kept
from mixwidgets.teaching.exercises.report import course, report


class HandIn(str):
    """A text that a cell shows as it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def hand_in(*lessons: str, lang: str | None = None) -> str:
    """The reports of all exercises and coding tasks of these lessons, as one text: `hand_in("01_bits")`.

    lessons: names such as "01_bits"; without any, those of which an exercise was answered. ValueError for an
    unknown one.

    lang: the language of the text, as for a widget.

    In a notebook these are the answers kept beside it, whenever they were given; elsewhere those of the
    session. `mixwidgets grade` reads the text. It holds nothing personal.
    """
    language, asked = chosen_language(lang), course()
    for lesson in lessons:
        choice("lesson", lesson, asked)
    chosen = lessons or [lesson for lesson, names in asked.items() if any(map(kept, names))]
    words = report_words(language)
    reports = [
        coding.report_on(name, language)
        if name in TASKS
        else report(questions()[name], read_kept(questions()[name], kept(name)), words, language)
        for lesson in chosen
        for name in asked[lesson]
    ]
    return HandIn("\n\n".join(reports))
