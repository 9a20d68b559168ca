"""The language of widgets: which one is chosen, and what of it their modules and pages carry."""

import ast
import json
import re
from pathlib import Path

import pytest
import traitlets
from comm.base_comm import BaseComm

import mixwidgets as mw
from mixwidgets.charts import _CLASSES
from mixwidgets.diagnosis.difference.reasons import _TENSORS
from mixwidgets.floats.formats.block_catalogue import list_block_formats
from mixwidgets.floats.formats.catalogue import list_formats
from mixwidgets.floats.widgets.bundles import STATIC, host_module, page_module, style_sheet
from mixwidgets.floats.widgets.following_widget import NO_THREAD
from mixwidgets.runs.experiments.recipe_words import HEADINGS, LINES
from mixwidgets.runs.experiments.scenarios import scenarios
from mixwidgets.runs.store.comparison import settings_of
from mixwidgets.runs.store.verdict import TEXTS
from mixwidgets.runs.widgets.training_lab import own_recipes
from mixwidgets.runs.widgets.training_lab.settings import in_page
from mixwidgets.runs.widgets.training_lab.told import IN_KERNEL
from mixwidgets.support.languages.choice import chosen_language, jupyterlab_locale
from mixwidgets.support.languages.texts import LANGUAGES, texts, translated
from mixwidgets.teaching.site.catalogue import widget_pages
from tests.widgets.every import NAMES, make
from tests.widgets.lab_page import journalled, snapshot

BUNDLES = sorted({path.stem for path in STATIC.glob("*.js")} - {"module"})  # which says nothing
HAN = re.compile(r"[\u4e00-\u9fff]")
MARK = "const messages = "


def messages_of(module):
    """The messages in a module, read without the code under test."""
    _, *after = module.split(MARK)
    assert len(after) == 1  # exactly one place
    return json.loads(after[0].split(";\n")[0])


# Which language


@pytest.fixture
def jupyterlab(tmp_path, monkeypatch):
    """Nothing is said but by JupyterLab, in a settings folder of one's own. Writes its language setting."""
    monkeypatch.delenv("MIXWIDGETS_LANG")
    monkeypatch.delenv("JUPYTERLAB_SETTINGS_DIR", raising=False)
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path))

    def write(text, folder=tmp_path / "lab" / "user-settings"):
        path = folder / "@jupyterlab" / "translation-extension" / "plugin.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())

    return write


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"locale": "zh_CN"}', "zh"),
        ('{\n  // Language locale\n  // "locale": "xx_XX"\n  "locale": "zh_CN", "x": 1\n}', "zh"),
        ('{\n  // "locale": "zh_CN"\n}', "en"),
        ('{/* "locale": "zh_CN" */ "locale": "default"}', "en"),
        ('{"locale": "xx_XX"}', "en"),
        ('{"stringsPrefix": "!!"}', "en"),
        ('{"locale": 3}', "en"),
        ("", "en"),
        (b"\xff\xfe\x00", "en"),
    ],
)
def test_jupyterlabs_own_language_is_followed(jupyterlab, text, expected):
    jupyterlab(text)
    assert chosen_language() == expected
    editor = mw.BitEditor(1)
    assert editor.lang == expected
    assert messages_of(editor._module._esm)["bits.title"] == {"en": "Bit editor", "zh": "位编辑器"}[expected]
    assert mw.BitEditor(1, lang="en").lang == "en"


def test_no_setting_is_english(jupyterlab):
    assert jupyterlab_locale() == "default"
    assert chosen_language() == "en"


def test_a_settings_folder_of_its_own_is_found(jupyterlab, tmp_path, monkeypatch):
    jupyterlab('{"locale": "zh_CN"}', tmp_path / "elsewhere")
    assert chosen_language() == "en"
    monkeypatch.setenv("JUPYTERLAB_SETTINGS_DIR", str(tmp_path / "elsewhere"))
    assert chosen_language() == "zh"


def test_the_variable_goes_before_jupyterlab_and_the_keyword_before_both(jupyterlab, monkeypatch):
    jupyterlab('{"locale": "zh_CN"}')
    monkeypatch.setenv("MIXWIDGETS_LANG", "en")
    assert mw.BitEditor(1).lang == "en"
    assert mw.BitEditor(1, lang="zh").lang == "zh"
    monkeypatch.setenv("MIXWIDGETS_LANG", "")  # as if it were not there
    assert mw.BitEditor(1).lang == "zh"


