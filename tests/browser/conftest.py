"""Fixtures of the browser tests: one browser and one JupyterLab a session, one page a test."""

import os
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import expect

from tests.browser.chromium import LIMIT_MS, browser
from tests.browser.jupyter import jupyter_lab

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"

expect.set_options(timeout=LIMIT_MS)


# `make test` looks at one theme, language and width of each page; `make test-all` looks at these too.
OTHER_VIEWS = {"theme": "dark", "lang": "zh", "width": 980}


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            given = item.callspec.params if hasattr(item, "callspec") else {}
            if any(given.get(name) == value for name, value in OTHER_VIEWS.items()):
                item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def chromium():
    try:
        with browser() as running:
            yield running
    except PlaywrightError as error:
        if "Executable doesn't exist" not in str(error) or os.environ.get("CI"):
            raise  # in CI a missing browser is a failure
        pytest.skip(
            "no Chromium: install it, name one in MIXWIDGETS_CHROMIUM, or run `playwright install chromium`"
        )


@pytest.fixture(scope="session")
def running_server(tmp_path_factory):
    root = tmp_path_factory.mktemp("lab")
    shutil.copytree(NOTEBOOKS, root / "notebooks", ignore=shutil.ignore_patterns("runs", ".*"))
    with jupyter_lab(root) as running:
        yield running


@pytest.fixture
def server(running_server):
    """JupyterLab. The kernels that a test starts end with it: none takes another's time."""
    yield running_server
    running_server.end_kernels()


@pytest.fixture
def page(chromium):
    """A fresh page at a laptop's size. A JavaScript error in it fails the test."""
    context = chromium.new_context(viewport={"width": 1280, "height": 1400})
    page = context.new_page()
    page.set_default_timeout(LIMIT_MS)
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    context.close()
    assert errors == []
