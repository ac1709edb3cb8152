"""Why something of a live cluster waits, with how sure each reason is."""

from typing import Any

import msgspec
import pytest

from engine.live.live_why import why_application, why_place
from engine.live.yarn_picture import ObservedReservation, snapshot_of_round
from engine.observe.documents import FixedSnapshot
from engine.observe.snapshot import AskRow
from tests.engine.live.recorded import round_of, snapshot_of

FROZEN = round_of("2.7.2-fair")
CULPRIT = "application_1795220500481_0010"
WAITER = 12
"""It waits for its master."""


def reasons_of(snapshot: FixedSnapshot, number: int = WAITER) -> list[tuple[str, int, str]]:
    found = why_application(snapshot, number).reasons
    return [(each.code, each.count, each.certainty) for each in found]


def with_log(count: int) -> FixedSnapshot:
    """The frozen cluster with so many reservations read from the log, all of the culprit."""
    held = [ObservedReservation(each.id, CULPRIT, FROZEN.time_ms) for each in FROZEN.nodes[:count]]
    return snapshot_of_round(FROZEN, 1, {}, held)


def test_nodes_that_one_application_must_hold_are_inferred() -> None:
    """Eleven and one are what the sums say; on four nodes that are alike, whose each is is not known.

    Nothing is inferred of values that are of different rounds.
    """
    mixed = snapshot_of(FROZEN._replace(pages_ms=FROZEN.time_ms - 1))

    assert reasons_of(snapshot_of(FROZEN)) == [("NODE_RESERVED", 8, "inferred"), ("NODE_RESERVED", 4, "inferred")]
    holders = why_application(snapshot_of(FROZEN), WAITER).holders
    assert [len(each.reservations) for each in holders] == [11, 1]
    assert [each.reservations[-1] for each in holders] == ["one of the 4 nodes"] * 2
    assert not mixed.reservations()


def test_where_nobody_says_who_holds_a_node_that_is_unknown() -> None:
    """Two of three reservations stand in the log; with a third holder nobody knows of."""
    metrics = msgspec.structs.replace(FROZEN.metrics, containers_reserved=3)
    held = [ObservedReservation(each.id, CULPRIT, FROZEN.time_ms) for each in FROZEN.nodes[:2]]
    snapshot = snapshot_of_round(FROZEN._replace(metrics=metrics), 1, {}, held)

    assert reasons_of(snapshot) == [("NODE_RESERVED", 2, "known"), ("NODE_RESERVED", 10, "unknown")]


def test_where_there_is_room_the_rest_is_unknown() -> None:
    metrics = msgspec.structs.replace(FROZEN.metrics, containers_reserved=0)

    assert reasons_of(snapshot_of(FROZEN._replace(metrics=metrics))) == [("OTHER_FIRST", 12, "unknown")]


def with_ask(snapshot: FixedSnapshot, ask: AskRow) -> FixedSnapshot:
    """The same in which the waiter asks for something else."""
    rows = [
        msgspec.structs.replace(row, asks=(ask,)) if row.number == WAITER else row for row in snapshot.applications()
    ]
    return snapshot.with_rows("applications", rows)


@pytest.mark.parametrize(
    ("places", "relax", "elsewhere"),
    [(("node01",), False, 11), (("/rack2",), False, 8), (("node01",), True, 0), ((), False, 0)],
)
def test_an_ask_that_insists_on_places_is_refused_elsewhere(
    places: tuple[str, ...], *, relax: bool, elsewhere: int
) -> None:
    """On hosts and racks; one that relaxes locality, or names no place, is not."""
    snapshot = with_ask(with_log(0), AskRow(1, 1, (1024, 1), places, relax))
    found = [count for code, count, sure in reasons_of(snapshot) if (code, sure) == ("LOCALITY_NOT_RELAXED", "known")]

    assert sum(found) == elsewhere


def capacity(**changes: Any) -> list[str]:
    """Codes of the reasons of one that waits under CapacityScheduler, whose queue is so."""
    answers = round_of("3.4.1-capacity")
    snapshot = snapshot_of(answers)
    row = next(each for each in snapshot.applications() if each.state == "ACCEPTED" and each.asks)
    queues = [
        msgspec.structs.replace(each, partitions=(), **changes) if each.path == row.queue else each
        for each in snapshot.queues()
    ]
    return [each.code for each in why_application(snapshot.with_rows("queues", queues), row.number).reasons]


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"max_share": (1024, 1), "used": (1024, 1)}, "QUEUE_OVER_MAXIMUM"),
        ({"am_used": (2048, 2), "am_limit": (2048, 2)}, "AM_SHARE_EXHAUSTED"),
        ({"user_limit": (-1, 0)}, "USER_OVER_LIMIT"),
    ],
)
def test_limits_of_queues_are_inferred(changes: dict[str, Any], code: str) -> None:
    roomy = dict.fromkeys(("max_share", "am_limit", "user_limit"), (10**9, 10**6))

    assert code in capacity(**{**roomy, **changes})
    assert code not in capacity(**roomy)


@pytest.mark.parametrize(("number", "verdict"), [(999, "unknown"), (4, "ended"), (1, "none"), (WAITER, "live")])
def test_a_verdict_is_only_given_where_nothing_has_to_be_played(number: int, verdict: str) -> None:
    """One that is not there, has ended, or asks for nothing; of others none is given."""
    assert why_application(snapshot_of(FROZEN), number).verdict == verdict


def test_who_waits_for_a_node_hears_of_that_node_alone() -> None:
    snapshot = with_log(12)
    found = why_place(snapshot, "node", FROZEN.nodes[3].id).waiting

    assert found
    assert {tuple(reason.nodes) for each in found for reason in each.reasons} == {("node04",)}
