"""Why applications wait, a little at a time."""

from collections.abc import Sequence

import pytest

from engine.control_plane.protocol import ApplicationMasterHeartbeat, Ask, Event, NodeResized
from engine.control_plane.resource_manager import ResourceManager
from engine.control_plane.spark_events import (
    DriverSubmitted,
    ExecutorProfile,
    ExecutorsRequested,
    WorkerDecommissioned,
    WorkerRegistered,
)
from engine.observe.obstacles import NOT_YET, ObstacleCache, alike, obstacle_summary
from engine.observe.snapshot import ObstacleSummary
from engine.observe.yarn_snapshot import YarnSnapshot
from tests.build import START_MS, ask, attempt_of, heartbeat, resource_manager, submit, update
from tests.engine.observe.test_spark_snapshot import WORKER, application, refusal


def _waiting(users: int) -> ResourceManager:
    """Two full nodes; so many applications wait, each in a queue of its own."""
    rm = resource_manager(nodes=2, memory_mb=4096)
    ask(rm, submit(rm, "root.filler"), 2, 4096)
    update(rm)
    for node in (1, 2):
        heartbeat(rm, node)
    for number in range(users):
        ask(rm, submit(rm, f"root.q{number}"), 1, 4096)
    update(rm)
    return rm


def _codes(rm: ResourceManager, whys: ObstacleCache) -> list[str]:
    rows = YarnSnapshot(rm, START_MS, whys).applications()
    return [row.obstacle.code for row in rows if row.obstacle is not None]


def test_what_was_not_answered_is_worked_off() -> None:
    rm, whys = _waiting(3), ObstacleCache(at_once=0)
    before = _codes(rm, whys), YarnSnapshot(rm, START_MS, whys).version("applications")
    _ = _codes(rm, whys)
    was_behind = whys.is_behind
    done = whys.work(100, START_MS)
    after = _codes(rm, whys), YarnSnapshot(rm, START_MS, whys).version("applications")

    assert (before[0], after[0]) == ([NOT_YET.code] * 3, ["DOES_NOT_FIT"] * 3)
    assert (was_behind, done, whys.is_behind, before[1] != after[1]) == (True, True, False, True)


def test_no_answer_survives_another_resource_manager() -> None:
    """An application there is alike and the version the same, but the nodes are not."""
    full, roomy, whys = _waiting(1), _waiting(1), ObstacleCache()
    first = _codes(full, whys)
    for node in (1, 2):
        roomy.handle(NodeResized(f"n{node}:1", 16_384, 8), START_MS)
    roomy.cluster.version = full.cluster.version

    assert (first, _codes(roomy, whys)) == (["DOES_NOT_FIT"], ["OTHER_FIRST"])


@pytest.mark.parametrize(("nodes", "answers"), [(0, 1), (1, 3)])
def test_an_answer_costs_a_look_a_node_and_at_least_one(nodes: int, answers: int) -> None:
    """Three looks are enough for three of one node each; where there is no node one answer needs no look."""
    rm = resource_manager(nodes=nodes)
    for number in range(4):
        ask(rm, submit(rm, f"root.q{number}"), 1)
    codes = _codes(rm, ObstacleCache(at_once=3 * nodes))

    assert [code == NOT_YET.code for code in codes] == [False] * answers + [True] * (4 - answers)


def test_applications_that_ask_alike_share_an_answer() -> None:
    """Of one user in one queue; how many containers each wants makes no difference, nor what is wanted no more."""
    rm = resource_manager()
    one, more, done = (submit(rm, "root.a") for _ in range(3))
    ask(rm, one, 1)
    ask(rm, more, 2)
    ask(rm, done, 1)
    ask(rm, done, 3, 2048, priority=2)
    ask(rm, done, 0, 2048, priority=2)
    keys = [alike(attempt_of(rm, number)) for number in (one, more, done)]

    assert None not in keys
    assert keys == [keys[0]] * 3


