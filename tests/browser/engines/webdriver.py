"""Firefox and WebKitGTK, which Playwright does not drive as a distribution ships them, by W3C's WebDriver.

WebKitWebDriver takes its commands over HTTP, Firefox the same ones over a socket of its own, Marionette. So
no package is needed beside the browsers.
"""

import json
import os
import shutil
import socket
import subprocess
import tempfile
import urllib.error
import urllib.request
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.waiting import until

LIMIT_S = 60  # of a start, or a wait for anything in a page: only there to fail rather than hang
PACKAGES = {"firefox": "firefox-esr", "webkit": "webkit2gtk-driver xvfb"}  # of Debian and Ubuntu
_FIREFOX = ("firefox-esr", "firefox")
_MINI_BROWSER = "/usr/lib/*/webkit*/MiniBrowser"  # which Debian installs beside the library
_FREE_PORT = 'user_pref("marionette.port", 0);'  # Firefox writes which one into its profile
_PATHS = {  # WebDriver's commands: method and path of those over HTTP
    "Navigate": ("POST", "/url"),
    "Refresh": ("POST", "/refresh"),
    "ExecuteScript": ("POST", "/execute/sync"),
    "PerformActions": ("POST", "/actions"),
    "SetWindowRect": ("POST", "/window/rect"),
    "SwitchToFrame": ("POST", "/frame"),
    "DeleteSession": ("DELETE", ""),
}


class Missing(Exception):
    """An engine is not installed."""


class WebDriverError(Exception):
    """An engine refused a command, or a script of ours failed in a page."""


def _program(engine, *names):
    for name in names:
        if found := shutil.which(name):
            return found
    raise Missing(f"no {names[0]} on this system: apt-get install {PACKAGES[engine]}")


@contextmanager
def _process(*command, **options):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


@contextmanager
def firefox():
    """A headless Firefox: the function that gives it commands."""
    program = _program("firefox", *_FIREFOX)
    with ExitStack() as stack:
        profile = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        (profile / "user.js").write_text(_FREE_PORT, encoding="utf-8")
        command = [program, "--headless", "--no-remote", "--marionette", "--profile", str(profile)]
        stack.enter_context(_process(*command))
        port = profile / "MarionetteActivePort"
        until(lambda: port.exists() and port.read_text(), LIMIT_S)
        connection = stack.enter_context(socket.create_connection(("127.0.0.1", int(port.read_text()))))
        answers = stack.enter_context(connection.makefile("rb"))

        def read():
            size = b""
            while (digit := answers.read(1)) != b":":
                size += digit
            return json.loads(answers.read(int(size)))

        read()  # a greeting

        def command_it(name, **parameters):
            text = json.dumps([0, 0, f"WebDriver:{name}", parameters]).encode()
            connection.sendall(b"%d:%b" % (len(text), text))
            _, _, error, result = read()
            if error:
                raise WebDriverError(f"{name}: {error['error']}: {error['message']}")
            return result["value"] if set(result) == {"value"} else result

        command_it("NewSession", capabilities={})
        yield command_it


@contextmanager
def webkit():
    """WebKitGTK's MiniBrowser on a screen of its own, likewise."""
    screen, driver = _program("webkit", "Xvfb"), _program("webkit", "WebKitWebDriver")
    if not (browsers := sorted(Path("/").glob(_MINI_BROWSER[1:]))):
        raise Missing(f"no {_MINI_BROWSER} on this system: apt-get install {PACKAGES['webkit']}")
    with ExitStack() as stack:
        told, tell = os.pipe()
        number = ["-displayfd", str(tell), "-nolisten", "tcp", "-screen", "0", "2000x1400x24"]
        stack.enter_context(_process(screen, *number, pass_fds=[tell]))
        os.close(tell)
        with os.fdopen(told, encoding="ascii") as lines:
            display = f":{lines.readline().strip()}"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        environment = {**os.environ, "DISPLAY": display, "LIBGL_ALWAYS_SOFTWARE": "1"}
        stack.enter_context(_process(driver, f"--port={port}", env=environment))
        address = f"http://127.0.0.1:{port}"

        def ask(method, path, parameters=None):
            body = None if parameters is None else json.dumps(parameters).encode()
            request = urllib.request.Request(address + path, body, method=method)
            try:
                with urllib.request.urlopen(request) as answer:
                    return json.load(answer)["value"]
            except urllib.error.HTTPError as error:
                with error:
                    value = json.load(error)["value"]
                raise WebDriverError(f"{path}: {value['error']}: {value['message']}") from None

        def answers():
            try:
                return ask("GET", "/status")["ready"]
            except urllib.error.URLError:
                return False

        until(answers, LIMIT_S)
        options = {"binary": str(browsers[-1]), "args": ["--automation"]}
        capabilities = {"capabilities": {"alwaysMatch": {"webkitgtk:browserOptions": options}}}
        session = f"/session/{ask('POST', '/session', capabilities)['sessionId']}"

        def command_it(name, **parameters):
            method, path = _PATHS[name]
            return ask(method, session + path, parameters if method == "POST" else None)

        stack.callback(command_it, "DeleteSession")
        yield command_it


ENGINES = {"firefox": firefox, "webkit": webkit}
