"""Applications of a trace become a scenario that can be played."""

import bz2
import gzip
import io
import json
import lzma
import struct
import sys
from itertools import pairwise
from typing import Any

import cramjam
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import ConfigError
from engine.formats.scenario_toml import dump, loads
from engine.formats.traces.application import MappingRules, TraceApplication, TraceNode, TraceTasks
from engine.formats.traces.formats import TracePart
from engine.formats.traces.report import BatchMachine, ImportReport
from engine.formats.traces.rm_timeline import LoggedCluster
from engine.formats.traces.source import EXTRA, TraceSource
from engine.formats.traces.to_scenario import imported_scenario, leaf_queues, queue_keys
from engine.formats.traces.trace_cluster import ClusterChoice, with_policy
from engine.run import Run, play
from engine.scenario import MapReduceSpec, Scenario, ScriptedSpec
from tests.engine.formats.traces.samples import ALL, imported, source

MAPS = TraceTasks("map", 3, (1000, 2000, 3000), 2048, 2, ("n1", "n9", "n1"))


def application(*tasks: TraceTasks, **keys: object) -> TraceApplication:
    fields = {"id": "a1", "submitted_ms": 5000, "behaviour": "mapreduce", "user": "ann", "queue": "root.x.y", **keys}
    return TraceApplication(tasks=tasks or (MAPS,), **fields)  # type: ignore[arg-type]  # a test names what it changes


def scenario(*applications: TraceApplication, policy: str = "fair-2.7", **keys: object) -> Scenario:
    report = ImportReport()
    report.add_node(TraceNode("n1", "/r1", 4096, 4))
    choice = ClusterChoice(policy=policy, **keys)  # type: ignore[arg-type]  # as above, what it changes
    return imported_scenario(applications, report, choice)


def test_a_mapreduce_job_keeps_each_maps_duration_and_place() -> None:
    found = scenario(application())

    assert found.workload == (
        MapReduceSpec(
            type="mapreduce",
            name="a1",
            user="ann",
            queue="x.y",
            at_ms=5000,
            maps=3,
            map={"memory_mb": 2048, "vcores": 2},
            map_durations_ms=(1000, 2000, 3000),
            blocks=(("n1",), (), ("n1",)),
            slow_start=1.0,
        ),
    )
    assert [(node.host, node.memory_mb) for node in found.cluster.nodes] == [("n1", 4096)]


def test_a_gang_waits_for_all_and_has_no_master() -> None:
    report = ImportReport()
    tasks = TraceTasks("container", 101, (1000,), 1024, 1)
    found = imported_scenario([application(tasks, behaviour="gang", has_master=False)], report)
    spec = found.workload[0]

    assert isinstance(spec, ScriptedSpec)
    assert (spec.waits, spec.am) == (True, None)
    assert len(found.cluster.all_nodes()) == 11


def test_instants_since_the_epoch_move_the_start() -> None:
    found = scenario(application(submitted_ms=1_400_000_000_700))

    assert (found.start.timestamp(), found.workload[0].at_ms) == (1_400_000_000, 700)


def test_a_node_of_unknown_size_holds_the_largest_container() -> None:
    report = ImportReport()
    report.add_node(TraceNode("n1"))
    report.add_node(TraceNode("n2", None, 4096, 4))
    large = application(TraceTasks("map", 1, (1,), 20_000, 11))
    free, given = (
        imported_scenario([large], report, ClusterChoice(is_size_given=is_given)).cluster.nodes
        for is_given in (False, True)
    )

    assert [(node.memory_mb, node.vcores) for node in free] == [(20_000, 11), (4096, 4)]
    assert [(node.memory_mb, node.vcores) for node in given] == [(10_240, 10)] * 2


@pytest.mark.parametrize("policy", ["capacity-2.7", "capacity-3.4", "fair-2.7", "fair-3.4"])
def test_an_application_below_a_queue_and_one_in_it_both_end(policy: str) -> None:
    """Also where two leaves have one name, which the capacity scheduler of 2.7 cannot tell apart."""
    named = {"root.a": 5000, "root.a.x": 305_000, "b.x": 605_000}
    found = scenario(*(application(queue=name, submitted_ms=at) for name, at in named.items()), policy=policy)

    run = Run(found)
    run.advance(found.duration_ms)

    assert [row.state for row in run.snapshot().applications(why=False)] == ["FINISHED"] * 3


