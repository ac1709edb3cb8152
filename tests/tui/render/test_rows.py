"""Rows of tables: what they show, which are kept, how wide their columns are."""

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.decision import Completed, Unreserved, Warned
from tests.tui import fakes
from tui.actions import PANES
from tui.board.dialects import STANDALONE, YARN, Dialect
from tui.panes.arrangement import FilterError, SortFilter, parse
from tui.panes.events import RepeatedEvent
from tui.panes.field import APPLICATION, NODE, QUEUE, USER, Scope
from tui.panes.fragments import Fragment, Fragments, RenderContext, cell_width, flat
from tui.panes.pane_view import NavigationTarget, into, owner
from tui.panes.table import Column, place, row_line
from tui.panes.waits import with_waits
from tui.protocol.picture import RunState, SessionState
from tui.session.alert_monitor import event_row

LOOK = RenderContext(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384), 8 * 3_600_000)


def _columns(pane: str) -> Sequence[Column[Any]]:
    return YARN.view(pane).columns


def _line(columns: Sequence[Column[Any]], row: object, width: int = 80) -> str:
    return flat(row_line(place(columns, width), row, LOOK)).rstrip()


def _event(record: object) -> RepeatedEvent:
    return RepeatedEvent(**msgspec.structs.asdict(event_row(0, fakes.NOW, record)))


@pytest.mark.parametrize(
    ("record", "line"),
    [
        (Unreserved((1, 1, 2), "n1:1", 0, 1024, 1),
         "09:01:00     000  UNRESERVE   0001     n1 no longer reserved for 1G/1c"),
        (Warned((1, 1, 2), "n1:1", "a", 1024),
         "09:01:00     000  WARN        0001     container 2 of a will be preempted, 1G"),
        (Completed((1, 1, 2), "n1:1", 1), "09:01:00     000  END         0001     container 2 on n1 exit 1"),
    ],
)  # fmt: skip
def test_an_event_is_a_sentence(record: object, line: str) -> None:
    assert _line(_columns("events"), _event(record), 100) == line


@pytest.mark.parametrize("width", [10, 20, 33, 47, 55, 78, 120, 200])
@pytest.mark.parametrize(
    ("pane", "row"),
    [
        ("applications", fakes.application_row(183330, name="日报" * 9, user="报表")),
        ("queues", fakes.queue_row("root.a.b.c.d")),
        ("nodes", fakes.node_row("a-very-long-host-name.example.com")),
        ("reservations", fakes.reservation_row("n1")),
        ("events", RepeatedEvent(**msgspec.structs.asdict(fakes.some_events()[1]))),
    ],
)
def test_no_line_is_wider_than_its_pane(pane: str, row: object, width: int) -> None:
    assert cell_width(row_line(place(_columns(pane), width), row, LOOK)) <= width


def test_text_from_users_cannot_move_the_cursor() -> None:
    row = fakes.application_row(1, name="bad\x1b[2Jname", user="a\tb")

    assert "\x1b" not in flat(row_line(place(_columns("applications"), 200), row, LOOK))


# Containers and users, one line and one strip each, as plain text.


def test_a_scope_keeps_exactly_what_belongs_to_it() -> None:
    row = fakes.container_row(1, "n1", queue="root.etl.daily")
    application = f"application_{fakes.TIMESTAMP}_183330"

    kept = [
        SortFilter(scope=Scope(kind, name)).keeps(row, YARN.view("containers").criteria, LOOK)
        for kind, name in (
            (QUEUE, "root.etl"),
            (QUEUE, "root.et"),
            (APPLICATION, application),
            (APPLICATION, application[:-1]),
            (NODE, "n1:45454"),
            (NODE, "n1"),
            (USER, "etl"),
            (USER, "et"),
        )
    ]

    assert kept == [True, False, True, False, True, False, True, False]


# Columns by rank and by what is in them; cells at their widths.

TABLE_LOOK = RenderContext(0, ("memory_mb",), (0,))


def _word(row: str, look: RenderContext, width: int) -> Fragment:
    return row, "text"


def _column(title: str, width: int, rank: int, **more: Any) -> Column[str]:
    return Column(title, width, rank, _word, **more)


