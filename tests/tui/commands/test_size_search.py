"""The search for a size: which points are played, what is kept of them, and what is shown; none is really played."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from engine.sweep import Point, PointOutcome, Sizing, StoredPoint, local_place, stored
from tests.tui.commands.test_size_screen import SPEC
from tui.commands import size_search
from tui.commands.size_search import STRAINS, SizeSearch
from tui.render.size_page import SizeView

Played = Callable[[list[Point]], Mapping[int, StoredPoint]]
OUTCOME = PointOutcome("done", seconds=1.0)


class Store:
    """A file that has some points, and takes more."""

    path = Path("/x/small.size")

    def __init__(self, *points: StoredPoint) -> None:
        self.there, self.kept = list(points), list[tuple[int, Mapping[str, str], int]]()

    def points(self) -> list[StoredPoint]:
        """Those it had."""
        return self.there

    def keep(self, point: Point, outcome: PointOutcome) -> None:
        """Take one more."""
        assert outcome is OUTCOME
        self.kept.append((point.number, point.settings, point.seed))


def points(nodes: int, **more: str) -> list[Point]:
    """Those of one size with both seeds."""
    return [Point(number, {"nodes": str(nodes), **more}, seed) for number, seed in enumerate(SPEC.seeds)]


class Searched:
    """A search whose bisection is made up: it plays some sizes and finds one."""

    def __init__(self, patch: pytest.MonkeyPatch, *, answer: int | None, sizes: tuple[int, ...] = (4, 2)) -> None:
        self.asked: list[tuple[int, int, Mapping[str, str]]] = []
        self.played: list[list[int]] = []
        self.todo: list[list[tuple[str, int]]] = []
        self.views: list[SizeView] = []
        self._answer, self._sizes = answer, sizes
        patch.setattr(size_search, "sized", self.sized)
        patch.setattr(size_search, "play_all", self.play_all)

    def sized(
        self, key: str, low: int, high: int, goal: object, seeds: object, played: Played,
        beside: Mapping[str, str] | None = None, told: Callable[[Sizing], None] = lambda _: None,
    ) -> Sizing:  # fmt: skip
        """Play the sizes; beside a strain one more is needed."""
        self.asked.append((low, high, beside or {}))
        for size in self._sizes if beside is None else (high,):
            self.played.append(sorted(played(points(size, **(beside or {})))))
        found = Sizing(key, (), self._answer, 2)
        told(found)
        return found

    def play_all(self, base: object, todo: list[Point], place: object, keep: Any, is_stopped: Any) -> None:
        """All of them."""
        self.todo.append([(each.settings["nodes"], each.seed) for each in todo])
        for each in todo:
            keep(each, OUTCOME)

    def answer(self, store: Store | None = None, *, strained: bool = False, stopped: bool = False) -> SizeView:
        """Search."""
        file: Any = store
        search = SizeSearch(SPEC, local_place(1), file, is_strained=strained)
        self.begun = search.view
        return search.answer(lambda: stopped, self.views.append)


def test_a_search_begins_with_nothing_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """It says what is searched, and where it is kept."""
    searched = Searched(monkeypatch, answer=2)
    _ = searched.answer(Store())
    view = searched.begun

    assert (view.sizing, view.is_running, view.others) == (Sizing("nodes", (), None, 2), True, {})
    assert (view.name, view.limit, view.file) == ("small", "p95_wait < 5m", "small.size")


def test_every_point_is_played_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """With every seed, from the smallest size to the largest; what the file has is not played again."""
    there = stored(Point(0, {"nodes": "4"}, 7), OUTCOME)
    searched, store = Searched(monkeypatch, answer=2, sizes=(4, 2, 4)), Store(there)
    _ = searched.answer(store)

    assert searched.asked == [(1, 8, {})]
    assert searched.todo == [[("4", 8)], [("2", 7), ("2", 8)]]
    assert searched.played == [[0, 1]] * 3
    assert store.kept == [(1, {"nodes": "4"}, 8), (2, {"nodes": "2"}, 7), (3, {"nodes": "2"}, 8)]


def test_how_far_a_size_is_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """By its points; then what was found, and at last that it is over."""
    searched = Searched(monkeypatch, answer=2, sizes=(4,))
    view = searched.answer()

    assert [(each.share, each.doing) for each in searched.views[:3]] == [
        (0.0, "nodes 4; 0 points played"), (0.5, "nodes 4; 1 points played"), (1.0, "nodes 4; 2 points played"),
    ]  # fmt: skip
    assert [each.is_running for each in searched.views] == [True] * (len(searched.views) - 1) + [False]
    assert (view.sizing.answer, view.is_stopped, view.is_running, view.others) == (2, False, False, {})
    assert view is searched.views[-1]


def test_a_search_that_was_stopped_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """With what was found."""
    assert Searched(monkeypatch, answer=None).answer(stopped=True).is_stopped


@pytest.mark.parametrize(("answer", "strained"), [(2, True), (2, False), (None, True)])
def test_strains_are_tried_from_the_answer_on(
    answer: int | None, strained: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where there is one and they are wanted."""
    searched = Searched(monkeypatch, answer=answer)
    _ = searched.answer(strained=strained)

    tried = [(answer, 8, dict(beside)) for beside in STRAINS.values()] if strained and answer else []
    assert searched.asked[1:] == tried
