"""A ResourceManager that stops and starts again: its store, its epoch, what nodes and masters bring back."""

from typing import Any

import pytest

from engine.control_plane.protocol import (
    AllocationsReloaded,
    Answer,
    ApplicationFinished,
    ApplicationMasterHeartbeat,
    ApplicationMasterLost,
    ApplicationMasterRegistered,
    ApplicationMovedToQueue,
    ApplicationRecovered,
    ApplicationSubmitted,
    Ask,
    NodeContainer,
    NodeJoined,
    NodeRegisteredAgain,
    RecoveryTimer,
    ReservationRecovered,
    ResourceManagerStarted,
    ResourceManagerStopped,
    SettingsChanged,
)
from engine.control_plane.resource_manager import ResourceManager
from engine.formats.fair_files import read_fair_scheduler
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, Killed
from engine.model.identity import EPOCH_BITS, container_name, container_of_name
from engine.model.request import Resource
from tests.build import EVERY_SCHEDULER, START_MS, ask, attempt_of, fetch, heartbeat, resource_manager, submit, update
from tests.engine.model.invariants import check

STORE = {"yarn.resourcemanager.recovery.enabled": "true"}
WAIT = {"yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms": "10000"}

STARTED_MS = START_MS + 60_000
MASTER, WORK = (1, 1, 1), (1, 1, 2)


def running(scheduler: str, **settings: str) -> ResourceManager:
    """One node, and an application whose master and one container of 1 GB run there."""
    more = {name.replace("_", "."): value for name, value in settings.items()}
    rm = resource_manager(scheduler, nodes=1, settings={**STORE, **WAIT, **more})
    number = submit(rm, am_mb=1024)
    update(rm)
    heartbeat(rm)
    rm.handle(ApplicationMasterRegistered(number), START_MS)
    ask(rm, number, 1)
    update(rm)
    heartbeat(rm)
    fetch(rm, number)
    assert rm.cluster.live == 2
    return rm


def restart(rm: ResourceManager) -> tuple[object, ...]:
    rm.handle(ResourceManagerStopped(), START_MS + 50_000)
    return rm.handle(ResourceManagerStarted(), STARTED_MS).decisions


def node_back(rm: ResourceManager, *containers: NodeContainer, now_ms: int = STARTED_MS + 500) -> tuple[object, ...]:
    return rm.handle(NodeRegisteredAgain("n1:1", "/r1", 8192, 8, "", containers), now_ms).decisions


def runs(container: tuple[int, int, int], memory_mb: int = 1024) -> NodeContainer:
    return NodeContainer(container, 1, memory_mb, 1, START_MS + 1000)


@EVERY_SCHEDULER
def test_recovered_applications_wait_for_their_masters(scheduler: str) -> None:
    """After the start there is no node and no container; the application is accepted, and its master is to register."""
    rm = running(scheduler)
    queue = rm.cluster.applications[1].queue

    decisions = restart(rm)

    assert decisions == (ApplicationTransitioned(1, "ACCEPTED", queue, "recovered"),)
    assert (len(rm.cluster.nodes), rm.cluster.live, rm.cluster.used_memory_mb) == (0, 0, 0)
    refused = rm.handle(ApplicationMasterHeartbeat(1), STARTED_MS)
    assert refused.rejected == "ApplicationMasterNotRegisteredException"
    rm.handle(ApplicationMasterRegistered(1), STARTED_MS)
    assert not rm.handle(ApplicationMasterHeartbeat(1), STARTED_MS).rejected
    assert rm.cluster.applications[1].state == "RUNNING"


@EVERY_SCHEDULER
def test_a_node_brings_its_containers_back(scheduler: str) -> None:
    """They run at once, are charged to node, queue and attempt, and the master's is known as such."""
    rm = running(scheduler)
    restart(rm)

    decisions = node_back(rm, runs(MASTER), runs(WORK, 2048))
    check(rm.cluster)

    live = attempt_of(rm, 1).live
    assert decisions == ()
    assert [(one.id, one.state, one.is_am) for one in live.values()] == [
        (MASTER, "RUNNING", True),
        (WORK, "RUNNING", False),
    ]
    assert (rm.cluster.used_memory_mb, attempt_of(rm, 1).queue.used_memory_mb) == (3072, 3072)
    assert rm.cluster.nodes["n1:1"].free_memory_mb == 8192 - 3072
    ended = rm.handle(ApplicationFinished(1, "KILLED"), STARTED_MS + 600)
    assert len([one for one in ended.decisions if isinstance(one, Killed)]) == 2
    assert rm.cluster.used_memory_mb == 0


