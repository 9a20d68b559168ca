"""The mask task: its pictures, its loss and its metric."""

import itertools
import math

import pytest
import torch

from mixwidgets.runs.task import mask
from mixwidgets.runs.task.catalogue import tasks
from mixwidgets.runs.task.digits import load_digits


def test_the_focal_loss_is_the_papers():
    logits, targets = torch.linspace(-6, 6, 20, dtype=torch.float64), torch.arange(20) % 3 == 0
    expected = 0.0
    for x, is_digit in zip(logits.tolist(), targets.tolist(), strict=True):
        p = 1 / (1 + math.exp(-x))
        p_t, alpha_t = (p, 0.25) if is_digit else (1 - p, 0.75)
        expected += -alpha_t * (1 - p_t) ** 2 * math.log(p_t) / 20
    assert mask.focal_loss(logits, targets).item() == pytest.approx(expected, rel=1e-12)


def test_the_focal_loss_of_sure_logits_is_finite():
    for dtype in (torch.float16, torch.float32):
        sure = torch.tensor([1000.0, -1000.0], dtype=dtype, requires_grad=True)
        wrong = mask.focal_loss(sure, torch.tensor([False, True]))
        (gradient,) = torch.autograd.grad(wrong, sure)
        assert wrong.dtype == dtype
        assert wrong.item() == pytest.approx((0.75 * 1000 + 0.25 * 1000) / 2, rel=1e-3)
        assert gradient.tolist() == pytest.approx([0.375, -0.125])


def test_pasting_adds_the_whole_digit_and_marks_its_ink():
    (digits, _), _ = load_digits()

    def pasted(digits):
        return mask.paste(digits, 16, torch.Generator().manual_seed(3))

    inputs, targets = pasted(digits[:50])
    noise, empty = pasted(torch.zeros(50, 1, 8, 8))
    assert not empty.any()
    assert noise.std() == pytest.approx(0.25, rel=0.05)
    ink, places = inputs - noise, set()
    for digit, on_canvas, marked in zip(digits[:50, 0], ink[:, 0], targets[:, 0], strict=True):
        places_that_fit = [
            (row, column)
            for row, column in itertools.product(range(9), repeat=2)
            if torch.allclose(on_canvas[row : row + 8, column : column + 8], digit, atol=1e-6)
        ]
        assert on_canvas.sum().item() == pytest.approx(digit.sum().item(), abs=1e-3)
        assert torch.equal(marked, on_canvas > 0.25 + 1e-6)
        places.update(places_that_fit[:1])
    assert len(places) > 20  # anywhere, not always at one place


def test_held_out_canvases_show_no_training_digits(monkeypatch):
    (training, labels), (held_out, held_out_labels) = load_digits()
    bright = ((training + 100, labels), (held_out, held_out_labels))
    monkeypatch.setattr(mask, "load_digits", lambda: bright)
    task = tasks["mask"].build({})
    assert all(image.max() > 50 for image in next(task.batches(16, seed=0))[0])
    assert task.held_out[0].max() < 50


@pytest.mark.parametrize("canvas", [16, 48])
def test_the_canvas_has_the_size_asked_for(canvas):
    task = tasks["mask"].build({"canvas": canvas})
    inputs, targets = next(task.batches(2, seed=0))
    assert inputs.shape == targets.shape == task.model()(inputs).shape == (2, 1, canvas, canvas)


def test_iou_is_intersection_over_union():
    task = tasks["mask"].build({})
    everything = task.evaluate(lambda inputs: torch.ones_like(inputs))
    _, targets = task.held_out
    assert everything["iou"] == pytest.approx(targets.double().mean().item())
    assert task.evaluate(lambda inputs: -torch.ones_like(inputs))["iou"] == 0
