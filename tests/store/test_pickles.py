"""What a run gives leaves its process: it pickles, copies, becomes plain values, and does not change."""

import copy
import json
import pickle
from collections.abc import Mapping
from dataclasses import asdict, fields

import pytest

import mixwidgets as mw
from mixwidgets.support.frozen import FrozenDict

EXPERIMENT = mw.Experiment(
    task="digits_mlp", recipe="fp16_dynamic", steps=2, device="cpu", task_options={"width": 8}, record_dy=True
)


@pytest.fixture(scope="module")
def events():
    return list(mw.train(EXPERIMENT))


def _plain(event):
    return {field.name: getattr(event, field.name) for field in fields(event)}


WAYS = {"pickle": lambda one: pickle.loads(pickle.dumps(one)), "copy": copy.copy, "deepcopy": copy.deepcopy}


@pytest.mark.parametrize("way", WAYS)
def test_every_event_travels(events, way):
    assert len({type(event) for event in events}) == 7
    for event in events:
        came = WAYS[way](event)
        assert type(came) is type(event)
        assert repr(_plain(came)) == repr(_plain(event))


def test_the_events_of_a_stored_run_travel(tmp_path):
    run = mw.launch(EXPERIMENT, tmp_path)
    assert run.wait(progress=False) == "completed"
    assert repr(pickle.loads(pickle.dumps(run.events()))) == repr(run.events())


def test_what_came_does_not_change(events):
    for event in pickle.loads(pickle.dumps(events)):
        for value in _plain(event).values():
            if isinstance(value, Mapping):
                with pytest.raises(TypeError):
                    value["new"] = 1


@pytest.mark.parametrize(
    "change",
    [
        lambda values: values.update(b=2),
        lambda values: values.pop("a"),
        lambda values: values.clear(),
        lambda values: values.setdefault("b", 2),
        lambda values: values.popitem(),
        lambda values: values.__delitem__("a"),
        lambda values: values.__ior__({"b": 2}),
    ],
)
def test_a_frozen_dict_refuses_every_change(change):
    values = FrozenDict({"a": 1})
    with pytest.raises(TypeError, match=r"dict\(…\) makes a copy"):
        change(values)
    assert values == {"a": 1}


def test_an_event_and_an_experiment_become_plain_values(events):
    for event in events:
        assert set(asdict(event)) == set(_plain(event))
    plain = json.loads(json.dumps(asdict(EXPERIMENT)))
    assert plain["task_options"] == {"width": 8}
    assert plain["recipe"]["loss_scale"] == asdict(EXPERIMENT.recipe.loss_scale)
    assert (plain["task"], plain["steps"]) == ("digits_mlp", 2)
