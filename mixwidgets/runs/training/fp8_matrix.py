"""FP8 matrices that torch multiplies itself: on a GPU that has them, by its FP8 tensor cores.

Compared with products of the same rounded values in float32, tensor cores keep fewer bits of the sums on the
way (about 14 on an H800: DeepSeek-V3, arXiv:2412.19437, section 3.3.2), and the scales are applied to the sum
instead of each value.
"""

from functools import cache
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from mixwidgets.floats.formats.float_format import FloatFormat

_DTYPES = {"float8_e4m3fn": torch.float8_e4m3fn, "float8_e5m2": torch.float8_e5m2}
_MULTIPLE = 16  # of both sizes of an operand, which tensor cores take


class FP8Matrix(NamedTuple):
    """A matrix whose values are those of its codes times a unit."""

    codes: Tensor
    """(rows, columns), in an FP8 dtype."""
    unit: Tensor
    """A float32 scalar on the same device."""

    @classmethod
    def of(cls, fmt: FloatFormat, values: Tensor, scale: Tensor | None) -> "FP8Matrix":
        """values: float32, of the format; they were multiplied by `scale` if there is one."""
        unit = values.new_ones(()) if scale is None else scale.reciprocal()
        return cls(values.to(_DTYPES[fmt.name]), unit)

    @property
    def T(self) -> "FP8Matrix":
        """The transposed matrix."""
        return self._replace(codes=self.codes.T)

    def __matmul__(self, other: "FP8Matrix") -> Tensor:
        """The product in float32. At most one of the two may be of E5M2."""
        left, right = _padded(self.codes), _padded(other.codes.T).T  # by rows, and by columns
        product = torch._scaled_mm(
            left, right, scale_a=self.unit, scale_b=other.unit, out_dtype=torch.float32, use_fast_accum=False
        )
        return product[: self.codes.shape[0], : other.codes.shape[1]]


@cache
def require_fp8_products(device: torch.device) -> None:
    """ValueError if torch cannot multiply FP8 matrices on this device."""
    ones = FP8Matrix(torch.ones(16, 16, device=device).to(torch.float8_e4m3fn), torch.ones((), device=device))
    try:
        wrong = "" if (ones @ ones.T).tolist() == [[16.0] * 16] * 16 else "its product of ones is wrong"
    except (RuntimeError, NotImplementedError) as error:
        wrong = str(error).partition("\n")[0]
    if wrong:
        raise ValueError(
            "products 'native' needs a device on which torch multiplies FP8 matrices, such as an NVIDIA GPU "
            f"from Ada and Hopper on; on {device} it fails ({wrong}). Use products 'emulated', which rounds "
            "the same way and multiplies in float32."
        )


def _padded(codes: Tensor) -> Tensor:
    """Stored by rows, with zeros up to sizes that tensor cores take."""
    rows, columns = codes.shape
    missing = (0, -columns % _MULTIPLE, 0, -rows % _MULTIPLE)
    whole = codes.contiguous()
    return functional.pad(whole.view(torch.uint8), missing).view(codes.dtype) if any(missing) else whole
