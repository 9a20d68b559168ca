"""The pages of the site, without a browser: what links where, what is said in which language."""

import hashlib
import html
import itertools
import json
import os
import re
import subprocess
import sys
from pathlib import Path, PurePosixPath

import pytest

from docs.recorded_run import EXPERIMENT
from docs.recorded_run import LESSONS as LESSONS_RECORDED
from mixwidgets.runs.store.run import open_run
from mixwidgets.support.languages.texts import texts
from mixwidgets.teaching.exercises.questions import questions
from mixwidgets.teaching.site.catalogue import MAKERS, RECORDED, Setting, lesson_gradients, widget_pages
from mixwidgets.teaching.site.edition import Edition, h
from mixwidgets.teaching.site.figures import CODE, code_of
from mixwidgets.teaching.site.pages import TEACHING, build_site
from mixwidgets.teaching.site.story import Story
from tests.widgets.every import PAYLOAD
from tests.widgets.test_save import Parsed

ROOT = Path(__file__).parents[2]
HAN = re.compile(r"[\u3400-\u9fff]")
SITE = {path: data.decode() for path, data in build_site(("en", "zh")).items()}
_INSIDE = re.compile(r"(<(script|style)\b[^>]*>).*?(?=</\2>)", re.DOTALL)
PAGES = {path: Parsed(_INSIDE.sub(r"\1", text)) for path, text in SITE.items()}  # without what is no HTML
LESSONS = list(dict.fromkeys(question.lesson for question in questions().values()))
WIDGETS = [
    "playground",
    "training_step",
    "bit_editor",
    "number_line",
    "format_designer",
    "block_lab",
    "loss_scale_explorer",
]


LIVE = {
    "00_start_here": ["start-playground", "start-editor", "start-explorer"],
    "01_bits": ["bits-editor", "bits-line", "bits-designer"],
    "02_rounding_and_overflow": ["round-line", "round-editor"],
    "03_why_fp32_copies": ["copies-line", "copies-editor", "copies-step"],
    "04_loss_scaling": ["scaling-explorer", "scaling-way"],
    "05_the_training_loop": ["loop-glass-step"],
    "07_bf16_fp8_fp4": ["narrow-line", "narrow-editor", "narrow-explorer", "narrow-blocklab"],
    "11_four_bits": ["four-lab"],
}
"""The cells whose widgets work on the site; the others need Python, and are pictures."""


def cells_of(path):
    """Of the notebook of a lesson's page: each cell's kind, source, and what it printed."""
    if "lesson_" not in path:
        return
    notebook = ROOT / "notebooks" / path.replace("lesson_", "").replace(".html", ".ipynb")
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        outputs = ["".join(one["text"]) for one in cell.get("outputs", []) if one["output_type"] == "stream"]
        yield cell["cell_type"], "".join(cell["source"]), outputs


def each(paths):
    return pytest.mark.parametrize("path", list(paths))


def links(path, **wanted):
    found = [attributes for attributes, _ in PAGES[path].all("a")]
    return [one for one in found if all(one.get(name) == value for name, value in wanted.items())]


def visible(path):
    """The text of a page, without what a lesson's cells hold and printed."""
    return "\n".join(
        text for tag, _, texts in PAGES[path].found if tag not in ("pre", "code") for text in texts
    )


def data_of(path):
    return json.loads(SITE[path].partition('id="data">')[2].partition("</script>")[0])


# What is there


def test_every_widget_and_every_lesson_has_a_page_in_both_languages():
    names = ["index", *WIDGETS, *(f"lesson_{lesson}" for lesson in sorted(LESSONS))]
    english = [f"{name}.html" for name in names]
    assert list(SITE) == [*english, *(f"zh/{name}" for name in english)]


def test_the_site_is_small():
    sizes = [len(text.encode()) for text in SITE.values()]
    assert sum(sizes) < 20e6
    assert max(sizes) < 1.5e6
    assert max(len(text) for path, text in SITE.items() if "lesson_" not in path) < 420e3


