"""first_difference on small models: its arguments, its answer, the loss scale, what it leaves alone."""

import gc
import json

import pandas as pd
import pytest
import torch
from torch import nn
from torch.nn import functional

import mixwidgets as mw

INPUTS = torch.randn(64, 8, generator=torch.Generator().manual_seed(0))
TARGETS = torch.arange(64) % 4


def loss(logits):
    return functional.cross_entropy(logits, TARGETS)


@pytest.fixture
def model():
    torch.manual_seed(0)
    norm = nn.BatchNorm1d(16)
    return nn.Sequential(nn.Linear(8, 16), norm, nn.ReLU(inplace=True), nn.Dropout(0.5), nn.Linear(16, 4))


@pytest.mark.parametrize(
    "recipe", ["fp16_dynamic", "bf16", "amp_fp16", "fp16_softmax", "fp8_delayed", "fp8_native", "mxfp4"]
)
def test_rounding_explains_a_healthy_model_in_every_recipe(model, recipe):
    found = mw.first_difference(model, INPUTS, loss, recipe)
    assert found.module is found.direction is None
    assert {*found.table.verdict} == {"ok"}
    assert {"0", "1", "4", "Sequential", "loss"} <= {*found.table.module}


def test_the_errors_are_those_of_the_format(model):
    for recipe, u in (("fp16_dynamic", 2.0**-11), ("bf16", 2.0**-8), ("fp32", 2.0**-24)):
        table = mw.first_difference(model, INPUTS, loss, recipe).table
        if recipe == "fp32":
            assert (table.error == 0).all()
        else:
            linear = table[(table.module == "4") & (table.direction == "forward")].iloc[0]
            assert u / 8 < linear.error < 2 * u
            assert u / 8 < linear.explained < 4 * u


def test_no_gradient_is_left_on_what_the_loss_or_the_batch_refers_to(model):
    outside, inputs = nn.Linear(4, 4), INPUTS.clone().requires_grad_()

    def regularised(logits):
        return loss(outside(logits.float())) + model[0].weight.square().sum()

    mw.first_difference(model, inputs, regularised)
    assert model[0].weight.grad is outside.weight.grad is inputs.grad is None


@pytest.mark.parametrize(
    "around", [torch.no_grad, torch.inference_mode, lambda: torch.autocast("cpu", torch.bfloat16)]
)
def test_the_modes_around_the_call_do_not_matter(model, around):
    alone = mw.first_difference(model, INPUTS, loss).table
    with around():
        pd.testing.assert_frame_equal(mw.first_difference(model, INPUTS, loss).table, alone)


