"""Summaries counted by torch operations: the same bits as NumPy's, and nothing that waits for a device."""

from collections import Counter
from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensorMode,
)
from torch.utils._python_dispatch import TorchDispatchMode

from mixwidgets.floats.gradients import histogram, lazy
from mixwidgets.floats.gradients.boundaries import catalogue_cuts
from mixwidgets.floats.gradients.histogram import looked_at
from mixwidgets.floats.gradients.summary import GradientSummary
from mixwidgets.runs.training import gradients as observe
from mixwidgets.runs.training.gradients import begin, cell_counts, gpu_kernels, summarise
from mixwidgets.runs.training.kernels import working_kernels

VIEWS = {"view", "expand", "slice", "split", "detach", "unsqueeze", "squeeze", "alias"}
# Each launches kernels and returns: none has a result whose shape or host value depends on the data
# (torch 2.13, aten/src/ATen/native/cuda).
KERNELS = {
    *("zeros", "ones", "arange", "cat", "_to_copy", "bitwise_and", "bucketize", "remainder", "mul"),
    *("add_", "index_add_", "sum"),
}


class Watch(TorchDispatchMode):
    """What reaches the dispatcher: fails on any operation that is not known to leave the device alone."""

    def __init__(self) -> None:
        super().__init__()
        self.kernels: Counter[str] = Counter()
        self.largest = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
        kwargs = kwargs or {}
        name = func.overloadpacket.__name__
        assert name in VIEWS | KERNELS, f"{func} may wait for the device"
        assert kwargs.get("device") is None or name != "_to_copy", f"{func} copies between devices"
        found = func(*args, **kwargs)
        if name in KERNELS:
            self.kernels[name] += 1
            self.largest = max(self.largest, found.numel())
        return found


def adversarial() -> np.ndarray:
    """Every binade of float32, subnormal ones too: both sides of each cut, both signs; zeros, inf and NaN."""
    fractions = np.array([0, *(-(-cut >> 29) for cut in catalogue_cuts())])
    near = (np.arange(256)[:, None] << 23) + fractions
    subnormal = [(1 << bits) + (-(-int(f) >> (23 - bits))) for bits in range(23) for f in fractions]
    codes = np.concatenate([near.reshape(-1), subnormal, [0]])
    codes = np.concatenate([codes - 1, codes, codes + 1]) & 0x7FFFFFFF
    return np.concatenate([codes, codes | 0x80000000]).astype(np.uint32).view(np.float32)


def every_code(dtype: torch.dtype) -> Tensor:
    return torch.arange(-(1 << 15), 1 << 15, dtype=torch.int16).view(dtype)


def model() -> dict[str, Tensor]:
    hard = torch.from_numpy(adversarial())
    return {
        "all": hard,
        "none": hard[:0],
        "one": hard[5],
        "matrix": hard[: 6 * 700].reshape(6, 700),
        "half": every_code(torch.float16),
        "bfloat": every_code(torch.bfloat16),
        "nothing": hard[:0],
        "strided": hard[::3],
        "double": hard.double() * 1e-60,
        "eight": torch.arange(256, dtype=torch.uint8).view(torch.float8_e5m2),
        "last": hard[-4:],
    }


@pytest.mark.parametrize("on_device", [True, False, None])
def test_the_same_summaries_as_numpy(on_device: bool | None) -> None:
    gradients = model()
    found = begin(gradients, on_device=on_device)()
    assert list(found) == list(gradients)
    for name, gradient in gradients.items():
        assert found[name].to_bytes() == GradientSummary.of(gradient).to_bytes(), name


@pytest.mark.parametrize("on_device", [True, False, None])
@pytest.mark.parametrize("size", [3, 1 << 15])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float8_e4m3fn])
def test_gradients_that_ask_for_gradients_themselves(
    dtype: torch.dtype, size: int, on_device: bool | None
) -> None:
    values = torch.arange(size).to(dtype).requires_grad_()
    found = begin({"w": values, "v": values}, on_device=on_device)()
    assert found["w"] == found["v"] == GradientSummary.of(values)


