"""GradientSummary against brute force, NumPy and ml_dtypes; its bytes; what it refuses."""

import json
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixwidgets.floats.formats.catalogue import p3109
from mixwidgets.floats.formats.float_format import FloatFormat
from mixwidgets.floats.gradients.boundaries import BINADE, boundaries
from mixwidgets.floats.gradients.summary import GradientCounts, GradientSummary
from tests.gradients.gradient_oracle import CLASSES, FORMATS, classify, counts

VECTORS = json.loads(
    (Path(__file__).parent.parent / "vectors" / "gradients.json").read_text(encoding="utf-8")
)
NUMPY_TYPES = {
    "float64": np.float64,
    "float32": np.float32,
    "float16": np.float16,
    "bfloat16": ml_dtypes.bfloat16,
    "float8_e5m2": ml_dtypes.float8_e5m2,
}


@pytest.mark.parametrize("case", VECTORS["cases"], ids=lambda case: case["name"])
def test_shared_vectors(case: dict) -> None:  # type: ignore[type-arg]
    summary = GradientSummary.from_bytes(bytes.fromhex(case["bytes"]))
    if case["values"] is not None:
        dtype = np.dtype(NUMPY_TYPES[case["dtype"]]).newbyteorder("<")
        made = GradientSummary.of(np.frombuffer(bytes.fromhex(case["values"]), dtype))
        assert made.to_bytes() == summary.to_bytes()
    known = {int(exponent): float.fromhex(value) for exponent, value in case["samples"].items()}
    assert dict(zip(summary.exponents, summary.samples.tolist(), strict=True)) == {
        exponent: known.get(exponent, 0.0) for exponent in summary.exponents
    }
    old = GradientSummary.from_bytes(bytes.fromhex(case["version_1"]))
    assert old == summary
    assert not old.samples.any()
    old = GradientSummary.from_bytes(bytes.fromhex(case["version_2"]))
    assert old == summary
    assert old.samples.tolist() == summary.samples.tolist()
    assert old.grid == (53, -1074)
    for name, by_scale in case["errors"].items():
        for log2, expected in by_scale.items():
            found = summary.relative_error(name, 2.0 ** int(log2)).value
            assert found == pytest.approx(np.inf if expected is None else expected, rel=1e-12, abs=1e-15)
    for name, by_scale in case["counts"].items():
        for log2, expected in by_scale.items():
            assert list(asdict(summary.counts(name, 2.0 ** int(log2))).values()) == expected


def float32s(bits: np.ndarray) -> np.ndarray:
    return bits.astype(np.uint32).view(np.float32)


def adversarial(rng: np.random.Generator, size: int) -> np.ndarray:
    """float32 of every exponent, whose fractions crowd round the cuts, one ulp to each side."""
    cuts = np.array(
        [0, 1, 0x200000, 0x400000, 0x600000, 0x680000, 0x700000, 0x7F0000, 0x7F8000, 0x7FE000, 0x7FF000]
    )
    fraction = (rng.choice(cuts, size) + rng.integers(-2, 3, size)) & 0x7FFFFF
    loose = rng.random(size) < 0.2
    fraction[loose] = rng.integers(0, 1 << 23, loose.sum())
    exponent = np.where(rng.random(size) < 0.5, rng.integers(0, 256, size), rng.integers(90, 145, size))
    return float32s(rng.integers(0, 2, size) << 31 | exponent << 23 | fraction)


