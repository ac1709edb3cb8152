"""Patterns by their rules, from facts that are made up: what is in the way on which node, who is before whom."""

from typing import Final, cast

import pytest

from engine.control_plane.resource_manager import ResourceManager
from engine.explain.instant import HEAD_OF_LINE, SharedLookahead
from engine.explain.obstacles import AttemptObstacles
from engine.explain.verdict import Proof, Verdict
from engine.explain.waits import WaitEdge
from engine.explain.yarn_explainer import NAMES, Case
from engine.schedulers.obstacle_texts import Obstacle, Reason
from tests.build import ask, attempt_of, heartbeat, resource_manager, submit, update

NO_BASIS: Final = cast("SharedLookahead", None)
FULL = Reason.DOES_NOT_FIT
NAMES_OF_LIMITS = ("AM limit", "user limit", "queue limit")


def case_of(
    rm: ResourceManager,
    number: int,
    *,
    on: tuple[Reason, ...] = (),
    limit: Obstacle | None = None,
    verdict: str = "waiting",
    start_ms: int | None = None,
    cycle: tuple[int, ...] = (),
) -> Case:
    """The facts about an application: the reasons on the first nodes, and who waits for the next one in a cycle."""
    steps = tuple(WaitEdge(one, other, FULL, "") for one, other in zip(cycle, (*cycle[1:], *cycle[:1]), strict=True))
    found = Verdict(verdict, start_ms, Proof(0, 10, 0, None, still=True, cycle=steps))
    on_nodes = tuple(zip(rm.cluster.nodes.values(), map(Obstacle, on), strict=False))
    return Case(NO_BASIS, rm.scheduler, attempt_of(rm, number), AttemptObstacles(limit, on_nodes), found)


def behind(own: int, before: int, *, queue: str = "default") -> tuple[ResourceManager, int]:
    """First come, first served: one that asks for so many containers behind another one."""
    rm = resource_manager("fifo")
    first, late, last = submit(rm, "default"), submit(rm, queue), submit(rm, "default")
    ask(rm, first, before)
    ask(rm, late, own)
    ask(rm, last, 50)
    return rm, late


@pytest.mark.parametrize(
    ("own", "before", "on", "verdict", "is_found"),
    [
        (2, 8, (FULL, Reason.OTHER_FIRST, Reason.NODE_RESERVED), "waiting", True),
        (2, 8, (Reason.RESERVATION_LIMIT,), "starving", True),
        (2, 8, (FULL,), "blocked", True),
        (2, 8, (FULL,), "deadlocked", True),
        (2, 8, (FULL,), "impossible", False),
        (2, 8, (FULL,), "none", False),
        (2, 7, (FULL,), "waiting", False),
        (0, 8, (FULL,), "waiting", False),
        (2, 8, (FULL, Reason.NODE_TOO_SMALL), "waiting", False),
        (2, 8, (Reason.NODE_TOO_SMALL, FULL), "waiting", False),
    ],
)
def test_four_times_as_much_before_it_is_the_head_of_the_line(
    own: int, before: int, on: tuple[Reason, ...], verdict: str, *, is_found: bool
) -> None:
    """Where nothing but that stands in the way on any node, and it asks for something; who is behind does not count."""
    rm, number = behind(own, before)

    assert NAMES[HEAD_OF_LINE](case_of(rm, number, on=on, verdict=verdict)) is is_found


@pytest.mark.parametrize(
    ("limit", "on", "name"),
    [
        (Obstacle(Reason.AM_SHARE_EXHAUSTED), (), "AM limit"),
        (Obstacle(Reason.USER_AM_SHARE_EXHAUSTED), (), "AM limit"),
        (Obstacle(Reason.QUEUE_NOT_RUNNING_IT, (), "user ann"), (), "user limit"),
        (Obstacle(Reason.QUEUE_NOT_RUNNING_IT, (), "root.a"), (), "queue limit"),
        (Obstacle(Reason.QUEUE_OVER_MAXIMUM, (), "root.a"), (), "queue limit"),
        (None, (Reason.USER_OVER_LIMIT, FULL), "user limit"),
        (None, (Reason.USER_OVER_LIMIT, Reason.NODE_TOO_SMALL), ""),
        (None, (FULL,), ""),
        (None, (Reason.QUEUE_OVER_MAXIMUM, FULL), "queue limit"),
        (None, (Reason.QUEUE_WOULD_EXCEED_MAXIMUM,) * 3, "queue limit"),
        (None, (Reason.QUEUE_WOULD_EXCEED_MAXIMUM, FULL), ""),
        (None, (Reason.NODE_TOO_SMALL, Reason.QUEUE_OVER_MAXIMUM), ""),
        (None, (), ""),
    ],
)
def test_a_limit_is_told_where_nothing_else_keeps_it_back(
    limit: Obstacle | None, on: tuple[Reason, ...], name: str
) -> None:
    rm = resource_manager("fair-2.7")
    number = submit(rm, "root.a")
    ask(rm, number, 1)
    case = case_of(rm, number, limit=limit, on=on)

    assert [each for each in NAMES_OF_LIMITS if NAMES[each](case)] == ([name] if name else [])


@pytest.mark.parametrize(
    ("free_mb", "start_ms", "is_reserved", "is_found"),
    [(2048, None, False, True), (2047, None, False, False), (2048, 9, False, False), (2048, None, True, False)],
)
def test_who_insists_on_places_could_have_another_one(
    free_mb: int, start_ms: int | None, *, is_reserved: bool, is_found: bool
) -> None:
    rm = resource_manager("fair-2.7", nodes=1)
    number, large = submit(rm, "root.a"), submit(rm, "root.b")
    ask(rm, number, 1, 2048)
    if is_reserved:
        holder = submit(rm, "root.c")
        ask(rm, holder, 1)
        update(rm)
        heartbeat(rm)
        ask(rm, number, 0, 2048)
        ask(rm, large, 1, 8192)
        update(rm)
        heartbeat(rm)
        ask(rm, number, 1, 2048)
    (node,) = rm.cluster.nodes.values()
    node.free_memory_mb = free_mb
    on = (Reason.LOCALITY_NOT_RELAXED,)

    assert (node.reserved is not None) is is_reserved
    assert NAMES["locality never relaxed"](case_of(rm, number, on=on, start_ms=start_ms)) is is_found