class Writing(nn.Module):
    """Writes to its input, its buffer and, in the embedding, its weights."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(8, 4, max_norm=0.5)
        self.register_buffer("mean", torch.zeros(4))

    def forward(self, x):
        x.mul_(2)
        self.mean.mul_(0.9).add_(x.detach().mean(0)[:4], alpha=0.1)
        return self.words(torch.arange(len(x)) % 8) + self.mean + x[:, :4]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("recipe", ["bf16", "amp_bf16"])
def test_what_a_model_writes_to_is_a_copy(dtype, recipe):
    model, inputs = Writing().to(dtype), INPUTS.to(dtype)
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    assert mw.first_difference(model, inputs, loss, recipe).module is None
    assert all(torch.equal(tensor, before[name]) for name, tensor in model.state_dict().items())
    assert torch.equal(inputs, INPUTS.to(dtype))


def test_nothing_of_the_model_changes(model):
    model[0].weight.grad = torch.ones(16, 8)
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    state = torch.get_rng_state()
    mw.first_difference(model, INPUTS, loss)
    assert all(torch.equal(tensor, before[name]) for name, tensor in model.state_dict().items())
    assert torch.equal(model[0].weight.grad, torch.ones(16, 8))
    assert model[4].weight.grad is None
    assert torch.equal(torch.get_rng_state(), state)
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in model.modules())


class Overflowing(nn.Module):
    def forward(self, x):
        return (x * 1e4).pow(2).sqrt() * 1e-4


def test_a_fault_is_named_where_it_is_made_and_not_where_it_is_inherited():
    model = nn.Sequential(nn.Linear(8, 8), Overflowing(), nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 4))
    found = mw.first_difference(model, INPUTS, loss)
    assert (found.module, found.direction) == ("1", "forward")
    assert "pow, in float16" in found.reason
    assert repr(found).startswith(f"FirstDifference(module='1', direction='forward', reason='{found.reason}'")
    forward = found.table[found.table.direction == "forward"]
    assert [*forward[forward.verdict == "off"].module] == ["1"]
    assert mw.first_difference(model, INPUTS, loss, "bf16").module is None


class Around(nn.Module):
    """Overflows between its two layers."""

    def __init__(self):
        super().__init__()
        self.one, self.other = nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x):
        return self.other((self.one(x) * 1e4).pow(2).sqrt() * 1e-4)


@pytest.mark.parametrize("outermost", [False, True])
def test_a_fault_between_two_children_is_their_parent_s(outermost, monkeypatch):
    model = Around() if outermost else nn.Sequential(nn.Linear(8, 8), Around())
    found = mw.first_difference(model, INPUTS, loss)
    name, prefix = ("Around", "") if outermost else ("1", "1.")
    assert (found.module, found.direction) == (name, "forward")
    row = found.table[found.table.verdict == "off"].iloc[0]
    assert row.tensor == f"input to {prefix}other"
    assert "pow, in float16" in found.reason
    monkeypatch.setenv("MIXWIDGETS_LANG", "zh")
    assert f"{prefix}other 的输入共 512 个值" in mw.first_difference(model, INPUTS, loss).reason
    assert mw.first_difference(model, INPUTS, loss, "bf16").module is None


class WrongInBackward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, gradient):
        return gradient.to(torch.bfloat16).to(gradient.dtype)


class Straight(nn.Module):
    def forward(self, x):
        return WrongInBackward.apply(x)


def test_a_fault_of_the_backward_pass():
    model = nn.Sequential(nn.Linear(8, 16), Straight(), nn.Linear(16, 4))
    found = mw.first_difference(model, INPUTS, loss)
    assert (found.module, found.direction) == ("1", "backward")
    assert "bfloat16" in found.reason
    backward = found.table[found.table.direction == "backward"]
    assert [*backward[backward.verdict == "off"].module] == ["1"]


def test_a_module_that_raises():
    model = nn.Sequential(nn.Linear(8, 16), nn.Linear(16, 16).to(torch.float64), nn.Linear(16, 4))
    found = mw.first_difference(model, INPUTS, loss)
    assert (found.module, found.direction) == ("1", "forward")
    assert found.reason.startswith("it raises RuntimeError: ")
    assert found.table.verdict.iloc[-1] == "raised"


class RaisesInBackward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, gradient):
        if gradient.dtype == torch.float16:
            raise RuntimeError("float16 is not supported here")
        return gradient


class OnlyForward(nn.Module):
    def forward(self, x):
        return RaisesInBackward.apply(x)


def test_a_backward_pass_that_raises_is_the_whole_model_s():
    """Which module it was in torch does not tell."""
    found = mw.first_difference(nn.Sequential(nn.Linear(8, 4), OnlyForward()), INPUTS, loss)
    assert (found.module, found.direction) == ("Sequential", "backward")
    assert found.reason == "it raises RuntimeError: float16 is not supported here"
    assert {"forward", "backward"} == {*found.table.direction}


class Masking(nn.Module):
    """An infinity that float32 has too, then one of float16 alone."""

    def forward(self, x):
        masked = x.masked_fill(x < -1, -torch.inf)
        return functional.softmax(masked, dim=-1) + (x * 1e4).pow(2).sqrt() * 1e-4


def test_an_infinity_of_the_reference_is_not_the_reason():
    found = mw.first_difference(nn.Sequential(nn.Linear(8, 8), Masking(), nn.Linear(8, 4)), INPUTS * 2, loss)
    assert (found.module, found.direction) == ("1", "forward")
    assert "pow, in float16" in found.reason
    assert "masked_fill" not in found.reason


def test_gradients_that_vanish_without_a_loss_scale(model):
    def small(logits):
        return loss(logits) * 1e-6

    found = mw.first_difference(model, INPUTS, small, "fp16_unscaled")
    assert found.direction == "backward"
    assert "too small for float16" in found.reason
    assert mw.first_difference(model, INPUTS, small, "fp16_dynamic").module is None


class Scaled(nn.Module):
    """ConvNeXt's block, whose layer scale makes the gradients inside the branch a millionth."""

    def __init__(self, width, layer_scale):
        super().__init__()
        self.depthwise = nn.Conv2d(width, width, 7, padding=3, groups=width)
        self.norm = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.gamma = nn.Parameter(layer_scale * torch.ones(width))
        for layer in (self.depthwise, self.mlp[0], self.mlp[2]):
            nn.init.trunc_normal_(layer.weight, std=0.02)

    def forward(self, x):
        inner = self.mlp(self.norm(self.depthwise(x).permute(0, 2, 3, 1)))
        return x + (self.gamma * inner).permute(0, 3, 1, 2)


