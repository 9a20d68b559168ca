"""LossScaleExplorer without a page: its traits, what it answers, and what it refuses."""

import threading
from types import SimpleNamespace

import numpy as np
import pytest
from traitlets import TraitError

from mixwidgets.floats.formats.float_format import FloatFormat
from mixwidgets.floats.gradients.summary import GradientSummary, best_loss_scale
from mixwidgets.floats.widgets.frame import read_frame, unpacked
from mixwidgets.floats.widgets.loss_scale_explorer.widget import LossScaleExplorer
from mixwidgets.floats.widgets.snapshot_feed import SnapshotFeed
from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.store.events import GradientSnapshot, RunFinished, RunStarted, StepRecord
from mixwidgets.runs.store.journal import Journal, create_run
from mixwidgets.runs.store.run import open_run
from tests.gradients.block_oracle import in_blocks
from tests.waiting import until


@pytest.fixture
def gradients():
    rng = np.random.default_rng(3)
    spread = (rng.standard_normal(5000) * np.exp2(rng.uniform(-40, -4, 5000))).astype(np.float32)
    return {"layer.weight": spread.reshape(50, 100), "layer.bias": np.zeros(7, np.float32), "frozen": None}


@pytest.fixture
def explorer(gradients):
    return LossScaleExplorer(gradients)


def frames(data):
    """What snapshot_feed.py's frame holds: (step, loss scale, loss, summaries by name) of each snapshot, and
    dy by layer if there is any."""
    head, arrays = read_frame(data)
    parts = iter(unpacked(arrays))
    found = [
        (*row, *({name: GradientSummary.from_bytes(next(parts)) for name in kind} for kind in kinds if kind))
        for row, *kinds in zip(arrays["snapshots"].tolist(), head["names"], head["outputs"], strict=True)
    ]
    assert next(parts, None) is None
    return found


def test_what_the_page_is_sent(explorer, gradients):
    assert explorer._without_gradient == ["frozen"]
    ((step, _, _, summaries),) = frames(explorer.get_state("_snapshots")["_snapshots"])
    assert step == 0
    assert summaries == {name: GradientSummary.of(g) for name, g in gradients.items() if g is not None}
    assert list(summaries) == ["layer.weight", "layer.bias"]


def test_counts_are_those_of_all_gradients_at_the_slider_s_scale(explorer, gradients):
    everything = GradientSummary.of(np.concatenate([g.ravel() for g in gradients.values() if g is not None]))
    for log2, format in ((0, "float16"), (13, "float16"), (-24, "bfloat16"), (40, "float8_e5m2")):
        explorer.log2_loss_scale, explorer.format = log2, format
        assert explorer.loss_scale == 2.0**log2
        assert explorer.counts() == everything.counts(format, 2.0**log2)
    assert explorer.counts().count == 5007


def test_narrowed_to_a_tensor_it_counts_that_one_alone(explorer, gradients):
    explorer.tensor = "layer.weight"
    alone = GradientSummary.of(gradients["layer.weight"])
    assert explorer.counts() == alone.counts("float16", 1.0)
    assert explorer.best_loss_scale() == best_loss_scale([alone], "float16")
    assert repr(explorer).startswith("LossScaleExplorer(5,000 gradients of 'layer.weight', float16")
    with pytest.raises(TraitError, match=r"got 'layer.wieght'. Did you mean 'layer.weight'\?"):
        explorer.tensor = "layer.wieght"
    assert explorer.tensor == "layer.weight"
    explorer.tensor = None
    assert explorer.counts().count == 5007


def test_the_best_scale(explorer, gradients):
    summaries = [GradientSummary.of(g) for g in gradients.values() if g is not None]
    assert explorer.best_loss_scale() == best_loss_scale(summaries, "float16")
    explorer.format = "bfloat16"
    assert explorer.best_loss_scale() == 1.0


def test_a_model_a_mapping_and_summaries_are_alike():
    torch = pytest.importorskip("torch")
    model = torch.nn.Linear(4, 3)
    model(torch.ones(2, 4)).square().sum().backward()
    of_model = LossScaleExplorer(model)
    of_mapping = LossScaleExplorer({name: p.grad for name, p in model.named_parameters()})
    of_summaries = LossScaleExplorer({n: GradientSummary.of(p.grad) for n, p in model.named_parameters()})
    assert of_model.counts() == of_mapping.counts() == of_summaries.counts()


