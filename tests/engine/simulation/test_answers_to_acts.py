"""What acts answer and leave behind: whole answers, the positions they are kept with, what a fault does."""

from typing import Any

import pytest

from engine.control_plane.protocol import Answer
from engine.scenario.acts import (
    Act,
    AddNode,
    DrainNode,
    FailOverResourceManager,
    KillApplication,
    KillContainer,
    LoseMaster,
    MoveApplication,
    RestartJobTracker,
    RestartNodeManager,
    ReturnNode,
    SetPriority,
)
from engine.simulation.records import Acted, EventRefused
from tests.engine.simulation.scenes import SPARK, Log, played, scenario

HELD = SPARK.replace("duration = 60", 'duration = "forever"').replace('user = "ann"', 'user = "ann"\nname = "shell"')


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


@pytest.mark.parametrize("name", ["1", "application_1510362000000_0001", "shell"])
def test_a_master_is_lost_by_number_id_or_name(name: str) -> None:
    simulation, _ = played(scenario(HELD, count=1), 30)
    master = simulation.world.masters[1]
    assert simulation.act(LoseMaster(name)) == Answer()
    assert master.stage == "GONE"
    assert simulation.world.nodes[0].completed == [((1, 1, 1), 1)]
