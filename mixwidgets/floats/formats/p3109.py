"""The P3109 family of small formats, by name: binary8p4se, binary6p3uf, …

IEEE SA P3109, Interim Report on Binary Floating-point Formats for Machine Learning, version 4.0 (2026-06). It
may still change, so these formats are marked experimental.
"""

import re

from mixwidgets.floats.formats.float_format import FloatFormat

_NAME = re.compile(r"binary(?P<k>[0-9]{1,2})p(?P<p>[0-9]{1,2})(?P<sign>[su])(?P<domain>[ef])")


def p3109(k: int, p: int, *, signed: bool = True, extended: bool = True) -> FloatFormat:
    """binary{k}p{p}: k bits in total, 3 … 15, and a precision of p; `extended` formats have infinities.

    p goes from 1 to k − 1, or to k if unsigned. Raises ValueError for other numbers.
    """
    most = k - 1 if signed else k
    if not 3 <= k <= 15 or not 1 <= p <= most:
        raise ValueError(
            "P3109 has formats of k = 3 to 15 bits with a precision p from 1 to k − 1, or to k if unsigned; "
            f"got k={k}, p={p}"
        )
    return FloatFormat(
        f"binary{k}p{p}{'s' if signed else 'u'}{'e' if extended else 'f'}",
        exponent_bits=k - p + (not signed),
        fraction_bits=p - 1,
        bias=1 << (k - p - signed) if k - p - signed >= 0 else 0,
        signed=signed,
        infinity="top" if extended else "none",
        nan="negative_zero" if signed else "top",
        experimental=True,
        citation="IEEE SA P3109 Interim Report 4.0, 2026-06",
    )


def from_name(name: str) -> FloatFormat | None:
    """The format with a name such as "binary8p4se"; None for any other text."""
    match = _NAME.fullmatch(name)
    if not match:
        return None
    return p3109(
        int(match["k"]), int(match["p"]), signed=match["sign"] == "s", extended=match["domain"] == "e"
    )
