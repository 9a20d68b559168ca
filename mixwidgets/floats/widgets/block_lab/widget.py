"""BlockLab: the effect of a shared scale on the elements of a block."""

import re
from typing import Any, ClassVar

import numpy as np
import traitlets
from numpy.typing import NDArray

from mixwidgets.floats.formats.block_catalogue import get_block_format
from mixwidgets.floats.formats.block_format import BlockFormat, BlockQuantization
from mixwidgets.floats.widgets.base import Checked, MixWidget

SIZES = (16, 32)
_CODES = re.compile("|".join(f"[0-9a-f]{{{8 * size}}}" for size in SIZES))


class BlockLab(MixWidget):
    """Drag one element of a block and see the effect of the shared scale on the others: `BlockLab(values)`.

    values: 16 or 32 finite numbers, or an array or tensor of them, stored as float32; default: samples of a
    standard normal distribution. The page quantises them, and notifies the kernel at the end of a drag.
    """

    _page = "block_lab"
    _state_traits: ClassVar = {"format": None, "scale_rule": None, "_codes": None}

    format = Checked("mxfp4", lambda format: _shown(format).name)
    """The block format, by name: "mxfp4", "mxfp6_e2m3", "mxfp8_e4m3", "mxint8", "nvfp4" and the others whose
    blocks lie along one axis. Another format brings its own scale rule, unless it has the current one too."""
    scale_rule = Checked("FLOOR")
    """How the shared scale is chosen, one of `BlockFormat.scale_rules`: "FLOOR", "CEIL", "RCEIL" or "EVEN" in
    MX, "TE", "TORCHAO" or "FOUR_OVER_SIX" in NVFP4. None is the first of them."""

    _codes = traitlets.Unicode().tag(sync=True)  # of the values in float32, eight hex digits each

    def __init__(
        self, values: Any = None, *, format: Any = "mxfp4", scale_rule: Any = None, **traits: Any
    ) -> None:
        if values is None:
            values = np.random.default_rng(4).standard_normal(max(SIZES)).round(2)
        super().__init__(format=format, scale_rule=scale_rule, _codes=_to_codes(values), **traits)

    @property
    def values(self) -> NDArray[np.float32]:
        """The elements, float32. To be notified of changes, observe `_codes`."""
        return np.frombuffer(bytes.fromhex(self._codes), ">f4").astype(np.float32)

    @values.setter
    def values(self, values: Any) -> None:
        self._codes = _to_codes(values)

    @property
    def quantized(self) -> BlockQuantization:
        """Scales, codes and dequantised elements as shown in the page."""
        return get_block_format(self.format).quantize(self.values, scale_rule=self.scale_rule)

    @traitlets.validate("scale_rule")
    def _validate_scale_rule(self, proposal: Any) -> str:
        try:
            return get_block_format(self.format).check_scale_rule(proposal["value"])
        except ValueError as error:
            raise traitlets.TraitError(str(error)) from None

    @traitlets.observe("format")
    def _keep_a_rule_of_the_format(self, change: Any) -> None:
        if self.scale_rule not in get_block_format(self.format).scale_rules:
            self.scale_rule = None

    def _take_state(self, traits: dict[str, Any]) -> None:
        _shown(traits["format"]).check_scale_rule(traits["scale_rule"])  # nothing of a wrong pair is taken
        super()._take_state(traits)

    @traitlets.validate("_codes")
    def _validate_codes(self, proposal: Any) -> str:
        codes: str = proposal["value"].lower()
        if not _CODES.fullmatch(codes):
            raise traitlets.TraitError(
                f"codes are 16 or 32 float32 codes of eight hex digits each, as 3f800000; got {codes[:40]!r}"
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
        return f"BlockLab({len(self.values)} elements, {self.format!r}, {self.scale_rule!r})"

    def _content(self) -> str:
        nonzero = self.values != 0
        lost = (self.quantized.dequantized[nonzero] == 0).sum()
        return f"{lost} of {nonzero.sum()} elements that are not 0 become 0"


def _shown(format: Any) -> BlockFormat:
    fmt = get_block_format(format)
    if fmt.is_2d:
        raise ValueError(
            f"the lab shows blocks along one axis; those of {fmt.name} have rows and columns. "
            "BlockFormat.quantize takes them"
        )
    return fmt


def _to_codes(values: Any) -> str:
    if hasattr(values, "detach"):  # a torch tensor, on any device and of any dtype
        values = values.detach().cpu().float()
    array = np.asarray(values)
    if array.dtype.kind not in "iufV" or array.dtype.names:
        raise TypeError(f"values must be real numbers, not {array.dtype}")
    if array.size not in SIZES:
        raise ValueError(
            f"the lab shows 16 or 32 elements; got {array.size}: choose some, such as x.ravel()[:32]"
        )
    with np.errstate(over="ignore"):
        return array.ravel().astype(np.float32).astype(">f4").tobytes().hex()
