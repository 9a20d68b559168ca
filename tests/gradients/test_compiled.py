"""Counting by NumPy and by the loop that numba compiles: the same counts."""

import math
import subprocess
import sys
import textwrap
import types
from functools import cache

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixwidgets.floats.gradients import histogram as counting
from mixwidgets.floats.gradients import loops
from mixwidgets.floats.gradients.boundaries import catalogue_cuts
from mixwidgets.floats.gradients.histogram import COMPILED_FROM, histogram
from mixwidgets.floats.gradients.summary import GradientSummary


def both(values: np.ndarray) -> tuple[GradientSummary, GradientSummary]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "COMPILED_FROM", 0)
        found = GradientSummary.of(values)
        patch.setattr(counting, "COMPILED_FROM", math.inf)
        return found, GradientSummary.of(values)


def edges(dtype: type[np.floating]) -> np.ndarray:
    """Every binade: both sides of each cut and of each key's start, both signs; zeros, inf and NaN."""
    word, bits, fraction_bits = (np.uint64, 64, 52) if dtype is np.float64 else (np.uint32, 32, 23)
    cuts = [-(-cut >> (52 - fraction_bits)) for cut in catalogue_cuts()]
    starts = range(0, 1 << fraction_bits, 1 << (bits - 16))
    fractions = np.array([f + d for f in (*cuts, *starts) for d in (-1, 0, 1)], dtype=np.int64)
    exponents = np.arange(1 << (bits - 1 - fraction_bits), dtype=np.int64)[:, None] << fraction_bits
    codes = np.append((exponents + fractions).reshape(-1), [0, 0]).astype(word) & word((1 << (bits - 1)) - 1)
    return np.concatenate([codes, codes | word(1 << (bits - 1))]).view(dtype)


@cache
def cases() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(3)
    spread = (rng.standard_normal(200_000) * np.exp2(rng.uniform(-60, 5, 200_000))).astype(np.float32)
    codes = np.arange(65536, dtype=np.uint16)
    return {
        "edges32": edges(np.float32),
        "edges64": edges(np.float64),
        "spread": spread,
        "spread64": spread * 1e-30,
        "half zeros": np.where(rng.random(200_000) < 0.5, np.float32(0), spread),
        "powers of two": np.exp2(rng.integers(-149, 128, 200_000)).astype(np.float32),
        "any bits": rng.integers(0, 2**32, 200_000, dtype=np.uint32).view(np.float32),
        "float16": codes.view(np.float16),
        "bfloat16": codes.view(ml_dtypes.bfloat16),
        "zeros": np.zeros(70_000, dtype=np.float32),
        "one": np.ones(1, dtype=np.float32),
        "none": np.zeros(0, dtype=np.float32),
    }


@pytest.mark.parametrize("name", cases())
def test_the_same_summary_both_ways(name: str) -> None:
    values = cases()[name]
    assert loops.count.signatures is not None, "numba is among the test requirements"
    found, plain = both(values)
    assert found == plain
    assert found.samples.tolist() == plain.samples.tolist()
    assert found.count == len(values)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 2**64 - 1), max_size=40))
def test_any_bits_both_ways(codes: list[int]) -> None:
    words = np.array(codes, dtype=np.uint64)
    for values in (words.view(np.float64), words.view(np.float32)):
        found, plain = both(values)
        assert found == plain


@pytest.mark.parametrize(
    "cuts", [(1,), (1, 2**51), (1, 2**51 + 1, 2**51 + 2**40), (1, 7, 2**50 + 1, 2**52 - 9)]
)
def test_other_cuts_both_ways(cuts: tuple[int, ...]) -> None:
    """Beside brute force: by the whole fraction of each value."""
    rng = np.random.default_rng(1)
    near = [cut + delta for cut in cuts for delta in (-1, 0, 1)]
    fractions = np.array([*near, *rng.integers(0, 2**52, 500).tolist()], dtype=np.uint64)
    values = (np.uint64(1023 << 52) + fractions).view(np.float64)
    expected = np.bincount(
        np.searchsorted(cuts, fractions.astype(np.int64), side="right"), minlength=len(cuts) + 1
    )
    for least in (0, math.inf):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(counting, "COMPILED_FROM", least)
            found = histogram(values, cuts)
        assert found.exponents == (0,)
        assert found.cells.tolist() == [expected.tolist()]


def run(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_numba_is_loaded_for_a_large_array() -> None:
    code = f"""
        import sys, numpy as np
        from mixwidgets.floats.gradients.summary import GradientSummary
        GradientSummary.of(np.ones({COMPILED_FROM - 1}, dtype=np.float32))
        print("numba" in sys.modules)
        GradientSummary.of(np.ones({COMPILED_FROM}, dtype=np.float32))
        print("numba" in sys.modules)
    """
    assert run(code).split() == ["False", "True"]


def test_what_was_counted_before_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few values are counted by NumPy even after numba was loaded for many; few of many by numba."""
    used = []
    loop = counting._compiled_loop()

    def spy(*arguments: object) -> None:
        used.append(len(arguments[0]))
        loop(*arguments)

    monkeypatch.setattr(counting, "_compiled_loop", lambda: spy)
    few, many = np.ones(100_000, dtype=np.float32), np.ones(COMPILED_FROM, dtype=np.float32)
    for values, together in ((few, 0), (many, 0), (few, 0), (few, len(many))):
        counts = counting.count_cells(values, catalogue_cuts(), together)
        assert counts.sum() == len(values)
    assert used == [len(many), len(few)]


def test_without_numba_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, loops.__name__)
    monkeypatch.setitem(sys.modules, "numba", None)  # importing it raises ModuleNotFoundError
    assert counting._compiled_loop.__wrapped__() is None


def test_where_machine_code_cannot_be_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the loop as Python runs it."""

    def njit(**options: bool) -> object:
        if "cache" in options:
            raise RuntimeError("cannot cache function: no locator available")
        return lambda function: function

    monkeypatch.delitem(sys.modules, loops.__name__)
    monkeypatch.setitem(sys.modules, "numba", types.SimpleNamespace(njit=njit))
    values = edges(np.float32)[::7]
    monkeypatch.setattr(counting, "COMPILED_FROM", math.inf)
    expected = histogram(values, catalogue_cuts())
    loop = counting._compiled_loop.__wrapped__()
    assert isinstance(loop, types.FunctionType)
    monkeypatch.setattr(counting, "COMPILED_FROM", 0)
    monkeypatch.setattr(counting, "_compiled_loop", lambda: loop)
    found = histogram(values, catalogue_cuts())
    assert found.cells.tolist() == expected.cells.tolist()
    assert found[:1] + found[3:] == expected[:1] + expected[3:]
