"""Fast rounding of float32 and float64 arrays: the leading bits of each value are looked up in a table.

The key of a value is the value rounded to odd with two bits more than the format's: the leading bits of the
float, the last of them set if any bit below is. Rounding to odd first changes no rounding that follows (Boldo
and Melquiond, IEEE Trans. Comp. 57(4), 2008), so all values with the same key have the same result, which
`exact` finds for one of them. The bits include the sign, and the table has the results for zero, subnormals,
infinity and NaN like any other. In a stochastic direction a key has one bit less and two results, down and
up, and the remainder decides.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import lru_cache, partial
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mixwidgets.floats.formats import encode as scalar
from mixwidgets.floats.formats import exact
from mixwidgets.floats.formats.spec import FormatSpec

CHUNK = 1 << 15  # values: few enough for a chunk and its scratch to stay in the processor's cache
CACHED = 64 << 20  # bytes of all tables
LARGEST = 20 << 20  # of one
WHOLE = 8 << 20  # bytes up to which a table has its own results for every binade, which is faster
WIDEST = 16  # bits of a format whose codes are looked up

Found = tuple[exact.Array, NDArray[np.bool_]]
"""Results, and where there is none."""

Work = Callable[..., NDArray[np.bool_] | None]
"""Takes an array, an array for the results, and draws for a stochastic direction (see `scalar.rounds_up`).
Returns where there is no result; None if there are all."""


class Way(NamedTuple):
    """How values are rounded."""

    fmt: FormatSpec
    dtype: np.dtype[Any]
    """Of the values: float32 or float64."""
    rounding: str
    overflow: str
    to_values: bool
    """Whether the results are values of this dtype, or codes."""

    def exactly(self, bits: exact.Array, draws: Any = None) -> Found:
        """The results for the bits of values."""
        source = exact.SOURCES[self.dtype]
        codes, missing = exact.encode(self.fmt, source, bits, self.rounding, self.overflow, draws)
        if not self.to_values:
            return codes, missing
        results, unfit = exact.decode(self.fmt, codes, self.dtype)
        values = bits.astype(exact.codes_dtype(source), copy=False).view(self.dtype)
        np.copysign(results, values, out=results, where=np.isnan(results))  # a NaN keeps its sign
        return results, missing | unfit


def rounder(way: Way, count: int) -> Work:
    """Rounds the bits of values, of which there will be `count`. The table is made once it pays."""
    keys = _keys(way)
    table = keys and _cached(way, count, keys.entries, keys.table)
    if keys and table:
        return partial(keys.look_up, table)
    return partial(_add, way) if _can_add(way) else partial(_write, way.exactly)


def decoder(fmt: FormatSpec, dtype: np.dtype[Any], count: int) -> Work:
    """Decodes codes to float32 or float64. There is no result where this dtype cannot hold the value."""

    def exactly(codes: exact.Array) -> Found:
        return exact.decode(fmt, codes, dtype)

    codes = 1 << fmt.bits
    fits = fmt.bits <= WIDEST
    table = fits and _cached((fmt, dtype), count, codes, lambda: _Table(*exactly(np.arange(codes))))
    return table.look_up if table else partial(_write, exactly)


def _write(find: Callable[..., Found], array: exact.Array, out: exact.Array, *draws: Any) -> Any:
    out[...], missing = find(array, *draws)
    return missing if missing.any() else None


def _can_add(way: Way) -> bool:
    """Whether `_add` can be used: no number that matters there is subnormal or too large in the dtype."""
    fmt, source = way.fmt, exact.SOURCES[way.dtype]
    spare_bits = source.fraction_bits - fmt.fraction_bits
    return (
        way.to_values
        and way.rounding == "ties-to-even"
        and fmt.has_subnormals
        and fmt.has_negative_zero
        and fmt.emin - fmt.fraction_bits > source.emin
        and spare_bits > 0
        and fmt.emax + spare_bits <= source.emax
    )


def _add(way: Way, bits: exact.Array, out: exact.Array, draws: None = None) -> NDArray[np.bool_] | None:
    """Rounds to nearest, ties to even, without a table, which most formats of more than 19 bits have none of.

    If x lies in the binade of 2^e, x + 2^(e + m − t) has the format's gap there as its ulp, so the addition
    rounds x, and the subtraction is exact (Dekker, Numer. Math. 18, 1971, splits numbers so).
    """
    fmt, source = way.fmt, exact.SOURCES[way.dtype]
    lowest, highest = (exponent + source.bias << source.fraction_bits for exponent in (fmt.emin, fmt.emax))
    constants = np.clip(bits & source.inf_code, lowest, highest)
    constants += source.fraction_bits - fmt.fraction_bits << source.fraction_bits
    rounded = (bits & source.all_ones).view(way.dtype)
    with np.errstate(over="ignore", invalid="ignore"):  # of those past the range, and NaN
        rounded += constants.view(way.dtype)
        rounded -= constants.view(way.dtype)
    np.copysign(rounded, bits.view(way.dtype), out=out)
    others = ~(rounded <= fmt.max)
    if not others.any():
        return None
    missing = np.zeros(bits.shape, bool)
    out[others], missing[others] = way.exactly(bits[others])
    return missing if missing.any() else None


class _Table:
    """Results, each at its place."""

    def __init__(self, results: exact.Array, missing: NDArray[np.bool_]) -> None:
        self._largest = np.inf if results.dtype.kind == "f" else np.iinfo(results.dtype).max
        results[missing] = self._largest  # so that most arrays are seen to have all results at a glance
        self._results, self._missing = results, missing if missing.any() else None
        self.nbytes = results.nbytes + (0 if self._missing is None else missing.nbytes)

    def look_up(self, places: exact.Array, out: exact.Array) -> NDArray[np.bool_] | None:
        places = places.astype(np.int64, copy=False)  # `take` is faster with these,
        self._results.take(places, out=out, mode="clip")  # and where it need not be able to undo
        if self._missing is None or out.max() < self._largest:
            return None
        missing = self._missing.take(places)
        return missing if missing.any() else None


class _Keys:
    """The keys of a way, and their places in its table, where each binade of a sign has `width` of them."""

    def __init__(self, way: Way, dropped: int) -> None:
        fmt, source = way.fmt, exact.SOURCES[way.dtype]
        self._way, self._dropped, self._fraction_bits = way, dropped, source.fraction_bits
        self._columns = 2 if way.rounding in scalar.STOCHASTIC else 1
        self._width = 1 << source.fraction_bits - dropped
        # Binades below half of the smallest gap have the same results, and so have those past the range.
        heads = np.arange(1 << source.bits - source.fraction_bits)  # sign and exponent fields
        fields = heads & (1 << source.exponent_bits) - 1
        last = fields[-1]
        near = fields.clip(fmt.emin - fmt.fraction_bits - 2 + source.bias, fmt.emax + 1 + source.bias)
        alike = np.where((fields == 0) | (fields == last), fields, near.clip(1, last - 1))
        self._shown, blocks = np.unique(heads - fields + alike, return_inverse=True)
        self.entries = self._shown.size * self._width * self._columns
        self._dtype = way.dtype if way.to_values else exact.codes_dtype(fmt)
        self.nbytes = self.entries * self._dtype.itemsize
        is_whole = self.nbytes // self._shown.size * heads.size <= WHOLE
        self._repeats = blocks if is_whole else None
        self._shifts = None if is_whole else (blocks - heads) * self._width
        # A value / gap has the value's fraction and, for each sign and exponent, these bits.
        exponents = fmt.fraction_bits - (fmt.emin + source.bias - fields.clip(1)).clip(0)
        quotients = exponents.clip(-60) + source.bias << source.fraction_bits
        self._quotients = quotients.astype(exact.codes_dtype(source))

    def look_up(self, table: _Table, bits: exact.Array, out: exact.Array, draws: Any = None) -> Any:
        below = (1 << self._dropped) - 1
        keys = bits & below
        keys += below  # carries if any bit is set
        keys |= bits
        keys >>= self._dropped
        places = keys.astype(np.int64)
        if self._shifts is not None or self._columns == 2:
            heads = (bits >> self._fraction_bits).astype(np.int64)
        if self._shifts is not None:
            places += self._shifts.take(heads)
        if self._columns == 2:
            fractions = bits & (1 << self._fraction_bits) - 1
            quotients = (fractions | self._quotients.take(heads)).view(self._way.dtype)
            remainders = quotients - np.floor(quotients)
            places += places
            places += scalar.rounds_up(self._way.rounding, remainders, False, False, draws)
        return table.look_up(places, out)

    def table(self) -> _Table:
        """The results, each found exactly for one value with its key."""
        fractions = np.arange(self._width) << self._dropped
        results = np.empty((self._shown.size, self._width, self._columns), self._dtype)
        missing = np.zeros(results.shape, bool)
        rows = max(1, CHUNK // self._width)
        for start in range(0, self._shown.size, rows):
            some = slice(start, start + rows)
            bits = (self._shown[some, None] << self._fraction_bits) + fractions
            for column, draw in enumerate((1.0, 0.0)[: self._columns]):  # down, up
                results[some, :, column], missing[some, :, column] = self._way.exactly(bits, draw)
        if self._repeats is not None:
            results, missing = results[self._repeats], missing[self._repeats]
        return _Table(results.reshape(-1), missing.reshape(-1))


@lru_cache(maxsize=128)
def _keys(way: Way) -> _Keys | None:
    """None where there are none, or too many."""
    fmt, source = way.fmt, exact.SOURCES[way.dtype]
    is_stochastic = way.rounding in scalar.STOCHASTIC
    spare = fmt.emin - source.emin  # how many normal binades of the source are below those of the format
    dropped = source.fraction_bits - fmt.fraction_bits - 2 + min(spare, 0) + is_stochastic
    if dropped < 0:
        return None
    # `_quotients` adds 2^(t − spare) to those of subnormal numbers. That does not change the remainder where
    # it is whole, nor does it matter below 2^−53, the least that a draw can be.
    if is_stochastic and not (0 <= spare <= fmt.fraction_bits or spare > fmt.fraction_bits + 53):
        return None
    keys = _Keys(way, dropped)
    return keys if keys.nbytes <= LARGEST else None


_tables: OrderedDict[Hashable, _Table | int] = OrderedDict()
"""The tables, the last used one last; before a table is made, how many values would have used it."""
_lock = Lock()


def _cached(what: Hashable, count: int, entries: int, build: Callable[[], _Table]) -> _Table | None:
    """The table; None until as many values have asked for it as it has entries, which cost as much each."""
    with _lock:
        known = _tables.pop(what, 0)
        if isinstance(known, int):
            known += count
            known = build() if known >= entries else known
            while sum(map(_size, _tables.values())) + _size(known) > CACHED:
                _tables.popitem(last=False)
        _tables[what] = known
    return None if isinstance(known, int) else known


def _size(table: _Table | int) -> int:
    return 1 << 10 if isinstance(table, int) else table.nbytes
