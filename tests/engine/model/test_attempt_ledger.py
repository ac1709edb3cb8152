"""An attempt's asks, its charge to the queues, and containers that outlive it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.ledger import Application, Attempt
from engine.model.queue import Queue
from engine.model.request import ANY, NODE_LOCAL, ResourceRequest
from engine.model.resource import Resource
from tests.engine.model.small import allocated, attempt_in, cluster_of, running


def attempt_of(*, forgets_priorities: bool = False, number: int = 1) -> Attempt:
    """An unmanaged attempt in a queue of its own."""
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


def test_groups_stand_by_priority_and_stay() -> None:
    """The lowest number first, whatever came first; asking again for one makes no other."""
    attempt = attempt_of()
    groups = [attempt.group(priority) for priority in (5, 1, 3, 5)]

    assert attempt.priorities == [1, 3, 5]
    assert [group.priority for group in groups] == [5, 1, 3, 5]
    assert groups[0] is groups[3]
    assert set(attempt.groups) == {1, 3, 5}


def test_taking_a_container_counts_it_at_all_its_places() -> None:
    """A container on a host is no longer wanted at host, rack and `*`, and each was counted in what is asked."""
    cluster = cluster_of()
    attempt = attempt_of()
    attempt.update_requests([ResourceRequest(1, name, 1024, 2, 2) for name in ("n1", "/r1", ANY)])

    answered = attempt.take(attempt.groups[1], cluster.nodes["n1:1"], NODE_LOCAL)

    assert [request.resource_name for request in answered] == ["n1", "/r1", ANY]
    assert (attempt.pending, attempt.asked_memory_mb, attempt.asked_vcores) == (1, 3 * 1024, 3 * 2)


def test_a_charge_is_paid_by_the_attempt_and_all_queues_above() -> None:
    """Taking away what was added leaves nothing."""
    root = Queue("root", None)
    parent = Queue("root.etl", root)
    attempt = attempt_in(cluster_of(), queue=Queue("root.etl.daily", parent))
    payers = (attempt, attempt.queue, parent, root)

    attempt.charge(1024, 2)
    attempt.charge(512, 1)
    assert [(each.used_memory_mb, each.used_vcores) for each in payers] == [(1536, 3)] * 4

    attempt.charge(-1536, -3)
    assert [(each.used_memory_mb, each.used_vcores) for each in payers] == [(0, 0)] * 4


def test_container_numbers_count_from_one() -> None:
    """Each is used up once."""
    attempt = attempt_of()

    assert [attempt.next_container_number() for _ in range(3)] == [1, 2, 3]


def test_containers_of_earlier_attempts_have_negative_numbers_of_their_own() -> None:
    """An attempt's own keep their number; no two of others share one, even of the largest counts."""
    attempt = attempt_of(number=3)
    others = [(1, before, count) for before in (1, 2, 4) for count in (1, 2, 2**40 + 1, 2**48 - 1)]

    numbers = [attempt.ledger_number(each) for each in others]

    assert attempt.ledger_number((1, 3, 5)) == 5
    assert numbers[:2] == [-(2**48 + 1), -(2**48 + 2)]
    assert max(numbers) < 0
    assert len(set(numbers)) == len(others)


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
    """Until that is fetched; an unmanaged one waits for none."""
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


def test_the_next_attempt_takes_over_what_outlived_the_one_before() -> None:
    """Under numbers that cannot be its own; its queues pay already."""
    cluster = cluster_of()
    before = attempt_in(cluster)
    workers = [running(cluster, before, size) for size in (1024, 2048)]
    after = attempt_in(cluster, queue=before.queue, attempt=2)

    after.take_over(before.part_with_running())

    assert list(after.live.items()) == [(-(2**48 + 1), workers[0]), (-(2**48 + 2), workers[1])]
    assert [(each.attempt, each.number) for each in workers] == [(after, number) for number in after.live]
    assert [each.id for each in workers] == [(1, 1, 1), (1, 1, 2)]
    assert (after.used_memory_mb, after.used_vcores) == (3072, 4)
    assert (after.queue.used_memory_mb, after.queue.used_vcores) == (3072, 4)
