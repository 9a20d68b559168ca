"""The mini-experiments: one short cell, the criterion of what shows, and the committed table."""

import json
import math
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

import mixwidgets as mw
from benchmarks.experiments import accumulation, results
from benchmarks.experiments.cells import FirstUpdate, Training, seeds_of
from benchmarks.experiments.claims import Claim
from benchmarks.experiments.report import judged, markdown
from benchmarks.experiments.rows import ROWS


def mlp(recipe="fp32", **fields):
    return mw.Experiment(task="digits_mlp", recipe=recipe, device="cpu", **{"steps": 12, **fields})


class TestCells:
    def test_a_training_is_the_public_loop_on_the_asked_seed(self):
        found = Training(mlp(task_options={"loss_weight": 1 / 64})).measure(seed=3)
        events = list(mw.train(mlp(task_options={"loss_weight": 1 / 64}, seed=3)))
        steps = [event for event in events if event.kind == "step"]
        assert found["loss"] == events[-1].metrics["loss"] * 64
        assert found["accuracy"] == events[-1].metrics["accuracy"]
        assert found["loss_at_step_10"] == steps[9].loss * 64
        assert (found["reason"], found["steps"], found["skipped"]) == ("completed", 12, 0)
        assert (found["nan_losses"], found["first_nan_loss"]) == (0, None)

    def test_skips_and_the_scales_that_led_to_them_are_told(self):
        scale = mw.recipes["fp16_dynamic"].loss_scale.replace(init_scale=2.0**24)
        recipe = mw.recipes["fp16_dynamic"].replace(loss_scale=scale)
        found = Training(mlp(recipe)).measure(seed=0)
        assert 0 < found["skipped_in_first_8"] <= found["skipped"] < 12
        assert found["loss_scales"][0] == [2.0**24, 1]
        assert sum(steps for _, steps in found["loss_scales"]) == 12
        assert found["loss_scales"][-1][0] == 2.0 ** (24 - found["skipped"])

    def test_bfloat16_weights_stay_where_float32_ones_move(self):
        sgd = {"optimizer": "sgd", "learning_rate": 1e-3}
        assert 0.5 < Training(mlp("bf16_weights", **sgd)).measure(seed=0)["unchanged"] < 1
        assert Training(mlp("fp32", **sgd)).measure(seed=0)["unchanged"] < 0.1

    def test_half_precision_adam_loses_its_weights_in_one_update(self):
        found = FirstUpdate(mlp("fp16_optimizer", steps=1)).measure(seed=0)
        assert 1000 < found["weights_lost_at_step_1"] <= 26_122
        assert FirstUpdate(mlp(steps=1)).measure(seed=0)["weights_lost_at_step_1"] == 0


class TestSums:
    @pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
    def test_a_narrow_sum_rounds_after_every_addition(self, dtype):
        values = np.random.default_rng(0).random(3000).astype(np.float16).astype(dtype)
        total = dtype(0)
        for value in values:
            # Two values of at most 11 bits that are this near add up exactly in float64: one rounding.
            total = dtype(float(total) + float(value))
        assert accumulation.sequential_sum(values) == float(total)
        assert float(total) != pytest.approx(float(values.astype(np.float64).sum()), rel=1e-4)

    def test_ones_stall_where_the_gap_is_two(self):
        for format, stalls_at in (("float16", 2048), ("bfloat16", 256)):
            found = accumulation.ones(format, 4096)
            assert found == {"result": stalls_at, "exact": 4096, "error": 1 - stalls_at / 4096}

    def test_a_dot_product_is_compared_with_its_own_products(self):
        found = accumulation.dot_product("float32", 64, 1)
        a, b = np.random.default_rng(1).random((2, 64)).astype(np.float16)
        assert found["exact"] == sum(Fraction(float(product)) for product in a * b)
        assert found["result"] == pytest.approx(found["exact"], rel=1e-6)

    def test_a_wide_buffer_differs_in_nothing_and_a_narrow_one_does(self):
        assert accumulation.Buffer("float32", 32).measure(0)["error"] == 0
        assert 1e-3 < accumulation.Buffer("bfloat16", 32).measure(0)["error"] < 0.1