def test_one_array_or_tensor_is_enough(gradients):
    torch = pytest.importorskip("torch")
    for one in (gradients["layer.weight"], torch.from_numpy(gradients["layer.weight"])):
        explorer = LossScaleExplorer(one)
        assert explorer.counts() == GradientSummary.of(gradients["layer.weight"]).counts("float16", 1.0)


def test_the_counts_are_told_where_no_widget_can_be_drawn():
    explorer = LossScaleExplorer(np.float32([1, 2, 1e-5, 1e-9, 0, 1e6]))
    told = explorer._repr_mimebundle_()[0]["text/plain"]
    assert told == f"{explorer!r}\n1 zero, 1 flushed, 1 subnormal, 2 normal, 1 overflow"


def test_keywords(gradients):
    explorer = LossScaleExplorer(gradients, format="half", log2_loss_scale=15, title="<b>mine</b>")
    assert (explorer.format, explorer.log2_loss_scale, explorer.title) == ("float16", 15, "<b>mine</b>")
    assert repr(explorer) == "LossScaleExplorer(5,007 gradients, float16 × 2^15)"
    assert "(1 gradient," in repr(LossScaleExplorer({"w": np.ones(1, "f4")}))
    with pytest.raises(TypeError, match="Did you mean 'format'"):
        LossScaleExplorer(gradients, formt="float16")


@pytest.mark.parametrize("format", ["fp17", "fp8x", "", None, 16, True, "float64", "__proto__"])
def test_a_wrong_format_is_refused_and_the_last_stays(explorer, gradients, format):
    explorer.format = "bf16"
    with pytest.raises(TraitError):
        explorer.format = format
    assert explorer.format == "bfloat16"
    with pytest.raises(TraitError):
        LossScaleExplorer(gradients, format=format)


def test_the_error_lists_what_is_accepted(explorer):
    for wrong in (16, None, ["float16"]):
        with pytest.raises(TraitError, match="a format is a name such as 'float16' or a dtype, not"):
            explorer.format = wrong
        with pytest.raises(TraitError, match="a format is a name such as 'float16' or a dtype, not"):
            explorer.compare = [wrong]
    explorer.format, explorer.compare = np.float32, [np.float16]
    assert (explorer.format, explorer.compare) == ("float32", ["float16"])
    with pytest.raises(TraitError, match="float16"):
        explorer.format = "float17"
    for uncounted in (FloatFormat("mine", 4, 5), "binary8p3se"):
        with pytest.raises(TraitError, match=r"cuts of the catalogue.*GradientSummary\.of\(tensor, formats="):
            LossScaleExplorer({}, format=uncounted)
    explorer.format = "binary8p4se"  # its cuts are among the catalogue's
    assert explorer.counts().count > 0
    with pytest.raises(TraitError, match=r"float16.*float64 is wider"):
        explorer.format = "float64"


@pytest.mark.parametrize("log2", [-25, 41, 1.5, "x", None, True, float("nan")])
def test_a_wrong_scale_is_refused_and_the_last_stays(explorer, log2):
    explorer.log2_loss_scale = 9
    with pytest.raises(TraitError, match=r"log2_loss_scale takes .* from -24 to 40.*15 means a scale"):
        explorer.log2_loss_scale = log2
    assert explorer.log2_loss_scale == 9


def test_a_whole_number_is_assigned_as_text_too(explorer):
    explorer.log2_loss_scale, explorer.binade = "2^4", "-12"
    assert (explorer.log2_loss_scale, explorer.binade) == (16, -12)


def test_the_formats_to_compare(explorer):
    explorer.compare = ["half", "float8_e5m2", "float16"]
    assert explorer.compare == ["float16", "float8_e5m2"]
    explorer.compare = np.float16
    assert explorer.compare == ["float16"]
    explorer.compare = ["float16", "float8_e5m2"]
    for wrong in (["float64"], ["fp17"], [None], 3, ["bf16", "fp16", "float8_e5m2", "float8_e4m3fn"]):
        with pytest.raises(TraitError):
            explorer.compare = wrong
    assert explorer.compare == ["float16", "float8_e5m2"]


