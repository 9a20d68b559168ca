"""NumberLine without a page: its traits, and how it follows a linked editor."""

import ipywidgets
import numpy as np
import pytest
import traitlets

import mixwidgets as mw


def shown(widget):
    return widget.format, widget.code, widget._state_value("_input")


NAMES = ("format", "code", "_input", "rounding", "overflow")


def linked():
    editor, line = mw.BitEditor(1), mw.NumberLine(1)
    links = [traitlets.link((editor, name), (line, name)) for name in NAMES]
    return editor, line, links


def test_it_holds_a_number_and_the_formats_beside_it():
    line = mw.NumberLine("65505", formats=["bf16", "float32", "bfloat16"])
    assert repr(line) == "NumberLine(65504, format='float16', code='0x7BFF')"
    assert line._input == "65505"
    assert line.formats == ["bfloat16", "float32"]
    line.formats = "half"
    assert line.formats == ["float16"]
    line.formats = np.float32
    assert line.formats == ["float32"]
    line.format = "float64"
    assert line.value == 65505


OWN = mw.FloatFormat("own", exponent_bits=5, fraction_bits=3)  # its name says nothing to a page


@pytest.mark.parametrize("bad", [["float99"], ["fp8"], "float99", [None], None, 8, [["float16"]], [OWN]])
def test_wrong_formats_are_refused_and_the_last_good_ones_stay(bad):
    line = mw.NumberLine(1, formats=["float32"])
    with pytest.raises((TypeError, ValueError, traitlets.TraitError), match="format"):
        line.formats = bad
    with pytest.raises((TypeError, ValueError, traitlets.TraitError), match="format"):
        mw.NumberLine(1, formats=bad)
    line.set_state({"formats": bad})
    assert line.formats == ["float32"]
    assert shown(line) == ("float16", "0x3C00", "1")


def test_unknown_keywords_are_refused():
    with pytest.raises(TypeError, match=r"NumberLine has no parameter 'format_'\. Did you mean 'format'"):
        mw.NumberLine(1, format_="float16")


def test_it_follows_an_editor_that_is_linked_in_the_kernel():
    editor, line, _ = linked()
    editor.value = "65505"
    assert shown(line) == shown(editor) == ("float16", "0x7BFF", "65505")
    editor.format = "bfloat16"
    assert shown(line) == shown(editor) == ("bfloat16", "0x4780", "65505")
    editor.code = "0x4781"
    assert shown(line) == shown(editor) == ("bfloat16", "0x4781", "")
    editor.format = "float16"
    assert shown(line) == shown(editor)


def test_it_follows_the_rounding_too():
    editor, line, _ = linked()
    editor.value = "65519"
    editor.rounding = "toward-positive"
    assert shown(line) == shown(editor) == ("float16", "0x7C00", "65519")
    editor.overflow = "saturate"
    assert shown(line) == shown(editor) == ("float16", "0x7BFF", "65519")
    assert (line.rounding, line.overflow) == ("toward-positive", "saturate")


def test_linked_by_format_and_code_it_shows_the_value_of_the_code():
    editor, line = mw.BitEditor(1), mw.NumberLine(1)
    links = [traitlets.link((editor, name), (line, name)) for name in ("format", "code")]
    editor.value = "65505"
    assert (line.code, line.value, editor._input) == ("0x7BFF", 65504, "65505")
    editor.code = "0x3C00"
    assert (line.code, line.value) == ("0x3C00", 1)
    for link in links:
        link.unlink()
    editor.value, line.code = "65505", "0x7BFF"
    line.format = "float64"  # rounds what it shows, not the input before
    assert line.value == 65504


def test_a_code_that_comes_alone_does_not_erase_the_editor_s_input(monkeypatch):
    """As jslink sends it: one message for each trait. An empty input would travel back to the editor."""
    sent = []
    monkeypatch.setattr(ipywidgets.Widget, "_send", lambda self, msg, buffers=None: sent.append(msg))
    line = mw.NumberLine(1)
    sent.clear()
    line.set_state({"code": "0x7BFF"})
    assert [message["state"] for message in sent if message["method"] == "update"] == []
    line.set_state({"_input": "65505"})
    assert shown(line) == ("float16", "0x7BFF", "65505")


@pytest.mark.parametrize(
    "hostile", [{"code": "0x10000"}, {"format": "__proto__"}, {"_input": "2"}, {"_input": 3}, {"code": None}]
)
def test_hostile_state_is_refused(hostile):
    line = mw.NumberLine(1)
    line.set_state(hostile)
    assert shown(line) == ("float16", "0x3C00", "1")


def test_a_linked_line_and_editor_drive_each_other_both_ways():
    editor, line, _ = linked()
    editor.value = "0.1"
    assert (line.code, line.state) == (editor.code, editor.state)
    line.value = "2.5"
    assert editor.value == 2.5
    editor.format = "bfloat16"
    line.value = "65505"
    line.format = "float16"
    assert (editor.code, editor.format, editor.state) == ("0x7BFF", "float16", line.state)
    editor.code = "0x3C01"  # bits: the old input says nothing of them
    assert line.code == "0x3C01"
    assert "65505" not in editor.state + line.state
    line.format = "float64"
    assert editor.value == 1 + 2**-10
