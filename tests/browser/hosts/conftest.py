"""One page a host and session: starting is the slow part."""

import pytest

from tests.browser.chromium import LIMIT_MS
from tests.browser.hosts.hosts import HOSTS


@pytest.fixture(
    scope="session",
    params=[pytest.param(name, marks=[] if name == "jupyterlab" else [pytest.mark.slow]) for name in HOSTS],
)
def opened(request, chromium, tmp_path_factory):
    context = chromium.new_context(viewport={"width": 1280, "height": 1400})
    page = context.new_page()
    page.set_default_timeout(LIMIT_MS)
    with HOSTS[request.param](page, tmp_path_factory.mktemp(request.param)) as host:
        host.wait()
        yield host
        context.close()


@pytest.fixture
def host(opened):
    """A host with all widgets in its page. An error in it, or a request of anyone else, fails the test."""
    yield opened
    troubles = opened.troubles.copy()
    opened.troubles.clear()  # they are this test's, and not the next one's too
    assert troubles == []