@each(SITE)
def test_links_are_relative_and_lead_somewhere(path):
    here = PurePosixPath(path).parent
    for attributes in links(path):
        if attributes["href"] == TEACHING or attributes["href"] in map(code_of, CODE):
            continue
        target, _, state = attributes["href"].partition("#")
        if target.startswith("https://"):  # a source that the lesson names
            assert any(f"]({target})" in text for kind, text, _ in cells_of(path) if kind == "markdown")
            continue
        assert not re.match(r"[a-z]+:|/", target), target
        if target:
            assert not state
            found = os.path.normpath(here / target)
            assert found in SITE, target
    for tag, attributes, _ in PAGES[path].found:
        if tag == "img":
            assert attributes.pop("src").startswith("data:image/png;base64,")
            assert attributes["alt"]
        assert not {"src", "srcset", "style", "onclick", "onload", "onerror"} & attributes.keys(), tag


def test_every_page_is_reached_from_its_index():
    for index in ("index.html", "zh/index.html"):
        folder = PurePosixPath(index).parent
        reached = {str(folder / attributes["href"]) for attributes in links(index)}
        assert {path for path in SITE if PurePosixPath(path).parent == folder} <= reached


def test_each_index_leads_a_teacher_to_the_documentation():
    home, _, page = TEACHING.partition("teaching/")
    project = Path(__file__).parents[2]
    assert f"({home})" in project.joinpath("README.md").read_text(encoding="utf-8")
    assert project.joinpath("docs/teaching", page).with_suffix(".md").exists()
    found = [path for path in SITE if any(one["href"] == TEACHING for one in links(path))]
    assert sorted(found) == ["index.html", "zh/index.html"]


def test_the_style_declares_every_colour_that_it_uses():
    style = SITE["index.html"].partition("<style>")[2].partition("</style>")[0]
    used, declared = set(re.findall(r"var\((--mw-[\w-]+)", style)), set(re.findall(r"(--mw-[\w-]+):", style))
    assert used
    assert used <= declared


@each(SITE)
def test_a_page_names_itself_and_its_twin(path):
    other = path.removeprefix("zh/") if path.startswith("zh/") else f"zh/{path}"
    (twin,) = links(path, rel="alternate")
    assert os.path.normpath(PurePosixPath(path).parent / twin["href"]) == other
    assert PAGES[other].all("html")[0][0]["lang"] == twin["hreflang"] == twin["lang"]
    current = [attributes["href"] for attributes in links(path, **{"aria-current": "page"})]
    assert current == ([PurePosixPath(path).name] if "lesson_" not in path else [])


