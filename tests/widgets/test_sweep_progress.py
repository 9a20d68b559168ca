"""SweepProgress, the kernel's side: what it tells of a sweep, and what the page may ask."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from IPython.core.formatters import DisplayFormatter

import mixwidgets as mw
from mixwidgets.floats.widgets.frame import read_frame
from mixwidgets.runs.experiments.grid import grid_of
from mixwidgets.runs.widgets.sweep_progress.widget import SweepProgress
from tests.waiting import until
from tests.widgets.swept import Over, Swept, swept_halfway

EXPERIMENT = mw.Experiment(task="digits_cnn", steps=3)


@pytest.fixture
def show():
    widgets = []

    def show_one(sweep):
        widgets.append(SweepProgress(sweep))
        return widgets[-1]

    yield show_one
    for widget in widgets:
        widget.close()


def sent(widget):
    """The messages to the page that leave from now on."""
    messages = []
    widget.send = messages.append
    return messages


def said(widget, content):
    widget._handle_msg({"content": {"data": {"method": "custom", "content": content}}, "buffers": []})


def threads():
    return [thread for thread in threading.enumerate() if thread.name == "SweepProgress"]


def test_it_is_whole_at_once_and_follows(show):
    sweep = Swept(mw.grid(EXPERIMENT, seed=range(3)), running=1, waiting=2)
    widget = show(sweep)
    assert widget._counts == sweep.counts
    assert repr(widget) == "SweepProgress(1 running, 2 waiting)"
    sweep.counts = {**sweep.counts, "done": 1, "waiting": 1}
    until(lambda: widget._counts["done"] == 1)
    assert not widget._is_over
    sweep.is_over = True
    until(lambda: widget._is_over)
    until(lambda: not threads())


def test_the_grid_has_a_row_for_each_setting_and_fills(show):
    sweep = swept_halfway()
    widget = show(sweep)
    assert widget._grid == {
        "seeds": [0, 1, 2, 3],
        "rows": [
            {"name": "recipe fp32", "cells": [0, 1, 2, 3]},
            {"name": "recipe fp16_dynamic", "cells": [4, 5, 6, 7]},
        ],
    }
    assert widget._words[:3] == ["done", "failed", "done"]
    assert widget._runs["4"] == {
        "path": "runs/7",
        "status": "completed",
        "metrics": {"accuracy": 0.91, "loss": 0.3},
    }
    light = replace(sweep.experiments[3], task_options={"loss_weight": 1e-5})
    sweep.runs[3] = Over(light, "runs/3", {"accuracy": float("nan"), "loss": 2e-5})
    until(lambda: "3" in widget._runs)
    assert widget._runs["3"]["metrics"] == {"loss": pytest.approx(2)}  # the loss weight is divided out
    one_of_each = grid_of([EXPERIMENT, replace(EXPERIMENT, seed=4, recipe="bf16")])
    assert [row["cells"] for row in one_of_each["rows"]] == [[0, None], [None, 1]]
    seeds_alone = grid_of(mw.grid(EXPERIMENT, seed=range(2)))
    assert seeds_alone["rows"] == [{"name": "digits_cnn, fp32, 3 steps", "cells": [0, 1]}]


def bands(widget):
    return [band.tolist() for band in read_frame(widget._bands)[1].values()]


def test_the_bands_are_those_of_the_runs_that_are_over(show):
    first, second, other = cells = [*mw.grid(EXPERIMENT, seed=range(2)), replace(EXPERIMENT, recipe="bf16")]
    sweep = Swept(cells, running=3)
    widget = show(sweep)
    assert bands(widget) == []
    sweep.runs[0] = Over(first, "runs/0", {}, [2, 1, 0.5])
    until(lambda: bands(widget))
    assert bands(widget)[0] == [[1, 2, 2, 2], [2, 1, 1, 1], [3, 0.5, 0.5, 0.5]]
    sweep.runs[1] = Over(second, "runs/1", {}, [4, 2, 0.75])
    until(lambda: bands(widget)[0][0] == [1, 3, 2, 4])
    assert bands(widget)[1] == []
    sweep.runs[2] = Over(other, "runs/2", {}, [1])
    until(lambda: bands(widget)[1])
    assert bands(widget)[1] == [[1, 1, 1, 1]]


def shows_a_widget(shown):
    """Whether a notebook shows it, as a cell's last line, as a widget."""
    data, _ = DisplayFormatter().format(shown)
    return "application/vnd.jupyter.widget-view+json" in data


