"""Applications of YARN by cause: which group each is in, the order of groups, and their headlines."""

from collections.abc import Sequence
from typing import Any

import pytest

from engine.observe.snapshot import UNKNOWN, ApplicationRow, ObstacleSummary
from tests.tui import fakes
from tui.panes import application
from tui.panes.cause import by_cause, ended_group, held_nodes, waiters
from tui.panes.group import Grouping, RowGroup
from tui.panes.line import RenderContext, flat
from tui.protocol.picture import RunState, SessionState

LOOK = RenderContext(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384), 8 * 3_600_000)
COLUMNS, CALM = application.SORTED_COLUMNS, application.SORTED_COLUMNS[:2]


def _row(number: int, code: str = "DOES_NOT_FIT", waited_s: int | None = 30, **changes: Any) -> ApplicationRow:
    since_ms = None if waited_s is None else fakes.NOW - 1000 * waited_s
    return fakes.application_row(
        number, waiting_since_ms=since_ms, obstacle=ObstacleSummary(code, "a sentence"), **changes
    )


def _first(number: int, code: str, **changes: Any) -> ApplicationRow:
    return _row(number, code, state="ACCEPTED", **changes)


def _holder(number: int, count: int) -> ApplicationRow:
    return _row(number, reservations=count)


def _picture(nodes: Sequence[Any] = (), **changes: Any) -> SessionState:
    return SessionState(fakes.FakeSnapshot(fakes.header(**changes), nodes=nodes), RunState("x"), (), 0)


def _held(number: int, *hosts: str, **changes: Any) -> list[Any]:
    return [fakes.node_row(host, reserved_by=_row(number).id, **changes) for host in hosts]


def _grouping(*rows: ApplicationRow, picture: SessionState | None = None) -> Grouping:
    return by_cause(rows, picture or _picture(), LOOK, COLUMNS, CALM)


def _keys(*rows: ApplicationRow) -> list[str]:
    return [group.key for group in _grouping(*rows).groups]


def _only(*rows: ApplicationRow, picture: SessionState | None = None) -> RowGroup:
    (group,) = _grouping(*rows, picture=picture).groups
    return group


@pytest.mark.parametrize(
    ("row", "key"),
    [
        (_row(1, state="KILLED", reservations=2), "ended"),
        (_row(1, reservations=1), "holds"),
        (_row(1, waited_s=None), "runs"),
        (_row(1, waited_s=29), "runs"),
        (_row(1, waited_s=30), "room"),
        (_row(1, "NODE_RESERVED", waited_s=29), "NODE_RESERVED RUNNING"),
        (_first(1, "DOES_NOT_FIT", waited_s=29), "room"),
        (_first(1, "NODE_RESERVED"), "NODE_RESERVED first"),
        (_first(1, "SOMETHING_NEW"), "room"),
        (_row(1, reservations=UNKNOWN), "room"),
    ],
)
def test_each_application_is_in_the_group_of_its_cause(row: ApplicationRow, key: str) -> None:
    """One with a master that has waited less than 30 s for room counts among those that run."""
    assert _keys(row) == [key]


@pytest.mark.parametrize(
    ("held_ms", "keys"),
    [(29_999, ["runs", "room"]), (30_000, ["holds application_1507795051888_0001", "NODE_RESERVED first"])],
)
def test_a_reservation_harms_nobody_for_thirty_seconds(held_ms: int, keys: list[str]) -> None:
    """Till then its holder and those behind it are where they would be without it."""
    rows = [_row(1, "NODE_RESERVED", waited_s=20, reservations=1), _first(2, "NODE_RESERVED")]
    held = [fakes.reservation_row("n1", application=rows[0].id, since_ms=fakes.NOW - held_ms)]
    snapshot = fakes.FakeSnapshot(fakes.header(), nodes=_held(1, "n1"), reservations=held)
    grouping = _grouping(*rows, picture=SessionState(snapshot, RunState("x"), (), 0))

    assert sorted(group.key for group in grouping.groups) == sorted(keys)


BLOCKED, RAN, ENDED = _row(3, "NODE_RESERVED"), _row(4, waited_s=None), _row(5, state="FINISHED")


def test_groups_stand_in_the_order_of_causes() -> None:
    """Holders, the largest group that waits, then smaller ones, then room, those that run, those that ended."""
    rows = [ENDED, RAN, _row(6), _row(7), BLOCKED, _first(8, "NO_NODE"), _first(9, "NO_NODE"), _holder(2, 1)]

    assert _keys(*rows) == ["holds", "NO_NODE first", "NODE_RESERVED RUNNING", "room", "runs", "ended"]


def test_holders_stand_behind_where_nobody_waits_for_them() -> None:
    assert _keys(_holder(2, 1), _row(6), RAN) == ["room", "holds", "runs"]


def test_rows_keep_their_order_within_a_group() -> None:
    groups = {group.key: list(group.places) for group in _grouping(RAN, BLOCKED, RAN, BLOCKED).groups}

    assert groups == {"NODE_RESERVED RUNNING": [1, 3], "runs": [0, 2]}


@pytest.mark.parametrize(
    ("row", "columns"),
    [(RAN, CALM), (_row(1), CALM), (BLOCKED, COLUMNS), (_first(1, "NO_NODE"), COLUMNS), (_holder(2, 1), CALM)],
)
def test_columns_for_trouble_need_more_than_a_wait_for_room(row: ApplicationRow, columns: Sequence[Any]) -> None:
    assert _grouping(row).columns is columns


