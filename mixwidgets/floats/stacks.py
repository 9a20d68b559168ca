"""How NumPy, torch, ml_dtypes and gfloat each round a value, compared with exact arithmetic.

Each library is imported when it is used, and skipped if it is not installed.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from importlib.metadata import version
from importlib.util import find_spec

import numpy as np

from mixwidgets.floats.formats.catalogue import get_format
from mixwidgets.floats.formats.float_format import FloatFormat
from mixwidgets.support.languages.choice import tell
from mixwidgets.support.parse import BitPattern, Exact, to_exact

FLOAT64, FLOAT32 = get_format("float64"), get_format("float32")


@dataclass(frozen=True)
class Cast:
    """The result of one library."""

    library: str
    """Name and version; "exact" for this project's own arithmetic."""
    code: str
    """In hex; "" if the library does not have the format."""
    value: float | None
    """None if there is no result."""
    differs: bool
    """Whether the value differs from the exact one (NaN equals NaN; −0 does not equal 0)."""
    reason: str
    """Why it differs, if known, or why there is no value."""


@dataclass(frozen=True)
class Casts:
    """One value as rounded by every library to one format. Iterating gives its rows, the exact one first."""

    given: str
    """The given value."""
    format: str
    """The format's name."""
    rows: tuple[Cast, ...]
    """The exact result first, then each library's."""

    def __iter__(self) -> Iterator[Cast]:
        return iter(self.rows)

    @property
    def differing(self) -> list[Cast]:
        """The libraries whose result differs from exact arithmetic."""
        return [row for row in self.rows if row.differs]

    def __repr__(self) -> str:
        width = max(len(row.library) for row in self.rows)
        lines = []
        for row in self.rows:
            value = "–" if row.value is None else repr(row.value)
            sign = "≠" if row.differs else " "
            lines.append(f"  {row.library:{width}}  {row.code or '–':>8}  {value:<22} {sign} {row.reason}")
        return "\n".join([f"{self.given} in {self.format}", *(line.rstrip() for line in lines)])


def cast_everywhere(value: object, format: object) -> Casts:
    """Round `value` to `format` by exact arithmetic and with each installed library.

    The libraries get the value as a float64, as usual; an error from that conversion is reported separately
    from an error of the cast. Raises ValueError or TypeError for a wrong value or format.
    """
    fmt, exact = get_format(format), to_exact(value)
    if isinstance(exact, BitPattern):
        raise ValueError(f"{exact.text} is a bit pattern, which is not rounded; give a value such as '0.1'")
    right = _exact(fmt, value)
    rows = [right]
    for library, cast in LIBRARIES.items():
        if find_spec(library):
            rows.append(_compare(fmt, exact, right, f"{library} {version(library)}", cast))
    return Casts(str(value)[:60], fmt.name, tuple(rows))


def _exact(fmt: FloatFormat, value: object) -> Cast:
    try:
        code = fmt.encode(value)
    except ValueError as error:  # a NaN, and there is none
        return Cast("exact", "", None, False, str(error))
    return Cast("exact", fmt.to_hex(code), fmt.decode(code), False, "")


def _compare(
    fmt: FloatFormat, exact: Exact, right: Cast, library: str, cast: Callable[[str, float], float | None]
) -> Cast:
    double = float(FLOAT64.round(exact))  # what a library gets
    try:
        rounded = cast(fmt.name, double)
    except ValueError as error:
        return Cast(library, "", None, True, tell("refuses: {error}", error=error))
    if rounded is None:
        return Cast(library, "", None, False, tell("has no cast to {format}", format=fmt.name))
    differs = right.value is None or not _same(rounded, right.value)
    code = _code(fmt, rounded)
    reason = (
        _reason(fmt, exact, double, rounded) if code else tell("{format} has no such value", format=fmt.name)
    )
    return Cast(library, code, rounded, differs, reason if differs else "")


