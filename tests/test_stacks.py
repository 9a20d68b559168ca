"""Who disagrees: the traps that are known, asked live."""

import math

import numpy as np
import pytest

import mixwidgets as mw


def rows(value, name):
    return {row.library.split()[0]: row for row in mw.cast_everywhere(value, name)}


def test_a_text_is_rounded_twice_by_whoever_takes_a_double():
    found = rows("2049.0000000000000001", "float16")
    assert found["exact"].value == 2050
    assert found["numpy"].value == 2048 == float(np.float16("2049.0000000000000001"))
    assert found["numpy"].differs
    assert found["numpy"].reason == "rounded twice: first to float64, 2049.0"


def test_a_double_is_rounded_twice_by_whoever_goes_through_float32():
    found = rows(1 + 2**-8 + 2**-40, "bfloat16")
    assert found["exact"].value == found["gfloat"].value == 1.0078125
    assert found["ml_dtypes"].value == 1
    assert found["ml_dtypes"].reason == "rounded twice: first to float32, 1.00390625"
    assert not found["gfloat"].differs


def test_what_each_library_says_is_what_it_does():
    import ml_dtypes
    import torch

    found = rows(464.0001, "float8_e4m3fn")
    # What torch does out of range has changed between its releases: it is asked, never asserted.
    theirs = float(torch.tensor(464.0001, dtype=torch.float64).to(torch.float8_e4m3fn))
    assert found["torch"].value == pytest.approx(theirs, rel=0, nan_ok=True)
    assert found["torch"].differs == (not math.isnan(found["torch"].value))
    theirs = float(np.float64(464.0001).astype(ml_dtypes.float8_e4m3fn))
    assert math.isnan(found["ml_dtypes"].value) == math.isnan(theirs)


@pytest.mark.parametrize(
    ("value", "name", "ours", "theirs", "code", "reason"),
    [
        (3, "float8_e8m0fnu", 4.0, 2.0, "0x80", "a tie, which it gives to the other neighbour"),
        (0, "float8_e8m0fnu", math.nan, 0.0, "", "float8_e8m0fnu has no such value"),
        (-1, "binary8p4ue", math.nan, -1.0, "", "binary8p4ue has no such value"),
        (1e9, "binary8p4sf", 240.0, math.nan, "0x80", "another overflow policy: it gives nan"),
        (1e9, "binary8p4se", math.inf, math.inf, "0x7F", ""),
        (2.6, "binary6p3uf", 2.5, 2.5, "0x25", ""),
    ],
)
def test_gfloat_has_scales_and_p3109(value, name, ours, theirs, code, reason):
    found = rows(value, name)
    assert found["exact"].value == pytest.approx(ours, rel=0, nan_ok=True)
    row = found["gfloat"]
    assert row.value == pytest.approx(theirs, rel=0, nan_ok=True)
    assert (row.code, row.differs, row.reason) == (code, bool(reason), reason)


def test_all_agree_where_nothing_is_at_stake():
    casts = mw.cast_everywhere("0.5", "float16")
    assert casts.differing == []
    assert [row.code for row in casts if row.code] == ["0x3800"] * 4  # ml_dtypes has no float16 of its own


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("nan", "float4_e2m1fn"),
        ("-inf", "float8_e4m3fnuz"),
        (-1, "float8_e8m0fnu"),
        (1e400, "tf32"),
        ("1e400", "fp16"),
    ],
)
def test_the_corners_give_rows_for_every_library(value, name):
    casts = mw.cast_everywhere(value, name)
    assert [row.library.split()[0] for row in casts] == ["exact", "numpy", "torch", "ml_dtypes", "gfloat"]
    for row in casts:
        assert row.reason or not row.differs
        assert row.value is None or isinstance(row.value, float)
    assert repr(casts).startswith(str(value))


def test_a_library_that_is_missing_is_left_out(monkeypatch):
    import mixwidgets.floats.stacks as stacks

    monkeypatch.setattr(stacks, "find_spec", lambda name: None if name == "torch" else object())
    libraries = [row.library.split()[0] for row in mw.cast_everywhere(1, "float16")]
    assert libraries == ["exact", "numpy", "ml_dtypes", "gfloat"]


@pytest.mark.parametrize(
    ("value", "name"), [("0x7C00", "float16"), ("abc", "float16"), (1, "fp8"), (None, "float16")]
)
def test_bad_input(value, name):
    with pytest.raises((ValueError, TypeError)):
        mw.cast_everywhere(value, name)
