"""Rounded linear layers against the three products said plainly: casts by ml_dtypes, blocks by loops."""

import math

import ml_dtypes
import numpy as np
import pytest
import torch
from torch.nn import functional

import mixwidgets as mw
from mixwidgets.runs.experiments.operands import Operands
from mixwidgets.runs.training.operands import RoundedLinear, require_fp8_products

CASTS = {
    name: getattr(ml_dtypes, name)
    for name in (
        "bfloat16", "float8_e5m2", "float8_e4m3fn", "float8_e4m3", "float8_e3m4", "float8_e4m3fnuz",
        "float8_e5m2fnuz", "float8_e4m3b11fnuz", "float6_e3m2fn", "float6_e2m3fn", "float4_e2m1fn",
    )
} | {"float16": np.float16}  # fmt: skip
ELEMENTS = {
    "mxfp8_e4m3": "float8_e4m3fn", "mxfp8_e5m2": "float8_e5m2", "mxfp6_e3m2": "float6_e3m2fn",
    "mxfp6_e2m3": "float6_e2m3fn", "mxfp4": "float4_e2m1fn", "mxint8": None, "nvfp4": "float4_e2m1fn",
}  # fmt: skip


def largest(name):
    return float(ml_dtypes.finfo(CASTS[name]).max)


def cast(name, values):
    """To nearest, ties to even; what is too large becomes the largest."""
    return np.clip(values, -largest(name), largest(name)).astype(CASTS[name]).astype(np.float64)


def tensorwise(name, values, scale):
    return (cast(name, values * np.float32(scale)) / np.float32(scale)).astype(np.float32)


def current_scale(name, values):
    return np.float32(largest(name)) / np.abs(values).max()


def quantized_block(name, block, tensor_scale, rule):
    amax = float(np.abs(block).max())
    if name == "nvfp4":
        scale = float(cast("float8_e4m3fn", np.float64(amax / (6 * tensor_scale))))
        return cast("float4_e2m1fn", block / (scale * tensor_scale)) * scale * tensor_scale
    top = 127 / 64 if name == "mxint8" else largest(ELEMENTS[name])
    scale = math.ldexp(1, math.frexp(amax)[1] - math.frexp(top)[1]) if amax else 1.0
    if rule == "CEIL" and math.frexp(amax)[0] > 0.5:
        scale *= 2
    if name == "mxint8":
        return np.clip(np.rint(block / scale * 64), -127, 127) / 64 * scale
    return cast(ELEMENTS[name], block / scale) * scale


def blockwise(name, values, axis, rule=None):
    values = values.astype(np.float64)
    tensor_scale = float(np.float32(np.abs(values).max() / (448 * 6)))
    rows = values if axis == 1 else values.T
    out = np.empty_like(rows)
    size = 16 if name == "nvfp4" else 32
    for row in range(rows.shape[0]):
        for start in range(0, rows.shape[1], size):
            one = np.s_[row, start : start + size]
            out[one] = quantized_block(name, rows[one], tensor_scale, rule)
    return out if axis == 1 else out.T


def tensors(*shape, size_in=45, size_out=37, seed=0):
    """x (*shape, in), weight, bias, dy (*shape, out): over some binades, no size a multiple of 16."""
    draws = np.random.default_rng(seed)

    def draw(*shape):
        return torch.from_numpy(
            (draws.standard_normal(shape) * 2.0 ** draws.integers(-6, 3, shape)).astype(np.float32)
        )

    return draw(*shape, size_in), draw(size_out, size_in), draw(size_out), draw(*shape, size_out)


def run(layer, x, weight, bias, dy):
    """(y, dx, dweight, dbias)"""
    leaves = [one.clone().requires_grad_() for one in (x, weight, bias)]
    y = layer(*leaves)
    return y.detach(), *torch.autograd.grad(y, leaves, dy)


def check_products(got, q, x, weight, bias, dy):
    """`got` of `run` against the products of what q(which, values, axis) gives."""
    x, weight, bias, dy = (one.numpy() for one in (x, weight, bias, dy))
    rows, dy_rows = x.reshape(-1, x.shape[-1]), dy.reshape(-1, dy.shape[-1])
    expected = [
        (q("x", rows, 1), q("weight", weight, 1).T, bias, dy.shape),
        (q("dy", dy_rows, 1), q("weight", weight, 0), 0, x.shape),
        (q("dy", dy_rows, 0).T, q("x", rows, 0), 0, weight.shape),
    ]
    for one, (a, b, added, shape) in zip(got[:3], expected, strict=True):
        assert one.shape == shape
        error = np.abs(one.numpy().reshape(a.shape[0], b.shape[1]) - (a @ b + added))
        assert (error <= 2.0**-20 * (np.abs(a) @ np.abs(b) + np.abs(added))).all()  # of float32's sums
    torch.testing.assert_close(got[3], torch.from_numpy(dy_rows.sum(0)))


