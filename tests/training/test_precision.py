"""What runs in which precision under a recipe, seen from ordinary torch code."""

import re
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.nn import functional

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.operands import Operands
from mixwidgets.runs.experiments.recipe import recipes
from mixwidgets.runs.training import amp, precision
from mixwidgets.runs.training.loop import train
from mixwidgets.runs.training.operands import RoundedLinear
from mixwidgets.runs.training.precision import Precision

CPU = torch.device("cpu")
HALVES = [torch.float16, torch.bfloat16]


def of(dtype, **changes):
    name = str(dtype).removeprefix("torch.")
    return recipes["fp16_static"].replace(compute_format=name, **changes)


@pytest.fixture(params=[False, True], ids=["native", "widened"])
def widened(request, monkeypatch):
    """Both ways of a CPU, whichever this machine's would be."""
    monkeypatch.setattr(precision, "is_emulated", lambda dtype: request.param and dtype != torch.float32)
    return request.param


def randn(*shape, dtype=torch.float32, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


@pytest.mark.parametrize("name", ["fp32", "fp16_static", "bf16", "mxfp4"])
def test_a_precision_says_how_it_computes(name, widened):
    recipe = recipes[name]
    said = Precision(recipe, CPU).name
    assert recipe.compute_format in said
    assert ("float32 products" in said) == (widened or name == "fp32")
    assert ("mxfp4" in said) == (name == "mxfp4")
    assert not Precision(recipe, torch.device("cuda:0")).widened


WIDENED = ["float16 storage (no amx_fp16 or avx512_fp16)", "bfloat16 storage (no amx_bf16 or avx512_bf16)"]


@pytest.mark.parametrize(
    ("features", "names"),
    [
        ({"avx2": True, "avx512_fp16": False}, [f"{said}, float32 products" for said in WIDENED]),
        (
            {"avx512_bf16": True},  # AMD's Zen 4
            [f"{WIDENED[0]}, float32 products", "native bfloat16 products (avx512_bf16)"],
        ),
        (
            {"amx_bf16": True, "avx512_bf16": True, "avx512_fp16": True},  # Intel's Sapphire Rapids
            ["native float16 products (avx512_fp16)", "native bfloat16 products (amx_bf16, avx512_bf16)"],
        ),
        (None, [f"{said}, float32 products" for said in WIDENED]),  # a torch that does not tell
    ],
)
def test_the_cpus_features_decide_how_products_are_computed_and_are_named(features, names, monkeypatch):
    if features is None:
        monkeypatch.delattr(torch.cpu, "get_capabilities", raising=False)
    else:
        monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: features, raising=False)
    for dtype, name in zip(HALVES, names, strict=True):
        started = next(train(Experiment(task="digits_mlp", recipe=of(dtype), device="cpu")))
        assert started.backend == name
        assert "(" not in Precision(of(dtype), torch.device("cuda:0")).name
    assert Precision(recipes["fp32"], CPU).name == "native float32 products"


@pytest.mark.parametrize("name", recipes)
def test_the_page_can_say_in_its_own_language_how_a_run_computes(name, widened, monkeypatch):
    """words.ts reads what training records."""
    monkeypatch.setattr(amp, "is_emulated", precision.is_emulated)
    root = Path(__file__).parents[2]
    page = (root / "mixwidgets/runs/widgets/training_lab/words.ts").read_text(encoding="utf-8")
    products = "|".join(re.findall(r"\[/\^(.*)\$/,", page))
    operands = re.search(r"OPERANDS = /(.*)\$/;", page)[1]
    cpu = re.search(r"CPU = /(.*)/;", page)[1]
    said = Precision(recipes[name], CPU).name
    if recipes[name].loop == "amp":
        said = amp.AmpTrainer(Experiment(task="digits_mlp", recipe=name), CPU).arithmetic
    assert re.fullmatch(f"({products})({operands})?", re.sub(cpu, "", said)), said


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize(
    "product",
    [
        lambda a, b: a @ b,
        torch.matmul,
        torch.mm,
        lambda a, b: a.matmul(b),
        lambda a, b: torch.bmm(a[None], b[None])[0],
        lambda a, b: functional.linear(a, b.T),
        lambda a, b: functional.linear(input=a, weight=b.T),
        lambda a, b: torch.einsum("ik,kj->ij", a, b),
    ],
)
def test_products_keep_the_format_and_sum_in_float32(dtype, product, widened):
    a, b = randn(64, 96, dtype=dtype), randn(96, 32, dtype=dtype, seed=1)
    with Precision(of(dtype), CPU):
        result = product(a, b)
    exact = (a.double() @ b.double()).to(dtype)
    assert result.dtype == dtype
    assert (result == exact).float().mean() > 0.98


