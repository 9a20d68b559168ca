"""The figures of mixwidgets/teaching/figures in a page: `make bundle` has drawn them, for every language."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from xml.etree.ElementTree import Element, fromstring

from mixwidgets.floats.widgets.bundles import STATIC
from mixwidgets.teaching.site.edition import h

FIGURES = ("five_steps", "training_step")
SOURCE = "mixwidgets/runs/training/explicit.py"
_PROJECT = "https://github.com/mixwidgets/mixwidgets/blob/main"
CODE: Mapping[str, str] = {
    "master": "self._weights.update(gradients)",
    "copies": "self._weights.refresh_copies()",
    "forward": "outputs = self.outputs(x)",
    "loss": "loss = self.task.loss(outputs, y)",
    "scale": "loss * self.loss_scale",
    "backward": "torch.autograd.grad(",
    "scaled": "more = in_dtype(scaled",
    "unscale": "gradients = unscaled(",
    "gradients": "self.ranks.sum(",
    "check": "skipped = self._scaling.skips(found_inf)",
    "update": "if not skipped:",
    "skip": "self._state = self._scaling.after(",
}
"""The line of the training loop that a box of the five steps opens, by the name of the box."""


def figure(name: str, lang: str) -> Element:
    """A figure in its two forms, of which the page's style shows one: lying, and standing for a narrow page.
    The boxes of the five steps are links to their code on the web."""
    return h("div", {"class": "figure"}, *(_drawn(one, lang) for one in (name, f"{name}_standing")))


def _drawn(name: str, lang: str) -> Element:
    svg = _parsed(name, lang)
    svg.remove(svg[0])  # a page's policy refuses a style in its body
    for part in svg.iter("g"):
        if box := part.attrib.pop("data-code", None):
            part.tag = "a"
            part.attrib["href"] = code_of(box)
            svg.attrib["role"] = "group"  # what is in an image cannot be followed
    return svg


@cache
def code_of(box: str) -> str:
    """Where the web shows the line of a box."""
    lines = (Path(__file__).parents[3] / SOURCE).read_text(encoding="utf-8").splitlines()
    (number,) = [i for i, line in enumerate(lines, 1) if CODE[box] in line]
    return f"{_PROJECT}/{SOURCE}#L{number}"


def _parsed(name: str, lang: str) -> Element:
    text = (STATIC / f"{name}.{lang}.svg").read_text(encoding="utf-8")
    return fromstring(text.replace(' xmlns="http://www.w3.org/2000/svg"', "", 1))
