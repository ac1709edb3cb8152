"""What stands in an application's way under FairScheduler 2.7, asked beforehand and told by offers."""

import pytest

from engine.control_plane.resource_manager import ResourceManager
from engine.schedulers.fair.schedulable import FairAttempt
from engine.schedulers.fair27.assignment import am_share, am_share_allows
from engine.schedulers.obstacle_texts import Obstacle, Reason
from engine.settings.fair import RESERVATION_RULE
from tests.build import START_MS, ask, attempt_of, heartbeat, resource_manager, submit, update


def cluster(queues: str = '<queue name="a"/><queue name="b"/>', nodes: int = 1, **more: str) -> ResourceManager:
    return resource_manager("fair-2.7", queues=queues, nodes=nodes, settings=more)


def on_node(rm: ResourceManager, number: int, node: int = 1) -> Obstacle | None:
    return rm.scheduler.policy.obstacle_on(attempt_of(rm, number), rm.cluster.nodes[f"n{node}:1"], START_MS)


def in_queue(rm: ResourceManager, number: int) -> Obstacle | None:
    return rm.scheduler.policy.obstacle(attempt_of(rm, number))


def test_obstacles_in_the_queue_are_told_in_order() -> None:
    """Nothing asked, a limit on running applications, a maximum that is reached, the share of masters."""
    rm = cluster(
        '<queue name="a"><maxRunningApps>1</maxRunningApps><maxResources>2048 mb, 9 vcores</maxResources></queue>'
        '<queue name="b"><maxAMShare>0.0</maxAMShare></queue>'
    )
    running, parked, master = submit(rm, "root.a"), submit(rm, "root.a"), submit(rm, "root.b", am_mb=1024)
    assert in_queue(rm, running) == Obstacle(Reason.NOTHING_ASKED)
    ask(rm, running, 4)
    ask(rm, parked, 1)
    assert in_queue(rm, running) is None
    assert in_queue(rm, parked) == Obstacle(Reason.QUEUE_NOT_RUNNING_IT, (1, 1), "queue root.a")
    update(rm)
    for _ in range(3):
        heartbeat(rm)
    found = in_queue(rm, running)
    assert found is not None
    assert (found.reason, found.subject) == (Reason.QUEUE_OVER_MAXIMUM, "root.a")
    lacks = in_queue(rm, master)
    assert lacks is not None
    assert (lacks.reason, lacks.subject, lacks.numbers[:3]) == (Reason.AM_SHARE_EXHAUSTED, "root.b", (0, 0, 1024))


@pytest.mark.parametrize(("rule", "reason"), [("strict", Reason.DOES_NOT_FIT), ("off", Reason.RESERVATION_LIMIT)])
def test_a_full_node_may_be_held_or_not(rule: str, reason: Reason) -> None:
    """By the rule of reservations; nothing is told where it is held for whoever asks."""
    rm = cluster(nodes=2, **{RESERVATION_RULE.name: rule})
    first, second = submit(rm, "root.a"), submit(rm, "root.b")
    ask(rm, first, 1, 8192)
    update(rm)
    heartbeat(rm)
    ask(rm, second, 1, 2048)
    update(rm)
    found = on_node(rm, second)
    assert found is not None
    assert (found.reason, found.numbers[:2]) == (reason, (2048, 0))


@pytest.mark.parametrize(
    ("share", "used", "wanted", "allows"),
    [
        (0.5, (0, 0), (4096, 9), True),
        (0.5, (0, 0), (4097, 1), False),
        (0.5, (1024, 1), (3072, 1), True),
        (0.5, (1024, 1), (3073, 1), False),
        (-1.0, (0, 0), (99999, 1), True),
        (0.0, (0, 0), (0, 0), True),
        (0.0, (0, 0), (1, 0), False),
    ],
)
def test_masters_have_a_share_of_the_fair_share(
    share: float, used: tuple[int, int], wanted: tuple[int, int], allows: bool
) -> None:
    """Of memory alone, where the queue's policy counts no vcores; -1 switches it off."""
    rm = cluster(f'<queue name="a"><maxAMShare>{share}</maxAMShare></queue>')
    attempt = attempt_of(rm, submit(rm, "root.a"))
    assert isinstance(attempt, FairAttempt)
    leaf = attempt.queue
    leaf.fair_memory_mb, leaf.fair_vcores = 8192, 8
    leaf.am_memory_mb, leaf.am_vcores = used
    assert am_share_allows(leaf, *wanted) == allows
    assert am_share(leaf)[0] == int(8192 * share)