@pytest.mark.parametrize("wrong", ["xx", "ZH", "", 3, ["zh"]])
def test_another_language_is_refused_in_words(wrong):
    with pytest.raises(ValueError, match=r'lang is "en" or .*"zh" .* got'):
        mw.BitEditor(1, lang=wrong)


def test_a_wrong_variable_names_itself(monkeypatch):
    monkeypatch.setenv("MIXWIDGETS_LANG", "german")
    with pytest.raises(ValueError, match=r"MIXWIDGETS_LANG is .*got 'german'"):
        mw.BitEditor(1)


# What of it a widget carries

ROOT = Path(mw.__file__).parents[1]
ALIASES = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["imports"]
IMPORT = re.compile(r'^(?:import|export) (?!type\b)[^;"]*? from "([^"]+\.ts)"', re.MULTILINE)


def imported(path):
    """The files whose code a TypeScript file imports; what is a type alone is in no bundle."""
    for name in IMPORT.findall(re.sub(r"\{( *type \w+,?)+ *\}", "type", path.read_text(encoding="utf-8"))):
        alias, _, rest = name.partition("/")
        folder = ROOT / ALIASES[f"{alias}/*"].removesuffix("*") if f"{alias}/*" in ALIASES else path.parent
        yield (folder / (rest if f"{alias}/*" in ALIASES else name)).resolve()


def styles_of(page):
    """The style sheets of a page: those of the folders whose code it has, shared ones first."""
    (found,) = ROOT.glob(f"mixwidgets/*/widgets/{page}/page.ts")
    reached, waiting = set(), [found.resolve()]
    while waiting:
        path = waiting.pop()
        if path not in reached:
            reached.add(path)
            waiting += imported(path)
    folders = sorted({path.parent for path in reached if (path.parent / "style.css").exists()})
    return [f"ui_{folder.name}" if folder.parent.name == "ui" else folder.name for folder in folders]


def module_of(name, lang):
    return host_module(lang) if name == "host" else page_module(name, lang)._esm


@pytest.mark.parametrize("name", BUNDLES)
def test_a_module_differs_in_its_messages_alone(name):
    modules = {lang: module_of(name, lang) for lang in LANGUAGES}
    code = (STATIC / f"{name}.js").read_text(encoding="utf-8")
    names = ("shared", *styles_of(name)) if name != "host" else ()
    sheets = json.dumps([style_sheet(one) for one in names], ensure_ascii=False, separators=(",", ":"))
    style = f"const styles = {sheets};\n" if names else ""
    others = set()
    for lang, module in modules.items():
        messages = messages_of(module)
        assert messages == {key: texts(lang, "page")[key] for key in messages_of(modules["en"])}
        assert len(messages) >= 2
        assert style + code in module
        others.add(re.sub("const messages = .*;\n", "", module))
    assert len(others) == 1
    assert len(modules["en"].encode()) <= 142_000  # the words of another language may be longer


@pytest.mark.parametrize("name", BUNDLES)
def test_a_module_has_the_messages_that_its_code_names(name):
    code = (STATIC / f"{name}.js").read_text(encoding="utf-8")
    named = {key for key in texts("en", "page") if re.search(rf"[\"'`]{re.escape(key)}[\"'`]", code)}
    assert named
    assert named <= messages_of(module_of(name, "en")).keys()


def test_every_message_is_in_a_module_or_in_a_figure():
    said = {key for name in BUNDLES for key in messages_of(module_of(name, "en"))}
    others = {key: text for key, text in texts("en", "page").items() if key not in said}
    figures = "".join(path.read_text(encoding="utf-8") for path in STATIC.glob("*.en.svg"))
    absent = [key for key, text in others.items() if "{" not in text and text not in figures]
    assert absent == []
    assert {key.partition(".")[0] for key in others} == {"five"}


def leaves(value, where=""):
    """Every text of a language's file, and where it stands."""
    if isinstance(value, str):
        yield where, value
    else:
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(part, f"{where}.{key}")


