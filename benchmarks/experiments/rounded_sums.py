"""Rows 16 and 19: what is rounded inside a product, a policy and an attention, as arithmetic."""

from collections.abc import Callable
from functools import partial

import numpy as np
import torch
from torch import Tensor

from benchmarks.experiments.cells import Figures, arithmetic
from benchmarks.experiments.claims import Claim
from benchmarks.experiments.row import Row
from mixwidgets.floats.formats.catalogue import get_format
from mixwidgets.runs.training.precision import DTYPES

_AT_ONCE = 32  # products that an instruction of Hopper's FP8 tensor cores adds to an accumulator
_FRACTION_BITS = 13  # of the accumulator; with the leading bit 14, as DeepSeek-V3 found
_PROMOTED_EVERY = 128

Array = np.ndarray


def accumulated(round: str, promoted_every: int, seed: int) -> Figures:
    """256 dot products of 4,096 E4M3 values, uniform in 0 … 1: 32 exact products at a time are added to an
    accumulator with 13 fraction bits, which truncates or rounds; it is added to a float32 sum after so many
    products. "error" is the mean relative error, "greatest" the one of greatest magnitude."""
    values = np.random.default_rng(seed).random((2, 256, 4096))
    a, b = get_format("float8_e4m3fn").round(values)
    groups = (a * b).reshape(256, -1, _AT_ONCE).sum(2)  # exact: few bits each
    total = np.zeros(256, np.float32)
    for promoted in np.split(groups, 4096 // promoted_every, axis=1):
        sums = np.zeros(256)
        for group in promoted.T:
            sums = _narrow(sums + group, np.trunc if round == "truncated" else np.rint)
        total += sums.astype(np.float32)
    errors = total / groups.sum(1) - 1
    return {"error": errors.mean(), "greatest": errors[np.abs(errors).argmax()]}


def _narrow(values: Array, to_integer: Callable[[Array], Array]) -> Array:
    significand, exponent = np.frexp(values)
    bits = _FRACTION_BITS + 1
    return np.ldexp(to_integer(np.ldexp(significand, bits)), exponent - bits)


def policy_apart(seed: int) -> Figures:
    """One policy of random weights (width 256, two residual blocks, 96 tokens) for 4,096 states, computed
    with whole products and with the sum of two halves of each: the mean |Δ log p| of a token drawn from it.
    Weights and activations are in the format, a product's sums in float32."""
    found = {format: _apart(DTYPES[format], seed) for format in ("bfloat16", "float16")}
    return {**found, "ratio": found["bfloat16"] / found["float16"]}


def _apart(dtype: torch.dtype, seed: int) -> float:
    generator = torch.Generator().manual_seed(seed)
    draw = partial(torch.randn, generator=generator)
    states = draw(4096, 256)
    blocks = [(draw(1024, 256) / 16, draw(256, 1024) / 32) for _ in range(2)]
    head = draw(96, 256) / 16
    whole, halves = (_log_policy(states, blocks, head, dtype, parts) for parts in (1, 2))
    tokens = torch.multinomial(whole.exp(), 1, generator=generator)
    return (whole - halves).gather(1, tokens).abs().mean().item()


def _log_policy(
    x: Tensor, blocks: list[tuple[Tensor, Tensor]], head: Tensor, dtype: torch.dtype, parts: int
) -> Tensor:
    """(n, tokens), in float32 from the logits on."""

    def narrow(values: Tensor) -> Tensor:
        return values.to(dtype).float()

    def product(x: Tensor, weight: Tensor) -> Tensor:
        pairs = zip(x.chunk(parts, 1), narrow(weight).chunk(parts, 1), strict=True)
        first, *rest = (narrow(a @ b.T) for a, b in pairs)
        for more in rest:
            first = narrow(first + more)
        return first

    x = narrow(x)
    for expand, contract in blocks:
        normed = narrow(x / x.square().mean(1, keepdim=True).sqrt())
        x = narrow(x + product(narrow(torch.relu(product(normed, expand))), contract))
    x = narrow(x / x.square().mean(1, keepdim=True).sqrt())
    return torch.log_softmax(product(x, head), 1)


def attention_rounded(shift: float, seed: int) -> Figures:
    """65,536 rows Σ p v over 64 keys: v is BF16 and in −2 … −1, p is BF16 and exp(logit − greatest − shift);
    two keys share the greatest logit, the others are 10 … 14 below it. The sum is in float32 and then rounded
    to BF16. "error" is the mean relative error, "outward" the share of rows whose magnitude grows."""
    generator = torch.Generator().manual_seed(seed)
    rows, keys = 65_536, 64
    below = 10 + 4 * torch.rand(rows, keys, generator=generator)
    below[:, :2] = 0
    p = (-below - shift).exp().bfloat16().double()
    v = -(1 + torch.rand(rows, keys, generator=generator)).bfloat16().double()
    exact = (p * v).sum(1)
    errors = exact.float().bfloat16().double() / exact - 1
    return {"error": errors.mean().item(), "outward": (errors > 0).double().mean().item()}


_TENSOR_CORES = "arXiv:2412.19437, section 3.3.2: about 14 bits, at K = 4096 a greatest error of nearly 2 %"
_TRUNCATED = "PeerJ Computer Science 7:e330: the additions of a V100's, T4's and A100's tensor cores truncate"
_MISMATCH = "arXiv:2510.26788: FP16 reduces the mismatch up to 24 times"
_BIASED = "arXiv:2510.04212: rounding is biased where several p are 1, and a shift of the maximum mends it"

ROWS: dict[str, Row] = {
    "16": Row(
        title="Sums of 4,096 products in a tensor core's accumulator of 14 bits",
        columns=("error", "greatest"),
        cells={
            "truncated": arithmetic(accumulated, "truncated", 4096),
            "rounded": arithmetic(accumulated, "rounded", 4096),
            "truncated, promoted every 128": arithmetic(accumulated, "truncated", _PROMOTED_EVERY),
        },
        claims=(
            Claim("error", "truncated", "≈", -0.0026, within=1e-4, published=_TENSOR_CORES),
            Claim("error", "truncated", "<", "rounded", published=_TRUNCATED),
            Claim("error", "rounded", "≈", 0.0, within=2e-5),
            Claim("error", "truncated, promoted every 128", "≈", -0.0001, within=2e-5),
        ),
    ),
    "19a": Row(
        title="The log-probabilities of one policy, computed in two ways",
        columns=("bfloat16", "float16", "ratio"),
        cells={"whole products and halves": arithmetic(policy_apart)},
        claims=(Claim("ratio", "whole products and halves", "≈", 8.0, within=0.5, published=_MISMATCH),),
    ),
    "19b": Row(
        title="Σ p v of an attention, rounded to BF16",
        columns=("error", "outward"),
        cells={
            "two p are 1": arithmetic(attention_rounded, 0.0),
            "no p is 1": arithmetic(attention_rounded, 1.5),
        },
        claims=(
            Claim("error", "two p are 1", ">", 0.0, published=_BIASED),
            Claim("error", "two p are 1", ">", "no p is 1", published=_BIASED),
            Claim("error", "no p is 1", "≈", 0.0, within=2e-5),
        ),
    ),
}
