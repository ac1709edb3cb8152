"""What stands in the way of an ask of a live cluster: on nodes, in queues, and who holds nodes."""

from typing import Any

import pytest

from engine.live.inference import LiveObstacleFinder, RatedObstacle
from engine.observe.documents import FixedSnapshot
from engine.observe.snapshot import Amounts, ApplicationRow, AskRow, Header
from engine.schedulers.obstacle_texts import Obstacle, Reason
from tests.engine.live.rows import app, ask, capacity_queue, header, node, snapshot

ASKER = app(1, ask(50, 2))
HOLDER = app(2, ask(60, 3), ask(70, 1))
FREE: Amounts = (100, 10)


def on(found: FixedSnapshot, wanted: AskRow = ASKER.listed_asks[0], asker: str = "") -> list[RatedObstacle | None]:
    scene = LiveObstacleFinder(found)
    return [scene.on_node(asker, wanted, each) for each in scene.nodes]


@pytest.mark.parametrize(
    ("scheduler", "free", "total", "found"),
    [
        ("FairScheduler 2.7.2", (50, 2), FREE, None),
        ("FairScheduler 2.7.2", (49, 2), FREE, Obstacle(Reason.DOES_NOT_FIT, (50, 49, 2, 2))),
        ("FairScheduler 2.7.2", (50, 1), FREE, Obstacle(Reason.DOES_NOT_FIT, (50, 50, 2, 1))),
        ("FairScheduler 2.7.2", (0, 0), (50, 1), Obstacle(Reason.NODE_TOO_SMALL, (50, 50, 2, 1))),
        ("CapacityScheduler 2.7.2", (50, 1), FREE, None),
        ("CapacityScheduler 2.7.2", (49, 2), FREE, Obstacle(Reason.DOES_NOT_FIT, (50, 49))),
        ("FifoScheduler 3.4.1", (0, 0), (49, 9), Obstacle(Reason.NODE_TOO_SMALL, (50, 49))),
        ("FifoScheduler 3.4.1", (0, 0), (50, 1), Obstacle(Reason.DOES_NOT_FIT, (50, 0))),
    ],
)
def test_only_fair_scheduler_is_known_to_count_vcores(
    scheduler: str, free: Amounts, total: Amounts, found: Obstacle | None
) -> None:
    said = on(snapshot(header(scheduler=scheduler), nodes=[node("n", free, total)]))

    assert said == [found and RatedObstacle(found, "known")]


@pytest.mark.parametrize(
    ("nodes", "holders", "found"),
    [
        (
            [node("a"), node("b")],
            [HOLDER],
            (
                RatedObstacle(Obstacle(Reason.NODE_RESERVED, (), HOLDER.id), "inferred"),
                "2 of 2 nodes are reserved for 0002",
            ),
        ),
        (
            [node("a")],
            [HOLDER, app(3, ask(90, 1))],
            (RatedObstacle(Obstacle(Reason.NODE_RESERVED), "inferred"), "the only node is reserved"),
        ),
        (
            [node("a")],
            [ASKER],
            (RatedObstacle(Obstacle(Reason.OTHER_FIRST), "unknown"), "what it asks for is not known"),
        ),
    ],
)
def test_of_an_ask_of_unknown_size_only_that_all_is_reserved_can_be_said(
    nodes: list[Any], holders: list[ApplicationRow], found: tuple[RatedObstacle, str]
) -> None:
    scene = LiveObstacleFinder(snapshot(header(len(nodes), nodes=len(nodes)), nodes=nodes, applications=holders))
    marked, words = scene.of_unknown_ask(ASKER.id)

    assert (marked, words) == found


def limits(row: ApplicationRow, *queues: Any, total: Amounts = (1000, 100), **more: Any) -> list[RatedObstacle]:
    """What the queues of an application say to its first ask."""
    whole: Header = header(scheduler=more.pop("scheduler", "CapacityScheduler 3.4.1"), total=total, **more)
    picture = snapshot(whole, queues=list(queues), applications=[row])

    return list(LiveObstacleFinder(picture).in_queues(row, row.listed_asks[0]))


@pytest.mark.parametrize(
    ("state", "limit", "over"), [("ACCEPTED", 149, True), ("ACCEPTED", 150, False), ("RUNNING", 149, False)]
)
def test_one_that_waits_for_its_master_is_bound_by_the_share_of_masters(state: str, limit: int, *, over: bool) -> None:
    row = app(1, ask(50, 2), state=state)
    found = limits(row, capacity_queue("root.q", am_used=(100, 7), am_limit=(limit, 8)))
    said = RatedObstacle(Obstacle(Reason.AM_SHARE_EXHAUSTED, (100, limit, 50, 7, 8, 2), "root.q"), "inferred")

    assert found == [said] * over