def test_what_is_beyond_the_simulation_is_dropped() -> None:
    report = ImportReport()
    large = application(TraceTasks("map", 2_000_000, (1,), 1024, 1))

    assert len(imported_scenario([large, application()], report).workload) == 1
    assert next(iter(report.dropped)).startswith("applications beyond what is simulated (")


@pytest.mark.parametrize("name", ["sls", "synth", "rumen", "swim", "swf", "apps", "spark", "jhist", "openb"])
@pytest.mark.parametrize("policy", ["fair-2.7", "capacity-3.4", "fifo"])
def test_every_imported_trace_is_written_and_played(name: str, policy: str) -> None:
    found, report = imported(ALL[name])
    made = imported_scenario(found, report, ClusterChoice(policy=policy, node_mb=65_536, node_vcores=32))
    outcome = play(loads(dump(made)))

    assert made.workload
    assert loads(dump(made)) == made
    assert not outcome.mishaps


def test_a_part_is_taken_and_renamed() -> None:
    report = ImportReport()
    applications = [application(id=str(number), submitted_ms=1000 * number) for number in range(5)]
    chosen = TracePart(first=4, between_ms=(1000, 3000), queues={"root.x.y": "z"}, time_scale=2.0)
    taken = list(chosen.of(applications, report))

    assert [(each.id, each.submitted_ms, each.queue) for each in taken] == [("1", 2000, "z"), ("2", 4000, "z")]
    assert report.dropped.total() == 2


def test_hidden_names_are_the_same_for_the_same() -> None:
    """Nothing of the trace is left, and places are still nodes of the cluster."""
    report = ImportReport()
    report.add_node(TraceNode("n1"))
    chosen = TracePart(is_anonymous=True)
    first, second = chosen.of([application(name="secret"), application(name="secret", user="bob")], report)
    chosen.hide_nodes(report)

    assert (first.queue, first.name) == (second.queue, second.name)
    assert first.user != second.user
    assert not {"ann", "root.x.y", "secret", "a1", "n1"} & {first.user, first.queue, first.name, first.id}
    assert first.tasks[0].hosts[0] in report.nodes


def test_a_host_is_as_large_as_what_ran_on_it_together() -> None:
    """With the application master, each container in whole GB; never smaller than a node of unknown size."""
    events = [
        {"Event": "SparkListenerApplicationStart", "App Name": "a", "Timestamp": 1000},
        {"Event": "SparkListenerEnvironmentUpdate", "Spark Properties": {"spark.executor.memory": "3g"}},
        *(
            {"Event": "SparkListenerExecutorAdded", "Executor ID": str(each), "Executor Info": info}
            for each, info in enumerate([{"Host": "big", "Total Cores": 2}] * 5 + [{"Host": "small", "Total Cores": 2}])
        ),
        {"Event": "SparkListenerExecutorRemoved", "Executor ID": "0"},
        {"Event": "SparkListenerExecutorAdded", "Executor ID": "6", "Executor Info": {"Host": "big", "Total Cores": 2}},
    ]
    applications, report = imported("\n".join(json.dumps(event) for event in events))
    nodes = imported_scenario(applications, report).cluster.nodes

    assert [(node.host, node.memory_mb, node.vcores) for node in nodes] == [
        ("big", 1024 + 5 * 4096, 11),
        ("small", 10_240, 10),
    ]


# Parts of traces: objects of a stream, which applications are taken, what a report collects and a workload is like.


class Pieces(io.BytesIO):
    """Bytes of which each read gives a few."""

    few = 1

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(self.few)


