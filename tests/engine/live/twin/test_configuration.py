"""The configuration of a cluster's twin: queues as rows show them, settings, and what is assumed of them."""

from typing import Any

import pytest

from engine.errors import ConfigError
from engine.formats.scenario_toml import load
from engine.live.twin.configuration import (
    capacity_settings,
    configuration_of_cluster,
    configuration_of_scenario,
    fair_queues,
    scheduler_named,
)
from engine.live.twin.twin import twin_of
from engine.observe.snapshot import UNKNOWN, CapacityQueueRow, PartitionUse
from engine.scenario import QueueSpec
from tests.engine.live.rows import app, ask, capacity_queue, header, node, queue, snapshot

PREFIX = "yarn.scheduler.capacity."


def fair(path: str, steady: Any = UNKNOWN, **changes: Any) -> Any:
    """A queue of FairScheduler."""
    return queue(path, **{"min_share": (0, 0), "steady_share": steady, "policy": "fair", **changes})


@pytest.mark.parametrize(
    ("changes", "spec"),
    [
        ({"policy": "Fair"}, QueueSpec(name="a.b", policy="fair")),
        ({"policy": "DominantResourceFairness"}, QueueSpec(name="a.b", policy="drf")),
        ({"policy": "own"}, QueueSpec(name="a.b")),
        ({"min_share": (1, 0)}, QueueSpec(name="a.b", policy="fair", min_resources="1 mb, 0 vcores")),
        ({"min_share": UNKNOWN}, QueueSpec(name="a.b", policy="fair")),
        ({"max_share": (9, 8)}, QueueSpec(name="a.b", policy="fair", max_resources="9 mb, 8 vcores")),
        ({"max_share": UNKNOWN}, QueueSpec(name="a.b", policy="fair")),
    ],
)
def test_a_queue_of_fair_scheduler_has_what_its_row_shows(changes: dict[str, Any], spec: QueueSpec) -> None:
    """Root is none of them."""
    assert list(fair_queues([fair("root"), fair("root.a.b", **changes)])) == [spec]


@pytest.mark.parametrize(
    ("shares", "weights"),
    [
        ([300, 100, 150], [3.0, 1.0, 1.5]),
        ([100, 300, 200], [1.0, 3.0, 2.0]),
        ([100, 133, 0], [1.0, 1.33, None]),
        ([UNKNOWN, 70, 35], [None, 2.0, 1.0]),
    ],
)
def test_weights_are_relative_to_the_smallest_sibling(shares: list[Any], weights: list[float | None]) -> None:
    """To two digits; shares of other parents do not count."""
    steady = [each if each is UNKNOWN else (each, 7) for each in shares]
    rows = [fair(f"root.{name}", each) for name, each in zip("abc", steady, strict=True)]
    found = [each.weight for each in fair_queues([*rows, fair("root.a.x", (5, 1)), fair("root.a.y", (5, 1))])]

    assert found == [*weights, 1.0, 1.0]


@pytest.mark.parametrize("bound", ["min_share", "max_share"])
def test_a_share_that_is_a_bound_says_nothing(bound: str) -> None:
    """By its memory."""
    rows = [fair("root.a", (100, 7), **{bound: (100, 1)}), fair("root.b", (50, 7)), fair("root.c", (100, 7))]

    assert [each.weight for each in fair_queues(rows)] == [None, 1.0, 2.0]


def capacity(path: str, guaranteed: int, most: float = 1.0, **changes: Any) -> CapacityQueueRow:
    """A queue of CapacityScheduler with its part of the default partition."""
    gpu = PartitionUse(label="gpu", capacity=0, maximum=0.9, guaranteed=(0, 0), limit=(0, 0), used=(0, 0))
    default = PartitionUse(label="", capacity=0, maximum=most, guaranteed=(0, 0), limit=(0, 0), used=(0, 0))

    return capacity_queue(path, **{"guaranteed": (guaranteed, 1), "partitions": (gpu, default), **changes})


ROWS = [
    capacity("root", 300),
    capacity("root.a", 100, 0.8),
    capacity("root.a.x", 0, 0.2, state="STOPPED"),
    capacity("root.a.y", 0, 0.9),
    capacity("root.b", 200, 0.5),
]


@pytest.mark.parametrize("by_path", [True, False])
def test_queues_of_capacity_scheduler_have_their_parts_of_their_parents(*, by_path: bool) -> None:
    """In percent, together all; the largest no more than that of the parent. States only where they have paths."""
    found = dict(capacity_settings(ROWS, by_path=by_path))
    stopped = {f"{PREFIX}root.a.x.state": "STOPPED"} if by_path else {}

    assert found == {
        f"{PREFIX}root.queues": "a,b",
        f"{PREFIX}root.a.capacity": "33.333",
        f"{PREFIX}root.b.capacity": "66.667",
        f"{PREFIX}root.a.queues": "x,y",
        f"{PREFIX}root.a.maximum-capacity": "80.000",
        f"{PREFIX}root.a.x.capacity": "0.000",
        f"{PREFIX}root.a.y.capacity": "100.000",
        f"{PREFIX}root.a.x.maximum-capacity": "25.000",
        f"{PREFIX}root.a.y.maximum-capacity": "100.000",
        f"{PREFIX}root.b.maximum-capacity": "50.000",
        **stopped,
    }


