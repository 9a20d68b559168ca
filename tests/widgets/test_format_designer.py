"""FormatDesigner without a page: its traits, the format that they make, and what is refused."""

import ipywidgets
import pytest
import traitlets

import mixwidgets as mw

FIELDS = (
    "exponent_bits",
    "fraction_bits",
    "bias",
    "infinity",
    "nan",
    "signed",
    "has_zero",
    "subnormals",
    "overflows_to_nan",
)


def design(designer):
    return tuple(getattr(designer, name) for name in FIELDS)


@pytest.mark.parametrize("fmt", mw.list_formats(), ids=lambda fmt: fmt.name)
def test_every_known_format_is_recognised(fmt):
    designer = mw.FormatDesigner(**{name: getattr(fmt, name) for name in FIELDS})
    assert designer.format is mw.get_format(fmt.name)
    other = mw.FormatDesigner()
    other.format = fmt.name
    assert design(other) == design(designer)


@pytest.mark.parametrize(
    "name", ["binary8p4se", "binary8p3sf", "binary8p1uf", "binary15p5ue", "binary3p2sf", "binary16p11se"]
)
def test_p3109_is_recognised(name):
    designer = mw.FormatDesigner()
    designer.format = name
    assert designer.format == mw.get_format(name)
    assert designer.format.experimental


def test_overflow_alone_tells_p3109_from_the_catalogue():
    designer = mw.FormatDesigner("binary8p3sf")
    designer.overflows_to_nan = True
    assert designer.format.name == "float8_e5m2fnuz"
    extended = mw.FormatDesigner("binary16p11se", overflows_to_nan=False)  # it overflows to infinity
    assert extended.format.name == "binary16p11se"


def test_a_format_without_subnormals():
    designer = mw.FormatDesigner("float8_e4m3", subnormals="flushed")
    assert designer.format.round([2.0**-7, 2.0**-6]).tolist() == [0, 2.0**-6]
    with pytest.raises(traitlets.TraitError, match="no subnormals either"):
        designer.has_zero = False
    dlfloat = mw.FormatDesigner(
        exponent_bits=6, fraction_bits=9, infinity="none", nan="top", subnormals="none"
    )
    assert dlfloat.format.smallest_normal == 2.0**-31 * (1 + 2**-9)
    again = eval(repr(dlfloat), {"FormatDesigner": mw.FormatDesigner})
    assert again.format == dlfloat.format


def test_a_new_format_is_named_after_its_widths_and_works():
    designer = mw.FormatDesigner(exponent_bits=3, fraction_bits=2, infinity="none", nan="none", bias=5)
    assert designer.format.name == "custom_e3m2"
    assert designer.format.max == 7.0
    assert mw.FormatDesigner(exponent_bits=3, fraction_bits=2, infinity="none", nan="none").format.name == (
        "float6_e3m2fn"
    )


def test_the_usual_bias_follows_the_exponent_bits_and_another_stays():
    designer = mw.FormatDesigner()
    designer.exponent_bits = 5
    assert (designer.bias, designer.format.name) == (15, "custom_e5m3")
    designer.bias = 11
    designer.exponent_bits = 4
    assert designer.bias == 11
    designer.bias = None
    assert designer.bias == 7


def test_a_format_whose_bias_is_the_old_usual_one_keeps_it():
    designer = mw.FormatDesigner()  # bias 7
    designer.format = mw.FloatFormat("mine", exponent_bits=5, fraction_bits=2, bias=7)
    assert design(designer)[:3] == (5, 2, 7)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("exponent_bits", 0, "integer from 1 to 11"),
        ("exponent_bits", 12, "integer from 1 to 11"),
        ("exponent_bits", "5", "integer from 1 to 11, not '5'"),
        ("bias", 7.5, "integer from -4096 to 4096, not 7.5"),
        ("infinity", 3, "must be one of ieee, top, none, not 3"),
        ("fraction_bits", 53, "integer from 0 to 52"),
        ("bias", 5000, "integer from -4096 to 4096"),
        ("infinity", "top", "choose both or neither"),
        ("nan", "somewhere", "must be one of"),
        ("fraction_bits", 0, "fraction bit"),
        ("signed", "yes", "signed must be True or False, not 'yes'"),
        ("subnormals", "some", "must be one of gradual, flushed, none, not 'some'"),
        ("overflows_to_nan", 0, "overflows_to_nan must be True or False, not 0"),
    ],
)
def test_what_makes_no_format_is_refused_and_the_last_good_design_stays(name, value, words):
    designer = mw.FormatDesigner()
    before = design(designer)
    with pytest.raises(traitlets.TraitError, match=words):
        setattr(designer, name, value)
    assert design(designer) == before
    with pytest.raises((ValueError, traitlets.TraitError), match=words):
        mw.FormatDesigner(**{name: value})


def test_a_name_that_is_no_format_says_how_to_make_one():
    with pytest.raises(
        ValueError,
        match=r"'float12' is not a known format.*FormatDesigner\(exponent_bits=5, fraction_bits=6\)",
    ):
        mw.FormatDesigner("float12")


def test_unknown_keywords_are_refused():
    with pytest.raises(TypeError, match=r"no parameter 'exponent'\. Did you mean 'exponent_bits'"):
        mw.FormatDesigner(exponent=4)


def test_the_page_s_design_is_taken_whole_or_refused_whole(monkeypatch):
    sent = []
    monkeypatch.setattr(ipywidgets.Widget, "_send", lambda self, msg, buffers=None: sent.append(msg))
    designer = mw.FormatDesigner()
    designer.set_state({"infinity": "none", "nan": "top"})
    assert designer.format.name == "float8_e4m3fn"
    for hostile in (
        {"infinity": "ieee"},
        {"exponent_bits": "4"},
        {"exponent_bits": 99, "bias": 1},
        {"nan": "<script>"},
        {"bias": "7"},
    ):
        sent.clear()
        designer.set_state(hostile)
        assert designer.format.name == "float8_e4m3fn"
        assert sent[-1]["state"].items() >= {"infinity": "none", "nan": "top", "bias": 7}.items()


def test_repr_and_state_come_back():
    designer = mw.FormatDesigner(exponent_bits=5, fraction_bits=2)
    again = eval(repr(designer), {"FormatDesigner": mw.FormatDesigner})
    assert design(again) == design(designer)
    told = designer._repr_mimebundle_()[0]["text/plain"]  # where no widget can be drawn
    facts = "float8_e5m2: 8 bits, largest 5.734e+04, smallest normal 6.104e-05, eps 0.25"
    assert told == f"{designer!r}\n{facts}"
    other = mw.FormatDesigner()
    other.state = designer.state
    assert design(other) == design(designer)


def test_it_starts_from_a_format():
    assert mw.FormatDesigner("float8_e4m3fn").format.name == "float8_e4m3fn"
    assert mw.FormatDesigner("float8_e4m3", exponent_bits=5, fraction_bits=2).format.name == "float8_e5m2"
    assert mw.FormatDesigner("float8_e4m3fn", bias=9).format.bias == 9
    with pytest.raises(ValueError, match="float12"):
        mw.FormatDesigner("float12")