def test_a_bit_editor_follows_the_chosen_binade(explorer, gradients):
    editor = explorer.bit_editor()
    assert (editor.format, editor.code) == ("float16", "0x0000")
    explorer.set_state({"binade": -20})
    values = gradients["layer.weight"].ravel()
    of_binade = values[(abs(values) >= 2.0**-20) & (abs(values) < 2.0**-19)]
    assert editor.value in of_binade.astype(np.float16)
    explorer.log2_loss_scale = 20
    assert editor.value in (of_binade * 2**20).astype(np.float16)
    explorer.format = "bfloat16"
    assert (editor.format, 1 <= abs(editor.value) <= 2) == ("bfloat16", True)
    for wrong in (1.5, "x", 2000, True):
        with pytest.raises(TraitError):
            explorer.binade = wrong
    explorer.binade = None
    assert editor.value == 0


def test_where_no_gradient_was_kept_the_bit_editor_shows_the_binade_s_edge():
    explorer = LossScaleExplorer({"w": np.float32([-1.5, 3e-45])}, log2_loss_scale=20)
    editor = explorer.bit_editor()
    for binade, value in ((0, -1.5 * 2**20), (-149, 2.0**-129), (-3, 2.0**17), (1200, np.inf), (None, 0)):
        explorer.format, explorer.binade = "float32", binade
        assert editor.value == value


def test_what_the_page_sends(explorer):
    seen = []
    explorer.observe(lambda change: seen.append((change.name, change.new)), ["format", "log2_loss_scale"])
    explorer.set_state({"log2_loss_scale": 12})
    explorer.set_state({"format": "float8_e5m2"})
    assert seen == [("log2_loss_scale", 12), ("format", "float8_e5m2")]


@pytest.mark.parametrize(
    ("gradients", "error", "match"),
    [
        (3.0, TypeError, "got float"),
        ([np.ones(3)], TypeError, r"w\.grad"),
        (np.arange(3), TypeError, "int64"),
        ({}, ValueError, "empty"),
        ({"w": None}, ValueError, "backward"),
        ({"w": np.ones(3, dtype=int)}, TypeError, "'w'.*int64"),
    ],
)
def test_what_has_no_gradients(gradients, error, match):
    with pytest.raises(error, match=match):
        LossScaleExplorer(gradients)


def test_gradients_without_a_finite_value():
    explorer = LossScaleExplorer({"a": np.full(3, np.nan), "b": np.zeros(0), "c": np.full(2, np.inf)})
    assert (explorer.counts().nan, explorer.counts().inf, explorer.best_loss_scale()) == (3, 2, 1.0)


def summary(step):
    """Gradients that differ from step to step."""
    return {"w": GradientSummary.of(np.exp2(-np.arange(20.0) - step % 17).astype(np.float32))}


def seen_step(step, **more):
    return SimpleNamespace(step=step, loss_scale=2.0**step, summaries=summary(step), **more)


@pytest.fixture
def sent(monkeypatch):
    """The snapshots that go to the page as messages, each message a list of frames, with the kept steps."""
    messages = []

    def send(self, content, buffers=None):
        messages.append((content, frames(b"".join(buffers))))

    monkeypatch.setattr(LossScaleExplorer, "send", send)
    return messages


@pytest.fixture
def live():
    """A watcher and the explorer of it."""
    watcher = SimpleNamespace(history=[seen_step(1), seen_step(11)])
    explorer = LossScaleExplorer(watcher)
    yield watcher, explorer
    explorer.close()


def test_a_watched_loop_is_followed(sent, live):
    watcher, explorer = live
    assert (explorer.steps, explorer._seen, explorer._newest) == ([1, 11], 2, 11)
    assert explorer.counts() == summary(11)["w"].counts("float16")
    watcher.history = [*watcher.history, seen_step(21, loss=0.5)]
    until(lambda: sent)
    ((content, found),) = sent  # each snapshot travels once
    assert content == {"kind": "snapshots", "steps": [1, 11, 21]}
    assert found == [(21, 2.0**21, 0.5, summary(21))]
    assert (explorer._seen, explorer._newest) == (3, 21)
    assert read_frame(explorer._loss)[1]["loss"].tolist() == [[21, 0.5]]
    assert explorer.counts() == summary(21)["w"].counts("float16")
    assert [step for step, *_ in frames(explorer.get_state("_snapshots")["_snapshots"])] == [1, 11, 21]


