"""The cells of the experiments in few bits, against oracles written out here."""

import math
from concurrent.futures import ThreadPoolExecutor

import ml_dtypes
import numpy as np
import pytest
import torch
from torch import nn

import mixwidgets as mw
from benchmarks.experiments import gradient_errors, rounded_sums, shrinkage
from benchmarks.experiments.__main__ import measure
from benchmarks.experiments.cells import Training, arithmetic
from benchmarks.experiments.row import Row
from benchmarks.experiments.stored_weights import Stored

E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])


def to_e2m1(x):
    """The nearest value, of two the smaller: no tie occurs below."""
    return np.copysign(E2M1[np.abs(np.abs(x)[..., None] - E2M1).argmin(-1)], x)


def test_shrinkage_is_the_mean_of_x_times_its_rounded_value():
    x = np.random.default_rng(3).standard_normal((1024, 1024), np.float32).astype(np.float64)
    blocks = x.reshape(-1, 32)
    for rule, exponent in (("FLOOR", np.floor), ("CEIL", np.ceil)):
        unit = 2.0 ** (exponent(np.log2(np.abs(blocks).max(1, keepdims=True))) - 2)
        rounded = to_e2m1(blocks / unit) * unit
        found = shrinkage.shrinkage("mxfp4", rule, 3)
        assert found["nearest"] == pytest.approx((blocks * rounded).sum() / (blocks**2).sum() - 1, abs=1e-9)
        largest = np.abs(blocks) == np.abs(blocks).max(1, keepdims=True)
        among = (blocks * rounded)[largest].sum() / (blocks[largest] ** 2).sum() - 1
        assert found["largest_nearest"] == pytest.approx(among, abs=1e-9)


def test_an_accumulator_has_14_bits():
    values = np.array([1 + 2**-13 + 2**-14, 5 - 2**-10, 3.0])
    assert list(rounded_sums._narrow(values, np.trunc)) == [1 + 2**-13, 5 - 2**-10, 3]
    assert list(rounded_sums._narrow(values, np.rint)) == [1 + 2**-12, 5 - 2**-10, 3]
    small = np.array([2**-20 * (1 + 2**-15)])
    assert rounded_sums._narrow(small, np.trunc) == 2**-20


def test_a_truncated_sum_is_added_up_32_products_at_a_time():
    a, b = np.random.default_rng(2).random((2, 256, 4096)).astype(ml_dtypes.float8_e4m3fn).astype(float)
    products = (a * b)[:4]
    total = [0.0] * 4
    for row in range(4):
        for at in range(0, 4096, 32):
            total[row] += math.fsum(products[row, at : at + 32])
            _, exponent = math.frexp(total[row])
            total[row] = math.ldexp(math.floor(math.ldexp(total[row], 14 - exponent)), exponent - 14)
    errors = [got / math.fsum(row) - 1 for got, row in zip(total, products, strict=True)]
    found = rounded_sums.accumulated("truncated", 4096, 2)
    assert found["error"] == pytest.approx(np.mean(errors), rel=0.1)
    assert found["greatest"] <= min(errors) < 0


def test_two_ways_of_one_policy_differ_by_their_format_alone():
    assert rounded_sums._apart(torch.float32, 0) < 1e-5
    assert rounded_sums._apart(torch.bfloat16, 0) > 1e-3


def test_an_attention_is_biased_only_where_p_is_1():
    assert rounded_sums.attention_rounded(0.0, 7)["error"] > 100 * abs(
        rounded_sums.attention_rounded(1.5, 7)["error"]
    )


def test_stored_weights_are_values_of_the_format():
    run = mw.Experiment(task="digits_mlp", steps=5, device="cpu")
    weight = torch.randn(40, 64)
    draws = np.random.default_rng(0)
    stored = Stored(run, "float8_e4m3fn")._stored(weight, draws)
    assert torch.equal(stored, weight.to(torch.float8_e4m3fn).float())
    stochastic = Stored(run, "float8_e4m3fn", "stochastic")
    one, other = (stochastic._stored(weight, draws) for _ in range(2))
    assert not torch.equal(one, other)
    assert torch.equal(one, one.to(torch.float8_e4m3fn).float())
    assert torch.equal(Stored(run, "nvfp4")._stored(stored, draws)[:, :16].unique(), _in_nvfp4(stored))
    assert Stored(run, "float32").measure(1)["loss"] == Training(run).measure(1)["loss"]
    assert Stored(run, "float8_e4m3fn").measure(1)["loss"] != Training(run).measure(1)["loss"]


def _in_nvfp4(weight):
    rounded = mw.get_block_format("nvfp4").quantize(weight.numpy(), axis=1).dequantized
    return torch.from_numpy(rounded[:, :16]).float().unique()


def test_layers_are_watched_with_what_their_weight_gradient_is_made_of():
    model = nn.Sequential(nn.Linear(6, 5), nn.ReLU(), nn.Linear(5, 4))
    x = torch.randn(2, 3, 6)
    found = gradient_errors.watched(model, lambda: model(x).square().mean())
    assert list(found) == ["2", "0"]
    for name, layer in (("0", model[0]), ("2", model[2])):
        given, weight, dy = found[name]
        assert torch.equal(weight, layer.weight)
        torch.testing.assert_close(dy.T @ given, layer.weight.grad)


@pytest.mark.parametrize("way", ["nearest", "Hadamard"])
def test_the_error_of_a_weight_gradient_is_that_of_both_operands_rounded(way):
    generator = torch.Generator().manual_seed(0)
    x, weight, dy = (torch.randn(shape, generator=generator) for shape in ((64, 32), (48, 32), (64, 48)))
    matrix = np.eye(16)
    if way == "Hadamard":
        signs = mw.floats.formats.hadamard.random_signs(5)
        matrix = mw.floats.formats.hadamard.hadamard(signs=signs.tolist())
    turned_x, turned_dy = (
        np.concatenate([matrix.T @ rows for rows in np.split(tensor.double().numpy(), 4)])
        for tensor in (x, dy)
    )
    rounded_x, rounded_dy = (
        mw.get_block_format("nvfp4").quantize(turned.astype(np.float32), axis=0).dequantized
        for turned in (turned_x, turned_dy)
    )
    exact = (dy.double().T @ x.double()).numpy()
    found = gradient_errors._errors("nvfp4", way, (x, weight, dy), 5)
    assert found["dw"] == pytest.approx(_relative(rounded_dy.T @ rounded_x, exact), rel=1e-3)
    assert found["dy"] == pytest.approx(_relative(rounded_dy, turned_dy), rel=1e-3)


def _relative(found, exact):
    return np.linalg.norm(found - exact) / np.linalg.norm(exact)


def test_a_cell_of_two_rows_is_measured_once():
    measured = []

    def figures(what, seed):
        """What is measured."""
        measured.append((what, seed))
        return {"figure": seed}

    one, two, three = (arithmetic(figures, what) for what in ("one", "two", "three"))
    rows = [
        Row(title="", columns=(), cells=cells, claims=())
        for cells in ({"a": one, "b": two}, {"c": two, "d": three})
    ]
    futures = {}
    with ThreadPoolExecutor(1) as pool:
        first, second = (measure(row, 2, pool, futures) for row in rows)
    assert sorted(measured) == [(what, seed) for what in ("one", "three", "two") for seed in (0, 1)]
    assert first["cells"]["b"] == second["cells"]["c"]
    assert [seed["figure"] for seed in second["cells"]["d"]["seeds"]] == [0, 1]
