"""All Chinese of the project keeps to the glossary, notebooks/zh/README.md."""

import json
import re
from pathlib import Path

import pytest

from notebooks.zh import edition
from tests.repository.test_chinese_lessons import HAN, chinese, table

pytestmark = pytest.mark.prose

ROOT = Path(__file__).parents[2]
REJECTED = [word for row in table("## 术语") for word in row[2].split(", ") if word]
BOOKS_SAY = r"（[^（）]*称[^（）]*）"


def faults(text):
    """What of a Chinese text is not written as the glossary says."""
    text = re.sub(BOOKS_SAY, "", text)
    found = re.findall(f"{HAN}[,;:?!]|[,;:?!]{HAN}|{HAN}[A-Za-z0-9`]|[A-Za-z0-9`]{HAN}", text)
    found += re.findall(" [，。；：？！、（）]|[，。；：？！、（）] ", text)
    return found + [word for word in REJECTED if word in text]


def all_chinese():
    """(where, text) of everything in the project that is written in Chinese for its users."""
    for lesson in edition.LESSONS:
        yield from ((f"{lesson}.md, {name}", text) for name, text in chinese(lesson).items())
    for terms in edition.TERMS.values():  # of altair's "column:N" the column
        yield from (("terms.json", re.sub(":[NOQ]$", "", text.strip())) for text in terms.values())
    readme = (ROOT / "README.zh.md").read_text(encoding="utf-8")
    yield "README.zh.md", re.sub(r"^```.*?^```| *\|", "", readme, flags=re.MULTILINE | re.DOTALL)
    for page in (ROOT / "docs/teaching").glob("*_zh.md"):
        yield page.name, re.sub(r" *\|", "", page.read_text(encoding="utf-8"))
    for file in (ROOT / "mixwidgets/support/languages/zh").iterdir():
        for text in re.findall(r': ("(?:[^"\\]|\\.)*")', file.read_text(encoding="utf-8")):
            yield file.name, json.loads(text)


def test_all_chinese_is_written_as_the_glossary_says():
    texts = list(all_chinese())
    assert len(texts) > 1200
    wrong = [(where, faults(text), text) for where, text in texts if faults(text)]
    assert not wrong, "\n".join(map(str, wrong))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("这是 float16，有 16 位。*好*（NaN）", []),
        ("这样,好", ["样,"]),
        ("有16位", ["有1", "6位"]),
        ("好 ，是", [" ，"]),
        ("尾数是有效数（有的书称“尾数”）", ["尾数"]),
    ],
)
def test_a_fault_of_writing_is_noticed(text, found):
    assert faults(text) == found
