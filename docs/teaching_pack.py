"""What the pages in docs/teaching take from the project's own sources when they are built: formats from the
catalogue, the glossary's Chinese from notebooks/zh/README.md, the quiz from the exercises."""

import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from mixwidgets.floats.formats.block_catalogue import list_block_formats
from mixwidgets.floats.formats.catalogue import list_formats
from mixwidgets.floats.formats.float_format import FloatFormat
from mixwidgets.support.languages.texts import Text, in_language
from mixwidgets.teaching.exercises.questions import Question, get_question

GLOSSARY = Path(__file__).parents[1] / "notebooks/zh/README.md"

QUIZ = (
    "ones-in-bfloat16",
    "round-65505",
    "largest-lost-update",
    "least-loss-scale",
    "flushed-is-not-harm",
    "after-overflow",
    "first-infinite-exp",
    "clipped-too-early",
    "largest-e4m3",
    "seven-under-even",
    "scaler-and-forward-nan",
    "what-one-seed-says",
)
"""The questions of the quiz, by their ids in the exercises' catalogue."""

_MANY = 10**6  # from here on a card does not show every digit
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

WORDS: dict[str, dict[str, Any]] = {
    "en": {
        "formats": (
            "format, bits",
            "sign, exponent, fraction",
            "bias",
            "largest",
            "smallest normal",
            "smallest",
            "step above 1",
            "too large",
        ),
        "blocks": (
            "block format",
            "elements",
            "in a block",
            "scale of a block",
            "scale of the tensor",
            "bits each",
        ),
        "past": {"infinity": "infinity", "nan": "NaN", "largest": "the largest"},
        "from": "{past} from {threshold}",
        "above": "{past} above {threshold}",
        "space": "Answer and reason:",
        "wrong": "Typical wrong answers, and what they show:",
        "lesson": "(lesson {number})",
        "colon": ": ",
        "between": "{low} to {high}",
        "up": "{low} and more",
        "down": "{high} and less",
        "class": "anything that becomes {kind}",
        "kinds": {
            "zero": "zero",
            "subnormal": "subnormal",
            "normal": "normal",
            "infinity": "infinity",
            "nan": "NaN",
        },
    },
    "zh": {
        "formats": (
            "格式，位数",
            "符号、指数、小数",
            "偏置",
            "最大值",
            "最小正规数",
            "最小正数",
            "1 之上的间距",
            "过大时",
        ),
        "blocks": ("块格式", "元素", "每块个数", "块的缩放因子", "张量的缩放因子", "每个元素的位数"),
        "past": {"infinity": "无穷大", "nan": "NaN", "largest": "最大值"},
        "from": "从 {threshold} 起变为{past}",
        "above": "超过 {threshold} 变为{past}",
        "space": "答案与理由：",
        "wrong": "常见的错误答案，以及错在哪里：",
        "lesson": "（第 {number} 课）",
        "colon": "：",
        "between": "{low} 到 {high}",
        "up": "{low} 及以上",
        "down": "{high} 及以下",
        "class": "会变成{kind}的数",
        "kinds": {
            "zero": "零",
            "subnormal": "次正规数",
            "normal": "正规数",
            "infinity": "无穷大",
            "nan": "NaN",
        },
    },
}


def filled(text: str, lang: str) -> str:
    """A page's text with its places filled: {formats}, {blocks}, {quiz}, {key}, and a glossary row's {zh}."""
    for place, made in {"formats": formats, "blocks": blocks, "quiz": quiz, "key": key}.items():
        if f"{{{place}}}" in text:
            text = text.replace(f"{{{place}}}", made(lang))
    return re.sub(
        r"^\| (.+?) \| \{zh\} \|", lambda row: f"| {row[1]} | {chinese_of(row[1])} |", text, flags=re.M
    )


def formats(lang: str) -> str:
    """A table with a row for each format of the catalogue."""
    return _table(
        WORDS[lang]["formats"], [_format_row(fmt, lang) for fmt in list_formats() if not fmt.experimental]
    )


def blocks(lang: str) -> str:
    """A table with a row for each block format of OCP MX, and NVFP4: more do not fit on the card."""
    return _table(
        WORDS[lang]["blocks"],
        [
            (
                f"**{block.name}**",
                block.element.name,
                block.block_size,
                block.scale.name,
                block.tensor_scale.name if block.tensor_scale else "–",
                f"{block.bits_per_element:g}",
            )
            for block in list_block_formats()
            if block.citation.startswith("OCP") or block.name == "nvfp4"
        ],
    )


