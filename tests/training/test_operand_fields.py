"""Each field of Operands against the layer's three products said plainly, with blocks by loops."""

import itertools

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

import mixwidgets as mw
from mixwidgets.floats.formats.hadamard import random_signs
from mixwidgets.runs.experiments.operands import Operands
from mixwidgets.runs.training.operands import RoundedLinear, kept_wide
from mixwidgets.runs.training.precision import Precision
from tests.training.test_operands import (
    blockwise,
    cast,
    check_products,
    current_scale,
    quantized_block,
    run,
    tensors,
    tensorwise,
)

NVFP4 = Operands(forward="nvfp4", backward="nvfp4")
MXFP4 = Operands(forward="mxfp4", backward="mxfp4")
DEEPSEEK = mw.recipes["deepseek_fp8"].operands
PRODUCTS = ("forward", "input_gradient", "weight_gradient")
PRODUCT_OF = {  # by operand and the axis that the product sums over
    ("x", 1): "forward",
    ("weight", 1): "forward",
    ("dy", 1): "input_gradient",
    ("weight", 0): "input_gradient",
    ("dy", 0): "weight_gradient",
    ("x", 0): "weight_gradient",
}
SUBSETS = [some for n in (1, 2, 3) for some in itertools.combinations(PRODUCTS, n)]


def e4m3_block(block):
    scale = np.float64(np.float32(np.abs(block).max() / 448))
    return cast("float8_e4m3fn", block / scale) * scale if scale else block * 0


def squares(values, size, quantized):
    """Each block of size × size rounded by `quantized`."""
    out = np.empty(values.shape)
    for top, left in itertools.product(*(range(0, length, size) for length in values.shape)):
        one = np.s_[top : top + size, left : left + size]
        out[one] = quantized(values[one].astype(np.float64))
    return out


def nvfp4_squares(values):
    tensor_scale = float(np.float32(np.abs(values).max() / (448 * 6)))
    return squares(values, 16, lambda block: quantized_block("nvfp4", block, tensor_scale, None))


def rows_of(values, axis, size, quantized):
    rows = values if axis == 1 else values.T
    out = np.empty(rows.shape)
    for row, start in itertools.product(range(len(rows)), range(0, rows.shape[1], size)):
        one = np.s_[row, start : start + size]
        out[one] = quantized(rows[one].astype(np.float64))
    return out if axis == 1 else out.T


@pytest.mark.parametrize("rounded", SUBSETS, ids="+".join)
@pytest.mark.parametrize("kind", ["tensorwise", "nvfp4", "nvfp4, weights in squares"])
def test_only_these_products_are_rounded(kind, rounded):
    given = tensors(19)
    options = {
        "tensorwise": {"scaling": "current", "backward": "float8_e4m3fn"},
        "nvfp4": {"forward": "nvfp4", "backward": "nvfp4"},
        "nvfp4, weights in squares": {"forward": "nvfp4", "backward": "nvfp4", "weights": "nvfp4_16x16"},
    }[kind]
    if rounded == ("weight_gradient",):
        options.pop("weights", None)  # which are in none of these products

    def q(which, values, axis):
        if PRODUCT_OF[which, axis] not in rounded:
            return values
        if kind == "tensorwise":
            return tensorwise("float8_e4m3fn", values, current_scale("float8_e4m3fn", values))
        return (
            nvfp4_squares(values)
            if which == "weight" and options.get("weights")
            else blockwise("nvfp4", values, axis)
        )

    layer = RoundedLinear(Operands(**options, products_rounded=rounded))
    check_products(run(layer, *given), q, *given)


def test_delayed_scales_look_back_where_only_some_products_are_rounded():
    """x is rounded once in each step, in the forward pass, whichever of its products is rounded."""
    some = Operands(scaling="delayed", products_rounded=("weight_gradient",))
    layers = [RoundedLinear(some), RoundedLinear(Operands(scaling="delayed"))]
    for seed in range(3):
        given = tensors(11, seed=seed)
        ours, whole = (run(layer, *given) for layer in layers)
        assert torch.equal(ours[2], whole[2])
        x, weight, bias, _ = given
        assert torch.equal(ours[0], functional.linear(x, weight) + bias)