@pytest.mark.parametrize("dtype", HALVES)
def test_convolutions_and_attention_are_products(dtype, widened):
    image, kernel = randn(2, 3, 9, 8, dtype=dtype), randn(5, 3, 3, 3, dtype=dtype, seed=1)
    q, k, v = (randn(2, 2, 7, 8, dtype=dtype, seed=seed) for seed in range(3))
    with Precision(of(dtype), CPU):
        convolved = functional.conv2d(image, kernel, stride=2, padding=1)
        attended = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    close = {"rtol": 0.02, "atol": 0.05, "check_dtype": False}
    torch.testing.assert_close(
        convolved, functional.conv2d(image.float(), kernel.float(), stride=2, padding=1), **close
    )
    wide = functional.scaled_dot_product_attention(q.float(), k.float(), v.float(), is_causal=True)
    torch.testing.assert_close(attended, wide, **close)
    assert convolved.dtype == attended.dtype == dtype


def test_gradients_of_a_product_are_in_half(widened):
    a = torch.ones(4, 8, dtype=torch.float16, requires_grad=True)
    b = torch.full((8, 2), 0.1, dtype=torch.float16, requires_grad=True)
    with Precision(of(torch.float16), CPU):
        total = (a @ b).sum()
    total.backward()
    assert a.grad.dtype == b.grad.dtype == torch.float16
    assert torch.equal(b.grad, torch.full((8, 2), 4.0, dtype=torch.float16))


@pytest.mark.parametrize(
    "softmax",
    [functional.softmax, torch.softmax, lambda x, dim: x.softmax(dim), lambda x, dim: nn.Softmax(dim)(x)],
)
def test_softmax_is_float32_or_naive(softmax):
    x = torch.tensor([[0.0, 1.0, 10.0], [12.0, 0.0, -3.0]], dtype=torch.float16)
    with Precision(of(torch.float16), CPU):
        kept = softmax(x, dim=-1)
    assert torch.equal(kept, torch.softmax(x.double(), -1).half())
    with Precision(of(torch.float16, fp32_ops=("norm", "loss")), CPU):
        naive = softmax(x, dim=-1)
    torch.testing.assert_close(naive[0], kept[0], rtol=2e-3, atol=1e-3)
    assert naive[1].isnan().any()  # exp(12) is past 65504


def test_norms_are_float32_where_the_recipe_says_so():
    x, weight, bias = randn(6, 64, dtype=torch.float16), torch.ones(64).half() * 1.1, torch.zeros(64).half()
    with Precision(of(torch.float16), CPU):
        result = functional.layer_norm(x, (64,), weight, bias)
    expected = functional.layer_norm(x.float(), (64,), weight.float(), bias.float()).half()
    assert torch.equal(result, expected)


@pytest.mark.parametrize("dtype", HALVES)
def test_a_gpu_s_own_reductions_need_no_casts(dtype):
    """They compute in float32 themselves (tests/gpu); float32 weights of the model's own are rounded."""
    x, weight = randn(4, 8, dtype=dtype), randn(8)
    with Precision(of(dtype), torch.device("cuda:0")):
        results = [
            functional.softmax(x, -1),
            functional.layer_norm(x, (8,), weight),
            functional.group_norm(x, 2, weight),
        ]
    expected = [
        functional.softmax(x, -1),
        functional.layer_norm(x, (8,), weight.to(dtype)),
        functional.group_norm(x, 2, weight.to(dtype)),
    ]
    assert all(map(torch.equal, results, expected))


def test_what_is_float32_already_stays_so(widened):
    a, b = randn(3, 4), randn(4, 5)
    with Precision(of(torch.float16), CPU):
        assert (a @ b).dtype == torch.softmax(a, -1).dtype == torch.float32
        assert torch.equal(a @ b, torch.mm(a, b))


