"""BlockLab: the effect of a shared scale on the elements of a block."""

from math import prod
from typing import Any, ClassVar, Unpack

import numpy as np
import traitlets
from numpy.typing import NDArray

from mixwidgets.floats.formats.block_catalogue import get_block_format
from mixwidgets.floats.formats.block_format import BlockFormat, BlockQuantization
from mixwidgets.floats.formats.hadamard import SIZE, hadamard, random_signs, rotated
from mixwidgets.floats.widgets.base import Checked, Keywords, MixWidget

SHAPES = ((16,), (32,), (16, 16), (16, 32))
_BY_SIZE = {prod(shape): shape for shape in SHAPES}
_KNOWN = "16, 32, 16 × 16 or 16 × 32"
_DIGITS = 8  # of the code of a float32


class BlockLab(MixWidget):
    """Drag one element of a block and see the effect of the shared scale on the others: `BlockLab(values)`.

    values: a matrix of 16 × 16 or 16 × 32 finite numbers, or 16 or 32 of them in any shape, as an array or
    tensor, stored as float32; default: a matrix of samples of a standard normal distribution, whose rows have
    16 or 32 elements as a block of the format has. The page quantises them, and notifies the kernel at the
    end of a drag.
    """

    _page = "block_lab"
    _state_traits: ClassVar = {"format": None, "scale_rule": None, "hadamard": False, "_codes": None}

    format = Checked("mxfp4", lambda format: get_block_format(format).name)
    """The block format, by name: "mxfp4", "mxfp6_e2m3", "mxfp8_e4m3", "nvfp4", "nvfp4_16x16" and the others.
    Another format brings its own scale rule, unless it has the current one too."""
    scale_rule = Checked("FLOOR")
    """How the shared scale is chosen, one of `BlockFormat.scale_rules`: "FLOOR", "CEIL", "RCEIL" or "EVEN" in
    MX, "TE", "TORCHAO" or "FOUR_OVER_SIX" in NVFP4. None is the first of them."""
    hadamard = Checked(False)
    """Whether the page shows the chosen row also as it is `rotated`. Blocks in two dimensions are not
    rotated: such a format sets it to False."""

    _codes = traitlets.Unicode().tag(sync=True)  # of the values in float32, eight hex digits each, row by row

    def __init__(
        self,
        values: Any = None,
        *,
        format: Any = "mxfp4",
        scale_rule: str | None = None,
        hadamard: bool = False,
        **traits: Unpack[Keywords],
    ) -> None:
        if values is None:
            values = _samples(BlockLab.format.validate(None, format))
        codes = _to_codes(values)
        super().__init__(format=format, scale_rule=scale_rule, hadamard=hadamard, _codes=codes, **traits)

    @property
    def values(self) -> NDArray[np.float32]:
        """The elements, float32: a matrix, or of one row an array of one dimension. To be notified of
        changes, observe `_codes`."""
        flat = np.frombuffer(bytes.fromhex(self._codes), ">f4").astype(np.float32)
        return flat.reshape(_BY_SIZE[flat.size])

    @values.setter
    def values(self, values: Any) -> None:
        self._codes = _to_codes(values)

    @property
    def quantized(self) -> BlockQuantization:
        """Scales, codes and dequantised elements as shown in the page. One row in a format with blocks in two
        dimensions is a matrix of one row."""
        fmt = get_block_format(self.format)
        values = np.atleast_2d(self.values) if fmt.is_2d else self.values
        return fmt.quantize(values, scale_rule=self.scale_rule)

    @property
    def rotated(self) -> NDArray[np.float64]:
        """The elements after the rotation that `hadamard` shows: each 16 of a row by a Hadamard matrix with
        the random signs of seed 0, which spreads an outlier over all of them. Float64, in the shape of
        `values`; mixwidgets/floats/formats/hadamard.py says when they are exact.

        `get_block_format(lab.format).quantize(lab.rotated, scale_rule=lab.scale_rule)` is what is shown.
        """
        turned: NDArray[np.float64] = rotated(
            self.values.astype(np.float64), hadamard(SIZE, random_signs(0).tolist())
        )
        return turned

    @traitlets.validate("scale_rule")
    def _validate_scale_rule(self, proposal: Any) -> str:
        try:
            return get_block_format(self.format).check_scale_rule(proposal["value"])
        except ValueError as error:
            raise traitlets.TraitError(str(error)) from None

    @traitlets.validate("hadamard")
    def _validate_hadamard(self, proposal: Any) -> bool:
        try:
            return _checked_rotation(proposal["value"], get_block_format(self.format))
        except ValueError as error:
            raise traitlets.TraitError(str(error)) from None

    @traitlets.observe("format")
    def _keep_what_the_format_has(self, change: Any) -> None:
        fmt = get_block_format(self.format)
        if self.scale_rule not in fmt.scale_rules:
            self.scale_rule = None
        if fmt.is_2d:
            self.hadamard = False

    def _take_state(self, traits: dict[str, Any]) -> None:
        fmt = get_block_format(traits["format"])  # nothing of what does not go together is taken
        fmt.check_scale_rule(traits["scale_rule"])
        _checked_rotation(traits["hadamard"], fmt)
        super()._take_state(traits)

    @traitlets.validate("_codes")
    def _validate_codes(self, proposal: Any) -> str:
        codes: str = proposal["value"].lower()
        size, rest = divmod(len(codes), _DIGITS)
        if rest or size not in _BY_SIZE or not set(codes) <= set("0123456789abcdef"):
            raise traitlets.TraitError(
                f"codes are {_KNOWN} float32 codes of eight hex digits each, as 3f800000; got {codes[:40]!r}"
            )
        values = np.frombuffer(bytes.fromhex(codes), ">f4")
        if not np.isfinite(values).all():
            index = int(np.argmin(np.isfinite(values)))
            raise traitlets.TraitError(
                f"elements must be finite float32 numbers; element {index} is {values[index]}. "
                "BlockFormat.quantize takes infinities and NaN too"
            )
        return codes

    def __repr__(self) -> str:
        count = " × ".join(map(str, self.values.shape))
        return f"BlockLab({count} elements, {self.format!r}, {self.scale_rule!r})"

    def _content(self) -> str:
        values = self.values
        nonzero = values != 0
        lost = (self.quantized.dequantized.reshape(values.shape)[nonzero] == 0).sum()
        return f"{lost} of {nonzero.sum()} elements that are not 0 become 0"


