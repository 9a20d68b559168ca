"""The table of a run's figures: what is shown has words, and old records have what they had."""

import pytest

from mixwidgets.runs.experiments.experiment import Experiment
from mixwidgets.runs.store.events import Evaluation, Memory, RunFinished, StepRecord, Work
from mixwidgets.runs.store.figures import (
    FIGURES,
    NEWEST,
    RunState,
    from_stored,
    results,
    row_of,
    state_of,
    stored_figures,
    unit_of,
)
from mixwidgets.support.languages.texts import LANGUAGES, texts

RUN = Experiment(task="digits_cnn", recipe="fp16_dynamic", task_options={"loss_weight": 0.5})
STEP = {"loss_scale": 8.0, "found_inf": False, "skipped": False, "grad_norm": 1.0, "seconds": 0.5}


def recorded():
    return state_of(
        [
            StepRecord(step=1, loss=2.0, **STEP),
            Memory(step=1, predicted={"weights": 8, "gradients": 4}, measured={}),
            Work(step=1, flops=60),
            Evaluation(step=1, metrics={"loss": 1.0, "accuracy": 0.5}),
        ]
    )


@pytest.mark.parametrize("lang", LANGUAGES)
def test_each_figure_has_its_words_where_the_page_shows_it(lang):
    words = texts(lang, "page")
    compared = results(recorded(), RUN) | {
        figure.name: None
        for figure in FIGURES
        if figure.comparison and figure.name not in ("metrics", "memory")
    }
    for name in compared:
        assert f"lab.field_{name.replace('.', '_')}" in words, name
    for figure in NEWEST:
        assert "{value}" in words[f"lab.newest_{figure['name']}"], figure


def test_the_line_about_the_newest_step_takes_its_figures_from_the_row():
    assert {figure["name"] for figure in NEWEST} <= row_of(RunState(), RUN).keys()


def test_a_row_and_a_comparison_say_the_same_run_in_their_own_ways():
    row, compared = row_of(recorded(), RUN), results(recorded(), RUN)
    assert (row["loss"], compared["loss"]) == (4.0, 2.0)  # a row is without the loss weight
    assert (row["memory"], compared["memory.predicted"]) == ({"weights": 8, "gradients": 4}, 12)
    assert (unit_of("memory.predicted"), unit_of("metrics.accuracy"), unit_of("loss")) == ("B", "", "loss")
    assert results(recorded(), RUN, brief=True) == {
        "steps_done": 1, "skipped": 0, "metrics.loss": 1.0, "metrics.accuracy": 0.5,
    }  # fmt: skip


def test_what_is_stored_is_read_back_and_an_older_record_lacks_only_what_it_did_not_know():
    end = RunFinished(reason="completed", metrics={"loss": 1.0})
    record = stored_figures(recorded())
    whole = from_stored(record, end)
    assert (whole.steps, whole.loss, whole.work, whole.median_seconds) == (
        1,
        2.0,
        Work(step=1, flops=60),
        0.5,
    )
    older = from_stored({name: record[name] for name in ("steps", "loss")}, end)
    assert (older.steps, older.loss, older.work, older.median_seconds) == (1, 2.0, None, None)
    with pytest.raises(ValueError, match="is no count"):
        from_stored({**record, "skipped": "many"}, end)
