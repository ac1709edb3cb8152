"""What masters of applications that run at the start have told the control plane before it."""

import pytest

from engine.control_plane.protocol import ApplicationMasterHeartbeat, Ask, Event
from engine.errors import ConfigError, Problem
from engine.model.decision import Reserved
from engine.simulation.build import build_simulation
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


def asked(told: list[tuple[int, Event]]) -> list[tuple[int, tuple[Ask, ...]]]:
    return [(at, each.asks) for at, each in told if isinstance(each, ApplicationMasterHeartbeat) and each.asks]


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


@pytest.mark.parametrize(("asks", "given", "priority"), [(ASKS, ", priority = 9", 9), ("", "", 1)])
def test_nothing_is_reserved_for_what_is_not_asked_for(asks: str, given: str, priority: int) -> None:
    text = (
        '[[running]]\nplaced = [{ node = "n1", memory = "1g", master = true }]\n'
        + f'reserved = [{{ node = "n1", memory = "4g", vcores = 2{given} }}]'
        + APPLICATION
        + asks
    )
    with pytest.raises(ConfigError) as caught:
        build_simulation(scenario(text, count=1))
    assert caught.value.problems == (Problem(f"it asks for nothing at priority {priority}", key="running.early"),)
