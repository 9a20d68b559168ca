"""mw.check: its judges against what students write, and what it says whatever a function does."""

import math
import re
import signal
import threading
import time
from pathlib import Path

import nbformat
import numpy as np
import pytest
import torch

import mixwidgets as mw
from mixwidgets.support.languages.texts import LANGUAGES, texts
from mixwidgets.teaching.exercises import coding, keeping
from mixwidgets.teaching.exercises.cases import TASKS

RIGHT = {}
WRONG = []
MISTAKES = []


def right(task):
    return lambda function: RIGHT.setdefault(task, function)


def wrong(task):
    return lambda function: WRONG.append((task, function))


def mistake(task, name):
    """A wrong solution on which the task has a sentence of this name."""

    def tell(function):
        WRONG.append((task, function))
        MISTAKES.append((task, name, function))

    return tell


@pytest.fixture(autouse=True)
def a_new_session(monkeypatch):
    monkeypatch.setattr(keeping, "_session", {})


# One solution of each task


@right("master-step")
def master_step(master, gradient, learning_rate):
    master = master - learning_rate * gradient.astype(np.float32)
    return master, master.astype(np.float16)


@right("next-scale")
def next_scale(S, good_steps, found_inf, interval):
    if found_inf:
        return S / 2, 0
    return (S * 2, 0) if good_steps + 1 == interval else (S, good_steps + 1)


@right("unscale-then-clip")
def clipped(gradients, S, limit):
    gradients = [gradient.float() / S for gradient in gradients]
    norm = torch.cat(gradients).norm()
    return [gradient * min(1.0, limit / norm.item()) if norm else gradient for gradient in gradients]


@right("longest-skip")
def longest_skip(skipped):
    return max(map(len, "".join("x" if skip else "." for skip in skipped).split(".")))


@right("round-e4m3")
def rounded(x):
    gap = 2.0 ** (max(math.frexp(x)[1] - 1, -6) - 3)
    return round(x / gap) * gap


@right("choose-scale")
def scale_exponent(values):
    largest = max(map(abs, values))
    e = math.frexp(largest)[1] - 3
    return e if largest / 2.0**e <= 6 else e + 1


@right("first-overflow")
def first_overflow(layers, x):
    for name, layer in layers:
        x = layer(x)
        if not torch.isfinite(x).all():
            return name
    return None


