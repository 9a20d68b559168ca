"""What widgets that follow something share: the thread, its context, and changes from several threads."""

import threading
from contextvars import ContextVar

import pytest
import traitlets

import mixwidgets as mw
from mixwidgets.floats.widgets.following_widget import FollowingWidget
from tests.waiting import LIMIT_S, until

of_the_message = ContextVar("of_the_message", default=None)


class Counter(FollowingWidget):
    """Counts its looks, up to `most`."""

    _page = "bit_editor"
    seen = traitlets.Int(0).tag(sync=True)
    other = traitlets.Int(0).tag(sync=True)

    def __init__(self, most=3):
        super().__init__()
        self.most, self.contexts, self.heard = most, [], []

    def _look(self):
        self.contexts.append(of_the_message.get())
        self._tell(seen=self.seen + 1)
        return None if self.seen == self.most else LIMIT_S if self._closed.is_set() else 0.001

    def _hear(self, content):
        self.heard.append(content)


@pytest.fixture
def counter():
    widget = Counter()
    yield widget
    widget.close()


def said(widget, content):
    widget._handle_msg({"content": {"data": {"method": "custom", "content": content}}, "buffers": []})


def sent(widget):
    """The states that leave from now on."""
    states = []

    def publish(kind, data=None, **_):
        if kind == "comm_msg":
            states.append(data["state"])

    widget.comm.publish_msg = publish
    return states


def threads(name="Counter"):
    return [thread for thread in threading.enumerate() if thread.name == name]


def test_it_looks_until_nothing_more_will_come(counter):
    counter._follow()
    until(lambda: not threads())
    assert counter.seen == 3


def test_it_looks_until_it_is_closed_and_then_tells_nothing(counter):
    counter.most = -1
    counter._follow()
    until(lambda: counter.seen > 3)
    counter.close()
    until(lambda: not threads())
    seen = counter.seen
    counter._tell(seen=-1)
    assert counter.seen == seen


def test_a_look_that_fails_is_told_once_and_followed_by_another(counter, monkeypatch, capsys):
    monkeypatch.setattr("mixwidgets.floats.widgets.following_widget._AFTER_FAULT_S", 0.001)
    told, looks, look = [], [], counter._look

    def failing():
        looks.append(1)
        if len(looks) < 4:
            raise RuntimeError("no such luck")
        return look()

    counter._look, counter._tell_fault = failing, told.append
    counter._follow()
    until(lambda: not threads())
    assert (counter.seen, told) == (3, ["RuntimeError: no such luck"])
    assert capsys.readouterr().err.count("RuntimeError: no such luck") == 1


class Listener(Counter):
    """Hears as every widget does."""

    _hear = FollowingWidget._hear


def test_it_looks_while_a_page_shows_it_and_again_when_one_does_anew():
    widget = Listener(most=-1)
    try:
        widget._follow()
        until(lambda: widget.seen > 1)  # the page's first word may be long in coming
        for view in ("a", "b", "a"):
            said(widget, {"kind": "hello", "view": view})
        for message in ({"view": "a"}, {"view": "unknown"}, {"view": ["b"]}, {}, {"view": None}):
            said(widget, {"kind": "bye", **message})
        seen = widget.seen
        until(lambda: widget.seen > seen + 1)  # "b" shows it still
        said(widget, {"kind": "bye", "view": "b"})
        until(lambda: not threads("Listener"))
        seen = widget.seen
        said(widget, {"kind": "hello", "view": "c"})
        until(lambda: widget.seen > seen + 1)
        assert len(threads("Listener")) == 1
    finally:
        widget.close()
    until(lambda: not threads("Listener"))
    said(widget, {"kind": "hello", "view": "d"})
    assert not threads("Listener")


def test_what_no_page_shows_is_not_followed_for_long(monkeypatch):
    monkeypatch.setattr("mixwidgets.floats.widgets.following_widget._UNSHOWN_S", 0.01)
    widget = Listener(most=-1)
    try:
        widget._follow()
        until(lambda: not threads("Listener"))
        seen = widget.seen
        said(widget, {"kind": "hello", "view": "a"})
        until(lambda: widget.seen > seen + 20)  # 0.02 s at least
    finally:
        widget.close()


