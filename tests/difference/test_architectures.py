"""first_difference on architectures of transformers': silent on healthy ones, right about planted faults."""

import importlib

import pytest
import torch
from torch import nn
from torch.nn import functional

import mixwidgets as mw

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # transformers warns of itself
ALL = (
    *("bert", "llama", "gpt2", "t5", "vit", "resnet", "convnext"),
    *("swin", "whisper", "mamba", "mixtral", "gemma2"),
)


@pytest.fixture
def architectures():
    """Loaded when a test runs: transformers takes seconds."""
    torch.manual_seed(0)
    return importlib.import_module("tests.difference.architectures")


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("recipe", ["fp16_dynamic", "bf16", "amp_fp16", "amp_bf16"])
def test_a_healthy_model_has_no_first_difference(architectures, name, recipe):
    model, batch, loss = getattr(architectures, name)()
    found = mw.first_difference(model.train(), batch, loss, recipe)
    assert found.module is None, found
    assert {*found.table.direction} == {"forward", "backward"}


def attention(architectures, how, model="bert"):
    """A model with an attention whose scores, or softmax, are written by hand and registered."""

    def attend(module, query, key, value, mask, scaling=None, dropout=0.0, **rest):
        scores = query @ key.transpose(2, 3) * (scaling or query.shape[-1] ** -0.5)
        if how == "naive softmax":
            weights = scores.exp() / scores.exp().sum(-1, keepdim=True)
            return (weights @ value).transpose(1, 2).contiguous(), None
        hidden = torch.zeros(scores.shape[-2:], dtype=torch.bool)
        hidden[:, 9:] = hidden[3] = True  # padding, and a row with nothing to attend to
        if how == "mask filled in":
            scores = scores.masked_fill(hidden, -1e9)
        else:
            scores = scores + hidden.to(scores.dtype) * -1e9
        return (functional.softmax(scores, -1) @ value).transpose(1, 2).contiguous(), None

    name = how.replace(" ", "_")
    architectures.tf.AttentionInterface.register(name, attend)
    options = {"attn_implementation": "eager"} if model == "bert" else {}
    model, batch, loss = getattr(architectures, model)(**options)
    model.config._attn_implementation = name
    return model, batch, loss


def with_large_logits(model):
    layer = model.bert.encoder.layer[1].attention.self
    with torch.no_grad():
        layer.query.weight.mul_(30)
        layer.key.weight.mul_(30)
    return model


def test_naive_softmax(architectures):
    model, batch, loss = attention(architectures, "naive softmax")
    assert mw.first_difference(model, batch, loss).module is None
    found = mw.first_difference(with_large_logits(model), batch, loss)
    assert (found.module, found.direction) == ("bert.encoder.layer.1.attention.self", "forward")
    assert "exp, in float16, inside it makes infinities" in found.reason
    assert mw.first_difference(model, batch, loss, "bf16").module is None
    model, batch, loss = architectures.bert(attn_implementation="eager")
    assert mw.first_difference(with_large_logits(model), batch, loss).module is None


def test_a_naive_softmax_between_two_children(architectures):
    """GPT-2's attention passes what it computes to a projection, and does not return it."""
    model, batch, loss = attention(architectures, "naive softmax", "gpt2")
    plain, _, _ = architectures.gpt2()
    for one in (model, plain):
        with torch.no_grad():
            one.transformer.h[1].attn.c_attn.weight.mul_(30)
    found = mw.first_difference(model, batch, loss)
    assert (found.module, found.direction) == ("transformer.h.1.attn", "forward")
    assert "its input to transformer.h.1.attn.c_proj are infinite or NaN: exp, in float16" in found.reason
    forward = found.table[found.table.direction == "forward"]
    assert [*forward[forward.verdict == "off"].module] == ["transformer.h.1.attn"]
    assert mw.first_difference(model, batch, loss, "bf16").module is None
    assert mw.first_difference(plain, batch, loss).module is None


def stepping(unscale, limit):
    """A step that unscales after clipping, or not at all."""

    def step(loss, parameters, loss_scale):
        (loss * loss_scale).backward()
        nn.utils.clip_grad_norm_(parameters, limit)
        if unscale:
            torch._foreach_div_([parameter.grad for parameter in parameters], loss_scale)

    return step


@pytest.mark.parametrize("name", ["gpt2", "bert", "vit"])
@pytest.mark.parametrize(
    ("unscale", "limit", "says"), [(False, 1e9, "were not unscaled"), (True, 0.01, "Unscale first")]
)
def test_a_missing_unscale_and_clipping_before_it(architectures, name, unscale, limit, says):
    model, batch, loss = getattr(architectures, name)()
    trained = [*model.parameters()]

    def healthy(loss, parameters, loss_scale):
        (loss * loss_scale).backward()
        torch._foreach_div_([one.grad for one in parameters if one.grad is not None], loss_scale)
        nn.utils.clip_grad_norm_(parameters, limit)

    found = mw.first_difference(model, batch, loss, step=stepping(unscale, limit))
    assert (found.module, found.direction) == ("step", "backward")
    assert says in found.reason
    assert mw.first_difference(model, batch, loss, step=healthy).module is None
    assert all(weight.grad is None for weight in trained)