def test_of_many_steps_at_once_the_newest_is_taken_and_all_are_told(sent, live):
    watcher, explorer = live
    watcher.history = [*watcher.history, *map(seen_step, (21, 31, 41))]
    until(lambda: sent)
    assert (explorer.steps, explorer._seen) == ([1, 11, 41], 5)


def followers():
    return [thread for thread in threading.enumerate() if thread.name == "LossScaleExplorer"]


def test_the_thread_ends_with_the_widget(live):
    _, explorer = live
    (thread,) = until(lambda: len(found := followers()) == 1 and found)
    explorer.close()
    thread.join(60)
    assert not thread.is_alive()


def test_a_view_that_opens_late_is_answered(sent, live):
    _, explorer = live
    data = {"method": "custom", "content": {"kind": "snapshots", "after": 1}}
    explorer._handle_msg({"content": {"data": data}, "buffers": []})
    ((content, found),) = sent
    assert (content["steps"], [step for step, *_ in found]) == ([1, 11], [11])
    for content in (None, [], {"after": "1"}, {}):
        explorer._handle_msg({"content": {"data": {"method": "custom", "content": content}}, "buffers": []})
    assert len(sent) == 1


def test_a_loop_is_followed_for_as_long_as_a_page_shows_it(request, monkeypatch):
    monkeypatch.setattr("mixwidgets.floats.widgets.following_widget._UNSHOWN_S", 0.0)
    watcher, explorer = request.getfixturevalue("live")

    def say(kind):
        data = {"method": "custom", "content": {"kind": kind, "view": "a"}}
        explorer._handle_msg({"content": {"data": data}, "buffers": []})

    until(lambda: not followers())
    say("hello")
    for step in (21, 31):
        watcher.history = [*watcher.history, seen_step(step)]
        until(lambda step=step: step in explorer.steps)
    say("bye")
    until(lambda: not followers())


def test_before_the_first_snapshot():
    explorer = LossScaleExplorer(SimpleNamespace(history=[]))
    assert (explorer.steps, explorer.counts().count, explorer.best_loss_scale()) == ([], 0, 1.0)
    assert repr(explorer) == "LossScaleExplorer(0 gradients, float16 × 2^0)"
    explorer.close()


def test_the_step_chooses_the_snapshot(live):
    _, explorer = live
    for step, shown in ((1, 1), (5, 1), (7, 11), (999, 11), (0, 11)):
        explorer.step = step
        assert explorer.counts() == summary(shown)["w"].counts("float16")
    explorer.step = "1"
    assert "of step 1," in repr(explorer)
    assert explorer.state == "format=float16&log2_loss_scale=0&step=1"
    for wrong in (-1, True, "x", None, 1.5, 2**40):
        with pytest.raises(TraitError, match="step"):
            explorer.step = wrong
    assert explorer.step == 1


def test_the_bit_editor_goes_with_the_snapshot():
    history = [SimpleNamespace(step=1, loss_scale=1.0, summaries={"w": GradientSummary.of([1.125])})]
    explorer = LossScaleExplorer(SimpleNamespace(history=history))
    editor = explorer.bit_editor()
    explorer.binade = 0
    assert editor.value == 1.125
    history.append(SimpleNamespace(step=2, loss_scale=1.0, summaries={"w": GradientSummary.of([-1.375])}))
    until(lambda: editor.value == -1.375)
    explorer.step = 1
    assert editor.value == 1.125
    explorer.close()


def journalled(tmp_path):
    """A run of 30 steps with a snapshot at every tenth, as its process would have begun to write it."""
    path = create_run(Experiment(task="digits_cnn", recipe="fp16_dynamic", steps=30), tmp_path)
    journal = Journal(path)
    journal.append(RunStarted(device="cpu", backend="some backend", versions={}))
    for step in range(1, 31):
        ok = {"found_inf": False, "skipped": False, "grad_norm": 1.0, "seconds": 0.1}
        journal.append(StepRecord(step=step, loss=1 / step, loss_scale=2.0**step, **ok))
        if step % 10 == 0:
            journal.append(GradientSnapshot(step=step, summaries=summary(step)))
    return path, journal