@EVERY_SCHEDULER
def test_nothing_is_allocated_before_the_wait_is_over(scheduler: str) -> None:
    """At its last instant offers give nothing; a millisecond later they do, and ids have the new epoch."""
    rm = running(scheduler)
    restart(rm)
    node_back(rm, runs(MASTER), runs(WORK))
    rm.handle(ApplicationMasterRegistered(1), STARTED_MS)
    rm.handle(ApplicationMasterHeartbeat(1, (Ask(1, "*", 1024, 1, 1),)), STARTED_MS)
    update(rm, STARTED_MS + 10_000)

    early = heartbeat(rm, 1, STARTED_MS + 10_000)
    rm.handle(RecoveryTimer(), STARTED_MS + 10_001)
    late = heartbeat(rm, 1, STARTED_MS + 10_001)

    assert early.decisions == ()
    assert [one.container for one in late.decisions if isinstance(one, Allocated)] == [(1, 1, (1 << EPOCH_BITS) + 1)]
    assert rm.recovery.state == "ACTIVE"


@EVERY_SCHEDULER
def test_without_work_preserved_the_end_of_the_masters_container_brings_the_next_attempt(scheduler: str) -> None:
    """Old calls are refused, the node's killed containers do not count as failures, and nothing waits."""
    rm = running(scheduler, **{"yarn_resourcemanager_work-preserving-recovery_enabled": "false"})
    restart(rm)

    refused = rm.handle(ApplicationMasterHeartbeat(1), STARTED_MS)
    ended = [NodeContainer(each, 0, 0, 0, 0, -106) for each in (MASTER, WORK)]
    decisions = node_back(rm, *ended)
    update(rm, STARTED_MS + 500)
    offered = heartbeat(rm, 1, STARTED_MS + 1000)

    assert refused.rejected == "ApplicationAttemptNotFoundException"
    assert [type(one) for one in decisions] == [Completed, Completed, ApplicationTransitioned]
    assert (attempt_of(rm, 1).number, len(rm.cluster.applications[1].failed_ms)) == (2, 0)
    assert [grant.container for grant in offered.masters] == [(1, 2, 1)]


def test_while_it_is_down_everybody_is_refused() -> None:
    rm = running("fair-2.7")
    rm.handle(ResourceManagerStopped(), START_MS + 1)

    assert not rm.answers
    assert rm.handle(ApplicationMasterHeartbeat(1), START_MS + 1).rejected == "ConnectException"
    assert rm.passes() == ()
    rm.handle(ResourceManagerStarted(), STARTED_MS)
    assert rm.handle(ResourceManagerStarted(), STARTED_MS).rejected == "IllegalStateException"


def test_a_container_of_another_attempt_or_of_nobody_is_killed() -> None:
    rm = running("fifo")
    restart(rm)

    decisions = node_back(rm, runs((1, 7, 1)), runs((9, 1, 1)))

    assert [one.cause for one in decisions if isinstance(one, Killed)] == ["ORPHANED"] * 2
    assert rm.cluster.live == 0


@pytest.mark.parametrize(("scheduler", "live"), [("fifo", 0), ("fifo-3.4", 1)])
def test_containers_of_an_unmanaged_application_come_back_only_in_3_x(scheduler: str, live: int) -> None:
    rm = resource_manager(scheduler, nodes=1, settings={**STORE, **WAIT})
    submit(rm)
    restart(rm)

    node_back(rm, runs(MASTER))

    assert rm.cluster.live == live


def test_a_master_that_is_silent_for_too_long_costs_an_attempt() -> None:
    """Its containers are killed in the order of the class's map, another attempt begins; a stale report is refused."""
    rm = running("fair-2.7")
    restart(rm)
    node_back(rm, runs(MASTER), runs(WORK))

    answer = rm.handle(ApplicationMasterLost(1, 1), STARTED_MS + 20_000)

    assert [one.container for one in answer.cleanups] == [WORK, MASTER]
    assert (attempt_of(rm, 1).number, len(rm.cluster.applications[1].failed_ms)) == (2, 1)
    assert rm.handle(ApplicationMasterLost(1, 1), STARTED_MS).rejected == "ApplicationAttemptNotFoundException"