VALUES = st.recursive(
    st.integers() | st.text(max_size=8) | st.none(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=4,
)
OBJECTS = st.dictionaries(st.text(max_size=5), VALUES, max_size=3)


@given(st.lists(OBJECTS, max_size=3), st.integers(1, 40), st.booleans(), st.sampled_from(["\n", " ", ",\n"]))
def test_whatever_stands_in_a_stream_is_read_in_pieces_of_any_length(
    objects: list[Any], size: int, is_ascii: bool, between: str
) -> None:
    """Braces and quotation marks in strings are none; each object has the line it begins in."""
    texts = [json.dumps(each, ensure_ascii=is_ascii, indent=1) for each in objects]
    whole = between.join(texts)
    lines = [1 + between.join([*texts[:place], ""]).count("\n") for place in range(len(texts))]

    pieces, report = Pieces(whole.encode()), ImportReport()
    pieces.few = size
    assert list(TraceSource([pieces], "trace", report).objects()) == list(zip(lines, objects, strict=True))
    assert report.faults == 0


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
    ("", None, 0, "fair-2.7", ["scheduler fair-2.7: the trace names none"]),
    ("fifo", None, 0, "fifo", []),
    ("", LOGGED, 0, "capacity-3.4", ["scheduler capacity-3.4: the log names the capacity scheduler of 3.4"]),
    ("capacity-3.4", LOGGED, 0, "capacity-3.4", []),
    ("fifo", LOGGED, 4, "fifo", ["scheduler fifo, as --set says; the log names the capacity scheduler of 3.4"]),
    ("", None, 4, "fifo", ["scheduler fifo: jobs of a batch log start in their order"]),
    ("fair-3.4", None, 4, "fair-3.4", []),
]


@pytest.mark.parametrize(("policy", "logged", "machine", "found", "notes"), CHOICES)
def test_the_scheduler_is_the_one_chosen_or_the_one_logged(
    policy: str, logged: LoggedCluster | None, machine: int, found: str, notes: list[str]
) -> None:
    report = report_of(logged=logged, machine=machine)
    assert with_policy(ClusterChoice(policy=policy, nodes=3), report, RULES) == ClusterChoice(policy=found, nodes=3)
    assert [note.partition(" (--set scheduler")[0] for note in report.notes] == notes
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


# Packed traces are unpacked as they are read, whatever packs them.

TEXT = b"".join(b"line %d of a text that packs well\n" % number for number in range(4000))
LINES = [line.decode() for line in TEXT.splitlines()]


def lz4_blocks(data: bytes, step: int = 32_768, *, is_raw: bool = False) -> bytes:
    written = b""
    for place in range(0, len(data), step):
        block = data[place : place + step]
        packed = block if is_raw else bytes(cramjam.lz4.compress_block(block, store_size=False))
        token = 0x10 if is_raw else 0x20
        written += struct.pack("<8sBiii", b"LZ4Block", token | 5, len(packed), len(block), 0) + packed
    return written + struct.pack("<8sBiii", b"LZ4Block", 0x15, 0, 0, 0)


def snappy_blocks(data: bytes, step: int = 32_768) -> bytes:
    written = b"\x82SNAPPY\0" + struct.pack(">ii", 1, 1)
    for place in range(0, len(data), step):
        packed = bytes(cramjam.snappy.compress_raw(data[place : place + step]))
        written += struct.pack(">i", len(packed)) + packed
    return written


PACKED = {
    "gzip": gzip.compress(TEXT),
    "bzip2": bz2.compress(TEXT) + bz2.compress(b""),
    "xz": lzma.compress(TEXT),
    "Zstandard": zstandard.compress(TEXT),
    "LZ4": lz4_blocks(TEXT),
    "Snappy": snappy_blocks(TEXT),
}


@pytest.mark.parametrize("title", PACKED)
def test_a_packed_file_is_read_whole(title: str) -> None:
    once, twice = (source(PACKED[title] * times) for times in (1, 2))

    assert (once.packing, [line for _, line in once.lines()]) == (title, LINES)
    assert [line for _, line in twice.lines()] == LINES * 2


@pytest.mark.parametrize("title", PACKED)
def test_a_packed_file_that_is_cut_off_is_read_as_far_as_it_goes(title: str) -> None:
    report = ImportReport()
    found = [line for _, line in source(PACKED[title][: len(PACKED[title]) - 20], report).lines()]

    assert found == LINES[: len(found)] or found[:-1] == LINES[: len(found) - 1]
    assert [problem.message.partition(":")[0] for problem in report.problems] == (
        ["the packed file is damaged or cut off here"] if title != "Zstandard" else []
    )


def test_a_missing_package_is_named_with_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(ConfigError) as error:
        source(PACKED["Zstandard"])

    assert error.value.problems[0].hint == EXTRA
    assert source(PACKED["gzip"]).packing == "gzip"


def test_a_block_of_snappy_that_says_it_is_larger_is_left_packed(monkeypatch: pytest.MonkeyPatch) -> None:
    report = ImportReport()
    monkeypatch.setattr("engine.formats.traces.source.LARGEST_BLOCK", 16_383)
    assert list(source(snappy_blocks(b"y" * 16_384), report).lines()) == []
    assert report.faults == 1
