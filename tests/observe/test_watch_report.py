"""What a watcher says, on gradients made up so that the right figures are known by hand."""

import pytest
import torch
from torch import nn

from mixwidgets.diagnosis.watching.watch import watch


def report_on(gradient, format="float16", scaler=None):
    """The report on a parameter of this gradient, named conv3.weight."""
    gradient = torch.as_tensor(gradient, dtype=torch.float32)
    model = nn.ModuleDict({"conv3": nn.ParameterDict({"weight": nn.Parameter(torch.zeros(len(gradient)))})})
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with watch(model, optimizer, scaler, every=1, format=format) as watcher:
        loss = (model["conv3"]["weight"] * gradient).sum()
        (scaler.scale(loss) if scaler else loss).backward()
        scaler.step(optimizer) if scaler else optimizer.step()
        if scaler:
            scaler.update()
    return watcher.report()


def finding(*args, **options):
    return report_on(*args, **options).finding.item()


def powers(*counts):
    """So many values of each power of two, of both signs."""
    values = [2.0**exponent for count, exponent in counts for _ in range(count)]
    return [value if index % 2 else -value for index, value in enumerate(values)]


def test_flushed_gradients_and_the_scale_that_keeps_them():
    # float16 flushes up to half its smallest subnormal, 2^-25: 2^-35 is kept from 2^11 on, 2^-29 from 2^5.
    # Fewest are subnormal (below 2^-14) from 2^15 on, where 2^-6 is 2^9, 6 doublings from overflow at 2^16.
    gradient = powers((31, -35), (10, -29), (59, -6))
    assert finding(gradient) == (
        "conv3.weight: 41 % of non-zero gradients flushed in float16 at S = 1; none at S ≥ 2^11; "
        "2^15 is safe with 6 binades of headroom"
    )


def test_the_scale_in_use_is_the_scalers():
    gradient = powers((31, -35), (10, -29), (59, -6))
    by = torch.amp.GradScaler("cpu", init_scale=2.0**8)
    assert finding(gradient, scaler=by).startswith(
        "conv3.weight: 31 % of non-zero gradients flushed in float16 at S = 2^8; none at S ≥ 2^11;"
    )


def test_a_finding_speaks_the_language_of_widgets(monkeypatch):
    monkeypatch.setenv("MIXWIDGETS_LANG", "zh")
    assert finding(powers((31, -35), (10, -29), (59, -6))) == (
        "conv3.weight：S = 1 时，float16 使非零梯度中的 41 % 归零；S ≥ 2^11 时全部保留；"
        "S = 2^15 是安全的，离上溢还有 6 个二进区间"
    )
    assert finding([torch.nan, 0.0]) == "conv3.weight：2 个梯度中有 1 NaN；其余的梯度都是零"


def test_zeros_are_no_loss():
    assert finding([*powers((3, -30), (1, 0)), *[0.0] * 96]).startswith("conv3.weight: 75 % of non-zero")


def test_gradients_that_need_no_scale():
    # 2^4 × 2^11 = 2^15 is the last power of two below float16's overflow.
    assert finding(powers((10, 4))) == (
        "conv3.weight: no gradient flushed in float16 at S = 1; 1 is safe with 11 binades of headroom"
    )


def test_gradients_that_overflow():
    # 2^17 needs S ≤ 2^-2; with room for four doublings more, 2^-6.
    assert finding(powers((1, 17), (3, 0))) == (
        "conv3.weight: no gradient flushed in float16 at S = 1; 25 % overflow there; "
        "2^-6 is safe with 4 binades of headroom"
    )


def test_a_range_too_wide_for_the_format():
    # 16 × S × 2^8 < 65520 allows S = 8 at most; 2^-40 needs 2^16.
    assert finding(powers((1, -40), (199, 8))) == (
        "conv3.weight: 0.5 % of non-zero gradients flushed in float16 at S = 1; none at S ≥ 2^16; "
        "1 is safe with 7 binades of headroom, though it flushes 0.5 %"
    )


def test_shares_are_never_rounded_to_none_or_to_all():
    rare = finding(powers((1, -60), (19_999, -6)))
    assert "under 0.01 % of non-zero gradients flushed" in rare
    assert "99 % of non-zero gradients flushed" in finding(powers((999, -60), (1, -6)))
    assert "100 % of non-zero gradients flushed" in finding(powers((7, -60)))


def test_what_is_not_finite_comes_first():
    gradient = [torch.inf, -torch.inf, torch.nan, 1.0, 0.0]
    assert finding(gradient) == (
        "conv3.weight: 2 inf and 1 NaN among 5 gradients; no gradient flushed in float16 at S = 1; "
        "1 is safe with 15 binades of headroom"
    )
    assert finding([torch.nan, 0.0]) == "conv3.weight: 1 NaN among 2 gradients; every other gradient is zero"
    assert finding([torch.nan, torch.nan]) == "conv3.weight: 2 NaN among 2 gradients"


def test_subnormals_and_their_error_are_told():
    # 3 × 2^-24 of float16's smallest subnormal, 2^-24, is exact; a quarter more is lost by rounding.
    said = finding([3.25 * 2.0**-24] * 8)
    assert said.startswith(
        "conv3.weight: no gradient flushed in float16 at S = 1; 100 % subnormal there; relative error about "
    )
    error = float(said.partition("about ")[2].partition(" %")[0])
    assert 1 < error < 15  # the exact one is 7.7 %; a summary estimates


def test_all_zero():
    table = report_on([0.0, 0.0])
    assert table.finding.item() == "conv3.weight: every gradient is zero"
    assert table.best_loss_scale.isna().all()


def test_another_format():
    # bfloat16 has float32's exponents: 2^-35 is well inside.
    said = finding(powers((31, -35), (69, -6)), format="bfloat16")
    assert said.startswith("conv3.weight: no gradient flushed in bfloat16 at S = 1; 1 is safe with")
    assert "flushed in float8_e4m3fn at S = 1" in finding([2.0**-12, 1.0], format="float8_e4m3fn")


def test_a_scale_that_is_no_power_of_two():
    # 2^-35 × 1000 is flushed, 2^-29 × 1000 is not, whatever the rest of their cells.
    by = torch.amp.GradScaler("cpu", init_scale=1000.0)
    said = finding(powers((25, -35), (25, -29), (50, -6)), scaler=by)
    assert "25 % of non-zero gradients flushed in float16 at S = 1000; none at S ≥ 2^11" in said


def test_the_table_has_the_counts_beside_the_words():
    table = report_on([*powers((31, -35), (10, -20), (58, -6)), 0.0])
    row = table.iloc[0]
    assert (row["step"], row["name"], row["loss_scale"], row["count"]) == (1, "conv3.weight", 1.0, 100)
    assert row[["zero", "flushed", "subnormal", "normal", "overflow", "inf", "nan"]].tolist() == [
        1,
        31,
        10,
        58,
        0,
        0,
        0,
    ]
    assert row["best_loss_scale"] == pytest.approx(2.0**11)
