"""What every format must give, written out anew from the formats' own documents. mixwidgets is not imported.

Rounding looks for the two neighbours by bisection over codes and compares exact fractions. Wherever another
library is an oracle it must agree, or AssertionError stops the generator: ml_dtypes for every small code and
for ties to even, gfloat and Berkeley SoftFloat for the directions that they know.
"""

import math
from fractions import Fraction
from typing import Any, NamedTuple

import gfloat
import ml_dtypes
import numpy as np
import softfloatpy as softfloat
from gfloat import formats as gformats

ROUNDINGS = ("ties-to-even", "ties-to-away", "toward-zero", "toward-positive", "toward-negative", "to-odd")
OVERFLOWS = ("native", "saturate", "propagate", "torch", "ml_dtypes")


class Row(NamedTuple):
    """A format: sign bits, exponent and fraction widths, bias, largest finite value, special codes."""

    sign: int
    w: int
    t: int
    bias: int
    largest: Fraction
    inf: int | None
    nans: range
    """Magnitude codes that are NaN."""
    zero_field: bool = True
    """Whether there is a zero; otherwise a zero exponent field is one more binade."""
    nan_for_negative_zero: bool = False
    subnormals: str = "gradual"
    """"flushed": all codes with a zero exponent field are zero; "none": they are a binade, but the first."""
    overflows_to_nan: bool = True
    """Whether there is NaN past the largest value where there is no infinity."""

    @property
    def bits(self) -> int:
        return self.sign + self.w + self.t

    @property
    def top(self) -> int:
        """One more than the largest magnitude code."""
        return 1 << (self.w + self.t)

    @property
    def max_code(self) -> int:
        specials = [*([] if self.inf is None else [self.inf]), *self.nans[:1]]
        return min(specials, default=self.top) - 1

    @property
    def smallest_code(self) -> int:
        """The magnitude code of the smallest positive value."""
        return (1 << self.t if self.subnormals == "flushed" else 1) if self.zero_field else 0

    def magnitude(self, code: int) -> Fraction:
        return self.grid(code) if code >= self.smallest_code else Fraction(0)

    def grid(self, code: int) -> Fraction:
        """The value that rounding sees, also below the smallest one, where it becomes zero thereafter."""
        exponent, fraction = divmod(code, 1 << self.t)
        if exponent == 0 and self.zero_field and self.subnormals != "none":
            return fraction * Fraction(2) ** (1 - self.bias - self.t)
        return (1 + Fraction(fraction, 1 << self.t)) * Fraction(2) ** (exponent - self.bias)

    def kind(self, code: int) -> str:
        magnitude = code % self.top
        if magnitude in self.nans or (self.nan_for_negative_zero and code == self.top):
            return "nan"
        if magnitude == self.inf:
            return "infinity"
        if magnitude < self.smallest_code:
            return "zero"
        return "normal" if magnitude >> self.t or self.grid(0) else "subnormal"

    @property
    def nan_code(self) -> int | None:
        if self.nan_for_negative_zero:
            return self.top
        if len(self.nans) > 1:  # IEEE: the quiet NaN, whose first fraction bit is set
            return self.nans.start - 1 + (1 << (self.t - 1))
        return self.nans.start if self.nans else None

    def signed(self, magnitude: int, negative: bool) -> int:
        dropped = magnitude == 0 and self.nan_for_negative_zero
        return magnitude + self.top if negative and not dropped else magnitude


NONE = range(0)


def ieee(w: int, t: int, largest: Fraction) -> Row:
    inf = (2**w - 1) << t
    return Row(1, w, t, 2 ** (w - 1) - 1, largest, inf, range(inf + 1, 1 << (w + t)))


def fnuz(w: int, t: int, bias: int, largest: int) -> Row:
    return Row(1, w, t, bias, Fraction(largest), None, NONE, nan_for_negative_zero=True)


def big(p: int, emax: int) -> Fraction:
    """The largest value of precision p and exponent emax."""
    return (2 - Fraction(2) ** (1 - p)) * Fraction(2) ** emax