@right("largest-batch")
def largest_batch(memory, weights, numbers, bytes_a_weight, bytes_a_number):
    return max(0, (memory - weights * bytes_a_weight) // (numbers * bytes_a_number))


@right("paired-difference")
def paired(a, b):
    differences = np.subtract(a, b)
    return differences.mean(), differences.std(ddof=1) / len(a) ** 0.5


GRID = [0, 0.5, 1, 1.5, 2, 3, 4, 6]


def nearest(x):
    """Of the E2M1 numbers that are nearest to x, the one with the even code."""
    codes = sorted(range(8), key=lambda code: (abs(GRID[code] - abs(x)), code % 2))
    return math.copysign(GRID[codes[0]], x)


@right("quantize-even")
def quantized(values, *, threshold=0.875, rounded=nearest):
    fraction, exponent = math.frexp(max(map(abs, values)))
    e = exponent - 3 + (fraction >= threshold)
    return e, [rounded(value / 2.0**e) * 2.0**e for value in values]


@right("round-stochastically")
def stochastic(x, u):
    magnitude = abs(x)
    below = max(number for number in GRID if number <= magnitude)
    above = min((number for number in GRID if number > magnitude), default=below)
    share = (magnitude - below) / (above - below) if above > below else 0
    return math.copysign(above if u < share else below, x)


# What students write


@mistake("master-step", "in_half")
def updates_the_copy(master, gradient, learning_rate):
    copy = master.astype(np.float16) - np.float16(learning_rate) * gradient
    return copy.astype(np.float32), copy


@mistake("master-step", "product")
def multiplies_in_half(master, gradient, learning_rate):
    master = master - np.float16(learning_rate) * gradient
    return master, master.astype(np.float16)


@mistake("master-step", "stale")
def copies_first(master, gradient, learning_rate):
    copy = master.astype(np.float16)
    return master - learning_rate * gradient.astype(np.float32), copy


@mistake("master-step", "climbs")
def climbs(master, gradient, learning_rate):
    master = master + learning_rate * gradient.astype(np.float32)
    return master, master.astype(np.float16)


@wrong("master-step")
def copies_in_float32(master, gradient, learning_rate):
    master = master - learning_rate * gradient.astype(np.float32)
    return master, master.copy()


@mistake("next-scale", "late")
def never_grows(S, good_steps, found_inf, interval):
    return S * (0.5 if found_inf else 1.0), (0 if found_inf else good_steps + 1)


@mistake("next-scale", "late")
def grows_one_late(S, good_steps, found_inf, interval):
    if found_inf:
        return S / 2, 0
    return (S * 2, 0) if good_steps == interval else (S, good_steps + 1)


@mistake("next-scale", "no_restart")
def keeps_the_count_on_growth(S, good_steps, found_inf, interval):
    if found_inf:
        return S / 2, 0
    return (S * 2 if good_steps + 1 == interval else S), good_steps + 1


@mistake("next-scale", "kept_count")
def keeps_the_count_on_overflow(S, good_steps, found_inf, interval):
    if found_inf:
        return S / 2, good_steps
    return (S * 2, 0) if good_steps + 1 == interval else (S, good_steps + 1)


@mistake("next-scale", "inverted")
def raises_on_overflow(S, good_steps, found_inf, interval):
    return next_scale_of(S, good_steps, not found_inf, interval)


next_scale_of = RIGHT["next-scale"]


@mistake("next-scale", "ten")
def assumes_ten(S, good_steps, found_inf, interval):
    return next_scale_of(S, good_steps, found_inf, 10)


@mistake("next-scale", "floor")
def floors_at_one(S, good_steps, found_inf, interval):
    S, good_steps = next_scale_of(S, good_steps, found_inf, interval)
    return max(S, 1), good_steps


@mistake("unscale-then-clip", "clipped_first")
def clips_first(gradients, S, limit):
    norm = torch.cat([gradient.float() for gradient in gradients]).norm().item()
    return [gradient.float() * min(1.0, limit / max(norm, 1e-30)) / S for gradient in gradients]


@mistake("unscale-then-clip", "never")
def never_clips(gradients, S, limit):
    return [gradient.float() / S for gradient in gradients]


@mistake("unscale-then-clip", "always")
def always_scales_to_the_limit(gradients, S, limit):
    gradients = [gradient.float() / S for gradient in gradients]
    norm = torch.cat(gradients).norm().clamp(min=1e-30)
    return [gradient * limit / norm for gradient in gradients]


@mistake("unscale-then-clip", "each_tensor")
def clips_each_by_itself(gradients, S, limit):
    gradients = [gradient.float() / S for gradient in gradients]
    return [gradient * min(1.0, limit / max(gradient.norm().item(), 1e-30)) for gradient in gradients]


@mistake("unscale-then-clip", "in_half")
def unscales_in_half(gradients, S, limit):
    return RIGHT["unscale-then-clip"]([gradient / S for gradient in gradients], 1.0, limit)


@mistake("unscale-then-clip", "each_number")
def clips_each_number(gradients, S, limit):
    return [(gradient.float() / S).clamp(-limit, limit) for gradient in gradients]


@wrong("unscale-then-clip")
def divides_by_a_norm_of_zero(gradients, S, limit):
    gradients = [gradient.float() / S for gradient in gradients]
    return [gradient * torch.clamp(limit / gradient.norm(), max=1.0) for gradient in [torch.cat(gradients)]]


@mistake("longest-skip", "all")
def counts_all(skipped):
    return skipped.count(True)


@mistake("longest-skip", "last")
def counts_the_last(skipped):
    count = 0
    for skip in skipped:
        count = count + 1 if skip else 0
    return count


@mistake("longest-skip", "end")
def forgets_the_end(skipped):
    count = longest = 0
    for skip in skipped:
        if skip:
            count += 1
        else:
            longest, count = max(longest, count), 0
    return longest


@wrong("longest-skip")
def fails_on_nothing(skipped):
    longest = count = int(skipped[0])
    for skip in skipped[1:]:
        count = count + 1 if skip else 0
        longest = max(longest, count)
    return longest


@mistake("round-e4m3", "cut")
def truncates(x):
    gap = 2.0 ** (max(math.frexp(x)[1] - 1, -6) - 3)
    return math.trunc(x / gap) * gap


@mistake("round-e4m3", "ties")
def rounds_half_up(x):
    gap = 2.0 ** (max(math.frexp(x)[1] - 1, -6) - 3)
    return math.floor(x / gap + 0.5) * gap


@mistake("round-e4m3", "no_subnormals")
def has_no_subnormals(x):
    gap = 2.0 ** (math.frexp(x)[1] - 4)
    return round(x / gap) * gap


@mistake("round-e4m3", "flushed")
def flushes_subnormals(x):
    return 0.0 if abs(x) < 2**-6 else RIGHT["round-e4m3"](x)


@mistake("round-e4m3", "two_bits")
def has_two_fraction_bits(x):
    gap = 2.0 ** (max(math.frexp(x)[1] - 1, -6) - 2)
    return round(x / gap) * gap


@wrong("round-e4m3")
def takes_the_logarithm_of_zero(x):
    gap = 2.0 ** (max(math.floor(math.log2(abs(x))), -6) - 3)
    return round(x / gap) * gap


@wrong("round-e4m3")
def trusts_log2(x):
    gap = 2.0 ** (max(math.floor(math.log2(abs(x) or 1)), -6) - 3)
    return round(x / gap) * gap if x > 0 else 0.0


@mistake("choose-scale", "floor")
def floor_of_the_specification(values):
    return math.frexp(max(map(abs, values)))[1] - 3


@mistake("choose-scale", "more")
def always_one_more(values):
    return math.frexp(max(map(abs, values)))[1] - 2


@mistake("choose-scale", "logarithm")
def a_logarithm_that_rounds(values):
    return math.ceil(math.log2(max(map(abs, values)) / 6))


@mistake("choose-scale", "signed")
def largest_number_not_magnitude(values):
    e = math.frexp(max(values))[1] - 3
    return e if max(values) / 2.0**e <= 6 else e + 1


@mistake("first-overflow", "nan")
def tests_for_inf_only(layers, x):
    for name, layer in layers:
        x = layer(x)
        if torch.isinf(x).any():
            return name
    return None


@mistake("first-overflow", "later")
def tests_for_nan_only(layers, x):
    for name, layer in layers:
        x = layer(x)
        if torch.isnan(x).any():
            return name
    return None


@mistake("first-overflow", "unfed")
def does_not_feed_on(layers, x):
    return next((name for name, layer in layers if not torch.isfinite(layer(x)).all()), None)


@mistake("first-overflow", "unseen")
def widens(layers, x):
    return RIGHT["first-overflow"](layers, x.float())


@mistake("first-overflow", "later")
def returns_the_last(layers, x):
    found = None
    for name, layer in layers:
        x = layer(x)
        found = found if torch.isfinite(x).all() else name
    return found


@mistake("first-overflow", "unseen")
def wants_all_infinite(layers, x):
    for name, layer in layers:
        x = layer(x)
        if not torch.isfinite(x).any():
            return name
    return None


@wrong("largest-batch")
def divides(memory, weights, numbers, bytes_a_weight, bytes_a_number):
    return max(0, (memory - weights * bytes_a_weight) / (numbers * bytes_a_number))


@mistake("largest-batch", "weights")
def forgets_the_weights(memory, weights, numbers, bytes_a_weight, bytes_a_number):
    return memory // numbers // bytes_a_number


@mistake("largest-batch", "negative")
def may_be_negative(memory, weights, numbers, bytes_a_weight, bytes_a_number):
    return (memory - weights * bytes_a_weight) // (numbers * bytes_a_number)


@mistake("largest-batch", "rounded")
def rounds(memory, weights, numbers, bytes_a_weight, bytes_a_number):
    return max(0, round((memory - weights * bytes_a_weight) / (numbers * bytes_a_number)))


@mistake("largest-batch", "all_of_it")
def leaves_one_byte(memory, weights, numbers, bytes_a_weight, bytes_a_number):
    return max(0, (memory - weights * bytes_a_weight - 1) // (numbers * bytes_a_number))


@mistake("paired-difference", "unpaired")
def unpaired(a, b):
    error = math.sqrt(np.var(a, ddof=1) / len(a) + np.var(b, ddof=1) / len(b))
    return np.mean(a) - np.mean(b), error


@mistake("paired-difference", "by_n")
def divides_by_n(a, b):
    differences = np.subtract(a, b)
    return differences.mean(), differences.std() / len(a) ** 0.5


@mistake("paired-difference", "deviation")
def standard_deviation(a, b):
    differences = np.subtract(a, b)
    return differences.mean(), differences.std(ddof=1)


@mistake("paired-difference", "reversed")
def other_way_round(a, b):
    return RIGHT["paired-difference"](b, a)


@mistake("paired-difference", "absolute")
def absolute(a, b):
    mean, error = RIGHT["paired-difference"](a, b)
    return abs(mean), error


@mistake("master-step", "kept")
def updates_the_copy_alone(master, gradient, learning_rate):
    return master, (master - learning_rate * gradient.astype(np.float32)).astype(np.float16)


@mistake("master-step", "rate")
def has_no_rate(master, gradient, learning_rate):
    master = master - gradient.astype(np.float32)
    return master, master.astype(np.float16)


def next_scale_but(change):
    """The right rule, but for some arguments."""

    def function(S, good_steps, found_inf, interval):
        changed = change(S, good_steps, found_inf, interval)
        return next_scale_of(S, good_steps, found_inf, interval) if changed is None else changed

    return function


mistake("next-scale", "uncounted")(next_scale_but(lambda S, good, bad, k: None if bad else (S, good)))
mistake("next-scale", "raised")(next_scale_but(lambda S, good, bad, k: (S * 2, 0) if bad else None))
mistake("next-scale", "unlowered")(next_scale_but(lambda S, good, bad, k: (S, 0) if bad else None))
mistake("next-scale", "counted")(next_scale_but(lambda S, good, bad, k: (S / 2, good + 1) if bad else None))
mistake("next-scale", "early")(
    next_scale_but(lambda S, good, bad, k: (S * 2, 0) if good + 2 == k and not bad else None)
)


@mistake("unscale-then-clip", "still_scaled")
def never_unscales(gradients, S, limit):
    return RIGHT["unscale-then-clip"](gradients, 1.0, limit)


@mistake("unscale-then-clip", "nothing")
def divides_by_zero(gradients, S, limit):
    gradients = [gradient.float() / S for gradient in gradients]
    norm = torch.cat(gradients).norm()
    return [gradient / norm * torch.clamp(norm, max=limit) for gradient in gradients]


@mistake("longest-skip", "good")
def counts_good_steps(skipped):
    return longest_skip_of([not skip for skip in skipped])


longest_skip_of = RIGHT["longest-skip"]


@mistake("round-e4m3", "kept")
def does_not_round(x):
    return float(x)


@mistake("choose-scale", "scale")
def gives_the_scale(values):
    return 2.0 ** RIGHT["choose-scale"](values)


@mistake("choose-scale", "plain")
def gives_the_exponent(values):
    return math.frexp(max(map(abs, values)))[1] - 1


@mistake("largest-batch", "a_number")
def forgets_the_bytes_of_a_number(memory, weights, numbers, bytes_a_weight, bytes_a_number):
    return max(0, (memory - weights * bytes_a_weight) // numbers)


@mistake("largest-batch", "an_example")
def counts_activations(memory, weights, numbers, bytes_a_weight, bytes_a_number):
    return max(0, (memory - weights * bytes_a_weight) // bytes_a_number)


@mistake("paired-difference", "one_list")
def spread_of_one_list(a, b):
    return np.mean(a) - np.mean(b), np.std(a) / math.sqrt(len(a))


@mistake("quantize-even", "kept")
def does_not_quantize(values):
    return 0, list(values)


@mistake("round-stochastically", "kept")
def keeps_the_number(x, u):
    return float(x)


def in_steps_of_a_half(x):
    return max(-6.0, min(6.0, round(2 * x) / 2))


def away_on_ties(x):
    near = nearest(x)
    other = nearest(1.0000001 * x)
    return other if abs(other - x) == abs(near - x) else near


@mistake("quantize-even", "FLOOR")
def floor_rule(values):
    return quantized_of(values, threshold=2)


quantized_of = RIGHT["quantize-even"]


@mistake("quantize-even", "RCEIL")
def rceil_rule(values):
    fraction, _ = math.frexp(max(map(abs, values)))
    return quantized_of(values, threshold=0 if fraction > 0.75 else 2)


@mistake("quantize-even", "CEIL")
def ceil_rule(values):
    return quantized_of(values, threshold=0.5000001)


@mistake("quantize-even", "seven")
def even_above_seven(values):
    return quantized_of(values, threshold=math.nextafter(0.875, 1))


@mistake("quantize-even", "magnitude")
def of_the_largest_number(values):
    e, _ = quantized_of([max(values)])
    return e, [nearest(value / 2.0**e) * 2.0**e for value in values]


@mistake("quantize-even", "ties")
def ties_away(values):
    return quantized_of(values, rounded=away_on_ties)


@mistake("quantize-even", "steps")
def a_ruler(values):
    return quantized_of(values, rounded=in_steps_of_a_half)


@mistake("quantize-even", "elements")
def not_multiplied_back(values):
    e, numbers = quantized_of(values)
    return e, [number / 2.0**e for number in numbers]


@mistake("quantize-even", "scale")
def returns_the_scale(values):
    e, numbers = quantized_of(values)
    return 2**e, numbers


def share_of(x):
    """The E2M1 number below a magnitude, the one above, and the share of the gap between them."""
    below = max(number for number in GRID if number <= x)
    above = min((number for number in GRID if number > x), default=8)
    return below, above, (x - below) / (above - below)


@mistake("round-stochastically", "exact")
def moves_numbers_of_the_format(x, u):
    below, above, share = share_of(abs(x))
    return math.copysign(above if u <= share else below, x)


@mistake("round-stochastically", "reversed")
def the_other_way_round(x, u):
    below, above, share = share_of(abs(x))
    return math.copysign(below if u < share or not share else above, x)


@mistake("round-stochastically", "nearest")
def ignores_chance(x, u):
    return nearest(x)


@mistake("round-stochastically", "coin")
def tosses_a_coin(x, u):
    below, above, share = share_of(abs(x))
    return math.copysign(above if share and u < 0.5 else below, x)


@mistake("round-stochastically", "signed")
def counts_from_the_lower_number(x, u):
    signed = sorted({*GRID, *(-number for number in GRID)})
    below = max(number for number in signed if number <= x)
    above = min((number for number in signed if number > x), default=8)
    return above if u < (x - below) / (above - below) else below


@mistake("round-stochastically", "sign")
def forgets_the_sign(x, u):
    return RIGHT["round-stochastically"](abs(x), u)


@mistake("round-stochastically", "steps")
def rounds_to_halves(x, u):
    below = math.floor(2 * abs(x)) / 2
    return math.copysign(below + 0.5 * (u < 2 * (abs(x) - below)), x)


@pytest.mark.parametrize("task", TASKS)
def test_a_right_solution_is_right(task):
    checked = mw.check(task, RIGHT[task], lang="en")
    assert checked.is_right, checked
    assert re.fullmatch(rf"{task}: right, in all \d+ cases", repr(checked))


@pytest.mark.parametrize(("task", "function"), WRONG, ids=lambda value: getattr(value, "__name__", value))
def test_what_students_write_is_told_from_a_solution(task, function):
    checked = mw.check(task, function, lang="en")
    assert not checked.is_right
    assert re.search(r"\n  tried     .+\n  got       .+\n  expected  .+", repr(checked))


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(
    ("task", "name", "function"), MISTAKES, ids=lambda value: getattr(value, "__name__", value)
)
def test_a_typical_mistake_is_told_in_a_sentence(task, name, function, lang):
    said = repr(mw.check(task, function, lang=lang)).splitlines()[-2]
    assert said.endswith(texts(lang, "exercises")["tasks"][task]["mistakes"][name])


def test_every_sentence_on_a_mistake_is_of_a_case_and_tried():
    for task, (_, cases) in TASKS.items():
        named = {name for case in cases() for name in case.mistakes}
        assert named == {name for of, name, _ in MISTAKES if of == task}
        for lang in LANGUAGES:
            assert named == texts(lang, "exercises")["tasks"][task].get("mistakes", {}).keys()


@pytest.mark.parametrize("task", TASKS)
def test_every_task_is_tried_with_several_mistakes_and_has_its_texts(task):
    assert sum(name == task for name, _ in WRONG) >= 4
    for lang in LANGUAGES:
        assert texts(lang, "exercises")["tasks"][task].keys() - {"mistakes"} == {"task", "hint"}
        assert texts(lang, "exercises")["tasks"].keys() == TASKS.keys()


# In the lessons


def coding_cells(task, lang):
    """The code of the worked solution, and the cell that a student completes."""
    lesson, _ = TASKS[task]
    path = Path(__file__).parents[2] / "notebooks" / ("" if lang == "en" else lang) / f"{lesson}.ipynb"
    cells = nbformat.read(path, as_version=4).cells
    number = next(i for i, cell in enumerate(cells) if f'mw.check("{task}"' in cell.source)
    folded = cells[number - 1].source.split("<details>", 1)[1]
    return re.findall(r"```python\n(.*?)```", folded, flags=re.DOTALL)[-1], cells[number]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("task", TASKS)
def test_the_lesson_holds_an_unsolved_function_and_a_solution_that_folds_away(task, lang):
    solution, cell = coding_cells(task, lang)
    start, call = cell.source.rsplit("\n\n\n", 1)
    name = re.fullmatch(rf'mw\.check\("{task}", (\w+)\)', call)[1]
    said = []
    for code in (start, solution):
        namespace = {"np": np, "torch": torch, "math": math}
        exec(code, namespace)
        said.append(mw.check(task, namespace[name], lang="en"))
    assert [one.is_right for one in said] == [False, True]
    assert repr(said[0]).startswith(f"{task}: nothing changed yet, and no try counted\n  tried ")
    assert "Attempts: 0." in said[0].report()
    assert "Attempts: 1. Result: solved." in said[1].report()


def test_only_the_starter_itself_is_no_try():
    def sums_in_a_loop(skipped):
        total = 0
        for skip in skipped:
            total += skip
        return total

    for function in (sum, sums_in_a_loop, lambda skipped: sum([*skipped])):
        checked = mw.check("longest-skip", function, lang="en")
        assert "not right yet" in repr(checked)
    assert "Attempts: 1." in checked.report()  # the same result again is no new attempt


# Whatever a function does


class Odd:
    """An object that fails at whatever is asked of it."""

    def __getattr__(self, name):
        raise RuntimeError(name)

    def __repr__(self):
        raise ValueError

    def __eq__(self, other):
        raise SystemExit

    __hash__ = None


def forever(*_):
    while True:
        time.sleep(0.001)


def stubborn(*_):
    while True:
        try:
            forever()
        except Exception:
            continue


def endless(*arguments):
    return endless(*arguments)


@pytest.mark.parametrize(
    ("function", "came"),
    [
        (lambda *_: 1 / 0, "ZeroDivisionError: division by zero"),
        (lambda *_: exit(3), "SystemExit: 3"),
        (lambda: 3, "TypeError: .*takes 0 positional arguments"),
        (endless, "RecursionError: the function calls itself without an end"),
        (forever, "no result after 0.05 s; is there a loop without an end?"),
        (stubborn, "no result after 0.05 s; is there a loop without an end?"),
        (lambda *_: None, "None"),
        (lambda *_: "x" * 10**6, "'xxx.*…"),
        (lambda *_: Odd(), "an object of type Odd whose repr fails"),
        (lambda *_: (Odd(), Odd()), "whose repr fails"),
        (lambda *_: math.nan, "nan"),
        (lambda *_: torch.zeros(3), r"tensor\(\[0., 0., 0.\]\)"),
        (lambda *_: range(10**12), "range"),
        (lambda *_: 10**400, "1000"),
        (RIGHT, "which is not a function"),
        (None, "None, which is not a function"),
    ],
)
@pytest.mark.parametrize("task", ["next-scale", "unscale-then-clip", "round-e4m3", "first-overflow"])
def test_nothing_that_a_function_does_ends_the_session(task, function, came, monkeypatch):
    if "no result" in came:
        monkeypatch.setattr(coding, "LIMIT_S", 0.05)
    checked = mw.check(task, function, lang="en")
    assert not checked.is_right
    assert re.search(came.replace("?", r"\?"), repr(checked)), checked
    assert len(repr(checked)) < 900
    assert checked.report()


@pytest.mark.parametrize(
    ("task", "function", "why"),
    [
        ("next-scale", lambda *_: None, "The function returns nothing: is a `return` missing?"),
        (
            "master-step",
            lambda *a: master_step_of(*a)[::-1],
            "The results are right, but in the other order.",
        ),
        ("next-scale", lambda *a: next_scale_of(*a)[::-1], "The results are right, but in the other order."),
        ("round-e4m3", lambda x: RIGHT["round-e4m3"](-x), "The magnitude is right; the sign is not."),
        (
            "unscale-then-clip",
            lambda *a: [part.half() for part in RIGHT["unscale-then-clip"](*a)],
            "torch.float32, shape (2,) is expected, not torch.float16, shape (2,)",
        ),
        ("unscale-then-clip", lambda *a: RIGHT["unscale-then-clip"](*a)[0].numpy(), "1 values are expected"),
        ("next-scale", lambda *a: next_scale_of(*a)[0], "2 values are expected"),
        ("largest-batch", lambda m, w, n, bw, bn: (m - w * bw) / (n * bn), "a whole number is expected"),
        ("choose-scale", lambda values: "4", "a number is expected, not str"),
    ],
)
def test_a_mistake_that_fits_every_task_has_its_own_sentence(task, function, why):
    assert f"\n  why       {why}\n" in repr(mw.check(task, function, lang="en"))


master_step_of = RIGHT["master-step"]


def test_what_came_is_told_in_chinese():
    for function, why in (
        (lambda *_: None, "原因：函数没有返回值：是不是漏了 `return`？"),
        (lambda *_: (1.0, 2, 3), "原因：应有 2 个值"),
        (None, "得到：None，它不是函数"),
    ):
        assert why in repr(mw.check("next-scale", function, lang="zh"))


def test_an_interrupt_of_the_user_goes_through():
    def interrupted(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        mw.check("longest-skip", interrupted)


def test_in_another_thread_it_runs_without_a_limit():
    found = []
    thread = threading.Thread(
        target=lambda: found.append(mw.check("longest-skip", RIGHT["longest-skip"], lang="en"))
    )
    thread.start()
    thread.join()
    assert found[0].is_right


def test_an_alarm_that_was_set_before_stays_set():
    rang = []
    before = signal.signal(signal.SIGALRM, lambda *_: rang.append(1))
    old = signal.setitimer(signal.ITIMER_REAL, 100)
    try:
        mw.check("longest-skip", RIGHT["longest-skip"])
        assert 90 < signal.getitimer(signal.ITIMER_REAL)[0] <= 100
        signal.raise_signal(signal.SIGALRM)
        assert rang
    finally:
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, *old)


def test_a_function_that_changes_its_arguments_spoils_no_later_check():
    def spoils(skipped):
        skipped.clear()
        return 0

    mw.check("longest-skip", spoils)
    assert mw.check("longest-skip", RIGHT["longest-skip"]).is_right


# What a teacher reads


def test_the_hint_comes_on_request_and_the_report_has_all():
    for function in (len, sum, lambda skipped: -1):
        checked = mw.check("longest-skip", function, lang="en")
        assert repr(checked).endswith("\n  hint      add hint=True to the call")
        assert "Count up at" not in repr(checked)
    checked = mw.check("longest-skip", lambda skipped: 0, hint=True, lang="en")
    assert "\n  hint      Count up at a skipped step" in repr(checked)
    mw.check("longest-skip", RIGHT["longest-skip"], lang="en")
    after = mw.check("longest-skip", sum, lang="en")  # nothing follows a right one
    lines = after.report().split("\n")
    assert lines[0] == "Exercise longest-skip, lesson 06_run_experiments"
    assert lines[2] == "1. longest_skip([False, False, True, False, False]) gave 5; expected: 1: not right"
    assert lines[6:8] == ["   The hint was shown.", "5. all 7 cases: right"]
    assert lines[8] == "Attempts: 5. Result: solved."


def test_it_speaks_chinese():
    checked = mw.check("longest-skip", len, lang="zh")
    assert repr(checked).startswith("longest-skip：还不正确\n  调用：longest_skip(")
    assert "尝试次数：1。结果：尚未解出。" in checked.report()


def test_an_unknown_task_is_told_with_the_nearest():
    with pytest.raises(ValueError, match="Did you mean 'next-scale'"):
        mw.check("nextscale", RIGHT["next-scale"])