@pytest.mark.parametrize("scaling", ["none", "current"])
@pytest.mark.parametrize(
    ("name", "products"), [*((name, "emulated") for name in CASTS), ("float8_e4m3fn", "native")]
)
def test_the_three_products_of_scalar_formats(name, products, scaling):
    given = tensors(19)
    names = {"x": name, "weight": name, "dy": "float8_e5m2"}

    def q(which, values, axis):
        fmt = names[which]
        return tensorwise(fmt, values, current_scale(fmt, values) if scaling == "current" else 1)

    operands = Operands(forward=name, backward="float8_e5m2", scaling=scaling, products=products)
    layer = RoundedLinear(operands)
    for _ in range(2):  # a second call knows nothing of the first
        check_products(run(layer, *given), q, *given)


@pytest.mark.parametrize("shape", [(67,), (3, 5)])
@pytest.mark.parametrize("name", ELEMENTS)
def test_the_three_products_of_block_formats(name, shape):
    given = tensors(*shape)

    def q(which, values, axis):
        return blockwise("mxfp8_e5m2" if which == "dy" and name != "nvfp4" else name, values, axis)

    backward = "nvfp4" if name == "nvfp4" else "mxfp8_e5m2"
    check_products(run(RoundedLinear(Operands(forward=name, backward=backward)), *given), q, *given)


def test_the_scale_rule_is_that_of_all_three_operands():
    given = tensors(67)

    def q(which, values, axis):
        return blockwise("mxfp8_e5m2" if which == "dy" else "mxfp4", values, axis, "CEIL")

    operands = Operands(forward="mxfp4", backward="mxfp8_e5m2", scale_rule="CEIL")
    check_products(run(RoundedLinear(operands), *given), q, *given)


@pytest.mark.parametrize("shape", [(), (7,), (2, 3, 5), (0,)])
@pytest.mark.parametrize(
    "operands",
    [Operands(forward="float16", backward="bfloat16"), Operands(forward="mxint8", backward="mxint8")],
    ids=lambda operands: operands.forward,
)
def test_where_nothing_is_rounded_it_is_torchs_linear(operands, shape):
    draws = torch.Generator().manual_seed(0)
    whole = [(-1, 2), (-1, 2), (-8, 9), (-1, 2)]
    x, weight, bias, dy = (
        torch.randint(*span, size, generator=draws).float()
        for span, size in zip(whole, [(*shape, 40), (6, 40), (6,), (*shape, 6)], strict=True)
    )
    for ours, theirs in zip(
        run(RoundedLinear(operands), x, weight, bias, dy),
        run(functional.linear, x, weight, bias, dy),
        strict=True,
    ):
        assert torch.equal(ours, theirs)


def test_native_products_call_torchs_own(monkeypatch):
    """Of matrices stored as FP8 tensor cores take them: by rows and by columns, sizes multiples of 16."""
    seen, multiply = [], torch._scaled_mm

    def scaled_mm(left, right, **options):
        seen.append((left.dtype, right.dtype))
        assert left.is_contiguous()
        assert right.T.is_contiguous()
        assert not [size for size in (*left.shape, *right.shape) if size % 16]
        return multiply(left, right, **options)

    monkeypatch.setattr(torch, "_scaled_mm", scaled_mm)
    for shape in ((19,), (2, 16)):
        run(RoundedLinear(NATIVE[1]), *tensors(*shape))
    e4m3, e5m2 = torch.float8_e4m3fn, torch.float8_e5m2
    assert seen == 2 * [(e4m3, e4m3), (e5m2, e4m3), (e5m2, e4m3)]


def test_a_device_without_native_products_is_refused_before_the_run(monkeypatch):
    def refuse(*_, **__):
        raise RuntimeError("torch._scaled_mm is only supported on devices of capability 8.9 and above")

    require_fp8_products.cache_clear()
    monkeypatch.setattr(torch, "_scaled_mm", refuse)
    with pytest.raises(
        ValueError, match=r"on cpu it fails \(torch\._scaled_mm is only .*Use products 'emulated'"
    ):
        next(mw.train(mw.Experiment(task="digits_mlp", recipe="fp8_native", steps=2, device="cpu")))