CATALOGUE = {
    "float64": ieee(11, 52, big(53, 1023)),
    "float32": ieee(8, 23, big(24, 127)),
    "tfloat32": ieee(8, 10, big(11, 127)),
    "bfloat16": ieee(8, 7, big(8, 127)),
    "float16": ieee(5, 10, Fraction(65504)),
    "float8_e5m2": ieee(5, 2, Fraction(57344)),
    "float8_e4m3fn": Row(1, 4, 3, 7, Fraction(448), None, range(127, 128)),
    "float8_e4m3": ieee(4, 3, Fraction(240)),
    "float8_e3m4": ieee(3, 4, Fraction(31, 2)),
    "float8_e4m3fnuz": fnuz(4, 3, 8, 240),
    "float8_e5m2fnuz": fnuz(5, 2, 16, 57344),
    "float8_e4m3b11fnuz": fnuz(4, 3, 11, 30),
    "float6_e3m2fn": Row(1, 3, 2, 3, Fraction(28), None, NONE),
    "float6_e2m3fn": Row(1, 2, 3, 1, Fraction(15, 2), None, NONE),
    "float4_e2m1fn": Row(1, 2, 1, 1, Fraction(6), None, NONE),
    "float8_e5m3fnu": Row(0, 5, 3, 15, Fraction(114688), None, range(255, 256)),
    "float8_e8m0fnu": Row(0, 8, 0, 127, Fraction(2) ** 127, None, range(255, 256), zero_field=False),
}
# Largest values from the tables of the P3109 interim report, where they are stated, else None.
P3109: dict[str, int | None] = {
    "binary8p4se": 224,
    "binary8p3se": 49152,
    "binary8p4sf": 240,
    "binary8p3ue": None,
    "binary8p1se": None,
    "binary6p3uf": None,
    "binary5p4se": None,
    "binary4p2sf": None,
    "binary3p1ue": None,
    "binary15p5se": None,
    "binary16p11se": None,
}


def p3109(name: str) -> Row:
    """binary{K}p{P}{s,u}{e,f}: one NaN, in place of −0 if signed, else the last code; below it +inf."""
    k, p = (int(part) for part in name[6:-2].split("p"))
    sign, extended = int(name[-2] == "s"), name[-1] == "e"
    w = k - p + 1 - sign
    last = (1 << (k - sign)) - 1
    inf = last - (not sign) if extended else None
    nans = NONE if sign else range(last, last + 1)
    row = Row(
        sign,
        w,
        p - 1,
        2 ** (w - 1),
        Fraction(0),
        inf,
        nans,
        nan_for_negative_zero=bool(sign),
        overflows_to_nan=False,
    )
    return row._replace(largest=Fraction(P3109[name] or row.magnitude(row.max_code)))