@pytest.mark.parametrize("part", ["language", "page", "exercises", "site"])
@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_language_says_all_that_english_says(lang, part):
    english, said = dict(leaves(texts("en", part))), dict(leaves(texts(lang, part)))
    assert english
    assert not said.keys() ^ english.keys(), f"languages/{lang}/{part}.json lacks them, or English does"
    for where, text in said.items():
        assert text.strip(), where
        assert sorted(re.findall(r"\{\w+\}", text)) == sorted(re.findall(r"\{\w+\}", english[where])), where
        assert text.count("*") == english[where].count("*"), where


@pytest.mark.parametrize("name", NAMES)
def test_every_widget_speaks_chinese(tmp_path, monkeypatch, name):
    monkeypatch.setenv("MIXWIDGETS_LANG", "zh")
    widget = make(name, tmp_path)
    try:
        assert widget.lang == "zh"
        assert HAN.search(messages_of(widget._module._esm)["common.code"])
        assert "lang" not in widget.get_state()  # a module has one language
        assert "lang" not in widget.state
        page = widget.save(tmp_path / "page.html").read_text(encoding="utf-8")
        assert page.startswith('<!doctype html>\n<html lang="zh-Hans">')
        title = re.search("<title>(.*)</title>", page)[1]
        assert HAN.search(title)
        assert f"<h2>{title}</h2>" in page
        assert messages_of(page.split("<script")[-1])["page.failed"].startswith("本页")  # the host's
    finally:
        widget.close()


CARDS = {
    "BitEditor": "bits",
    "NumberLine": "line",
    "FormatDesigner": "designer",
    "BlockLab": "blocks",
    "LossScaleExplorer": "explorer",
    "Playground": "play",
    "Exercise": "exercise",
    "TrainingLab": "lab",
    "SweepProgress": "sweep",
}


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", CARDS)
def test_a_widget_has_one_name_on_its_card_its_page_the_site_and_in_the_gallery(name, lang, tmp_path):
    card = texts(lang, "page")[f"{CARDS[name]}.title"]
    page = make(name, tmp_path, lang=lang).save(tmp_path / "page.html").read_text(encoding="utf-8")
    assert re.search("<title>(.*)</title>", page)[1] == card
    on_site = {page.id: page.name[lang] for page in widget_pages()}
    folder = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    assert on_site.get(folder, card) == card
    if lang == "en":
        gallery = (Path(__file__).parents[2] / "docs" / "gallery.md").read_text(encoding="utf-8")
        assert f"\n## {card}\n" in gallery


def test_two_widgets_of_two_languages_stand_side_by_side():
    chinese, english = mw.NumberLine(1, lang="zh"), mw.NumberLine(1, lang="en")
    assert messages_of(chinese._module._esm)["line.title"] == "数轴"
    assert messages_of(english._module._esm)["line.title"] == "Number line"
    with pytest.raises(traitlets.TraitError, match="read-only"):
        english.lang = "zh"


def test_what_a_widget_opens_speaks_its_language(tmp_path, make_lab):
    run = journalled(tmp_path, [1.0], gradients=[snapshot(1, [1e-3])])
    explorer = make_lab(tmp_path, lang="zh").open_gradients(run)
    assert explorer.lang == "zh"
    assert explorer.bit_editor().lang == "zh"


def test_the_lab_tells_its_tasks_in_its_language(tmp_path):
    labs = {lang: mw.TrainingLab(tmp_path, lang=lang) for lang in ("en", "zh")}
    for lab in labs.values():
        lab.close()
    english, chinese = ({task["name"]: task for task in labs[lang]._tasks} for lang in ("en", "zh"))
    assert english.keys() == chinese.keys() == mw.tasks.keys()
    for name, task in mw.tasks.items():
        assert (english[name]["title"], english[name]["explanation"]) == (task.title, task.explanation)
        for field in ("title", "explanation"):
            assert HAN.search(chinese[name][field]), f"python.json lacks the {field} of {name}"
            # Figures are facts: the same in both languages, but for "1.6 million".
            figures = [re.findall(r"\d[\d,./]*\d|\d", text[name][field]) for text in (english, chinese)]
            assert [f for f in figures[0] if f != "1.6"] == [f for f in figures[1] if f != "160"]


