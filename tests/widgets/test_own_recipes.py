"""Recipes of one's own in a TrainingLab: edited in the page's form, checked by Recipe, kept, launched."""

import dataclasses

import pytest
from traitlets import TraitError

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.experiments.loss_scale import LossScale
from mixwidgets.runs.experiments.operands import Operands
from mixwidgets.runs.experiments.recipe import Recipe, recipes
from mixwidgets.runs.widgets.training_lab import own_recipes
from mixwidgets.runs.widgets.training_lab import widget as training_lab
from mixwidgets.support.languages.choice import LANGUAGES
from tests.waiting import until
from tests.widgets.lab_page import Page, journalled, rows

PRODUCTS = ("forward", "input_gradient", "weight_gradient")
OWN = recipes["fp16_static"].replace(loss_scale=LossScale(kind="static", init_scale=8.0))


def test_the_form_has_every_field_and_brings_every_recipe_back():
    named = {one["name"] for one in own_recipes.form("en")}
    parts = {"": Recipe, "loss_scale.": LossScale, "operands.": Operands}
    of_parts = {f"{part}{one.name}" for part, kind in parts.items() for one in dataclasses.fields(kind)}
    in_boxes = {
        "fp32_ops": ("softmax", "norm", "loss"),
        "operands.products_rounded": ("forward", "input_gradient", "weight_gradient"),
        "operands.four_over_six_operands": ("input", "weight", "gradient"),
    }
    boxes = {f"{name}.{one}" for name, some in in_boxes.items() for one in some}
    assert named == (of_parts - {"loss_scale", *in_boxes}) | boxes
    for name, recipe in recipes.items():
        values = own_recipes.in_page(recipe)
        assert values.keys() == named
        assert own_recipes.of_page(values) == recipe, name
    assert own_recipes.of_page({}) == Recipe()


@pytest.mark.parametrize("text", ["0.expand, 1.*", " 0.expand，1.* ", "0.expand、1.*,", "0.expand 1.*"])
def test_names_are_read_from_a_line_of_text(text):
    values = {"operands": True, "operands.keep_wide": text}
    kept = own_recipes.of_page(values)
    assert kept.operands.keep_wide == ("0.expand", "1.*")
    assert own_recipes.in_page(kept)["operands.keep_wide"] == "0.expand, 1.*"


def test_what_the_form_takes_is_what_a_recipe_takes():
    """What lies beyond its choices and limits is refused."""
    for one in own_recipes.form("en"):
        part, _, name = one["name"].rpartition(".")
        kind = {"": Recipe, "loss_scale": LossScale, "operands": Operands}.get(part)
        if kind is None or one.get("is_yes_or_no") or one.get("is_text"):
            continue
        beyond = "float99" if "choices" in one else one["high"] * 2
        with pytest.raises(ValueError, match=name):
            kind(**{name: beyond})


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"master_weights": False}, "leave it True, or use a compute_format of 16 bits"),
        ({"loss_scale.init_scale": 8}, "did you mean kind='static'"),
        ({"loss_scale.kind": "static", "loss_scale.hysteresis": 2}, "did you mean kind='dynamic'"),
        ({"loop": "amp"}, "name a compute_format"),
        ({"compute_format": "float17"}, "Did you mean 'float16'"),
        ({"operands": True, "operands.forward": "nvfp4"}, "two block formats"),
        ({"operands": 1}, "operands takes True or False"),
        ({"operands": True, "operands.keep_wide": 1}, "keep_wide takes a tuple of names"),
        ({"operands": True, "operands.hadamard": True}, "hadamard rotates blocks"),
        (
            {"operands": True, **{f"operands.products_rounded.{one}": False for one in PRODUCTS}},
            "products_rounded takes at least one of",
        ),
        ({"fp32_ops.loss": "yes"}, "loss takes True or False"),
        ({"precision": "half"}, "precision"),
        ({"compute_format": []}, "compute_format"),
        (None, "an object of its fields"),
        ([], "an object of its fields"),
    ],
)
def test_what_does_not_go_together_is_explained_and_changes_nothing(
    make_lab, tmp_path, monkeypatch, values, words
):
    lab = make_lab(tmp_path, own_recipes={"mine": OWN}, recipe="mine")
    answer = Page(lab, monkeypatch).ask(
        {"kind": "keep_recipe", "request": 1, "name": "mine", "recipe": values}
    )
    assert answer["kind"] == "refused"
    assert words in answer["message"]
    assert (lab.own_recipes, lab.recipe) == ({"mine": OWN}, "mine")