# What no named format is: definitions, as the package takes them, and the codes written out.
CUSTOM: dict[str, tuple[dict[str, int | bool | str], Row]] = {
    "custom-no-zero": (
        {"exponent_bits": 3, "fraction_bits": 2, "infinity": "none", "nan": "none", "has_zero": False},
        Row(1, 3, 2, 3, Fraction(28), None, NONE, zero_field=False),
    ),
    "custom-no-zero-top": (
        {"exponent_bits": 2, "fraction_bits": 2, "infinity": "top", "nan": "top", "has_zero": False},
        Row(1, 2, 2, 1, Fraction(5), 14, range(15, 16), zero_field=False),
    ),
    "custom-unsigned-ieee": (
        {"exponent_bits": 3, "fraction_bits": 3, "signed": False},
        Row(0, 3, 3, 3, Fraction(15), 56, range(57, 64)),
    ),
    "custom-unsigned-finite": (
        {"exponent_bits": 2, "fraction_bits": 3, "infinity": "none", "nan": "none", "signed": False},
        Row(0, 2, 3, 1, Fraction(15, 2), None, NONE),
    ),
    "custom-far": (
        {"exponent_bits": 1, "fraction_bits": 3, "bias": -5, "infinity": "none", "nan": "top"},
        Row(1, 1, 3, -5, Fraction(112), None, range(15, 16)),
    ),
    "custom-tiny": (
        {"exponent_bits": 2, "fraction_bits": 1, "bias": 30},
        Row(1, 2, 1, 30, Fraction(3, 2**29), 6, range(7, 8)),
    ),
    "custom-all-subnormal": (
        {"exponent_bits": 1, "fraction_bits": 1, "infinity": "top", "nan": "top"},
        Row(1, 1, 1, 0, Fraction(1), 2, range(3, 4)),
    ),
    "custom-flushed": (
        {"exponent_bits": 3, "fraction_bits": 2, "subnormals": "flushed"},
        ieee(3, 2, Fraction(14))._replace(subnormals="flushed"),
    ),
    "custom-flushed-unsigned": (
        {
            "exponent_bits": 3,
            "fraction_bits": 3,
            "signed": False,
            "infinity": "top",
            "nan": "top",
            "subnormals": "flushed",
        },
        Row(0, 3, 3, 3, Fraction(26), 62, range(63, 64), subnormals="flushed"),
    ),
    "custom-no-subnormals": (
        {
            "exponent_bits": 3,
            "fraction_bits": 2,
            "infinity": "none",
            "nan": "negative_zero",
            "subnormals": "none",
        },
        Row(1, 3, 2, 3, Fraction(28), None, NONE, nan_for_negative_zero=True, subnormals="none"),
    ),
    "custom-powers": (
        {"exponent_bits": 4, "fraction_bits": 0, "infinity": "none", "nan": "none", "subnormals": "none"},
        Row(1, 4, 0, 7, Fraction(256), None, NONE, subnormals="none"),
    ),
    "custom-dlfloat": (  # Agrawal et al., ARITH 2019, with its Inf-NaN as NaN
        {
            "exponent_bits": 6,
            "fraction_bits": 9,
            "infinity": "none",
            "nan": "top",
            "subnormals": "none",
        },
        Row(1, 6, 9, 31, big(10, 32) - 2**23, None, range(2**15 - 1, 2**15), subnormals="none"),
    ),
    "custom-past-is-largest": (
        {
            "exponent_bits": 3,
            "fraction_bits": 2,
            "infinity": "none",
            "nan": "top",
            "overflows_to_nan": False,
        },
        Row(1, 3, 2, 3, Fraction(24), None, range(31, 32), overflows_to_nan=False),
    ),
    "custom-wide": (
        {"exponent_bits": 11, "fraction_bits": 52, "bias": 1030},
        ieee(11, 52, big(53, 1016))._replace(bias=1030),
    ),
    "custom-wide-no-zero": (
        {
            "exponent_bits": 11,
            "fraction_bits": 52,
            "infinity": "none",
            "nan": "none",
            "has_zero": False,
        },
        Row(1, 11, 52, 1023, big(53, 1024), None, NONE, zero_field=False),
    ),
    "custom-wide-unsigned": (
        {
            "exponent_bits": 11,
            "fraction_bits": 52,
            "signed": False,
            "infinity": "top",
            "nan": "top",
            "subnormals": "none",
        },
        Row(
            0,
            11,
            52,
            1023,
            big(53, 1024) - Fraction(2) ** 973,
            2**63 - 2,
            range(2**63 - 1, 2**63),
            subnormals="none",
        ),
    ),
    "custom-wide-fraction": (
        {"exponent_bits": 5, "fraction_bits": 50, "infinity": "none", "nan": "top", "subnormals": "flushed"},
        Row(
            1,
            5,
            50,
            15,
            big(51, 16) - Fraction(2) ** -34,
            None,
            range(2**55 - 1, 2**55),
            subnormals="flushed",
        ),
    ),
}

