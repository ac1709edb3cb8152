"""What is the release's own: moves, what stands in the way of an ask, and what leaves are missing."""

import pytest

from engine.control_plane.resource_manager import ResourceManager
from engine.errors import RefusedError
from engine.schedulers.fair.schedulable import FairAttempt, FairLeaf
from engine.schedulers.fair27.assignment import am_share, am_share_allows
from engine.schedulers.fair27.preemption import missing_memory_mb
from engine.schedulers.fair27.scheduler import FairScheduler27
from engine.schedulers.obstacle_texts import Obstacle, Reason
from engine.schedulers.yarn_scheduler import move_to_queue
from engine.settings.fair import RESERVATION_RULE
from tests.build import START_MS, ask, attempt_of, heartbeat, resource_manager, submit, update


def test_an_application_that_a_move_left_in_no_queue_is_refused_every_further_move() -> None:
    """It may not run in the target, as it still counts for its user's limit itself; after that no queue has it."""
    queues = '<queue name="a"/><queue name="b"/><userMaxAppsDefault>1</userMaxAppsDefault>'
    rm = resource_manager("fair-2.7", queues=queues)
    application = rm.cluster.applications[submit(rm, "root.a")]

    for target in ("root.b", "root.default"):
        with pytest.raises(RefusedError) as refused:
            move_to_queue(rm.scheduler, application, target)
        assert refused.value.kind == "IllegalStateException"


# What stands in an application's way under FairScheduler 2.7, asked beforehand and told by offers.


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


# What leaves of 2.7 are missing, at the boundaries of their shares and timeouts.


def _leaf() -> FairLeaf:
    """A leaf with a minimum of 2000 MB, a share of 6000 MB of which half is its threshold, and a demand of 4000 MB."""
    rm = resource_manager(queues='<queue name="a"/>')
    assert isinstance(rm.scheduler.policy, FairScheduler27)
    leaf = rm.scheduler.policy.tree.queues["root.a"]
    assert isinstance(leaf, FairLeaf)
    leaf.min_memory_mb, leaf.fair_memory_mb, leaf.demand_memory_mb, leaf.threshold = 2_000, 6_000, 4_000, 0.5
    leaf.min_share_timeout_ms, leaf.fair_share_timeout_ms = 1_000, 5_000
    leaf.last_min_share_ms = leaf.last_fair_share_ms = START_MS
    return leaf


@pytest.mark.parametrize(
    ("used_mb", "starves"), [(1_999, (True, True)), (2_000, (False, True)), (3_000, (False, False))]
)
def test_a_leaf_starves_below_its_minimum_and_its_threshold(used_mb: int, starves: tuple[bool, bool]) -> None:
    leaf = _leaf()
    leaf.used_memory_mb = used_mb

    assert (leaf.starves_of_min_share, leaf.starves_of_fair_share) == starves


def test_a_leaf_never_starves_for_more_than_it_wants() -> None:
    leaf = _leaf()
    leaf.demand_memory_mb = leaf.used_memory_mb = 1_000
    satisfied = (leaf.starves_of_min_share, leaf.starves_of_fair_share)
    leaf.used_memory_mb = 999

    assert (satisfied, leaf.starves_of_min_share, leaf.starves_of_fair_share) == ((False, False), True, True)


@pytest.mark.parametrize(
    ("after_ms", "used_mb", "missing_mb"),
    [
        (1_000, 500, 0),
        (1_001, 500, 1_500),
        (5_000, 500, 1_500),
        (5_001, 500, 3_500),
        (5_001, 3_900, 100),
        (5_001, 4_100, 0),
    ],
)
def test_memory_is_missed_after_the_timeouts(after_ms: int, used_mb: int, missing_mb: int) -> None:
    """First up to the minimum, then up to the whole share, never more than is wanted."""
    leaf = _leaf()
    leaf.used_memory_mb = used_mb

    assert missing_memory_mb(leaf, START_MS + after_ms) == missing_mb


@pytest.mark.parametrize(("memory_mb", "vcores", "within"), [(1_000, 3, True), (1_001, 3, False), (1_000, 4, False)])
def test_a_maximum_may_be_reached_and_not_exceeded(memory_mb: int, vcores: int, *, within: bool) -> None:
    leaf = _leaf()
    leaf.max_memory_mb, leaf.max_vcores, leaf.used_memory_mb, leaf.used_vcores = 2_000, 5, 1_000, 2

    assert leaf.within_maximum(memory_mb, vcores) is within
    assert leaf.exceeded_by(memory_mb, vcores) is (None if within else leaf)
    assert leaf.within_maximum()
