"""Parts of the cluster screen without it: moving about, orders, the scale of time."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from tests.tui import fakes
from tests.tui.screens.plain_board import PlainBoard
from tui import messages
from tui.picture import Track
from tui.screens.layout import PaneChoice
from tui.screens.navigation import ClockKeys, Mouse, Navigation
from tui.screens.sorting import Sorting
from tui.screens.time_scale import TimeScale, shown_ms

MINUTE = 60_000


def _part(kind: Any, board: Any, *more: Any) -> Any:
    return kind(board, *more)


# Moving about


@pytest.mark.parametrize(
    ("begin", "by", "hidden", "is_single", "end"),
    [
        ("applications", 1, (), False, "queues"),
        ("nodes", 1, (), False, "applications"),
        ("applications", -1, (), False, "nodes"),
        ("queues", 1, ("applications",), True, "nodes"),
        ("nodes", -1, ("applications",), True, "queues"),
    ],
)
def test_the_next_pane_is_one_on_screen(
    begin: str, by: int, hidden: Sequence[str], end: str, *, is_single: bool
) -> None:
    """Where one has all the room it is the next that is not hidden; behind the last one comes the first."""
    board: Any = PlainBoard(begin)
    board.visible_panes = [name for name in ("queues", "applications", "nodes") if name not in hidden]
    board.plan = SimpleNamespace(is_single=is_single)
    others = frozenset(set(board.dialect.panes) - {"queues", "applications", "nodes"})
    board.choose(PaneChoice((begin,), others | set(hidden)))
    _part(Navigation, board).next_pane(by)

    assert board.pane_name == end


def test_the_last_pane_stays() -> None:
    """Another that is hidden is told with the key that brings it back."""
    board: Any = PlainBoard("nodes")
    moving = _part(Navigation, board)
    moving.hide()
    after = (board.pane_name, board.state.choice.hidden, board.said[-1])
    board.choose(PaneChoice(("queues",), frozenset(set(board.dialect.panes) - {"queues"})))
    moving.hide()

    digit = board.dialect.titles["nodes"]
    first = next(name for name in board.dialect.panes if name != "nodes")
    assert after == (first, frozenset({"nodes"}), f"Hidden: {digit}. {digit[0]} brings it back.")
    assert (board.pane_name, board.said[-1]) == ("queues", "The last pane cannot be hidden.")


def test_zoom_goes_on_and_off() -> None:
    """Its end is nothing where there was none."""
    board: Any = PlainBoard()
    moving = _part(Navigation, board)
    steps = [moving.end_zoom(), board.state.choice.zoomed]
    moving.zoom()
    steps += [board.state.choice.zoomed, moving.end_zoom(), board.state.choice.zoomed]

    assert steps == [False, False, True, True, False]


def test_the_cursor_goes_by_rows_pages_and_to_the_ends() -> None:
    """A pane that this kind of cluster has not is refused."""
    board: Any = PlainBoard()
    moving = _part(Navigation, board)
    moving.last()
    last = board.active.cursor_row
    moving.first()
    moving.move(2)
    moving.move_pages(-1)
    moving.show("executors")
    moving.show("queues")

    assert (last, board.panes["applications"].cursor_row) == (15, 2)
    assert board.panes["applications"].asked == [("move", 2), ("pages", -1)]
    assert (board.said, board.pane_name) == (["refused navigation.show('executors')"], "queues")


@pytest.mark.parametrize(
    ("name", "times", "pane", "done"),
    [
        ("nodes", 1, "nodes", []),
        ("nodes", 2, "nodes", ["navigation.zoom"]),
        ("applications", 2, "applications", ["navigation.zoom"]),
        ("applications", 3, "applications", []),
        ("detail", 2, "applications", []),
    ],
)
def test_a_click_on_a_title_goes_there_and_two_zoom(name: str, times: int, pane: str, done: list[str]) -> None:
    """What is no pane takes no keys."""
    board: Any = PlainBoard()
    _part(Mouse, board).edge_clicked(SimpleNamespace(name=name, times=times))

    assert (board.pane_name, board.done) == (pane, done)


def test_the_clock_is_asked_by_messages() -> None:
    """Each key has its own."""
    board: Any = PlainBoard()
    keys = _part(ClockKeys, board)
    keys.toggle_pause()
    keys.step("event")
    keys.travel("back")
    keys.change_speed(-1)
    keys.choose_speed(0)

    assert [type(each) for each in board.posted] == [
        messages.PauseToggled,
        messages.StepRequested,
        messages.TravelRequested,
        messages.SpeedChanged,
        messages.SpeedChosen,
    ]
    assert (board.posted[1].unit, board.posted[2].where, board.posted[3].direction, board.posted[4].speed) == (
        "event",
        "back",
        -1,
        0,
    )


@pytest.mark.parametrize(("present_ms", "has_trail", "goes"), [(None, 0, 0), (1, 1, 0), (1, 0, 1), (None, 1, 0)])
def test_the_way_back_from_the_past_comes_after_the_trail(present_ms: int | None, has_trail: int, goes: int) -> None:
    """In the present there is none."""
    board: Any = PlainBoard(present_ms=present_ms)
    board.state.trail = [object()] * has_trail

    assert _part(ClockKeys, board).to_present() == bool(goes)
    assert [each.where for each in board.posted] == ["live"] * goes


# Orders


def test_a_column_sorts_and_turns_round_the_second_time() -> None:
    """The third time it is as the first; no name is the pane's own order."""
    board: Any = PlainBoard()
    sorting = _part(Sorting, board)
    found = []
    for name in ("user", "user", "user", "queue", "", "", "colour"):
        sorting.by(name)
        now = board.arrangement("applications")
        found.append((now.sort, now.reverse))

    assert found == [
        ("user", False),
        ("user", True),
        ("user", False),
        ("queue", False),
        ("", False),
        ("", False),
        ("", False),
    ]
    assert len(board.active.asked) == 6
    assert board.said[-1].startswith("colour is nothing to sort by here; there are ")


