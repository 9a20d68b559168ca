"""The test cases of the lessons' coding tasks: arguments and expected results.

Expected results are plain values, computed independently of a solution. Simple cases come first, because the
first failing case is shown.
"""

import math
import random
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from mixwidgets.floats.formats.block_catalogue import get_block_format
from mixwidgets.floats.formats.catalogue import get_format


@dataclass(frozen=True)
class Case:
    """One call and its expected result."""

    call: str
    """As displayed."""
    arguments: tuple[Any, ...]
    expected: Any
    within: float = 0.0
    """The largest accepted relative error of a number."""
    mistakes: Mapping[str, Any] = field(default_factory=dict)
    """The results of typical mistakes, by the names of the sentences on them in the task's texts; of two
    with the same result here, the first speaks."""


def _master_step() -> list[Case]:
    def case(master: list[float], gradient: list[float], rate: float, after: list[float]) -> Case:
        call = f"step(float32 {master}, float16 {gradient}, {rate})"
        before, half, lr = np.array(master, np.float32), np.array(gradient, np.float16), np.float16(rate)
        in_half = (before.astype(np.float16) - lr * half).astype(np.float32)

        def pair(weights: Any) -> tuple[Any, Any]:
            return weights, weights.astype(np.float16)

        wide, narrow = pair(np.array(after, np.float32))
        mistakes = {
            "climbs": pair(before + np.float32(rate) * half.astype(np.float32)),
            "stale": (wide, before.astype(np.float16)),
            "kept": (before, narrow),
            "rate": pair(before - half.astype(np.float32)),
            "in_half": (in_half, in_half.astype(np.float16)),
            "product": pair(before - (lr * half).astype(np.float32)),
        }
        return Case(call, (before, half, rate), (wide, narrow), mistakes=mistakes)

    return [
        case([1.0, -2.0], [0.5, 0.25], 0.5, [0.75, -2.125]),
        case([1.0], [2.0**-10], 2.0**-10, [1 - 2.0**-20]),  # lost if the update is added in FP16
        case([2.0**-10], [2.0**-12], 2.0**-14, [2.0**-10 - 2.0**-26]),  # lost if multiplied in FP16
        case([2049.0], [0.0], 1.0, [2049.0]),  # not representable in FP16
    ]


def _next_scale() -> list[Case]:
    rows: list[tuple[tuple[float, int, bool, int], tuple[float, int], dict[str, tuple[float, int]]]] = [
        ((1024.0, 0, False, 10), (1024.0, 1), {"inverted": (512.0, 0), "uncounted": (1024.0, 0)}),
        (
            (1024.0, 3, True, 10),
            (512.0, 0),
            {
                "raised": (2048.0, 0),
                "unlowered": (1024.0, 0),
                "kept_count": (512.0, 3),
                "counted": (512.0, 4),
            },
        ),
        ((1024.0, 8, False, 10), (1024.0, 9), {"early": (2048.0, 0)}),
        ((1024.0, 9, False, 10), (2048.0, 0), {"late": (1024.0, 10), "no_restart": (2048.0, 10)}),
        ((1024.0, 9, True, 10), (512.0, 0), {}),
        ((2048.0, 0, False, 10), (2048.0, 1), {}),
        ((1.0, 0, True, 10), (0.5, 0), {"floor": (1.0, 0)}),
        ((8.0, 1, False, 2), (16.0, 0), {"ten": (8.0, 2)}),
    ]
    return [
        Case("next_scale({:g}, {}, {}, interval={})".format(*asked), asked, after, mistakes=mistakes)
        for asked, after, mistakes in rows
    ]