def library_counts(values: np.ndarray, name: str, log2: int) -> list[int]:
    """By NumPy or ml_dtypes: scaled exactly in float64, which each value and scale here allows, and cast."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        wide = values.astype(np.float64)
        scaled = np.ldexp(wide, log2)
        cast = scaled.astype(NUMPY_TYPES[name]).astype(np.float64)
    finite = np.isfinite(wide) & (wide != 0)
    tiny = float(ml_dtypes.finfo(NUMPY_TYPES[name]).smallest_normal)
    size = np.abs(cast)
    masks = (
        wide == 0,
        finite & (size == 0),
        finite & (size > 0) & (size < tiny),
        finite & (size >= tiny) & np.isfinite(cast),
        finite & ~np.isfinite(cast),
        np.isinf(wide),
        np.isnan(wide),
    )
    return [int(mask.sum()) for mask in masks]


# ml_dtypes rounds through float32: an oracle where scaling leaves float32's normal range alone. E5M2 needs
# none of that range's ends, for what float32 rounds there is flushed or overflows anyway.
@pytest.mark.parametrize(
    ("name", "scales"),
    [
        ("float16", range(-60, 61, 3)),
        ("float32", range(-60, 61, 3)),
        ("float64", (-40, 0, 40)),
        ("bfloat16", (0,)),
        ("float8_e5m2", range(-40, 41)),
    ],
)
def test_many_adversarial_values_against_the_libraries(name: str, scales: range) -> None:
    values = adversarial(np.random.default_rng(7), 200_000)
    summary = GradientSummary.of(values)
    for log2 in scales:
        got = list(asdict(summary.counts(name, 2.0**log2)).values())
        assert got == library_counts(values, name, log2), f"scale 2^{log2}"


def test_every_float16_and_every_bfloat16_code() -> None:
    codes = np.arange(65536, dtype=np.uint16)
    for dtype in (np.float16, ml_dtypes.bfloat16):
        values = codes.view(dtype)
        summary = GradientSummary.of(values)
        assert summary.count == 65536
        for log2 in (-24, -3, 0, 9, 40):
            got = list(asdict(summary.counts("float16", 2.0**log2)).values())
            assert got == library_counts(values, "float16", log2)


patterns32 = st.integers(0, 2**32 - 1).map(lambda code: np.array(code, np.uint32).view(np.float32))
patterns64 = st.integers(0, 2**64 - 1).map(lambda code: np.array(code, np.uint64).view(np.float64))


@settings(max_examples=150, deadline=None)
@given(
    st.lists(patterns32, max_size=20) | st.lists(patterns64, max_size=20),
    st.sampled_from(sorted(FORMATS)),
    st.integers(-1074, 1023),
)
def test_any_bits_at_any_power_of_two(values: list[np.ndarray], name: str, log2: int) -> None:
    got = GradientSummary.of(np.array(values)).counts(name, 2.0**log2)
    assert asdict(got) == counts(values, name, log2)
    assert got.count == len(values)


@settings(max_examples=150, deadline=None)
@given(st.lists(patterns32, max_size=30), st.sampled_from(sorted(FORMATS)), st.floats(1e-8, 1e12))
def test_bounds_hold_the_truth_for_any_scale(values: list[np.ndarray], name: str, scale: float) -> None:
    lower, upper = GradientSummary.of(np.array(values, dtype=np.float32)).count_bounds(name, scale)
    truth = [classify(float(value), name, Fraction(scale)) for value in values]
    for field in CLASSES:
        assert getattr(lower, field) <= truth.count(field) <= getattr(upper, field)


# NumPy says "invalid value" where a signalling NaN is widened.
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")
@settings(max_examples=60, deadline=None)
@given(st.lists(patterns32, max_size=40), st.lists(patterns64, max_size=40))
def test_merging_is_summarising_together(first: list[np.ndarray], second: list[np.ndarray]) -> None:
    one = GradientSummary.of(np.array(first, dtype=np.float32))
    other = GradientSummary.of(np.array(second, dtype=np.float64))
    together = np.concatenate([np.array(first, np.float32).astype(np.float64), np.array(second, np.float64)])
    assert one.merge(other) == other.merge(one) == GradientSummary.of(together)
    assert hash(one.merge(other)) == hash(GradientSummary.of(together))


@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")
@settings(max_examples=60, deadline=None)
@given(st.lists(patterns32 | patterns64.filter(np.isfinite), max_size=40))
def test_bytes_come_back_as_they_went(values: list[np.ndarray]) -> None:
    summary = GradientSummary.of(np.array(values, dtype=np.float64))
    read = GradientSummary.from_bytes(summary.to_bytes())
    assert read == summary
    assert read.samples.tolist() == summary.samples.tolist()
    assert read.to_bytes() == summary.to_bytes()


def test_well_sealed_samples() -> None:
    for sample, value in ((b"\x40", 1.0), (b"\x60", -1.0), (b"\x00", 0.0)):
        assert GradientSummary.from_bytes(sealed(ONE_OF_2_TO_THE_0 + sample)).samples.tolist() == [value]


def test_bytes_stay_small() -> None:
    rng = np.random.default_rng(1)
    assert len(GradientSummary.of(adversarial(rng, 2_000_000)).to_bytes()) <= 20_000


def test_every_damaged_byte_is_noticed() -> None:
    data = GradientSummary.of(np.array([1e-9, 0.0, 3.5, 2.0], dtype=np.float32)).to_bytes()
    for at in range(len(data)):
        for flip in (1, 0x80, 0xFF):
            broken = bytearray(data)
            broken[at] ^= flip
            with pytest.raises(ValueError, match="gradient summary"):
                GradientSummary.from_bytes(bytes(broken))
    for cut in range(len(data)):
        with pytest.raises(ValueError, match="gradient summary"):
            GradientSummary.from_bytes(data[:cut])


def sealed(body: bytes) -> bytes:
    """Bytes that lie, under a checksum that is right."""
    import zlib

    return body + zlib.crc32(body).to_bytes(4, "little")


# One value in the binade from 1 on, which is 1 itself; a sample would follow.
ONE_OF_2_TO_THE_0 = (
    b"MWGS\x02\x01\x01\x00" + bytes(24) + (1).to_bytes(8, "little") + b"\x00\x00" + b"\x01\x00"
)


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (b"MWGS\x05" + bytes(27), "version 5"),
        (b"MWGS\x04\x01\x00\x00" + bytes(24) + (1).to_bytes(8, "little") + bytes(2), "too early"),
        (b"MWGS\x04\x01\x00\x00" + bytes(24) + (1).to_bytes(8, "little") + bytes(3), "its precision"),
        (
            b"MWGS\x04\x01\x00\x00" + bytes(24) + (1).to_bytes(8, "little") + b"\x18\x6b\xff!",
            "block records",
        ),
        (b"MWGS\x03" + bytes(27), "block records"),
        (ONE_OF_2_TO_THE_0 + b"\xc0", "too early"),
        (ONE_OF_2_TO_THE_0 + b"\xc0\x00", "not written as"),
        (ONE_OF_2_TO_THE_0 + b"\x80\x00", "not written as"),
        (ONE_OF_2_TO_THE_0 + b"\x40" * 2, "left over"),
        (ONE_OF_2_TO_THE_0 + b"\x20", "not written as"),
        (ONE_OF_2_TO_THE_0 + b"\xc0" + b"\x80" * 7 + b"\x01", "too long"),
        (ONE_OF_2_TO_THE_0 + b"\xc0" + b"\x80" * 6 + b"\x01", "not written as"),
        (ONE_OF_2_TO_THE_0 + b"\x48", "holds nothing"),
        (b"MWGS\x01\x00\x00\x00" + bytes(24), "cuts"),
        (b"MWGS\x01\x01\x00\x00" + bytes(24) + (2).to_bytes(8, "little"), "cuts"),
        (b"MWGS\x01\x01\x00\x00" + bytes(24) + (1).to_bytes(8, "little") + b"!", "left over"),
        (b"MWGS\x01\x01\x00\x00" + bytes([255] * 8) + bytes(16) + (1).to_bytes(8, "little"), "too large"),
        (
            b"MWGS\x01\x01\x01\x00" + bytes(24) + (1).to_bytes(8, "little") + b"\x00\x00\x00\x00",
            "row is empty",
        ),
        (b"MWGS\x01\x01\x01\x00" + bytes(24) + (1).to_bytes(8, "little") + b"\x00\x04\x01\x00", "exponent"),
        (
            b"MWGS\x01\x01\x02\x00" + bytes(24) + (1).to_bytes(8, "little") + bytes(4) + b"\x01\x00\x01\x00",
            "exponents",
        ),
        (b"MWGS\x01\x01\x01\x00" + bytes(24) + (1).to_bytes(8, "little") + b"\x00\x00\x80\x80", "too early"),
    ],
)
def test_well_sealed_nonsense_is_refused(body: bytes, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        GradientSummary.from_bytes(sealed(body))


def test_bytes_must_be_bytes() -> None:
    with pytest.raises(TypeError, match="str"):
        GradientSummary.from_bytes("MWGS")  # type: ignore[arg-type]


def test_a_summary_does_not_change() -> None:
    summary = GradientSummary.of(np.ones(3, dtype=np.float32))
    with pytest.raises(AttributeError):
        summary.zero = 5  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        summary.cells[0, 0] = 5
    assert "3 values, 2^0 … 2^1" in repr(summary)
    assert summary != 3


def test_shapes_and_documented_values() -> None:
    def classes(values: object) -> GradientCounts:
        return GradientSummary.of(values).counts("float16")

    assert classes(np.float32(1.0)) == classes([1.0]) == classes(1.0)
    assert classes(np.zeros((2, 3), dtype=np.float16)).zero == 6
    assert classes([]).count == classes(np.zeros(0)).count == 0
    assert classes(np.full(4, np.nan)).nan == 4
    assert classes(np.full(4, -np.inf)).inf == 4
    assert classes(np.full(4, 1e-45, dtype=np.float32)).flushed == 4
    big_endian = np.array([1.0, 2.0], dtype=">f4")
    assert GradientSummary.of(big_endian) == GradientSummary.of(big_endian.astype(np.float32))
    strided = np.arange(10, dtype=np.float32)[::3]
    assert GradientSummary.of(strided) == GradientSummary.of(strided.copy())


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (None, "backward"),
        (np.arange(3), "int64"),
        (True, "bool"),
        (np.array([True]), "bool"),
        (np.ones(3, dtype=np.complex64), "complex64"),
        (np.array([object()]), "object"),
        (np.array([None, 1.0]), "object"),
        (["a"], "str"),
        ([[1.0], [1.0, 2.0]], "one array"),
        (np.zeros(2, dtype=ml_dtypes.int4), "int4"),
        (np.zeros(2, dtype="V2"), "void"),
        ({"w": 1.0}, "object"),
    ],
)
def test_what_is_no_gradient_is_refused(values: object, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        GradientSummary.of(values)


def test_small_floats_of_ml_dtypes() -> None:
    values = np.arange(256, dtype=np.uint8).view(ml_dtypes.float8_e4m3fn)
    assert GradientSummary.of(values) == GradientSummary.of(values.astype(np.float32))


class TestTorch:
    torch = pytest.importorskip("torch")

    def test_dtypes(self) -> None:
        torch = self.torch
        values = torch.tensor([1e-7, -3.0, 0.0, float("inf"), 7e-5])
        for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.float8_e5m2):
            cast = values.to(dtype).requires_grad_()
            expected = cast.detach().double().numpy()
            assert GradientSummary.of(cast) == GradientSummary.of(expected)

    def test_what_is_refused(self) -> None:
        torch = self.torch
        for tensor, error, message in (
            (torch.ones(3, dtype=torch.int64), TypeError, "int64"),
            (torch.ones(3, dtype=torch.bool), TypeError, "bool"),
            (torch.ones(3, dtype=torch.complex64), TypeError, "complex64"),
            (torch.ones(3).to_sparse(), ValueError, "to_dense"),
            (torch.ones(3, device="meta"), ValueError, "meta"),
            (torch.zeros(3, dtype=torch.uint8).view(torch.float4_e2m1fn_x2), TypeError, "packs two values"),
        ):
            with pytest.raises(error, match=message):
                GradientSummary.of(tensor)

    def test_flushing_denormals_changes_nothing(self) -> None:
        torch = self.torch
        values = torch.tensor([1e-40, 1e-45, 1.0])
        expected = GradientSummary.of(values)
        if not torch.set_flush_denormal(True):
            pytest.skip("this processor cannot flush denormals")
        try:
            assert GradientSummary.of(values) == expected
            assert GradientSummary.of(values.bfloat16()).zero == 1
        finally:
            torch.set_flush_denormal(False)


@pytest.mark.parametrize("scale", [3.0, 1000, 0.1])
def test_a_scale_that_is_no_power_of_two_names_the_bounds(scale: float) -> None:
    with pytest.raises(ValueError, match="count_bounds"):
        GradientSummary.of([1.0]).counts("float16", scale)


@pytest.mark.parametrize(
    ("scale", "error"),
    [
        (0, ValueError),
        (-2.0, ValueError),
        (float("nan"), ValueError),
        (float("inf"), ValueError),
        (True, TypeError),
        ("1024", TypeError),
        (None, TypeError),
    ],
)
def test_what_is_no_scale_is_refused(scale: object, error: type[Exception]) -> None:
    with pytest.raises(error, match="loss scale"):
        GradientSummary.of([1.0]).counts("float16", scale)  # type: ignore[arg-type]


def test_scales_of_any_kind() -> None:
    summary = GradientSummary.of([1e-7])
    assert summary.counts("float16", 1024) == summary.counts("half", np.float32(1024))
    assert summary.counts("float16", 2**2000).overflow == 1


def test_unknown_formats_are_refused() -> None:
    with pytest.raises(ValueError, match="float16"):
        GradientSummary.of([1.0]).counts("float17")


def test_a_format_that_the_summary_does_not_resolve() -> None:
    odd = FloatFormat("odd", 5, 6, 15)  # its cuts are not among the catalogue's
    edge = 2.0**-15 * (1 + 0.98)
    summary = GradientSummary.of([edge, 1.0])
    with pytest.raises(ValueError, match="count_bounds"):
        summary.counts(odd)
    lower, upper = summary.count_bounds(odd)
    assert lower.normal <= 1 <= upper.normal
    asked_for = GradientSummary.of([edge, 1.0], formats=[odd, "float16"])
    assert asked_for.counts(odd).normal == 1
    with pytest.raises(ValueError, match="different formats"):
        summary.merge(asked_for)
    with pytest.raises(ValueError, match="no sign bit"):
        GradientSummary.of([1.0], formats=["float8_e8m0fnu"])


# NumPy says "invalid value" where a signalling NaN is widened.
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")
@settings(max_examples=100, deadline=None)
@given(
    st.lists(patterns32, max_size=20) | st.lists(patterns64, max_size=20),
    st.integers(2, 9),
    st.integers(1, 12),
    st.integers(-30, 40),
    st.integers(-40, 40),
)
def test_formats_of_ones_own_beside_brute_force(
    values: list[np.ndarray], exponent_bits: int, fraction_bits: int, bias: int, log2: int
) -> None:
    own = FloatFormat("own", exponent_bits, fraction_bits, bias)
    emax = 2**exponent_bits - 2 - bias
    largest = (2 - Fraction(1, 2**fraction_bits)) * Fraction(2) ** emax
    scale = Fraction(2) ** -log2
    ties = [Fraction(2) ** (-bias - fraction_bits), largest + Fraction(2) ** (emax - fraction_bits - 1)]
    edges = [float(tie * scale) for tie in ties]
    near = [e for edge in edges for e in (edge, np.nextafter(edge, 0), np.nextafter(edge, np.inf))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(FORMATS, "own", (1 - bias, fraction_bits, largest))
        expected = counts([*values, *near], "own", log2)
    summary = GradientSummary.of(np.array([*values, *near], dtype=np.float64), formats=[own])
    assert asdict(summary.counts(own, 2.0**log2)) == expected
    assert GradientSummary.from_bytes(summary.to_bytes()).counts(own, 2.0**log2) == summary.counts(
        own, 2.0**log2
    )


def test_an_unsigned_format_is_refused() -> None:
    with pytest.raises(ValueError, match="float8_e8m0fnu has no sign bit"):
        GradientSummary.of([1.0]).counts("float8_e8m0fnu")


def test_merging_other_things() -> None:
    with pytest.raises(TypeError, match="dict"):
        GradientSummary.of([1.0]).merge({})  # type: ignore[arg-type]


@pytest.mark.parametrize("bits", range(3, 9))
def test_formats_of_p3109_beside_their_own_rounding(bits: int) -> None:
    """Among them those of one digit of precision, which have no subnormals."""
    for precision in range(1, bits):
        fmt = p3109(bits, precision)
        for scale in (1.0, 2.0**-9):
            starts = [
                Fraction(2) ** p.exponent * (1 + Fraction(p.fraction, BINADE))
                for p in boundaries(fmt, *scale.as_integer_ratio())
            ]
            at = np.array([float(start) for start in starts])
            values = np.concatenate([at, np.nextafter(at, 0), np.nextafter(at, np.inf)])
            rounded = fmt.round(values * scale)
            found = GradientSummary.of(values, formats=[fmt]).counts(fmt, scale)
            subnormal = (rounded > 0) & (rounded < fmt.smallest_normal)
            assert (found.flushed, found.subnormal, found.overflow) == (
                (rounded == 0).sum(),
                subnormal.sum(),
                np.isinf(rounded).sum(),
            ), f"{fmt.name} at {scale}"


@pytest.mark.parametrize(
    ("values", "largest"),
    [
        ([0.3, -5.0, 0.0], 4.0),
        ([8.0, np.nextafter(8.0, 0.0)], 8.0),
        ([-np.inf, np.nan, 2.0**-24], 2.0**-24),
        ([5e-324], 5e-324),
        ([0.0, np.inf], 0.0),
        ([], 0.0),
    ],
)
def test_the_largest_magnitude_rounded_down_to_a_power_of_two(values: list[float], largest: float) -> None:
    assert GradientSummary.of(np.array(values, dtype=np.float64)).largest == largest