FORMATS = CATALOGUE | {name: p3109(name) for name in P3109} | {name: row for name, (_, row) in CUSTOM.items()}
SMALL = [name for name, row in FORMATS.items() if row.bits <= 8]
GFLOAT = {
    "bfloat16": gformats.format_info_bfloat16,
    "float16": gformats.format_info_binary16,
    "float8_e5m2": gformats.format_info_ocp_e5m2,
    "float8_e4m3fn": gformats.format_info_ocp_e4m3,
    "float6_e3m2fn": gformats.format_info_ocp_e3m2,
    "float6_e2m3fn": gformats.format_info_ocp_e2m3,
    "float4_e2m1fn": gformats.format_info_ocp_e2m1,
} | {
    name: gformats.format_info_p3109(
        FORMATS[name].bits,
        FORMATS[name].t + 1,
        domain=gfloat.types.Domain.Extended if name.endswith("e") else gfloat.types.Domain.Finite,
    )
    for name in P3109
    if name[-2] == "s"
}
GFLOAT_MODES = dict(
    zip(
        ROUNDINGS,
        (
            gfloat.RoundMode.TiesToEven,
            gfloat.RoundMode.TiesToAway,
            gfloat.RoundMode.TowardZero,
            gfloat.RoundMode.TowardPositive,
            gfloat.RoundMode.TowardNegative,
        ),
        strict=False,
    )
)
SOFTFLOAT_MODES = dict(
    zip(
        ROUNDINGS,
        (
            softfloat.RoundingMode.NEAR_EVEN,
            softfloat.RoundingMode.NEAR_MAX_MAG,
            softfloat.RoundingMode.MIN_MAG,
            softfloat.RoundingMode.MAX,
            softfloat.RoundingMode.MIN,
        ),
        strict=False,
    )
)


def dtype_of(name: str) -> np.dtype[Any] | None:
    kind = getattr(ml_dtypes, name, None) or getattr(np, name, None)
    return None if kind is None else np.dtype(kind)


def neighbours(row: Row, magnitude: Fraction) -> tuple[int, int]:
    """The magnitude codes just at or below, and at or above; max_code + 1 stands for all beyond."""
    low, high = -1, row.max_code + 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if row.grid(middle) <= magnitude else (low, middle)
    if low < 0:
        return 0, 0  # below the grid
    return low, low if low > row.max_code or row.grid(low) == magnitude else low + 1


def rounded(row: Row, value: Fraction, rounding: str) -> int:
    """The magnitude code; max_code + 1 for what leaves the finite range, 0 for what is below the smallest."""
    code = on_grid(row, value, rounding)
    return code if code >= row.smallest_code else 0


def on_grid(row: Row, value: Fraction, rounding: str) -> int:
    magnitude, negative = abs(value), value < 0
    low, high = neighbours(row, magnitude)
    if low == high:
        return low
    middle = (row.grid(low) + row.grid(high)) / 2
    even, odd = (low, high) if low % 2 == 0 else (high, low)
    nearer = low if magnitude < middle else high
    if not row.zero_field and row.t == 0:
        even = high  # a significand of one digit is never even: the larger (IEEE 754-2019, section 4.3.1)
    return {
        "ties-to-even": even if magnitude == middle else nearer,
        "ties-to-away": high if magnitude == middle else nearer,
        "toward-zero": low,
        "toward-positive": low if negative else high,
        "toward-negative": high if negative else low,
        "to-odd": odd,
    }[rounding]


def inward(rounding: str, negative: bool) -> bool:
    return rounding in ("toward-zero", "toward-positive" if negative else "toward-negative")


def code_of(
    name: str, value: Fraction | float, rounding: str = "ties-to-even", overflow: str = "native"
) -> int | str:
    """The code that a value gets, −0.0, infinities and NaN among them; or the key of the error."""
    row = FORMATS[name]
    saturates = overflow == "saturate" or (overflow, name) == ("torch", "float8_e4m3fn")
    if value != value:
        return "format.no_nan" if row.nan_code is None else row.nan_code
    if value == 0 and not row.zero_field:
        return 0 if saturates else "format.no_zero" if row.nan_code is None else row.nan_code
    negative = value < 0 or (isinstance(value, float) and math.copysign(1, value) < 0)
    is_inf = isinstance(value, float) and math.isinf(value)
    magnitude = row.max_code + 1 if is_inf else rounded(row, Fraction(value), rounding)
    clamps = saturates or (overflow == "propagate" and not is_inf)
    goes_in = inward(rounding, negative) and not is_inf
    if value < 0 and not row.sign:
        if (row.zero_field and (magnitude == 0 or goes_in)) or clamps or overflow == "propagate":
            return 0
        return "format.no_sign" if row.nan_code is None else row.nan_code
    if magnitude <= row.max_code:
        return row.signed(magnitude, negative and bool(row.sign))
    stays_odd = rounding == "to-odd" and not is_inf and (row.inf is None or row.inf % 2 == 0)
    if clamps or goes_in or stays_odd:
        return row.signed(row.max_code, negative)
    if row.inf is not None:
        return row.signed(row.inf, negative)
    if overflow == "propagate" or not row.overflows_to_nan or row.nan_code is None:
        return row.signed(row.max_code, negative)
    return row.nan_code