@each(SITE)
def test_a_page_has_landmarks_and_its_headings_in_order(path):
    page = PAGES[path]
    assert [len(page.all(tag)) for tag in ("h1", "header", "main", "footer", "title")] == [1] * 5
    assert page.all("title")[0][1].endswith(" · mixwidgets")
    levels = [int(tag[1]) for tag, _, _ in page.found if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    ids = [attributes["id"] for _, attributes, _ in page.found if "id" in attributes]
    assert len(ids) == len(set(ids))


@each(SITE)
def test_the_policy_allows_no_network_and_no_script_that_is_not_the_host(path):
    page = PAGES[path]
    policy = next(a["content"] for a, _ in page.all("meta") if a.get("http-equiv"))
    rules = {name: sources for name, *sources in map(str.split, policy.split("; "))}
    assert rules["default-src"] == ["'none'"]
    assert "connect-src" not in rules
    assert rules.get("img-src") == (["data:"] if page.all("img") else None)
    modules = [attributes for attributes, _ in page.all("script") if attributes.get("type") == "module"]
    assert len(modules) == len(page.all("script")) / 2 == 1
    assert len(rules["script-src"]) == 2


# What the pages hold


@pytest.mark.parametrize("folder", ["", "zh/"])
@pytest.mark.parametrize("name", WIDGETS)
def test_presets_are_states_of_the_page_s_widget(name, folder):
    page = next(page for page in widget_pages() if page.id == name)
    states = [one["href"][1:] for one in links(f"{folder}{name}.html") if one["href"].startswith("#")]
    assert len(set(states)) == len(page.presets) >= 5
    widget = MAKERS[name](**page.arguments)
    for state in states:
        widget.state = state
        assert widget.state == state
    widget.close()


def test_presets_show_what_they_say():
    editor = MAKERS["bit_editor"]()
    said = {}
    for preset in next(page for page in widget_pages() if page.id == "bit_editor").presets:
        widget = MAKERS["bit_editor"](**preset.arguments)
        editor.state = widget.state
        said[preset.text["en"]] = (editor.format, editor.code, editor.value)
    assert said["3.14, typed"] == ("float16", "0x4248", 3.140625)
    assert said["0.1 in bfloat16"] == ("bfloat16", "0x3DCD", 0.10009765625)
    assert 0 < said["a subnormal"][2] < 2.0**-14
    assert said["448 in float8_e4m3fn"][2] == 448


@each(path for path in SITE if "index" not in path)
def test_a_page_holds_its_widgets_each_in_its_place_and_language(path):
    data = data_of(path)
    places = [widget["place"] for widget in data["widgets"]]
    assert all(any(a.get("id") == place for _, a, _ in PAGES[path].found) for place in [*places, "note"])
    assert [bool(HAN.search(module)) for module in data["modules"]] == [path.startswith("zh/")] * len(
        data["modules"]
    )
    name = PurePosixPath(path).stem
    if name.startswith("lesson_"):
        asked = [one["state"]["exercise"] for one in data["widgets"] if "exercise" in one["state"]]
        assert asked == [one.id for one in questions().values() if f"lesson_{one.lesson}" == name]
        others = [one["place"] for one in data["widgets"] if "exercise" not in one["state"]]
        assert others == LIVE.get(name.removeprefix("lesson_"), [])
        assert len(data["modules"]) == len({one["module"] for one in data["widgets"]})  # each class's once
    else:
        assert places[0] == "widget"
        assert len(places) == 4
        assert len(data["modules"]) == 2


OF_CELLS = re.compile(r"Shift\+Enter|[(（](After a kernel restart, first|内核重启后，先)|mw\.hand_in")
"""How to run cells, of which the page has none."""


def bare(text):
    """A text without marks of Markdown and without spaces."""
    text = re.sub(r'<details class="answer">\n<summary>.*</summary>', "", text)
    text = re.sub(
        r"</?(?:details|summary)>|^```\w*$|^#+ |^- |^[|-]+$|\]\([^)]*\)", "", text, flags=re.MULTILINE
    )
    return re.sub(r"[*`|\[\]\s]", "", text)


@each(path for path in SITE if "lesson_" in path)
def test_a_lesson_s_page_holds_every_sentence_of_its_notebook_in_order(path):
    main = SITE[path].partition("<main>")[2].partition("</main>")[0]
    assert "|--" not in main  # a table is one
    said = bare(html.unescape(re.sub(r"<[^>]+>", "", main)))
    at = 0
    for kind, source, printed in cells_of(path):
        for text in source.split("\n\n") if kind == "markdown" else printed:
            if OF_CELLS.search(text):
                continue
            if figure := re.fullmatch(r"!\[.*\]\((\w+)\.svg\)", text):
                assert f"fig-{figure[1].replace('_', '-')}" in main
                continue
            found = said.find(bare(text), at)
            assert found >= 0, text
            at = found + len(bare(text))


@pytest.mark.parametrize("path", [path for path in SITE if "lesson_" in path])
def test_no_page_asks_to_run_cells(path):
    assert not OF_CELLS.search(SITE[path])
    assert not re.search(
        "[Rr]un the cells|run the cell below|before you run on|运行各单元格|运行问题下面的单元格|再往下运行",
        SITE[path],
    )


@pytest.mark.parametrize("lesson", LIVE)
@pytest.mark.parametrize("folder", ["", "zh/"])
def test_sentences_set_the_widget_beside_them(lesson, folder):
    path = f"{folder}lesson_{lesson}.html"
    saved = data_of(path)["widgets"]
    told = [one["href"][1:] for one in links(path, **{"class": "sets"})]
    assert told
    for address in told:
        *before, state = address.split(";")
        assert not any(before)
        place = saved[len(before)]["place"]
        assert place in LIVE[lesson]
        widget = story_widget(lesson, place)
        widget.state = state
        assert widget.state == state
        widget.close()


def story_widget(lesson, place):
    story = Story(lesson, "en", str)
    for id, widget in story.widgets.items():
        if id != place:
            widget.close()
    return story.widgets[place]


def test_a_phrase_that_its_text_does_not_have_is_an_error(monkeypatch):
    """So that a lesson's text and what its words set cannot drift apart."""
    told = {"round-line-text": [Setting(text={"en": "65519.5"}, arguments={"value": "65519.5"})]}
    monkeypatch.setattr("mixwidgets.teaching.site.story.sentences", lambda: told)
    with pytest.raises(ValueError, match=r"round-line-text says nowhere '65519\.5'"):
        list(Story("02_rounding_and_overflow", "en", str).elements())


def test_the_lessons_explorers_have_the_gradients_that_the_lessons_counted():
    def share(cell, format, log2=0):
        counts = [one.counts(format, 2.0**log2) for one in summaries[cell].values()]
        return sum(one.flushed for one in counts) / sum(one.count - one.zero for one in counts)

    summaries = {}
    for cell, (experiment, step) in LESSONS_RECORDED.items():
        (run,) = lesson_gradients(cell)
        (event,) = run.events()
        assert (run.experiment, event.step) == (experiment, step)
        summaries[cell] = event.output_gradients or event.summaries
    printed = "".join(text for path in SITE for _, _, texts in cells_of(path) for text in texts)
    assert "step 21: 15,374 gradients in 8 tensors" in printed
    assert sum(one.count for one in summaries["start-explorer"].values()) == 15_374
    for log2, tenths in ((0, 9), (7, 1), (14, 0)):
        assert f"S = 2^{log2:<2}: {tenths} of 10" in printed
        assert round(10 * share("start-explorer", "float16", log2)) == tenths
    for log2 in (0, 3, 7):
        assert f"S = 2^{log2:<3} {share('scaling-explorer', 'float16', log2):9.0%}" in printed
    for format in ("float8_e5m2", "float8_e4m3fn"):
        assert f"{format:>13}: {share('narrow-explorer', format):4.0%} of dy" in printed


def test_the_recorded_run_is_the_one_that_its_tool_records():
    run = open_run(RECORDED)
    assert run.experiment == EXPERIMENT
    assert len(run.steps()) == EXPERIMENT.steps
    names = {path.name for path in RECORDED.iterdir()}
    assert "status.json" not in names  # which would name a machine
    said = next(page for page in widget_pages() if page.id == "loss_scale_explorer").note["en"]
    assert f"{EXPERIMENT.steps} steps, seed {EXPERIMENT.seed}, five snapshots" in said
    assert len([name for name in names if name.startswith("gradients-")]) == 5
    assert EXPERIMENT.task_options["loss_weight"] == 1 / 128
    pixels = 128 * EXPERIMENT.batch_size * 40**2  # of the canvas
    assert f"as small as {pixels:,} pixels would" in said


# Languages


def leaves(value, where="site"):
    """Every text of one language, and where it stands."""
    if isinstance(value, str):
        yield where, value
    else:
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(part, f"{where}.{key}")


ENGLISH, CHINESE = (dict(leaves(texts(lang, "site"))) for lang in ("en", "zh"))
SAME = ("NaN", "TF32", "MXFP4", "float16", "bfloat16", "float8_e5m2")


@pytest.mark.parametrize("where", ENGLISH | CHINESE)
def test_every_text_is_there_in_both_languages(where):
    english, chinese = ENGLISH[where], CHINESE[where]
    for one in (english, chinese):
        assert one == one.strip() != ""
    assert re.findall(r"\{\w+\}", english) == re.findall(r"\{\w+\}", chinese)
    assert english.count("*") == chinese.count("*")
    assert english.count("*") % 2 == 0
    assert HAN.search(chinese) or (
        english == chinese and (chinese in SAME or not re.search("[a-z]", chinese))
    )
    assert not HAN.search(english)
    assert not re.search(r"[\u3400-\u9fff][,;:!?()]|[,;:!?()][\u3400-\u9fff]", chinese)
    assert not re.search(r"[\u3400-\u9fff][A-Za-z0-9]|[A-Za-z0-9][\u3400-\u9fff]", chinese)  # a space between

    def figures(words):
        return sorted(re.findall(r"\d+(?:\.\d+)?", words))

    small = {"1", "2", "4", "8", "16", "32"}  # English may spell what Chinese writes, and the other way round
    assert [one for one in figures(english) if one not in small] == [
        one for one in figures(chinese) if one not in small
    ]


def test_every_text_of_the_pages_is_used():
    room = RECORDED.parent
    sources = "".join(path.read_text(encoding="utf-8") for path in room.glob("*.py"))
    assert [key for key in texts("en", "site")["pages"] if f'"{key}"' not in sources] == []


@each(path for path in SITE if path.startswith("zh/"))
def test_a_chinese_page_says_nothing_in_english(path):
    said = visible(path)
    own = {where: text for where, text in ENGLISH.items() if not where.startswith("site.sentences")}
    english = [text for where, text in own.items() if text != CHINESE[where] and "{" not in text]
    assert [text for text in english if len(text) > 4 and text in said] == []
    assert HAN.search(PAGES[path].all("title")[0][1])


# Markup, and sameness


def test_no_text_is_markup():
    edition = Edition("en", ("en", "zh"), {f'x"{PAYLOAD}.html': {"en": PAYLOAD, "zh": PAYLOAD}})
    text = edition.page("a.html", PAYLOAD, h("p", {"title": PAYLOAD}, PAYLOAD, h("b", {}, "&"), PAYLOAD))
    page = Parsed(text.encode(errors="replace").decode())
    tags = {tag for tag, _, _ in page.found}
    assert not tags & {"script", "img"}
    shown = PAYLOAD.encode(errors="replace").decode()
    assert page.all("title")[0][1] == f"{shown} · mixwidgets"
    ((attributes, said),) = [found for found in page.all("p") if "title" in found[0]]
    assert (attributes["title"], said) == (shown, shown + shown)  # before and after the <b>
    assert "<b>&amp;</b>" in text


def test_the_site_is_the_same_in_another_process_without_torch():
    code = """
        import hashlib, sys
        sys.modules["torch"] = sys.modules["altair"] = None  # importing them raises
        from mixwidgets.teaching.site.pages import build_site
        for path, data in build_site(('en', 'zh')).items(): print(path, hashlib.sha256(data).hexdigest())
    """
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(line.strip() for line in code.splitlines())],
        env={**os.environ, "PYTHONHASHSEED": "7", "MIXWIDGETS_LANG": "zh", "TZ": "Asia/Shanghai"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    other = dict(line.split() for line in done.stdout.splitlines())
    assert other == {path: hashlib.sha256(text.encode()).hexdigest() for path, text in SITE.items()}


def test_pages_that_are_served_have_their_code_and_style_in_files_that_are_named_after_their_content():
    served = build_site(served=True)
    files = {path: data for path, data in served.items() if path.startswith("shared/")}
    assert served.keys() - files.keys() == SITE.keys()
    assert all(hashlib.sha256(data).hexdigest().startswith(Path(path).stem) for path, data in files.items())
    used = set()
    for path in SITE:
        page = served[path].decode()
        assert "script-src 'self'; style-src 'self';" in page
        assert "<style>" not in page
        assert len(page) < len(SITE[path])
        used |= {
            str(PurePosixPath(path).parent / one)
            for one in re.findall(r'"((?:\.\./)?shared/\w+\.\w+)"', page)
        }
    assert {os.path.normpath(one) for one in used} == files.keys()
    assert sum(map(len, served.values())) < 0.6 * sum(len(text.encode()) for text in SITE.values())


def test_every_colour_of_a_page_s_style_is_defined_in_it():
    style = SITE["index.html"].partition("<style>")[2].partition("</style>")[0]
    used = set(re.findall(r"var\((--mw-[\w-]+)", style))
    assert "--mw-accent" in used
    assert used <= set(re.findall(r"(--[\w-]+):", style))
