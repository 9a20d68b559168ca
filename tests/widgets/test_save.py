"""Every widget's state text and saved page, without a browser: what is taken, written and refused."""

import base64
import errno
import hashlib
import json
import os
import re
import zlib
from html.parser import HTMLParser
from typing import ClassVar

import pytest
import traitlets
from hypothesis import given, settings
from hypothesis import strategies as st
from ipywidgets import Widget
from ipywidgets.embed import embed_minimal_html

import mixwidgets as mw
from mixwidgets.floats.widgets.base import MixWidget
from mixwidgets.floats.widgets.frame import read_frame
from tests.widgets.every import NAMES, PAYLOAD, make


@pytest.fixture(params=NAMES)
def widget(request, tmp_path):
    widget = make(request.param, tmp_path)
    yield widget
    widget.close()


class Parsed(HTMLParser):
    """A page's elements, as any parser of HTML finds them."""

    def __init__(self, text):
        super().__init__()
        self.found, self.open = [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes), []))
        self.open.append(self.found[-1])

    def handle_endtag(self, tag):
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        if self.open:
            self.open[-1][2].append(data)

    def all(self, tag):
        return [(attributes, "".join(texts)) for name, attributes, texts in self.found if name == tag]


# State


def test_a_state_restores_what_was_shown(widget):
    text = widget.state
    assert len(text) < (5000 if isinstance(widget, mw.BlockLab) else 300)  # which names 512 elements
    widget.state = text
    assert widget.state == text
    widget.state = "#" + text  # as it stands in an address
    assert widget.state == text


def test_states_of_the_bit_editor():
    editor = mw.BitEditor(code=0x7BFF)
    assert editor.state == "format=float16&code=7bff"
    editor.value = "-1e+5"
    assert editor.state == "format=float16&code=fc00&input=-1e%2B5"
    editor.state = "format=half&code=0x3C01"
    assert (editor.format, editor.code, editor.value, editor._input) == ("float16", "0x3C01", 1 + 2**-10, "")
    editor.state = "code=1"  # the format stays
    assert editor.state == "format=float16&code=0001"
    editor.rounding, editor.overflow, editor.value = "toward-zero", "saturate", "-65520"
    editor.state = "code=3c00"  # how to round is as usual where nothing is said of it
    assert (editor.rounding, editor.overflow) == ("ties-to-even", "native")
    editor.state = "input=0.1&code=3dcccccd&format=float32"
    assert repr(editor) == "BitEditor(0.10000000149011612, format='float32', code='0x3DCCCCCD')"
    assert editor._exact_input() == "0.1"


@settings(deadline=None)
@given(st.data())
def test_any_code_survives_its_state(data):
    fmt = data.draw(st.sampled_from(mw.list_formats()))
    code = fmt.to_hex(data.draw(st.integers(0, 2**fmt.bits - 1)))
    editor, other = mw.BitEditor(code=code, format=fmt), mw.BitEditor("0.1")
    other.state = editor.state
    assert (other.format, other.code, other._input) == (fmt.name, code, "")


def test_hex_that_looks_like_binary_is_hex():
    editor = mw.BitEditor(1)
    for code in range(0x0B00, 0x0C00):
        editor.state = f"format=float16&code={code:04x}"
        assert editor.code == f"0x{code:04X}"


def test_states_of_the_others(tmp_path):
    explorer = make("LossScaleExplorer", tmp_path)
    explorer.state = "format=bf16&log2_loss_scale=-24"
    assert explorer.state == "format=bfloat16&log2_loss_scale=-24"
    assert explorer.loss_scale == 2**-24
    lab = make("TrainingLab", tmp_path)
    lab.state = "recipe=bf16&seed=7&steps=12"
    assert (lab.task, lab.recipe, lab.steps, lab.seed) == ("digits_cnn", "bf16", 12, 7)
    lab.close()


class Plain(MixWidget):
    """A widget with a trait of each kind in its state, and one that is not in it."""

    _page = "bit_editor"
    _state_traits: ClassVar = {"count": None, "name": None, "on": None}
    name = traitlets.Unicode("a").tag(sync=True)
    count = traitlets.Int(3).tag(sync=True)
    on = traitlets.Bool(True).tag(sync=True)
    share = traitlets.Float(0.5).tag(sync=True)


