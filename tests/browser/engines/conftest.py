"""Firefox and WebKit, each started once by a test process that needs it. They run in `make test-all` only."""

import os
import threading
from contextlib import ExitStack
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.browser.engines.page import Page
from tests.browser.engines.webdriver import ENGINES, Missing


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.slow)


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="session")
def started(tmp_path_factory):
    """The page of each engine that was asked for."""
    folder = tmp_path_factory.getbasetemp()
    with ExitStack() as stack:
        server = stack.enter_context(
            ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
        )
        threading.Thread(target=server.serve_forever, daemon=True).start()
        stack.callback(server.shutdown)
        address, pages = f"http://127.0.0.1:{server.server_port}", {}

        def page_of(engine):
            if engine not in pages:
                pages[engine] = Page(stack.enter_context(ENGINES[engine]()), address, folder)
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