def quiz(lang: str) -> str:
    """The questions, with room for an answer."""
    return "\n\n".join("\n\n".join(_asked(number, question, lang)) for number, question in _numbered())


def key(lang: str) -> str:
    """The answers, with what typical wrong ones show."""
    return "\n\n".join("\n\n".join(_answered(number, question, lang)) for number, question in _numbered())


def chinese_of(term: str) -> str:
    """The Chinese of an English term, by the glossary; KeyError for a term that it lacks."""
    rows = re.findall(r"^\| ([^|]+?) \| ([^|]+?) \|", GLOSSARY.read_text(encoding="utf-8"), flags=re.M)
    return dict(rows)[term]


def _format_row(fmt: FloatFormat, lang: str) -> tuple[object, ...]:
    words = WORDS[lang]
    past = words["past"]["infinity" if fmt.has_inf else "nan" if fmt.has_nan else "largest"]
    beyond = words["above" if fmt.overflow_tie_stays else "from"]
    names = ", ".join(
        (f"**{fmt.name}**", *(name for name in fmt.aliases[:1] if name not in fmt.name and "_" not in name))
    )
    return (
        f"{names}, {fmt.bits}",
        f"{int(fmt.signed)}, {fmt.exponent_bits}, {fmt.fraction_bits}",
        fmt.bias,
        _number(fmt.magnitude(fmt.max_code)),
        _power(fmt.emin),
        _power(fmt.emin - fmt.fraction_bits if fmt.has_zero else fmt.emin),
        _power(-fmt.fraction_bits),
        beyond.format(past=past, threshold=_threshold(fmt.overflow_threshold_exact)),
    )


def _number(value: Fraction) -> str:
    """Every digit, or four digits and a power of ten where there are many."""
    if value < _MANY:
        return f"{float(value):g}" if value.denominator > 1 else str(value.numerator)
    digits, power = f"{Decimal(value.numerator):.3e}".split("e")
    return f"{digits} × {_power(int(power), 10)}"


def _threshold(value: Fraction) -> str:
    """Exactly: every digit, or (2 − 2⁻ⁿ) × 2ᵉ where there are many."""
    if value < _MANY:
        return _number(value)
    exponent = value.numerator.bit_length() - 1
    below = 2 - value / 2**exponent
    return f"(2 − {_power(1 - below.denominator.bit_length())}) × {_power(exponent)}"


def _power(exponent: int, base: int = 2) -> str:
    return f"{base}{str(exponent).translate(_RAISED)}"


def _table(heading: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    heading = list(heading)
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in (heading, ["---"] * len(heading), *rows))


def _numbered() -> Iterator[tuple[int, Question]]:
    return enumerate(map(get_question, QUIZ), 1)


def _asked(number: int, question: Question, lang: str) -> Iterator[str]:
    lesson = WORDS[lang]["lesson"].format(number=int(question.lesson[:2]))
    yield f"**{number}.** {_said(question.question, lang)} {lesson}"
    if question.options:
        yield "\\\n".join(f"☐ {_said(option['text'], lang)}" for option in question.options)
    yield f'{WORDS[lang]["space"]}\n\n<div class="answer"></div>'


def _answered(number: int, question: Question, lang: str) -> Iterator[str]:
    words = WORDS[lang]
    right = [option["text"] for option in question.options if question.is_right(option["answer"])]
    yield f"**{number}.** " + " ".join([*(f"☑ {_said(text, lang)}" for text in right), f"`{question.id}`"])
    yield _said(question.explanation, lang)
    wrong = [(_said(option["text"], lang), option["says"]) for option in question.options if "says" in option]
    wrong += [(_typed(mistake["if"], words), mistake["says"]) for mistake in question.mistakes]
    lines = (f"- **{given}**{words['colon']}{_said(says, lang)}" for given, says in wrong)
    yield words["wrong"] + "\n\n" + "\n".join(lines)


def _typed(rule: Mapping[str, Any], words: Mapping[str, Any]) -> str:
    """The wrong number, or numbers, that a mistake's rule is about."""
    if "between" in rule:
        low, high = rule["between"]
        way = "down" if low == "-inf" else "up" if high == "inf" else "between"
        return str(words[way]).format(low=low, high=high)
    if kind := rule.get("class") or rule.get("becomes"):
        return str(words["class"]).format(kind=words["kinds"][kind])
    return re.sub(r"0x1p(-?\d+)", lambda found: _power(int(found[1])), rule["value"])


def _said(text: Text, lang: str) -> str:
    """A text of an exercise as Markdown: what is strong there stands between asterisks, one on each side."""
    said: str = in_language(text, lang)
    return re.sub(r"\*([^*]+)\*", r"**\1**", said)
