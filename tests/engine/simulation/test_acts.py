"""Each act does what it says, and a refusal changes nothing."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.control_plane.protocol import Answer, NodeJoined, NodeLost, NodeRelabelled
from engine.control_plane.resource_manager import ResourceManager
from engine.model.decision import Allocated
from engine.scenario import Scenario
from engine.scenario.acts import (
    Act,
    AddNode,
    DrainNode,
    FailOverResourceManager,
    KillApplication,
    KillContainer,
    LabelNode,
    LoseMaster,
    LoseNode,
    MoveApplication,
    Reload,
    RestartJobTracker,
    RestartNodeManager,
    RestartResourceManager,
    ReturnNode,
    SetPreemption,
    SetPriority,
    SetSetting,
    SubmitApplication,
)
from engine.schedulers.capacity34.queue import CapacityAttempt
from engine.simulation.build import build_simulation
from engine.simulation.checkpoint import from_bytes, to_bytes
from engine.simulation.records import Acted, EventRefused
from engine.simulation.simulation import Simulation
from engine.simulation.world import PASS_RUNS
from tests.engine.simulation.scenes import SPARK, Log, played, scenario

HELD = '[[queues]]\nname = "other"\n' + SPARK.replace("duration = 60", 'duration = "forever"')
CAPACITY = 'scheduler = "capacity-3.4"'
LABELLED = """
[settings]
"yarn.node-labels.enabled" = "true"
"schedlab.node-labels" = "gpu"
"yarn.scheduler.capacity.root.queues" = "default"
"yarn.scheduler.capacity.root.default.capacity" = "100"
"yarn.cluster.max-application-priority" = "10"
"""


@pytest.mark.parametrize(
    ("action", "rejected"),
    [
        (KillApplication(9), "ApplicationNotFoundException"),
        (KillContainer((9, 1, 1)), "ContainerNotFoundException"),
        (MoveApplication(9, "other"), "YarnException"),
        (Reload("<allocations>"), "AllocationConfigurationException"),
        (SetPriority(1, 5), "UnsupportedOperationException"),
        (LabelNode("n1", "gpu"), "UnsupportedOperationException"),
    ],
)
def test_a_refusal_is_answered_and_written_down(action: Act, rejected: str) -> None:
    simulation, log = played(scenario(HELD), 60)

    answer = simulation.act(action)

    assert answer.rejected == rejected
    assert [(record.event, record.rejected) for record in log.of(EventRefused)] == [(type(action).__name__, rejected)]


@pytest.mark.parametrize("scheduler", ["capacity-2.7", "capacity-3.4"])
def test_who_is_moved_to_a_queue_with_room_is_given_it_at_the_next_offers(scheduler: str) -> None:
    shares = {"queues": '"default,b"', "b.capacity": 90, "default.capacity": 10, "default.maximum-capacity": 10}
    lines = [f'"yarn.scheduler.capacity.root.{key}" = {value}\n' for key, value in shares.items()]
    spark = SPARK.replace("duration = 60", 'duration = "forever"')
    simulation, log = played(scenario(f"[settings]\n{''.join(lines)}{spark}", top=f'scheduler = "{scheduler}"'), 60)
    before = len(log.of(Allocated))

    simulation.act(MoveApplication(1, "b"))
    simulation.run_until(simulation.now_ms + 2_000)

    assert (before, len(log.of(Allocated))) == (3, 4)


def test_faults_come_from_the_scenario_without_a_position() -> None:
    scene = scenario('[[faults]]\ndo = "lose"\nnode = "n1"\nat = 5\n[[faults]]\ndo = "return"\nnode = "n1"\nat = 9\n')
    simulation, log = played(scene, 20)

    assert [(type(record.action).__name__, record.position) for record in log.of(Acted)] == [
        ("LoseNode", None),
        ("ReturnNode", None),
    ]
    assert simulation.acts == []
    assert log.of(NodeLost) == [NodeLost("n1:8041")]


def test_a_node_keeps_its_new_partition_when_it_comes_back() -> None:
    """A relabelled node that is lost registers again with the label it was given."""
    simulation, log = played(scenario(LABELLED, top=CAPACITY), 5)

    answer = simulation.act(LabelNode("n1", "gpu"))
    simulation.act(LoseNode("n1:8041"))
    simulation.act(ReturnNode("n1:8041"))

    assert answer.rejected == ""
    assert log.of(NodeRelabelled) == [NodeRelabelled("n1:8041", "gpu")]
    assert log.of(NodeJoined)[-1].partition == "gpu"


def test_a_partition_that_the_cluster_does_not_have_is_refused() -> None:
    simulation, log = played(scenario(LABELLED, top=CAPACITY), 5)

    answer = simulation.act(LabelNode("n1", "ssd"))

    assert answer.rejected == "IOException"
    assert simulation.world.nodes[0].partition == ""
    assert log.of(NodeRelabelled) == []


def test_a_priority_above_the_cluster_s_maximum_is_lowered() -> None:
    """An application of capacity-3.4 gets the priority an operator gives it, at most the maximum."""
    simulation, _ = played(scenario(LABELLED + SPARK, top=CAPACITY), 60)

    answer = simulation.act(SetPriority(1, 99))

    plane = simulation.world.control_plane
    assert isinstance(plane, ResourceManager)
    attempt = plane.cluster.applications[1].attempt
    assert isinstance(attempt, CapacityAttempt)
    assert (answer.rejected, attempt.priority) == ("", 10)


def test_a_node_that_is_added_takes_work_from_its_first_heartbeat_on() -> None:
    """It beats a heartbeat's interval after it joined; copies and packed copies of the run go on alike."""
    simulation, log = played(scenario(HELD), 60)
    total_mb = simulation.control_plane.view().figures().total[0]

    simulation.act(AddNode("fresh:8041", 8192, 8))
    copies = [simulation.fork(), from_bytes(to_bytes(simulation))]
    simulation.act(SubmitApplication.of(scenario(SPARK).workload[0]))
    for copy in copies:
        copy.act(SubmitApplication.of(scenario(SPARK).workload[0]))
    for each in (simulation, *copies):
        each.run_until(each.now_ms + 60_000)

    assert log.of(NodeJoined)[-1].node == "fresh:8041"
    figures = [each.control_plane.view().figures() for each in (simulation, *copies)]
    assert figures[0].total[0] == total_mb + 8192
    assert figures == 3 * figures[:1]
    assert "fresh:8041" in {record.node for record in log.of(Allocated)}


