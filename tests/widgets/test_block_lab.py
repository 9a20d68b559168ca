"""BlockLab without a page: its traits, what it answers, and what it refuses."""

import ml_dtypes
import numpy as np
import pytest
from traitlets import TraitError

import mixwidgets as mw

ramp = (np.arange(32) - 16).astype(np.float32) / 8


@pytest.fixture
def lab():
    return mw.BlockLab(ramp)


def test_values_format_and_rule(lab):
    assert (lab.format, lab.scale_rule) == ("mxfp4", "FLOOR")
    assert repr(lab) == "BlockLab(32 elements, 'mxfp4', 'FLOOR')"
    told = lab._repr_mimebundle_()[0]["text/plain"]  # where no widget can be drawn: ±1/8 are half a step
    assert told == f"{lab!r}\n2 of 31 elements that are not 0 become 0"
    np.testing.assert_array_equal(lab.values, ramp)
    assert lab.values.dtype == np.float32
    lab.values = [1.5, -0.0] * 8
    assert lab.values.tolist() == [1.5, -0.0] * 8
    assert np.signbit(lab.values).tolist() == [False, True] * 8
    assert lab._codes == "3fc0000080000000" * 8
    nvfp4 = mw.BlockLab(format=" NVFP4 ")
    assert (nvfp4.format, nvfp4.scale_rule) == ("nvfp4", "TE")
    assert mw.BlockLab(format="nvfp4", scale_rule="TORCHAO").scale_rule == "TORCHAO"


def test_a_format_brings_its_rule_unless_it_has_the_current_one(lab):
    told = []
    lab.observe(lambda change: told.append((change.name, change.new)), ["format", "scale_rule"])
    lab.scale_rule = "RCEIL"
    lab.format = "mxfp8_e4m3"
    assert lab.scale_rule == "RCEIL"
    lab.format = "nvfp4"
    assert lab.scale_rule == "TE"
    lab.scale_rule = "FOUR_OVER_SIX"
    lab.format = "nvfp4_one_level"
    assert lab.scale_rule == "FOUR_OVER_SIX"
    lab.scale_rule = None
    assert lab.scale_rule == "AMAX"
    assert told[-1] == ("scale_rule", "AMAX")


@pytest.mark.parametrize(
    ("format", "rule", "says"),
    [
        ("nvfp4", "FLOOR", "of nvfp4 is one of TE, TORCHAO, FOUR_OVER_SIX, not 'FLOOR'"),
        ("mxfp4", "TE", "of mxfp4 is one of FLOOR, CEIL, RCEIL, EVEN, not 'TE'"),
        ("nf4", "EVEN", "of nf4 is one of AMAX, not 'EVEN'"),
        ("nvfp4_16x16", None, "blocks along one axis; those of nvfp4_16x16 have rows and columns"),
    ],
)
def test_what_does_not_go_together_is_refused(lab, format, rule, says):
    with pytest.raises(TraitError, match=says):
        mw.BlockLab(ramp, format=format, scale_rule=rule)
    before = lab.state
    with pytest.raises(ValueError, match=says):
        lab.state = f"format={format}&scale_rule={rule or 'TE'}"
    assert lab.state == before


def test_without_values_there_are_ordinary_ones_always_the_same():
    assert mw.BlockLab()._codes == mw.BlockLab()._codes
    assert len(mw.BlockLab().values) == 32


@pytest.mark.parametrize(
    ("format", "rule"), [("mxfp4", "CEIL"), ("nvfp4", "TORCHAO"), ("mxint8", "EVEN"), ("int4_g128", "AMAX")]
)
def test_quantized_is_what_the_format_says(lab, format, rule):
    lab.format, lab.scale_rule = format, rule
    expected = mw.get_block_format(format).quantize(ramp, scale_rule=rule)
    np.testing.assert_array_equal(lab.quantized.dequantized, expected.dequantized)
    np.testing.assert_array_equal(lab.quantized.scale_codes, expected.scale_codes)


def test_arrays_and_tensors_of_many_kinds(lab):
    torch = pytest.importorskip("torch")
    kinds = [ramp.reshape(4, 8), ramp.tolist(), ramp.astype(">f8"), ramp.astype(ml_dtypes.bfloat16)]
    kinds += [torch.tensor(ramp, requires_grad=True), torch.tensor(ramp).bfloat16()]
    for values in kinds:
        lab.values = 0 * ramp
        lab.values = values
        np.testing.assert_array_equal(lab.values, ramp)


def test_keywords():
    with pytest.raises(TypeError, match="Did you mean 'scale_rule'"):
        mw.BlockLab(ramp, scale_rul="FLOOR")


@pytest.mark.parametrize(
    ("values", "error", "says"),
    [
        ([1.0] * 20, ValueError, r"got 20: .*ravel\(\)\[:32\]"),
        ([], (TypeError, ValueError), "got 0"),
        (1.0, ValueError, "got 1"),
        ([True] * 16, TypeError, "not bool"),
        ([1j] * 16, TypeError, "not complex128"),
        (["a"] * 16, TypeError, "real numbers"),
        ([None] * 16, TypeError, "real numbers"),
        ([*ramp[:15], np.nan], TraitError, "element 15 is nan"),
        ([1e39, *ramp[:15]], TraitError, "element 0 is inf"),
    ],
)
def test_wrong_values_are_refused_and_the_last_stay(lab, values, error, says):
    with pytest.raises(error, match=says):
        lab.values = values
    with pytest.raises(error, match=says):
        mw.BlockLab(values)
    np.testing.assert_array_equal(lab.values, ramp)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("format", ["mxfp8", "float16", "", None, 4, True, "__proto__"]),
        ("scale_rule", ["floor", "ROUND", "TE", "", 4, True]),
        ("_codes", ["", "00", "7f800000" * 16, "3f800000" * 17, "zz" * 64, None, 4]),
    ],
)
def test_wrong_traits_are_refused_and_the_last_stay(lab, name, values):
    before = getattr(lab, name)
    for value in values:
        with pytest.raises(TraitError):
            setattr(lab, name, value)
        assert getattr(lab, name) == before


def test_a_format_is_assigned_as_the_constructor_takes_it(lab):
    lab.format = mw.get_block_format("nvfp4")
    assert lab.format == "nvfp4"
    with pytest.raises(TraitError, match="a block format is a name such as 'mxfp4', not 4"):
        lab.format = 4


def test_the_state_brings_everything_back(lab):
    lab.format, lab.scale_rule = "mxfp6_e2m3", "EVEN"
    other = mw.BlockLab()
    other.state = lab.state
    assert (other.format, other.scale_rule, other._codes) == ("mxfp6_e2m3", "EVEN", lab._codes)
    for wrong in ("format=mxfp4&codes=00", "format=fp4", "scale_rule=", "codes=" + "7fc00000" * 16):
        with pytest.raises((ValueError, TraitError)):
            other.state = wrong
        assert other.state == lab.state


def test_what_the_page_sends(lab):
    seen = []
    lab.observe(lambda change: seen.append(change.name), ["format", "scale_rule", "_codes"])
    lab.set_state({"_codes": "3f800000" * 32})
    lab.set_state({"format": "nvfp4", "scale_rule": "TORCHAO"})
    assert seen == ["_codes", "format", "scale_rule"]
    assert lab.scale_rule == "TORCHAO"
    assert lab.values.tolist() == [1.0] * 32
