"""FixedPoint: a two's-complement integer over a power of two, the element of MXINT8."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class FixedPoint:
    """A signed integer of `bits` bits in units of 2^−fraction_bits, with the interface of a FloatFormat."""

    name: str
    bits: int
    """Width of a code, at most 8."""
    fraction_bits: int
    """Bits after the binary point."""

    @property
    def max(self) -> float:
        """Largest value. Encoding is symmetric: it never gives the single code below −max."""
        return ((1 << (self.bits - 1)) - 1) / (1 << self.fraction_bits)

    def encode(self, values: ArrayLike, *, overflow: str = "native") -> NDArray[np.uint8]:
        """The codes of finite values, ties to even. Every overflow policy saturates: there is no infinity."""
        del overflow
        quanta = np.rint(np.clip(values, -self.max, self.max) * (1 << self.fraction_bits)).astype(np.int64)
        return np.asarray(quanta & ((1 << self.bits) - 1), np.uint8)

    def decode(self, codes: ArrayLike) -> NDArray[np.float64]:
        """The values of codes."""
        quanta = np.asarray(codes, np.int64)
        signed = quanta - ((quanta >> (self.bits - 1)) << self.bits)
        return np.asarray(signed / (1 << self.fraction_bits), np.float64)


INT8 = FixedPoint("int8", bits=8, fraction_bits=6)
"""OCP Microscaling Formats (MX) 1.0."""