def test_outside_of_its_block_torch_is_itself():
    x = torch.full((2,), 12.0, dtype=torch.float16)
    mode = Precision(of(torch.float16, fp32_ops=("norm", "loss")), CPU)
    with mode:
        assert torch.softmax(x, 0).isnan().all()
    assert torch.equal(torch.softmax(x, 0), torch.full((2,), 0.5, dtype=torch.float16))


def test_each_linear_layer_has_rounded_operands_and_a_history_of_its_own():
    recipe = recipes["bf16"].replace(operands=Operands(scaling="delayed", amax_history_len=2))
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(32, 32), nn.Linear(32, 8)).bfloat16()
    mode = Precision(recipe, CPU)
    layers = [RoundedLinear(recipe.operands) for _ in model]
    for seed in range(3):
        x = randn(4, 32, dtype=torch.bfloat16, seed=seed)
        with mode:
            result = model(x)
        expected = x
        for layer, own in zip(model, layers, strict=True):
            expected = own(expected, layer.weight, layer.bias)
        assert torch.equal(result, expected)


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("need_weights", [True, False])
def test_multihead_attention_counts_as_a_product(dtype, need_weights, widened):
    x = randn(4, 12, 16, dtype=dtype)
    attention = nn.MultiheadAttention(16, 2, batch_first=True).to(dtype)
    with Precision(of(dtype), CPU):
        y, weights = attention(x, x, x, need_weights=need_weights)
    exact, _ = attention.double()(x.double(), x.double(), x.double(), need_weights=need_weights)
    assert y.dtype == dtype
    assert weights is None or weights.dtype == dtype
    torch.testing.assert_close(y.double(), exact, rtol=0, atol=8 * torch.finfo(dtype).eps)


@pytest.mark.parametrize("changes", [{"operands": Operands()}, {"fp32_ops": ("norm", "loss")}])
def test_multihead_attention_is_refused_where_it_hides_what_the_recipe_is_about(changes):
    x, attention = randn(2, 3, 8, dtype=torch.float16), nn.MultiheadAttention(8, 2).half()
    with Precision(of(torch.float16, **changes), CPU), pytest.raises(ValueError, match="write the attention"):
        attention(x, x, x)


@pytest.mark.parametrize("dtype", HALVES)
def test_a_product_takes_float32_operands_of_the_models_own_along(dtype, widened):
    """So a model that makes a mask or positions in its forward pass runs on every device."""
    x, own = randn(8, 16, dtype=dtype), randn(8, 16, seed=2)
    weight = randn(4, 16, dtype=dtype, seed=1)
    with Precision(of(dtype), CPU):
        mixed = functional.linear(x + own, weight)
        narrow = functional.linear((x + own).to(dtype), weight)
        assert torch.equal(mixed, narrow)
        assert (own @ own.T).dtype == torch.float32  # none is in the compute format
        out = torch.empty(8, 8, dtype=dtype)
        assert torch.mm(x, x.T, out=out) is out
    assert out.any()


@pytest.mark.parametrize("fp32_ops", [("softmax", "norm", "loss"), ("norm", "loss")])
def test_a_dtype_that_the_model_asks_for_is_its_own_choice(fp32_ops, widened):
    x = torch.full((2, 4), 12.0, dtype=torch.float16)
    with Precision(of(torch.float16, fp32_ops=fp32_ops), CPU):
        for softmax in (functional.softmax, torch.softmax, torch.log_softmax):
            assert softmax(x, dim=-1, dtype=torch.float32).dtype == torch.float32
        assert functional.softmax(x, dim=-1, dtype=torch.float32)[0, 0] == 0.25  # no naive overflow
        assert functional.softmax(x.float(), dim=-1)[0, 0] == 0.25
        assert functional.softmax(input=x / 4, dim=-1).dtype == torch.float16


def test_running_statistics_stay_float32_where_norms_are_narrow(widened):
    norm, x = nn.BatchNorm1d(8), randn(32, 8, dtype=torch.float16)
    narrow = {name: weight.detach().half() for name, weight in norm.named_parameters()}
    with Precision(of(torch.float16, fp32_ops=("softmax", "loss")), CPU):
        y = torch.func.functional_call(norm, narrow, (x,))
    assert y.dtype == torch.float16
    assert norm.running_mean.dtype == torch.float32
    assert norm.running_mean.any()