def scaled(seed, layer_scale, images=2):
    torch.manual_seed(seed)
    blocks = [Scaled(24, layer_scale) for _ in range(2)]
    model = nn.Sequential(nn.Conv2d(3, 24, 4, stride=4), *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten())
    batch = torch.randn(images, 3, 32, 32)
    return mw.first_difference(model, batch, lambda y: y.square().mean(), "amp_fp16")


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("layer_scale", [1e-6, 1.0])
def test_the_underflow_of_what_a_module_receives_is_not_its_fault(seed, layer_scale):
    found = scaled(seed, layer_scale)
    assert found.module is None, found
    norm = found.table[(found.table.module == "1.norm") & (found.table.direction == "backward")]
    assert (norm.error.item() > 0.002) == (layer_scale < 1)  # the unit roundoff is 0.0005


def test_a_gradient_below_the_rounding_of_the_sum_to_which_it_is_added_is_not_missed():
    """A residual branch with a layer scale of 1e-7, beside a skip whose gradient is far larger."""
    found = scaled(0, 1e-7)
    (row,) = found.table.index[(found.table.module == "2.depthwise") & (found.table.direction == "backward")]
    lost = next(tensor for tensor in found.tensors[row] if tensor.name == "gradient of input")
    assert lost.error > 0.1  # 200 times the unit roundoff; above 0.5 where no processor multiplies float16
    assert found.module is None, found


def test_a_loss_scale_that_overflows(model):
    fixed = mw.recipes["fp16_static"]
    large = fixed.replace(loss_scale=fixed.loss_scale.replace(init_scale=2.0**30))
    found = mw.first_difference(model, INPUTS, loss, large)
    assert found.direction == "backward"
    assert "at a loss scale of 1.07374e+09" in found.reason


class Steep(nn.Module):
    """A gradient inside it is 1024 times those at its boundary."""

    def forward(self, x):
        return x * 2.0**-10 * 2.0**10 * 2.0**-10 * 2.0**10


def test_a_dynamic_loss_scale_is_not_lowered_below_its_least():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 4), Steep())
    dynamic = mw.recipes["fp16_dynamic"]
    settled = mw.first_difference(model, INPUTS, loss, dynamic).loss_scale
    least = 2 * settled
    bounded = dynamic.replace(loss_scale=dynamic.loss_scale.replace(min_scale=least))
    assert mw.first_difference(model, INPUTS, loss, bounded).loss_scale == least


def step(unscale, limit):
    def run(loss, parameters, loss_scale):
        (loss * loss_scale).backward()
        if unscale == "first":
            torch._foreach_div_([parameter.grad for parameter in parameters], loss_scale)
        nn.utils.clip_grad_norm_(parameters, limit)
        if unscale == "last":
            torch._foreach_div_([parameter.grad for parameter in parameters], loss_scale)

    return run


@pytest.mark.parametrize(
    ("unscale", "limit", "says"),
    [("first", 0.01, None), ("never", 1e9, "were not unscaled"), ("last", 0.01, "clipped")],
)
def test_a_step_that_does_not_unscale_or_clips_before(model, unscale, limit, says):
    found = mw.first_difference(model, INPUTS, loss, step=step(unscale, limit))
    if says is None:
        assert found.module is None
        assert found.table.module.iloc[-1] == "step"
    else:
        assert (found.module, found.direction) == ("step", "backward")
        assert says in found.reason


class Named(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(8, 4)
        self.shift = nn.Parameter(torch.zeros(4))

    def forward(self, x, y=None):
        return {"logits": self.inner(x) + self.inner(y) + self.shift, "other": None}


class Angles(nn.Module):
    """Rotary angles in float64, as several diffusion models compute them."""

    def __init__(self):
        super().__init__()
        self.register_buffer("frequencies", torch.arange(8, dtype=torch.float64))

    def forward(self, x):
        return (x * self.frequencies).cos()


def test_a_module_that_computes_in_float64():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 8), Angles())
    found = mw.first_difference(model, INPUTS, lambda angles: angles.square().mean(), "amp_fp16")
    assert found.module is None
    assert {*found.table.verdict} == {"ok"}


def test_batches_and_a_module_that_is_called_twice():
    torch.manual_seed(0)
    for batch in ((INPUTS, INPUTS), [INPUTS, INPUTS], {"x": INPUTS, "y": INPUTS}):
        found = mw.first_difference(Named(), batch, lambda output: loss(output["logits"]))
        assert found.module is None
        rows = found.table[found.table.module == "inner"]
        assert {*zip(rows.call, rows.direction, strict=True)} >= {(0, "forward"), (1, "forward")}