def told(path):
    """The texts that a module has translated: literals in calls of `translated`, or of a function made of it;
    of a chart's tooltips the titles."""
    for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        name = call.func.id if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) else ""
        if name in ("translated", "tell"):
            first = call.args[0]
            either = (first.body, first.orelse) if isinstance(first, ast.IfExp) else (first,)
            yield from (one.value for one in either if isinstance(one, ast.Constant))
        elif name == "_tooltip":
            yield from (
                one.value[:-2].replace("_", " ") for one in call.args if isinstance(one, ast.Constant)
            )


TOLD = sorted({text for path in Path(mw.__file__).parent.rglob("*.py") for text in told(path)})


@pytest.mark.parametrize("lang", [lang for lang in LANGUAGES if lang != "en"])
def test_a_translation_has_the_fields_of_its_text(lang):
    for text in TOLD:
        assert sorted(re.findall("{.*?}", texts(lang, "python")[text])) == sorted(re.findall("{.*?}", text))


@pytest.mark.parametrize("lang", [lang for lang in LANGUAGES if lang != "en"])
def test_each_text_has_a_translation_and_no_translation_outlives_its_text(lang):
    said = {task.title for task in mw.tasks.values()} | {task.explanation for task in mw.tasks.values()}
    titled = (*NAMES, "ModuleErrors")  # which is no public name
    words = {re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).capitalize() for name in titled}
    said |= {text for line in LINES for text in (line.sentence, line.brief)} | {*HEADINGS}
    said |= {text for one in scenarios.values() for text in (one.title, one.question, one.watch)}
    said |= {text for name, text in TEXTS.items() if name != "scores"}  # which has no word
    settings = [one for task in mw.tasks.values() for one in in_page(task, "en")]
    said |= {one[name] for one in settings for name in ("title", "about")} | {IN_KERNEL, NO_THREAD}
    said |= {one[name] for one in own_recipes.form("en") for name in ("title", "group", "about")}
    fields = [*settings, *own_recipes.form("en")]
    choices = {one for field in fields for one in field.get("choices", ())}
    said |= {own_recipes.HEADING} | choices - {one.name for one in (*list_formats(), *list_block_formats())}
    said |= {*TOLD, *_CLASSES, *_TENSORS}
    translations = texts(lang, "python").keys()
    assert not (said - {*HEADINGS, ""} | words) - translations, f"languages/{lang}/python.json lacks them"
    assert not translations - said - words, f"languages/{lang}/python.json has them, and no code says them"
    assert translated("my own task", lang) == "my own task"


@pytest.fixture
def in_a_kernel(monkeypatch):
    monkeypatch.setattr("IPython.get_ipython", lambda: "a shell")


def test_widgets_of_a_page_and_a_language_share_one_module(monkeypatch, in_a_kernel):
    sent = []
    for method in ("open", "send"):
        monkeypatch.setattr(BaseComm, method, lambda self, data=None, **_: sent.append(data["state"]))
    monkeypatch.setattr("mixwidgets.floats.widgets.bundles._shared", {})
    for lang in ("zh", "zh", "en", "zh"):
        mw.BitEditor(1, lang=lang)
    modules = [messages_of(state["_esm"]) for state in sent if MARK in state.get("_esm", "")]
    assert [module["bits.title"] for module in modules] == ["位编辑器", "Bit editor"]


def test_without_a_kernel_each_widget_has_its_own_module():
    """As in Shiny, whose sessions see only the widgets that were made in them."""
    assert mw.BitEditor(1)._module is not mw.BitEditor(2)._module


def test_a_closed_module_is_made_anew(in_a_kernel):
    editor = mw.BitEditor(1)
    before = editor._module
    before.close()
    after = mw.BitEditor(1)._module
    assert after is not before
    assert after.comm is not None
    assert after is mw.BitEditor(2)._module
    editor.close()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_comparison_has_a_name_for_each_setting_of_a_run(lang, tmp_path):
    lab = mw.TrainingLab(tmp_path, lang=lang)
    lab.close()
    settings = {one["name"] for task in lab._tasks for one in task["settings"]}
    named = {"task", "recipe", "steps"} | settings | {f"task_options.{name}" for name in settings}
    named |= {f"recipe.{field['name']}" for field in lab._recipe_form}
    for recipe in ("fp16_dynamic", "fp8_delayed"):
        for field in settings_of(mw.Experiment(task="char_gpt", recipe=recipe)).keys() - named:
            assert f"lab.field_{field.replace('.', '_')}" in texts(lang, "page"), field
