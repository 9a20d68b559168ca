"""README says the same in two languages, and what README, docs and notebooks link to is there."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
READMES = [ROOT / "README.md", ROOT / "README.zh.md"]


def headings(page):
    return [len(marks) for marks in re.findall(r"^(#+) ", without_code(page), re.MULTILINE)]


def code_blocks(page):
    blocks = re.findall(r"^```.*?^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [re.sub(r"\s+#.*", "", block) for block in blocks]  # comments are translated


def without_code(page):
    return re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def links(page):
    text = without_code(page)
    return re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'(?:src|srcset|href)="([^"]+)"', text)


@pytest.mark.prose
@pytest.mark.parametrize("part", [headings, code_blocks])
def test_both_readmes_have_the_same(part):
    english, chinese = map(part, READMES)
    assert english == chinese
    assert english


@pytest.mark.prose
def test_both_readmes_have_the_same_links():
    """But for the other README, and the lessons, each in its own language."""
    english, chinese = (set(links(page)) for page in READMES)
    assert "README.zh.md" in english
    expected = {link.replace("README.zh.md", "README.md") for link in english}
    assert {re.sub(r"^notebooks/(?=\d)", "notebooks/zh/", link) for link in expected} == chinese


def anchors(page):
    """As GitHub makes them of headings."""
    found = re.findall(r"^#+ (.*)", without_code(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-") for words in found}


PAGES = [
    *ROOT.glob("*.md"),
    *ROOT.glob("docs/*.md"),
    *ROOT.glob("notebooks/*.ipynb"),
    *ROOT.glob("notebooks/zh/*.md"),
]


def texts(page):
    if page.suffix != ".ipynb":
        return [without_code(page)]
    cells = json.loads(page.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_relative_links_lead_somewhere(page):
    for text in texts(page):
        for link in re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'(?:src|srcset)="([^"]+)"', text):
            if re.match(r"[a-z]+:", link):
                continue
            path, _, anchor = link.partition("#")
            target = (page.parent / path) if path else page
            assert target.exists(), f"{link} leads nowhere"
            if anchor and target.suffix == ".md":
                assert anchor in anchors(target), f"{link}: no such heading"


@pytest.mark.parametrize("page", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_source_files_that_are_named_exist(page):
    """By the end of their path: `store/queue.py`."""
    places = ("mixwidgets", "js", "tests", "notebooks", "docs", "benchmarks", ".github")
    there = [
        f"/{path.relative_to(ROOT).as_posix()}" for place in places for path in ROOT.glob(f"{place}/**/*")
    ]
    named = re.findall(r"`([\w./-]+/[\w.-]+\.(?:py|ts|mjs|cu|css|json))`", without_code(ROOT / page))
    assert len(named) > 5
    assert [name for name in named if not any(path.endswith(f"/{name}") for path in there)] == []
