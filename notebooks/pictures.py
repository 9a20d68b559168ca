"""The pictures of what a lesson shows, drawn in its kernel.

A widget's is its saved page, drawn once in English and once in Chinese: the same widget, in the same state. A
training lab's is drawn when its first runs have ended, some cells after the one that shows it. A chart's
carries the chart's specification as a text in the PNG, from which the Chinese edition draws its own.
"""

import json
import os
from base64 import b64decode, b64encode
from contextlib import ExitStack, closing
from io import BytesIO
from itertools import count
from pathlib import Path
from typing import Any
from unittest.mock import patch

import altair as alt
import vl_convert
from IPython.core.interactiveshell import InteractiveShell
from PIL import Image
from PIL.PngImagePlugin import PngInfo

import mixwidgets as mw
from mixwidgets.floats.widgets.base import MixWidget
from mixwidgets.floats.widgets.bundles import page_module
from mixwidgets.floats.widgets.page import Picture, picture
from mixwidgets.runs.widgets.sweep_progress.widget import SweepProgress
from mixwidgets.support.languages.choice import VARIABLE

CHINESE = "zh"
"""In an output's metadata: its picture in Chinese, which `notebooks.run` takes out."""
FONTS = "Noto Sans CJK SC, PingFang SC, Microsoft YaHei"
"""Of Linux, macOS and Windows; the first that is there writes a Chinese chart."""
LAB = "lab"
"""In the metadata of a lab's output: its number, by which the file LABS has what takes its place."""
LABS = "lab_pictures.json"
"""In the kernel's folder: the outputs of labs whose runs have ended, by number."""
PPI = 108
_SPEC = "vega-lite"
_SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40">{}</svg>'


def require_chinese_font() -> None:
    """RuntimeError if this machine writes two Chinese characters alike, as a box or not at all."""
    glyphs = [f'<text y="30" font-size="24" font-family="{FONTS}">{one}</text>' for one in "梯度"]
    one, other = (vl_convert.svg_to_png(_SVG.format(glyph)) for glyph in glyphs)
    if one == other:
        raise RuntimeError(
            "The Chinese edition's pictures need a Chinese font, and this machine has none: install one, "
            "such as Debian's fonts-noto-cjk."
        )


def draw_in(shell: InteractiveShell) -> None:
    """Make pictures of all widgets and charts that this kernel shows from now on."""
    formatter = shell.display_formatter.mimebundle_formatter
    formatter.for_type(MixWidget, _of_widget)
    formatter.for_type_by_name("mixwidgets.diagnosis.difference.result", "FirstDifference", _of_widget)
    formatter.for_type(alt.TopLevelMixin, _of_chart)
    waiting: dict[int, mw.TrainingLab] = {}
    numbers = count()

    def of_lab(lab: mw.TrainingLab, include: Any = None, exclude: Any = None) -> Any:
        number = next(numbers)
        waiting[number] = lab
        data, metadata = _of_widget(lab)
        return data, metadata | {LAB: number}

    formatter.for_type(mw.TrainingLab, of_lab)
    shell.events.register("post_run_cell", lambda _: _draw_ended(waiting))


def _draw_ended(waiting: dict[int, mw.TrainingLab]) -> None:
    """Draw the labs whose first runs have ended, with these runs selected, into the file LABS."""
    for number, lab in list(waiting.items()):
        runs = mw.list_runs(lab._runs_dir)
        if runs and not any(run.is_alive for run in runs):
            del waiting[number]
            lab.set_trait("_shown", [run.id for run in runs])
            lab._look()
            drawn = json.loads(Path(LABS).read_text()) if Path(LABS).exists() else {}
            Path(LABS).write_text(json.dumps(drawn | {number: _of_widget(lab)}))


def drawn(chart: alt.TopLevelMixin, carries: str = "") -> tuple[str, dict[str, float]]:
    """The PNG of a chart, in base64, and its size in CSS pixels; it carries a specification where one is
    given."""
    with alt.renderers.enable("png", ppi=PPI):
        data, metadata = chart._repr_mimebundle_()
    return _small(data["image/png"], carries), metadata["image/png"]


def chart_in(png: bytes) -> dict[str, Any] | None:
    """The specification that a picture carries; None for a widget's."""
    text = Image.open(BytesIO(png)).text.get(_SPEC)
    return json.loads(text) if text else None


def _of_chart(shown: Any, include: Any = None, exclude: Any = None) -> Any:
    png, size = drawn(shown, json.dumps(shown.to_dict()))
    return {"text/plain": repr(shown), "image/png": png}, {"image/png": size}


def _of_widget(shown: Any, include: Any = None, exclude: Any = None) -> Any:
    widget = shown._widget() if hasattr(shown, "_widget") else shown
    if isinstance(widget, SweepProgress):  # its picture is of its end
        widget._sweep.wait(progress=False)
        widget._look()
    ours, theirs = picture(widget), _in_chinese(widget, shown)
    chinese = {"png": _small(theirs.png), "alt": theirs.alt.replace(": ", "：", 1)}
    text = shown._repr_mimebundle_()[0]["text/plain"]  # as where no widget can be drawn
    return (
        {"text/plain": text, "image/png": _small(ours.png)},
        {"image/png": {"alt": ours.alt}, CHINESE: chinese},
    )


def _in_chinese(widget: MixWidget, shown: Any) -> Picture:
    """The picture of what is shown, or of its widget, with its page in Chinese, and with it what Python says
    on the page."""
    with ExitStack() as restored:
        restored.enter_context(patch.dict(os.environ, {VARIABLE: "zh"}))
        for name in ("lang", "_module"):
            restored.callback(widget.set_trait, name, getattr(widget, name))
        if widget is not shown:
            return picture(restored.enter_context(closing(shown._widget())))
        if isinstance(widget, mw.Exercise):
            return picture(restored.enter_context(closing(mw.Exercise(widget.exercise))))
        if isinstance(widget, mw.TrainingLab):
            lab = restored.enter_context(closing(mw.TrainingLab(widget._runs_dir)))
            lab.state = widget.state
            lab.set_trait("_shown", widget._shown)
            lab._look()  # for the rows
            lab._look()  # for the curves
            return picture(lab)
        widget.set_trait("lang", "zh")
        widget._module = page_module(widget._page, "zh")
        return picture(widget)


def _small(png: str | bytes, spec: str = "") -> str:
    """A PNG in a palette, which makes it a third as large or less, in base64."""
    image = Image.open(BytesIO(b64decode(png) if isinstance(png, str) else png)).convert("RGB")
    carried = PngInfo()
    if spec:
        carried.add_itxt(_SPEC, spec, zip=True)
    small = BytesIO()
    image = image.quantize(128, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    image.save(small, "png", optimize=True, pnginfo=carried)
    return b64encode(small.getvalue()).decode()