@given(st.lists(st.tuples(st.booleans(), st.lists(st.integers(0, 2**32 - 1), max_size=20)), max_size=6))
@example([(True, [0x3F800000]), (False, [1])])  # float32's smallest subnormal, beside a float64
def test_few_values_are_summarised_as_many_are(drawn: list[tuple[bool, list[int]]]) -> None:
    with np.errstate(invalid="ignore"):  # a signalling NaN is made a quiet one
        arrays = [
            np.array(codes, np.uint32).view(np.float32).astype(np.float64 if wide else np.float32)
            for wide, codes in drawn
        ]
    found = begin({str(i): torch.from_numpy(array) for i, array in enumerate(arrays)})()
    broken = {str(i): np.count_nonzero(~np.isfinite(array)) for i, array in enumerate(arrays)}
    assert found.not_finite == {name: count for name, count in broken.items() if count}
    for one, array in zip(found.values(), arrays, strict=True):
        alone = GradientSummary.of(array)
        assert one.to_bytes() == alone.to_bytes()
        assert one.samples.tolist() == alone.samples.tolist()


def test_a_sum_beyond_the_largest_float_is_no_infinity_among_the_values() -> None:
    found = begin({"w": torch.full((4,), 3e38), "v": torch.tensor([-torch.inf, 1, torch.nan])})()
    assert found.not_finite == {"v": 2}
    assert begin({"w": torch.full((4,), 3e38)})().not_finite == {}


def test_few_values_are_counted_together_on_first_access(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    count = lazy.count_cells_of_parts
    monkeypatch.setattr(lazy, "count_cells_of_parts", lambda *given: asked.append(1) or count(*given))
    found = begin({"w": torch.ones(3), "v": torch.tensor([torch.inf])})()
    assert (list(found), found.not_finite, asked) == (["w", "v"], {"v": 1}, [])
    assert (found["w"].count, found["v"].inf, len(asked)) == (3, 1, 1)


def flat(gradients: dict[str, Tensor]) -> list[Tensor]:
    """Those that the device counts."""
    wide = (torch.float64, torch.float8_e5m2)
    return [gradient.reshape(-1) for gradient in gradients.values() if gradient.dtype not in wide]


def test_cut_into_pieces_or_not() -> None:
    tensors = flat(model())
    whole = cell_counts(tensors)
    assert whole.sum(dim=1).tolist() == [len(tensor) for tensor in tensors]
    for chunk in (100, 4_500, 20_000, 70_000):
        assert torch.equal(cell_counts(tensors, chunk=chunk), whole)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.integers(0, 2**32 - 1), max_size=20), min_size=1, max_size=6), st.integers(1, 50))
def test_any_bits_in_any_tensors(codes: list[list[int]], chunk: int) -> None:
    arrays = [np.array(part, dtype=np.uint32).view(np.float32) for part in codes]
    counts = cell_counts([torch.from_numpy(array) for array in arrays], chunk=chunk)
    assert counts.sum(dim=1).tolist() == [len(array) for array in arrays]
    named = {str(i): torch.from_numpy(array) for i, array in enumerate(arrays)}
    found = begin(named, on_device=True)().values()
    assert [one.to_bytes() for one in found] == [GradientSummary.of(a).to_bytes() for a in arrays]


def test_only_operations_that_do_not_wait() -> None:
    tensors = flat(model())
    cell_counts(tensors, chunk=20_000)  # what is copied to the device once is there
    with Watch() as watch:
        cell_counts(tensors, chunk=20_000)
        torch.cat([looked_at(tensor) for tensor in tensors]).float()
    assert watch.kernels["index_add_"] > 1
    # Memory is bounded: a chunk at a time, beside the counts themselves.
    assert watch.largest == max(20_000, len(tensors) * 4158)


