"""Each act does what it says, and a refusal changes nothing."""

from typing import ClassVar, cast

import msgspec
import pytest

from engine.control_plane.protocol import Answer, NodeJoined, NodeLost, NodeRelabelled
from engine.control_plane.resource_manager import ResourceManager
from engine.model.decision import Allocated, ApplicationTransitioned, Killed
from engine.scenario.acts import (
    Act,
    AddNode,
    KillApplication,
    KillContainer,
    LabelNode,
    LoseNode,
    MoveApplication,
    Reload,
    ReturnNode,
    SetPreemption,
    SetPriority,
    SetQueueSetting,
    SetReservationRule,
    SubmitApplication,
)
from engine.schedulers.capacity34.queue import CapacityAttempt
from engine.simulation.act_handlers import HANDLERS
from engine.simulation.checkpoint import from_bytes, to_bytes
from engine.simulation.records import Acted, EventRefused, Submitted
from engine.simulation.world import World
from tests.engine.simulation.scenes import SPARK, played, scenario

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
ALLOCATIONS = '<?xml version="1.0"?><allocations><queue name="fresh"><weight>2.0</weight></queue></allocations>'


def test_an_action_is_written_down_before_its_effect() -> None:
    """The journal says what was done and after which event, then what came of it."""
    simulation, log = played(scenario(HELD), 60)
    entries = len(log.entries)

    simulation.act(KillApplication(1))

    written = [record for _, record in log.entries[entries:]]
    assert written[0] == Acted(KillApplication(1), simulation.acts[0][0])
    assert [type(record) for record in written[1:]] == [Killed] * 4 + [ApplicationTransitioned]


def test_a_submission_from_outside_gets_the_next_number() -> None:
    simulation, log = played(scenario(HELD), 60)

    answer = simulation.act(SubmitApplication.of(scenario(SPARK).workload[0]))

    assert answer.application == 2
    assert log.of(Submitted)[-1].application == 2


def test_moving_takes_the_application_to_another_queue() -> None:
    simulation, log = played(scenario(HELD), 60)

    simulation.act(MoveApplication(1, "other"))

    assert log.of(ApplicationTransitioned)[-1].queue == "root.other"


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


@pytest.mark.parametrize(
    "action",
    [
        SetPreemption(on=True),
        SetReservationRule("off"),
        SetQueueSetting("root.other", "weight", "3.0"),
        Reload(ALLOCATIONS),
    ],
)
def test_settings_change_without_a_word(action: Act) -> None:
    simulation, log = played(scenario(HELD), 60)
    entries = len(log.entries)

    answer = simulation.act(action)

    assert answer.rejected == ""
    assert [record for _, record in log.entries[entries:]] == [Acted(action, simulation.acts[0][0])]


def test_passes_follow_the_settings() -> None:
    scene = scenario('[settings]\n"yarn.scheduler.fair.continuous-scheduling-enabled" = "true"\n' + HELD)
    simulation, _ = played(scene, 10)

    assert [name for name, _ in simulation.world.pass_names] == [
        "update",
        "preempt",
        "continuous",
        "expire_allocations",
    ]


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


def test_a_node_is_added_only_once() -> None:
    simulation, log = played(scenario(HELD), 60)

    assert simulation.act(AddNode("n1:9999", 8192, 8)).rejected == "NodeExists"
    assert [record.event for record in log.of(EventRefused)] == ["AddNode"]


class Ring(msgspec.Struct, frozen=True, tag=True, tag_field="kind"):
    """An act that nobody has thought of."""

    do: ClassVar[str] = "ring"
    bells: int


def test_an_act_needs_its_struct_and_its_function(monkeypatch: pytest.MonkeyPatch) -> None:
    rung: list[int] = []

    def ring(world: World, act: Ring) -> Answer:
        rung.append(act.bells)
        return Answer()

    monkeypatch.setitem(HANDLERS, Ring, ring)
    simulation, log = played(scenario(HELD), 30)
    answer = simulation.act(cast("Act", Ring(3)))

    assert (answer.rejected, rung, len(simulation.acts)) == ("", [3], 1)
    assert b'{"kind":"Acted","action":{"kind":"Ring","bells":3}' in log.journal