def test_applications_that_differ_have_answers_of_their_own() -> None:
    """In queue, user, size, or the size of a master that is not running yet."""
    rm = resource_manager()
    numbers = [
        submit(rm, "root.a"),
        submit(rm, "root.b"),
        submit(rm, "root.a", user="bob"),
        submit(rm, "root.a"),
        submit(rm, "root.a", am_mb=1024),
        submit(rm, "root.a", am_mb=2048),
    ]
    for number in (*numbers[:3], *numbers[4:]):
        ask(rm, number, 1)
    ask(rm, numbers[3], 1, 2048)

    assert len({alike(attempt_of(rm, number)) for number in numbers}) == len(numbers)


def test_who_has_places_reservations_or_a_blacklist_is_like_nobody() -> None:
    rm = resource_manager(nodes=1, memory_mb=4096)
    ask(rm, submit(rm, "root.filler"), 1, 4096)
    update(rm)
    heartbeat(rm)
    holds, choosy, picky, plain = (submit(rm, f"root.{name}") for name in ("holds", "choosy", "picky", "plain"))
    ask(rm, holds, 1)
    update(rm)
    heartbeat(rm)
    rm.handle(ApplicationMasterHeartbeat(choosy, (Ask(1, "*", 1024, 1, 1),), blacklist_add=("n1",)), START_MS)
    rm.handle(ApplicationMasterHeartbeat(picky, (Ask(1, "n9", 1024, 1, 1), Ask(1, "*", 1024, 1, 1))), START_MS)
    ask(rm, plain, 1)

    assert len(attempt_of(rm, holds).reserved) == 1
    assert [alike(attempt_of(rm, number)) is None for number in (holds, choosy, picky, plain)] == [
        True,
        True,
        True,
        False,
    ]


def test_the_size_of_a_master_counts_until_it_runs() -> None:
    rm = resource_manager(nodes=1)
    update(rm)
    unmanaged, running, waiting = submit(rm), submit(rm, am_mb=1024), submit(rm, am_mb=1024)
    update(rm)
    heartbeat(rm)
    keys = [alike(attempt_of(rm, number)) for number in (unmanaged, running, waiting)]

    assert len(attempt_of(rm, running).live) == 1
    assert [None if key is None else key[2] for key in keys] == [None, None, (1024, 1)]


# The sentence that says why an application waits, where several nodes stand in the way.


def _filled(*free_mb: int) -> ResourceManager:
    """A node of 8192 MB for each number, of which so much is free."""
    rm = resource_manager(nodes=len(free_mb), memory_mb=8192)
    filler = submit(rm, "root.filler")
    for node, free in enumerate(free_mb, start=1):
        ask(rm, filler, 1, 8192 - free)
        update(rm)
        heartbeat(rm, node)
    return rm


def _sentence(rm: ResourceManager, number: int) -> str:
    found = obstacle_summary(rm.scheduler, attempt_of(rm, number), START_MS)
    assert found is not None
    return found.sentence


def _reserve(rm: ResourceManager, queue: str, nodes: Sequence[int]) -> None:
    """An application that insists on some hosts and is too large for them reserves them."""
    number = submit(rm, queue)
    hosts = tuple(Ask(1, f"n{node}", 8192, 1, 1) for node in nodes)
    rack = (Ask(1, "/r1", 8192, 1, len(nodes), False), Ask(1, "*", 8192, 1, len(nodes), False))
    rm.handle(ApplicationMasterHeartbeat(number, (*hosts, *rack)), START_MS)
    update(rm)
    for node in nodes:
        heartbeat(rm, node)


@pytest.mark.parametrize("free", [(2048, 4096, 3072), (4096, 3072, 2048), (2048, 3072, 4096)])
def test_the_freest_node_comes_nearest(free: tuple[int, ...]) -> None:
    rm = _filled(*free)
    number = submit(rm, "root.large")
    ask(rm, number, 1, 8192)
    update(rm)

    best = f"n{free.index(4096) + 1}"
    assert _sentence(rm, number) == f"3 of 3 nodes too full; best {best}: 4096 MB free of 8192 MB wanted"


