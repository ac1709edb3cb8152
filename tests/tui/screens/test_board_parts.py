"""Parts of the cluster screen without it: moving about, orders, filters, marks, the trail, the scale of time."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from engine.observe.snapshot import Amounts
from tests.tui import fakes
from tests.tui.screens.plain_board import PlainBoard
from tui import messages
from tui.picture import Track
from tui.render.arrangement import Arrangement
from tui.render.filter import NOTHING, parse
from tui.render.noun import Lead
from tui.screens.filtering import Filtering
from tui.screens.layout import PaneChoice
from tui.screens.marks import Marks
from tui.screens.navigation import ClockKeys, Mouse, Navigation
from tui.screens.sorting import Sorting
from tui.screens.time_scale import TimeScale, shown_ms
from tui.screens.trail import Trail
from tui.screens.undoing import Undoing
from tui.screens.views import Views

MINUTE = 60_000


def _part(kind: Any, board: Any, *more: Any) -> Any:
    return kind(board, *more)


class Line:
    """A prompt that only remembers."""

    def __init__(self) -> None:
        self.said: list[tuple[str, str]] = []
        self.opened: tuple[Any, ...] = ()
        self.closed = 0

    def open(self, *what: Any) -> None:
        """Remember how."""
        self.opened = what

    def say(self, words: str, style: str = "watch") -> None:
        """Remember it."""
        self.said.append((words, style))

    def close(self) -> None:
        """Count it."""
        self.closed += 1


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


# Filters


def test_what_is_typed_filters_at_once() -> None:
    """Beside it stands how many rows there are, or what is wrong; giving up brings back what was."""
    board, line = PlainBoard(), Line()
    filtering = _part(Filtering, board, line)
    board.rearrange("applications", Arrangement(filter=parse("user:a", board.noun("applications").criteria.fields)))
    filtering.open()
    filtering.typed("etl")
    during = board.arrangement("applications").filter.text
    filtering.typed("nosuch:1")
    wrong = line.said[-1][0]
    filtering.entered("nosuch:1")
    still_open = line.closed
    filtering.given_up()

    assert line.opened[1:3] == ("/", "user:a")
    assert (during, line.said[0]) == ("etl", ("16 rows", "faint"))
    assert (still_open, line.said[-1]) == (0, (wrong, "watch"))
    assert wrong
    assert (board.arrangement("applications").filter.text, line.closed) == ("user:a", 1)


def test_the_last_word_is_completed_to_a_field() -> None:
    """The words before it stay."""
    board, line = PlainBoard(), Line()
    filtering = _part(Filtering, board, line)
    filtering.open()
    complete = line.opened[3]
    names = [field.name for field in board.noun("applications").criteria.fields]

    assert complete("") == [f"{name}:" for name in names]
    assert complete("etl us") == ["etl user:"]
    assert line.opened[4] == f"word, field:value, -not; {' '.join(names[:4])} ..."


@pytest.mark.parametrize(
    ("words", "place"), [("183334", 4), (" 183334 ", 4), (fakes.BIG, 12), ("18333", 0), ("", 0), ("etl", 0)]
)
def test_an_id_that_was_typed_is_gone_to(words: str, place: int) -> None:
    """Whole, or its number."""
    board = PlainBoard()
    _part(Filtering, board, Line()).entered(words)

    assert board.active.cursor_row == place


@pytest.mark.parametrize(
    ("begin", "by", "end"), [(0, 1, 12), (12, 1, 12), (13, 1, 12), (12, -1, 12), (0, -1, 12), (15, -1, 12)]
)
def test_the_next_match_is_found_round_the_end(begin: int, by: int, end: int) -> None:
    """Of the filter typed last."""
    board = PlainBoard()
    filtering = _part(Filtering, board, Line())
    filtering.by("user:mining")
    board.active.go_to(begin)
    filtering.next_match(by)

    assert (board.active.cursor_row, board.said) == (end, [])


def test_without_a_filter_or_a_match_it_is_said() -> None:
    """The cursor stays."""
    board = PlainBoard()
    filtering = _part(Filtering, board, Line())
    filtering.next_match(1)
    filtering.by("user:nobody")
    board.active.go_to(3)
    filtering.next_match(1)

    assert board.said == ["n goes to the next match: filter with / first.", "Nothing here matches user:nobody."]
    assert board.active.cursor_row == 3


def test_a_filter_is_dropped_once() -> None:
    """So are problems only; a scope stays until the whole cluster is wanted."""
    board = PlainBoard()
    filtering = _part(Filtering, board, Line())
    steps = [filtering.drop()]
    filtering.by("etl")
    steps.append(filtering.drop())
    filtering.problems()
    steps += [board.arrangement("applications").problems, filtering.drop(), filtering.drop()]
    filtering.problems()
    filtering.problems()
    steps.append(board.arrangement("applications").problems)
    board.rearrange("applications", Arrangement(filter=parse("a", ()), scope=parse("b", ()), problems=True))
    filtering.whole()

    assert steps == [False, True, True, True, False, False]
    assert board.arrangement("applications") == Arrangement(filter=NOTHING)
    assert board.redrawn == 1


@pytest.mark.parametrize(("place", "words"), [(12, "user:mining"), (13, "user:报表")])
def test_the_applications_of_the_user_of_a_row(place: int, words: str) -> None:
    """Gone to by name."""
    board = PlainBoard()
    board.active.go_to(place)
    _part(Filtering, board, Line()).of_user()

    assert board.done == ["navigation.show('applications')"]
    assert board.arrangement("applications").filter.text == words


# Marks


def test_rows_are_marked_one_by_one_and_all() -> None:
    """The cursor goes down; what is marked comes in the order of the marks."""
    board = PlainBoard()
    marks = _part(Marks, board)
    board.active.go_to(3)
    marks.mark()
    after_one = (board.active.cursor_row, list(board.active.marks))
    board.active.go_to(1)
    marks.mark()
    order = [row.number for row in marks.marked()]
    board.active.go_to(3)
    marks.mark()
    one_less = [row.number for row in marks.rows()]
    marks.mark_all()

    rows = board.active.rows
    assert after_one == (4, [rows[3].id])
    assert (order, one_less) == ([rows[3].number, rows[1].number], [rows[1].number])
    assert (len(board.active.marks), board.said) == (16, ["Marked 16 rows."])
    assert (marks.drop(), board.active.marks, marks.drop()) == (True, {}, False)
    assert (marks.marked(), marks.rows()) == ([], [rows[4]])


def test_in_some_panes_nothing_is_marked() -> None:
    """It is said where."""
    board = PlainBoard("events")
    marks = _part(Marks, board)
    marks.mark()
    marks.mark_all()

    assert board.said[0] == board.said[1]
    assert board.said[0].startswith("Nothing is done to many at once here; rows are marked in ")
    assert " and " in board.said[0]


def test_marks_go_with_their_rows() -> None:
    """Compared once for each version of the rows."""
    board = PlainBoard()
    marks, pane = _part(Marks, board), board.active
    rows = pane.rows
    pane.mark(["gone", rows[0].id])
    marks.check(pane, board.state.picture)
    once = list(pane.marks)
    pane.mark(["gone"])
    marks.check(pane, board.state.picture)

    assert (once, list(pane.marks)) == ([rows[0].id], [rows[0].id, "gone"])


@pytest.mark.parametrize(
    ("marked", "filtered", "words"),
    [(0, False, ""), (1, False, "1 marked"), (2, True, "2 marked"), (-1, True, "1 marked (1 hidden)")],
)
def test_marks_that_a_filter_hides_are_counted(marked: int, words: str, *, filtered: bool) -> None:
    """Only where there is one."""
    board = PlainBoard()
    pane = board.active
    pane.mark(["hidden"] if marked < 0 else [row.id for row in pane.rows[:marked]])
    if filtered:
        board.rearrange("applications", Arrangement(problems=True))

    assert _part(Marks, board).words(pane) == words


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
