"""The smallest policies: a toy, and FIFO beside its recorded cases: obstacles, blacklists, moves, idleness."""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.control_plane.protocol import (
    ApplicationMasterHeartbeat,
    ApplicationMovedToQueue,
    ApplicationSubmitted,
    Ask,
    Event,
    NodeJoined,
    NodeResized,
    SettingsChanged,
)
from engine.model.decision import Allocated, Decision
from engine.model.ledger import Application, Attempt, Container, Node
from engine.model.request import OFF_SWITCH, Queue, Resource
from engine.observe.snapshots import snapshot_of_simulation
from engine.run import Run
from engine.schedulers.containers import Release34
from engine.schedulers.interface import UNKNOWN, FifoView, SchedulerStart
from engine.schedulers.obstacle_texts import Obstacle, Reason
from engine.schedulers.registry import SCHEDULERS
from engine.schedulers.settings import HadoopSettings, allocation_bounds, maximum_at_start
from engine.schedulers.yarn_scheduler import Policy, YarnScheduler
from engine.serve.answers import answer
from engine.serve.served import ApplicationPast, ServedCluster, ServedPace
from engine.serve.wire import RELEASES, HttpQuestion
from engine.settings.site import YARN_27
from engine.simulation.build import build_simulation
from engine.simulation.checkpoint import CheckpointPool, pack, unpack
from engine.simulation.initial_state import CONTROL_PLANES
from engine.simulation.simulation import Simulation
from engine.state import IS_COMPILED
from tests.build import START_MS, ask, attempt_of, fetch, heartbeat, resource_manager, submit, update
from tests.engine.explain import test_livelock
from tests.engine.explain.stuck import HALVES, scene, why
from tests.engine.schedulers import test_every_policy
from tests.engine.schedulers.test_every_policy import EVENTS
from tests.engine.simulation.scenes import SPARK, Log, scenario
from tui.board.dialects import dialect_of
from tui.panes.arrangement import SortFilter
from tui.protocol.picture import RunState, SessionState


class ToyPolicy(Policy[Attempt]):
    """One container an offer, to the application that came last."""

    queue: Queue

    def __init__(self, *parts: Any) -> None:
        super().__init__(*parts)
        self.queue = Queue("default", None)

    def offer(self, node: Node, now_ms: int) -> list[Decision]:
        """Give the newest application its next container, if that fits."""
        attempts = [each.attempt for each in reversed(self.cluster.applications.values()) if each.attempt is not None]
        for attempt in attempts if now_ms > self.cluster.offers_after_ms else ():
            for group in map(attempt.group, attempt.priorities):
                ask = group.anywhere
                if ask is not None and ask.count > 0 and self.obstacle_on(attempt, node, now_ms) is None:
                    number = attempt.next_container_number()
                    one = self.cluster.allocate(attempt, group, ask, ask, node, OFF_SWITCH, number, now_ms)
                    return [Allocated(one.id, node.id, ask.priority, ask.memory_mb, ask.vcores, "OFF_SWITCH")]
        return []

    def is_idle(self, node: Node) -> bool:
        return not self.cluster.pending

    def place(self, application: Application, requested: str) -> None:
        application.queue = self.queue.path

    def start_attempt(self, application: Application, number: int, now_ms: int, kept: Sequence[Container]) -> Attempt:
        attempt = application.attempt = Attempt(application, number, self.queue, now_ms, forgets_priorities=True)
        attempt.take_over(kept)
        return attempt

    def headroom(self, attempt: Attempt) -> Resource:
        return Resource(self.cluster.total_memory_mb, self.cluster.total_vcores)

    def obstacle(self, attempt: Attempt) -> Obstacle | None:
        """Only the nodes stand in the way."""
        return None if attempt.pending else Obstacle(Reason.NOTHING_ASKED)

    def obstacle_on(self, attempt: Attempt, node: Node, now_ms: int) -> Obstacle | None:
        """Room for the largest ask is needed."""
        asks = [each.anywhere for each in attempt.groups.values() if each.anywhere is not None]
        most_mb = max((each.memory_mb for each in asks if each.count > 0), default=0)
        does_not_fit = Obstacle(Reason.DOES_NOT_FIT, (most_mb, node.free_memory_mb))
        return does_not_fit if most_mb > node.free_memory_mb else None

    def view(self) -> FifoView:
        return FifoView(self.cluster, self.queue)


def toy(start: SchedulerStart) -> YarnScheduler:
    minimum, most = allocation_bounds(HadoopSettings(start.values, YARN_27))
    maximum = maximum_at_start(start.values, most, start.now_ms, YARN_27, lags=False)
    policy = ToyPolicy("toy", "fifo", start.cluster, minimum, maximum, Release34(start.cluster))
    return YarnScheduler(policy, port_in_node_name=False)


