"""FloatFormat: a float format with all its operations, as users hold it.

A single value is computed by exact arithmetic on Fractions (`encode`, `decode`, `explain`), a sequence or an
array by `arrays`. Only that needs NumPy, and it is loaded with the first array.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Integral
from types import ModuleType
from typing import TYPE_CHECKING, Any

from mixwidgets.floats.formats import decode, encode
from mixwidgets.floats.formats.explain import explain
from mixwidgets.floats.formats.explanation import Explanation
from mixwidgets.floats.formats.in_and_out import take
from mixwidgets.floats.formats.spec import FormatSpec
from mixwidgets.support.shown import html_table

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@dataclass(frozen=True)
class FloatFormat(FormatSpec):
    """A binary floating-point format: one of the catalogue (`get_format`), or one of your own.

    `FloatFormat(name="mine", exponent_bits=3, fraction_bits=4)` has IEEE 754's special values and bias; the
    other fields change them. ValueError for an impossible combination.

    Codes are unsigned integers (or hex strings such as "0x7BFF"); values are numbers, Fractions, Decimals
    and text, which is read exactly: "0.1", "0x1p-3", "nan", "-inf", or a bit pattern, "0x7BFF".
    """

    def _repr_html_(self) -> str:
        widths = ("bits", "exponent_bits", "fraction_bits", "bias", "infinity", "nan", "subnormals")
        values = ("max", "smallest_normal", "smallest_subnormal", "eps", "citation")
        return html_table((), [(name, getattr(self, name)) for name in (*widths, *values)], self.name)

    def exact(self, code: int | str) -> Fraction:
        """The value as an exact rational. Raises ValueError for an infinity or NaN."""
        return decode.exact(self, self.to_code(code))

    def classify(self, code: int | str) -> str:
        """ "zero", "subnormal", "normal", "infinity" or "nan"."""
        return decode.classify(self, self.to_code(code))

    def to_decimal(self, code: int | str) -> str:
        """Every decimal digit of the value: "0.0999755859375" for float16's 0x2E66."""
        return decode.to_decimal(self, self.to_code(code))

    def shortest(self, code: int | str) -> str:
        """The fewest decimal digits that round back to this code in this format: "0.1" for 0x2E66."""
        return decode.shortest(self, self.to_code(code))

    def explain(
        self, value: object, *, rounding: str = "ties-to-even", overflow: str = "native"
    ) -> Explanation:
        """How a value is rounded: neighbours, midpoint, rule and error, and `sentence`, which says so."""
        return explain(self, value, rounding=rounding, overflow=overflow)

    def ulp(self, value: object) -> float:
        """The gap between consecutive values in the binade of `value` after rounding; NaN for inf and NaN."""
        return decode.ulp(self, encode.encode(self, value))

    def next_up(self, value: object) -> float:
        """The next larger value after `value`, which is rounded first (IEEE 754-2019, 5.3.1)."""
        return decode.to_float(self, decode.next_up(self, encode.encode(self, value)))

    def next_down(self, value: object) -> float:
        """The next smaller value before `value`, which is rounded first."""
        return decode.to_float(self, decode.next_down(self, encode.encode(self, value)))

    def decode(self, codes: "int | str | ArrayLike") -> Any:
        """The exact values of codes, as float64.

        An integer or a hex string gives a float; an array of integers gives an array of its shape, and a
        tensor or series gives one (see `round`).
        """
        if isinstance(codes, str | Integral):
            return decode.to_float(self, self.to_code(codes))
        if taken := take(codes):
            return taken.back(_arrays().decode(self, taken.array))
        return _arrays().decode(self, codes)

    def encode(
        self,
        values: object,
        *,
        rounding: str = "ties-to-even",
        overflow: str = "native",
        random_bits: int | None = None,
        seed: int | None = None,
    ) -> Any:
        """The codes of values, each rounded once from its exact value.

        A scalar (number, Fraction, Decimal or text) gives an int; an array or a sequence gives unsigned
        integers of its shape, in the narrowest dtype that holds the format, and a tensor or series gives one
        of these (see `round`). torch has few operations on uint16 and wider: use `codes.to(torch.int32)`.

        rounding: "ties-to-even", "ties-to-away", "toward-zero", "toward-positive", "toward-negative",
        "to-odd", or a stochastic one: the magnitude rounds up with a probability equal to the remainder, by
        `random_bits` bits (1 … 52) from a generator with this `seed`. "stochastic", "stochastic-b" and
        "stochastic-c" are P3109's StochasticA, B and C (interim report 4.0, section 4.7.4). With few bits A
        is biased towards zero: its probability is the remainder cut to `random_bits` bits; B and C round
        the remainder to so many bits.
        overflow: "native" (infinity if the format has one, else NaN unless `overflows_to_nan` is False, else
        the largest finite value; P3109's SatNone), "saturate" (the largest, also for ±inf; SatFinite),
        "propagate" (the largest, but ±inf stays infinite if the format has it; SatPropagate), or a library's
        own policy, "torch" or "ml_dtypes".

        In a format without NaN, raises ValueError for a NaN, and for a zero or a negative number if the
        format lacks those.
        """
        draw = _draws(rounding, random_bits, seed)
        if taken := take(values):
            return taken.back(_arrays().encode(self, taken.array, rounding, overflow, draw))
        if _is_array(values):
            return _arrays().encode(self, values, rounding, overflow, draw)
        least = Fraction(draw(1)[0]) if draw else encode.NEVER
        return encode.encode(self, values, rounding=rounding, overflow=overflow, draw=least)

    def round(
        self,
        values: object,
        *,
        rounding: str = "ties-to-even",
        overflow: str = "native",
        random_bits: int | None = None,
        seed: int | None = None,
    ) -> Any:
        """Values rounded to this format (see `encode`) and kept in the dtype they came in.

        What comes in and what goes out, here and of `encode`, `decode` and `BlockFormat.quantize`::

            number, text          number
            NumPy scalar          scalar of its dtype
            sequence, array       array of its shape
            torch tensor          tensor of its shape on its device; without a gradient, also where the input
                                  requires one, because rounding has none
            pandas Series         Series with its index and name; <NA> counts as NaN, and a nullable
                                  floating dtype has it again
            polars Series         Series with its name; null counts as NaN

        A floating dtype is kept, that of a tensor or series too (bfloat16, float16 and float8 included), and
        must be able to hold the result, else ValueError; other dtypes give float64. TypeError or ValueError
        for a sparse, nested, quantised or complex tensor, and for one on the meta device.
        """
        draw = _draws(rounding, random_bits, seed)
        if taken := take(values):
            return taken.kept(_arrays().round(self, taken.array, rounding, overflow, draw))
        if _is_array(values):
            return _arrays().round(self, values, rounding, overflow, draw)
        code = self.encode(values, rounding=rounding, overflow=overflow, random_bits=random_bits, seed=seed)
        value = decode.to_float(self, code)
        return _arrays().keep_dtype(self, values, value) if hasattr(values, "dtype") else value