def test_a_run_that_is_over(tmp_path):
    path, journal = journalled(tmp_path)
    with journal:
        journal.append(RunFinished(reason="completed", metrics={}))
    before = set(followers())
    explorer = LossScaleExplorer(open_run(path))
    until(lambda: before.issuperset(followers()))  # there is nothing to follow
    found = frames(explorer.get_state("_snapshots")["_snapshots"])
    assert found == [(step, 2.0**step, 1 / step, summary(step)) for step in (10, 20, 30)]
    points = read_frame(explorer._loss)[1]["loss"]
    assert points.tolist() == [[step, np.float32(1 / step)] for step in range(1, 31)]


def test_the_summaries_of_a_run_pass_through_unread(tmp_path, monkeypatch):
    path, journal = journalled(tmp_path)
    with journal:
        journal.append(RunFinished(reason="completed", metrics={}))
    monkeypatch.setattr(GradientSummary, "from_bytes", lambda data: 1 / 0)
    explorer = LossScaleExplorer(open_run(path))
    monkeypatch.undo()
    found = frames(explorer.get_state("_snapshots")["_snapshots"])
    # To the byte: with the samples, which equality leaves out.
    stored = [summaries["w"].to_bytes() for *_, summaries in found]
    assert stored == [summary(step)["w"].to_bytes() for step in (10, 20, 30)]
    assert open_run(path).gradients()["w"].to_bytes() == stored[-1]
    assert explorer.counts() == summary(30)["w"].counts("float16")


def test_a_stored_summary_that_is_none_is_told_where_it_is_asked_for(tmp_path, monkeypatch):
    path = create_run(Experiment(task="digits_cnn", steps=30), tmp_path)
    with Journal(path) as journal:
        journal.append(RunStarted(device="cpu", backend="some backend", versions={}))
        journal.append(GradientSnapshot(step=1, summaries=summary(1)))
        monkeypatch.setattr(GradientSummary, "to_bytes", lambda self: b"nonsense")
        journal.append(GradientSnapshot(step=2, summaries=summary(2)))
        monkeypatch.undo()
        journal.append(RunFinished(reason="completed", metrics={}))
    explorer = LossScaleExplorer(open_run(path))
    assert explorer.steps == [1, 2]
    with pytest.raises(ValueError, match="not a gradient summary"):
        explorer.counts()
    explorer.step = 1
    assert explorer.counts() == summary(1)["w"].counts("float16")
    assert [event.step for event in open_run(path).events() if event.kind == "gradients"] == [1]


def test_a_run_that_goes_on(tmp_path, sent, monkeypatch):
    path, journal = journalled(tmp_path)
    run = open_run(path)
    explorer = LossScaleExplorer(run)
    with journal:
        until(lambda: explorer.steps == [10, 20, 30])
        journal.append(GradientSnapshot(step=31, summaries=summary(31)))
        until(lambda: explorer.steps == [10, 20, 30, 31])
        journal.append(RunFinished(reason="completed", metrics={}))
    until(lambda: not followers())
    explorer.close()