def test_both_tensors_of_a_row_are_counted_and_none_is_kept():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 16), nn.Linear(16, 4))

    def tensors():
        gc.collect()
        return {id(one) for one in gc.get_objects() if issubclass(type(one), torch.Tensor)}

    before = tensors()
    found = mw.first_difference(model, INPUTS, loss, "fp16_static")
    assert tensors() <= before  # those of other tests may go meanwhile
    assert len(found.tensors) == len(found.table)

    def counted(module, direction, tensor):
        row = found.table[(found.table.module == module) & (found.table.direction == direction)]
        assert [*row.tensor] == [tensor]
        worst, *_ = found.tensors[row.index[0]]
        assert (worst.name, worst.error) == (tensor, row.error.item())
        return worst.found, worst.reference

    backward = found.table[(found.table.module == "1") & (found.table.direction == "backward")]
    compared = found.tensors[backward.index[0]]
    assert {one.name for one in compared} == {f"gradient of {what}" for what in ("input", "weight", "bias")}
    assert compared[0].name == backward.tensor.item()

    hidden = model[0](INPUTS)
    logits = model[1](hidden)
    low = functional.linear(hidden.half(), model[1].weight.half(), model[1].bias.half())
    assert counted("1", "forward", "output") == (mw.GradientSummary.of(low), mw.GradientSummary.of(logits))

    scale = found.loss_scale
    assert (found.format, scale) == ("float16", mw.recipes["fp16_static"].loss_scale.init_scale)
    (exact,) = torch.autograd.grad(loss(logits), logits)
    low = logits.detach().half().requires_grad_()
    (loss(low.float()) * scale).backward()
    assert counted("loss", "backward", "gradient of output") == (
        mw.GradientSummary.of(low.grad),
        mw.GradientSummary.of(exact * scale),
    )


def test_a_notebook_shows_the_page_and_the_file_says_the_same(tmp_path, monkeypatch):
    monkeypatch.setenv("MIXWIDGETS_LANG", "zh")
    raising = nn.Sequential(nn.Linear(8, 16), Overflowing(), nn.Linear(16, 16).to(torch.float64))
    found = mw.first_difference(raising, INPUTS, loss)
    assert {*found.table.verdict} == {"ok", "off", "raised"}
    shown, _ = found._repr_mimebundle_()
    assert shown["text/plain"] == repr(found)
    assert repr(found).startswith(f"FirstDifference(module='1', direction='forward', reason='{found.reason}'")
    assert "application/vnd.jupyter.widget-view+json" in shown
    path = found.save(tmp_path / "page.html")
    page = path.read_text(encoding="utf-8")
    assert '<html lang="zh-Hans">' in page
    assert "<title>模块误差</title>" in page
    assert json.dumps(found.reason)[1:-1] in page
    assert "输出共 1,024 个值" in found.reason
    assert found.table.reason.str.match("它抛出 RuntimeError：").iloc[-1]
    monkeypatch.setenv("MIXWIDGETS_LANG", "en")
    assert "of 1,024 values of its output" in found.save(tmp_path / "en.html").read_text(encoding="utf-8")
    assert found.save(tmp_path / "again.html").is_file()  # saving closes nothing of the result


class Experts(nn.Module):
    """Each row goes through one of two experts; float16 has no number for what decides on it."""

    def __init__(self):
        super().__init__()
        self.experts = nn.ModuleList(nn.Linear(8, 8) for _ in range(2))

    def forward(self, x):
        chosen, result = x.mean(-1) * 1e-9 > 0, torch.zeros_like(x)
        for number, expert in enumerate(self.experts):
            (rows,) = (chosen == number).nonzero(as_tuple=True)
            result = result.index_add(0, rows, expert(x[rows]))
        return result


@pytest.mark.parametrize("before", [nn.Linear(8, 8), nn.Identity()])
def test_an_expert_that_rounding_chooses_is_told(before):
    found = mw.first_difference(nn.Sequential(before, Experts()), INPUTS, loss)
    assert (found.module, found.direction) == ("1", "forward")
    assert found.reason.endswith(
        ": it took another path than in the reference, as when rounding changes the choice of an expert."
    )


def by_autograd(inner, x):
    x = x.detach().requires_grad_()
    return torch.autograd.grad(inner(x).sum(), x, create_graph=True)[0]


def by_transforms(inner, x):
    return torch.vmap(torch.func.grad(lambda row: inner(row).sum()))(x)


