"""The scenarios that the manual shows are played, and keep what they promise."""

import pytest

from engine.formats.scenario_overrides import parse
from engine.formats.scenario_toml import loads
from engine.run import play
from engine.training.drill import drill_of
from engine.training.drill_check import check_drill
from tests.manual.shown import PAGES, Block, blocks

WHOLE = [block for page in PAGES for block in blocks(page, "toml") if "[cluster]" in block.text]
SCENARIOS = [block for block in WHOLE if "[drill]" not in block.text]
DRILLS = [block for block in WHOLE if "[drill]" in block.text]


@pytest.mark.parametrize("block", SCENARIOS, ids=lambda block: block.place)
def test_a_scenario_that_is_shown_does_what_is_said_of_it(block: Block) -> None:
    outcome = play(loads(block.text))

    assert outcome.results
    assert [f"{one.expectation.about}: {one.sentence}" for one in outcome.failed] == []


@pytest.mark.parametrize("block", DRILLS, ids=lambda block: block.place)
def test_a_drill_that_is_shown_is_a_good_one(block: Block) -> None:
    drill = drill_of(parse(block.text, "queue"))

    assert [line.what for line in check_drill(drill) if not line.ok] == []
