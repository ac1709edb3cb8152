"""The cluster and queues of an imported scenario: which nodes, of which size, under which scheduler."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.formats.traces.application import MappingRules, TraceNode
from engine.formats.traces.report import BatchMachine, ImportReport
from engine.formats.traces.rm_timeline import LoggedCluster
from engine.formats.traces.to_scenario import leaf_queues, queue_keys, submitted_to
from engine.formats.traces.trace_cluster import (
    ClusterChoice,
    with_policy,
)

RULES = MappingRules(container_mb=77, container_vcores=3, duration_ms=5000)


def report_of(*nodes: TraceNode, logged: LoggedCluster | None = None, machine: int = 0) -> ImportReport:
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
    report = report_of(logged=logged, machine=machine)
    assert with_policy(ClusterChoice(policy=policy, nodes=3), report, RULES) == ClusterChoice(policy=found, nodes=3)
    assert [note.partition(" (--policy")[0] for note in report.notes] == notes
    several = MappingRules(processors=2)
    if machine and not logged and not policy:
        assert with_policy(ClusterChoice(), report_of(machine=machine), several).policy == "fair-2.7"


# ---------------------------------------------------------------- queues

PARTS = st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map(".".join)


@given(st.sampled_from(("capacity-2.7", "capacity-3.4", "fair-2.7", "fair-3.4")), st.sets(PARTS, max_size=6))
def test_a_queue_that_takes_applications_has_none_below_it(policy: str, names: set[str]) -> None:
    paths = leaf_queues(policy, sorted(names))
    leaves = [path for path in paths.values() if path is not None]

    assert len(set(leaves)) == len(leaves) == len(names)
    assert not any(one.startswith(f"{other}.") for one in leaves for other in leaves)
    assert all(path is not None and path.startswith(name.rpartition(".")[0]) for name, path in paths.items() if name)
    if policy == "capacity-2.7":
        assert len({submitted_to(policy, path) for path in leaves}) == len(leaves)


@given(st.sets(PARTS, min_size=1, max_size=9))
def test_children_of_a_queue_have_equal_parts_of_it(names: set[str]) -> None:
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