def _samples(format: str) -> NDArray[np.float64]:
    size = get_block_format(format).block_size
    width = size[1] if isinstance(size, tuple) else size
    return np.random.default_rng(4).standard_normal((16, min(width, 32))).round(2)


def _checked_rotation(wanted: Any, fmt: BlockFormat) -> bool:
    if not isinstance(wanted, bool):
        raise ValueError(f"hadamard is True or False: whether rows are shown rotated too; got {wanted!r}")
    if wanted and fmt.is_2d:
        raise ValueError(
            f"hadamard=True rotates each 16 elements of a row, and a scale of {fmt.name} is for rows and "
            "columns: its blocks are not rotated. Choose a format with blocks in a row, such as 'nvfp4'"
        )
    return wanted


def _to_codes(values: Any) -> str:
    if hasattr(values, "detach"):  # a torch tensor, on any device and of any dtype
        values = values.detach().cpu().float()
    array = np.asarray(values)
    if array.dtype.kind not in "iufV" or array.dtype.names:
        raise TypeError(f"values must be real numbers, not {array.dtype}")
    if array.shape not in SHAPES and array.size not in (16, 32):
        got = " × ".join(map(str, array.shape)) if array.ndim > 1 else array.size
        raise ValueError(
            f"the lab shows {_KNOWN} elements; got {got}: choose some, such as x.ravel()[:32] or "
            "x[:16, :16] of a matrix"
        )
    with np.errstate(over="ignore"):
        return array.ravel().astype(np.float32).astype(">f4").tobytes().hex()