# What acts answer and leave behind: whole answers, the positions they are kept with, what a fault does.

ANSWER_HELD = SPARK.replace("duration = 60", 'duration = "forever"').replace(
    'user = "ann"', 'user = "ann"\nname = "shell"'
)


def since(log: Log, begin: int) -> list[Any]:
    return [record for _, record in log.entries[begin:]]


@pytest.mark.parametrize(
    ("act", "rejected", "detail"),
    [
        (KillApplication("x"), "ApplicationNotFoundException", "no application, or more than one, matches x"),
        (MoveApplication("x", "a"), "ApplicationNotFoundException", "no application, or more than one, matches x"),
        (SetPriority("x", 1), "ApplicationNotFoundException", "no application, or more than one, matches x"),
        (KillContainer("x"), "ContainerNotFoundException", "x is not a container id"),
        (AddNode("n1:1", 1, 1), "NodeExists", "there is a node n1 already"),
        (AddNode("n9:1", 1, 1, partition="gpu"), "IOException", "the cluster has no node label gpu"),
        (DrainNode("n9"), "UnknownNode", "there is no node n9"),
        (ReturnNode("n9"), "UnknownNode", "there is no node n9"),
        (RestartNodeManager("n9"), "UnknownNode", "there is no node n9"),
        (LoseMaster("x"), "ApplicationNotFoundException", "no live application is meant by x"),
        (LoseMaster("9"), "ApplicationNotFoundException", "no live application is meant by 9"),
        (
            LoseMaster("application_7_"),
            "ApplicationNotFoundException",
            "no live application is meant by application_7_",
        ),
        (RestartJobTracker(), "UnsupportedOperationException", "there is no JobTracker to restart"),
        (
            FailOverResourceManager(),
            "IllegalStateException",
            "there is one ResourceManager: yarn.resourcemanager.ha.enabled is not true",
        ),
    ],
)
def test_a_refusal_is_the_whole_answer(act: Act, rejected: str, detail: str) -> None:
    """It is recorded after the act, for no application in particular, and nothing else happens."""
    simulation, log = played(scenario(ANSWER_HELD), 30)
    begin = len(log.entries)

    assert simulation.act(act) == Answer(rejected=rejected, detail=detail)
    assert since(log, begin) == [
        Acted(act, simulation.acts[-1][0]),
        EventRefused(type(act).__name__, rejected, detail, 0),
    ]


@pytest.mark.parametrize("name", ["1", "application_1510362000000_0001", "shell"])
def test_a_master_is_lost_by_number_id_or_name(name: str) -> None:
    simulation, _ = played(scenario(ANSWER_HELD, count=1), 30)
    master = simulation.world.masters[1]
    assert simulation.act(LoseMaster(name)) == Answer()
    assert master.stage == "GONE"
    assert simulation.world.nodes[0].completed == [((1, 1, 1), 1)]


# At which instants background passes run: multiples of their interval from where the control plane's life began.


ASYNCHRONOUS = {
    "yarn.scheduler.capacity.root.queues": "default",
    "yarn.scheduler.capacity.root.default.capacity": "100",
    "yarn.resourcemanager.scheduler.monitor.enable": "true",
}
HELD_PASSES = """
[[workload]]
type = "scripted"
user = "ann"
queue = "default"
at = 5
asks = [{ memory = "1g", count = 3, duration = "forever" }]
"""


