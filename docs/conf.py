"""How Sphinx builds the documentation: `make docs`. The reference is read from the docstrings."""

import inspect
import re
from typing import Any

from sphinx.application import Sphinx
from sphinx.util.inspect import stringify_signature
from typer.cli import get_docs_for_click
from typer.main import get_command

import mixwidgets
from docs import teaching_pack
from mixwidgets.cli import app as command_line
from mixwidgets.events import REASONS

project = "mixwidgets"
author = "the mixwidgets developers"
project_copyright = f"2026, {author}"
release = mixwidgets.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "docs.living"]
exclude_patterns = ["screenshots", "slides"]
default_role = "py:obj"  # `backticks` in a docstring: a link where the name is documented, else code
smartquotes = False  # the "quotes" of a docstring belong to code
nitpicky = True
nitpick_ignore_regex = [
    ("py:.*", r"(?s)(?!mixwidgets\.).*"),  # what others document is not linked: that takes a network
    ("py:obj", r"mixwidgets\.\w+\.[a-z_.]+"),  # modules to read, such as `mixwidgets.runs.store.records`
    ("py:class", r"mixwidgets\.(\w+\.)+_\w+"),  # the types of descriptors
]

html_theme = "furo"
html_title = "mixwidgets"
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["teaching.css", "living.css"]

myst_enable_extensions = ["attrs_inline"]
myst_heading_anchors = 3

autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
autodoc_default_options = {
    "no-value": True,  # defaults stand in the signature
    # for subclasses
    "exclude-members": "hold_sync, notify_change, reject_unknown, set_state",
}
python_use_unqualified_type_names = True
add_module_names = False  # a class that a function returns is not imported by its module's name

linkcheck_timeout = 20
linkcheck_anchors = False  # GitHub makes its anchors by script

_NAMES = {
    "recipes": mixwidgets.recipes,
    "tasks": mixwidgets.tasks,
    "loss_scales": mixwidgets.loss_scales,
    "reasons": REASONS,
}
_LONGEST_DEFAULT = 40  # characters
_ARGUMENT = re.compile(r"([a-z_]\w*): +(\S.*)")


def arguments_as_fields(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Make a list of the lines "argument: what it is", which our docstrings have, each up to the next one or
    to an empty line."""
    if not callable(obj):
        return
    arguments, inside = inspect.signature(obj).parameters, False
    for number, line in enumerate(lines):
        found = _ARGUMENT.fullmatch(line)
        if found and found[1] in arguments:
            lines[number] = f":param {found[1]}: {found[2]}"
            inside = True
        elif inside:
            inside = bool(line)
            lines[number] = f"    {line.strip()}"


def signature_of_init(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, signature: str, returns: str
) -> tuple[str, str] | None:
    """Show what a class's `__init__` takes. Sphinx would show `__new__`, where names are checked."""
    if what != "class" or obj.__init__ is object.__init__:
        return None
    found = inspect.signature(obj.__init__)
    shown = [
        one.replace(default="…") if len(repr(one.default)) > _LONGEST_DEFAULT else one
        for one in list(found.parameters.values())[1:]
    ]
    text = stringify_signature(found.replace(parameters=shown), show_annotation=False)
    return text.replace("'…'", "…").removesuffix(" -> None"), returns


def finish_page(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: Any) -> None:
    """Tell the page's language, and let blocks of code, which are wider than a telephone, take the focus."""
    context["language"] = _language(page)
    if "body" in context:
        context["body"] = context["body"].replace("<pre>", '<pre tabindex="0">')


def names_from_the_code(app: Sphinx, page: str, text: list[str]) -> None:
    """Put what typer knows of the commands below their page's heading, and names of presets, formats and
    questions where pages leave room for them: {recipes}."""
    if page == "reference/command_line":
        group = get_command(command_line)
        context = group.context_class(group, info_name="mixwidgets")
        text[0] += "\n".join(
            get_docs_for_click(obj=command, ctx=context, indent=1, name=name, call_prefix="mixwidgets")
            for name, command in group.commands.items()
        )
    elif page.startswith("teaching/"):
        text[0] = teaching_pack.filled(text[0], _language(page))
    elif page.startswith("reference/"):
        for place, names in _NAMES.items():
            text[0] = text[0].replace(f"{{{place}}}", ", ".join(f"``{name}``" for name in names))


def _language(page: str) -> str:
    return "zh" if page.endswith("_zh") else "en"


def setup(app: Sphinx) -> None:
    app.connect("autodoc-process-docstring", arguments_as_fields)
    app.connect("autodoc-process-signature", signature_of_init)
    app.connect("html-page-context", finish_page)
    app.connect("source-read", names_from_the_code)
