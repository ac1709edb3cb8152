"""The remedy that is chosen by its number, and how far a search is."""

import io
import sys
from typing import Any

import pytest

from engine.errors import ConfigError
from engine.explain.remedy_search import Remedies, RemedySearch
from engine.formats.scenario_toml import loads
from engine.simulation.build import build_simulation
from tests.tui.commands.test_why import HALF, SCENE
from tui.commands.budget import Budget
from tui.commands.fix import chosen, searched


def remedies(count: int) -> Remedies:
    """So many, each by its number."""
    ranked: Any = tuple(f"remedy {number}" for number in range(1, count + 1))
    base: Any = None
    return Remedies(0, 0, (), base, ranked, (), (), 0)


@pytest.mark.parametrize(("count", "number"), [(1, 1), (2, 1), (2, 2), (3, 2)])
def test_a_remedy_is_chosen_by_its_place_in_the_list(count: int, number: int) -> None:
    """From one on."""
    found: Any = chosen(remedies(count), number)

    assert found == f"remedy {number}"


@pytest.mark.parametrize(
    ("count", "number", "words"),
    [
        (0, 1, "--apply: there is no remedy 1 (none helps)"),
        (1, 2, "--apply: there is no remedy 2 (there are 1)"),
        (2, 9, "--apply: there is no remedy 9 (there are 2)"),
    ],
)
def test_a_number_beyond_the_list_is_refused(count: int, number: int, words: str) -> None:
    """With how many there are."""
    with pytest.raises(ConfigError) as caught:
        chosen(remedies(count), number)

    assert [str(each) for each in caught.value.problems] == [words]


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
