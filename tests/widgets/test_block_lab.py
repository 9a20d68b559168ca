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
        ("fp8_128x128", "TE", "of fp8_128x128 is one of AMAX, not 'TE'"),
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
    shapes = {"mxfp4": (16, 32), "nf4": (16, 32), "nvfp4": (16, 16), "nvfp4_16x16": (16, 16)}
    assert {name: mw.BlockLab(format=name).values.shape for name in shapes} == shapes


@pytest.mark.parametrize("format", ["mxfp4", "nvfp4", "nvfp4_16x16", "fp8_128x128"])
@pytest.mark.parametrize("shape", [(16, 16), (16, 32)])
def test_a_matrix_is_quantized_as_the_format_says(format, shape):
    matrix = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    matrix[5, 9] = 50
    lab = mw.BlockLab(matrix, format=format)
    np.testing.assert_array_equal(lab.values, matrix)
    expected = mw.get_block_format(format).quantize(matrix)
    np.testing.assert_array_equal(lab.quantized.dequantized, expected.dequantized)
    np.testing.assert_array_equal(lab.quantized.scales, expected.scales)
    assert repr(lab) == f"BlockLab({shape[0]} × {shape[1]} elements, {format!r}, {lab.scale_rule!r})"
    lost = int(np.sum(expected.dequantized == 0))
    assert lab._content() == f"{lost} of {matrix.size} elements that are not 0 become 0"


def test_one_row_is_a_block_in_two_dimensions_too(lab):
    lab.format = "nvfp4_16x16"
    expected = mw.get_block_format("nvfp4_16x16").quantize(ramp[None])
    np.testing.assert_array_equal(lab.quantized.dequantized, expected.dequantized)
    assert lab.quantized.scales.shape == (1, 2)
    assert "31 elements that are not 0" in lab._content()


def test_rotated_is_each_16_of_a_row_by_a_hadamard_matrix():
    signs = np.random.default_rng(0).choice([-1.0, 1.0], 16)
    matrix = (
        signs[:, None] * np.array([[(-1.0) ** (i & j).bit_count() for j in range(16)] for i in range(16)]) / 4
    )
    for shape in ((16,), (32,), (16, 16), (16, 32)):
        values = np.random.default_rng(1).integers(-99, 99, shape) / 4
        lab = mw.BlockLab(values, hadamard=True)
        assert lab.rotated.dtype == np.float64
        expected = (values.reshape(-1, 16) @ matrix).reshape(shape)
        np.testing.assert_array_equal(lab.rotated, expected)
    assert np.abs(mw.BlockLab([50, *[0] * 15]).rotated).tolist() == [12.5] * 16


def test_blocks_in_two_dimensions_are_not_rotated(lab):
    told = []
    lab.observe(lambda change: told.append((change.name, change.new)), ["format", "hadamard"])
    lab.hadamard = True
    lab.format = "nvfp4"
    assert lab.hadamard
    lab.format = "nvfp4_16x16"
    assert told[:2] == [("hadamard", True), ("format", "nvfp4")]
    assert sorted(told[2:]) == [("format", "nvfp4_16x16"), ("hadamard", False)]
    says = "rotates each 16 elements of a row, and a scale of nvfp4_16x16 is for rows and columns"
    with pytest.raises(TraitError, match=says):
        lab.hadamard = True
    with pytest.raises(TraitError, match=says):
        mw.BlockLab(ramp, format="nvfp4_16x16", hadamard=True)
    before = lab.state
    with pytest.raises(ValueError, match=says):
        lab.state = "hadamard=true"
    assert lab.state == before
    assert not lab.hadamard


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
        (np.ones((8, 32)), ValueError, r"16 × 16 or 16 × 32 elements; got 8 × 32: .*x\[:16, :16\]"),
        (np.ones(256), ValueError, "got 256"),
        (np.ones((16, 16, 1)), ValueError, "got 16 × 16 × 1"),
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
        ("hadamard", [1, "true", None, "yes"]),
        ("_codes", ["", "00", "7f800000" * 16, "3f800000" * 17, "3f800000" * 64, "zz" * 64, None, 4]),
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
    assert "hadamard" not in lab.state  # what is off is left out, so that a link of before is still one
    lab.hadamard = True
    other = mw.BlockLab()
    other.state = lab.state
    assert (other.format, other.scale_rule, other.hadamard) == ("mxfp6_e2m3", "EVEN", True)
    np.testing.assert_array_equal(other.values, ramp)
    matrix = mw.BlockLab(np.arange(256.0).reshape(16, 16), format="nvfp4_16x16")
    matrix.state, other.state = other.state, matrix.state
    assert (other.format, other.values.shape, matrix.values.shape) == ("nvfp4_16x16", (16, 16), (32,))
    other.state = lab.state
    for wrong in (
        "hadamard=1",
        "format=mxfp4&codes=00",
        "format=fp4",
        "scale_rule=",
        "codes=" + "7fc00000" * 16,
    ):
        with pytest.raises((ValueError, TraitError)):
            other.state = wrong
        assert other.state == lab.state


def test_what_the_page_sends(lab):
    seen = []
    lab.observe(lambda change: seen.append(change.name), ["format", "scale_rule", "_codes"])
    lab.set_state({"_codes": "3f800000" * 32})
    lab.set_state({"format": "nvfp4", "scale_rule": "TORCHAO"})
    lab.set_state({"format": "nvfp4_16x16", "scale_rule": "TORCHAO", "hadamard": False})
    assert seen == ["_codes", "format", "scale_rule", "format"]
    assert lab.scale_rule == "TORCHAO"
    assert lab.values.tolist() == [1.0] * 32
