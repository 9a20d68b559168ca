"""A recipe in words: each option is limited, said, and said in every language."""

import dataclasses
import re

import pytest

from mixwidgets.runs.experiments.loss_scale import LossScale, loss_scales
from mixwidgets.runs.experiments.operands import Operands
from mixwidgets.runs.experiments.recipe import Recipe, recipes
from mixwidgets.runs.experiments.recipe_words import HEADINGS, LINES, brief, describe, heading
from mixwidgets.support.languages.texts import LANGUAGES, texts
from tests.experiments.recipe_options import HALF, NESTED, NESTED_PAIRS, PLAIN, changed, values_of

NO_MASTERS = HALF.replace(master_weights=False)
FP8 = Operands()


@pytest.mark.parametrize("field", dataclasses.fields(Recipe), ids=lambda field: field.name)
def test_each_field_has_limits_a_line_and_words_that_tell_its_values_apart(field):
    with pytest.raises((TypeError, ValueError), match=field.name):
        Recipe(**{field.name: object()})
    assert any(line.field.split(".")[0] == field.name for line in LINES), (
        f"{field.name} needs a Line in LINES"
    )
    for value in values_of(field):
        pairs = list(changed(field.name, value))
        assert pairs or value == getattr(PLAIN, field.name)
        for lang in LANGUAGES:
            for recipe, other in pairs:
                assert describe(other, lang) != describe(recipe, lang), (field.name, value)


@pytest.mark.parametrize(("option", "kind"), [("loss_scale", LossScale), ("operands", Operands)])
def test_the_tests_have_a_value_for_each_field_of_a_nested_option(option, kind):
    missing = {field.name for field in dataclasses.fields(kind)} - NESTED[option].keys()
    assert not missing, "add what they take to NESTED in tests/experiments/recipe_options.py"


@pytest.mark.parametrize(("name", "recipe", "other"), NESTED_PAIRS)
def test_each_field_of_a_loss_scale_and_of_operands_is_told(name, recipe, other):
    for lang in LANGUAGES:
        assert describe(recipe, lang) != describe(other, lang), f"no Line in LINES tells {name}"


TEXTS = [text for line in LINES for text in (line.sentence, line.brief) if text] + list(HEADINGS)
UNTRANSLATED = {"FP32", "FP16", "BF16", "torch.amp"}


@pytest.mark.parametrize("lang", [lang for lang in LANGUAGES if lang != "en"])
def test_each_text_is_there_in_each_language_with_the_same_places(lang):
    told = texts(lang, "python")
    for text in {*TEXTS} - UNTRANSLATED:
        assert text in told, f"languages/{lang}/python.json lacks {text!r}"
        assert sorted(re.findall(r"{\w+}", told[text])) == sorted(re.findall(r"{\w+}", text))


@pytest.mark.parametrize("name", recipes)
def test_every_preset_is_told_apart_in_sentences_without_an_open_place(name):
    for lang in LANGUAGES:
        said = describe(recipes[name], lang)
        assert sum(describe(recipe, lang) == said for recipe in recipes.values()) == 1
        assert not re.search(r"[{}]", said + brief(recipes[name], lang))


