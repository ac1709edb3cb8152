"""What acts answer and leave behind: whole answers, the positions they are kept with, what a fault does."""

from collections.abc import Sequence
from typing import Any

import pytest

from engine.control_plane.protocol import Answer, NodeJoined, NodeLost, NodeResized, ResourceManagerStopped
from engine.model.decision import Killed
from engine.scenario import ScriptedSpec, StandaloneSpec
from engine.scenario.acts import (
    Act,
    AddNode,
    DrainNode,
    FailOverResourceManager,
    KillApplication,
    KillContainer,
    LoseMaster,
    LoseResourceManager,
    MoveApplication,
    ResizeNode,
    RestartJobTracker,
    RestartNodeManager,
    RestartResourceManager,
    ReturnNode,
    SetHealth,
    SetPreemption,
    SetPriority,
    SubmitApplication,
)
from engine.simulation.events import END_OF_INSTANT, NODE_HEARTBEAT
from engine.simulation.records import Acted, Draining, EventRefused
from engine.simulation.simulation import Simulation
from tests.engine.simulation.scenes import SPARK, Log, played, scenario

HELD = SPARK.replace("duration = 60", 'duration = "forever"').replace('user = "ann"', 'user = "ann"\nname = "shell"')
PAIR = '[settings]\n"yarn.resourcemanager.ha.enabled" = "true"\n'


def since(log: Log, begin: int) -> list[Any]:
    """The records from one place of a log on."""
    return [record for _, record in log.entries[begin:]]