def test_a_sweep_shows_itself_and_its_cells_fill(tmp_path):
    with ThreadPoolExecutor(1) as thread:
        sweep = mw.sweep(mw.grid(EXPERIMENT, seed=range(2)), thread, tmp_path)
        assert shows_a_widget(sweep)
        runs = sweep.wait(progress=False)
    assert runs == sweep.runs
    assert shows_a_widget(runs)  # at its end
    assert [(word, run.experiment.seed) for word, run in sweep.cell_states] == [("done", 0), ("done", 1)]
    until(lambda: not threads())


def test_failed_cells_are_named_by_what_tells_them_from_the_others(show):
    cells = mw.grid(
        EXPERIMENT, recipe=["fp32", "bf16"], clip_norm=[None, 0.5], task_options=[{"loss_weight": 1e-5}, {}]
    )
    sweep = Swept(cells, {cells[2]: "out of memory", cells[-1]: "<b>" * 1000}, failed=2)
    first, last = show(sweep)._failures
    assert first == {
        "place": 2,
        "name": "recipe fp32, task_options loss_weight=1e-05, clip_norm 0.5",
        "why": "out of memory",
    }
    assert last["name"] == "recipe bf16, task_options default, clip_norm 0.5"
    assert len(last["why"]) == 1000
    alone = Swept([EXPERIMENT], {EXPERIMENT: "its worker died"}, failed=1)
    assert show(alone)._failures == [{"place": 0, "name": EXPERIMENT.title, "why": "its worker died"}]


def test_the_page_can_stop_it_and_hears_of_it(show):
    sweep = Swept(mw.grid(EXPERIMENT, seed=range(3)), waiting=3)
    widget = show(sweep)
    messages = sent(widget)
    said(widget, {"kind": "hello"})
    assert messages == [{"kind": "hello"}]
    said(widget, {"kind": "stop", "request": "r1"})
    assert until(lambda: messages[1:]) == [{"kind": "done", "request": "r1"}]
    until(lambda: widget._counts["stopped"] == 3)
    for content in (None, [], {}, {"kind": "launch"}, {"kind": ["stop"]}):
        said(widget, content)
    assert sweep.stops == 1


def test_what_stop_raises_is_told(show):
    sweep = Swept([EXPERIMENT], running=1)

    def stop():
        raise TimeoutError("what runs ends with the step that it is at")

    sweep.stop = stop
    widget = show(sweep)
    messages = sent(widget)
    said(widget, {"kind": "stop", "request": 3})
    (answer,) = until(lambda: messages)
    assert answer == {
        "kind": "refused",
        "message": "what runs ends with the step that it is at",
        "request": 3,
    }


def test_closing_ends_the_thread_and_leaves_the_sweep_alone(show):
    sweep = Swept([EXPERIMENT], running=1)
    widget = show(sweep)
    assert threads()
    widget.close()
    until(lambda: not threads())
    assert (sweep.stops, sweep.is_over) == (0, False)


@pytest.mark.parametrize("given", [None, [EXPERIMENT], "runs"])
def test_what_is_no_sweep_teaches(given):
    with pytest.raises(TypeError, match=r"SweepProgress\(sweep\(grid"):
        SweepProgress(given)


def test_a_real_sweep(show, tmp_path):
    widget = show(mw.sweep([], runs_dir=tmp_path))
    assert (widget._is_over, set(widget._counts.values()), widget._failures) == (True, {0}, [])
    assert repr(widget) == "SweepProgress()"