@pytest.mark.parametrize(
    "operation",
    [
        lambda x: x.sum().item(),
        lambda x: bool(x.any()),
        lambda x: x.nonzero(),
        lambda x: x[x > 0],
        lambda x: torch.bincount(x.int()),
        lambda x: x.unique(),
        lambda x: x.histc(),
        lambda x: torch.masked_select(x, x > 0),
        lambda x: x.to("cpu", copy=True),
    ],
)
def test_the_watch_sees_what_waits(operation) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(AssertionError, match="device"), Watch():
        operation(torch.ones(3))


@pytest.fixture
def no_constants() -> Iterator[None]:
    """Tensors that only pretend must not stay in the cache."""
    observe._constant.cache_clear()
    yield
    observe._constant.cache_clear()


def test_no_shape_and_no_host_value_depends_on_the_data(no_constants: None) -> None:
    """torch's own check, with tensors that claim to be on a GPU and have no values."""
    with FakeTensorMode():
        tensors = [torch.empty(size, device="cuda") for size in (9_000_000, 3, 0, 4_000_000, 70)]
        counts = cell_counts(tensors)
        assert (counts.shape, counts.device.type) == ((5, 4158), "cuda")
        for operation in (Tensor.item, Tensor.unique, lambda x: torch.bincount(x.int())):
            with pytest.raises((DataDependentOutputException, DynamicOutputShapeException)):
                operation(torch.ones(1, device="cuda"))


def test_a_hundred_small_tensors_cost_the_launches_of_a_few() -> None:
    def launches(tensors: int) -> int:
        gradients = [torch.ones(50) for _ in range(tensors)]
        cell_counts(gradients)  # what is copied to the device once is there
        with Watch() as watch:
            cell_counts(gradients)
            torch.cat([looked_at(gradient) for gradient in gradients]).float()
        return watch.kernels.total()

    assert launches(2) == launches(100) < 20


def test_gradients_may_change_after_begin() -> None:
    for on_device, dtype, size in product((True, False), (torch.float32, torch.float64), (100, 100_000)):
        gradient = torch.full((size,), 3.0, dtype=dtype)
        pending = begin({"w": gradient}, on_device=on_device)
        gradient.zero_()
        assert pending()["w"].zero == 0


@pytest.mark.parametrize(
    ("tensor", "error", "message"),
    [
        (torch.ones(3, dtype=torch.int64), TypeError, "int64"),
        (torch.ones(3, dtype=torch.complex64), TypeError, "complex64"),
        (torch.ones(3).to_sparse(), ValueError, "to_dense"),
        (torch.ones(3, device="meta"), ValueError, "meta"),
    ],
    ids=["int64", "complex64", "sparse", "meta"],
)
@pytest.mark.parametrize("on_device", [True, False])
def test_what_is_no_gradient_is_refused(
    tensor: Tensor, error: type[Exception], message: str, on_device: bool
) -> None:
    with pytest.raises(error, match=message):
        begin({"w": tensor}, on_device=on_device)


def test_no_gradients() -> None:
    assert dict(summarise({})) == {}


def test_where_kernels_do_not_compile_torchs_operations_count() -> None:
    with pytest.warns(RuntimeWarning, match="takes more launches: the kernels do not work here"):
        assert working_kernels(torch.device("cuda", 0), cell_counts) is None
    assert gpu_kernels([torch.ones(3)], [torch.ones(3)]) is None  # on a CPU nobody asks
    working_kernels.cache_clear()


def test_a_loops_gradients_are_counted_by_numba_where_a_single_array_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Loading it pays over the steps. Whatever was counted before does not matter."""
    used, loop = [], histogram._compiled_loop()

    def spy(bits: np.ndarray, *more: object) -> None:
        used.append(len(bits))
        loop(bits, *more)

    monkeypatch.setattr(histogram, "_compiled_loop", lambda: spy)
    for _ in range(2):
        summarise({"w": torch.ones(1 << 16)})
        GradientSummary.of(np.ones(1 << 19, np.float32))
        summarise({"w": torch.ones(1 << 16), "b": torch.ones(1 << 16)})
    assert used == [1 << 16] * 4
