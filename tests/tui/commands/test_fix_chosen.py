"""The remedy that is chosen by its number, and how far a search is."""

import io
import sys

import pytest

from engine.errors import ConfigError
from engine.explain.remedy_search import RemedySearch
from engine.formats.scenario_toml import loads
from engine.simulation.build import build_simulation
from tests.tui.commands.test_why import HALF, SCENE
from tui.commands.budget import Budget
from tui.commands.fix import chosen, searched


@pytest.mark.parametrize(("numbers", "number", "place"), [([1], 1, 0), ([1, 3], 3, 1)])
def test_a_remedy_is_chosen_by_its_number(numbers: list[int], number: int, place: int) -> None:
    """What is set from the start has numbers of its own between those."""
    assert chosen(numbers, number) == place


@pytest.mark.parametrize(("numbers", "words"), [([], "none helps"), ([1, 3], "there are 1, 3")])
def test_a_number_that_no_act_has_is_refused(numbers: list[int], words: str) -> None:
    """With those there are."""
    with pytest.raises(ConfigError) as caught:
        chosen(numbers, 2)

    assert [str(each) for each in caught.value.problems] == [f"--apply: no act of an operator has number 2 ({words})"]


class FakeScreen(io.StringIO):
    """A stderr that is a terminal or is not."""

    is_terminal = True

    def isatty(self) -> bool:
        """Tell which."""
        return self.is_terminal


@pytest.mark.parametrize("is_terminal", [True, False])
def test_how_far_a_search_is_is_told_on_a_terminal_alone(is_terminal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one line, which is wiped at the end."""
    screen = FakeScreen()
    screen.is_terminal = is_terminal
    scenario = loads(SCENE + HALF.format(name="first") + HALF.format(name="second"), "x")
    simulation = build_simulation(scenario)
    simulation.run_until(scenario.start_ms + 60_000)
    search = RemedySearch(simulation)
    monkeypatch.setattr(sys, "stderr", screen)
    found = searched(search, Budget(0.0), 1)
    told = screen.getvalue()

    assert (found.open, found.targets != ()) == (0, True)
    assert told.startswith("\rtried ") is is_terminal
    assert told.endswith(f"\rtried {search.of} of {search.of} \r\x1b[K") is is_terminal
    assert "\n" not in told
    assert (told == "") is not is_terminal
