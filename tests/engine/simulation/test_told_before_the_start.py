"""What masters of applications that run at the start have told the control plane before it."""

from typing import Any

import pytest

from engine.control_plane.protocol import Answer, ApplicationMasterHeartbeat, Ask, Event
from engine.control_plane.resource_manager import ResourceManager
from engine.errors import ConfigError, Problem
from engine.model.decision import Reserved
from engine.simulation.build import build_simulation
from engine.simulation.initial_state import APART_MS
from tests.engine.simulation.scenes import Log, scenario

SIZES = '[settings]\n"yarn.scheduler.maximum-allocation-mb" = "16384"\n'
APPLICATION = """
[running.application]
type = "scripted"
name = "early"
user = "ann"
queue = "default"
waits = true
"""
ASKS = """
asks = [
    { memory = "2g", vcores = 1, priority = 4, count = 2 },
    { memory = "4g", vcores = 2, priority = 3, count = 2 },
]
"""


@pytest.fixture(name="told")
def fixture_told(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, Event]]:
    """All events that a ResourceManager gets, with when."""
    told: list[tuple[int, Event]] = []
    handle = ResourceManager.handle

    def noted(self: ResourceManager, event: Event, now_ms: int) -> Answer:
        told.append((now_ms, event))
        return handle(self, event, now_ms)

    monkeypatch.setattr(ResourceManager, "handle", noted)
    return told


def asked(told: list[tuple[int, Event]]) -> list[tuple[int, tuple[Ask, ...]]]:
    """The asks of heartbeats of masters, with when."""
    return [(at, each.asks) for at, each in told if isinstance(each, ApplicationMasterHeartbeat) and each.asks]


def test_containers_are_asked_for_strictly_on_their_node(told: list[tuple[int, Event]]) -> None:
    """By host, which may be left for no other place; as many as are placed, at the priority of that size's ask."""
    text = SIZES + '[[running]]\nplaced = [{ node = "n2", memory = "4g", vcores = 2, count = 2 }]' + APPLICATION + ASKS
    scene = scenario(text, count=2)
    build_simulation(scene)
    rack = scene.cluster.all_nodes()[1].rack

    (at_ms, asks), *_ = asked(told)

    assert at_ms == scene.start_ms - APART_MS
    assert asks == (
        Ask(3, "n2", 4096, 2, 2, True),
        Ask(3, rack, 4096, 2, 2, False),
        Ask(3, "*", 4096, 2, 2, False),
    )


@pytest.mark.parametrize(
    ("asks", "given", "priority"),
    [
        (ASKS, "", 3),
        (ASKS, ", priority = 4", 4),
        (ASKS.replace('"4g"', '"3g"'), "", 4),
        (ASKS.replace("vcores = 2", "vcores = 3"), "", 4),
    ],
)
def test_a_reservation_is_asked_for_at_a_priority(
    told: list[tuple[int, Event]], asks: str, given: str, priority: int
) -> None:
    """The one given, else that of an ask of this size, else that of the first ask."""
    text = (
        SIZES
        + '[[running]]\nplaced = [{ node = "n1", memory = "1g", master = true }]\n'
        + f'reserved = [{{ node = "n1", memory = "4g", vcores = 2{given} }}]'
        + APPLICATION
        + asks
    )
    scene = scenario(text, count=1)
    small = scene.cluster.groups[0].model_copy(update={"memory_mb": 4096})
    scene = scene.model_copy(update={"cluster": scene.cluster.model_copy(update={"groups": (small,)})})
    build_simulation(scene, [log := Log()])
    rack = scene.cluster.all_nodes()[0].rack

    (_, first), *_ = asked(told)

    assert first == (
        Ask(priority, "n1", 4096, 2, 1, True),
        Ask(priority, rack, 4096, 2, 1, False),
        Ask(priority, "*", 4096, 2, 1, False),
    )
    assert {record.node for record in log.of(Reserved)} == {"n1:8041"}


def test_what_cannot_be_placed_is_counted() -> None:
    """Under the name of its application: of five on a node of 16 GB, beside the master, three have room."""
    text = SIZES + '[[running]]\nplaced = [{ node = "n1", memory = "4g", vcores = 2, count = 5 }]' + APPLICATION
    with pytest.raises(ConfigError) as caught:
        build_simulation(scenario(text + ASKS.replace("count = 2", "count = 9"), count=1))
    assert caught.value.problems == (
        Problem("2 of 5 containers of 4096 MB and 2 vcores cannot be placed on n1", key="running.early"),
    )


@pytest.mark.parametrize(("asks", "given", "priority"), [(ASKS, ", priority = 9", 9), ("", "", 1)])
def test_nothing_is_reserved_for_what_is_not_asked_for(asks: str, given: str, priority: int) -> None:
    """A scripted application says at which priorities it asks."""
    text = (
        '[[running]]\nplaced = [{ node = "n1", memory = "1g", master = true }]\n'
        + f'reserved = [{{ node = "n1", memory = "4g", vcores = 2{given} }}]'
        + APPLICATION
        + asks
    )
    with pytest.raises(ConfigError) as caught:
        build_simulation(scenario(text, count=1))
    assert caught.value.problems == (Problem(f"it asks for nothing at priority {priority}", key="running.early"),)


def test_whatever_is_placed_runs_at_once(told: list[tuple[int, Any]]) -> None:
    """It is reported as started with the first heartbeats after the start."""
    text = SIZES + '[[running]]\nplaced = [{ node = "n2", memory = "4g", vcores = 2, count = 2 }]' + APPLICATION + ASKS
    simulation = build_simulation(scenario(text, count=2))
    assert told
    assert [(len(node.running), len(node.launching)) for node in simulation.world.nodes] == [(0, 0), (3, 0)]