@pytest.mark.parametrize(
    ("parent", "child", "percent"),
    [((80, 1), (20, 9), "25.000"), (None, None, "100.000"), ((0, 0), (20, 1), "100.000"), ((4, 1), None, "25.000")],
)
def test_without_partitions_the_maximum_is_that_of_the_row(parent: Any, child: Any, percent: str) -> None:
    """By its memory; of one without a maximum 1."""
    rows = [capacity_queue("root", max_share=parent), capacity_queue("root.a", max_share=child)]

    assert dict(capacity_settings(rows, by_path=True))[f"{PREFIX}root.a.maximum-capacity"] == percent


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("FairScheduler 2.7.2", "fair-2.7"),
        ("FairScheduler 3.4.1", "fair-3.4"),
        ("CapacityScheduler", "capacity-2.7"),
        ("CAPACITYSCHEDULER 3.1", "capacity-3.4"),
        ("FifoScheduler 2.7.2", "fifo"),
        ("FifoScheduler 3.4.1", "fifo-3.4"),
        ("fair-2.7", "fair-2.7"),
        ("fifo-3.4", "fifo-3.4"),
    ],
)
def test_a_scheduler_has_the_name_of_scenarios(words: str, name: str) -> None:
    """By its class and the first digit of its release."""
    assert scheduler_named(words) == name


def test_a_scheduler_of_nobody_is_refused_with_those_there_are() -> None:
    """By their names."""
    with pytest.raises(ConfigError) as caught:
        scheduler_named("Own 3")

    assert caught.value.problems[0].hint == (
        "--scheduler names it: fair-2.7, fair-3.4, capacity-2.7, capacity-3.4, fifo, fifo-3.4"
    )


FAIR = snapshot(header(scheduler="FairScheduler 2.7.2"), queues=[fair("root"), fair("root.a")])
SETTINGS = ("settings", "no yarn-site.xml is given: Hadoop's defaults hold")
QUEUES = ("queues", "no fair-scheduler.xml is given: queues have the limits and shares shown, the rest is default")


def test_a_fair_cluster_without_files_has_what_its_rows_show() -> None:
    """And it is said."""
    found = configuration_of_cluster(FAIR)

    assert (found.scheduler, found.allocations, found.like) == ("fair-2.7", None, None)
    assert found.queues == (QueueSpec(name="a", policy="fair"),)
    assert [(each.what, each.sentence) for each in found.assumed] == [SETTINGS, QUEUES]


def test_a_fair_cluster_with_files_has_those() -> None:
    """Of settings those that decide what is scheduled."""
    given = {"yarn.scheduler.fair.preemption": "true", "yarn.nodemanager.x": "1", "yarn.acl.enable": " True "}
    found = configuration_of_cluster(FAIR, given, "<allocations/>", "fair-3.4")

    assert (found.scheduler, found.allocations, found.queues) == ("fair-3.4", "<allocations/>", ())
    assert found.settings == {"yarn.scheduler.fair.preemption": "true", "yarn.acl.enable": "false"}
    assert [(each.what, each.sentence) for each in found.assumed] == [
        ("settings", "who is in which group is not known: queues are open to everybody")
    ]
    assert configuration_of_cluster(FAIR, {"yarn.acl.enable": "false"}, "x").assumed == ()


def test_a_capacity_cluster_without_its_file_has_what_its_rows_show() -> None:
    """With states, where the release has paths; a file that names root's queues is believed."""
    picture = snapshot(header(scheduler="CapacityScheduler 3.4.1"), queues=ROWS)
    key = f"{PREFIX}root.a.x.state"
    found = configuration_of_cluster(picture, {f"{PREFIX}resource-calculator": "y"})

    assert [each.what for each in found.assumed] == ["queues"]
    assert (found.settings[key], found.settings[f"{PREFIX}resource-calculator"]) == ("STOPPED", "y")
    assert key not in configuration_of_cluster(picture, {}, None, "capacity-2.7").settings
    given = {f"{PREFIX}root.queues": "default"}
    assert configuration_of_cluster(picture, given)[1:4] == (given, None, ())
    assert configuration_of_cluster(picture, given).assumed == ()


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ([], ("8192", "32")),
        ([app(1, ask(9000, 1), ask(1, 40))], ("9000", "40")),
        ([app(1, used=(18_001, 66), containers=2)], ("9001", "33")),
        ([app(1, used=(99_000, 99), containers=0)], ("8192", "32")),
        ([app(1, ask(9000, 40), state="KILLED", used=(99_000, 99), containers=1)], ("8192", "32")),
    ],
)
def test_the_largest_container_is_no_smaller_than_what_is_seen(rows: list[Any], found: tuple[str, str]) -> None:
    """Of those that live: what they ask for, and the mean of what they hold, rounded up."""
    settings = configuration_of_cluster(snapshot(header(), applications=rows), None, "<allocations/>").settings

    assert settings == {
        "yarn.scheduler.maximum-allocation-mb": found[0],
        "yarn.scheduler.maximum-allocation-vcores": found[1],
    }


