"""Exercise without a page: its state, what the page sends, its text for the teacher, and what it refuses."""

import copy

import pytest
from traitlets import TraitError

import mixwidgets as mw
from mixwidgets.teaching.exercises.questions import get_question, with_their_texts
from tests.exercises.make_vectors import QUESTIONS


@pytest.fixture
def exercise():
    return mw.Exercise("largest-float16", lang="en")


def answered(exercise, *answers):
    """What the page sends."""
    exercise.set_state({"_record": "\n".join(f"={answer}" for answer in answers)})


def test_attempts_and_the_end(exercise):
    assert (exercise.attempts, exercise.solved) == ([], False)
    assert repr(exercise) == "Exercise('largest-float16', 0 attempts)"
    told = exercise._repr_mimebundle_()[0]["text/plain"]  # where no widget can be drawn
    assert told == f"{exercise!r}\n{get_question('largest-float16').question['en']}"
    told = mw.Exercise("after-overflow", lang="zh")._repr_mimebundle_()[0]["text/plain"]
    options = [f"- {one['text']['zh']}" for one in get_question("after-overflow").options]
    assert told.splitlines()[1:] == [get_question("after-overflow").question["zh"], *options]
    answered(exercise, "65535", "65504")
    assert exercise.attempts == [("65535", False), ("65504", True)]
    assert exercise.attempts[1].is_right
    assert exercise.solved
    assert repr(exercise) == "Exercise('largest-float16', 2 attempts, solved)"
    assert "1. 65535: not right\n2. 65504: right\n" in exercise.report()


def test_an_answer_that_was_shown_is_not_solved(exercise):
    exercise.set_state({"_record": "=1\n!"})
    assert not exercise.solved
    assert "the answer was shown" in exercise.report()


def test_the_page_is_sent_one_language():
    english, chinese = (mw.Exercise("round-65505", lang=lang) for lang in ("en", "zh"))
    assert english._question["options"][0]["text"] == "infinity"
    assert chinese._question["options"][0]["text"] == "无穷大"
    assert "{" not in chinese._question["question"]
    answered(chinese, "inf")
    assert "1. 无穷大：不正确" in chinese.report()
    with pytest.raises(ValueError, match="lang"):
        mw.Exercise("round-65505", lang="xx")


def test_of_a_lesson():
    found = mw.Exercise.of_lesson("02_rounding_and_overflow", lang="zh")
    assert "first-overflow-float16" in [one.exercise for one in found]
    assert {one.lang for one in found} == {"zh"}
    with pytest.raises(ValueError, match="Did you mean '02_rounding_and_overflow'"):
        mw.Exercise.of_lesson("02_rounding")


def test_a_question_of_ones_own():
    (entry,) = with_their_texts(QUESTIONS[:1], "exercises")
    own = mw.Exercise({**copy.deepcopy(entry), "id": "mine"})
    assert own.exercise == "mine"
    with pytest.raises(ValueError, match="lacks lesson"):
        mw.Exercise({"id": "mine"})


@pytest.mark.parametrize(
    ("wrong", "said"), [("largest", "Did you mean"), ("", "not known"), (None, "not known")]
)
def test_an_unknown_exercise(wrong, said):
    with pytest.raises(ValueError, match=said):
        mw.Exercise(wrong)


def test_keywords():
    with pytest.raises(TypeError, match="has no parameter 'lan'"):
        mw.Exercise("largest-float16", lan="en")


@pytest.mark.parametrize("record", ["=abc", "?", "=65504\n=1", "=1\n", 7, None])
def test_what_is_no_record_is_refused_and_the_last_stays(exercise, record):
    answered(exercise, "65535")
    with pytest.raises(TraitError):
        exercise._record = record
    assert exercise._record == "=65535"


def test_the_state_brings_the_attempts_back_and_no_other_question(exercise):
    answered(exercise, "65535", "−1e3")
    assert exercise.state == "exercise=largest-float16&record=%3D65535%0A%3D%E2%88%921e3"
    other = mw.Exercise("largest-float16")
    other.state = exercise.state
    assert other.attempts == exercise.attempts
    for wrong in ("exercise=bits-of-one&record=", "exercise=largest-float16&record=%3Dabc", "record=%3F"):
        with pytest.raises((TraitError, ValueError)):
            other.state = wrong
        assert other.attempts == exercise.attempts
    other.state = "exercise=largest-float16"
    assert other.attempts == []
