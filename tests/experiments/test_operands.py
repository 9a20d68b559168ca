"""The formats of operands: names, invalid combinations, the way to JSON and back."""

import dataclasses
import json

import ml_dtypes
import pytest

from mixwidgets.floats.formats.block_catalogue import any_format, get_block_format, list_block_formats
from mixwidgets.floats.formats.block_format import BlockFormat
from mixwidgets.floats.formats.catalogue import get_format, list_formats
from mixwidgets.floats.formats.scale_rules import RULES
from mixwidgets.runs.experiments.operands import Operands
from mixwidgets.runs.experiments.options import choices

BLOCKS = [fmt.name for fmt in list_block_formats() if not fmt.is_2d]


def test_the_default_is_fp8_in_its_two_formats():
    assert dataclasses.asdict(Operands()) == {
        "forward": "float8_e4m3fn",
        "backward": "float8_e5m2",
        "weights": None,
        "products_rounded": ("forward", "input_gradient", "weight_gradient"),
        "keep_wide": (),
        "scaling": "none",
        "amax_history_len": 1024,
        "hadamard": False,
        "input_rounding": "nearest",
        "weight_rounding": "nearest",
        "gradient_rounding": "nearest",
        "scale_rule": None,
        "four_over_six_bound": 256,
        "four_over_six_metric": "MSE",
        "four_over_six_operands": ("input", "weight", "gradient"),
        "products": "emulated",
    }


def test_a_format_is_kept_by_its_full_name_however_it_came():
    operands = Operands(forward="half", backward=ml_dtypes.float8_e5m2)
    assert (operands.forward, operands.backward) == ("float16", "float8_e5m2")
    assert Operands(forward=" MXFP4", backward=get_block_format("nvfp4")) == Operands(
        forward="mxfp4", backward="nvfp4"
    )


def test_every_signed_format_of_at_most_16_bits_serves_and_no_other():
    for fmt in list_formats():
        if fmt.signed and fmt.bits <= 16:
            assert any_format(Operands(forward=fmt.name).forward) == fmt
        else:
            with pytest.raises(ValueError, match="signed format of at most 16 bits"):
                Operands(forward=fmt.name)
    for name in BLOCKS:
        assert isinstance(any_format(Operands(forward=name, backward=name).backward), BlockFormat)


