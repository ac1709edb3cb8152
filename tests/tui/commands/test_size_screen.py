"""A search for a size on screen: sizes are opened in between, and what ends the search is raised."""

from collections.abc import Callable
from threading import Event
from typing import Any

import pytest

from engine.errors import ConfigError, Problem
from engine.formats.scenario_toml import dump, loads
from engine.scenario import Scenario
from engine.sweep import Axis, Sizing, SweepSpec, local_place
from tests.tui.small_run import SMALL
from tui.commands import size_screen
from tui.commands.size_screen import SizeApp, look_at
from tui.commands.size_search import SizeSearch
from tui.render.size_page import SizeView
from tui.screens.size import SizeScreen
from tui.settings import resolve

SPEC = SweepSpec(
    dump(loads(SMALL, "small.toml")), "small", (Axis("nodes", ("1", "8")),), (7, 8), limit_texts=("p95_wait < 5m",)
)


class FakeSearch(SizeSearch):
    """A search that finds three nodes, or fails."""

    def __init__(self, error: Exception | None = None) -> None:
        super().__init__(SPEC, local_place(1), None, is_strained=False)
        self._error, self.may_end, self.stops = error, Event(), [False, False]

    def answer(self, is_stopped: Callable[[], bool], shown: Callable[[SizeView], None]) -> SizeView:
        """When it may end."""
        self.stops[0] = is_stopped()
        assert self.may_end.wait(10)
        if self._error is not None:
            raise self._error
        self.view = self.view._replace(sizing=Sizing("nodes", (), 3, 2), is_running=False)
        shown(self.view)
        self.stops[1] = is_stopped()
        return self.view


def looked(patch: pytest.MonkeyPatch, search: FakeSearch, *choices: int | None) -> tuple[list[Any], list[Scenario]]:
    """Apps that are left with choices, and scenarios that are opened; the search ends when the first app is there."""
    apps: list[Any] = []
    opened: list[Scenario] = []
    left = list(choices)

    def run(app: SizeApp) -> None:
        apps.append(app)
        search.may_end.set()
        app.opened = left.pop(0)

    patch.setattr(SizeApp, "run", run)
    patch.setattr(size_screen, "open_scenario", lambda scenario, settings: opened.append(scenario))
    return apps, opened


def test_sizes_are_opened_until_the_user_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each with the first seed; then what was found is told."""
    search = FakeSearch()
    apps, opened = looked(monkeypatch, search, 2, 5, None)
    found = look_at(search, lambda: False, resolve({"ascii": True}))

    assert [(len(each.cluster.all_nodes()), each.seed) for each in opened] == [(2, 7), (5, 7)]
    assert [app.options.ascii_only for app in apps] == [True] * 3
    assert (found.sizing.answer, found.is_running) == (3, False)


def test_a_search_is_stopped_when_the_user_leaves_or_a_signal_came(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not before."""
    for came in (False, True):
        search = FakeSearch()
        _ = looked(monkeypatch, search, None)
        _ = look_at(search, lambda came=came: came, resolve({}))  # type: ignore[misc]  # the loop's own value

        assert search.stops[0] is came


def test_what_ends_the_search_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    """The app on screen ends with it."""
    search = FakeSearch(ConfigError([Problem("there are no workers")]))
    taken: list[SizeView | None] = []
    monkeypatch.setattr(SizeApp, "take", lambda app, view: taken.append(view))
    _ = looked(monkeypatch, search, *([2] * 1000))

    with pytest.raises(ConfigError, match="there are no workers"):
        _ = look_at(search, lambda: False, resolve({}))
    assert taken in ([None], [])


async def test_a_size_is_chosen_on_its_screen() -> None:
    """Enter answers it and ends the app; what is found meanwhile is shown."""
    view = FakeSearch().view
    app = SizeApp(view)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        await pilot.pause()
        screen = app.screen
        assert isinstance(screen, SizeScreen)
        app.take(view._replace(doing="nodes 3; 9 points played"))
        await pilot.pause()
        _ = screen.dismiss(4)
        await pilot.pause()

    assert (app.opened, app.is_running) == (4, False)