class TestClaims:
    CELLS = {  # noqa: RUF012
        "good": [{"loss": 1.0, "lost": 0}, {"loss": 1.2, "lost": 0}],
        "near": [{"loss": 1.1, "lost": 1}, {"loss": 1.3, "lost": 0}],
        "bad": [{"loss": 2.0, "lost": 1}, {"loss": "nan", "lost": 2}],
        "mixed": [{"loss": 1.1}, {"loss": 1.1}],
        "slight": [{"loss": 1.002}, {"loss": 1.203}],
        "steady": [{"loss": 1.06}, {"loss": 1.27}],
        "hit": [{"accuracy": 0.901}, {"accuracy": 0.952}],
        "missed": [{"accuracy": 0.9}, {"accuracy": 0.95}],
        "worse": [{"accuracy": 0.92}, {"accuracy": 0.97}],
        "once": [{"loss": 1.5}],
        "none": [{"loss": 1.0}, {"loss": 1.2, "lost": None}],
    }

    @pytest.mark.parametrize(
        ("claim", "shows", "words"),
        [
            (Claim("loss", "bad", ">", "good"), True, "in 2 of 2 seeds"),
            (Claim("loss", "bad", ">", "good"), True, "do not overlap"),
            (Claim("loss", "near", ">", "good"), True, "ranges overlap"),
            (Claim("loss", "good", ">", "near"), False, "in 0 of 2 seeds"),
            (Claim("loss", "near", "≈", "good", within=0.2), True, "allowed ±0.2"),
            # Apart by 10 and 8.3 %: t is 6.31 at one degree of freedom, so 9.17 ± 5.26 %.
            (
                Claim("loss", "near", "≈", "good"),
                False,
                "by +3.9 … +14 %: the 90% interval of 2 seeds; allowed ±5",
            ),
            (Claim("loss", "mixed", "≈", "good"), False, "by -57 … +59 %"),
            (Claim("loss", "slight", "≈", "good"), True, "by +0.067 … +0.38 %"),
            (Claim("loss", "steady", "≈", "good"), False, "by +5.4 … +6.4 %"),
            (Claim("accuracy", "hit", "≈", "missed"), True, "by -0.17 … +0.47 percentage points"),
            (Claim("accuracy", "worse", "≈", "missed"), False, "by +2 … +2 percentage points"),
            (Claim("loss", "good", "≈", "good"), True, "by +0 … +0 %"),
            (Claim("loss", "once", ">", 1), True, "loss of “once” above 1 (1.5)"),
            (Claim("loss", "near", "≈", "good", within=0.01), False, "in 0 of 2 seeds"),
            (Claim("loss", "bad", "≈", "good"), False, "not finite at every seed"),
            (Claim("loss", "bad", "≈", "bad"), False, ""),
            (Claim("loss", "near", "≈", 1.2, within=0.15), True, "mean 1.2, allowed ±0.15"),
            (
                Claim("loss", "bad", ">", "good", published="a source: 2"),
                True,
                "overlap). Published: a source: 2.",
            ),
            (Claim("lost", "near", "=", 0), False, "in 1 of 2 seeds"),
            (Claim("lost", "good", "=", 0), True, "in 2 of 2 seeds"),
            (Claim("lost", "none", "=", 0), False, "in 0 of 2 seeds"),
        ],
    )
    def test_a_claim_shows_only_if_it_holds_at_every_seed(self, claim, shows, words):
        found = claim.judge(self.CELLS)
        assert found["shows"] is shows
        assert words in found["text"]
        assert found["text"].startswith("Shows:" if shows else "Does not show:")


ROWS_THERE = results.read(results.PATH)


class TestTheTable:
    def test_every_claim_names_cells_of_its_row(self):
        for row in ROWS.values():
            for claim in row.claims:
                assert claim.left in row.cells
                assert claim.right in row.cells or not isinstance(claim.right, str)

    @pytest.mark.parametrize("number", ROWS_THERE)
    def test_it_was_measured_with_the_experiments_that_it_names(self, number):
        measured = ROWS_THERE[number]["cells"]
        assert list(measured) == list(ROWS[number].cells)
        for label, cell in ROWS[number].cells.items():
            told = {name: value for name, value in measured[label].items() if name != "seeds"}
            assert told == cell.to_dict()
            assert len(measured[label]["seeds"]) == len(seeds_of(cell, 5))

    @pytest.mark.parametrize("number", ROWS_THERE)
    def test_its_sentences_follow_from_its_figures(self, number):
        assert judged(number, ROWS_THERE[number]) == ROWS_THERE[number]

    def test_the_markdown_is_made_of_the_json(self):
        assert results.PATH.with_suffix(".md").read_text(encoding="utf-8") == markdown(ROWS_THERE)

    def test_lesson_10_counts_what_it_says(self):
        claims = [claim for row in ROWS.values() for claim in row.claims]
        of_two_cells = sum(claim.relation in "<>" and isinstance(claim.right, str) for claim in claims)
        lesson = (results.PATH.parents[2] / "notebooks/10_sweep.ipynb").read_text(encoding="utf-8")
        assert len(claims) > 100
        assert f"`experiments.md` makes that many; {of_two_cells} of them" in lesson
        assert f"claims, chance = {of_two_cells}, " in lesson

    @pytest.mark.parametrize("number", [number for number in ROWS_THERE if ROWS[number].over])
    def test_a_loss_is_told_over_that_of_the_same_seed_of_another_cell(self, number):
        row = ROWS_THERE[number]
        base = np.array([float(seed["loss"]) for seed in row["cells"][ROWS[number].over]["seeds"]])
        for label, cell in row["cells"].items():
            over = 100 * (np.array([float(seed["loss"]) for seed in cell["seeds"]]) / base - 1)
            told = f"{over.mean():+.2f} % ({over.min():+.2f} … {over.max():+.2f})"
            (line,) = (
                line for line in markdown({number: row}).splitlines() if line.startswith(f"| {label} |")
            )
            assert told in line

    def test_it_names_the_rows_that_were_not_measured(self):
        some = {number: ROWS_THERE[number] for number in ("6", "7")}
        others = [number for number in ROWS if number not in some]
        assert f"Not measured: row {', '.join(others)}." in markdown(some)
        assert ("Not measured" in markdown(ROWS_THERE)) is (set(ROWS_THERE) != set(ROWS))

    def test_what_is_written_is_read_again(self, tmp_path):
        rows = {"1": {"cells": {"a": {"seeds": [{"loss": math.nan, "scales": [[1.0, 2]]}]}}, "empty": {}}}
        results.write(results.plain(rows), tmp_path / "rows.json")
        rows["1"]["cells"]["a"]["seeds"][0]["loss"] = "nan"
        assert results.read(tmp_path / "rows.json") == rows
        assert json.loads((tmp_path / "rows.json").read_text()) == rows
