"""A screen reader is told the value of a slider in force: at first, after keys, set by the address."""

import math

import pytest
from playwright.sync_api import expect

import mixwidgets as mw
from tests.browser.every_widget import made
from tests.waiting import until

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
KEYS = ("ArrowRight", "ArrowUp", "ArrowUp", "ArrowLeft", "Home", "End", "ArrowDown")


def number_of(text):
    return float(text.replace("−", "-"))


# Each says whether a text tells the value that the widget's model or its other parts have.


def tells_the_code(page, slider, said):
    name, code = page.evaluate("[model.get('format'), model.get('code')]")
    fmt, told = mw.get_format(name), said.rpartition("rounded to ")[2]
    return fmt.encode(told.replace("−", "-").replace("∞", "inf")) == int(code, 16)


def tells_the_scale(page, slider, said):
    kind, log2 = page.evaluate("[model.get('loss_scale'), model.get('log2_loss_scale')]")
    return said.startswith(f"2^{0 if kind == 'none' else log2} =")


def tells_the_fields(page, slider, said):
    exponent, fraction = page.evaluate("[model.get('exponent_bits'), model.get('fraction_bits')]")
    return said == f"{exponent} exponent bits, {fraction} fraction bits"


def tells_the_edge(page, slider, said):
    fmt = mw.get_format(page.evaluate("model.get('format')"))
    edge = slider.get_attribute("aria-label")
    if edge == "largest number":
        number, _, name = said.partition(" in ")
        return name == fmt.name and fmt.encode(number) == fmt.max_code
    number = {"smallest subnormal": fmt.smallest_subnormal, "smallest normal": fmt.smallest_normal}[edge]
    return said == f"2{str(int(math.log2(number))).translate(SUPERSCRIPTS)} in {fmt.name}"


def tells_the_snapshot(page, slider, said):
    newest = 100
    step = page.evaluate("model.get('step')") or newest
    return said.startswith(f"gradients of step {step}, ")


def tells_the_element(page, slider, said):
    value, _, rest = said.partition(", stored as ")
    stored, _, error = rest.partition(", error ")
    written = page.evaluate("document.querySelector('.mw-lab-control.mw-entry input').value")
    is_sum = math.isclose(number_of(stored) - number_of(value), number_of(error), rel_tol=2e-2, abs_tol=1e-3)
    return is_sum and math.isclose(number_of(value), number_of(written), rel_tol=1e-3)


def tells_the_step(page, slider, said):
    """The charts' values are under them, too."""
    return (
        said.startswith(f"step {slider.input_value()} ")
        and said == page.locator(".mw-step-said").text_content()
    )


LINE = {"number on the line": tells_the_code}
SCALE = {"loss scale": tells_the_scale}
READING = {"step to read": tells_the_step}
EDGES = dict.fromkeys(("smallest subnormal", "smallest normal", "largest number"), tells_the_edge)
SLIDERS = {
    "BitEditor": (LINE, "format=bfloat16&code=c049"),
    "NumberLine": (LINE, "format=bfloat16&code=c049"),
    "BlockLab": ({"element 18 of row 11": tells_the_element}, "format=nvfp4&scale_rule=TE"),
    "FormatDesigner": (
        {"boundary between exponent and fraction": tells_the_fields},
        "exponent_bits=2&fraction_bits=3",
    ),
    "LossScaleExplorer": (
        {**EDGES, **SCALE, "snapshot by step": tells_the_snapshot},
        "format=bfloat16&log2_loss_scale=5&step=50",
    ),
    "Playground-digits": (SCALE, "task=digits&loss_scale=static&log2_loss_scale=7"),
    "TrainingStep": (SCALE, "log2_loss_scale=7"),
    "TrainingLab": (READING, None),
    "SweepProgress": (READING, None),
}


@pytest.mark.parametrize("name", SLIDERS)
def test_a_slider_says_the_value_in_force(page, tmp_path, name):
    telling, state = SLIDERS[name]
    with made(name, "en", tmp_path) as path:
        page.goto(path.as_uri())
        expect(page.locator("#widget > .mw")).to_be_visible()
        sliders = [one for one in page.get_by_role("slider").all() if one.is_visible()]
        named = {one.get_attribute("aria-label"): one for one in sliders}
        assert set(named) == set(telling)

        def all_tell():
            return all(
                telling[label](page, one, one.get_attribute("aria-valuetext")) for label, one in named.items()
            )

        until(all_tell)
        for label, slider in named.items():
            heard = set()
            for key in KEYS:
                slider.press(key)
                until(all_tell)
                heard.add(slider.get_attribute("aria-valuetext"))
            assert len(heard) > 1, f"no key moves {label}"
        if state:
            before = [one.get_attribute("aria-valuetext") for one in sliders]
            page.evaluate("(state) => { location.hash = state; }", state)
            until(lambda: [one.get_attribute("aria-valuetext") for one in sliders] != before)
            expect(page.locator("#note")).to_be_empty()
            until(all_tell)