def test_of_a_scenario_all_is_known() -> None:
    """Its scheduler, settings and allocations."""
    scenario = load("reservation-deadlock-recorded")
    found = configuration_of_scenario(scenario)

    assert (found.scheduler, found.settings, found.like) == (scenario.scheduler, scenario.settings, scenario)
    assert (found.allocations, found.queues, found.assumed) == (scenario.allocations_xml(), (), ())


def test_a_twin_has_the_nodes_of_the_picture() -> None:
    """In states that a scenario knows; ports, racks, partitions and sizes are theirs."""
    states = ("RUNNING", "NEW", "REBOOTED", "SHUTDOWN", "LOST")
    nodes = [node(f"n{at}", total=(100 + at, at), state=state, partition="x") for at, state in enumerate(states)]
    picture = snapshot(header(), nodes=nodes)
    found = twin_of(picture, configuration_of_cluster(picture)).cluster

    assert [(each.host, each.port, each.rack, each.memory_mb, each.vcores) for each in found.nodes] == [
        (f"n{at}", 1, "/r", 100 + at, at) for at in range(5)
    ]
    assert [each.state for each in found.nodes] == ["RUNNING", "LOST", "LOST", "DECOMMISSIONED", "LOST"]
    assert {(each.partition, each.phase_ms) for each in found.nodes} == {("x", None)}
    assert (found.register_delay_ms, found.am_own_rhythm, found.groups) == (0, True, ())


def test_a_twin_goes_on_with_numbers_and_ids() -> None:
    """After the largest, also of those that ended; the clock of a cluster without applications is now."""
    rows = [app(3, id="application_77_0003"), app(9, id="application_77_0009", state="KILLED"), app(4)]
    picture = snapshot(header(time_ms=5_000), nodes=[node("n")], applications=rows)
    empty = snapshot(header(time_ms=5_000), nodes=[node("n")])
    scenarios = [twin_of(each, configuration_of_cluster(each)) for each in (picture, empty)]

    assert [(each.first_application, each.cluster_timestamp) for each in scenarios] == [(10, 77), (1, 5_000)]
    assert [each.application.number for each in scenarios[0].recovered] == [3, 4]
    one = scenarios[0]
    assert (one.name, one.seed, one.duration_ms, one.start_ms) == ("twin", 0, 3_600_000, 5_000)


def test_numbers_of_two_lives_of_a_server_are_nobodys() -> None:
    """Both applications get new ones."""
    rows = [app(3), app(3, id="application_2_0003"), app(4)]
    picture = snapshot(header(), nodes=[node("n")], applications=rows)

    found = twin_of(picture, configuration_of_cluster(picture))
    assert [each.application.number for each in found.recovered] == [None, None, 4]


@pytest.mark.parametrize(
    ("start_ms", "words"),
    [
        (None, "masters register as soon as their container runs: too few starts were watched"),
        (0, "masters register 0s after their container runs, the mean of those watched"),
        (4_000, "masters register 4s after their container runs, the mean of those watched"),
    ],
)
def test_how_masters_start_is_said(start_ms: int | None, words: str) -> None:
    """Beside that rhythms begin anew."""
    picture = snapshot(header(master_start_ms=start_ms), nodes=[node("n")])
    found = twin_of(picture, configuration_of_cluster(picture))

    assert next(each.sentence for each in found.assumed if each.what == "rhythm") == words
    assert [each.what for each in found.assumed[-2:]] == ["rhythm", "rhythm"]
    assert found.cluster.register_delay_ms == (start_ms or 0)
    assert "the first 15s may come" in found.assumed[-1].sentence


def test_a_twin_of_a_scenario_has_its_name_and_its_rhythm() -> None:
    """Phases of nodes are counted from now; a second later they are a second nearer."""
    scenario = load("reservation-deadlock-recorded")
    phases = [node.phase_ms for node in scenario.cluster.all_nodes()]
    assert None not in phases
    rows = [node(each.host, id=f"{each.host}:{each.port}") for each in scenario.cluster.all_nodes()]
    picture = snapshot(header(time_ms=scenario.start_ms + 1_300), nodes=rows)
    found = twin_of(picture, configuration_of_scenario(scenario))

    every_ms = scenario.cluster.heartbeat_ms
    assert [each.phase_ms for each in found.cluster.nodes] == [
        (each - 1_300) % every_ms for each in phases if each is not None
    ]
    assert (found.name, found.seed) == (f"{scenario.name}-twin", scenario.seed)
    assert found.start.utcoffset() == scenario.start.utcoffset()
    assert [each.what for each in found.assumed if each.what == "rhythm"] == ["rhythm"]


def test_a_cluster_without_nodes_has_no_twin() -> None:
    """There is nothing to play."""
    with pytest.raises(ConfigError, match=r"^the cluster has no nodes"):
        twin_of(snapshot(header()), configuration_of_cluster(FAIR))
