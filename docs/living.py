"""Two directives. A widget that lives in the page, as the file that `save` writes, below the line that
makes it:

    ```{living} number-line
    :height: 640
    :alt: "The number line around 2049"

    mw.NumberLine("2049", format="float16")
    ```

A browser loads the file when its place is scrolled near. Without scripts there is the picture instead, which
is NAME-light.png in screenshots/.

A figure of mixwidgets/teaching/figures, whose boxes open their code:

    ```{drawn} five_steps en
    ```
"""

from html import escape
from pathlib import Path

import numpy as np
from docutils import nodes
from docutils.parsers.rst import Directive, directives
from sphinx.application import Sphinx

import mixwidgets as mw
from mixwidgets.teaching.site.edition import html
from mixwidgets.teaching.site.figures import figure

_FRAME = (
    '<iframe class="living" src="{source}" title="{alt}" loading="lazy" style="height: {height}px"></iframe>'
    "<noscript><style>iframe.living {{ display: none }}</style>"
)


class Living(Directive):
    required_arguments = 1  # the name of its file and its picture
    option_spec = {  # noqa: RUF012 - docutils has it so
        "height": directives.positive_int,  # pixels
        "alt": directives.unchanged_required,
    }
    has_content = True

    def run(self) -> list[nodes.Node]:
        environment = self.state.document.settings.env
        name, code = self.arguments[0], "\n".join(self.content)
        folder = Path(environment.app.outdir, "living")
        folder.mkdir(exist_ok=True)
        widget = eval(code, {"mw": mw, "np": np})
        widget.save(folder / f"{name}.html")
        widget.close()
        up = "../" * environment.docname.count("/")
        alt = self.options["alt"].strip('"')
        frame = _FRAME.format(
            source=f"{up}living/{name}.html", alt=escape(alt), height=self.options["height"]
        )
        picture = nodes.image(uri=f"/screenshots/{name}-light.png", alt=alt)
        return [
            nodes.literal_block(code, code, language="python"),
            nodes.raw("", frame, format="html"),
            picture,
            nodes.raw("", "</noscript>", format="html"),
        ]


class Drawn(Directive):
    required_arguments = 2  # the name of the figure, and its language

    def run(self) -> list[nodes.Node]:
        return [nodes.raw("", html(figure(*self.arguments)), format="html")]


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("living", Living)
    app.add_directive("drawn", Drawn)
    return {"parallel_read_safe": True}