def test_a_master_that_registers_again_is_back() -> None:
    rm = running("fair-2.7")
    restart(rm)
    node_back(rm, runs(MASTER))
    assert attempt_of(rm, 1).recovered

    rm.handle(ApplicationMasterRegistered(1), STARTED_MS)

    assert not attempt_of(rm, 1).recovered


@pytest.mark.parametrize(("after_ms", "state"), [(10_000, "RECOVERING"), (10_001, "ACTIVE")])
def test_the_last_node_that_registers_ends_the_recovery(after_ms: int, state: str) -> None:
    rm = running("fifo")
    restart(rm)
    rm.handle(ApplicationMasterRegistered(1), STARTED_MS + 1)

    node_back(rm, runs(MASTER), now_ms=STARTED_MS + after_ms)

    assert rm.recovery.state == state


@pytest.mark.parametrize(("attempts", "last"), [(1, True), (2, False)])
def test_a_recovered_attempt_is_known_to_be_the_last(attempts: int, last: bool) -> None:
    rm = running("fair-2.7")
    rm.cluster.applications[1].max_attempts = attempts
    restart(rm)

    assert rm.cluster.applications[1].may_be_last is last


def test_an_application_that_no_queue_takes_any_more_is_lost() -> None:
    rules = '<queuePlacementPolicy><rule name="specified" create="false"/><rule name="reject"/></queuePlacementPolicy>'
    rm = resource_manager(settings=STORE, queues=f'<queue name="a"/>{rules}')
    submit(rm, "root.a")
    text = f"<allocations>{rules}</allocations>"
    rm.handle(AllocationsReloaded(read_fair_scheduler(text, settings=STORE, era="2.7").allocation), START_MS)

    (decision,) = restart(rm)

    detail = "cannot be recovered: rejected by the queue placement policy (queuePlacementPolicy)"
    assert decision == ApplicationTransitioned(1, "FAILED", "root.a", detail)
    assert (list(rm.cluster.applications), rm.cluster.finished[0].state) == ([], "FAILED")


def test_it_recovers_until_nodes_and_masters_are_back_or_given_up() -> None:
    rm = running("fifo")
    rm.handle(NodeJoined("n2:1", "/r1", 8192, 8), START_MS)
    restart(rm)
    recovery = rm.recovery

    assert (recovery.state, recovery.nodes_known, len(recovery.missing)) == ("RECOVERING", 2, 2)
    node_back(rm, runs(MASTER))
    rm.handle(ApplicationMasterRegistered(1), STARTED_MS)
    rm.handle(RecoveryTimer(), STARTED_MS + 10_001)
    assert (recovery.state, list(recovery.missing)) == ("RECOVERING", ["n2:1"])
    rm.handle(RecoveryTimer(), STARTED_MS + 599_999)
    assert recovery.state == "RECOVERING"
    rm.handle(RecoveryTimer(), STARTED_MS + 600_000)
    assert recovery.state == "ACTIVE"


@pytest.mark.parametrize(("scheduler", "queue"), [("fair-2.7", "root.a"), ("fair-3.4", "root.b")])
def test_a_move_is_stored_only_in_3_x(scheduler: str, queue: str) -> None:
    queues = '<queue name="a"/><queue name="b"/>'
    rm = resource_manager(scheduler, nodes=1, settings={**STORE, **WAIT}, queues=queues)
    number = submit(rm, "root.a", am_mb=1024)
    update(rm)
    heartbeat(rm)
    rm.handle(ApplicationMovedToQueue(number, "root.b"), START_MS)

    restart(rm)

    assert attempt_of(rm, number).queue.path == queue


def test_settings_changed_while_it_ran_hold_after_the_restart() -> None:
    rm = running("fair-2.7")
    rm.handle(SettingsChanged({"preemption": "true"}), START_MS)

    restart(rm)

    assert rm.view().modes().preemption is True


def test_each_start_on_a_store_raises_the_epoch() -> None:
    rm = running("fifo")
    restart(rm)
    restart(rm)

    assert rm.recovery.epoch == 2
    name = container_name(START_MS, (1, 1, rm.recovery.last_container_number + 3))
    assert name == f"container_e02_{START_MS}_0001_01_000003"
    assert container_of_name(name) == (1, 1, (2 << EPOCH_BITS) + 3)
    assert container_of_name("container_x_1_2_y") is None


