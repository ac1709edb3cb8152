"""An attempt's asks, its charge to the queues, and containers that outlive it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.ledger import Application, Attempt
from engine.model.request import ANY, Queue, Resource, ResourceRequest
from tests.engine.model.small import allocated, attempt_in, cluster_of, running


def attempt_of(*, forgets_priorities: bool = False, number: int = 1) -> Attempt:
    return Attempt(
        Application(1, "ann", "q", None, 0), number, Queue("q", None), 0, forgets_priorities=forgets_priorities
    )


Row = tuple[int, str, int, int, int]
"""(priority, resource name, MB, vcores, count)"""

ROW = st.tuples(
    st.integers(1, 3), st.sampled_from((ANY, "n1", "/r")), st.integers(1, 3), st.integers(1, 2), st.integers(-1, 3)
)


@given(st.lists(st.lists(ROW, max_size=4), max_size=6), st.booleans())
def test_asks_are_replaced_by_priority_and_name(calls: list[list[Row]], forgets: bool) -> None:
    """The last ask for a place holds; where priorities are forgotten, a `*` of nothing takes all of its priority."""
    attempt, kept = attempt_of(forgets_priorities=forgets), dict[tuple[int, str], Row]()
    for rows in calls:
        before = attempt.pending
        changed = attempt.update_requests([ResourceRequest(*row) for row in rows])

        kept |= {row[:2]: row for row in rows}
        last = {row[:2]: row for row in rows}.values()
        gone = {row[0] for row in last if row[1] == ANY and row[4] <= 0} if forgets else set()
        kept = {key: row for key, row in kept.items() if row[0] not in gone}
        there = {
            (request.priority, name): (request.priority, name, request.memory_mb, request.vcores, request.count)
            for group in attempt.groups.values()
            for name, request in group.by_name.items()
        }
        assert there == kept
        assert attempt.pending == sum(max(0, row[4]) for row in kept.values() if row[1] == ANY)
        assert changed == attempt.pending - before
        assert attempt.asked_memory_mb == sum(row[2] * row[4] for row in kept.values())
        assert attempt.asked_vcores == sum(row[3] * row[4] for row in kept.values())
        for group in attempt.groups.values():
            assert group.anywhere is group.by_name.get(ANY)


@pytest.mark.parametrize(
    ("am", "master", "has_asked", "waits", "asks"),
    [
        (None, None, False, False, False),
        (Resource(1024, 1), None, False, True, True),
        (Resource(1024, 1), None, True, True, False),
        (Resource(1024, 1), 1, False, False, False),
    ],
)
def test_a_managed_attempt_waits_for_its_masters_container(
    am: Resource | None, master: int | None, has_asked: bool, waits: bool, asks: bool
) -> None:
    attempt = attempt_in(cluster_of(), am=am)
    attempt.master = master
    if has_asked:
        attempt.group(0)

    assert attempt.unmanaged is (am is None)
    assert (attempt.waits_for_master, attempt.asks_for_master) == (waits, asks)


def test_running_containers_outlive_an_attempt_but_not_its_master() -> None:
    """Allocated ones and the master's stay behind; the queues go on paying for those that part."""
    cluster = cluster_of()
    attempt = attempt_in(cluster)
    master, worker, other = (running(cluster, attempt, size) for size in (512, 1024, 2048))
    master.is_am = True
    fresh = allocated(cluster, attempt, 4096)
    attempt.marked = {worker.number: worker, fresh.number: fresh}

    kept = attempt.part_with_running()

    assert kept == [worker, other]
    assert attempt.live == {1: master, 4: fresh}
    assert attempt.marked == {4: fresh}
    assert (attempt.used_memory_mb, attempt.used_vcores) == (512 + 4096, 4)
    assert (attempt.queue.used_memory_mb, attempt.queue.used_vcores) == (512 + 1024 + 2048 + 4096, 8)
