"""What the chooser shows of a scenario is what playing it shows."""

import pytest

from engine.formats.file_schema import previews
from engine.formats.scenario_toml import load, packaged
from tests.previews import preview_of

CHEAP = ("pattern-am-only", "spark-spread-out", "capacity-stopped-queue")


def test_every_scenario_has_the_preview_of_what_it_is_now() -> None:
    found = previews()

    assert {name: found[name].digest for name in packaged()} == {name: load(name).digest() for name in packaged()}


@pytest.mark.parametrize("name", CHEAP)
def test_a_preview_is_what_playing_shows(name: str) -> None:
    assert preview_of(load(name)) == previews()[name]


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in packaged() if name not in CHEAP])
def test_every_preview_is_what_playing_shows(name: str) -> None:
    assert preview_of(load(name)) == previews()[name]
