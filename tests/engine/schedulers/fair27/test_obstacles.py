"""What stands in an application's way under FairScheduler 2.7, asked beforehand and told by offers."""

import pytest

from engine.control_plane.protocol import ApplicationMasterHeartbeat, Ask
from engine.control_plane.resource_manager import ResourceManager
from engine.fork import fork as forked
from engine.model.identity import application_name
from engine.model.ledger import Attempt, Node
from engine.schedulers.activity import Obstacle, Reason
from engine.schedulers.fair.schedulable import FairAttempt
from engine.schedulers.fair27.rules import am_share, am_share_allows
from engine.settings.fair import PREFIX, RESERVATION_RULE
from tests.build import START_MS, ask, attempt_of, heartbeat, resource_manager, submit, update

DELAY = {f"{PREFIX}locality.threshold.node": "1.0", f"{PREFIX}locality.threshold.rack": "1.0"}
OFF = {RESERVATION_RULE.name: "off"}


class Told:
    """Keeps what offers tell."""

    def __init__(self) -> None:
        self.obstacles: list[tuple[int, Obstacle]] = []

    def passed_over(self, attempt: Attempt, node: Node, obstacle: Obstacle) -> None:
        """Keep one, of one application."""
        self.obstacles.append((attempt.application.number, obstacle))


def cluster(queues: str = '<queue name="a"/><queue name="b"/>', nodes: int = 1, **more: str) -> ResourceManager:
    """Nodes of 8 GB."""
    return resource_manager("fair-2.7", queues=queues, nodes=nodes, settings=more)


def on_node(rm: ResourceManager, number: int, node: int = 1) -> Obstacle | None:
    """The obstacle on one node."""
    return rm.scheduler.policy.obstacle_on(attempt_of(rm, number), rm.cluster.nodes[f"n{node}:1"], START_MS)


def in_queue(rm: ResourceManager, number: int) -> Obstacle | None:
    """The obstacle on all nodes."""
    return rm.scheduler.policy.obstacle(attempt_of(rm, number))


def told(rm: ResourceManager, node: int = 1) -> list[tuple[int, Obstacle]]:
    """What an offer of a node tells, tried on a copy."""
    copy, recorder = forked(rm), Told()
    copy.scheduler.policy.recorder = recorder
    heartbeat(copy, node)
    return recorder.obstacles


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


def test_a_reserved_node_is_in_the_way_of_the_others() -> None:
    """With what is held and free; whoever holds it waits for room there."""
    rm = cluster()
    first, second = submit(rm, "root.a"), submit(rm, "root.b")
    ask(rm, first, 1, 5120)
    update(rm)
    heartbeat(rm)
    ask(rm, second, 1, 4096, 2)
    update(rm)
    heartbeat(rm)
    assert rm.cluster.nodes["n1:1"].reserved is not None
    ask(rm, first, 1, 1024)
    holder = application_name(START_MS, second)
    assert on_node(rm, first) == Obstacle(Reason.NODE_RESERVED, (4096, 3072), holder)
    assert on_node(rm, second) == Obstacle(Reason.DOES_NOT_FIT, (4096, 3072, 2, 7))


@pytest.mark.parametrize(("wanted", "reason"), [((8193, 1), Reason.NODE_TOO_SMALL), ((8192, 1), None)])
def test_a_node_may_be_too_small(wanted: tuple[int, int], reason: Reason | None) -> None:
    """By memory; an offer tells the same."""
    rm = cluster(nodes=2)
    number = submit(rm, "root.a")
    rm.cluster.nodes["n1:1"].total_memory_mb = 8192
    attempt = attempt_of(rm, number)
    ask(rm, number, 1, 8192)
    anywhere = next(iter(attempt.groups.values())).anywhere
    assert anywhere is not None
    anywhere.memory_mb = wanted[0]
    found = on_node(rm, number)
    assert (found.reason if found is not None else None) == reason


@pytest.mark.parametrize("name", ["n1", "/r1"])
def test_a_node_on_the_blacklist_is_none(name: str) -> None:
    """By its host or its rack."""
    rm = cluster(nodes=2)
    number = submit(rm, "root.a")
    ask(rm, number, 1)
    rm.handle(ApplicationMasterHeartbeat(number, blacklist_add=(name,)), START_MS)
    assert on_node(rm, number) == Obstacle(Reason.BLACKLISTED)
    assert (on_node(rm, number, 2) is None) == (name == "n1")


def asks(rm: ResourceManager, number: int, *, relax: bool) -> None:
    """Ask for one container of 1 GB on n2."""
    places = (("n2", True), ("/r1", relax), ("*", relax))
    wanted = tuple(Ask(1, place, 1024, 1, 1, relax_locality=is_relaxed) for place, is_relaxed in places)
    rm.handle(ApplicationMasterHeartbeat(number, wanted), START_MS)


def test_an_ask_may_insist_on_its_host() -> None:
    """Another node of the rack is not for it; an offer tells the same."""
    rm = cluster(nodes=2)
    number = submit(rm, "root.a")
    asks(rm, number, relax=False)
    update(rm)
    obstacle = Obstacle(Reason.LOCALITY_NOT_RELAXED)
    assert (on_node(rm, number), on_node(rm, number, 2)) == (obstacle, None)
    assert told(rm) == [(number, obstacle)]


def test_an_ask_waits_for_its_host() -> None:
    """An offer tells the same as is said beforehand."""
    rm = cluster(nodes=2, **DELAY)
    number = submit(rm, "root.a")
    asks(rm, number, relax=True)
    update(rm)
    found = on_node(rm, number)
    assert found is not None
    assert (found.reason, on_node(rm, number, 2)) == (Reason.DELAY_SCHEDULING, None)
    assert [(each, one.reason) for each, one in told(rm)] == [(number, Reason.DELAY_SCHEDULING)]


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


def test_an_offer_tells_nothing_of_who_gets_it() -> None:
    """Nor of whoever asks for nothing."""
    rm = cluster()
    number = submit(rm, "root.a")
    submit(rm, "root.b")
    ask(rm, number, 1)
    update(rm)
    assert told(rm) == []


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


def test_vcores_of_masters_count_under_drf() -> None:
    """Their share is cut to whole ones."""
    rm = cluster('<queue name="a"><maxAMShare>0.3</maxAMShare><schedulingPolicy>drf</schedulingPolicy></queue>')
    attempt = attempt_of(rm, submit(rm, "root.a"))
    assert isinstance(attempt, FairAttempt)
    leaf = attempt.queue
    leaf.fair_memory_mb, leaf.fair_vcores = 10240, 10
    assert am_share(leaf) == (3072, 3)
    assert [am_share_allows(leaf, 1024, vcores) for vcores in (3, 4)] == [True, False]
