"""The cluster and queues of an imported scenario: which nodes, of which size, under which scheduler."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.formats.traces.application import TraceApplication, TraceNode, TraceTasks
from engine.formats.traces.report import BatchMachine, ImportReport
from engine.formats.traces.rm_timeline import LoggedCluster
from engine.formats.traces.rules import MappingRules
from engine.formats.traces.trace_cluster import (
    TOO_LARGE,
    ClusterChoice,
    MachineNode,
    cluster_of,
    machine_node,
    roomy,
    settings_of,
    with_policy,
)
from engine.formats.traces.trace_queues import leaf_queues, queue_keys, submitted_to
from engine.model.java_number import INT_MAX
from engine.scenario import (
    AskSpec,
    NodeGroup,
    NodeSpec,
    ScriptedSpec,
    Size,
)

RULES = MappingRules(container_mb=77, container_vcores=3, duration_ms=5000)
MAPS = TraceTasks("map", 2, (4000,), 1000, 2)


def report_of(*nodes: TraceNode, logged: LoggedCluster | None = None, machine: int = 0) -> ImportReport:
    """A report that knows these."""
    report = ImportReport()
    for node in nodes:
        report.add_node(node)
    report.logged = logged or LoggedCluster()
    if machine:
        report.machine = BatchMachine(machine, is_named=True)
    return report


LOGGED = LoggedCluster(policy="capacity-3.4", named="the capacity scheduler of 3.4")
CHOICES = [
    ("", None, 0, "fair-2.7", []),
    ("fifo", None, 0, "fifo", []),
    ("", LOGGED, 0, "capacity-3.4", ["scheduler capacity-3.4: the log names the capacity scheduler of 3.4"]),
    ("capacity-3.4", LOGGED, 0, "capacity-3.4", []),
    ("fifo", LOGGED, 4, "fifo", ["scheduler fifo, as --policy says; the log names the capacity scheduler of 3.4"]),
    ("", None, 4, "fifo", ["scheduler fifo: jobs of a batch log start in their order"]),
    ("fair-3.4", None, 4, "fair-3.4", []),
]


@pytest.mark.parametrize(("policy", "logged", "machine", "found", "notes"), CHOICES)
def test_the_scheduler_is_the_one_chosen_or_the_one_logged(
    policy: str, logged: LoggedCluster | None, machine: int, found: str, notes: list[str]
) -> None:
    """Else the first in first out of a batch log, else the fair one."""
    report = report_of(logged=logged, machine=machine)
    assert with_policy(ClusterChoice(policy=policy, nodes=3), report, RULES) == ClusterChoice(policy=found, nodes=3)
    assert [note.partition(" (--policy")[0] for note in report.notes] == notes
    several = MappingRules(processors=2)
    if machine and not logged and not policy:
        assert with_policy(ClusterChoice(), report_of(machine=machine), several).policy == "fair-2.7"


KNOWN = TraceNode("a", None, 5000, 5), TraceNode("b", None, 5000, 5), TraceNode("c", None, 9000, 2)
LEAST = TraceNode("d", None, 20_000, 20, is_least=True)
WORKLOAD = [
    ScriptedSpec(
        type="scripted",
        user="u",
        am=Size(memory_mb=100, vcores=1),
        asks=(AskSpec(memory_mb=6000, vcores=2), AskSpec(memory_mb=10, vcores=7)),
    )
]
ROOMS = [
    ((), {}, (6000, 7), "6000 MB and 7 vcores, so that every container fits one"),
    ((), {"node_mb": 7000, "node_vcores": 9}, (7000, 9), ""),
    ((), {"node_mb": 6000, "node_vcores": 7}, (6000, 7), ""),
    ((), {"is_size_given": True, "node_mb": 1, "node_vcores": 1}, (1, 1), ""),
    (KNOWN, {}, (6000, 7), "6000 MB and 7 vcores, so that every container fits one"),
    ((*KNOWN, TraceNode("e")), {}, (6000, 7), "5000 MB and 5 vcores, as 2 others"),
    (KNOWN, {"nodes": 3, "node_mb": 6000, "node_vcores": 8}, (6000, 8), ""),
    ((LEAST,), {"node_mb": 6000, "node_vcores": 8}, (6000, 8), ""),
]


@pytest.mark.parametrize(("nodes", "choice", "size", "note"), ROOMS)
def test_nodes_of_unknown_size_hold_every_container(
    nodes: tuple[TraceNode, ...], choice: dict[str, int], size: tuple[int, int], note: str
) -> None:
    """As large as most of those that are known."""
    report = report_of(*nodes)
    found = roomy(ClusterChoice(**{"node_mb": 100, "node_vcores": 1, **choice}), WORKLOAD, report)  # type: ignore[arg-type]  # a test names what it chooses
    assert (found.node_mb, found.node_vcores) == size
    notes = [each.removeprefix("nodes of unknown size have ") for each in report.notes]
    assert notes[:1] == ([note] if note else [])


def test_the_nodes_are_those_of_the_trace() -> None:
    """What it does not say is as chosen; a least size may be exceeded."""
    nodes = TraceNode("a", "/r", 5000, 5, "x"), TraceNode("b"), LEAST
    choice = ClusterChoice(policy="fair-2.7", node_mb=30_000, node_vcores=10)
    found = cluster_of([], choice, report_of(*nodes))

    assert found.nodes == (
        NodeSpec(host="a", rack="/r", memory_mb=5000, vcores=5, partition="x"),
        NodeSpec(host="b", rack="/default-rack", memory_mb=30_000, vcores=10),
        NodeSpec(host="d", rack="/default-rack", memory_mb=30_000, vcores=20),
    )
    given = ClusterChoice(node_mb=1, node_vcores=2, is_size_given=True)
    assert {(node.memory_mb, node.vcores) for node in cluster_of([], given, report_of(*nodes)).nodes} == {(1, 2)}
    counted = ClusterChoice(nodes=4, node_mb=1, node_vcores=2)
    assert cluster_of([], counted, report_of(*nodes)).groups == (NodeGroup(count=4, memory_mb=1, vcores=2),)


@pytest.mark.parametrize(("containers", "count"), [(0, 10), (100, 10), (101, 11), (110, 11), (111, 12)])
def test_a_trace_without_nodes_has_ten_or_as_many_as_a_gang_needs(containers: int, count: int) -> None:
    """A vcore for each of its containers at least."""
    report = ImportReport()
    gang = TraceApplication("g", 0, (TraceTasks("container", containers),), "gang")
    other = TraceApplication("o", 0, (TraceTasks("container", 999),))
    found = cluster_of([gang, other], ClusterChoice(), report)

    assert found.groups == (NodeGroup(count=count, memory_mb=10_240, vcores=10),)
    rules = [f"{count} of 10240 MB and 10 vcores, since the trace names no nodes (--nodes, --node-size)"]
    assert [rule for _, rule in report.inferred] == rules


def test_settings_of_the_log_are_kept_and_maxima_raised() -> None:
    """Those of a capacity scheduler only under the one that was logged; a maximum that is large enough stays."""
    capacity, memory, vcores = (
        "yarn.scheduler.capacity.root.queues",
        "yarn.scheduler.maximum-allocation-mb",
        "yarn.scheduler.maximum-allocation-vcores",
    )
    logged = LoggedCluster(policy="capacity-2.7", named="x", settings={capacity: "a", memory: "5999", "yarn.x": "y"})

    report = ImportReport()
    report.logged = logged
    assert settings_of([], WORKLOAD, ClusterChoice(policy="capacity-2.7"), report) == {
        capacity: "a",
        memory: "6000",
        "yarn.x": "y",
        vcores: "7",
    }
    assert settings_of([], [], ClusterChoice(policy="fair-2.7"), report) == {memory: "5999", "yarn.x": "y"}
    assert settings_of([], WORKLOAD, ClusterChoice(policy="spark"), report) == {}
    logged.settings.update({memory: "6000", vcores: "7"})
    assert settings_of([], WORKLOAD, ClusterChoice(policy="fair-2.7"), report)[memory] == "6000"


def test_a_machine_holds_what_fits_it() -> None:
    """Jobs of more are counted; it has memory for a container a processor."""
    report = report_of(machine=10)
    machine = machine_node(report, RULES)
    assert machine == MachineNode(770, 10)
    assert list(report.notes) == []
    assert machine_node(report, MappingRules(processors=1)) is None
    assert machine_node(report_of(), RULES) is None
    assert machine_node(report_of(machine=INT_MAX), RULES) == MachineNode(INT_MAX, INT_MAX)

    jobs = [
        TraceApplication(str(mb + vcores), 0, (TraceTasks("container", 1, (), mb, vcores),))
        for mb, vcores in ((770, 10), (771, 10), (770, 11), (1, 1))
    ]
    assert list(machine.holding([*jobs, TraceApplication("none", 0)], report)) == [
        jobs[0],
        jobs[3],
        TraceApplication("none", 0),
    ]
    assert dict(report.dropped) == {TOO_LARGE: 2}
    report.machine = BatchMachine(10, is_named=False)
    machine_node(report, RULES)
    assert [(value, rule.partition(",")[0]) for value, rule in report.inferred] == [("processors of the machine", "10")]


# ---------------------------------------------------------------- queues

PARTS = st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map(".".join)


@given(st.sampled_from(("capacity-2.7", "capacity-3.4", "fair-2.7", "fair-3.4")), st.sets(PARTS, max_size=6))
def test_a_queue_that_takes_applications_has_none_below_it(policy: str, names: set[str]) -> None:
    """It lies in the queue it is named for; under the capacity scheduler of 2.7 its last name is the only one."""
    paths = leaf_queues(policy, sorted(names))
    leaves = [path for path in paths.values() if path is not None]

    assert len(set(leaves)) == len(leaves) == len(names)
    assert not any(one.startswith(f"{other}.") for one in leaves for other in leaves)
    assert all(path is not None and path.startswith(name.rpartition(".")[0]) for name, path in paths.items() if name)
    if policy == "capacity-2.7":
        assert len({submitted_to(policy, path) for path in leaves}) == len(leaves)


@given(st.sets(PARTS, min_size=1, max_size=9))
def test_children_of_a_queue_have_equal_parts_of_it(names: set[str]) -> None:
    """A hundred percent in all, none more than a hundredth above another."""
    leaves = [path for path in leaf_queues("capacity-3.4", sorted(names)).values() if path is not None]
    settings = queue_keys("capacity-3.4", leaves)["settings"]

    prefix = "yarn.scheduler.capacity.root"
    for key, text in settings.items():
        if key.endswith(".queues"):
            parent = key.removesuffix(".queues")
            shares = [float(settings[f"{parent}.{name}.capacity"]) for name in text.split(",")]
            assert sum(shares) == pytest.approx(100)
            assert all(0 <= round(one - other, 4) <= 0.01 for one, other in pairwise(shares))
    assert {path for path in leaves if f"{prefix}.{path}.capacity" not in settings} == set()


def test_other_schedulers_have_the_queues_they_can() -> None:
    """One, or none; without any name there is a default."""
    assert leaf_queues("fair-2.7", ["root.", "", ".a..b."]) == {"root.": "default", "": "default", ".a..b.": "a.b"}
    assert leaf_queues("mr1-fair", ["a"]) == {"a": None}
    assert queue_keys("fifo", ["a"]) == queue_keys("spark", []) == {}
    assert [queue.name for queue in queue_keys("fair-2.7", [])["queues"]] == ["default"]
    assert queue_keys("capacity-2.7", [])["settings"] == {
        "yarn.scheduler.capacity.root.queues": "default",
        "yarn.scheduler.capacity.root.default.capacity": "100",
    }
    assert submitted_to("capacity-3.4", "a") == "a"