def test_the_next_column_goes_round_and_is_never_reversed() -> None:
    """Before the first one is the pane's own order."""
    board: Any = PlainBoard()
    sorting = _part(Sorting, board)
    names = [field.name for field in board.noun("applications").criteria.sortable]
    sorting.reverse()
    turned = board.arrangement("applications").reverse
    found = []
    for by in (1, 1, -1, -1, -1, 1):
        sorting.column(by)
        found.append(board.arrangement("applications").sort)

    assert turned
    assert found == [names[0], names[1], names[0], "", names[-1], ""]
    assert not board.arrangement("applications").reverse


@pytest.mark.parametrize(
    ("pane", "words"), [("events", "Events stay in the order they happened."), ("graphs", "time_scale.menu")]
)
def test_what_has_an_order_of_its_own_has_no_menu(pane: str, words: str) -> None:
    """Of graphs it is how much of the time they show."""
    board: Any = PlainBoard(pane)
    _part(Sorting, board).menu()

    assert ([*board.said, *board.done], board.opened) == ([words], [])


def test_a_choice_of_the_menu_sorts() -> None:
    """None leaves the order as it is."""
    board: Any = PlainBoard()
    _part(Sorting, board).menu()
    answered = board.opened[0][1]
    answered(None)
    before = board.arrangement("applications").sort
    answered("user")

    assert (before, board.arrangement("applications").sort) == ("", "user")


# The scale of time


@pytest.mark.parametrize(
    ("run_minutes", "now_ms", "by", "then_ms", "end"),
    [
        (None, 600_000, 1, 3_600_000, ""),
        (None, 600_000, -1, 600_000, ", and no less"),
        (None, None, 1, None, " already"),
        (None, None, -1, 21_600_000, ""),
        (30, None, -1, 600_000, ""),
        (30, 600_000, 1, None, ""),
        (60, None, -1, 3_600_000, ""),
        (59, None, -1, 600_000, ""),
        (5, None, -1, 600_000, ""),
        (400, None, -1, 21_600_000, ""),
    ],
)
def test_no_more_of_the_time_is_shown_than_there_was(
    run_minutes: int | None, now_ms: int | None, by: int, then_ms: int | None, end: str
) -> None:
    """A length that the run has not reached is the whole run; the least one is always there."""
    track = None if run_minutes is None else Track(0, fakes.NOW - run_minutes * MINUTE)
    board: Any = PlainBoard(track=track)
    scale = _part(TimeScale, board)
    scale.window(now_ms or 0)
    scale.change(by)

    assert shown_ms(board) == then_ms
    assert board.said[-1].endswith(f"{end}.")
    assert board.said[-1].endswith((" already.", ", and no less.")) == bool(end)


def test_the_scale_is_chosen_from_all_lengths() -> None:
    """None leaves it."""
    board: Any = PlainBoard()
    scale = _part(TimeScale, board)
    scale.window(600_000)
    scale.menu()
    answered = board.opened[0][1]
    answered(None)
    before = shown_ms(board)
    answered("3600000")
    between = shown_ms(board)
    answered("0")

    assert (before, between, shown_ms(board)) == (600_000, 3_600_000, None)