def _unscale_then_clip() -> list[Case]:
    import torch

    def case(true: list[list[float]], S: float, limit: float, after: list[list[float]]) -> Case:
        scaled = [(torch.tensor(part, dtype=torch.float64) * S).to(torch.float16) for part in true]
        wide, unscaled = [part.float() for part in scaled], [part.float() / S for part in scaled]
        expected = [torch.tensor(part, dtype=torch.float32) for part in after]

        def to_the_limit(parts: list[Any], *, also_up: bool = False) -> list[Any]:
            norm = float(torch.cat(parts).norm())
            return [part * limit / norm if also_up or norm > limit else part for part in parts]

        mistakes = {
            "always": to_the_limit(unscaled, also_up=True),
            "never": unscaled,
            "each_number": [part.clamp(-limit, limit) for part in unscaled],
            "still_scaled": to_the_limit(wide),
            "clipped_first": [part / S for part in to_the_limit(wide)],
            "each_tensor": [to_the_limit([part])[0] for part in unscaled],
            "in_half": to_the_limit([(part / S).float() for part in scaled]),
        }
        if not any(part.any() for part in unscaled):
            mistakes["nothing"] = [part * math.nan for part in unscaled]
        call = f"clipped({[part.tolist() for part in scaled]}, S={S:g}, limit={limit:g})"
        return Case(call, (scaled, S, limit), expected, within=1e-5, mistakes=mistakes)

    return [
        case([[3.0, 4.0]], 1.0, 10.0, [[3.0, 4.0]]),
        case([[3.0, 4.0]], 1.0, 1.0, [[0.6, 0.8]]),
        case([[0.375, 0.5]], 1024.0, 1.0, [[0.375, 0.5]]),
        case([[3.0, 4.0]], 1024.0, 1.0, [[0.6, 0.8]]),
        case([[3.0], [4.0]], 1024.0, 1.0, [[0.6], [0.8]]),  # one norm for all tensors
        case([[2.0**-30]], 1024.0, 1.0, [[2.0**-30]]),  # zero if divided in FP16
        case([[0.0, 0.0]], 1024.0, 1.0, [[0.0, 0.0]]),
    ]


def _longest_skip() -> list[Case]:
    def case(marks: str, expected: int) -> Case:
        skipped = [mark == "x" for mark in marks]
        rows = [len(row) for row in marks.split(".")]
        good = max(map(len, marks.split("x")))
        mistakes = {"good": good, "last": rows[-1], "all": sum(rows), "end": max(rows[:-1], default=0)}
        return Case(f"longest_skip({skipped})", (skipped,), expected, mistakes=mistakes)

    return [
        case(*row)
        for row in [
            ("..x..", 1),
            (".xx.x", 2),
            ("x.xxx", 3),
            ("xxxx", 4),
            ("....", 0),
            ("", 0),
            ("xx.x.xx", 2),
        ]
    ]


def _round_e4m3() -> list[Case]:
    fmt = get_format("float8_e4m3fn")
    chance = random.Random(0)
    values = [
        1.0,
        1.9,
        0.1,
        -0.1,
        0.0,
        3.3,
        1.0625,
        1.1875,
        448.0,
        440.0,
        0.01,
        2.0**-9,
        2.0**-10,
        3 * 2.0**-10,
    ]
    values += [fmt.decode(code) for code in range(0x7F)]
    values += [chance.choice((-1, 1)) * 2 ** chance.uniform(-12, 8) for _ in range(300)]
    values += [math.nextafter(2.0**exponent, 0) for exponent in range(-8, 9)]
    mistakes = {  # by the argument at which each is first seen
        1.9: {"kept": 1.9, "two_bits": 2.0},
        0.1: {"cut": 0.09375},
        1.0625: {"ties": 1.125},
        0.01: {"flushed": 0.0},
        2.0**-10: {"no_subnormals": 2.0**-10},
    }
    return [Case(f"rounded({x!r})", (x,), float(fmt.round(x)), mistakes=mistakes.get(x, {})) for x in values]