def test_texts_whole_numbers_and_yes_or_no_in_a_state():
    plain = Plain()
    assert plain.state == "count=3&name=a&on=true"
    plain.state = "name=%C3%BC%26%3D&on=false&count=-9"
    assert (plain.name, plain.count, plain.on) == ("ü&=", -9, False)
    assert plain.state == "count=-9&name=%C3%BC%26%3D&on=false"
    plain.state = "count=2^10"
    assert plain.count == 1024
    plain.state = "count=-9.0"
    for wrong in (
        "on=True",
        "on=1",
        "count=1/3",
        "count=",
        "count=0x3",
        "count=2^5000",
        "count=9999999999999999",
        "share=1",
    ):
        with pytest.raises(ValueError, match=wrong.split("=")[0]):
            plain.state = wrong
    assert (plain.name, plain.count, plain.on) == ("ü&=", -9, False)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "'' is not a part of a state such as 'format=float16&code=7bff"),
        ("format", "'format' is not a part"),
        ("fromat=float16", "Did you mean 'format'"),
        ("__proto__=1", "'__proto__=1' is not a part"),
        ("_input=1", "Did you mean 'input'"),
        ("format=float16&format=float16", "'format' came twice"),
        ("format=fp8&code=00", "fp8"),
        ("format=float16&code=zz", "code is hex digits, such as 7bff; got 'zz'"),
        ("format=float16&code=17bff", "'0x17bff' is not a float16 code"),
        ("format=float8_e5m2&code=7bff", "float8_e5m2"),
        ("format=float8_e5m2", "float8_e5m2"),  # the code stays, and does not fit
        ("code=3c00&input=2", "'2' is not rounded to 0x3C00"),
        ("code=3c00&input=abc", "abc"),
        ("format=%E0%A4", "not percent-encoded"),
        ("format=" + "a" * 50_000, "at most 40,000 characters.*got 50,007"),
        (PAYLOAD, "is not a part of a state"),
    ],
)
def test_what_is_no_state_is_told_and_changes_nothing(text, said):
    editor = mw.BitEditor("65505")
    before, seen = editor.get_state(), []
    editor.observe(seen.append)
    with pytest.raises(ValueError, match=re.escape(said).replace(r"\.\*", ".*")) as raised:
        editor.state = text
    assert len(str(raised.value)) < 400
    assert editor.get_state() == before
    assert seen == []


@pytest.mark.parametrize("wrong", [None, 7, b"format=float16", {"format": "float16"}, ["code=7bff"]])
def test_a_state_is_a_text(widget, wrong):
    before = widget.state
    with pytest.raises(TypeError, match=f"a state is a text such as .*; got {type(wrong).__name__}"):
        widget.state = wrong
    assert widget.state == before


@pytest.mark.parametrize("text", ["format=float32&log2_loss_scale=41", "log2_loss_scale=2&format=float64"])
def test_a_state_is_taken_as_a_whole_or_not_at_all(tmp_path, text):
    explorer = make("LossScaleExplorer", tmp_path)
    explorer.log2_loss_scale = 15
    seen = []
    explorer.observe(lambda change: seen.append(change.new != change.old), ["format", "log2_loss_scale"])
    with pytest.raises(traitlets.TraitError, match=r"41|float64"):
        explorer.state = text
    assert explorer.state == "format=float16&log2_loss_scale=15"
    assert not any(seen)


def test_the_lab_refuses_a_state_as_a_whole(tmp_path):
    lab = make("TrainingLab", tmp_path)
    before = lab.state
    with pytest.raises(traitlets.TraitError, match="seed"):
        lab.state = "recipe=bf16&seed=-1"
    assert lab.state == before
    lab.close()


# The page


def test_a_page_is_one_file_with_nothing_from_elsewhere(widget, tmp_path):
    path = widget.save(tmp_path / "page.html")
    assert path == tmp_path / "page.html"
    assert [one.name for one in tmp_path.iterdir() if one.is_file()] == ["page.html"]
    page = Parsed(path.read_text(encoding="utf-8"))
    assert page.all("html")[0][0] == {"lang": "en"}
    assert page.all("title")[0][1]
    for tag, attributes, _ in page.found:
        assert not {"src", "href", "srcset", "style", "onload", "onerror"} & attributes.keys(), tag
    assert [attributes["type"] for attributes, _ in page.all("script")] == ["application/json", "module"]
    assert len(page.all("style")) == 1
    assert "url(" not in page.all("style")[0][1]
    assert "@import" not in page.all("style")[0][1]


def test_the_policy_allows_the_host_and_the_style_by_their_hash_and_no_network(widget, tmp_path):
    page = Parsed(widget.save(tmp_path / "page.html").read_text(encoding="utf-8"))
    policy = next(a["content"] for a, _ in page.all("meta") if a.get("http-equiv"))
    rules = {name: set(sources) for name, *sources in map(str.split, policy.split("; "))}

    def hashed(text):
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    assert rules["default-src"] == {"'none'"}
    assert rules["script-src"] == {hashed(page.all("script")[1][1]), "blob:"}
    assert rules["style-src"] == {hashed(page.all("style")[0][1])}
    assert set(rules) == {
        "default-src",
        "script-src",
        "style-src",
        "base-uri",
        "form-action",
        "require-trusted-types-for",
        "trusted-types",
    }


def data_of(widget, path):
    page = Parsed(widget.save(path).read_text(encoding="utf-8"))
    text = page.all("script")[0][1]
    assert "<" not in text
    return json.loads(text)


