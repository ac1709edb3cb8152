"""Nodes that register again, are relabelled, resized and lost."""

import pytest

from engine.control_plane.protocol import (
    AllocationsReloaded,
    Answer,
    ApplicationPriorityChanged,
    NodeContainer,
    NodeHeartbeat,
    NodeJoined,
    NodeLost,
    NodeRegisteredAgain,
    NodeRelabelled,
    ResourceManagerStarted,
    ResourceManagerStopped,
    SettingsChanged,
)
from engine.control_plane.resource_manager import ResourceManager
from engine.formats.fair_scheduler_xml import read_fair_scheduler
from engine.model.decision import Completed, Killed
from engine.schedulers.capacity34.queue import CapacityAttempt
from tests.build import START_MS, ask, attempt_of, fetch, heartbeat, resource_manager, submit, update

STARTED = (1, 1, 1)


def running(scheduler: str = "fair-2.7") -> ResourceManager:
    """A node with two containers that were fetched."""
    rm = resource_manager(scheduler, nodes=1)
    submit(rm)
    ask(rm, 1, 2)
    update(rm)
    for _ in range(2):
        heartbeat(rm)
    fetch(rm, 1)
    return rm


def again(rm: ResourceManager, *containers: NodeContainer, memory_mb: int = 4096) -> Answer:
    """The node registers again."""
    return rm.handle(NodeRegisteredAgain("n1:1", "/r1", memory_mb, 4, "", containers), START_MS + 70)


def known(number: int, exit_status: int | None = None) -> NodeContainer:
    """A container as its node names it."""
    return NodeContainer((1, 1, number), 1, 1024, 1, START_MS, exit_status)


def test_a_known_node_that_runs_nothing_is_empty() -> None:
    """What it ran is lost, and it has the size it says; it was heard of now."""
    rm = running()

    answer = again(rm, known(2, 0))

    node = rm.cluster.nodes["n1:1"]
    assert [(type(each), each.container) for each in answer.decisions if isinstance(each, Killed)] == [
        (Killed, (1, 1, 1)),
        (Killed, (1, 1, 2)),
    ]
    assert (node.total_memory_mb, node.containers, node.heartbeat_ms) == (4096, {}, START_MS + 70)
    assert (rm.cluster.live, rm.cluster.total_memory_mb) == (0, 4096)


def test_a_known_node_that_runs_something_goes_on() -> None:
    """Its containers are taken as from a heartbeat: those that run have started, those that ended are done."""
    rm = running()

    answer = again(rm, known(1), known(2, 3))

    node = rm.cluster.nodes["n1:1"]
    assert answer.decisions == (Completed((1, 1, 2), "n1:1", 3),)
    assert (node.total_memory_mb, list(node.containers), node.heartbeat_ms) == (8192, [STARTED], START_MS + 70)
    assert attempt_of(rm, 1).live[1].state == "RUNNING"


def test_an_unknown_node_joins_when_it_registers_again() -> None:
    """What nobody owns is killed."""
    rm = resource_manager(nodes=0)

    answer = again(rm, known(1), known(2, 0))

    assert answer.decisions == (Killed((1, 1, 1), "n1:1", "ORPHANED"), Completed((1, 1, 2), "n1:1", 0))
    assert rm.cluster.nodes["n1:1"].heartbeat_ms == START_MS + 70


def test_a_node_joins_with_what_it_says() -> None:
    """Once; its last heartbeat is now."""
    rm = resource_manager(nodes=0)
    joined = NodeJoined("a.b:8041", "/r9", 4096, 4)

    assert rm.handle(joined, START_MS + 3) == Answer()
    node = rm.cluster.nodes["a.b:8041"]
    assert (node.host, node.port, node.rack, node.total_memory_mb, node.total_vcores) == ("a.b", 8041, "/r9", 4096, 4)
    assert node.heartbeat_ms == START_MS + 3

    answer = rm.handle(joined, START_MS)
    assert (answer.rejected, answer.detail) == ("IllegalStateException", "node a.b:8041 is already there")