def _choose_scale() -> list[Case]:
    rows: list[tuple[list[float], int, dict[str, float]]] = [
        ([50.0, 0.3], 4, {"floor": 3, "scale": 16, "plain": 5}),
        ([6.0], 0, {"more": 1}),
        ([4.0, -1.0], 0, {"more": 1}),
        ([7.0], 1, {"floor": 0}),
        ([-7.0, 1.0], 1, {"signed": -2}),
        ([0.5, 0.0, 0.25], -3, {}),
        ([math.nextafter(4.0, 0)], 0, {}),
        ([3.0], -1, {}),
        ([1e-30], -102, {}),
        ([math.nextafter(6 * 2.0**60, math.inf)], 61, {"logarithm": 60}),
    ]
    return [
        Case(f"scale_exponent({values})", (values,), e, mistakes=mistakes) for values, e, mistakes in rows
    ]


def _first_overflow() -> list[Case]:
    import torch

    times = [("a", lambda x: x * 200), ("b", lambda x: x * x), ("c", lambda x: x - x), ("d", torch.sqrt)]

    def case(names: str, values: list[float], expected: str | None, **mistakes: str | None) -> Case:
        layers = [pair for pair in times if pair[0] in names]
        words = {"a": "x * 200", "b": "x * x", "c": "x - x", "d": "sqrt(x)"}
        shown = ", ".join(f"{name}: {words[name]}" for name in names)
        call = f"first_overflow([{shown}], float16 {values})"
        return Case(call, (layers, torch.tensor(values).half()), expected, mistakes=mistakes)

    return [
        case("abc", [1.0, 400.0], "a", later="c", unseen=None),  # it becomes NaN two layers later
        case("ab", [1.0, 2.0], "b", unfed=None),
        case("ab", [0.5, 1.0], None),
        case("abc", [1.0, 2.0], "b"),
        case("bd", [-4.0], None),
        case("d", [-4.0], "d", nan=None),  # without an infinity before
    ]


def _largest_batch() -> list[Case]:
    rows = [
        (1000, 10, 100, 20, 2, 4),
        (1000, 10, 100, 16, 4, 2),
        (1000, 10, 105, 16, 4, 2),
        (960, 10, 100, 16, 4, 2),
        (559, 10, 100, 16, 4, 0),
        (100, 10, 100, 16, 4, 0),
        (8 * 10**9, 100_000_000, 1_000_000, 20, 2, 3000),
    ]
    names = ("memory", "weights", "numbers", "bytes_a_weight", "bytes_a_number")

    def case(memory: int, weights: int, numbers: int, weight: int, number: int, expected: int) -> Case:
        left = memory - weights * weight
        mistakes = {
            "weights": memory // (numbers * number),
            "a_number": left // numbers,
            "an_example": left // number,
            "rounded": round(left / (numbers * number)),
            "negative": left // (numbers * number),
            "all_of_it": (left - 1) // (numbers * number),
        }
        asked = (memory, weights, numbers, weight, number)
        call = f"largest_batch({', '.join(map('{}={}'.format, names, asked))})"
        return Case(call, asked, expected, mistakes=mistakes)

    return [case(*row) for row in rows]


def _paired() -> list[Case]:
    rows = [
        ([3.0, 4.0, 5.0], [2.0, 3.0, 4.0], 1.0, 0.0),
        ([1.0, 3.0], [1.0, 1.0], 1.0, 1.0),
        ([1.0, 1.0], [1.0, 3.0], -1.0, 1.0),
        ([1.0, 2.0, 3.0, 6.0], [0.0, 2.0, 0.0, 1.0], 2.25, math.sqrt(14.75 / 3 / 4)),
    ]

    def case(a: list[float], b: list[float], mean: float, error: float) -> Case:
        n, apart = len(a), math.sqrt((np.var(a, ddof=1) + np.var(b, ddof=1)) / len(a))
        mistakes = {
            "reversed": (-mean, error),
            "unpaired": (mean, apart),
            "one_list": (mean, np.std(a) / n**0.5),
            "by_n": (mean, error * math.sqrt((n - 1) / n)),
            "deviation": (mean, error * math.sqrt(n)),
            "absolute": (abs(mean), error),
        }
        return Case(f"paired({a}, {b})", (a, b), (mean, error), within=1e-9, mistakes=mistakes)

    return [case(*row) for row in rows]