@pytest.mark.parametrize(("width", "widths"), [(14, [8, 4]), (13, [7, 4]), (11, [5, 4]), (10, [8]), (7, [7])])
def test_a_column_shrinks_before_one_of_rank_1_goes(width: int, widths: list[int]) -> None:
    """Down to its least width; then the other goes all the same, and it has the room again."""
    columns = [_column("A", 8, 0, least=5), _column("B", 4, 1)]

    assert [one.width for one in place(columns, width)] == widths


@pytest.mark.parametrize(("need", "width"), [(0, None), (1, 4), (4, 4), (5, 5)])
def test_numbers_are_never_cut(need: int, width: int | None) -> None:
    placed = place([_column("A", 2, 0), _column("SIZE", 4, 1, right=True)], 40, (2, need))

    assert [one.width for one in placed] == ([2] if width is None else [2, width])


@given(width=st.integers(20, 80), shares=st.lists(st.integers(0, 4), min_size=1, max_size=4))
def test_spare_width_is_shared_by_growing_columns(width: int, shares: list[int]) -> None:
    placed = place([_column(str(at), 2, 0, grow=share) for at, share in enumerate(shares)], width)
    more = [one.width - 2 for one in placed]

    assert sum(more) == (width - 4 * len(shares) + 2 if any(shares) else 0)
    assert all(
        abs(extra - sum(more) * share / max(1, sum(shares))) < 2 for extra, share in zip(more, shares, strict=True)
    )


@pytest.mark.parametrize(("width", "words"), [(6, "• long"), (5, "• lo…"), (3, "• …")])
def test_a_cell_of_spans_is_cut_at_its_last_words(width: int, words: str) -> None:
    def dotted(row: str, look: RenderContext, width: int) -> Fragments:
        return [("• ", "q1"), (row, "text")]

    assert flat(row_line(place([Column("A", width, 0, dotted)], width), "long", TABLE_LOOK)) == words


# The language of the filter, over rows given by hand.

FILTER_LOOK = RenderContext(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384))
CRITERIA = YARN.view("applications").criteria
FIELDS = CRITERIA.fields
ROWS = fakes.frozen_cluster().applications()


def _numbers(words: str) -> list[int]:
    found = parse(words, FIELDS)
    return [row.number for row in ROWS if found.keeps(row, FILTER_LOOK)]


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        ("user:mining", [183354]),
        ("state:pend", [183354, 183360, 183361]),
        ("state:pend -user:mining", [183360, 183361]),
        ("state:pend !user:mining,etl", [183360]),
        ("queue:root.report", [183354]),
        ("queue:rep", [183354]),
        ("queue:root.rep", []),
        ("reserved>10", [183354]),
        ("state:killed", [183301]),
        ("mem>=60g cont<15", []),
        ("wait>5m", []),
        ("weekly", [183354]),
        ("183354", [183354]),
        ("WEEKLY u:mining", [183354]),
        ('why:"no node"', [183354]),
        ("-state:run -state:pend", [183301]),
    ],
)
def test_a_filter_keeps_what_matches_every_part(words: str, numbers: list[int]) -> None:
    assert _numbers(words) == numbers


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("usr:bob", "no field 'usr' here; did you mean user?"),
        ("wait>soon", "wait>soon: 'soon' is not a duration"),
        ("mem>lots", "memory>lots: 'lots' is not an amount of memory"),
        ("cont>many", "'many' is not a whole number"),
        ("user>5", "user is text, write user:5"),
        ("user:", "nothing is given after :"),
        ("r:1", "r: could be reserved, rvcores, rmemory"),
        ("xyzzy:1", "there are app, user"),
    ],
)
def test_a_mistake_is_told_in_words(words: str, problem: str) -> None:
    with pytest.raises(FilterError) as told:
        parse(words, FIELDS)

    assert problem in str(told.value)


def test_the_longest_wait_is_first_and_the_latest_end_last() -> None:
    """Without a master by wait, running ones that wait, running ones, ended ones from the latest on."""
    rows = [
        fakes.application_row(1, waiting_since_ms=None),
        fakes.application_row(2, state="KILLED", waiting_since_ms=None, finished_ms=fakes.NOW - 9),
        fakes.application_row(3, state="FINISHED", waiting_since_ms=None, finished_ms=fakes.NOW - 1),
        fakes.application_row(4, waiting_since_ms=fakes.NOW - 99_000),
        fakes.application_row(5, state="ACCEPTED", waiting_since_ms=fakes.NOW - 1),
        fakes.application_row(6, state="ACCEPTED", waiting_since_ms=fakes.NOW - 2),
    ]

    places = SortFilter().order(rows, CRITERIA, FILTER_LOOK)

    assert places is not None
    assert [rows[place].number for place in places] == [6, 5, 4, 1, 3, 2]


