"""Applications of YARN by cause: which group each is in, the order of groups, and their headlines."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
import pytest

from engine.control_plane.cluster_view import RecoveryFigures
from engine.observe.snapshot import ApplicationRow, ObstacleSummary, Release
from tests.tui import fakes
from tui.board.dialects import YARN
from tui.panes.arrangement import SortFilter, parse
from tui.panes.fragments import RenderContext, flat
from tui.protocol.picture import RunState, SessionState

LOOK = RenderContext(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384), 8 * 3_600_000)
RESERVATIONS = YARN.view("reservations").criteria


def _row(number: int, code: str = "DOES_NOT_FIT", waited_s: int | None = 30, **changes: Any) -> ApplicationRow:
    since_ms = None if waited_s is None else fakes.NOW - 1000 * waited_s
    return fakes.application_row(
        number, waiting_since_ms=since_ms, obstacle=ObstacleSummary(code, "a sentence"), **changes
    )


def _first(number: int, code: str, **changes: Any) -> ApplicationRow:
    return _row(number, code, state="ACCEPTED", **changes)


def _picture(nodes: Sequence[Any] = (), **changes: Any) -> SessionState:
    return SessionState(fakes.FakeSnapshot(fakes.header(**changes), nodes=nodes), RunState("x"), (), 0)


def _held(number: int, *hosts: str, **changes: Any) -> list[Any]:
    return [fakes.node_row(host, reserved_by=_row(number).id, **changes) for host in hosts]


class Told(NamedTuple):
    """One group of the pane."""

    key: str
    words: str
    short: str
    note: str
    starts_folded: bool


def _groups(*rows: ApplicationRow, picture: SessionState | None = None) -> list[Told]:
    by_cause = YARN.view("applications").grouping
    assert by_cause is not None
    found = by_cause(rows, picture or _picture(), LOOK)
    assert found is not None
    return [
        Told(each.key, flat(each.words), flat(each.short or []), each.note, each.starts_folded) for each in found.groups
    ]


def _only(*rows: ApplicationRow, picture: SessionState | None = None) -> Told:
    (group,) = _groups(*rows, picture=picture)
    return group


@pytest.mark.parametrize(
    ("held_ms", "keys"),
    [(29_999, ["runs", "room"]), (30_000, ["holds application_1507795051888_0001", "NODE_RESERVED first"])],
)
def test_a_reservation_harms_nobody_for_thirty_seconds(held_ms: int, keys: list[str]) -> None:
    rows = [_row(1, "NODE_RESERVED", waited_s=20, reservations=1), _first(2, "NODE_RESERVED")]
    held = [fakes.reservation_row("n1", application=rows[0].id, since_ms=fakes.NOW - held_ms)]
    snapshot = fakes.FakeSnapshot(fakes.header(), nodes=_held(1, "n1"), reservations=held)
    groups = _groups(*rows, picture=SessionState(snapshot, RunState("x"), (), 0))

    assert sorted(group.key for group in groups) == sorted(keys)


BLOCKED, RAN, ENDED = _row(3, "NODE_RESERVED"), _row(4, waited_s=None), _row(5, state="FINISHED")


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
        ([_first(3, "NO_NODE")], "1 ACCEPTED waits for a container: there is no node", "1 ACCEPTED: there is no node"),
        (
            [_first(3, "NO_NODE"), _row(4, "NO_NODE", state="SUBMITTED")],
            "2 wait for a container: there is no node",
            "2: there is no node",
        ),
    ],
)
def test_the_headline_of_those_that_wait_says_the_cause(rows: list[ApplicationRow], long: str, short: str) -> None:
    group = _only(*rows)

    assert (group.words, group.short) == (long, short)


@pytest.mark.parametrize(
    ("waits", "words", "note"),
    [
        ((40,), "1 waits for room, longest 40s", "folded, 40s"),
        ((40, 61), "2 wait for room, longest 1m01s", "folded, 40s to 1m01s"),
    ],
)
def test_those_that_wait_for_room_tell_the_longest_wait(waits: tuple[int, ...], words: str, note: str) -> None:
    group = _only(*(_row(number, waited_s=waited) for number, waited in enumerate(waits)))

    assert (group.words, group.note) == (words, note)


@pytest.mark.parametrize(("count", "starts_folded"), [(5, False), (6, True)])
def test_many_ended_applications_start_folded(count: int, starts_folded: bool) -> None:
    rows = [_row(0, state="KILLED"), *(_row(number, state="FINISHED") for number in range(1, count))]
    group = _only(*rows)

    assert (group.words, group.starts_folded) == (f"1 KILLED, {count - 1} FINISHED", starts_folded)


@pytest.mark.parametrize(
    ("free", "reserved", "words"),
    [
        ((40960, 1), 12, "1 holds n1 and is 22.5G short there; the other 11 are reserved"),
        ((40960, 1), 11, "1 holds n1 and is 22.5G short there"),
        ((64000, 0), 11, "1 holds n1 and is 1c short there"),
        ((64000, 1), 12, "1 holds n1 and fits there now; the other 11 are reserved"),
    ],
)
def test_a_holder_of_one_node_names_it(free: tuple[int, int], reserved: int, words: str) -> None:
    picture = _picture(_held(2, "n1", free=free), nodes_reserved=reserved)

    assert _only(_row(2, reservations=1), picture=picture).words == words


def test_who_came_back_with_its_control_plane_neither_waits_nor_starts() -> None:
    picture = _picture((), recovery=RecoveryFigures(False, fakes.NOW, 1, 6, 2, -1))
    rows = [_row(each, waited_s=None, state="ACCEPTED", containers=each - 1, pending_containers=0) for each in (1, 2)]

    assert _only(*rows, picture=picture).words == "2 recover: their masters have not registered since"


@pytest.mark.parametrize(("code", "key"), [("MASTER_SILENT", "MASTER_SILENT first"), ("DOES_NOT_FIT", "starts")])
def test_a_first_container_on_a_silent_node_does_not_start(code: str, key: str) -> None:
    row = _first(1, code, waited_s=None, pending_containers=0, containers=1)

    assert _only(row).key == key


# Who frees a reserved node, in a few words and in sentences.

SOON = fakes.NOW + 40 * 60_000
ONE, RESTS = fakes.holder(183340, containers=1, size=(4096, 1)), fakes.holder(183341, waits=False)
MANY = tuple(fakes.holder(183330 + one) for one in range(5))


def _release(outcome: str, time_ms: int | None = SOON, **more: Any) -> Release:
    return Release(outcome, time_ms, **{"from_ms": fakes.NOW, **more})


def test_rows_are_found_and_ordered_by_it() -> None:
    """Who fits first, then by time, never last; what is not known at the very end."""
    releases = [
        Release(""),
        _release("never", None, by=MANY),
        _release("ends", SOON + 60_000, by=(RESTS,)),
        _release("dropped"),
        _release("fits", None),
    ]
    rows = [msgspec.structs.replace(fakes.reservation_row(f"n{i}"), released=one) for i, one in enumerate(releases)]

    def shown(arrangement: SortFilter) -> list[str]:
        places = arrangement.order(rows, RESERVATIONS, LOOK)
        assert places is not None
        return [rows[place].node.split(":")[0] for place in places]

    assert shown(SortFilter(sort="released")) == ["n4", "n3", "n2", "n1", "n0"]
    found = {
        words: shown(SortFilter(parse(f"released:{words}", RESERVATIONS.fields)))
        for words in ("never", "183341", "drop", "fits")
    }
    assert found == {"never": ["n1"], "183341": ["n2"], "drop": ["n3"], "fits": ["n4"]}