def _code(fmt: FloatFormat, value: float) -> str:
    """The code of a value; "" if the format does not have it."""
    try:
        code = fmt.encode(value)
    except ValueError:
        return ""
    return fmt.to_hex(code) if _same(fmt.decode(code), value) else ""


def _reason(fmt: FloatFormat, exact: Exact, double: float, rounded: float) -> str:
    """The double rounding or the overflow policy that explains a result."""
    if exact.kind == "nan":
        return tell("it takes something else for NaN")
    is_exact = exact.kind != "finite" or (abs(double) < float("inf") and exact.value == Fraction(double))
    if not is_exact and _same(fmt.round(double), rounded):
        return tell("rounded twice: first to {format}, {value}", format="float64", value=repr(double))
    single = float(FLOAT32.round(double))
    if _same(fmt.round(single), rounded) and not _same(fmt.round(double), rounded):
        return tell("rounded twice: first to {format}, {value}", format="float32", value=repr(single))
    if exact.kind == "infinity" or exact.magnitude >= fmt.overflow_threshold_exact:
        if abs(rounded) == fmt.max:
            return tell("another overflow policy: it saturates")
        return tell("another overflow policy: it gives {value}", value=repr(rounded))
    how = fmt.explain(exact)
    if how.rule == "tie" and rounded in (fmt.decode(how.below), fmt.decode(how.above)):
        return tell("a tie, which it gives to the other neighbour")
    return tell("another rule")


def _same(a: float, b: float) -> bool:
    return (a != a and b != b) or (a == b and np.signbit(a) == np.signbit(b))


def _numpy(name: str, value: float) -> float | None:
    with np.errstate(over="ignore"):
        return float(np.float64(value).astype(name)) if name in ("float16", "float32", "float64") else None


def _torch(name: str, value: float) -> float | None:
    import torch

    dtype = getattr(torch, name, None)
    if not isinstance(dtype, torch.dtype) or name == "float4_e2m1fn_x2":
        return None
    try:
        return float(torch.tensor(value, dtype=torch.float64).to(dtype).to(torch.float64))
    except (RuntimeError, NotImplementedError):  # a dtype of that name, but no cast on this device
        return None


def _ml_dtypes(name: str, value: float) -> float | None:
    import ml_dtypes

    dtype = getattr(ml_dtypes, name, None)
    with np.errstate(over="ignore"):
        return float(np.float64(value).astype(dtype)) if isinstance(dtype, type) else None


def _gfloat(name: str, value: float) -> float | None:
    import gfloat
    from gfloat import formats

    fmt = get_format(name)
    if name in _GFLOAT:
        info = getattr(formats, _GFLOAT[name])
    elif fmt.experimental:  # P3109's
        sign = gfloat.Signedness.Signed if fmt.signed else gfloat.Signedness.Unsigned
        domain = gfloat.Domain.Extended if fmt.has_inf else gfloat.Domain.Finite
        info = formats.format_info_p3109(fmt.bits, fmt.precision, sign, domain)
    else:
        return None
    without_specials = info.num_posinfs == 0 and info.num_nans == 0  # gfloat can only saturate these
    return float(gfloat.round_float(info, value, sat=without_specials))


_GFLOAT = {
    "float64": "format_info_binary64",
    "float32": "format_info_binary32",
    "float16": "format_info_binary16",
    "bfloat16": "format_info_bfloat16",
    "float8_e5m2": "format_info_ocp_e5m2",
    "float8_e4m3fn": "format_info_ocp_e4m3",
    "float6_e3m2fn": "format_info_ocp_e3m2",
    "float6_e2m3fn": "format_info_ocp_e2m3",
    "float4_e2m1fn": "format_info_ocp_e2m1",
    "float8_e8m0fnu": "format_info_ocp_e8m0",
}

LIBRARIES: dict[str, Callable[[str, float], float | None]] = {
    "numpy": _numpy,
    "torch": _torch,
    "ml_dtypes": _ml_dtypes,
    "gfloat": _gfloat,
}