def test_the_page_holds_the_state_and_the_module(widget, tmp_path):
    data = data_of(widget, tmp_path / "page.html")
    assert data["modules"] == [widget._module._esm]
    (data,) = data["widgets"]
    assert (data["place"], data["module"]) == ("widget", 0)
    assert data["defaults"] == widget._state_traits
    assert data["defaults"].keys() <= data["state"].keys()
    assert not {"_esm", "_module", "_css", "layout", "_model_name"} & data["state"].keys()


def test_bytes_travel_deflated_as_base64_beside_the_state(tmp_path):
    explorer = make("LossScaleExplorer", tmp_path)
    (data,) = data_of(explorer, tmp_path / "page.html")["widgets"]
    (data64,) = [buffer["data"] for buffer in data["buffers"] if buffer["path"] == ["_snapshots"]]
    sent = zlib.decompress(base64.b64decode(data64, validate=True))
    assert sent == explorer.get_state("_snapshots")["_snapshots"]
    assert read_frame(sent)[0]["names"] == [[PAYLOAD, "w"]]  # whatever a name holds, it arrives as it was


class Restyled(Plain):
    """A widget of someone else's, with a hostile name for a trait's value."""

    name = traitlets.Unicode(PAYLOAD).tag(sync=True)


def test_no_text_of_the_state_is_markup(tmp_path):
    page = Parsed(Restyled().save(tmp_path / "page.html").read_text(encoding="utf-8"))
    assert len(page.all("script")) == 2
    assert json.loads(page.all("script")[0][1])["widgets"][0]["state"]["name"] == PAYLOAD
    assert page.all("title")[0][1] == "Restyled"


def test_saving_takes_a_path_in_any_form_and_replaces_what_was_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    editor = mw.BitEditor(1)
    (tmp_path / "page.html").write_text("before", encoding="utf-8")
    for path in ("page.html", tmp_path / "page.html", os.fspath(tmp_path / "seite ü.htm")):
        assert editor.save(path).read_text(encoding="utf-8").startswith("<!doctype html>")
    assert {one.name for one in tmp_path.iterdir()} == {"page.html", "seite ü.htm"}


def test_where_a_page_cannot_be_written_the_error_says_what_to_do(tmp_path):
    editor = mw.BitEditor(1)
    with pytest.raises(IsADirectoryError, match=r"this is a folder; name a file in it"):
        editor.save(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"there is no such folder; make it first.*nowhere"):
        editor.save(tmp_path / "nowhere" / "page.html")
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(FileNotFoundError, match="there is no such folder"):
        editor.save(tmp_path / "file" / "page.html")
    for wrong in (None, 3, ["page.html"]):
        with pytest.raises(TypeError, match=f"such as 'page.html' is needed; got {type(wrong).__name__}"):
            editor.save(wrong)
    with pytest.raises(ValueError, match=r"a name of application/pdf, but this is text/html: name it as"):
        editor.save(tmp_path / "page.pdf")
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


def test_a_closed_widget_has_no_page_and_says_so(widget, tmp_path):
    said = re.escape(repr(widget))
    widget.close()
    with pytest.raises(ValueError, match=f"was closed.*again, as {said}"):
        widget.save(tmp_path / "page.html")
    assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize(
    ("number", "kind", "said"),
    [(errno.EACCES, PermissionError, "name a path in another one"), (errno.ENOSPC, OSError, "space|room")],
)
def test_a_write_that_fails_leaves_the_old_page(tmp_path, monkeypatch, number, kind, said):
    editor = mw.BitEditor(1)
    path = editor.save(tmp_path / "page.html")
    before = path.read_bytes()

    def refuse(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "write", refuse)
    editor.value = 2
    with pytest.raises(kind, match=said):
        editor.save(path)
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_the_page_of_ipywidgets_has_the_whole_state(tmp_path):
    """As docs/where.md writes it; without `state` the format and the module would be missing."""
    Widget.close_all()  # what other tests left, some of it in pieces
    bits = mw.BitEditor(1, "float16")
    embed_minimal_html(tmp_path / "page.html", views=[bits], state=bits.get_manager_state()["state"])
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    (found,) = re.findall(r'widget-state\+json">(.*?)</script>', text, re.DOTALL)
    states = json.loads(found)["state"]
    state = states[bits.model_id]["state"]
    assert (state["format"], state["code"]) == ("float16", "0x3C00")
    assert "export default" in states[state["_module"].removeprefix("anywidget:")]["state"]["_esm"]


def test_a_module_has_its_state_and_a_wrong_name_is_refused(tmp_path):
    bits = mw.BitEditor(1, "float16")
    text = bits.save(tmp_path / "bit.mjs").read_text(encoding="utf-8")
    assert text.endswith("export default host.moduleOf(saved, page.default);\n")
    assert '"code":"0x3C00"' in text
    assert not re.search(r"^import ", text, re.MULTILINE)
    with pytest.raises(ValueError, match=r"name it as 'page\.html'"):
        bits.save(tmp_path / "bit.css")
    bits.close()
    with pytest.raises(ValueError, match="was closed"):
        bits.save(tmp_path / "bit.mjs")
