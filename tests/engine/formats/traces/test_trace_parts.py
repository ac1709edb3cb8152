"""Parts of traces: objects of a stream, which applications are taken, what a report collects and a workload is like."""

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.formats.traces.application import MappingRules, TraceNode
from engine.formats.traces.json_objects import ObjectSplitter
from engine.formats.traces.report import BatchMachine, ImportReport
from engine.formats.traces.rm_timeline import LoggedCluster
from engine.formats.traces.to_scenario import leaf_queues, queue_keys
from engine.formats.traces.trace_cluster import (
    ClusterChoice,
    with_policy,
)


def split(text: bytes, size: int = 5, depth: int = 1) -> tuple[list[tuple[int, Any]], list[tuple[str, int]]]:
    """(line, object) of a stream that is read in pieces, and (message, line) of faults."""
    rest, faults = [text], list[tuple[str, int]]()

    def read(_: int) -> bytes:
        piece, rest[0] = rest[0][:size], rest[0][size:]
        return piece

    found = list(ObjectSplitter(read, lambda message, line: faults.append((message, line)), depth).objects())
    return found, faults


VALUES = st.recursive(
    st.integers() | st.text(max_size=8) | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(max_size=5), VALUES, max_size=3)


@settings(max_examples=80, deadline=None)
@given(st.lists(OBJECTS, max_size=4), st.integers(1, 40), st.booleans(), st.sampled_from(["\n", " ", ",\n"]))
def test_whatever_stands_in_a_stream_is_read_in_pieces_of_any_length(
    objects: list[Any], size: int, is_ascii: bool, between: str
) -> None:
    """Braces and quotation marks in strings are none; each object has the line it begins in."""
    texts = [json.dumps(each, ensure_ascii=is_ascii, indent=1) for each in objects]
    whole = between.join(texts)
    lines = [1 + between.join([*texts[:place], ""]).count("\n") for place in range(len(texts))]

    assert split(whole.encode(), size) == (list(zip(lines, objects, strict=True)), [])


# The cluster and queues of an imported scenario: which nodes, of which size, under which scheduler.

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