@pytest.mark.parametrize(
    ("weights", "squared"),
    [("nvfp4_16x16", nvfp4_squares), ("fp8_128x128", lambda w: squares(w, 128, e4m3_block))],
)
def test_weights_in_two_dimensions_are_the_same_in_both_products(weights, squared):
    fmt = {"nvfp4_16x16": "nvfp4", "fp8_128x128": "fp8_1x128"}[weights]
    given = tensors(67, size_in=150, size_out=37)

    def q(which, values, axis):
        if which == "weight":
            return squared(values)
        return blockwise(fmt, values, axis) if fmt == "nvfp4" else rows_of(values, axis, 128, e4m3_block)

    layer = RoundedLinear(Operands(forward=fmt, backward=fmt, weights=weights))
    check_products(run(layer, *given), q, *given)

    weight = given[1]
    ones = [torch.eye(150), weight, torch.zeros(37), torch.ones(150, 37)]
    backward = [torch.ones(37, 150), weight, torch.zeros(37), torch.eye(37)]
    options = {"forward": fmt, "backward": fmt, "products_rounded": ("forward", "input_gradient")}
    for chosen, is_same in [(weights, True), (None, False)]:
        layer = RoundedLinear(Operands(weights=chosen, **options))
        y, dx = run(layer, *ones)[0], run(layer, *backward)[1]
        assert torch.equal(y.T, dx) == is_same


def rotation(seed):
    """By its definition: 1 or −1 by the parity of the common bits of row and column, over √16."""
    signs = random_signs(seed)
    return np.array([[signs[i] * (-1) ** (i & j).bit_count() / 4 for j in range(16)] for i in range(16)])


@pytest.mark.parametrize("operands", [NVFP4, MXFP4], ids=lambda one: one.forward)
@pytest.mark.parametrize("seed", [0, 7])
def test_hadamard_rotates_the_operands_of_the_weight_gradient_alone(operands, seed):
    draws = torch.Generator().manual_seed(1)
    x, weight, bias, dy = (  # whole numbers, so that rotating them in float32 is exact
        torch.randint(-4000, 4001, size, generator=draws).float()
        for size in ((67, 45), (37, 45), (37,), (67, 37))
    )

    def q(which, values, axis):
        if PRODUCT_OF[which, axis] == "weight_gradient":
            values, matrix = values.copy(), rotation(seed)
            for start in range(0, 64, 16):
                values[start : start + 16] = matrix.T @ values[start : start + 16]
        return blockwise(operands.forward, values, axis)

    layer = RoundedLinear(operands.replace(hadamard=True), seed=seed)
    check_products(run(layer, x, weight, bias, dy), q, x, weight, bias, dy)


def test_where_nothing_is_rounded_the_product_undoes_the_rotation():
    draws = torch.Generator().manual_seed(0)
    x, weight, bias, dy = (
        torch.randint(*span, size, generator=draws).float()
        for span, size in [((-1, 2), (35, 40)), ((-1, 2), (6, 40)), ((-8, 9), (6,)), ((-1, 2), (35, 6))]
    )
    layer = RoundedLinear(Operands(forward="mxint8", backward="mxint8", hadamard=True), seed=3)
    for ours, theirs in zip(
        run(layer, x, weight, bias, dy), run(functional.linear, x, weight, bias, dy), strict=True
    ):
        assert torch.equal(ours, theirs)


@pytest.mark.parametrize(
    ("changes", "changed", "same"),
    [({"input_rounding": "stochastic"}, (0, 2), 1), ({"weight_rounding": "stochastic"}, (0, 1), 2)],
    ids=str,
)
@pytest.mark.parametrize(
    "operands",
    [Operands(scaling="current"), MXFP4, NVFP4.replace(weights="nvfp4_16x16")],
    ids=lambda o: o.forward,
)
def test_stochastic_inputs_and_weights_by_seed_and_call(operands, changes, changed, same):
    given = tensors(33)
    runs = [
        [run(layer, *given) for _ in range(2)]
        for seed in (5, 5, 6)
        for layer in [RoundedLinear(operands.replace(**changes), seed=seed)]
    ]
    for which in changed:
        for call in range(2):
            assert torch.equal(runs[0][call][which], runs[1][call][which])
            assert not torch.equal(runs[0][call][which], runs[2][call][which])
        assert not torch.equal(runs[0][0][which], runs[0][1][which])
    nearest = run(RoundedLinear(operands), *given)
    assert torch.equal(runs[0][0][same], nearest[same])  # of the other two operands


