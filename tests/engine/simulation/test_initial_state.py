"""What runs and is reserved when a scenario starts."""

import pytest

from engine.errors import ConfigError
from engine.model.decision import Allocated, ApplicationTransitioned, Reserved, Unreserved
from engine.scenario import PlacedContainers
from engine.simulation.build import build_simulation
from engine.simulation.records import AskChanged, Started
from tests.engine.simulation.scenes import Log, played, scenario

RUNNING = """
[settings]
"yarn.scheduler.maximum-allocation-mb" = "16384"
[[running]]
placed = [
    {{ node = "n2", memory = "1g", master = true }},
    {{ node = "n1", memory = "4g", vcores = 2, count = 3 }},
    {{ node = "n3:8041", memory = "4g", vcores = 2 }},
]
{reserved}
[running.application]
type = "scripted"
user = "ann"
queue = "default"
number = 7
waits = true
asks = [
    {{ memory = "4g", vcores = 2, count = 4, duration = 30 }},
    {{ memory = "16g", vcores = 2, priority = 2, duration = 60 }},
]
"""
RESERVED = 'reserved = [{ node = "n1", memory = "16g", vcores = 2 }, { node = "n3", memory = "16g", vcores = 2 }]'
PLAIN = RUNNING.format(reserved="")


def placed(text: str, seconds: int = 0, count: int = 3) -> tuple[list[tuple[str, int, int]], Log]:
    """(node, memory, time before the start in s) of everything allocated, and the log."""
    scene = scenario(text, count=count)
    _, log = played(scene, seconds)
    return [
        (record.node, record.memory_mb, (scene.start_ms - time_ms) // 1000)
        for time_ms, record in log.entries
        if isinstance(record, Allocated)
    ], log


def test_what_runs_is_where_the_scenario_says() -> None:
    """The master and its containers are placed on their nodes, in the second before the start."""
    allocated, log = placed(PLAIN)

    assert allocated == [("n2:8041", 1024, 1), *[("n1:8041", 4096, 1)] * 3, ("n3:8041", 4096, 1)]
    assert [(record.application, record.state) for record in log.of(ApplicationTransitioned)] == [
        (7, "ACCEPTED"),
        (7, "RUNNING"),
    ]


def test_what_is_placed_is_not_asked_for_again() -> None:
    _, log = placed(PLAIN, 2)

    assert [(record.priority, record.memory_mb, record.count) for record in log.of(AskChanged)] == [(2, 16384, 1)]


def test_durations_count_from_the_start() -> None:
    """A container that ran before the start still has its whole duration before it."""
    big = '    { memory = "16g", vcores = 2, priority = 2, duration = 60 },'
    text = PLAIN.replace("waits = true", "").replace(big, "")
    scene = scenario(text, count=3)
    simulation, _ = played(scene, 29)
    still = sum(len(node.running) for node in simulation.world.nodes)

    simulation.run_until(scene.start_ms + 30_000)

    assert (still, sum(len(node.running) for node in simulation.world.nodes)) == (5, 1)


def test_reservations_hold_and_the_asks_behind_them_become_free() -> None:
    scene = scenario(RUNNING.format(reserved=RESERVED), count=3)
    _, log = played(scene, 60)

    assert {record.node for record in log.of(Reserved)} >= {"n1:8041", "n3:8041"}
    assert log.at(Reserved)[1] < scene.start_ms
    assert log.of(Unreserved) == []
    assert log.of(AskChanged)[0].count == 1


def test_applications_come_up_one_second_apart() -> None:
    second = PLAIN.replace("[settings]", "").replace('"yarn.scheduler.maximum-allocation-mb" = "16384"', "")
    second = second.replace("number = 7", "number = 8").replace('node = "n1"', 'node = "n4"')
    allocated, _ = placed(PLAIN + second.replace('"n2"', '"n5"').replace('"n3:8041"', '"n5"'), count=5)

    assert [ago for _, _, ago in allocated] == [2] * 5 + [1] * 5


def test_a_master_without_a_place_goes_to_the_first_node_of_its_containers() -> None:
    allocated, _ = placed(PLAIN.replace('    { node = "n2", memory = "1g", master = true },', ""))

    assert allocated[0] == ("n1:8041", 1024, 1)


def test_a_service_can_run_at_the_start() -> None:
    text = """
[[running]]
placed = [{ node = "n1", memory = "2g" }, { node = "n2", memory = "2g" }]
[running.application]
type = "service"
user = "ann"
am = "unmanaged"
instances = 1
each_node = true
instance = { memory = "2g" }
"""
    allocated, log = placed(text, 30, count=2)

    assert [node for node, _, _ in allocated] == ["n1:8041", "n2:8041"]
    assert log.of(AskChanged) == []
    assert len(log.of(Started)) == 2


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("count = 3", "count = 5", "1 of 5 containers of 4096 MB and 2 vcores cannot be placed on n1"),
        ('"n3:8041", memory = "4g", vcores = 2', '"n3:8041", memory = "4g", vcores = 2, count = 2', "more is placed"),
        ('queue = "default"', 'queue = "default"\nam = { memory = "99g" }', "the application is refused"),
        ("[settings]", "[queue_defaults]\nqueueMaxAMShareDefault = 0.01\n[settings]", "cannot be placed on n2"),
        ('"n3:8041", memory = "4g"', '"n3:8041", memory = "20g"', "its ask is refused"),
    ],
)
def test_what_cannot_be_is_a_problem_of_the_scenario(before: str, after: str, message: str) -> None:
    scene = scenario(PLAIN.replace(before, after, 1), count=3)

    with pytest.raises(ConfigError, match=message) as refused:
        build_simulation(scene)

    assert refused.value.problems[0].key == "running.scripted"


def test_a_node_that_is_not_there_is_a_problem() -> None:
    """Also in a scenario that did not come from a file, which would have been checked."""
    scene = scenario(PLAIN, count=3)
    nowhere = scene.running[0].model_copy(update={"placed": (PlacedContainers(node="n9", memory_mb=1),)})

    with pytest.raises(ConfigError, match="there is no node n9"):
        build_simulation(scene.model_copy(update={"running": (nowhere,)}))


def test_a_node_with_room_cannot_be_reserved() -> None:
    text = RUNNING.format(reserved='reserved = [{ node = "n2", memory = "2g", vcores = 2 }]')

    with pytest.raises(ConfigError, match="n2 is not reserved for 2048 MB"):
        build_simulation(scenario(text, count=3))


def test_what_runs_needs_no_launch_delay() -> None:
    """Containers placed before the start run at the start, and an explicit priority is taken as written."""
    scene = scenario(PLAIN.replace('"4g", vcores = 2, count = 3', '"4g", vcores = 2, priority = 1, count = 3'), count=3)
    slow = scene.model_copy(update={"cluster": scene.cluster.model_copy(update={"launch_delay_ms": 9000})})
    simulation, _ = played(slow, 0)

    assert [len(node.running) for node in simulation.world.nodes] == [3, 1, 1]