@pytest.mark.parametrize(
    ("act", "rejected", "detail"),
    [
        (KillApplication("x"), "ApplicationNotFoundException", "no single application is meant by x"),
        (MoveApplication("x", "a"), "ApplicationNotFoundException", "no single application is meant by x"),
        (SetPriority("x", 1), "ApplicationNotFoundException", "no single application is meant by x"),
        (KillContainer("x"), "ContainerNotFoundException", "x is no container id"),
        (AddNode("n1:1", 1, 1), "NodeExists", "there is a node n1 already"),
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
    simulation, log = played(scenario(HELD), 30)
    begin = len(log.entries)

    assert simulation.act(act) == Answer(rejected=rejected, detail=detail)
    assert since(log, begin) == [
        Acted(act, simulation.acts[-1][0]),
        EventRefused(type(act).__name__, rejected, detail, 0),
    ]


def test_an_application_that_runs_nowhere_here_is_refused() -> None:
    """A Spark application of the standalone Master has no application master."""
    simulation, log = played(scenario(HELD), 30)
    begin = len(log.entries)
    act = SubmitApplication.of(StandaloneSpec(type="spark-standalone", user="u"))

    answer = simulation.act(act)
    assert answer == Answer(rejected="UnsupportedApplication", detail="type spark-standalone needs scheduler spark")
    assert since(log, begin) == [Acted(act, simulation.acts[-1][0])]


def test_a_node_can_be_named_by_its_host() -> None:
    """Or by host and port."""
    for name in ("n2", "n2:8041"):
        simulation, log = played(scenario(HELD), 30)
        simulation.act(DrainNode(name))
        assert log.of(Draining) == [Draining("n2:8041")]


def test_a_node_added_takes_its_place_after_the_others() -> None:
    """With all it was given."""
    simulation, log = played(scenario(HELD), 30)
    simulation.act(AddNode("fresh:1", 4096, 3, "/r9"))

    node = simulation.world.nodes[-1]
    assert log.of(NodeJoined)[-1] == NodeJoined("fresh:1", "/r9", 4096, 3, "")
    assert (node.index, node.phase_ms, node.member) == (4, simulation.now_ms, True)
    assert simulation.act(AddNode("fresh:2", 1, 1)).rejected == "NodeExists"
    simulation.act(DrainNode("fresh"))
    assert log.of(Draining) == [Draining("fresh:1")]


def of_drain(simulation: Simulation, log: Log, *acts: Act) -> list[Any]:
    """What some acts on the only node record, beside themselves."""
    begin = len(log.entries)
    for act in acts:
        simulation.act(act)
    return [
        record for record in since(log, begin) if isinstance(record, Draining | NodeResized | NodeLost | NodeJoined)
    ]


def test_a_node_that_drains_shows_what_runs_on_it() -> None:
    """Once; a new size of it is shown when it no longer drains."""
    simulation, log = played(scenario(HELD, count=1), 30)
    assert of_drain(simulation, log, DrainNode("n1"), DrainNode("n1")) == [
        Draining("n1:8041"),
        NodeResized("n1:8041", 1024 + 3 * 2048, 4),
    ]
    assert of_drain(simulation, log, ResizeNode("n1", 9000, 9)) == []
    assert of_drain(simulation, log, ReturnNode("n1")) == [NodeResized("n1:8041", 9000, 9)]
    assert of_drain(simulation, log, ReturnNode("n1")) == []


def test_a_sick_node_that_is_drained_or_returned() -> None:
    """Away it does not drain; returned it is healthy and empty."""
    simulation, log = played(scenario(HELD, count=1), 30)
    simulation.act(SetHealth("n1", healthy=False))
    simulation.run_until(simulation.now_ms + 1000)
    assert log.of(NodeLost) == [NodeLost("n1:8041", "UNHEALTHY")]
    assert of_drain(simulation, log, DrainNode("n1")) == []
    assert of_drain(simulation, log, ReturnNode("n1")) == [NodeJoined("n1:8041", "/r1", 16384, 16, "")]
    node = simulation.world.nodes[0]
    assert (node.healthy, node.up, node.member, node.draining) == (True, True, True, False)


def test_health_that_changes_and_changes_back_is_no_news() -> None:
    """Before a heartbeat nobody hears of it."""
    simulation, log = played(scenario(count=1), 30)
    simulation.act(SetHealth("n1", healthy=False))
    simulation.act(SetHealth("n1", healthy=True))
    simulation.run_until(simulation.now_ms + 5000)
    assert log.of(NodeLost) == []


@pytest.mark.parametrize("name", ["1", "application_1510362000000_0001", "shell"])
def test_a_master_is_lost_by_number_id_or_name(name: str) -> None:
    """Its process ends with an error."""
    simulation, _ = played(scenario(HELD, count=1), 30)
    master = simulation.world.masters[1]
    assert simulation.act(LoseMaster(name)) == Answer()
    assert master.stage == "GONE"
    assert simulation.world.nodes[0].completed == [((1, 1, 1), 1)]


def test_a_name_that_looks_like_a_number_may_be_one_s_name() -> None:
    """A live application of that number goes first."""
    simulation, _ = played(scenario(HELD.replace('"shell"', '"77"'), count=1), 30)
    simulation.act(LoseMaster("77"))
    assert simulation.world.masters[1].stage == "GONE"


def test_a_master_that_does_not_run_cannot_be_lost() -> None:
    """It is gone already, or its container is still to come."""
    simulation, _ = played(scenario(HELD, count=1), 30)
    simulation.act(LoseMaster("1"))
    refusal = Answer(rejected="IllegalStateException", detail="its application master does not run")
    assert simulation.act(LoseMaster("1")) == refusal


def test_a_resource_manager_is_stopped_for_a_cause() -> None:
    """A restart, a failover, or because it is lost; one that is gone is not stopped again."""
    acts: Sequence[tuple[Act, str]] = (
        (RestartResourceManager(), "RESTART"),
        (FailOverResourceManager(), "FAILOVER"),
        (LoseResourceManager(), "LOST"),
    )
    for act, cause in acts:
        simulation, log = played(scenario(PAIR + HELD), 30)
        assert simulation.act(act) == Answer()
        assert log.of(ResourceManagerStopped) == [ResourceManagerStopped(cause)]
        simulation.act(RestartResourceManager())
        assert len(log.of(ResourceManagerStopped)) == 1
        assert simulation.act(FailOverResourceManager()) == Answer(
            rejected="IllegalStateException", detail="no ResourceManager is active"
        )


def test_an_act_is_kept_with_the_event_it_came_after() -> None:
    """Of a heartbeat without what it carried, for that depends on which are left out."""
    simulation, _ = played(scenario(HELD, count=2), 4)
    kept: dict[int, set[int]] = {}
    for _ in range(60):
        simulation.step()
        position = simulation.world.clock.position
        simulation.act(SetPreemption(on=True))
        kept.setdefault(position[1], set()).add(len(position) - len(simulation.acts[-1][0]))
        assert simulation.acts[-1][0] == position[: len(simulation.acts[-1][0])]
        assert position[1] != NODE_HEARTBEAT or simulation.acts[-1][0] == position[:3]
    assert {priority: shorter for priority, shorter in kept.items() if shorter != {0}}.keys() == {NODE_HEARTBEAT}
    assert len(kept) > 3

    simulation.run_until(simulation.now_ms + 10_000)
    simulation.act(SetPreemption(on=True))
    assert simulation.acts[-1] == ((simulation.now_ms, END_OF_INSTANT), SetPreemption(on=True))


def test_a_killed_application_s_containers_are_told_in_order() -> None:
    """With whose will it was."""
    simulation, log = played(scenario(HELD, count=1), 30)
    begin = len(log.entries)
    assert simulation.act(KillApplication(1)).rejected == ""
    killed = [record for record in since(log, begin) if isinstance(record, Killed)]
    assert killed == [Killed((1, 1, number), "n1:8041", "APPLICATION_ENDED") for number in (1, 2, 3, 4)]


def test_a_submission_may_bring_its_number() -> None:
    """The next one without takes the number after the largest."""
    simulation, _ = played(scenario(HELD), 30)
    spec = ScriptedSpec(type="scripted", user="u", queue="default")
    numbers = [
        simulation.act(SubmitApplication.of(spec.model_copy(update={"number": number}))).application
        for number in (None, 9, None, 5, None)
    ]
    assert numbers == [2, 9, 10, 5, 11]