@pytest.mark.parametrize(
    ("rows", "long", "short"),
    [
        (
            [BLOCKED],
            "1 RUNNING waits for one container more and keeps what it has",
            "1 RUNNING: every node is reserved",
        ),
        (
            [BLOCKED, _row(4, "NODE_RESERVED", pending_containers=2)],
            "2 RUNNING wait for more containers and keep what they have",
            "2 RUNNING: every node is reserved",
        ),
        (
            [_row(3, "USER_OVER_LIMIT")],
            "1 RUNNING waits for one container more and keeps what it has: the user is at a limit",
            "1 RUNNING: the user is at a limit",
        ),
        (
            [_first(3, "NO_NODE")],
            "1 ACCEPTED waits for its first container: there is no node",
            "1 ACCEPTED: there is no node",
        ),
        (
            [_first(3, "NO_NODE"), _row(4, "NO_NODE", state="SUBMITTED")],
            "2 wait for their first container: there is no node",
            "2: there is no node",
        ),
    ],
)
def test_the_headline_of_those_that_wait_says_the_cause(rows: list[ApplicationRow], long: str, short: str) -> None:
    """With a long and a short form; of applications in several states only the number is told."""
    group = _only(*rows)

    assert (flat(group.words), flat(group.short or [])) == (long, short)


@pytest.mark.parametrize(
    ("waits", "words", "note"),
    [
        ((40,), "1 waits for room, longest 40s", "folded, 40s"),
        ((40, 61), "2 wait for room, longest 1m01s", "folded, 40s to 1m01s"),
    ],
)
def test_those_that_wait_for_room_tell_the_longest_wait(waits: tuple[int, ...], words: str, note: str) -> None:
    group = _only(*(_row(number, waited_s=waited) for number, waited in enumerate(waits)))

    assert (flat(group.words), group.note) == (words, note)


@pytest.mark.parametrize(("count", "starts_folded"), [(5, False), (6, True)])
def test_many_ended_applications_start_folded(count: int, starts_folded: bool) -> None:
    rows = [_row(0, state="KILLED"), *(_row(number, state="FINISHED") for number in range(1, count))]
    group = ended_group(range(count), waiters(rows, LOOK))

    assert (flat(group.words), group.starts_folded) == (f"1 KILLED, {count - 1} FINISHED", starts_folded)


@pytest.mark.parametrize(("free_mb", "fits"), [(63999, False), (64000, True)])
def test_a_holder_fits_when_its_best_node_has_what_it_asks(free_mb: int, fits: bool) -> None:
    nodes = [*_held(2, "n1", free=(free_mb, 1)), *_held(2, "n2", free=(0, 1))]
    words = flat(_only(_holder(2, 2), picture=_picture(nodes)).words)

    assert (words == "1 holds 2 of 12 nodes and fits on one of them now") == fits


def test_amounts_of_a_headline_that_differ_are_said_apart() -> None:
    nodes = _held(1, "a", "b", reserved=(64000, 1), free=(63999, 9))

    assert "asks for 64000M, the most free is 63999M" in flat(_only(_holder(1, 2), picture=_picture(nodes)).words)


def test_a_holder_without_room_tells_what_it_asks_and_what_is_free() -> None:
    group = _only(_holder(2, 2), picture=_picture(_held(2, "n1", "n2")))

    assert [flat(words) for words in (group.words, group.short or [])] == [
        "1 holds 2 of 12 nodes and has room on none: it asks for 62.5G, the most free is 40G",
        "1 holds 2 of 12 nodes and is 22.5G short on the best of them",
    ]


@pytest.mark.parametrize(
    ("free_mb", "reserved", "words"),
    [
        (40960, 12, "1 holds n1 and is 22.5G short there; the other 11 are reserved"),
        (40960, 11, "1 holds n1 and is 22.5G short there"),
        (64000, 12, "1 holds n1 and fits there now; the other 11 are reserved"),
    ],
)
def test_a_holder_of_one_node_names_it(free_mb: int, reserved: int, words: str) -> None:
    picture = _picture(_held(2, "n1", free=(free_mb, 1)), nodes_reserved=reserved)

    assert flat(_only(_holder(2, 1), picture=picture).words) == words


@pytest.mark.parametrize(("count", "keys"), [(3, 3), (4, 2)])
def test_of_many_holders_only_the_first_has_a_group_of_its_own(count: int, keys: int) -> None:
    nodes = [node for number in range(count) for node in _held(number, f"n{number}")]
    groups = _grouping(*(_holder(number, number + 1) for number in range(count)), picture=_picture(nodes)).groups

    assert (len(groups), groups[0].key) == (keys, f"holds {_row(count - 1).id}")
    assert (flat(groups[-1].words) == "3 hold 6 nodes between them") == (count == 4)


def test_held_nodes_are_found_by_their_holder() -> None:
    """With the largest reservation and what is free at most; nodes that are not reserved are left out."""
    nodes = [
        *_held(2, "n1", free=(10, 1)),
        *_held(2, "n2", free=(30, 1), reserved=(5, 1)),
        fakes.node_row("n3", reserved_by=None),
    ]
    (held,) = held_nodes(_picture(nodes).snapshot).values()

    assert held == (["n1:45454", "n2:45454"], 64000, 30)


@pytest.mark.parametrize(("code", "key"), [("MASTER_SILENT", "MASTER_SILENT first"), ("DOES_NOT_FIT", "starts")])
def test_a_first_container_on_a_silent_node_does_not_start(code: str, key: str) -> None:
    row = _first(1, code, waited_s=None, pending_containers=0, containers=1)

    assert _keys(row) == [key]
