"""The report of an exercise for a teacher, as plain text. The twin of teaching/widgets/exercise/report.ts."""

from collections.abc import Callable, Mapping

from mixwidgets.floats.formats import decode
from mixwidgets.support.languages.texts import in_language
from mixwidgets.teaching.exercises.question import Question
from mixwidgets.teaching.exercises.record import Step, attempts_of, is_over, is_solved
from mixwidgets.teaching.exercises.rules import format_of


def report(question: Question, steps: list[Step], words: Mapping[str, str], language: str) -> str:
    """The question, the attempts in order, hints, and the outcome. `words`: the catalogue's sentences."""
    asked = in_language(question.question, language).replace("*", "")
    title = words["title"].format(id=question.id, lesson=question.lesson)
    return report_of([title, asked], steps, words, lambda answer: _shown(question, answer, language))


def report_of(
    heading: list[str], steps: list[Step], words: Mapping[str, str], show: Callable[[str], str] = str
) -> str:
    """A report with its heading. `show`: converts an answer to readable text."""
    lines = list(heading)
    number = 0
    for step in steps:
        if step.attempt:
            number += 1
            verdict = words["right" if step.attempt.is_right else "wrong"]
            lines.append(verdict.format(number=number, answer=show(step.attempt.answer)))
        if step.tells_hint:
            lines.append(words["hint"])
    end = "solved" if is_solved(steps) else "shown" if is_over(steps) else "open"
    lines += [words[end].format(count=len(attempts_of(steps))), words["note"]]
    return "\n".join(lines)


def _shown(question: Question, answer: str, language: str) -> str:
    """A readable answer: an option's text, a code with its value, a number as typed."""
    if question.kind == "choice":
        text = next(option["text"] for option in question.options if option["answer"] == answer)
        return str(in_language(text, language)).replace("*", "")
    fmt = format_of(question.rule)
    if question.kind == "bits" and fmt:
        return f"{fmt.to_hex(answer)} ({decode.shortest(fmt, fmt.to_code(answer))})"
    return answer
