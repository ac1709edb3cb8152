"""Parts of the cluster screen without it: the trail, views, undoing, idle keys."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from engine.observe.snapshot import Amounts
from tests.tui.screens.plain_board import PlainBoard
from tui.render.arrangement import Arrangement
from tui.render.filter import parse
from tui.render.noun import Lead
from tui.screens.inspection import idle_calls
from tui.screens.trail import Trail
from tui.screens.undoing import Undoing
from tui.screens.views import Views


def _part(kind: Any, board: Any, *more: Any) -> Any:
    return kind(board, *more)


# The trail


def test_steps_are_taken_and_taken_back() -> None:
    """Back at the row it began on, with the rows of the other table chosen as before."""
    board = PlainBoard()
    trail = _part(Trail, board, None)
    host = board.panes["nodes"].rows[2].id
    before = Arrangement(sort="free")
    board.rearrange("nodes", before)
    board.active.go_to(5)
    trail.go(Lead("nodes", host, scope=parse("x", ())))
    there = (board.pane_name, board.active.cursor_row, board.arrangement("nodes").sort, trail.steps("nodes"))
    board.panes["applications"].go_to(0)
    back = (trail.back(), board.pane_name, board.active.cursor_row, board.arrangement("nodes"), trail.back())

    assert there[:3] == ("nodes", 2, "")
    assert len(there[3]) == 1
    assert back == (True, "applications", 5, before, False)


def test_what_is_not_there_any_more_is_not_gone_to() -> None:
    """A lead in words is said; a filter that hides the row is dropped."""
    board = PlainBoard()
    trail = _part(Trail, board, None)
    trail.go("It leads nowhere.")
    trail.go(Lead("nodes", "gone"))
    first = (list(board.said), board.pane_name, len(board.state.trail))
    board.rearrange("nodes", Arrangement(problems=True))
    trail.go(Lead("nodes", "gone"))

    assert first == (["It leads nowhere.", "gone is not there any more."], "applications", 0)
    assert (board.pane_name, board.arrangement("nodes").problems) == ("applications", True)


def test_several_steps_back() -> None:
    """More than were taken end at the first."""
    board = PlainBoard()
    trail = _part(Trail, board, None)
    for pane in ("nodes", "queues", "nodes"):
        board.panes[pane].go_to(3)
        trail.go(Lead(pane))
    at_first, labels = board.active.cursor_row, trail.steps("nodes")
    trail.back_by(2)
    middle = board.pane_name
    trail.back_by(5)

    assert (at_first, len(labels), trail.steps("queues")) == (0, 3, [])
    assert (middle, board.pane_name, board.state.trail) == ("nodes", "applications", [])


# Views and undoing


def test_the_next_view_keeps_the_cursor_on_its_row() -> None:
    """Behind the last one comes the first."""
    board = PlainBoard("nodes")
    views = _part(Views, board)
    names = board.dialect.views("nodes")
    board.active.go_to(4)
    host = board.active.cursor_id
    shown = []
    for _ in names:
        views.next_view()
        shown.append(board.noun("nodes").view)

    assert shown == [*names[1:], names[0]]
    assert board.active.rows
    assert host is not None
    assert board.redrawn == len(names)


def test_a_pane_with_one_view_says_so() -> None:
    """Nothing is drawn anew."""
    board = PlainBoard("events")
    _part(Views, board).next_view()

    assert (board.said, board.redrawn) == ([f"{board.dialect.titles['events']} has one view only."], 0)


@pytest.mark.parametrize(
    ("known", "begin", "end", "words"),
    [
        (("", "gpu"), "", "gpu", "gpu"),
        (("", "gpu"), "gpu", "", "default"),
        (("", "gpu", "ssd"), "gpu", "ssd", "ssd"),
        (("", "gpu"), "gone", "", "default"),
    ],
)
def test_partitions_follow_each_other(
    known: Sequence[str], begin: str, end: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is gone is followed by the default one."""
    amounts: Amounts = (1, 1)
    monkeypatch.setattr("tui.screens.views.partitions_of", lambda snapshot: dict.fromkeys(known, amounts))
    board = PlainBoard("queues")
    board.state.partition = begin
    _part(Views, board).next_partition()

    assert (board.state.partition, board.said) == (end, [f"Queues show their shares of the partition {words}."])
    assert (board.panes["queues"].version, board.redrawn) == (None, 1)


@pytest.mark.parametrize(
    ("known", "name", "end", "words"),
    [
        (("", "gpu"), "gpu", "gpu", "Queues show their shares of the partition gpu."),
        (("", "gpu"), "default", "", "Queues show their shares of the partition default."),
        (("", "gpu"), "tpu", "gpu", "There is no partition tpu; there is default, gpu."),
        (("",), "tpu", "gpu", "This cluster has no node labels: all nodes are in one partition."),
    ],
)
def test_a_partition_is_shown_by_name(
    known: Sequence[str], name: str, end: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is not there is not shown."""
    amounts: Amounts = (1, 1)
    monkeypatch.setattr("tui.screens.views.partitions_of", lambda snapshot: dict.fromkeys(known, amounts))
    board = PlainBoard("queues")
    board.state.partition = "gpu"
    _part(Views, board).partition(name)

    assert (board.state.partition, board.said) == (end, [words])


def test_queues_fold_and_unfold() -> None:
    """What is folded, or a leaf, is left for what it is in; elsewhere lines scroll."""
    board = PlainBoard("queues")
    views = _part(Views, board)
    paths = [row.path for row in board.active.rows]
    board.active.go_to(paths.index("root.etl"))
    views.shift(-1)
    up = board.active.selected.path
    views.shift(-1)
    folded = "root" in board.state.folds.folded
    views.shift(1)
    unfolded = "root" in board.state.folds.folded
    other = PlainBoard("applications")
    _part(Views, other).shift(-1)

    assert (up, folded, unfolded, board.redrawn, board.active.version) == ("root", True, False, 2, None)
    assert other.active.asked == [("shift", -1)]


def test_the_last_act_is_undone_from_just_before_it() -> None:
    """Without one the key shows the applications of a user."""
    board = PlainBoard()
    asked: list[str] = []
    undoing = _part(Undoing, board, SimpleNamespace(of_user=lambda: asked.append("user")), None)
    undoing.undo_or_user()
    undoing.undo()
    steps = [undoing.drop(), list(board.posted)]
    acted: Any = SimpleNamespace(time_ms=5000)
    undoing.offer(acted)
    undoing.undo_or_user()
    steps += [undoing.drop(), board.state.acted, board.redrawn]

    assert (asked, steps) == (["user"], [False, [], True, None, 2])
    assert [each.time_ms for each in board.posted] == [4999]


# Keys that need a row

FOLLOW, KILL, WHY = "trail.follow", "application_acts.kill", "inspection.why"


@pytest.mark.parametrize(
    ("pane", "place", "marked", "idle"),
    [
        ("applications", 12, 0, set()),
        ("applications", 15, 0, {KILL}),
        ("applications", 15, 1, set()),
        ("queues", 1, 0, {KILL}),
        ("nodes", 1, 0, set()),
        ("events", 0, 0, {FOLLOW, KILL, WHY}),
        ("graphs", 0, 0, {KILL, WHY}),
    ],
)
def test_keys_that_need_a_row_are_idle_without(pane: str, place: int, marked: int, idle: set[str]) -> None:
    """One that kills needs an application that has not ended, as who reserved a node, or marks."""
    board: Any = PlainBoard(pane)
    board.active.go_to(place)
    board.active.mark([str(each) for each in range(marked)])

    assert idle_calls(board) == idle
