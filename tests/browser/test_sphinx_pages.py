"""A notebook in Sphinx, built with the settings of docs/where.md: the widget is edited without a network."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
NPM = ROOT / "build" / "npm"  # `make build/npm/.made`
ANYWIDGET = Path(sys.prefix) / "share" / "jupyter" / "nbextensions" / "anywidget" / "index.js"
FILES = {
    "own/require.js": NPM / "requirejs-2.3.8" / "require.js",
    "own/embed-amd.js": NPM / "jupyter-widgets-html-manager-1.0.15" / "dist" / "embed-amd.js",
    "extra/anywidget.js": ANYWIDGET,
}
PRINTED = re.compile(r'```py\n(extensions = \["(\w+)"\].*?)```', re.DOTALL)
PAGE = (ROOT / "docs/where.md").read_text(encoding="utf-8")
SETTINGS = {name: text for text, name in PRINTED.findall(PAGE)}


def flip_the_last_bit(page):
    editor = page.get_by_role("region", name="Bit editor")
    editor.get_by_role("switch", name=re.compile("^fraction bit 10 of 10")).click()
    expect(editor.get_by_label("value", exact=True)).to_have_value("65472")


@pytest.mark.parametrize("extension", ["myst_nb", "nbsphinx"])
def test_a_notebook_in_sphinx_is_drawn_and_edited(extension, page, tmp_path):
    source = tmp_path / "source"
    for name, file in FILES.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, source / name)
    (source / "conf.py").write_text(SETTINGS[extension], encoding="utf-8")
    cell = nbformat.v4.new_code_cell("import mixwidgets as mw\n\nmw.BitEditor(65504)")
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), source / "index.ipynb")
    command = [sys.executable, "-m", "sphinx", "-q", source, tmp_path / "built"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr

    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.context.set_offline(True)
    page.goto((tmp_path / "built" / "index.html").as_uri())
    flip_the_last_bit(page)
    assert [url for url in asked if url.startswith("http") and "/mathjax@" not in url] == []