@pytest.mark.parametrize("name", ["", "fp32", "custom", "a,b", "a\nb", " a", "a" * 41, "<b>", None, 3, ["a"]])
def test_a_name_is_refused_in_words(make_lab, tmp_path, monkeypatch, name):
    lab = make_lab(tmp_path)
    answer = Page(lab, monkeypatch).ask({"kind": "keep_recipe", "request": 1, "name": name, "recipe": {}})
    assert answer["kind"] == "refused"
    assert "name" in answer["message"]
    assert lab.own_recipes == {}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_kept_recipe_is_offered_launched_and_reproduced(make_lab, tmp_path, monkeypatch, lang):
    launched = []
    monkeypatch.setattr(
        training_lab, "launch", lambda experiment, *_, **__: launched.append(experiment) or experiment
    )
    lab = make_lab(tmp_path, lang=lang)
    page = Page(lab, monkeypatch)
    name = "我的 fp16_2-10"
    kept = {"kind": "keep_recipe", "request": 1, "name": name, "recipe": own_recipes.in_page(OWN)}
    assert page.ask(kept)["kind"] == "done"
    assert (lab.own_recipes, lab.recipe) == ({name: OWN}, name)
    offered = lab._recipes[-1]
    assert (offered["name"], offered["is_own"], offered["values"]) == (name, True, own_recipes.in_page(OWN))
    assert "2³" in offered["description"]

    chosen = {"task": "digits_cnn", "recipe": [name, "fp32"], "steps": 3, "seed": 1, "device": "cpu"}
    assert page.ask({"kind": "launch", "request": 2, "experiment": chosen})["kind"] == "done"
    lab.launch()
    assert [one.recipe for one in launched] == [OWN, recipes["fp32"], OWN]
    assert Experiment.from_json(launched[0].to_json()) == launched[0]
    again = make_lab(tmp_path, own_recipes=lab.own_recipes)
    again.state = lab.state
    assert again.recipe == name

    lab.recipe = [name, "fp32"]
    assert page.ask({"kind": "drop_recipe", "request": 3, "name": name})["kind"] == "done"
    assert (lab.own_recipes, lab.recipe) == ({}, "fp32")
    with pytest.raises(TraitError, match="recipe"):
        lab.recipe = name


def test_its_runs_have_its_name_in_the_table(make_lab, tmp_path):
    journalled(tmp_path, [1.0], recipe=OWN)
    lab = make_lab(tmp_path)
    until(lambda: [row["recipe"] for row in rows(lab)] == ["custom"])
    lab.own_recipes = {"mine": OWN}
    lab.recipe = OWN
    assert lab.recipe == "mine"
    until(lambda: [row["recipe"] for row in rows(lab)] == ["mine"])


def test_an_option_that_a_recipe_sets_has_what_it_needs_to_have_an_effect():
    """What the form calls without effect no preset chooses."""
    form = {one["name"]: one for one in own_recipes.form("en")}
    for name, recipe in recipes.items():
        values = own_recipes.in_page(recipe)
        for path, value in values.items():
            if value != form[path]["default"] and (values["operands"] or "operands" not in path):
                for other, accepted in form[path]["needs"].items():
                    assert values[other] in accepted, (name, path, other)


def test_what_an_option_needs_are_values_of_other_options():
    form = {one["name"]: one for one in own_recipes.form("en")}
    for one in form.values():
        for other, accepted in one["needs"].items():
            known = [True, False] if form[other].get("is_yes_or_no") else list(form[other]["choices"])
            assert other != one["name"]
            assert 0 < len(accepted) < len(known)
            assert set(accepted) <= set(known)


@pytest.mark.parametrize(
    ("path", "value", "beside"),
    [
        ("weight_rounding", "stochastic", {}),
        ("fp32_ops.loss", False, {}),
        ("loss_scale.init_scale", 8, {}),
        ("loss_scale.hysteresis", 2, {"loss_scale.kind": "static"}),
        ("operands.hadamard", True, {"operands": True}),
        ("operands.scale_rule", "CEIL", {"operands": True}),
        ("operands.four_over_six_metric", "MAE", {"operands": True}),
        (
            "operands.scaling",
            "current",
            {"operands": True, "operands.forward": "mxfp4", "operands.backward": "mxfp4"},
        ),
        ("optimizer_format", "float16", {"loop": "amp", "compute_format": "float16"}),
    ],
)
def test_what_the_form_calls_without_effect_a_recipe_refuses(path, value, beside):
    form = {one["name"]: one for one in own_recipes.form("en")}
    values = {**own_recipes.in_page(Recipe()), **beside}
    assert any(values[other] not in accepted for other, accepted in form[path]["needs"].items())
    own_recipes.of_page(values)
    with pytest.raises(ValueError, match=path.removesuffix(".loss").rpartition(".")[2]):
        own_recipes.of_page({**values, path: value})
