"""The FIFO scheduler beside its recorded cases: obstacles, blacklists, moves, idleness."""

from engine.control_plane.protocol import (
    ApplicationMasterHeartbeat,
    ApplicationMovedToQueue,
    ApplicationSubmitted,
    Ask,
    NodeJoined,
    NodeResized,
    SettingsChanged,
)
from engine.model.request import Resource
from engine.schedulers.interface import UNKNOWN
from engine.schedulers.obstacle_texts import Reason
from tests.build import START_MS, ask, attempt_of, fetch, heartbeat, resource_manager, submit, update


def test_applications_are_served_by_id_and_a_node_is_filled_at_once() -> None:
    rm = resource_manager("fifo", nodes=1, memory_mb=4096, vcores=1)
    first, second = submit(rm), submit(rm)
    ask(rm, second, 5)
    ask(rm, first, 3)

    heartbeat(rm)

    assert [len(fetch(rm, number).granted) for number in (first, second)] == [3, 1]


def test_the_lower_number_is_served_first_even_when_it_came_later() -> None:
    rm = resource_manager("fifo", nodes=1, memory_mb=4096)
    for number in (9, 5):
        rm.handle(ApplicationSubmitted("u", "default", application=number), START_MS)
        ask(rm, number, 3)

    heartbeat(rm)

    assert [len(fetch(rm, number).granted) for number in (5, 9)] == [3, 1]


def test_a_blacklisted_node_gives_nothing() -> None:
    rm = resource_manager("fifo", nodes=1)
    number = submit(rm)
    rm.handle(ApplicationMasterHeartbeat(number, (Ask(1, "*", 1024, 1, 1),), blacklist_add=("n1",)), START_MS)

    heartbeat(rm)

    obstacle = rm.scheduler.policy.obstacle_on(attempt_of(rm, number), rm.cluster.nodes["n1:1"], START_MS)
    assert fetch(rm, number).granted == ()
    assert obstacle is not None
    assert obstacle.reason is Reason.BLACKLISTED


def test_the_probe_tells_a_full_node_from_a_small_one() -> None:
    rm = resource_manager("fifo", nodes=2, memory_mb=4096)
    rm.handle(NodeJoined("big:1", "/r1", 8192, 8), START_MS)
    number = submit(rm)
    ask(rm, number, 2, 6144)
    nodes, attempt = rm.cluster.nodes, attempt_of(rm, number)

    reasons = [rm.scheduler.policy.obstacle_on(attempt, nodes[name], START_MS) for name in ("n1:1", "big:1")]
    rm.handle(ApplicationMasterHeartbeat(number), START_MS)
    heartbeat_of_big = rm.scheduler.policy.offer(nodes["big:1"], START_MS)
    after = rm.scheduler.policy.obstacle_on(attempt, nodes["big:1"], START_MS)

    assert reasons[0] is not None
    assert reasons[0].reason is Reason.NODE_TOO_SMALL
    assert reasons[1] is None
    assert len(heartbeat_of_big) == 1
    assert after is not None
    assert after.reason is Reason.DOES_NOT_FIT


def test_who_asks_for_nothing_is_held_back_by_nothing_asked() -> None:
    rm = resource_manager("fifo", nodes=1)
    attempt = attempt_of(rm, submit(rm))

    in_queue = rm.scheduler.policy.obstacle(attempt)
    on_node = rm.scheduler.policy.obstacle_on(attempt, rm.cluster.nodes["n1:1"], START_MS)

    assert in_queue is not None
    assert on_node is not None
    assert {in_queue.reason, on_node.reason} == {Reason.NOTHING_ASKED}


def test_an_offer_need_not_be_repeated_while_nothing_changes() -> None:
    rm = resource_manager("fifo", nodes=1)
    number = submit(rm)
    heartbeat(rm)

    before = rm.heartbeat_is_idle("n1:1")
    ask(rm, number, 1)

    assert (before, rm.heartbeat_is_idle("n1:1")) == (True, False)


def test_a_node_where_nothing_fits_need_not_be_offered() -> None:
    """A node with less room than the smallest ask is idle after an offer of another, one with just enough is not."""
    rm = resource_manager("fifo", nodes=3, memory_mb=4096)
    number = submit(rm)
    ask(rm, number, 1, 2048)
    heartbeat(rm)
    ask(rm, number, 1, 3072)

    heartbeat(rm)
    idle = [rm.heartbeat_is_idle(node) for node in ("n1:1", "n2:1")]
    rm.handle(NodeResized("n2:1", 3072, 8), START_MS)
    rm.handle(NodeResized("n3:1", 3071, 8), START_MS)
    heartbeat(rm)

    assert idle == [True, False]
    assert [rm.heartbeat_is_idle(node) for node in ("n1:1", "n2:1", "n3:1")] == [True, False, True]


def test_an_offer_of_any_node_brings_the_headrooms_up_to_date() -> None:
    """A new application's is nothing before it; after it no node need be offered."""
    rm = resource_manager("fifo", nodes=2, memory_mb=4096)
    number = submit(rm)
    before = rm.scheduler.policy.headroom(attempt_of(rm, number)), rm.all_nodes_idle(), rm.heartbeat_is_idle("n2:1")

    heartbeat(rm)

    assert before == (Resource(0, 0), False, False)
    assert rm.scheduler.policy.headroom(attempt_of(rm, number)) == Resource(8192, 16)
    assert (rm.all_nodes_idle(), rm.heartbeat_is_idle("n2:1")) == (True, True)


def test_fifo_refuses_what_it_does_not_have() -> None:
    rm = resource_manager("fifo")
    number = submit(rm)

    answers = [
        rm.handle(event, START_MS)
        for event in (ApplicationMovedToQueue(number, "other"), SettingsChanged({"preemption": "true"}))
    ]

    assert [answer.rejected for answer in answers] == ["YarnException", "IllegalArgumentException"]


def test_an_ask_of_no_memory_takes_as_many_as_asked() -> None:
    rm = resource_manager(
        "fifo", nodes=1, settings={"yarn.scheduler.minimum-allocation-mb": "0"}, follow_attempts=False
    )
    number = submit(rm)
    ask(rm, number, 2, memory_mb=0)

    heartbeat(rm)

    assert len(fetch(rm, number).granted) == 2


def test_nodes_may_be_named_with_their_port() -> None:
    rm = resource_manager("fifo", nodes=1, settings={"yarn.scheduler.include-port-in-node-name": "true"})

    assert rm.cluster.nodes["n1:1"].name == "n1:1"


# What observers are told of the FIFO scheduler.


def test_fifo_reserves_and_preempts_nothing() -> None:
    rm = resource_manager("fifo", nodes=1)
    number = submit(rm)
    view = rm.scheduler.policy.view()

    assert (view.reserved(), view.preemption(), view.reservation_rule()) == ((0, 0), UNKNOWN, "")
    assert (view.settings(), view.is_first_come(attempt_of(rm, number))) == ((), True)


def test_its_one_queue_has_everything() -> None:
    rm = resource_manager("fifo", nodes=1)
    ask(rm, submit(rm), 2, 2048)
    update(rm)
    heartbeat(rm)
    (row,) = rm.scheduler.policy.view().queues()

    assert (row.path, row.used, row.containers, row.reserved) == ("default", (4096, 2), 2, (0, 0))
    assert (row.applications_running, row.applications_pending) == (0, 1)
