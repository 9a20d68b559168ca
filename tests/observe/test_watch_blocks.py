"""What watch records of block formats, beside ml_dtypes' casts of the tensors that the loop has."""

import numpy as np
import pandas as pd
import pytest
import torch
from torch import nn
from torch.nn import functional

from mixwidgets.diagnosis.watching.watch import watch
from mixwidgets.floats.formats.block_catalogue import get_block_format
from mixwidgets.floats.gradients.summary import GradientSummary
from mixwidgets.floats.widgets.loss_scale_explorer.widget import LossScaleExplorer
from mixwidgets.runs.store.run import open_run
from tests.gradients.block_oracle import FORMATS, in_blocks
from tests.observe.watch_twins import Twin, assert_same

ALL = ("gradients", "activations", "activation_gradients", "weights")


class Net(nn.Module):
    """Its second layer is called twice."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(5, 4, 3)
        self.fc = nn.Linear(24, 24)

    def forward(self, x):
        return self.fc(functional.gelu(self.fc(self.conv(x).reshape(len(x), 2, 24))))


def net():
    model = Net()
    with torch.no_grad():
        for weight in model.parameters():
            weight.mul_(torch.exp2(torch.randint(-8, 3, weight.shape)))
    return model


def twin(**options):
    return Twin(model=net, batch=lambda: torch.randn(6, 5, 5, 6), loss=lambda y: (y**2).mean(), **options)


def numbers(record):
    names = in_blocks(np.ones((1, 2)), "mxfp4")
    return {name: getattr(record, name) for name in names}


@pytest.mark.parametrize("fmt", FORMATS)
def test_gradients_and_weights_in_blocks_along_the_axes_of_the_sum(fmt):
    loop = twin()
    with watch(loop.net, loop.steps_by, of=("gradients", "weights"), block_formats=fmt) as watcher:
        loop.step()
    for name, weight in loop.net.named_parameters():
        for own, values in ((name, weight.grad), (f"{name} value", weight.detach())):
            rows = values.reshape(len(values), -1) if values.dim() > 1 else values[None]
            record = watcher.summaries[own].in_blocks(fmt)
            assert numbers(record) == pytest.approx(in_blocks(rows, fmt), rel=1e-5), own
            axes = {"conv.weight": "axes 1–3", "fc.weight": "axis 1"}.get(name, "axis 0")
            assert record.blocks_along == axes


def test_outputs_in_blocks_along_their_last_axis_in_all_calls():
    loop, outputs, gradients = twin(), [], []

    def look(module, args, output):
        outputs.append(output.detach())
        output.register_hook(gradients.append)

    handle = loop.net.fc.register_forward_hook(look)
    with watch(loop.net, loop.steps_by, of=ALL, block_formats=["mxfp4", "nvfp4"]) as watcher:
        loop.step()
    handle.remove()
    for name, tensors in (("fc output", outputs), ("fc output gradient", gradients)):
        rows = torch.cat([one.reshape(-1, 24) for one in tensors])
        record = watcher.summaries[name].in_blocks("mxfp4")
        assert record.blocks_along == "axis 2"
        assert numbers(record) == pytest.approx(in_blocks(rows, "mxfp4"), rel=1e-5)
        own = [
            in_blocks(one.reshape(-1, 24), "nvfp4") for one in tensors
        ]  # each has a tensor scale of its own
        assert watcher.summaries[name].in_blocks("nvfp4").flushed == sum(one["flushed"] for one in own)
    whole = watcher.summaries["Net output"].in_blocks("mxfp4")  # the second call's, under its other name
    assert numbers(whole) == pytest.approx(in_blocks(outputs[1].reshape(-1, 24), "mxfp4"), rel=1e-5)


def test_the_axis_can_be_chosen_for_tensors_that_have_it():
    loop = twin()
    with watch(loop.net, loop.steps_by, of=ALL, block_formats="mxfp6_e2m3", block_axis=1) as watcher:
        loop.step()
    along = {name: one.in_blocks("mxfp6_e2m3").blocks_along for name, one in watcher.summaries.items()}
    assert {along["conv.weight"], along["fc.weight"], along["conv output"], along["fc output"]} == {"axis 1"}
    assert along["fc.bias"] == "axis 0"


def test_a_loss_scale_is_taken_from_the_largest_values():
    loop = twin(scaler=torch.amp.GradScaler("cpu", init_scale=2.0**10))
    watcher = loop.run_watched(1, block_formats="nvfp4")
    rows = loop.net.fc.weight.grad  # as the scaler left it, unscaled
    assert numbers(watcher.summaries["fc.weight"].in_blocks("nvfp4")) == pytest.approx(
        in_blocks(rows, "nvfp4"), rel=1e-5
    )
    assert watcher.report("nvfp4").loss_scale.eq(2.0**10).all()


def test_the_scale_rule_can_be_chosen_and_is_recorded(tmp_path):
    loop = twin()
    formats = ["mxfp4", "mxfp8_e4m3"]
    with watch(
        loop.net, loop.steps_by, path=tmp_path / "run", block_formats=formats, scale_rule="RCEIL"
    ) as watcher:
        loop.step()
    gradient = loop.net.fc.weight.grad.numpy()
    for name in formats:
        record = open_run(tmp_path / "run").gradients()["fc.weight"].in_blocks(name)
        rounded = get_block_format(name).quantize(gradient, scale_rule="RCEIL").dequantized
        assert (record.scale_rule, record.clipped) == ("RCEIL", 0)
        assert record.relative_error == pytest.approx(
            np.linalg.norm(rounded - gradient) / np.linalg.norm(gradient)
        )
        assert (watcher.report(name).scale_rule == "RCEIL").all()


def test_training_does_not_change():
    plain = twin().run(3)
    loop = twin()
    watcher = loop.run_watched(3, of=ALL, block_formats=FORMATS)
    assert_same(loop.state(), plain.state())
    assert not any("stopped observing" in note for note in watcher.notes)


def test_a_report_in_a_block_format_and_the_run_that_keeps_it(tmp_path, monkeypatch):
    loop = twin()
    with watch(loop.net, loop.steps_by, path=tmp_path / "run", block_formats="mxfp4") as watcher:
        loop.step()
    table = watcher.report("MXFP4")
    row = table.set_index("name").loc["fc.weight"]
    expected = in_blocks(loop.net.fc.weight.grad, "mxfp4")
    assert [*table.columns][:6] == ["step", "name", "loss_scale", "count", "zero", "not_finite"]
    assert row[[*expected]].astype(float).to_dict() == pytest.approx(expected, rel=1e-5)
    assert (row["count"], row.blocks_along) == (24 * 24, "axis 1")
    assert row.finding.startswith("fc.weight: ")
    for part in (
        "of non-zero values flushed in mxfp4 by their block's scale; ",
        f"relative error {100 * expected['relative_error']:.2g} %; the largest value of a block is "
        f"2^{expected['block_range_p50']:.1f} times its smallest (median), "
        f"at most 2^{expected['block_range_max']:.1f}; blocks run along axis 1",
    ):
        assert part in row.finding
    recorded = open_run(tmp_path / "run").gradients()["fc.weight"]
    assert recorded.in_blocks("mxfp4") == watcher.summaries["fc.weight"].in_blocks("mxfp4")
    monkeypatch.setenv("MIXWIDGETS_LANG", "zh")
    assert "mxfp4 的块缩放使非零值中的" in watcher.report("mxfp4").finding[0]


def test_what_was_not_recorded_is_not_known():
    loop = twin()
    with watch(loop.net, loop.steps_by, block_formats="mxfp4") as watcher:
        loop.step()
    table = watcher.report("nvfp4")
    assert table[["flushed", "clipped", "relative_error", "block_amax_max"]].isna().all(axis=None)
    assert table["count"].sum() == sum(weight.numel() for weight in loop.net.parameters())
    assert table.finding[0] == (
        "conv.weight: what nvfp4 loses is not known from a summary; record it with "
        "watch(…, block_formats='nvfp4')"
    )
    assert isinstance(watcher.summaries["fc.weight"], GradientSummary)
    assert isinstance(watcher.report(), pd.DataFrame)


def test_wrong_block_formats_teach():
    loop = twin()
    for options, error, message in [
        ({"format": "mxfp4"}, ValueError, r"block_formats='mxfp4'\), and then report\('mxfp4'\)"),
        ({"block_formats": "float16"}, ValueError, "known: .*mxfp4"),
        ({"block_formats": "mxfp4", "block_axis": "1"}, TypeError, "number of an axis"),
        ({"block_formats": "mxfp4", "scale_rule": "TE"}, ValueError, "of mxfp4 is one of FLOOR, CEIL"),
        ({"scale_rule": "TE"}, ValueError, "is for block formats"),
    ]:
        with pytest.raises(error, match=message):
            watch(loop.net, loop.steps_by, **options)


@pytest.mark.parametrize("axis", [None, 0])
def test_a_sparse_gradient_has_the_blocks_of_a_dense_one(axis):
    found = []
    for sparse in (True, False):
        torch.manual_seed(0)
        table = nn.Embedding(64, 8, sparse=sparse)
        steps_by = torch.optim.SGD(table.parameters(), lr=0.1)
        with watch(table, steps_by, block_formats=FORMATS, block_axis=axis) as watcher:
            rows = table(torch.tensor([3, 40, 3, 63]))
            (rows * torch.logspace(-4, 2, 8)).square().sum().backward()
            steps_by.step()
        of_the_model = LossScaleExplorer(table, block_formats=FORMATS, block_axis=axis).blocks()
        found.append((watcher.summaries["weight"].blocks, of_the_model.to_dict("records")))
    assert found[0] == found[1]
    assert len(found[0][0]) == len(FORMATS)


def test_a_block_that_becomes_nan_is_not_told_as_fine():
    loop = twin()
    with watch(loop.net, loop.steps_by, block_formats="nvfp4") as watcher:
        nans = torch.tensor([3]), float("nan")
        loop.net.fc.weight.register_hook(lambda gradient: gradient.index_fill(0, *nans))
        loop.step()
    found = watcher.report("nvfp4").set_index("name").loc["fc.weight"]
    assert found.relative_error == np.inf
    assert "24 NaN among 576 gradients; " in found.finding
    assert "; blocks with an inf or a NaN become NaN, all of them; " in found.finding