def test_all_three_draw_their_own_random_numbers():
    operands = MXFP4.replace(
        input_rounding="stochastic", weight_rounding="stochastic", gradient_rounding="stochastic"
    )
    one = torch.rand(64, 64)
    rounder = RoundedLinear(operands)
    eye = torch.eye(64)
    x_rounded = rounder(one, eye)
    weight_rounded = RoundedLinear(operands)(eye, one).T
    leaf = eye.clone().requires_grad_()
    (dy_rounded,) = torch.autograd.grad(RoundedLinear(operands)(leaf, eye), leaf, one)
    assert not torch.equal(x_rounded, weight_rounded)
    assert not torch.equal(x_rounded, dy_rounded)
    assert not torch.equal(weight_rounded, dy_rounded)


def four_over_six(values, axis, bound, metric):
    tensor_scale = float(np.float32(np.abs(values).max() / (bound * 6)))

    def quantized(block):
        best = []
        for largest in (6, 4):
            scale = float(cast("float8_e4m3fn", np.float64(np.abs(block).max() / (largest * tensor_scale))))
            rounded = cast("float4_e2m1fn", block / (scale * tensor_scale)) * scale * tensor_scale
            error = np.abs(rounded - block)
            best.append((float((error**2 if metric == "MSE" else error).sum()), len(best), rounded))
        return min(best, key=lambda one: one[:2])[2]

    return rows_of(values, axis, 16, quantized)


@pytest.mark.parametrize(
    "some", [("input", "weight"), ("gradient",), ("input", "weight", "gradient")], ids="+".join
)
@pytest.mark.parametrize(("bound", "metric"), [(256, "MSE"), (448, "MSE"), (256, "MAE"), (448, "MAE")])
def test_four_over_six_is_the_rule_of_these_operands_with_its_options(some, bound, metric):
    given = tensors(37)
    names = {"x": "input", "weight": "weight", "dy": "gradient"}

    def q(which, values, axis):
        if names[which] in some:
            return four_over_six(values, axis, bound, metric)
        return blockwise("nvfp4", values, axis)

    operands = NVFP4.replace(
        scale_rule="FOUR_OVER_SIX",
        four_over_six_bound=bound,
        four_over_six_metric=metric,
        four_over_six_operands=some,
    )
    check_products(run(RoundedLinear(operands), *given), q, *given)


TO_NEAREST = [
    *(NVFP4.replace(weights="nvfp4_16x16", hadamard=True, products_rounded=some) for some in SUBSETS[-2:]),
    DEEPSEEK,
    mw.recipes["mxfp8"].operands,
    mw.recipes["nvfp4_four_over_six"].operands.replace(gradient_rounding="nearest"),
    MXFP4.replace(hadamard=True),
]


@pytest.mark.parametrize("operands", TO_NEAREST, ids=str)
def test_rounding_on_the_device_is_that_on_the_host(operands):
    given = tensors(67, size_in=150)
    host, device = (run(RoundedLinear(operands, seed=2, on_device=there), *given) for there in (False, True))
    for ours, theirs in zip(host, device, strict=True):
        assert torch.equal(ours, theirs)


class TwoLayers(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.embedding = nn.Embedding(5, 32)
        self.blocks = nn.ModuleList([nn.Linear(32, 32), nn.Linear(32, 32)])
        self.head = nn.Linear(32, 8)

    def forward(self, tokens):
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x).relu()
        return self.head(x)


