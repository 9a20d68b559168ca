"""Converts any source of floating-point values to a flat float32 or float64 array."""

import re
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

_FLOATS = "float64, float32, float16, bfloat16 or a float8"
_FLOAT_NAME = re.compile(r"b?float(4|6|8|16|32|64)(_\w+)?")  # NumPy's own and those of ml_dtypes


def own_part(values: Any) -> Any:
    """This process's part of a tensor that is sharded over several (DTensor); any other value unchanged."""
    return values.detach().to_local() if hasattr(values, "to_local") else values


def as_floats(values: object) -> Array:
    """A 1-D array in native byte order: float64 stays, narrower floats become float32, which is exact.

    Accepts NumPy and ml_dtypes arrays, numbers and sequences of floats, and torch tensors on any device.
    Raises TypeError for other dtypes and ValueError for tensors without dense values.
    """
    if values is None:
        raise TypeError("None is not a gradient: this parameter has none yet; call loss.backward() first")
    array = _from_torch(values) if hasattr(values, "detach") else _from_array(values)
    wide = np.float64 if array.dtype.name == "float64" else np.float32
    with np.errstate(invalid="ignore"):  # widening a signalling NaN would warn
        return np.ascontiguousarray(array, dtype=wide).reshape(-1)


def require_dense_floats(tensor: Any) -> None:
    """Raise the errors of `as_floats` for a torch tensor without dense floating-point values."""
    if tensor.is_meta:
        raise ValueError(
            "a tensor on the meta device has a shape but no values; move the model to a real device"
        )
    if str(tensor.layout) != "torch.strided":
        raise ValueError(
            f"got a tensor of layout {tensor.layout}; pass tensor.to_dense(), or .coalesce().values()"
        )
    if hasattr(tensor, "__tensor_flatten__"):  # a subclass made of other tensors, such as a quantised one
        raise TypeError(
            f"a tensor of type {type(tensor).__name__} is made of others; pass its values as a plain tensor, "
            "such as tensor.dequantize()"
        )
    if str(tensor.dtype).endswith("_x2"):
        raise TypeError(
            f"{tensor.dtype} packs two values into each byte, which torch does not convert: decode its 4-bit "
            "codes, such as with get_format('float4_e2m1fn').decode(codes), and pass the values"
        )
    if not tensor.dtype.is_floating_point:
        raise TypeError(_not_floating(str(tensor.dtype).removeprefix("torch.")))


def _from_torch(tensor: Any) -> Array:
    require_dense_floats(tensor)
    tensor = tensor.detach()
    return (tensor if str(tensor.dtype) == "torch.float64" else tensor.float()).cpu().numpy()  # type: ignore[no-any-return]


def _from_array(values: object) -> Array:
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise TypeError(f"these values do not form one array: {error}") from None
    if array.size == 0 and isinstance(values, list | tuple):
        return array.astype(np.float32)
    if not _FLOAT_NAME.fullmatch(array.dtype.name):
        raise TypeError(
            _not_floating(array.dtype.name if array.dtype != object else f"object ({values!r:.60})")
        )
    return array


def _not_floating(came: str) -> str:
    if came.startswith("complex"):
        return f"gradients are real; got {came}. Pass the .real and the .imag part, each under its own name"
    return f"gradients are floating point ({_FLOATS}); got {came}. Convert it first, with .astype('float32')"
