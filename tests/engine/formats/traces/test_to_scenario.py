"""Applications of a trace become a scenario that can be played."""

import json

import pytest

from engine.formats.scenario_toml import dump, loads
from engine.formats.traces.application import TraceApplication, TraceNode, TraceTasks
from engine.formats.traces.formats import TracePart
from engine.formats.traces.report import ImportReport
from engine.formats.traces.to_scenario import imported_scenario
from engine.formats.traces.trace_cluster import ClusterChoice
from engine.run import Run, play
from engine.scenario import MapReduceSpec, Scenario, ScriptedSpec
from tests.engine.formats.traces.samples import ALL, imported

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
    assert next(iter(report.dropped)).startswith("applications beyond what is simulated: ")


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
        {
            "Event": "SparkListenerExecutorAdded",
            "Executor ID": "6",
            "Executor Info": {"Host": "big", "Total Cores": 2},
        },
    ]
    applications, report = imported("\n".join(json.dumps(event) for event in events))
    nodes = imported_scenario(applications, report).cluster.nodes

    assert [(node.host, node.memory_mb, node.vcores) for node in nodes] == [
        ("big", 1024 + 5 * 4096, 11),
        ("small", 10_240, 10),
    ]