@pytest.mark.parametrize("state", ["LOST", "UNHEALTHY", "DECOMMISSIONED"])
def test_a_node_leaves_in_the_state_it_is_reported_in(state: str) -> None:
    """Its containers are lost."""
    rm = running()

    answer = rm.handle(NodeLost("n1:1", state), START_MS)

    assert rm.cluster.down["n1:1"].state == state
    assert [each.cause for each in answer.decisions if isinstance(each, Killed)] == ["LOST", "LOST"]
    assert answer.cleanups == ()


def test_an_unknown_node_is_named_in_the_refusal() -> None:
    """Whatever it says."""
    answer = resource_manager().handle(NodeHeartbeat("n9:1"), START_MS)

    assert (answer.rejected, answer.detail) == ("NodeNotFoundException", "there is no node n9:1")


@pytest.mark.parametrize("scheduler", ["fifo", "fair-2.7"])
def test_what_a_policy_does_not_have_is_refused(scheduler: str) -> None:
    """Partitions and priorities."""
    rm = resource_manager(scheduler)
    submit(rm)

    refused = [
        rm.handle(event, START_MS).rejected
        for event in (NodeRelabelled("n1:1", "gpu"), ApplicationPriorityChanged(1, 5))
    ]

    assert refused == ["UnsupportedOperationException"] * 2


def test_a_priority_changes_where_there_are_some() -> None:
    """Nothing is decided by it; that of the submission stays."""
    rm = resource_manager("capacity-3.4", settings={"yarn.cluster.max-application-priority": "10"})
    submit(rm)

    assert rm.handle(ApplicationPriorityChanged(1, 5), START_MS) == Answer()
    attempt = attempt_of(rm, 1)
    assert isinstance(attempt, CapacityAttempt)
    assert (attempt.priority, rm.cluster.applications[1].priority) == (5, 0)


QUEUES = '<queue name="a"><weight>2.0</weight></queue>'


def test_a_loaded_file_holds_after_a_restart() -> None:
    """And so does a setting changed after it; one of a queue that is not there any more is forgotten."""
    rm = resource_manager(queues=QUEUES)
    rm.handle(SettingsChanged({"queue.root.a.weight": "5.0"}), START_MS)
    text = '<allocations><queue name="b"/></allocations>'
    loaded = read_fair_scheduler(text, settings={}, era="2.7").allocation
    assert rm.handle(AllocationsReloaded(loaded), START_MS) == Answer()

    rm.handle(ResourceManagerStopped(), START_MS)
    assert rm.handle(ResourceManagerStarted(), START_MS).rejected == ""

    paths = [row.path for row in rm.view().policy.queues()]
    assert "root.b" in paths


def test_a_change_of_a_queue_that_is_gone_is_forgotten() -> None:
    """Of a user's own queue, which the next start does not know yet; others hold."""
    rm = resource_manager(queues=QUEUES)
    submit(rm)
    for queue in ("ann", "a"):
        assert rm.handle(SettingsChanged({f"queue.root.{queue}.weight": "5.0"}), START_MS) == Answer()

    rm.handle(ResourceManagerStopped(), START_MS)
    assert rm.handle(ResourceManagerStarted(), START_MS).rejected == ""

    assert rm.configuration.changes == [(("queue.root.ann.weight", "5.0"),), (("queue.root.a.weight", "5.0"),)]
    assert "root.ann" not in [row.path for row in rm.view().policy.queues()]


def test_idle_nodes_and_passes_are_known() -> None:
    """A heartbeat with work to give is not idle; the expiry pass rests while nothing was fetched."""
    rm = resource_manager(nodes=1)
    assert (rm.heartbeat_is_idle("n1:1"), rm.pass_rests("expire_allocations")) == (True, True)

    submit(rm)
    ask(rm, 1, 1)
    update(rm)
    assert (rm.heartbeat_is_idle("n1:1"), rm.is_quiet()) == (False, False)

    heartbeat(rm)
    fetch(rm, 1)
    assert not rm.pass_rests("expire_allocations")