def test_numbers_are_sorted_downward_words_upward_and_reverse_turns_both() -> None:
    rows = [
        fakes.application_row(1, user="b", waiting_since_ms=None),
        fakes.application_row(2, user="a", waiting_since_ms=fakes.NOW - 5),
        fakes.application_row(3, user="c", waiting_since_ms=fakes.NOW - 9),
    ]

    def sorted_by(name: str, *, reverse: bool = False) -> list[int]:
        places = SortFilter(sort=name, reverse=reverse).order(rows, CRITERIA, FILTER_LOOK)
        assert places is not None
        return [rows[place].number for place in places]

    assert [sorted_by("user"), sorted_by("user", reverse=True)] == [[2, 1, 3], [3, 1, 2]]
    assert [sorted_by("wait"), sorted_by("wait", reverse=True)] == [[3, 2, 1], [2, 3, 1]]


def test_only_problems_are_kept() -> None:
    """What waits or was killed; a starved queue; a node that is out or held; a reservation that is short."""
    cluster = fakes.frozen_cluster()
    sections = {
        "queues": cluster.queues(),
        "nodes": cluster.nodes(),
        "reservations": cluster.reservations(),
        "events": fakes.some_events(),
    }
    look = with_waits(FILTER_LOOK, cluster)
    kept = [[YARN.view(pane).criteria.is_problem(row, look) for row in rows] for pane, rows in sections.items()]

    assert kept[0] == [True, True, True, False]
    assert (all(kept[1]), all(kept[2])) == (True, True)
    assert not YARN.view("nodes").criteria.is_problem(fakes.node_row("n", reserved_by=None), FILTER_LOOK)
    assert not CRITERIA.is_problem(fakes.application_row(9, waiting_since_ms=None), FILTER_LOOK)


def test_every_field_of_every_pane_has_a_value() -> None:
    cluster = fakes.frozen_cluster()
    rows = {
        "applications": cluster.applications(),
        "queues": cluster.queues(),
        "nodes": cluster.nodes(),
        "reservations": cluster.reservations(),
        "events": fakes.some_events(),
    }
    values = [
        field.value(row, FILTER_LOOK)
        for pane, some in rows.items()
        for row in some
        for field in YARN.view(pane).criteria.fields
    ]

    assert all(value is None or isinstance(value, str | int) for value in values)


def test_names_with_numbers_are_sorted_by_the_numbers() -> None:
    rows = [fakes.node_row(host) for host in ("10.1.1.100", "10.1.1.84", "10.1.1.9")]
    criteria = YARN.view("nodes").criteria

    def hosts(*, reverse: bool) -> list[str]:
        places = SortFilter(sort="node", reverse=reverse).order(rows, criteria, FILTER_LOOK)
        assert places is not None
        return [rows[place].host for place in places]

    assert hosts(reverse=False) == ["10.1.1.9", "10.1.1.84", "10.1.1.100"]
    assert hosts(reverse=True) == ["10.1.1.100", "10.1.1.84", "10.1.1.9"]


# What rows name and where they lead, asked of their views; no screen.

FROZEN = SessionState(fakes.frozen_cluster(), RunState("frozen"), fakes.some_events(), 1)


@pytest.mark.parametrize("dialect", [YARN, STANDALONE], ids=["yarn", "spark"])
def test_every_pane_of_the_keymap_has_a_noun_in_every_dialect(dialect: Dialect) -> None:
    """In the order of the digits; views of one pane are told apart by name."""
    assert tuple(dialect.panes) == PANES
    assert all(dialect.panes.values())
    for views in dialect.panes.values():
        assert len({view.variant for view in views}) == len(views)


def test_a_queue_leads_to_its_applications_unless_there_are_none() -> None:
    view = YARN.view("queues")
    used, empty, root = (fakes.queue_row(path) for path in ("root.etl", "root.nobody", "root"))

    assert into(view, used, FROZEN) == NavigationTarget("applications", scope=Scope(QUEUE, "root.etl"))
    assert into(view, empty, FROZEN) == "No application is in root.nobody."
    assert (owner(view, used, FROZEN), owner(view, root, FROZEN)) == (
        NavigationTarget("queues", "root"),
        "root belongs to no other queue.",
    )
