"""collect and best_loss_scale: from whatever has gradients to summaries by name, and to one scale."""

from types import MappingProxyType

import numpy as np
import pytest

from mixwidgets.floats.gradients.sources import collect
from mixwidgets.floats.gradients.summary import LOG2_LOSS_SCALES, GradientSummary, best_loss_scale


def test_a_mapping_in_its_order() -> None:
    summary = GradientSummary.of([1.0])
    found = collect({"b": np.ones(3, dtype=np.float32), "a": summary, "<b>": [0.5], "none": None})
    assert list(found.summaries) == ["b", "a", "<b>"]
    assert found.summaries["a"] is summary
    assert found.without_gradient == ("none",)


def test_a_model_before_and_after_backward() -> None:
    torch = pytest.importorskip("torch")
    model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Linear(2, 1))
    with pytest.raises(ValueError, match=r"none of the 4 .*backward"):
        collect(model)
    model[0].bias.requires_grad_(False)
    model(torch.ones(5, 3)).sum().backward()
    found = collect(model)
    assert list(found.summaries) == ["0.weight", "1.weight", "1.bias"]
    assert found.without_gradient == ("0.bias",)
    assert found.summaries["1.bias"].count == 1
    assert list(collect({name: p.grad for name, p in model.named_parameters()}).summaries) == list(
        found.summaries
    )


def test_parameters_are_not_their_gradients() -> None:
    torch = pytest.importorskip("torch")
    with pytest.raises(TypeError, match=r"'weight' is a parameter.*\.grad"):
        collect(dict(torch.nn.Linear(3, 2).named_parameters()))


class Recorded:
    """As a run has it."""

    def gradients(self) -> dict[str, GradientSummary]:
        return {"w": GradientSummary.of([1.0])}


class Seen:
    """As a watcher and a snapshot have it."""

    summaries = MappingProxyType({"w": GradientSummary.of([1.0])})


def test_what_was_recorded() -> None:
    summary = GradientSummary.of([1.0])
    assert collect(Recorded()).summaries == collect(Seen()).summaries == {"w": summary}
    assert collect(summary).summaries == {"gradients": summary}


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [
        ({}, ValueError, "empty"),
        (None, TypeError, "NoneType"),
        (np.arange(3), TypeError, "int64"),
        ([("w", np.ones(3))], TypeError, "list"),
        ({1: np.ones(3)}, TypeError, "1"),
        ({"w": np.arange(3)}, TypeError, "'w'.*int64"),
        ({"w": None}, ValueError, "backward"),
    ],
)
def test_what_has_no_gradients(source: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        collect(source)


def lost(summary: GradientSummary, scale: float) -> tuple[int, int]:
    counts = summary.counts("float16", scale)
    return counts.flushed, counts.overflow


def test_the_best_scale_by_hand() -> None:
    def best(*values: float, **options: int) -> float:
        return best_loss_scale([GradientSummary.of([value]) for value in values], "float16", **options)

    assert best(1.0) == 1.0, "nothing is lost: no scaling"
    assert best(0.0, float("inf"), float("nan")) == 1.0
    assert best(2.0**-20) == 2.0**6, "the smallest scale that makes it normal"
    assert best(2.0**-28, 1.0, headroom=0) == 2.0**14, "both normal"
    assert best(2.0**-28, 1.0) == 2.0**4, (
        "2^11 is the highest that leaves 4 binades: one subnormal either way"
    )
    assert best(2.0**-28, 2.0**-25, 1.0) == 2.0**11, "now 2^11 makes one more normal"
    assert best(2.0**-40, 1.0) == 1.0, "no safe scale saves the small one"
    assert best(2.0**20) == 2.0**-9
    assert best(2.0**-60) == 2.0**36, "subnormal is the best that the range allows"
    assert best(2.0**60) == best(2.0**-80) == 1.0, "no scale of the range helps"


def test_no_scale_in_range_is_better() -> None:
    rng = np.random.default_rng(5)
    values = rng.standard_normal(3000) * np.exp2(rng.uniform(-50, -2, 3000))
    summary = GradientSummary.of(values)
    best = best_loss_scale([summary], "float16")
    assert lost(summary, best * 16)[1] == 0
    safe = [2.0**k for k in LOG2_LOSS_SCALES if lost(summary, 2.0 ** (k + 4))[1] == 0]
    assert lost(summary, best)[0] == min(lost(summary, scale)[0] for scale in safe)


def test_no_summaries() -> None:
    with pytest.raises(ValueError, match="no gradients"):
        best_loss_scale([], "float16")


def test_sparse_and_complex_gradients_of_a_model() -> None:
    torch = pytest.importorskip("torch")
    model = torch.nn.ModuleDict({"words": torch.nn.Embedding(10, 4, sparse=True)})
    model.register_parameter("turn", torch.nn.Parameter(torch.tensor([3 + 4j, 1 - 1j])))
    (model["words"](torch.tensor([1, 2, 2])).sum() + (model.turn.abs() ** 2).sum()).backward()
    found = collect(model).summaries
    dense = GradientSummary.of(model["words"].weight.grad.to_dense())
    assert found["words.weight"] == dense
    assert (dense.count, dense.zero) == (40, 32)
    assert found["turn.real"] == GradientSummary.of(model.turn.grad.real)
    assert found["turn.imag"] == GradientSummary.of(model.turn.grad.imag)
    assert list(found) == ["turn.real", "turn.imag", "words.weight"]
