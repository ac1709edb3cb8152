"""A ResourceManager's store, and how far its recovery is, without one."""

from typing import Any

import pytest

from engine.control_plane.recovery import Recovery, store
from engine.model.cluster import Cluster
from engine.model.ledger import Application
from engine.model.resource import Resource
from engine.schedulers.settings import RecoverySettings
from tests.engine.model.small import START_MS, attempt_in, cluster_of

SETTINGS = RecoverySettings(
    enabled=True,
    preserves_work=True,
    wait_ms=10_000,
    node_expiry_ms=600_000,
    recovers_unmanaged=True,
    stores_moves=True,
)


def recovering(*, held_any: bool = True, nodes: int = 0, **changes: Any) -> Recovery:
    """One that was stopped at the start and started 50 ms later."""
    recovery = Recovery(SETTINGS._replace(**changes), START_MS - 1)
    recovery.stop(cluster_of(nodes), START_MS)
    recovery.start(held_any, START_MS + 50)
    return recovery


def test_it_is_there_until_it_is_stopped() -> None:
    """It says since when; down it does not answer."""
    recovery = Recovery(SETTINGS, START_MS)
    assert (recovery.state, recovery.since_ms, recovery.answers, recovery.epoch) == ("ACTIVE", START_MS, True, 0)
    assert recovery.gives_up_ms == START_MS

    recovery.stop(cluster_of(2), START_MS + 7)
    assert (recovery.state, recovery.since_ms, recovery.answers) == ("DOWN", START_MS + 7, False)
    assert (recovery.missing, recovery.nodes_known) == ({"n1:1": None, "n2:1": None}, 2)


def test_it_waits_and_gives_up_by_its_settings() -> None:
    """From its start on; masters of an earlier life are nobody's."""
    recovery = recovering()

    assert (recovery.state, recovery.since_ms, recovery.answers) == ("RECOVERING", START_MS + 50, True)
    assert (recovery.waits_until_ms, recovery.gives_up_ms) == (START_MS + 10_050, START_MS + 600_050)
    assert (recovery.epoch, recovery.last_container_number) == (1, 1 << 40)

    recovery.unregistered, recovery.lost_masters = {1: 1}, {2: 1}
    recovery.stop(cluster_of(0), START_MS + 60)
    recovery.start(True, START_MS + 70)
    assert (recovery.unregistered, recovery.lost_masters, recovery.epoch) == ({}, {}, 2)


@pytest.mark.parametrize(
    ("held_any", "preserves", "waits", "epoch"),
    [(True, True, True, 1), (False, True, False, 1), (True, False, False, 0)],
)
def test_it_waits_only_for_work_that_is_preserved(held_any: bool, preserves: bool, waits: bool, epoch: int) -> None:
    """With an application in its store; the epoch counts starts with work preserved."""
    recovery = recovering(held_any=held_any, preserves_work=preserves)

    assert (recovery.waits_until_ms != -1, recovery.epoch) == (waits, epoch)


@pytest.mark.parametrize(
    ("after_ms", "missing", "ends"),
    [
        (10_050, False, False),
        (10_051, False, True),
        (10_051, True, False),
        (600_049, True, False),
        (600_050, True, True),
    ],
)
@pytest.mark.parametrize("what", ["missing", "unregistered"])
def test_recovery_ends_when_the_wait_is_over_and_all_are_back_or_given_up(
    what: str, after_ms: int, missing: bool, ends: bool
) -> None:
    """Nodes and masters alike; it ends once."""
    recovery = recovering()
    setattr(recovery, what, {1: 1} if missing else {})

    assert recovery.look(START_MS + after_ms) is ends
    assert (recovery.state, recovery.since_ms) == (
        ("ACTIVE", START_MS + after_ms) if ends else ("RECOVERING", START_MS + 50)
    )
    assert not recovery.look(START_MS + after_ms)


def test_a_master_that_is_known_is_not_waited_for() -> None:
    """Whether it was to register or was lost; others are."""
    recovery = recovering()
    recovery.unregistered, recovery.lost_masters = {1: 1, 2: 1}, {1: 5, 3: 5}

    for number in (1, 1, 9):
        recovery.master_known(number)

    assert (recovery.unregistered, recovery.lost_masters) == ({2: 1}, {3: 5})


def described(cluster: Cluster, number: int = 7) -> Application:
    """An application of which nothing is as by default."""
    one = attempt_in(cluster, number, am=Resource(512, 2), attempt=3).application
    one.requested, one.moved_to, one.name, one.type, one.partition = "asked", "root.moved", "etl", "SPARK", "gpu"
    one.tags, one.priority, one.priority_given, one.max_attempts = ("a",), 4, True, 5
    one.attempts_made, one.failed_ms, one.failures_validity_ms, one.keeps_containers = 3, (1, 2), 99, True
    return one


def test_a_stored_application_comes_back_as_its_client_submitted_it() -> None:
    """New, in the queue it asked for, with its failures; its next attempt is the one that lived."""
    cluster = cluster_of()
    described(cluster)
    (stored,) = store(cluster, keeps_moves=True)

    one = stored.application()

    assert (one.number, one.user, one.queue, one.requested, one.am) == (7, "ann", "asked", "asked", Resource(512, 2))
    assert (one.name, one.type, one.partition, one.tags) == ("etl", "SPARK", "gpu", ("a",))
    assert (one.priority, one.priority_given, one.max_attempts, one.submitted_ms) == (4, True, 5, START_MS)
    assert (one.attempts_made, one.failed_ms, one.failures_validity_ms, one.keeps_containers) == (2, (1, 2), 99, True)
    assert (one.state, one.attempt, one.moved_to) == ("NEW", None, "")


@pytest.mark.parametrize(("keeps_moves", "moved_to"), [(True, "root.moved"), (False, "")])
def test_a_move_is_stored_where_moves_are(keeps_moves: bool, moved_to: str) -> None:
    """Applications come in order of their numbers."""
    cluster = cluster_of()
    for number in (9, 7):
        described(cluster, number)

    stored = store(cluster, keeps_moves=keeps_moves)

    assert [(each.number, each.moved_to, each.attempts_made) for each in stored] == [(7, moved_to, 3), (9, moved_to, 3)]


@pytest.mark.parametrize(
    ("am", "master", "lives", "has_attempt"),
    [
        (Resource(1, 1), None, True, False),
        (Resource(1, 1), 4, True, True),
        (None, None, True, True),
        (Resource(1, 1), None, False, True),
    ],
)
def test_an_attempt_is_stored_once_its_masters_container_was_allocated(
    am: Resource | None, master: int | None, lives: bool, has_attempt: bool
) -> None:
    """Or where it needs none; of one that was not recovered nothing more is known."""
    cluster = cluster_of()
    attempt = attempt_in(cluster, am=am)
    attempt.master = master
    if not lives:
        attempt.application.attempt = None

    (stored,) = store(cluster, keeps_moves=True)

    assert (stored.has_attempt, stored.master) == (has_attempt, master)


@pytest.mark.parametrize(("enabled", "kept"), [(True, [1]), (False, [])])
def test_without_a_store_nothing_is_kept(enabled: bool, kept: list[int]) -> None:
    """What was stored before is gone as well."""
    cluster = cluster_of()
    attempt_in(cluster)
    recovery = Recovery(SETTINGS._replace(enabled=enabled), START_MS)

    recovery.stop(cluster, START_MS)

    assert [each.number for each in recovery.stored] == kept
