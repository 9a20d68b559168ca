"""Values in and out alike: a torch tensor, a pandas Series and a polars Series come back as what they were.

Each is recognised by its class's name, so that no library is imported for it.
"""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FLOATS = "float64, float32, float16, bfloat16 or a float8"


class Taken(NamedTuple):
    """Values of another library."""

    array: "NDArray[Any]"
    """The values, without their gradient, on the host. Floats of a tensor narrower than float64 are float32,
    which is exact; a missing value of a series is NaN."""
    back: Callable[["NDArray[Any]"], Any]
    """An array as what the values were: a tensor on their device, or a series with their name (and index). An
    array of another shape than the series stays an array."""
    kept: Callable[["NDArray[Any]"], Any]
    """The same, in the dtype of floating-point values. ValueError if a value does not fit it."""


def take(values: Any) -> Taken | None:
    """The values of a torch tensor, a pandas or a polars Series; None for anything else.

    Raises TypeError or ValueError for a tensor without dense real values.
    """
    for cls in type(values).__mro__:
        if taker := _TAKERS.get((cls.__module__.partition(".")[0], cls.__name__)):
            return taker(values)
    return None


def _from_torch(tensor: Any) -> Taken:
    require_dense(tensor)
    is_float = tensor.dtype.is_floating_point
    narrow = is_float and str(tensor.dtype) != "torch.float64"
    array = (tensor.float() if narrow else tensor).numpy(force=True)

    def back(result: "NDArray[Any]") -> Any:
        return sys.modules["torch"].from_numpy(result).to(tensor.device)

    def kept(result: "NDArray[Any]") -> Any:
        whole = sys.modules["torch"].from_numpy(result)
        if not is_float:
            return whole.to(tensor.device)
        fitted = whole.to(tensor.dtype)
        lost = (fitted.to(whole.dtype) != whole) & ~whole.isnan()
        if lost.any():
            raise ValueError(
                f"{whole[lost][0].item()} does not fit {tensor.dtype}; pass the values as float32 or float64"
            )
        return fitted.to(tensor.device)

    return Taken(array, back, kept)


def _from_pandas(series: Any) -> Taken:
    def back(result: "NDArray[Any]", dtype: Any = None) -> Any:
        if result.shape != series.shape:
            return result
        return type(series)(result, index=series.index, name=series.name, dtype=dtype)

    def kept(result: "NDArray[Any]") -> Any:  # a nullable dtype has <NA> again where it had it
        return back(result, series.dtype if series.dtype.kind == "f" else None)

    return Taken(series.to_numpy(), back, kept)


def _from_polars(series: Any) -> Taken:
    def back(result: "NDArray[Any]") -> Any:
        return type(series)(series.name, result) if result.shape == (len(series),) else result

    return Taken(series.to_numpy(), back, back)


_TAKERS = {
    ("torch", "Tensor"): _from_torch,
    ("pandas", "Series"): _from_pandas,
    ("polars", "Series"): _from_polars,
}


def require_dense(tensor: Any) -> None:
    """Raise ValueError for a torch tensor without dense values, TypeError for one without plain real ones."""
    if tensor.is_meta:
        raise ValueError(
            "a tensor on the meta device has a shape but no values; move the model to a real device"
        )
    if tensor.is_nested:
        raise ValueError("got a nested tensor, whose rows differ in length; pass its tensors one by one")
    if str(tensor.layout) != "torch.strided":
        raise ValueError(
            f"got a tensor of layout {tensor.layout}; pass tensor.to_dense(), or .coalesce().values()"
        )
    if tensor.is_quantized or hasattr(tensor, "__tensor_flatten__"):
        kind = tensor.dtype if tensor.is_quantized else f"type {type(tensor).__name__}"
        raise TypeError(
            f"a tensor of {kind} is made of others; pass its values as a plain tensor, such as "
            "tensor.dequantize()"
        )
    if str(tensor.dtype).endswith("_x2"):
        raise TypeError(
            f"{tensor.dtype} packs two values into each byte, which torch does not convert: decode its 4-bit "
            "codes, such as with get_format('float4_e2m1fn').decode(codes), and pass the values"
        )
    if tensor.is_complex():
        raise TypeError(not_floating(str(tensor.dtype).removeprefix("torch.")))


def require_dense_floats(tensor: Any) -> None:
    """The same, and TypeError for a tensor of another dtype than a floating-point one."""
    require_dense(tensor)
    if not tensor.dtype.is_floating_point:
        raise TypeError(not_floating(str(tensor.dtype).removeprefix("torch.")))


def not_floating(came: str) -> str:
    """The sentence for values of a dtype that is not floating point."""
    if came.startswith("complex"):
        return f"values are real; got {came}. Pass the .real and the .imag part, each under its own name"
    return f"values are floating point ({_FLOATS}); got {came}. Convert it first, with .astype('float32')"