@pytest.mark.parametrize(
    ("recipe", "said", "unsaid"),
    [
        (PLAIN, ["Everything in FP32."], ["loss scale", "except"]),
        (HALF, ["FP16 copies of FP32 master weights", "No loss scale."], []),
        (recipes["fp16_static"], ["scaled by 2¹⁰ throughout"], ["No loss"]),
        (
            recipes["fp16_dynamic"],
            ["at 2¹⁶: × 0.5 after a skipped step, × 2 after 25 good steps in a row."],
            [],
        ),
        (recipes["amp_bf16"], ["torch.autocast in BF16"], ["master", "naive", "Softmax"]),
        (NO_MASTERS, ["weights themselves are FP16", "nearest FP16"], ["copies"]),
        (recipes["fp16_weights_stochastic"], ["up or down by chance: small updates survive"], ["nearest"]),
        (recipes["fp16_optimizer"], ["its state are FP16 too"], ["nearest"]),
        (
            recipes["bf16_moments"],
            ["BF16 copies of FP32 master weights", "its state in BF16 between"],
            ["nearest"],
        ),
        (recipes["fp16_softmax"], ["computed naively in FP16"], ["Norms"]),
        (
            HALF.replace(fp32_ops=("softmax",)),
            ["The loss is computed in FP16", "Norms are computed"],
            ["naive", "are computed in FP32"],
        ),
        (
            HALF.replace(operands=FP8),
            ["FP8 E4M3, in the backward pass gradients rounded to FP8 E5M2", "not scaled"],
            [],
        ),
        (recipes["fp8_delayed"], ["largest value of the last 16 steps"], []),
        (recipes["fp8_tensorwise"], ["its own largest value"], []),
        (
            recipes["mxfp4_stochastic"],
            ["rounded to MXFP4.", "Gradients are rounded up or down"],
            ["not scaled"],
        ),
        (
            HALF.replace(operands=Operands(forward="nvfp4", backward="nvfp4", scale_rule="TORCHAO")),
            ["rounded to NVFP4. Blocks are scaled by the rule TORCHAO."],
            [],
        ),
        (
            recipes["nvfp4_published"],
            [
                "rounded to NVFP4 16 × 16, whose blocks lie in two dimensions",
                "rotated by a random Hadamard transform",
                "These layers stay in BF16: first, last.",
            ],
            ["rule", "not rounded"],
        ),
        (
            recipes["nvfp4_four_over_six"],
            ["the rule FOUR_OVER_SIX. This rule is not that of the gradients. A block chooses its scale by"],
            ["Hadamard", "that of the weights", "largest block scale"],
        ),
        (
            HALF.replace(operands=FP8.replace(products_rounded=("forward",))),
            ["gives an input’s gradient, dx, are not", "gives a weight’s gradient, dW, are not"],
            ["forward product"],
        ),
        (HALF.replace(accumulation_format="float16"), ["gradients of micro-batches are summed in FP16"], []),
        (HALF.replace(clip_after_unscaling=False), ["clipped while they are still scaled"], []),
        (PLAIN.replace(optimizer_format="bfloat16"), ["In FP32, but", "its state in BF16"], ["Everything"]),
        (HALF.replace(operands=Operands(forward="float8_e3m4")), ["rounded to float8_e3m4, in"], []),
        (
            HALF.replace(loss_scale=LossScale(kind="static", init_scale=1000)),
            ["scaled by 1000 throughout"],
            [],
        ),
        (
            HALF.replace(loss_scale=loss_scales["deepspeed"]),
            ["step number 2 on", "below 2⁰", "The run ends"],
            [],
        ),
    ],
)
def test_what_is_said(recipe, said, unsaid):
    for part in said:
        assert part in describe(recipe)
    for part in unsaid:
        assert part not in describe(recipe)


@pytest.mark.parametrize(
    ("line", "recipe"),
    [
        ("Everything in FP32.", PLAIN),
        ("FP16 copies of FP32 weights, no loss scale", HALF),
        ("FP16 copies of FP32 weights, naive softmax in FP16, loss × 2¹⁰", recipes["fp16_softmax"]),
        ("FP16 weights, rounded by chance, loss × 2¹⁰", recipes["fp16_weights_stochastic"]),
        ("FP16 weights and optimiser, loss × 2¹⁰", recipes["fp16_optimizer"]),
        ("BF16 copies of FP32 weights", recipes["bf16"]),
        ("BF16 copies of FP32 weights, optimiser state in BF16", recipes["bf16_moments"]),
        ("torch.autocast in FP16, no loss scale", Recipe(compute_format="float16", loop="amp")),
        ("linear layers in FP8 E4M3 and FP8 E5M2, not scaled", HALF.replace(operands=FP8)),
        ("linear layers in MXFP4, gradients rounded by chance", recipes["mxfp4_stochastic"]),
        ("linear layers in MXFP8, rule RCEIL", recipes["mxfp8"]),
        ("linear layers in FP8 E4M3 1 × 128, weights in FP8 E4M3 128 × 128", recipes["deepseek_fp8"]),
        (
            "linear layers in NVFP4, weights in NVFP4 16 × 16, gradients rounded by chance, "
            "Hadamard transform, layers in BF16: first, last",
            recipes["nvfp4_published"],
        ),
        (
            "FP16 copies of FP32 weights, gradients summed in FP16, no loss scale",
            HALF.replace(accumulation_format="float16"),
        ),
    ],
)
def test_in_a_line(line, recipe):
    assert brief(recipe) == line


def test_a_recipe_stands_under_the_heading_by_which_one_looks_for_it():
    found = {name: heading(recipe) for name, recipe in recipes.items()}
    assert list(dict.fromkeys(found.values())) == list(HEADINGS)
    assert [found[name] for name in ("fp32", "fp16_weights", "bf16", "amp_fp16", "nvfp4")] == list(HEADINGS)
    assert heading(recipes["nvfp4"], "zh") == "FP8 和 FP4 操作数"