def in_bfloat16(operands, patterns):
    """By layer of TwoLayers: whether its result is bfloat16's, and not that of rounded operands."""
    model = TwoLayers().bfloat16()
    recipe = mw.recipes["bf16"].replace(operands=operands.replace(keep_wide=patterns))
    seen = []
    for name, layer in model.named_modules():
        if isinstance(layer, nn.Linear):
            layer.register_forward_hook(
                lambda layer, inputs, y, name=name: seen.append((name, layer, inputs[0], y))
            )
    with Precision(recipe, torch.device("cpu"), model=model), torch.no_grad():
        model(torch.arange(5))
    wide = {}
    for name, layer, x, y in seen:
        exact = functional.linear(x.float(), layer.weight.float(), layer.bias.float())
        wide[name] = bool((y.float() - exact).abs().max() <= 2.0**-7 * exact.abs().max())
    return wide


@pytest.mark.parametrize(
    ("patterns", "kept"),
    [
        ((), []),
        (("head",), ["head"]),
        (("last",), ["head"]),
        (("first", "last"), ["blocks.0", "head"]),
        (("blocks.*",), ["blocks.0", "blocks.1"]),
        (("blocks.[1-9]", "h*"), ["blocks.1", "head"]),
        (("*",), ["blocks.0", "blocks.1", "head"]),
    ],
    ids=str,
)
def test_layers_are_kept_wide_by_their_names(patterns, kept):
    assert sorted(name for name, is_wide in in_bfloat16(MXFP4, patterns).items() if is_wide) == kept


def test_a_layer_of_this_name_is_the_one_that_is_meant():
    model = nn.ModuleDict({"last": nn.Linear(2, 2), "head": nn.Linear(2, 2)})
    assert kept_wide(["last"], model) == [model["last"]]
    assert kept_wide(["first", "last"], nn.Sequential(nn.ReLU(), nn.Conv2d(1, 1, 3))) == []


@pytest.mark.parametrize("pattern", ["Head", "blocks", "embedding", "0", "la*", "blocks.2"])
def test_a_name_that_no_layer_has_is_an_error_with_the_names_it_has(pattern):
    with pytest.raises(ValueError, match=r"no layer of this model.*blocks\.0, blocks\.1, head"):
        in_bfloat16(MXFP4, (pattern,))


def test_a_run_tells_a_wrong_name_before_its_first_step_also_of_a_later_phase():
    def first(recipe, **phases):
        return next(
            mw.train(mw.Experiment(task="student_teacher", steps=4, device="cpu", recipe=recipe, **phases))
        )

    wrong = mw.recipes["nvfp4"].replace(operands=NVFP4.replace(keep_wide=("head",)))
    with pytest.raises(ValueError, match=r"its layers, 0\.expand, 0\.contract, 1\.expand, 1\.contract"):
        first(wrong)
    with pytest.raises(ValueError, match=r"its layers, 0\.expand"):
        next(
            mw.train(
                mw.Experiment(task="student_teacher", steps=4, device="cpu", phases=[(0, "bf16"), (2, wrong)])
            )
        )


def losses(recipe):
    experiment = mw.Experiment(task="student_teacher", recipe=recipe, steps=4, batch_size=16, device="cpu")
    return [event.loss for event in mw.train(experiment) if event.kind == "step"]


def test_with_all_layers_wide_a_run_is_the_one_without_operands():
    wide = mw.recipes["nvfp4"].replace(operands=NVFP4.replace(keep_wide=("*",)))
    assert losses(wide) == losses(mw.recipes["bf16"])
    assert losses(mw.recipes["nvfp4"]) != losses(mw.recipes["bf16"])


def test_an_error_in_a_wide_layer_leaves_the_next_pass_as_it_was():
    model = nn.Sequential(nn.Linear(32, 32), nn.Linear(32, 32))
    recipe = mw.recipes["bf16"].replace(operands=MXFP4.replace(keep_wide=("0",)))
    x = torch.ones(2, 32, dtype=torch.bfloat16)
    model.bfloat16()
    precision = Precision(recipe, torch.device("cpu"), model=model)
    with torch.no_grad():
        with precision:
            before = model(x)
        with pytest.raises(RuntimeError, match="shapes"), precision:
            model(x[:, :5])
        with precision:
            assert torch.equal(model(x), before)
    assert not model[0]._forward_hooks
    assert not model[0]._forward_pre_hooks
