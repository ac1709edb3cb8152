"""Applications and nodes that a scenario takes over as they stand."""

import pytest

from engine.errors import ConfigError
from engine.formats.scenario_toml import load
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, Reserved, Unreserved
from engine.observe.snapshots import snapshot_of
from engine.scenario import RecoveredContainers, RecoveredReservation
from engine.scenario.acts import KillContainer
from engine.simulation.build import build_simulation
from engine.simulation.records import AskChanged, Started
from tests.engine.simulation.scenes import Log, played, scenario

RECOVERED = """
[settings]
"yarn.scheduler.maximum-allocation-mb" = "16384"
[[recovered]]
attempt = 2
containers = [
    { node = "n2", memory = "1g" },
    { node = "n1", memory = "4g", vcores = 2, count = 2, priority = 3, ask = 0, since = "-1m", remaining = 30 },
]
reserved = [{ node = "n1", memory = "12g", vcores = 1, priority = 3, since = "-20s" }]
[recovered.application]
type = "scripted"
user = "ann"
queue = "default"
number = 7
at = "-2m"
asks = [
    { memory = "4g", vcores = 2, count = 2, priority = 3, duration = 30 },
    { memory = "12g", priority = 3, hosts = ["n1"], relax = false, duration = 10 },
]
"""
ALONE = """
[[recovered]]
containers = [{ node = "n1", memory = "1g", remaining = "10s" }]
application = { type = "scripted", user = "ann", queue = "default" }
"""


def ends(log: Log) -> list[tuple[int, str]]:
    moves = [(at, one) for at, one in log.entries if isinstance(one, ApplicationTransitioned)]
    return [(at, one.state) for at, one in moves if one.state in {"FINISHED", "FAILED", "KILLED"}]


def test_what_is_taken_over_is_there_at_the_start_without_a_decision() -> None:
    simulation, log = played(scenario(RECOVERED), 0)
    snapshot = snapshot_of(simulation)
    start_ms = simulation.now_ms

    (row,) = snapshot.applications()
    assert (row.state, row.used, row.containers, row.pending_containers) == ("RUNNING", (9216, 5), 3, 1)
    assert [(one.node, one.size, one.since_ms) for one in snapshot.reservations()] == [
        ("n1:8041", (12288, 1), start_ms - 20_000)
    ]
    assert [(one.id[-9:], one.since_ms) for one in snapshot.containers(application=row.id)][1:3] == [
        ("02_000002", start_ms - 60_000),
        ("02_000003", start_ms - 60_000),
    ]
    assert not log.of(Allocated)


def test_a_container_ends_when_its_remaining_time_is_over() -> None:
    """Not a ms before, and then the ask that was reserved for is met."""
    scene = scenario(RECOVERED)
    simulation, log = played(scene, 0)

    simulation.run_until(scene.start_ms + 29_999)
    before = len(log.of(Completed))
    simulation.run_until(scene.start_ms + 32_000)

    assert before == 0
    assert len(log.of(Completed)) == 2
    assert [one.memory_mb for one in log.of(Allocated)] == [12288]


def test_a_container_that_is_killed_is_asked_for_again() -> None:
    text = RECOVERED.replace("reserved", "#").replace('"12g"', '"1g"')
    scene = scenario(text)
    simulation, log = played(scene, 0)

    simulation.act(KillContainer((7, 2, 2)))
    simulation.run_until(scene.start_ms + 5_000)

    assert sorted(one.memory_mb for one in log.of(Allocated)) == [1024, 4096]


@pytest.mark.parametrize(("remaining", "ended_s"), [('"10s"', 10), ('"0s"', 0)])
def test_an_application_with_nothing_to_do_stays_as_long_as_its_master_remains(remaining: str, ended_s: int) -> None:
    scene = scenario(ALONE.replace('"10s"', remaining))
    _, log = played(scene, 30)

    ((time_ms, state),) = ends(log)
    assert state == "FINISHED"
    assert ended_s * 1000 <= time_ms - scene.start_ms <= ended_s * 1000 + 1000


def test_a_master_that_has_not_registered_does_so_after_the_start() -> None:
    scene = scenario(ALONE.replace("[[recovered]]", "[[recovered]]\nregistered = false"))
    simulation, log = played(scene, 0)
    (row,) = snapshot_of(simulation).applications()

    simulation.run_until(scene.start_ms + 1_000)

    assert (row.state, row.containers) == ("ACCEPTED", 1)
    assert "RUNNING" in [one.state for one in log.of(ApplicationTransitioned)]


@pytest.mark.parametrize("state", ["UNHEALTHY", "LOST", "DECOMMISSIONED"])
def test_a_node_that_is_down_at_the_start_is_down(state: str) -> None:
    text = f'[[cluster.nodes]]\nhost = "x"\nmemory = "8g"\nvcores = 8\nstate = "{state}"\n'
    simulation, _ = played(scenario(text, count=1), 10)
    snapshot = snapshot_of(simulation)

    assert [row.state for row in snapshot.nodes() if row.host == "x"] == [state]
    assert snapshot.header.nodes_down == 1


def test_what_cannot_be_taken_over_is_said_of_the_application() -> None:
    scene = scenario(RECOVERED)
    (taken,) = scene.recovered
    nowhere = taken.model_copy(update={"containers": (RecoveredContainers(node="n9", memory_mb=1),)})
    held = RecoveredReservation(node="n1", memory_mb=1024, since_ms=-1)
    twice = taken.model_copy(update={"reserved": (held, held)})

    for update, words in ((nowhere, "there is no node n9"), (twice, "n1 is not reserved for it")):
        with pytest.raises(ConfigError, match=words) as caught:
            build_simulation(scene.model_copy(update={"recovered": (update,)}))
        assert caught.value.problems[0].key == "recovered.scripted"


def test_a_refused_application_is_a_problem() -> None:
    scene = scenario(RECOVERED)
    taken = scene.recovered[0]
    with pytest.raises(ConfigError, match="is not taken over: application 7 is already there"):
        build_simulation(scene.model_copy(update={"recovered": (taken, taken)}))

    huge = taken.application.asks[1].model_copy(update={"memory_mb": 1_000_000})
    asks = (taken.application.asks[0], huge)
    application = taken.application.model_copy(update={"asks": asks})
    with pytest.raises(ConfigError, match="its asks are refused"):
        build_simulation(
            scene.model_copy(update={"recovered": (taken.model_copy(update={"application": application}),)})
        )


def test_only_yarn_takes_over_applications_and_nodes_that_are_down() -> None:
    scene = scenario(RECOVERED)
    master = load("spark-packing")
    node = master.cluster.all_nodes()[0].model_copy(update={"state": "LOST"})
    cluster = master.cluster.model_copy(update={"nodes": (node,), "groups": ()})

    with pytest.raises(ConfigError) as caught:
        build_simulation(master.model_copy(update={"recovered": scene.recovered, "cluster": cluster}))

    assert [problem.key for problem in caught.value.problems] == ["recovered", "cluster"]


# What runs and is reserved when a scenario starts.

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


def test_reservations_hold_and_the_asks_behind_them_become_free() -> None:
    scene = scenario(RUNNING.format(reserved=RESERVED), count=3)
    _, log = played(scene, 60)

    assert {record.node for record in log.of(Reserved)} >= {"n1:8041", "n3:8041"}
    assert log.at(Reserved)[1] < scene.start_ms
    assert log.of(Unreserved) == []
    assert log.of(AskChanged)[0].count == 1


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
