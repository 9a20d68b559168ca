"""The record of one question: all steps as one text, shared by the page, the kernel and the address.

One line per step: "=65505" is an answer, "?" a requested hint, "!" the revealed answer. Nothing follows a
right or revealed answer. The twin of teaching/widgets/exercise/record.ts.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from mixwidgets.teaching.exercises.questions import Question

MOST_STEPS = 100
LONGEST_ANSWER = 100  # characters


class Attempt(NamedTuple):
    """An answer as typed or chosen, and whether it is right."""

    answer: str
    """A number as text, an option's name, or a code in hex."""
    is_right: bool
    """By the rule of its question."""


@dataclass(frozen=True)
class Step:
    """An attempt, a hint, or the revealed answer."""

    kind: Literal["attempt", "hint", "shown"]
    attempt: Attempt | None = None
    tells_hint: bool = False
    """Whether the hint is first shown here: on request, or after a mistake without feedback of its own."""


def read_record(question: Question, text: object) -> list[Step]:
    """The steps of a record. ValueError if it is not a record of this question."""
    if not isinstance(text, str):
        raise TypeError(f"a record is a text such as '=65505'; got {type(text).__name__}")
    lines = text.split("\n") if text else []
    if len(lines) > MOST_STEPS:
        raise ValueError(f"a record has at most {MOST_STEPS} steps; got {len(lines)}")
    steps: list[Step] = []
    has_hint = False  # whether the hint was shown
    for number, line in enumerate(lines, 1):
        if is_over(steps) or (number == 1 and line in ("?", "!")):
            raise ValueError(f"step {number} of the record, {line[:40]!r}, is before or after all attempts")
        if line == "!":
            steps.append(Step("shown"))
        elif line == "?" and not has_hint:
            steps.append(Step("hint", tells_hint=True))
        elif line.startswith("=") and len(line) <= LONGEST_ANSWER + 1:
            answer = line[1:]
            tells_hint = not has_hint and question.feedback_on(answer) is question.hint
            steps.append(Step("attempt", Attempt(answer, question.is_right(answer)), tells_hint))
        else:
            raise ValueError(
                f"step {number} of the record, {line[:40]!r}, is not an answer, a hint or the revealed answer"
            )
        has_hint = has_hint or steps[-1].tells_hint
    return steps


def read_kept(question: Question, steps: list[str]) -> list[Step]:
    """The steps of a record that was kept; none where it is not one of this version of the question."""
    try:
        return read_record(question, "\n".join(steps))
    except ValueError:
        return []


def is_over(steps: list[Step]) -> bool:
    """Whether the answer was found or revealed."""
    return bool(steps) and (steps[-1].kind == "shown" or is_solved(steps))


def is_solved(steps: list[Step]) -> bool:
    """Whether a right answer was given."""
    return any(step.attempt.is_right for step in steps if step.attempt)


def attempts_of(steps: list[Step]) -> list[Attempt]:
    """The answers in order."""
    return [step.attempt for step in steps if step.attempt]
