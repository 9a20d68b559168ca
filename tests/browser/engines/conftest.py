"""Firefox and WebKit, each started once by a test process that needs it. They run in `make test-all` only."""

import os
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.browser.engines.page import Page
from tests.browser.engines.webdriver import ENGINES, Missing


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def started():
    """The page of each engine that was asked for."""
    with ExitStack() as stack:
        pages = {}

        def page_of(engine):
            if engine not in pages:
                pages[engine] = Page(stack.enter_context(ENGINES[engine]()))
            return pages[engine]

        yield page_of


@pytest.fixture(params=ENGINES)
def page(started, request):
    try:
        return started(request.param)
    except Missing as missing:
        if os.environ.get("CI"):
            raise  # in CI a missing browser is a failure
        pytest.skip(str(missing))
