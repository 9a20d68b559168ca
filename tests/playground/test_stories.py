"""The committed table is of the playground's stories that ship, and every one of them was seen."""

import json

from benchmarks import playground_stories
from mixwidgets.teaching.widgets.playground.settings import STORIES
from tests.playground.engine import Engine

RESULTS = playground_stories.RESULTS


def test_the_table_is_of_the_stories_that_ship_and_all_seeds_show_them():
    results = json.loads((RESULTS / "playground_stories.json").read_text(encoding="utf-8"))
    assert {name: row["learns"] for name, row in results["stories"].items()} == {
        name: playground_stories.LEARNED[name] for name in STORIES
    }
    for row in results["stories"].values():
        assert row["shown"]
        assert len(row["chosen"]) == len(row["contrast"]) == len(playground_stories.SEEDS) == 5
        assert playground_stories.shows(row["chosen"], row["learns"])
        assert playground_stories.shows(row["contrast"], not row["learns"])
    assert list(results["tried"]) == list(playground_stories.TRIED)
    text = (RESULTS / "playground_stories.md").read_text(encoding="utf-8")
    assert text == playground_stories.markdown(results)


def test_a_story_trains_again_as_the_table_says():
    results = json.loads((RESULTS / "playground_stories.json").read_text(encoding="utf-8"))
    with Engine() as engine:
        one, other = playground_stories.story_progress(engine, "fp8_gradients")
    assert one == results["stories"]["fp8_gradients"]["chosen"]
    assert other == results["stories"]["fp8_gradients"]["contrast"]