@pytest.mark.parametrize("derivative", [by_autograd, by_transforms])
def test_a_model_may_differentiate_a_network_inside_it(derivative):
    class Slope(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))

        def forward(self, x):
            return derivative(self.inner, x)

    found = mw.first_difference(Slope(), INPUTS, lambda slopes: slopes.square().mean())
    assert found.module is None, found.reason
    rows = found.table[found.table.direction == "backward"]
    assert {"Slope" if derivative is by_transforms else "inner.0", "loss"} <= {*rows.module}


def test_a_model_is_taken_out_of_a_wrapper(model):
    table = mw.first_difference(nn.DataParallel(model), INPUTS, loss).table
    assert {*table.module} >= {"0", "Sequential", "loss"}


def test_one_module_and_one_value_are_told_as_one():
    found = mw.first_difference(nn.Linear(8, 4), INPUTS, lambda output: output.sum())
    assert found.reason == "Rounding explains the errors of all modules (2), forward and backward."
    found = mw.first_difference(nn.Linear(8, 4), INPUTS, lambda output: output.half().mul(1e5).sum())
    assert (found.module, found.direction) == ("loss", "forward")
    assert found.reason.startswith("its output is infinite or NaN: ")


def test_wrong_arguments_teach(model):
    for change, error, message in [
        ({"model": loss}, TypeError, "torch.nn.Module"),
        ({"step": lambda value, parameters, scale: None}, ValueError, "neither optimizer.step"),
        ({"loss": 3.0}, TypeError, "function of the model's output"),
        ({"recipe": "fp16_dynamc"}, ValueError, "Did you mean 'fp16_dynamic'"),
        ({"reference": "bf16"}, ValueError, "computes in float32"),
        ({"loss": lambda logits: logits}, TypeError, "scalar tensor"),
        ({"model": nn.Linear(8, 4).requires_grad_(False)}, TypeError, r"shape \(\) without a gradient"),
        ({"model": nn.Linear(8, 4, device="meta")}, ValueError, "^weight: .* meta device"),
        ({"batch": torch.randn(4, 3)}, RuntimeError, "shapes cannot be multiplied"),
        ({"loss": lambda logits: logits.sum() * torch.nan}, ValueError, "the loss .* in the reference too"),
        (
            {"loss": lambda logits: (logits - logits.detach()).square().sum().sqrt()},
            ValueError,
            r"the gradient of 4\.\w+ .* in the reference too",
        ),
    ]:
        with pytest.raises(error, match=message):
            mw.first_difference(**{"model": model, "batch": INPUTS, "loss": loss, **change})


class Looked(nn.Module):
    """Embeddings whose gradients are sparse, one of them of bags."""

    def __init__(self):
        super().__init__()
        self.one = nn.Embedding(20, 8, sparse=True)
        self.bag = nn.EmbeddingBag(20, 8, sparse=True)
        self.out = nn.Linear(8, 4)

    def forward(self, rows):
        return self.out(self.one(rows[:, 0]) + self.bag(rows))


def test_sparse_embeddings_are_compared():
    torch.manual_seed(0)
    rows = torch.arange(64 * 3).reshape(64, 3) % 20
    found = mw.first_difference(Looked(), rows, loss)
    assert found.module is None
    backward = found.table[found.table.direction == "backward"].set_index("module")
    assert backward.tensor["one"] == "gradient of weight"
    assert 0 < backward.error["bag"] < 2.0**-10


class Filter(nn.Module):
    """Multiplies the spectrum by complex weights."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(5, dtype=torch.complex64))

    def forward(self, x):
        return torch.fft.irfft(torch.fft.rfft(x.float()) * self.weight)


@pytest.mark.filterwarnings("error")
def test_a_model_with_complex_weights_is_compared():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(8, 8), Filter(), nn.Linear(8, 4))
    assert mw.first_difference(net, INPUTS, loss).module is None


class Checkpointed(nn.Module):
    def __init__(self, reentrant):
        super().__init__()
        self.within, self.reentrant = nn.Linear(8, 4), reentrant

    def forward(self, x):
        return torch.utils.checkpoint.checkpoint(
            lambda x: self.within(x).tanh(), x, use_reentrant=self.reentrant
        )


@pytest.mark.parametrize("reentrant", [False, True])
def test_a_checkpoint_is_not_taken_for_the_difference(reentrant):
    net = nn.Sequential(nn.Linear(8, 8), Checkpointed(reentrant))
    with pytest.raises(ValueError, match=r"by torch\.utils\.checkpoint: turn that off"):
        mw.first_difference(net, INPUTS, loss)
