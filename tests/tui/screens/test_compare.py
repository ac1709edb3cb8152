"""The screen of a comparison."""

from collections.abc import Callable, Sequence
from functools import partial

import pytest
from textual.pilot import Pilot

from engine.compare import (
    Comparison,
    ComparisonCandidate,
    ExplainedDivergence,
    carried_over,
    compared,
    partings_of,
    snapshots_at,
)
from engine.formats.scenario_toml import load
from tests.tui.screen_text import press, screen_lines, screen_text
from tui.app import ResultApp, SchedlabApp
from tui.screens.compare import CompareScreen
from tui.session.opening import open_session

Found = tuple[Comparison, tuple[ExplainedDivergence, ...], list[ComparisonCandidate]]


@pytest.fixture(scope="module")
def found() -> Found:
    """A large and a small job under two policies, for a minute and a half."""
    scene = load("three-schedulers-capacity")
    both = [
        ComparisonCandidate("A", "capacity-2.7", scene),
        ComparisonCandidate("B", "fifo", carried_over(scene, "fifo").scenario),
    ]
    comparison = compared(both, 90_000)
    return comparison, partings_of(both, comparison.divergences), both


def app_of(found: Found, *, ascii_only: bool = False, palette: str = "dark") -> ResultApp:
    comparison, partings, both = found
    opened = partial(snapshots_at, both)
    return ResultApp(
        lambda styles: CompareScreen(comparison, partings, styles, opened),
        ascii_only=ascii_only,
        palette=palette,
    )


async def shown(pilot: Pilot[None]) -> CompareScreen:
    await pilot.pause()
    await pilot.pause()
    screen = pilot.app.screen
    assert isinstance(screen, CompareScreen)
    return screen


async def test_it_shows_a_pulse_for_each_run_and_what_differs(found: Found) -> None:
    async with app_of(found).run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        lines = screen_lines(pilot.app)
        assert lines[2].split() == ["A", "capacity-2.7", "B", "fifo"]
        assert [line.split()[0] for line in lines[3:5]] == ["A", "B"]
        assert "1 What differs" in lines[5]
        assert any("2 Where they part" in line for line in lines)
        assert "j k scroll " in lines[-1]


async def test_n_goes_to_the_next_difference_and_no_further_than_the_last(found: Found) -> None:
    number = len(found[1])
    async with app_of(found).run_test(size=(120, 50)) as pilot:
        screen = await shown(pilot)
        await pilot.press("N")
        assert screen.chosen == 0
        await pilot.press(*["n"] * (number + 1))
        assert screen.chosen == number - 1
        assert f"{number} of {len(found[0].divergences)}" in screen_text(pilot.app)
        await pilot.press("N")
        assert screen.chosen == number - 2


async def test_enter_opens_both_runs_at_the_instant_and_escape_comes_back(found: Found) -> None:
    async with app_of(found).run_test(size=(120, 40)) as pilot:
        screen = await shown(pilot)
        await pilot.press("n", "enter")
        await until(pilot, lambda: screen.is_there)
        text = screen_text(pilot.app)
        assert "A capacity-2.7" in text
        assert "B fifo" in text
        assert "0002 ACCEPTED" in text or "0002 RUNNING" in text
        await pilot.press("escape")
        assert not screen.is_there
        await press(pilot, "escape")
    assert pilot.app.return_code == 0


async def until(pilot: Pilot[None], is_so: Callable[[], bool]) -> None:
    for _ in range(200):
        if is_so():
            return
        await pilot.pause(0.02)
    raise AssertionError("it never came to that")


@pytest.mark.parametrize("part", ["1 What differs", "2 Where they part", "3 Over time", "4 Applications"])
async def test_a_small_screen_shows_one_part_of_four(found: Found, part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its key brings it; every line fits, also with ASCII alone and without colour."""
    monkeypatch.setenv("NO_COLOR", "1")  # as the app does, so that it goes with this test
    async with app_of(found, ascii_only=True, palette="none").run_test(size=(80, 24)) as pilot:
        await shown(pilot)
        await press(pilot, part[0])
        lines: Sequence[str] = screen_lines(pilot.app)
        assert any(part in line for line in lines)
        assert all(len(line) <= 80 for line in lines)
        assert "\n".join(lines).isascii()


async def test_the_command_compares_what_is_shown() -> None:
    """`:compare fifo` opens the screen when it has been played; a mistake is said in the footer."""
    session = open_session("three-schedulers-capacity", paused=True, overrides=["duration=20"])
    app = SchedlabApp(session)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: app.cluster is not None and app.screen is app.cluster)
        await pilot.press(":", *"compare", "space", *"fofi", "enter")
        await until(pilot, lambda: "Not compared: " in screen_text(app))
        await pilot.press(":", *"compare", "space", *"fifo", "enter")
        await until(pilot, lambda: isinstance(app.screen, CompareScreen))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.cluster)
