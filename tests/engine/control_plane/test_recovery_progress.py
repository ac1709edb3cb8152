"""A ResourceManager's store, and how far its recovery is, without one."""

from typing import Any

import pytest

from engine.control_plane.recovery import Recovery, store
from engine.model.request import Resource
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
    recovery = recovering()
    setattr(recovery, what, {1: 1} if missing else {})

    assert recovery.look(START_MS + after_ms) is ends
    assert (recovery.state, recovery.since_ms) == (
        ("ACTIVE", START_MS + after_ms) if ends else ("RECOVERING", START_MS + 50)
    )
    assert not recovery.look(START_MS + after_ms)


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