def _draws(rounding: str, random_bits: Any, seed: Any) -> Callable[[int], Any] | None:
    """For a stochastic direction, a function that draws n times what `encode.rounds_up` takes as `draw`.

    With N random bits, R is drawn from 0 … 2^N − 1, and T = 2^N − R. A remainder ν rounds up where (P3109's
    interim report 4.0, section 4.7.4, solved for ν)

        stochastic      ⌊ν·2^N⌋ + R ≥ 2^N               ν ≥ T / 2^N
        stochastic-b    ⌊ν·2^(N+1)⌋ + 2R + 1 ≥ 2^(N+1)  ν ≥ (T − ½) / 2^N
        stochastic-c    RNITE(ν·2^N) + R ≥ 2^N          the same; ν > … where T is odd
    """
    if rounding not in encode.STOCHASTIC:
        if random_bits is not None or seed is not None:
            encode.check_rounding(rounding, "native")
            raise ValueError(f"random_bits and seed are for a stochastic rounding; it is {rounding!r}")
        return None
    if not (_is_integer(random_bits) and 1 <= random_bits <= 52):
        raise ValueError(f"stochastic rounding needs random_bits from 1 to 52, not {random_bits!r}")
    if not (_is_integer(seed) and seed >= 0):
        raise ValueError(f"stochastic rounding needs a seed, an integer from 0, not {seed!r}")
    import numpy as np

    steps, generator = 1 << int(random_bits), np.random.default_rng(int(seed))

    def draw(count: int) -> Any:
        numerator = steps - generator.integers(0, steps, count)
        if rounding == "stochastic":
            return numerator / steps
        is_strict = (rounding == "stochastic-c") & (numerator % 2 == 1)
        return (numerator - 0.5) / np.where(is_strict, -steps, steps)  # exact: 53 bits at most

    return draw


def _is_integer(value: object) -> bool:
    """Of Python or of NumPy."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def _arrays() -> ModuleType:
    """The operations on arrays, imported on first use."""
    from mixwidgets.floats.formats import arrays

    return arrays


def _is_array(values: object) -> bool:
    """Whether this is a sequence, or an array of at least one dimension."""
    if isinstance(values, str | bytes):
        return False
    return isinstance(values, Sequence) or (hasattr(values, "__array__") and getattr(values, "ndim", 0) > 0)