def test_it_looks_in_the_context_of_the_newest_message(counter):
    counter.most = -1
    counter._follow()
    until(lambda: counter.contexts)
    assert set(counter.contexts) == {None}
    for number in range(2):
        token = of_the_message.set(number)
        said(counter, {"n": number})
        of_the_message.reset(token)
        until(lambda number=number: counter.contexts[-1] == number)
    assert counter.heard == [{"n": 0}, {"n": 1}]


def test_a_message_that_is_no_object_is_not_heard(counter):
    counter._follow()
    for content in (None, 5, "x", [], True):
        said(counter, content)
    assert counter.heard == []


def test_a_change_that_another_thread_makes_meanwhile_is_sent(counter):
    states = sent(counter)
    publish = counter.comm.publish_msg
    rival = threading.Thread(target=lambda: setattr(counter, "other", 1))

    def while_sending(kind, **message):
        publish(kind, **message)
        if not rival.ident:
            rival.start()
            rival.join(0.2)  # it comes in here only where the widget lets it

    counter.comm.publish_msg = while_sending
    with counter.hold_sync():
        counter.seen = 1
    rival.join()
    assert states == [{"seen": 1}, {"other": 1}]


def test_linked_widgets_that_change_at_the_same_time_do_not_wait_for_each_other(counter):
    other = Counter()
    traitlets.link((counter, "other"), (other, "other"))
    first_is_in, second_is_in = threading.Event(), threading.Event()

    def first():
        with counter.hold_sync():
            first_is_in.set()
            second_is_in.wait(0.2)  # it comes only where the widgets let it
            counter.other = 1

    def second():
        first_is_in.wait()
        with other.hold_sync():
            second_is_in.set()
            other.other = 2

    threads = [threading.Thread(target=job, daemon=True) for job in (first, second)]
    for thread in threads:
        thread.start()
    until(lambda: not any(thread.is_alive() for thread in threads))
    assert counter.other == other.other
    other.close()


def test_a_widget_whose_making_failed_can_be_closed():
    class Failing(Counter):
        def __init__(self):
            raise LookupError

    widget = Failing.__new__(Failing)
    with pytest.raises(LookupError):
        widget.__init__()
    widget.close()


@pytest.fixture
def no_threads(monkeypatch):
    """As in a browser's Python."""

    def refuse(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)


def test_without_threads_it_looks_once_and_says_so(no_threads):
    told = []
    widget = Counter(most=LIMIT_S)
    widget._tell_fault = told.append
    with pytest.warns(RuntimeWarning, match="can start no thread"):
        widget._follow()
    assert widget.seen == 1
    assert "is not followed" in told[0]
    widget.close()


def test_without_threads_the_page_is_answered_all_the_same(no_threads, monkeypatch, tmp_path):
    for module in ("support.installed", "runs.store.system"):
        monkeypatch.setattr(f"mixwidgets.{module}.IN_BROWSER", True)
    with pytest.warns(RuntimeWarning, match="can start no thread"):
        lab = mw.TrainingLab(tmp_path / "runs", lang="zh")
    assert lab._notice.startswith("这里的 Python 无法启动线程")
    answers = []
    lab.send = lambda content, buffers=None: answers.append(content)
    with pytest.warns(RuntimeWarning, match="can start no thread"):
        lab._hear({"kind": "hello", "view": "one"})
    lab._hear({"kind": "launch", "request": 1, "experiment": {"task": "digits_cnn"}})
    message = "Training needs torch; it is not in this browser: use mixwidgets on a machine of your own."
    assert answers == [{"kind": "hello"}, {"kind": "refused", "message": message, "request": 1}]
    with pytest.raises(OSError, match="launch starts processes, and a browser has none"):
        mw.launch(mw.Experiment(task="digits_cnn", recipe="fp32"))
    lab.close()