@pytest.mark.parametrize(
    ("holders", "words"),
    [
        (((1, 2), (3,)), "3 of 3 nodes reserved by 0002 and 0003"),
        (((1,), (2, 3)), "3 of 3 nodes reserved by 0003 and 0002"),
        (((1, 2), (3,), (4,)), "4 of 4 nodes reserved by 0002 and 0003 and 1 more"),
        (((1, 2), (3,), (4,), (5,)), "5 of 5 nodes reserved by 0002 and 0003 and 2 more"),
    ],
)
def test_who_holds_most_nodes_is_named_first(holders: Sequence[Sequence[int]], words: str) -> None:
    rm = _filled(*[4096] * sum(map(len, holders)))
    for place, nodes in enumerate(holders):
        _reserve(rm, f"root.q{place}", nodes)
    late = submit(rm, "root.late")
    ask(rm, late, 1)
    update(rm)

    assert _sentence(rm, late) == words


# Why a Spark application is not given more, at the boundaries of each reason.

SMALL = WorkerRegistered("s:1", "w0", 1, 256, "/r")


def _reason(*events: Event) -> ObstacleSummary:
    found = refusal(*events)
    assert found is not None
    return found


def test_a_worker_just_as_large_as_an_executor_is_large_enough() -> None:
    """In memory and in cores; what runs there is in the way, not its size."""
    exact = application(4096, 4, 4)

    assert _reason(WORKER, DriverSubmitted(1, 64), exact).code == "DOES_NOT_FIT"
    assert _reason(WORKER, application(4097, 4, 4)).code == "NODE_TOO_SMALL"
    assert _reason(WORKER, application(4096, 5, 5)).code == "NODE_TOO_SMALL"


def test_one_worker_that_is_large_enough_is_enough() -> None:
    assert _reason(SMALL, WORKER, DriverSubmitted(4, 64), application(512, 4, 2)).code == "DOES_NOT_FIT"


def test_the_worker_that_comes_nearest_is_named() -> None:
    """Both figures are those of one worker, and not of one that does not exist."""
    wide = WorkerRegistered("b:1", "w2", 8, 512, "/r")
    reason = _reason(SMALL, WORKER, wide, application(9999, 4, 2))

    assert "(the nearest has 4 cores and 4096 MB)" in reason.sentence


def test_workers_with_cores_and_without_memory_are_counted() -> None:
    reason = _reason(SMALL, WORKER, DriverSubmitted(2, 4000), application(512, 4, 2))

    assert reason.sentence.startswith("1 of 2 workers have the cores, none of them 512 MB")


def test_one_worker_with_room_makes_it_wait_for_an_event() -> None:
    """The Master looks only when something happens; a worker without room changes nothing about that."""
    other = WorkerRegistered("b:1", "w2", 4, 4096)
    reason = _reason(WORKER, SMALL, application(64, 4, 4), other, WorkerDecommissioned("a:1"))

    assert reason.code == "WAITS_FOR_EVENT"


def test_without_cores_the_most_that_are_free_are_named() -> None:
    reason = _reason(SMALL, WORKER, DriverSubmitted(2, 64), application(64, 4, 3))

    assert reason.sentence.startswith("no worker has 3 cores free (the most is 2)")


def test_a_maximum_of_exactly_one_executor_is_not_too_small() -> None:
    profiles = ExecutorsRequested(0, ((0, 0), (1, 0)), (ExecutorProfile(1, 1, 256),))

    assert _reason(WORKER, application(512, 2, 2, 0)).code == "NOTHING_ASKED"
    assert _reason(application(512, 1, 2), profiles).code == "NOTHING_ASKED"