# A policy that only the registry knows is under every law, and everything that looks at a cluster looks at it.


SCENE = scenario(SPARK).model_copy(update={"scheduler": "toy"})  # the literal that a real policy adds

LAWS = (
    test_every_policy.test_the_ledgers_add_up_after_every_event,
    test_every_policy.test_no_allocation_overfills_a_node,
    test_every_policy.test_an_idle_heartbeat_changes_nothing,
    test_every_policy.test_where_it_is_quiet_every_heartbeat_is_idle,
    test_livelock.test_alike_nodes_are_answered_alike,
)
"""Laws of a policy and some events."""


@pytest.fixture(autouse=True, scope="module")
def _registered() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(cast("dict[str, Any]", SCHEDULERS), "toy", toy)
        patch.setitem(cast("dict[str, Any]", CONTROL_PLANES), "toy", CONTROL_PLANES["fifo"])  # made of the registry
        yield


def _inner(law: Callable[..., None]) -> Callable[..., None]:
    inner: Callable[..., None] = cast("Any", law).hypothesis.inner_test
    return inner


@pytest.mark.parametrize("law", LAWS)
@given(events=st.lists(EVENTS, max_size=40))
def test_the_toy_keeps_every_law(law: Callable[..., None], events: list[Event]) -> None:
    _inner(law)("toy", events)


@pytest.mark.skipif(IS_COMPILED, reason="a class that is not compiled has no slots there, so no copy of it is made")
@given(st.lists(EVENTS, max_size=30), st.lists(EVENTS, max_size=15))
def test_a_fork_of_the_toy_answers_as_the_original(before: list[Event], after: list[Event]) -> None:
    _inner(test_every_policy.test_a_fork_answers_as_the_original)("toy", before, after)


def _simulation(seconds: int) -> Simulation:
    simulation = build_simulation(SCENE)
    simulation.run_until(SCENE.start_ms + seconds * 1000)
    return simulation


def test_every_pane_has_rows_or_none_of_a_cluster_of_the_toy() -> None:
    snapshot = snapshot_of_simulation(_simulation(30))
    picture = SessionState(snapshot, RunState("toy"), (), 1)
    dialect = dialect_of(snapshot)

    for nouns in dialect.panes.values():
        for noun in nouns:
            noun.source.rows(picture, SortFilter())

    (application,) = snapshot.applications()
    assert (application.state, len(snapshot.containers()), len(snapshot.nodes())) == ("RUNNING", 4, 4)


@pytest.mark.skipif(IS_COMPILED, reason="a class that is not compiled has no slots there, so no copy of it is made")
def test_the_toy_says_why_an_application_waits() -> None:
    """Its own obstacle stands on every node, and two that keep what the other one wants are found deadlocked."""
    stuck = scene(HALVES, top='scheduler = "fifo"').model_copy(update={"scheduler": "toy"})

    found = why(stuck, 60, 1)

    assert [(row.code, row.count) for row in found.reasons] == [("DOES_NOT_FIT", 2)]
    assert (found.verdict, found.expected_start_ms) == ("deadlocked", None)


def test_a_server_answers_of_the_toy_in_the_form_of_its_kind() -> None:
    past = ApplicationPast()
    run = Run(SCENE, [past], is_judged=False)
    pace = ServedPace(run, paused=True)
    served = ServedCluster(lambda: run.simulation, pace.act, past, RELEASES["2.7"], "rm1:8088")
    run.advance(30_000)

    bodies = {path: _json(served, path) for path in ("scheduler", "apps", "metrics", "nodes")}

    assert bodies["scheduler"]["scheduler"]["schedulerInfo"]["type"] == "fifoScheduler"
    assert [each["state"] for each in bodies["apps"]["apps"]["app"]] == ["RUNNING"]
    assert bodies["metrics"]["clusterMetrics"]["containersAllocated"] == 4


def _json(served: ServedCluster, path: str) -> Any:  # Any: JSON
    said = answer(served, HttpQuestion("GET", f"/ws/v1/cluster/{path}", {}, "application/json", b"", ""))
    assert said.status == 200
    return json.loads(said.body)


def test_a_checkpoint_of_the_toy_goes_on_as_its_original() -> None:
    simulation, pool = _simulation(30), CheckpointPool()
    copy = unpack(pack(simulation, pool), pool)
    logs = Log(), Log()
    for each, log in zip((simulation, copy), logs, strict=True):
        each.listeners.append(log)
        each.run_until(SCENE.start_ms + 200_000)

    assert logs[0].journal == logs[1].journal != b""


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