def value_of(name: str, code: int) -> float:
    """The value of a code as a float64, which must hold it."""
    row = FORMATS[name]
    sign = -1.0 if code >= row.top else 1.0
    if (kind := row.kind(code)) in ("nan", "infinity"):
        return math.nan if kind == "nan" else sign * math.inf
    value = float(row.magnitude(code % row.top))
    assert Fraction(value) == row.magnitude(code % row.top)
    return sign * value


# The other libraries


def check_codes(name: str) -> None:
    """Every code of a small format decodes as ml_dtypes and gfloat decode it."""
    row, dtype, info = FORMATS[name], dtype_of(name), GFLOAT.get(name)
    assert row.magnitude(row.max_code) == row.largest, name
    for code in range(1 << row.bits):
        ours = value_of(name, code)
        if dtype is not None:
            assert same(ours, float(np.array(code, np.uint8).view(dtype).astype(np.float64))), (name, code)
        if info is not None:
            assert same(ours, float(gfloat.decode_float(info, code).fval)), (name, code)


def same(a: float, b: float) -> bool:
    return (a != a and b != b) or (a == b and math.copysign(1, a) == math.copysign(1, b))


def check_rounding(name: str, value: Fraction, rounding: str, code: int | str) -> None:
    """A rounding is what the other libraries say, where they are oracles."""
    if isinstance(code, str):
        return
    if rounding in SOFTFLOAT_MODES and (theirs := by_softfloat(name, value, rounding)) is not None:
        assert theirs == code, (name, value, rounding)
    info, mode, dtype = GFLOAT.get(name), GFLOAT_MODES.get(rounding), dtype_of(name)
    if (info is None and dtype is None) or abs(value) >= 2**1023 or Fraction(float(value)) != value:
        return
    ours, given = value_of(name, code), float(value)
    # gfloat has no overflow of its own for finite domains.
    if info is not None and mode and (abs(value) <= FORMATS[name].largest or FORMATS[name].inf is not None):
        assert same(ours, gfloat.round_float(info, given, mode)), (name, value, rounding)
    if rounding == "ties-to-even" and dtype is not None and float(np.float32(given)) == given:
        assert same(ours, float(np.array(given, np.float32).astype(dtype).astype(np.float64))), (name, value)


def by_softfloat(name: str, value: Fraction, rounding: str) -> int | None:
    """The code by Berkeley SoftFloat, from the next wider format; None where that cannot hold the value."""
    wider = {"float16": "float64", "float32": "float64", "bfloat16": "float32", "float64": "float128"}.get(
        name
    )
    if wider is None:
        return None
    source = ieee(15, 112, big(113, 16383)) if wider == "float128" else FORMATS[wider]
    low, high = neighbours(source, abs(value))
    if low != high or low > source.max_code:
        return None
    data = source.signed(low, value < 0).to_bytes(source.bits // 8, "big")
    softfloat.set_rounding_mode(SOFTFLOAT_MODES[rounding])
    cast = {
        "float16": lambda: softfloat.Float64.from_bytes(data).to_f16(),
        "float32": lambda: softfloat.Float64.from_bytes(data).to_f32(),
        "bfloat16": lambda: softfloat.f32_to_bf16(softfloat.Float32.from_bytes(data)),
        "float64": lambda: softfloat.Float128.from_bytes(data).to_f64(),
    }[name]
    return int.from_bytes(cast().to_bytes(), "big")