def test_results_are_rounded_once_to_the_dtype_they_came_in():
    x, weight, bias, dy = (one.bfloat16() for one in tensors(4, 5))
    narrow = run(RoundedLinear(Operands()), x, weight, bias, dy)
    wide = run(RoundedLinear(Operands()), *(one.float() for one in (x, weight, torch.zeros(37), dy)))
    assert {one.dtype for one in narrow} == {torch.bfloat16}
    assert torch.equal(narrow[0], wide[0].bfloat16() + bias)
    assert torch.equal(narrow[1], wide[1].bfloat16())
    assert torch.equal(narrow[2], wide[2].bfloat16())


def test_only_the_gradients_that_are_asked_for_and_no_bias():
    x, weight, _, dy = tensors(9)
    weight.requires_grad_()
    y = RoundedLinear(Operands())(x, weight)
    (dweight,) = torch.autograd.grad(y, [weight], dy)
    bias = torch.zeros(37)
    expected = run(RoundedLinear(Operands()), x, weight.detach(), bias, dy)
    assert torch.equal(y, expected[0])
    assert torch.equal(dweight, expected[2])


def test_delayed_scales_follow_the_amaxes_by_hand():
    """max 448 forward, 57344 backward, a window of two; the scales of each step worked out by hand."""
    layer = RoundedLinear(Operands(scaling="delayed", amax_history_len=2))
    amaxes = [2.0, 8.0, 1.0, 0.5, 0.5, 0.0, 0.0, 0.0]
    #         nothing yet   2    {2, 8}  {8, 1} {1, .5} {.5, .5} {.5, 0} {0, 0}: as it was
    forward = [1, 448 / 2, 448 / 8, 448 / 8, 448, 896, 896, 896]
    backward = [1, 57344 / 2, 57344 / 8, 57344 / 8, 57344, 114688, 114688, 114688]
    _, weight, bias, _ = tensors(11)
    top = float(weight.abs().max())
    for step, (amax, scale_x, scale_dy) in enumerate(zip(amaxes, forward, backward, strict=True)):
        x, _, _, dy = tensors(11, seed=step)
        x, dy = x * (amax / x.abs().max()), dy * (amax / dy.abs().max())
        scales = {"x": scale_x, "dy": scale_dy, "weight": 448 / top if step else 1}
        names = {"x": "float8_e4m3fn", "weight": "float8_e4m3fn", "dy": "float8_e5m2"}

        def q(which, values, axis, scales=scales, names=names):
            return tensorwise(names[which], values, scales[which])

        with torch.no_grad():  # an evaluation takes the scale at hand and leaves no trace
            seen = layer(x, weight, bias)
            layer(1000 * x, weight, bias)
        got = run(layer, x, weight, bias, dy)
        assert torch.equal(seen, got[0])
        check_products(got, q, x, weight, bias, dy)


def test_a_delayed_scale_lives_through_what_is_not_finite():
    x, weight, bias, dy = tensors(11)
    layers = [RoundedLinear(Operands(scaling="delayed")) for _ in range(2)]
    for layer in layers:
        run(layer, x, weight, bias, dy)
    for bad in (math.inf, -math.inf, math.nan):
        run(layers[0], x.clone().fill_(bad), weight, bias, dy.clone().fill_(bad))
    for layer in layers:  # the next larger amaxes move the scales of both
        run(layer, 8 * x, weight, bias, 8 * dy)
    for ours, theirs in zip(*(run(layer, x, weight, bias, dy) for layer in layers), strict=True):
        assert torch.equal(ours, theirs)


NATIVE = [Operands(scaling=scaling, products="native") for scaling in ("none", "current", "delayed")]
EVERY_KIND = [
    *NATIVE,
    *(Operands(scaling=scaling) for scaling in ("none", "current", "delayed")),
    Operands(forward="float4_e2m1fn", backward="float4_e2m1fn"),
    Operands(forward="float4_e2m1fn", backward="float4_e2m1fn", gradient_rounding="stochastic"),
    *(Operands(forward=name, backward=name) for name in ELEMENTS),
    Operands(forward="nvfp4", backward="nvfp4", gradient_rounding="stochastic"),
    Operands(forward="nvfp4", backward="nvfp4", weights="nvfp4_16x16", hadamard=True),
    Operands(forward="nvfp4", backward="nvfp4", products_rounded=("input_gradient",)),
    Operands(forward="fp8_1x128", backward="fp8_1x128", weights="fp8_128x128"),
]


