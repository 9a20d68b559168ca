"""Scenarios: each is a part of the table of mini-experiments, where what it shows was seen at every seed."""

import json
from pathlib import Path

import pytest

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.recipe import recipes
from mixwidgets.runs.experiments.scenarios import scenarios

TABLE = json.loads(
    (Path(__file__).parents[2] / "benchmarks/results/experiments.json").read_text(encoding="utf-8")
)
SHOWN = {
    "nothing_breaks": [("loss", "fp16_unscaled", "like", "fp32"), ("loss", "bf16", "like", "fp32")],
    "starved_gradients": [
        ("accuracy", "fp16_unscaled", "below", "fp32"),
        ("loss", "fp16_dynamic", "like", "fp32"),
    ],
    "overflow": [
        ("skipped", "fp16_overscaled", "equal to", "130"),
        ("iou", "fp16_dynamic", "like", "fp32"),
    ],
    "vanishing_updates": [
        ("unchanged", "bf16_weights", "above", "0.9"),
        ("loss", "bf16_weights_stochastic", "like", "fp32"),
    ],
    "half_precision_softmax": [
        ("nan losses", "fp16_softmax", "above", "0"),
        ("nan losses", "fp16_static", "equal to", "0"),
        ("loss", "fp16_static", "like", "fp32"),
    ],
}


def measured(row, experiment):
    """The label of the cell that measured this experiment on five seeds; None where none did."""
    for label, cell in row["cells"].items():
        if "experiment" in cell and len(cell["seeds"]) == 5:
            cell_of = Experiment.from_json(cell["experiment"])
            if cell_of == experiment.replace(device=cell_of.device, summary_every=cell_of.summary_every):
                return label
    return None


@pytest.mark.parametrize("name", list(scenarios))
def test_what_a_scenario_tells_shows_at_five_seeds_of_five(name):
    experiments = {one.recipe.name: one for one in scenarios[name].experiments()}
    rows = [
        (row, {recipe: measured(row, one) for recipe, one in experiments.items()}) for row in TABLE.values()
    ]
    row, labels = next((row, labels) for row, labels in rows if all(labels.values()))
    claims = [claim["text"] for claim in row["claims"] if claim["shows"]]
    for figure, left, relation, right in SHOWN[name]:
        other = f"“{labels[right]}”" if right in labels else right
        words = f"Shows: {figure} of “{labels[left]}” {relation} {other} "
        assert any(claim.startswith(words) and " 5 seeds" in claim for claim in claims), words


def test_a_scenario_begins_with_float32_and_names_presets():
    for scenario in scenarios.values():
        assert scenario.recipes[0] == "fp32"
        assert set(scenario.recipes) <= recipes.keys()
        assert all(one.seed == 3 for one in scenario.experiments(seed=3))