class TestThinning:
    def test_the_first_and_the_newest_stay_and_older_ones_go_first(self):
        feed = SnapshotFeed(most_snapshots=32)
        for step in range(1, 301):
            feed.add(step, summary(step))
        steps = feed.steps
        gaps = np.diff(steps)
        assert (steps[0], steps[-1], feed.seen) == (1, 300, 300)
        assert 16 <= len(steps) <= 32
        assert gaps[: len(gaps) // 2].sum() > 2 * gaps[len(gaps) // 2 :].sum()

    def test_the_bytes_are_bounded(self):
        one = SnapshotFeed()
        one.add(1, summary(1))
        limit = 10 * len(one.to_frame())
        feed = SnapshotFeed(most_bytes=limit)
        for step in range(1, 101):
            feed.add(step, summary(step))
            assert len(feed.to_frame()) <= limit
        assert (feed.steps[0], feed.steps[-1]) == (1, 100)

    def test_two_snapshots_are_kept_whatever_their_size(self):
        feed = SnapshotFeed(most_bytes=1)
        for step in (1, 2, 3):
            feed.add(step, summary(step))
        assert feed.steps == [1, 3]
        assert feed.nearest(3)[1] == summary(3)


def test_a_page_cannot_replace_the_snapshots(explorer):
    before = explorer.steps
    with pytest.raises(TraitError):
        explorer.set_state({"_snapshots": b"x"})
    assert explorer.steps == before
    assert explorer.get_state("_snapshots")["_snapshots"]


def test_block_formats_of_tensors_at_hand(gradients):
    explorer = LossScaleExplorer(gradients, block_formats=["mxfp4", "nvfp4"])
    table = explorer.blocks()
    assert [*zip(table.tensor, table.format, strict=True)] == [
        (name, fmt) for name in ("layer.weight", "layer.bias") for fmt in ("mxfp4", "nvfp4")
    ]
    assert table.blocks_along[0] == "axis 1"
    for row, fmt in zip(table.itertuples(), ("mxfp4", "nvfp4"), strict=False):
        expected = in_blocks(gradients["layer.weight"], fmt)
        assert {name: getattr(row, name) for name in expected} == pytest.approx(expected, rel=1e-5)
    explorer.tensor = "layer.bias"
    assert {*explorer.blocks().tensor} == {"layer.bias"}
    across = LossScaleExplorer(gradients["layer.weight"], block_formats="mxfp4", block_axis=0)
    assert across.blocks().blocks_along.item() == "axis 0"


def test_a_summary_does_not_know_what_block_formats_lose(explorer, gradients):
    summary = GradientSummary.of(gradients["layer.weight"])
    for unknown in (explorer, LossScaleExplorer({"w": summary}, block_formats="nvfp4")):
        with pytest.raises(LookupError, match=r"not known from a summary.*block_formats='nvfp4'"):
            unknown.blocks()
    watched = SimpleNamespace(history=())
    with pytest.raises(
        ValueError, match=r"were recorded: choose them with watch\(…, block_formats='nvfp4'\)"
    ):
        LossScaleExplorer(watched, block_formats="nvfp4")
    with pytest.raises(TraitError, match=r"pass block_formats='nvfp4', and see \.blocks\(\)"):
        LossScaleExplorer(gradients, format="nvfp4")


LAYERS = {
    "layer": GradientSummary.of(np.full(3, 2.0**-12, "f4")),
    "head": GradientSummary.of(np.ones(2, "f4")),
}


def test_dy_is_shown_instead_of_the_weights_gradients_where_it_was_recorded(tmp_path):
    path, journal = journalled(tmp_path)
    with journal:
        journal.append(GradientSnapshot(step=31, summaries=summary(31), output_gradients=LAYERS))
        journal.append(RunFinished(reason="completed", metrics={}))
    explorer = LossScaleExplorer(open_run(path), format="float8_e4m3fn")
    *_, (*_, weights, dy) = frames(explorer.get_state("_snapshots")["_snapshots"])
    assert (weights, dy) == (summary(31), LAYERS)
    explorer.tensor = "w"
    explorer.kind = "outputs"
    assert explorer.tensor is None  # no layer has this name
    assert (explorer.counts().flushed, explorer.counts().normal) == (3, 2)
    assert repr(explorer).startswith("LossScaleExplorer(dy, 5 gradients of step 31, float8_e4m3fn × 2^0)")
    explorer.tensor = "head"
    assert explorer.counts().count == 2
    explorer.kind = "weights"
    assert explorer.tensor is None
    assert explorer.counts() == summary(31)["w"].counts("float8_e4m3fn")
    for kind, why in (("outputs", "record_dy=True"), ("dy", "'weights', 'outputs'")):
        explorer.step = 10
        with pytest.raises(TraitError, match=why):
            explorer.kind = kind
        assert explorer.kind == "weights"


def test_dy_of_a_snapshot_that_a_loop_gave(gradients):
    snapshot = GradientSnapshot(step=7, summaries=summary(7), output_gradients=LAYERS)
    explorer = LossScaleExplorer(snapshot, kind="outputs", tensor="head")
    assert explorer.counts().count == 2
    with pytest.raises(TraitError, match="record_dy=True"):
        LossScaleExplorer(gradients, kind="outputs")