# Applications taken over as they stand: what they hold is charged, and no policy is asked.

AM = Resource(1024, 1)
BEGAN_MS = START_MS - 90_000
RECOVERED_MASTER = ("n1:1", NodeContainer((7, 2, 1), 0, 1024, 1, BEGAN_MS + 5))
WORKER = ("n2:1", NodeContainer((7, 2, 3), 4, 2048, 2, BEGAN_MS + 9))


def recovered(
    rm: ResourceManager,
    *,
    queue: str = "",
    am: Resource | None = AM,
    containers: tuple[tuple[str, NodeContainer], ...] = (RECOVERED_MASTER, WORKER),
    has_master: bool = True,
    waiting_since_ms: int | None = None,
    **more: Any,
) -> Answer:
    """Application 7 of Ann as it stands in its second attempt; it has used up five container numbers."""
    queue = queue or ("default" if rm.name == "capacity-2.7" else "root.default")
    submission = ApplicationSubmitted("ann", queue, am, 7, "etl", **more)
    event = ApplicationRecovered(submission, BEGAN_MS, 2, has_master, waiting_since_ms, containers, 5)
    return rm.handle(event, START_MS)


@EVERY_SCHEDULER
def test_an_application_is_there_with_all_it_holds(scheduler: str) -> None:
    """It is accepted, its master known as such, and everything is charged and placed."""
    rm = resource_manager(scheduler)

    answer = recovered(rm)

    application, attempt = rm.cluster.applications[7], attempt_of(rm, 7)
    assert answer.decisions == (ApplicationTransitioned(7, "ACCEPTED", application.queue, "recovered"),)
    assert (application.state, application.submitted_ms, application.attempts_made) == ("ACCEPTED", BEGAN_MS, 2)
    assert (application.name, application.waiting_since_ms) == ("etl", None)
    assert (attempt.number, attempt.master, attempt.last_container_number, attempt.pending) == (2, 1, 5, 0)
    assert (attempt.am_memory_mb, attempt.am_vcores) == (1024, 1)
    found = [
        (one.id, one.node.id, one.priority, one.memory_mb, one.vcores, one.created_ms, one.is_am, one.state)
        for one in attempt.live.values()
    ]
    assert found == [
        ((7, 2, 1), "n1:1", 0, 1024, 1, BEGAN_MS + 5, True, "RUNNING"),
        ((7, 2, 3), "n2:1", 4, 2048, 2, BEGAN_MS + 9, False, "RUNNING"),
    ]
    assert (rm.cluster.used_memory_mb, rm.cluster.live, rm.last_number) == (3072, 2, 7)
    check(rm.cluster)

    assert rm.handle(ApplicationMasterRegistered(7), START_MS).rejected == ""
    ask(rm, 7, 1)
    update(rm)
    heartbeat(rm, 3)
    assert [one.id for one in attempt.newly_allocated] == [(7, 2, 6)]


@pytest.mark.parametrize(
    ("requested", "queue"), [("root.etl", "root.etl"), ("root.ann", "root.ann"), ("ann", "root.ann")]
)
def test_an_application_is_in_the_queue_it_was_in(requested: str, queue: str) -> None:
    rules = '<queue name="etl"/><queue name="ann"/><queuePlacementPolicy><rule name="user"/></queuePlacementPolicy>'
    rm = resource_manager(queues=rules)

    recovered(rm, queue=requested)

    assert (rm.cluster.applications[7].queue, attempt_of(rm, 7).queue.path) == (queue, queue)
    check(rm.cluster)


@EVERY_SCHEDULER
def test_a_node_is_reserved_as_it_was(scheduler: str) -> None:
    """Under the next container number, since then; the application asks for nothing more by it."""
    rm = resource_manager(scheduler)
    recovered(rm)

    answer = rm.handle(ReservationRecovered(7, "n3:1", 4, 8192, 2, START_MS - 3), START_MS)

    held = rm.cluster.nodes["n3:1"].reserved
    assert (answer, held is not None) == (Answer(), True)
    assert held is not None
    assert (held.id, held.priority, held.memory_mb, held.vcores) == ((7, 2, 6), 4, 8192, 2)
    assert (held.created_ms, held.attempt) == (START_MS - 3, attempt_of(rm, 7))
    assert attempt_of(rm, 7).pending == 0
    check(rm.cluster)