@pytest.mark.parametrize(
    ("how", "says"), [("mask filled in", "raises RuntimeError"), ("mask added", "mul, in float16, inside it")]
)
def test_a_mask_of_minus_1e9(architectures, how, says):
    model, batch, loss = attention(architectures, how)
    found = mw.first_difference(model, batch, loss)
    assert (found.module, found.direction) == ("bert.encoder.layer.0.attention.self", "forward")
    assert says in found.reason
    assert mw.first_difference(model, batch, loss, "bf16").module is None


class OwnNorm(nn.Module):
    """An RMS norm that sums its squares in the format of its input: at once, or one by one."""

    def __init__(self, weight, one_by_one=False):
        super().__init__()
        self.weight, self.one_by_one = weight, one_by_one

    def forward(self, x):
        squares = x.pow(2)
        if self.one_by_one:
            total = torch.zeros_like(x[..., 0])
            for square in squares.unbind(-1):
                total = total + square
            mean = (total / x.shape[-1]).unsqueeze(-1)
        else:
            mean = squares.mean(-1, keepdim=True)
        return self.weight * x * torch.rsqrt(mean + 1e-6)


def test_a_norm_whose_squares_overflow(architectures):
    model, batch, loss = architectures.llama()
    with torch.no_grad():
        model.model.embed_tokens.weight.mul_(20_000)  # 400: its square is beyond float16
    model.model.layers[1].input_layernorm = OwnNorm(model.model.layers[1].input_layernorm.weight)
    found = mw.first_difference(model, batch, loss)
    assert (found.module, found.direction) == ("model.layers.1.input_layernorm", "forward")
    assert "pow, in float16" in found.reason
    assert mw.first_difference(model, batch, loss, "bf16").module is None


def test_a_norm_whose_sum_stagnates(architectures):
    model, batch, loss = architectures.llama(
        hidden_size=4096, intermediate_size=8, num_hidden_layers=1, num_attention_heads=2, head_dim=8
    )
    with torch.no_grad():  # squares of 0.45, and above 1,024 the spacing of float16 is 1
        model.model.embed_tokens.weight.fill_(0.67).add_(torch.randn(50, 4096), alpha=0.005)
    assert mw.first_difference(model, batch, loss).module is None
    weight = model.model.layers[0].input_layernorm.weight
    model.model.layers[0].input_layernorm = OwnNorm(weight, one_by_one=True)
    found = mw.first_difference(model, batch, loss)
    assert (found.module, found.direction) == ("model.layers.0.input_layernorm", "forward")


class Residual(nn.Module):
    def __init__(self, inner, dtype):
        super().__init__()
        self.inner, self.dtype = inner, dtype

    def forward(self, x):
        return (x.to(self.dtype) + self.inner(x).to(self.dtype)).to(x.dtype)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
def test_a_residual_in_another_dtype(architectures, dtype):
    model, batch, loss = architectures.gpt2()
    model.transformer.h[1].mlp = Residual(model.transformer.h[1].mlp, dtype)
    found = mw.first_difference(model, batch, loss)
    if dtype == torch.float32:  # which is no worse
        assert found.module is None
    else:
        assert (found.module, found.direction) == ("transformer.h.1.mlp", "forward")
        assert "cast to bfloat16, whose unit roundoff is 2^-8" in found.reason


class Float8Linear(nn.Linear):
    scale = 1e-4

    def forward(self, x):
        narrow = (x / self.scale).clamp(-448, 448).to(torch.float8_e4m3fn)
        return functional.linear(narrow.to(x.dtype) * self.scale, self.weight, self.bias)


@pytest.mark.parametrize(("scale", "says"), [(1e-4, "reach its end, 448"), (1e3, "become 0")])
def test_a_layer_cast_to_e4m3_with_a_stale_scale(architectures, scale, says):
    model, batch, loss = architectures.vit()
    layer = model.vit.layers[1].mlp.fc1
    layer.__class__, layer.scale = Float8Linear, scale
    found = mw.first_difference(model, batch, loss)
    assert (found.module, found.direction) == ("vit.layers.1.mlp.fc1", "forward")
    assert "cast to float8_e4m3fn" in found.reason
    assert says in found.reason
    assert found.table[found.table.direction == "forward"].verdict.eq("off").sum() == 1


def test_layer_scale_of_1e_6_is_lost_in_float16(architectures):
    """ConvNeXt's own start: autocast multiplies by it in float32, pure float16 loses the whole branch."""
    model, batch, loss = architectures.convnext(layer_scale=1e-6)
    found = mw.first_difference(model, batch, loss)
    layer = "convnext.encoder.stages.0.layers.0"  # which multiplies; drop_path only passes the zeros on
    assert (found.module, found.direction) == (layer, "forward")
    assert f"its input to {layer}.drop_path" in found.reason
    assert "too small for float16" in found.reason
    assert mw.first_difference(model, batch, loss, "amp_fp16").module is None


def test_a_checkpointed_model(architectures):
    model, batch, loss = architectures.llama()
    model.gradient_checkpointing_enable()
    with pytest.raises(ValueError, match=r"gradient_checkpointing_disable\(\)"):
        mw.first_difference(model.train(), batch, loss)
    model.gradient_checkpointing_disable()
    assert mw.first_difference(model, batch, loss).module is None
