"""FollowingWidget: a widget that shows something live. A thread polls it and sends news to the page.

Polling needs no cooperation of what is followed, which may be in another process. It stops when nothing more
will come, and while no page shows the widget. What the page asks for is done on a thread of its own, because
its message may arrive on the thread that runs cells.
"""

import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import Context, copy_context
from typing import Any, ClassVar, Self, TypeGuard

from mixwidgets.floats.widgets.base import MixWidget
from mixwidgets.support.languages.texts import translated

_LONGEST = 1000  # characters of a message, or of a request's name

_AFTER_FAULT_S = 1.0
_UNSHOWN_S = 60.0  # after so long without a page that shows it, a widget stops following until one does
NO_THREAD = (
    "This Python can start no thread, as in a browser: what is shown is what there was, and is not followed."
)
_MOST_VIEWS = 1000  # of one widget

# One lock for all widgets: they may be linked, and two locks taken in both orders would deadlock.
_TELLING = threading.RLock()


class FollowingWidget(MixWidget):
    """Subclasses implement `_look`, which polls, and `_do`, which serves the page's `_REQUESTS`, and call
    `_follow`."""

    _REQUESTS: ClassVar[tuple[str, ...]] = ()
    """The kinds of messages that `_do` handles."""
    _again: threading.Event
    _closed: threading.Event
    _context: Context | None
    _views: set[str]  # the ids of its views in pages
    _expected_until: float  # of `time.monotonic()`: a page may still come
    _is_looking: bool

    def __new__(cls, *args: Any, **keywords: Any) -> Self:
        widget: Self = super().__new__(cls, *args, **keywords)
        # Set here, since a widget whose __init__ raised is closed too.
        widget._again, widget._closed, widget._context = threading.Event(), threading.Event(), None
        widget._views, widget._expected_until, widget._is_looking = set(), 0.0, False
        return widget

    def close(self) -> None:
        """Close the widget and end its thread. What it shows continues."""
        with _TELLING:
            self._closed.set()
        self._again.set()
        super().close()

    @contextmanager
    def hold_sync(self) -> Iterator[None]:
        """Like that of every widget, but for one thread at a time: otherwise changes of two threads might be
        lost or sent twice."""
        with _TELLING, super().hold_sync():
            yield

    def _tell(self, **traits: Any) -> None:
        """Set traits in one message, unless the widget is closed."""
        with self.hold_sync():
            if not self._closed.is_set():
                for name, value in traits.items():
                    setattr(self, name, value)

    def _look(self) -> float | None:
        """Send what is new to the page. Returns the seconds until the next look, or None to stop."""
        raise NotImplementedError

    def _tell_fault(self, fault: str) -> None:
        """Report a failed look to the page. The next one follows after a second."""

    def _hear(self, content: dict[str, Any]) -> None:
        """Handle a message of the page, quickly, since this may be the thread that runs cells."""
        kind, view = content.get("kind"), content.get("view")
        if kind == "hello":
            if _is_short(view) and len(self._views) < _MOST_VIEWS:
                self._views.add(view)
            self._look_from_now()
            self.send({"kind": "hello"})
        elif kind == "bye" and _is_short(view) and view in self._views:
            self._views.remove(view)
            self._expected_until = 0.0
        elif kind in self._REQUESTS:
            self._begin(self._serve, content)

    def _do(self, content: dict[str, Any]) -> None:
        """Handle one of the `_REQUESTS`, on a separate thread. Errors are reported to the page."""
        raise NotImplementedError

    def _serve(self, content: dict[str, Any]) -> None:
        """Do what the page asks, and answer it whatever happens."""
        answer: dict[str, Any] = {"kind": "done"}
        try:
            self._do(content)
        except Exception as error:
            text = (isinstance(error, OSError) and error.strerror) or str(error) or type(error).__name__
            # Lone surrogates, as a hostile page may send, cannot be encoded.
            text = text[:_LONGEST].encode("utf-8", "backslashreplace").decode()
            answer = {"kind": "refused", "message": text}
        request = content.get("request")
        is_plain = isinstance(request, int) or _is_short(request)
        self.send({**answer, "request": request if is_plain else None})

    def _follow(self) -> None:
        """Listen to the page, and look until nothing more will come, the widget is closed, its last view is
        gone, or no page has shown it for a minute; a new view resumes the looking. The thread keeps the
        widget alive."""
        self.on_msg(self._on_message)
        self._look_from_now()

    def _look_from_now(self) -> None:
        with _TELLING:
            self._expected_until = time.monotonic() + _UNSHOWN_S
            if self._is_looking or self._closed.is_set():
                return
            self._is_looking = True
        if not _start_thread(self._look_on, name=type(self).__name__):
            self._look_once()

    def _look_once(self) -> None:
        """Without threads: send the current state to the page, and say that it is not followed."""
        self._goes_on(None)
        try:
            self._look()
        except Exception:  # looking may raise anything
            traceback.print_exc()
        warnings.warn(NO_THREAD, RuntimeWarning, stacklevel=2)
        self._tell_fault(translated(NO_THREAD, self.lang))

    def _begin(self, job: Callable[..., object], *arguments: object) -> None:
        """Run a slow job on a separate thread, in the current context, that of the page's message."""
        if not _start_thread(copy_context().run, job, *arguments):
            job(*arguments)

    def _look_on(self) -> None:
        last_fault = ""
        pause: float | None = 0
        while self._goes_on(pause):
            try:
                pause = self._look() if self._context is None else self._context.run(self._look)
            except Exception as error:  # looking may raise anything: continue
                pause, fault = _AFTER_FAULT_S, f"{type(error).__name__}: {error}"[:_LONGEST]
                if fault != last_fault:
                    traceback.print_exc()
                    self._tell_fault(fault)
                last_fault = fault
            if pause is not None:
                self._again.wait(pause)
                self._again.clear()

    def _goes_on(self, pause: float | None) -> bool:
        with _TELLING:
            is_wanted = bool(self._views) or time.monotonic() < self._expected_until
            self._is_looking = pause is not None and is_wanted and not self._closed.is_set()
            return self._is_looking

    def _on_message(self, _: Any, content: Any, __: Any) -> None:
        # The kernel delivers a page's next message on the event loop that last sent to it. So news are sent
        # in the context of the page's last message: on the loop that it came through, which a running cell
        # does not block.
        self._context = copy_context()
        if isinstance(content, dict):
            self._hear(content)


def _start_thread(job: Callable[..., object], *arguments: object, name: str | None = None) -> bool:
    """Start a thread for the job. False if there are no threads, as in a browser."""
    try:
        threading.Thread(target=job, args=arguments, name=name, daemon=True).start()
    except RuntimeError:
        return False
    return True


def _is_short(text: object) -> TypeGuard[str]:
    return isinstance(text, str) and len(text) <= _LONGEST and text.isprintable()