def scene(scheduler: str, **settings: str) -> Scenario:
    more = {**(ASYNCHRONOUS if scheduler.startswith("capacity") else {}), **settings}
    update = {"scheduler": scheduler, "settings": {**more, "yarn.resourcemanager.recovery.enabled": "true"}}
    return scenario(HELD_PASSES, count=2).model_copy(update=update)


def scheduled(simulation: Simulation) -> list[tuple[int, str]]:
    """(ms after the start, pass) of the passes on the clock."""
    world = simulation.world
    found = [(event[0], world.pass_names[event[2]][0]) for event in world.clock.heap if event[3] == PASS_RUNS]
    return [(time_ms - world.ground.start_ms, name) for time_ms, name in sorted(found)]


def resting(simulation: Simulation) -> list[str]:
    return [simulation.world.pass_names[order][0] for order in sorted(simulation.world.resting)]


@pytest.mark.parametrize(
    ("scheduler", "first"),
    [
        ("fair-2.7", [(500, "preempt"), (500, "update")]),
        ("fair-3.4", [(500, "due_kills"), (500, "preempt"), (500, "update")]),
        ("capacity-3.4", [(3_000, "preempt")]),
    ],
)
def test_a_pass_runs_first_an_interval_after_the_start(scheduler: str, first: list[tuple[int, str]]) -> None:
    """And so again after a restart; one that waits for something does not run."""
    one = scene(scheduler)
    simulation = build_simulation(one)
    assert (scheduled(simulation), resting(simulation)) == (first, ["expire_allocations"])
    simulation.run_until(one.start_ms + 20_123)
    simulation.act(RestartResourceManager(1_000))
    assert (scheduled(simulation), resting(simulation), simulation.world.resting) == ([], [], {})
    simulation.run_until(one.start_ms + 21_123)
    assert scheduled(simulation) == [(21_123 + time_ms, name) for time_ms, name in first]
    assert simulation.world.since_ms - one.start_ms == 21_123


@pytest.mark.parametrize("scheduler", ["fair-2.7", "fair-3.4", "capacity-3.4"])
def test_resting_changes_nothing_that_is_recorded(scheduler: str) -> None:
    one, logs = scene(scheduler), []
    for naive in (False, True):
        log = Log()
        simulation = build_simulation(one, [log], naive=naive)
        for second in (7, 12, 20):
            simulation.run_until(one.start_ms + second * 1_000)
            simulation.act(SetPreemption(on=second == 12))
        simulation.act(LoseNode("n1"))
        simulation.run_until(one.start_ms + 700_000)
        logs.append(log.journal)
    assert logs[0] == logs[1]


# An update pass of FairScheduler 2.7 that rests changes nothing that anybody sees, its starvation clocks included.

SCENE = """
[settings]
"yarn.scheduler.fair.preemption.cluster-utilization-threshold" = "0.1"
[[queues]]
name = "a"
min_resources = "8192 mb, 4 vcores"
min_share_preemption_timeout = 20
fair_share_preemption_timeout = 40
[[queues]]
name = "b"
"""

WORK = """
[[workload]]
type = "scripted"
user = "u{queue}"
queue = "{queue}"
am = "unmanaged"
at = {at}
asks = [{{ memory = "{gb}g", vcores = 1, count = {count}, duration = {duration} }}]
"""

JOBS = st.lists(
    st.fixed_dictionaries(
        {
            "queue": st.sampled_from("ab"),
            "at": st.integers(1, 300_000).map(lambda at_ms: at_ms / 1000),
            "gb": st.integers(1, 8),
            "count": st.integers(1, 20),
            "duration": st.integers(1, 250),
        }
    ),
    min_size=1,
    max_size=5,
)

ACTS = st.sampled_from(
    (
        None,
        SetSetting("preemption", "true"),
        SetSetting("preemption", "false"),
        SetSetting("queue.root.a.minResources", "12288 mb, 4 vcores"),
        KillApplication(1),
        RestartResourceManager(4_000),
    )
)


def seen(simulation: Simulation) -> object:
    control_plane = simulation.control_plane
    assert isinstance(control_plane, ResourceManager)
    return control_plane.scheduler.policy.view().queues()


@settings(max_examples=40, deadline=None)
@given(JOBS, st.lists(st.tuples(st.integers(1, 60_000), ACTS), max_size=8))
def test_a_resting_update_is_seen_nowhere(jobs: list[dict[str, Any]], acts: list[tuple[int, Act | None]]) -> None:
    """Journals, and since when each queue starves, are those of a cluster played beat by beat."""
    one = scenario(SCENE + "".join(WORK.format(**job) for job in jobs), count=2)
    log, naive_log = Log(), Log()
    simulation, naive = build_simulation(one, [log]), build_simulation(one, [naive_log], naive=True)
    at_ms = one.start_ms
    for wait_ms, act in [*acts, (60_000, None)]:
        at_ms += wait_ms
        for each in (simulation, naive):
            each.run_until(at_ms)
            if act is not None:
                each.act(act)
        assert seen(simulation) == seen(naive)

    assert log.journal == naive_log.journal