def _quantize_even() -> list[Case]:
    block = get_block_format("mxfp4")

    def under(rule: str, values: list[float]) -> tuple[int, list[float]]:
        quantized = block.quantize(values, scale_rule=rule)
        return math.frexp(quantized.scales[0])[1] - 1, quantized.dequantized.tolist()

    def case(values: list[float], **mistakes: Any) -> Case:
        e, numbers = under("EVEN", values)
        rules = {
            rule: result for rule in ("FLOOR", "RCEIL", "CEIL") if (result := under(rule, values))[0] != e
        }
        mistakes = {**mistakes, **rules, "scale": (2.0**e, numbers)}
        return Case(f"quantized({values})", (values,), (e, numbers), mistakes=mistakes)

    chance = random.Random(0)
    drawn = [[round(chance.gauss(0, 1) * 2.0**k, 2) for _ in range(8)] for k in range(30)]
    return [
        case([6.0, 1.0, -3.0, 0.5]),
        case([12.0, -4.0], elements=(1, [6.0, -2.0]), kept=(0, [12.0, -4.0])),
        case([5.0, 2.5, 1.25, 0.25], ties=(0, [6.0, 3.0, 1.5, 0.5]), steps=(0, [5.0, 2.5, 1.0, 0.0])),
        case([7.5, 1.0]),
        case([6.5, 1.0]),
        case([7.0, 1.0], seven=(0, [6.0, 1.0])),
        case([-7.5, 1.0], magnitude=(-2, [-1.5, 1.0])),
        case([7.0 * 2.0**-40, 2.0**-40]),
        *map(case, drawn),
    ]


def _round_stochastically() -> list[Case]:
    def case(x: float, u: float, expected: float, **mistakes: float) -> Case:
        return Case(f"stochastic({x!r}, {u!r})", (x, u), expected, mistakes=mistakes)

    grid = [get_format("float4_e2m1fn").decode(code) for code in range(8)]
    chance = random.Random(0)
    drawn = [(chance.uniform(-6, 6), chance.random()) for _ in range(300)]

    def of(x: float, u: float) -> float:
        below = bisect_right(grid, abs(x)) - 1
        share = (abs(x) - grid[below]) / (grid[below + 1] - grid[below])
        return math.copysign(grid[below + (u < share)], x)

    return [
        case(1.5, 0.9, 1.5),
        case(1.5, 0.0, 1.5, exact=2.0),
        case(1.375, 0.3, 1.5, reversed=1.0, kept=1.375),
        case(1.375, 0.8, 1.0, nearest=1.5),
        case(1.375, 0.6, 1.5, coin=1.0),
        case(-1.375, 0.2, -1.5, signed=-1.0, sign=1.5),
        case(4.5, 0.2, 6.0, steps=4.5),
        case(2.5, 0.7, 2.0, steps=2.5),
        case(0.125, 0.2, 0.5),
        case(0.125, 0.3, 0.0),
        case(0.0, 0.0, 0.0),
        case(6.0, 0.0, 6.0),
        case(-6.0, 0.5, -6.0),
        *(case(x, u, of(x, u)) for x, u in drawn),
    ]


TASKS: Mapping[str, tuple[str, Callable[[], list[Case]]]] = MappingProxyType(
    {
        "master-step": ("03_why_fp32_copies", _master_step),
        "next-scale": ("04_loss_scaling", _next_scale),
        "unscale-then-clip": ("05_the_training_loop", _unscale_then_clip),
        "longest-skip": ("06_run_experiments", _longest_skip),
        "round-e4m3": ("07_bf16_fp8_fp4", _round_e4m3),
        "choose-scale": ("07_bf16_fp8_fp4", _choose_scale),
        "first-overflow": ("08_your_own_model", _first_overflow),
        "largest-batch": ("09_speed_and_memory", _largest_batch),
        "paired-difference": ("10_sweep", _paired),
        "quantize-even": ("11_four_bits", _quantize_even),
        "round-stochastically": ("11_four_bits", _round_stochastically),
    }
)
"""Each task's lesson and a function that makes fresh cases, because a student's function may modify them."""
