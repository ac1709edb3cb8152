"""Which settings are named: those that start an ask sooner alone, or a smallest set that starts it together."""

from collections.abc import Callable, Collection, Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from engine.explain import setting_counterfactual
from engine.explain.obstacle_rows import ObstacleRow, without_setting
from engine.explain.setting_counterfactual import REVEALED, TOGETHER, with_confirmed_settings
from engine.incremental import Incremental, finish
from engine.schedulers.scheduler_view import Setting
from engine.simulation.simulation import Simulation
from tests.engine.explain.stuck import HALVES, at, scene

Starts = Callable[[Collection[str]], bool]
"""Tells whether an ask starts where these keys are loose."""


def row(key: str, value: str = "1") -> ObstacleRow:
    """An obstacle that a setting decides."""
    return ObstacleRow("DOES_NOT_FIT", "it waits", "NODE", "SKIPPED", "", 1, 2, (), "", {}, Setting(key, value))


def bare() -> ObstacleRow:
    """An obstacle that no setting decides."""
    return without_setting(row("a"))


class Loose:
    """An explainer whose settings are loose at 1, 2, …; copies are what is loose in them."""

    def __init__(
        self, starts: Starts, revealed: Sequence[str] = (), others: Sequence[str] = (), values: int = 1
    ) -> None:
        self.starts, self.revealed, self.others = starts, list(revealed), others
        self.values = [str(value) for value in range(values)]
        self.tried: list[tuple[str, ...]] = []
        self.expected: set[int | None] = set()
        self.now: list[str] = []

    def loose_values(self, row: ObstacleRow) -> list[str]:
        """Values of a setting that is there."""
        return self.values if row.decided_by is not None else []

    def other_settings(self, _: object, row: ObstacleRow) -> list[ObstacleRow]:
        """Other settings of the first row alone."""
        return [row_ for row_ in map(_row, self.others) if row.decided_by == Setting("a", "1")]

    def loosen(self, _: object, row: ObstacleRow, value: str) -> None:
        """Note it."""
        assert row.decided_by is not None
        self.now.append(row.decided_by.key + ("" if value == "0" else value))

    def obstacles(self, *_: object) -> Incremental[list[ObstacleRow]]:
        """What stands in the way next."""
        yield from ()
        return [row(self.revealed.pop(0))] if self.revealed else []

    def sooner(self, _here: object, _ask: object, change: Any, expected_ms: int | None) -> Incremental[bool]:
        """Tell whether a change starts it."""
        yield from ()
        self.now = []
        change(self)
        self.tried.append(tuple(self.now))
        self.expected.add(expected_ms)
        return self.starts(self.now)

    def played(self, here: object, ask: object, change: Any, expected_ms: int | None) -> Incremental[Any]:
        """A world in which a change was made."""
        is_started = yield from self.sooner(here, ask, change, expected_ms)
        return SimpleNamespace(simulation=self, start_of=lambda *_: 5 if is_started else None)


def _row(key: str) -> ObstacleRow:
    return row(key)


@pytest.fixture(scope="module")
def here() -> Simulation:
    """An instant."""
    return at(scene(HALVES), 60)


@pytest.fixture
def confirm(here: Simulation, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[ObstacleRow, ...]]:
    """The rows with confirmed settings, in a world that an explainer makes up."""

    def found(loose: Loose, *rows: ObstacleRow, expected_ms: int | None = None) -> tuple[ObstacleRow, ...]:
        monkeypatch.setattr(setting_counterfactual, "explainer_of", lambda _: loose)
        monkeypatch.setattr(setting_counterfactual, "starts_sooner", loose.sooner)
        monkeypatch.setattr(setting_counterfactual, "played_with", loose.played)
        return finish(with_confirmed_settings(here, (1, None), rows, expected_ms))

    return found


Confirm = Callable[..., tuple[ObstacleRow, ...]]


def has(*keys: str) -> Starts:
    """It starts where all of these are loose."""
    return lambda loose: set(keys) <= set(loose)


def keys(row: ObstacleRow) -> list[str]:
    """The settings that help together."""
    return [each.key for each in row.together]


def test_settings_that_change_nothing_are_left_out(confirm: Confirm) -> None:
    """Where one helps alone none are named together, and those of other rows stay unless they change nothing."""
    loose = Loose(has("b"))

    assert confirm(loose, row("a"), row("b"), bare()) == (bare(), row("b"), bare())
    assert (loose.tried, loose.expected) == ([("a",), ("b",)], {None})


def test_each_value_is_tried_until_one_helps(confirm: Confirm) -> None:
    """In their order."""
    loose = Loose(has("a1"), values=3)

    assert confirm(loose, row("a"), expected_ms=9) == (row("a"),)
    assert (loose.tried, loose.expected) == ([("a",), ("a1",)], {9})


def test_another_setting_of_an_obstacle_is_named_where_the_first_changes_nothing(confirm: Confirm) -> None:
    """The first that helps."""
    assert confirm(Loose(has("y"), others=["x", "y", "z"]), row("a")) == (row("y"),)
    assert confirm(Loose(lambda _: True, others=["x"]), row("a")) == (row("a"),)


def test_what_starts_an_ask_only_together_is_named_in_the_first_row(confirm: Confirm) -> None:
    """A smallest set, in their order; rows without settings and those named twice do not matter."""
    loose = Loose(has("a", "c"))
    found = confirm(loose, bare(), row("a"), row("b"), row("c"), row("a"))

    assert found == (replace(bare(), together=(Setting("a", "1"), Setting("c", "1"))), *[bare()] * 4)


def test_an_ask_that_starts_some_time_needs_nothing_together(confirm: Confirm) -> None:
    """Nor where there are no obstacles."""
    assert confirm(Loose(has("a", "b")), row("a"), row("b"), expected_ms=9) == (bare(), bare())
    assert confirm(Loose(has("a", "b"))) == ()


def test_obstacles_behind_the_first_ones_count_as_well(confirm: Confirm) -> None:
    """They are looked for so often, and as long as each brings another setting."""
    more = [f"m{number}" for number in range(REVEALED)]
    for count in (1, REVEALED - 1):
        assert keys(confirm(Loose(has("a", *more[:count]), more), row("a"))[0]) == ["a", *more[:count]]
    assert keys(confirm(Loose(has("a", *more), more), row("a"))[0]) == []
    assert keys(confirm(Loose(has("a", "m1"), ["a", "m1"]), row("a"))[0]) == []
    assert keys(confirm(Loose(has("a", "m1"), [], ["m1"]), row("a"))[0]) == ["a", "m1"]


@pytest.mark.parametrize(("count", "is_tried"), [(TOGETHER, True), (TOGETHER + 1, False)])
def test_so_many_are_loosened_together_at_most(confirm: Confirm, count: int, *, is_tried: bool) -> None:
    """Of more none is found."""
    names = [f"k{number}" for number in range(count)]
    (first, *_) = confirm(Loose(has(*names)), *map(_row, names))

    assert keys(first) == (names if is_tried else [])


def test_one_that_starts_it_beside_no_other_is_left(confirm: Confirm) -> None:
    """Where each would do that was not confirmed alone, the first is kept; none is never tried."""
    loose = Loose(lambda loose: len(loose) > 1)
    found = confirm(loose, row("a"), row("b"), row("c"))

    assert keys(found[0]) == ["a", "b"]
    assert () not in loose.tried