@pytest.mark.parametrize("operands", EVERY_KIND, ids=lambda one: f"{one.forward}-{one.scaling}")
@pytest.mark.parametrize("bad", [math.inf, -math.inf, math.nan])
def test_what_is_not_finite_comes_through(operands, bad):
    x, weight, bias, dy = tensors(40)
    layer = RoundedLinear(operands)
    spoilt = dy.clone()
    spoilt[3, 4] = bad
    _, dx, dweight, _ = run(layer, x, weight, bias, spoilt)
    assert not dx[3].isfinite().any()
    assert not dweight[4].isfinite().any()
    spoilt = x.clone()
    spoilt[3, 4] = bad
    y, _, dweight, _ = run(layer, spoilt, weight, bias, dy)
    assert not y[3].isfinite().any()
    assert not dweight[:, 4].isfinite().any()
    if operands.forward != "nvfp4":  # where one scale is the whole tensor's
        assert y[20].isfinite().all()


@pytest.mark.parametrize("operands", EVERY_KIND, ids=lambda one: f"{one.forward}-{one.scaling}")
@pytest.mark.parametrize("size", [0.0, 1e-45, 1e-38, 3e38])
def test_zero_and_extreme_tensors_are_no_error(operands, size):
    x, weight, bias, dy = (torch.full_like(one, size) for one in tensors(5))
    layer = RoundedLinear(operands)
    for _ in range(2):
        results = run(layer, x, weight, bias, dy)
        assert size or not any(one.any() for one in results)
        assert not any(one.isnan().any() for one in results)


STOCHASTIC = [
    Operands(backward="float8_e5m2", gradient_rounding="stochastic"),
    Operands(scaling="current", gradient_rounding="stochastic"),
    Operands(scaling="current", gradient_rounding="stochastic", products="native"),
    Operands(forward="mxfp4", backward="mxfp4", gradient_rounding="stochastic"),
    Operands(forward="nvfp4", backward="nvfp4", gradient_rounding="stochastic"),
]


@pytest.mark.parametrize("operands", STOCHASTIC, ids=lambda one: f"{one.forward}-{one.scaling}")
def test_stochastic_gradients_by_seed_and_call(operands):
    given = tensors(33)
    runs = {
        (seed, again): [run(layer, *given) for _ in range(2)]
        for seed, again in [(5, 0), (5, 1), (6, 0)]
        for layer in [RoundedLinear(operands, seed=seed)]
    }
    for which in (1, 2):  # dx, dweight
        for call in range(2):
            assert torch.equal(runs[5, 0][call][which], runs[5, 1][call][which])
            assert not torch.equal(runs[5, 0][call][which], runs[6, 0][call][which])
        assert not torch.equal(runs[5, 0][0][which], runs[5, 0][1][which])
    nearest = run(RoundedLinear(operands.replace(gradient_rounding="nearest")), *given)
    assert torch.equal(runs[5, 0][0][0], nearest[0])  # x and the weights go to nearest


@pytest.mark.parametrize("operands", STOCHASTIC, ids=lambda one: f"{one.forward}-{one.scaling}")
def test_stochastic_gradients_are_right_on_average_where_nearest_ones_are_not(operands):
    dy = torch.full((4000, 8), 0.6)
    dy[:, 0] = 3.0  # the largest of each block; 0.6 then lies between two values under every scale
    weight, bias, x = torch.eye(8), torch.zeros(8), torch.ones(4000, 8)

    def mean(operands):
        dx = run(RoundedLinear(operands), x, weight, bias, dy)[1]
        return float(dx[:, 1:].double().mean())

    off = abs(mean(operands.replace(gradient_rounding="nearest")) - 0.6)
    assert abs(mean(operands) - 0.6) < min(0.01, off / 3)


def test_a_call_leaves_its_arguments_alone_and_keeps_no_weights():
    x, weight, bias, dy = tensors(6)
    before = [one.clone() for one in (x, weight, bias, dy)]
    for operands in EVERY_KIND:
        layer = RoundedLinear(operands)
        run(layer, x, weight, bias, dy)
        assert all(torch.equal(one, kept) for one, kept in zip((x, weight, bias, dy), before, strict=True))
    layer = RoundedLinear(Operands(scaling="current"))
    layer(x, weight, bias)
    assert torch.equal(layer(x, 2 * weight), RoundedLinear(Operands(scaling="current"))(x, 2 * weight))