MXFP4 = {"forward": "mxfp4", "backward": "mxfp4"}
MXINT8 = {"forward": "mxint8", "backward": "mxfp4"}
NVFP4 = {"forward": "nvfp4", "backward": "nvfp4"}
FOUR_OVER_SIX = {**NVFP4, "scale_rule": "FOUR_OVER_SIX"}


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"forward": "fp8"}, "forward takes a signed format .*; got 'fp8'"),
        ({"forward": "mxfp8", "backward": "mxfp8"}, "Did you mean 'mxfp8_e4m3' or 'mxfp8_e5m2'"),
        ({"backward": "float8_e5m3"}, "Did you mean 'float8_e5m2'"),
        ({"backward": None}, "backward takes .*; got None"),
        ({"backward": float("nan")}, "got nan"),
        ({"forward": ["float16"]}, "got"),
        ({"forward": dataclasses.replace(get_format("float8_e4m3fn"), bias=9)}, "in the catalogue"),
        ({"forward": dataclasses.replace(get_block_format("mxfp4"), block_size=8)}, "in the catalogue"),
        ({"forward": "mxfp4"}, "only one of them is a block format"),
        ({"backward": "nvfp4"}, "only one of them is a block format"),
        ({"forward": "mxfp4", "backward": "mxfp4", "scaling": "current"}, "leave scaling at 'none'"),
        ({"forward": "mxfp4", "backward": "mxfp4", "scaling": "delayed"}, "leave scaling at 'none'"),
        ({"scaling": "dynamic"}, "scaling 'dynamic' is not known; it is one of 'none', 'current', 'delayed'"),
        ({"scaling": None}, "one of"),
        ({"amax_history_len": 0}, "from 1"),
        ({"amax_history_len": 16.0}, "Write 16"),
        ({"amax_history_len": True}, "bool"),
        ({"amax_history": 16}, "Did you mean 'amax_history_len'"),
        ({"gradient_rounding": "stochastik"}, "Did you mean 'stochastic'"),
        (
            {"forward": "mxint8", "backward": "mxint8", "gradient_rounding": "stochastic"},
            "of 'mxint8' are not",
        ),
        ({"forward": "nvfp4_16x16", "backward": "nvfp4"}, "forward takes .*; got 'nvfp4_16x16'"),
        ({"scale_rule": "RCEIL"}, "is for block formats, and 'float8_e4m3fn' is none"),
        ({**MXFP4, "scale_rule": "TE"}, "of mxfp4 is one of FLOOR, CEIL, RCEIL, EVEN, not 'TE'"),
        (
            {**MXFP4, "backward": "nvfp4", "scale_rule": "CEIL"},
            "of nvfp4 is one of TE, TORCHAO, FOUR_OVER_SIX",
        ),
        ({**MXFP4, "scale_rule": "rceil"}, "scale_rule 'rceil' is not known; .* 'RCEIL'"),
        ({**MXFP4, "scale_rule": 4}, "scale_rule 4 is not known; it is one of 'FLOOR'"),
        (
            {"forward": "mxfp4", "backward": "mxfp4", "products": "native"},
            "'native' are those of float8_e4m3fn",
        ),
        ({"forward": "float8_e5m2", "products": "native"}, "forward 'float8_e5m2'"),
        ({"backward": "float16", "products": "native"}, "backward 'float16'"),
        ({"products_rounded": ()}, "products_rounded takes at least one of .*'weight_gradient'"),
        ({"products_rounded": "forward"}, r"some of .* such as \('weight_gradient',\)"),
        ({"products_rounded": ("forwards",)}, "Did you mean 'forward'"),
        ({"products_rounded": ("forward",), "products": "native"}, "'native' rounds all three"),
        ({"keep_wide": "head"}, r"keep_wide takes a tuple of names, such as \('head',\); got 'head'"),
        ({"keep_wide": ("head", 3)}, "keep_wide takes names"),
        ({"keep_wide": ("",)}, "keep_wide takes names"),
        ({"keep_wide": None}, "keep_wide takes a tuple"),
        (
            {**NVFP4, "weights": "nvfp4"},
            "blocks in two dimensions, .*: nvfp4_16x16, fp8_128x128; got 'nvfp4'",
        ),
        ({**NVFP4, "weights": "nvfp4_16×16"}, "Did you mean 'nvfp4_16x16'"),
        ({"weights": "fp8_128x128"}, "forward 'float8_e4m3fn' has none"),
        (
            {**NVFP4, "weights": "nvfp4_16x16", "products_rounded": ("weight_gradient",)},
            "weights 'nvfp4_16x16' changes nothing without 'forward' or 'input_gradient'",
        ),
        (
            {**MXFP4, "weights": "nvfp4_16x16", "scale_rule": "CEIL"},
            "of nvfp4_16x16 is one of TE, TORCHAO",
        ),
        ({"hadamard": True}, "hadamard rotates blocks, and 'float8_e4m3fn' has none"),
        ({"hadamard": 1}, "hadamard takes True or False"),
        ({**NVFP4, "hadamard": True, "products_rounded": ("forward",)}, "leaves out: add it"),
        ({**FOUR_OVER_SIX, "hadamard": True}, "hadamard does not go with scale_rule 'FOUR_OVER_SIX'"),
        (
            {**FOUR_OVER_SIX, "hadamard": True, "four_over_six_operands": ("weight", "gradient")},
            "hadamard does not go",
        ),
        ({"input_rounding": "up"}, "input_rounding 'up' is not known"),
        ({**MXINT8, "input_rounding": "stochastic"}, "input_rounding 'stochastic' is for float elements"),
        ({**MXINT8, "weight_rounding": "stochastic"}, "weight_rounding 'stochastic' is for float elements"),
        (
            {"gradient_rounding": "stochastic", "products_rounded": ("forward",)},
            "gradient_rounding 'stochastic' changes nothing without 'input_gradient' or 'weight_gradient'",
        ),
        (
            {"input_rounding": "stochastic", "products_rounded": ("input_gradient",)},
            "input_rounding 'stochastic' changes nothing without 'forward' or 'weight_gradient'",
        ),
        ({**FOUR_OVER_SIX, "four_over_six_bound": 300}, "takes 256 or 448; got 300"),
        ({**FOUR_OVER_SIX, "four_over_six_bound": 512}, "from 256 to 448"),
        ({**FOUR_OVER_SIX, "four_over_six_metric": "mse"}, "four_over_six_metric 'mse' is not known"),
        ({**FOUR_OVER_SIX, "four_over_six_operands": ()}, "at least one of"),
        ({**NVFP4, "four_over_six_bound": 448}, "four_over_six_bound is for scale_rule 'FOUR_OVER_SIX'"),
        ({**NVFP4, "four_over_six_metric": "MAE"}, "and the rule is None"),
        (
            {**NVFP4, "scale_rule": "TE", "four_over_six_operands": ("weight",)},
            "and the rule is 'TE'",
        ),
    ],
)
def test_invalid_operands_teach(fields, message):
    with pytest.raises((TypeError, ValueError), match=message):
        Operands(**fields)


def test_the_rules_are_those_of_the_formats():
    rules = next(option for option in dataclasses.fields(Operands) if option.name == "scale_rule")
    assert set(choices(rules)) == set(RULES)
    for fmt in list_block_formats():
        for rule in fmt.scale_rules if not fmt.is_2d else ():
            assert Operands(forward=fmt.name, backward=fmt.name, scale_rule=rule).scale_rule == rule
    assert Operands(forward="mxfp8_e4m3", backward="mxfp4", scale_rule="EVEN").scale_rule == "EVEN"


def test_replace_checks_anew_and_json_comes_back():
    operands = Operands(
        scaling="delayed",
        amax_history_len=16,
        gradient_rounding="stochastic",
        keep_wide=["head", " blocks.0.* ", "head"],
        products_rounded={"weight_gradient", "forward"},
    )
    assert operands.keep_wide == ("head", "blocks.0.*")
    assert operands.products_rounded == ("forward", "weight_gradient")
    assert Operands.from_dict(json.loads(json.dumps(dataclasses.asdict(operands)))) == operands
    assert operands.replace(scaling="current").scaling == "current"
    with pytest.raises(ValueError, match="block format"):
        operands.replace(forward="mxfp4")
    with pytest.raises(TypeError, match="forwards"):
        Operands.from_dict({"forwards": "float16"})


def test_hadamard_goes_with_four_over_six_of_the_weights():
    operands = Operands(**FOUR_OVER_SIX, hadamard=True, four_over_six_operands=("weight",))
    assert (operands.rule_of("input"), operands.rule_of("gradient")) == (None, None)


def test_operands_are_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Operands().scaling = "current"
