"""A batch log is played on one node, as large as its machine, with one container for each job."""

import random
from pathlib import Path

import pytest

from engine.formats.traces.application import MappingRules, TraceTasks
from engine.formats.traces.report import BatchMachine, ImportReport
from engine.formats.traces.to_scenario import imported_scenario
from engine.formats.traces.trace_cluster import GANGS, TOO_LARGE, ClusterChoice
from engine.scenario import ScriptedSpec
from tests.engine.formats.traces.samples import imported
from tests.gates.traces.batch import compared


def line(number: int, submit_s: int, run_s: int, processors: int) -> str:
    return f"{number} {submit_s} -1 {run_s} {processors} -1 -1 {processors} -1 -1 1 1 1 -1 1 1 -1 -1\n"


def crowded(jobs: int, processors: int, seed: int) -> str:
    """A log whose jobs together want more than the machine has, most of the time."""
    rng, submit_s, text = random.Random(seed), 0, f"; UnixStartTime: 900000000\n; MaxProcs: {processors}\n"
    for number in range(1, jobs + 1):
        submit_s += rng.randrange(0, 60)
        text += line(number, submit_s, rng.randrange(1, 900), rng.choice((1, 1, 2, 3, 8, processors // 2, processors)))
    return text


@pytest.mark.parametrize("seed", range(3))
def test_every_job_starts_when_an_independent_first_fit_starts_it(tmp_path: Path, seed: int) -> None:
    log = tmp_path / "crowded.swf"
    log.write_text(crowded(400, 16, seed))

    found = compared(log)

    assert (found.jobs, found.finished, found.equal) == (400, 400, 400)


def test_the_machine_is_what_the_header_says_whatever_jobs_are_taken() -> None:
    """Processors before nodes, of which a node may hold several; jobs count only where no header does."""
    texts = ("; MaxNodes: 8\n; MaxProcs: 32\n", "; MaxNodes: 8\n", "")

    found = [imported(head + line(1, 0, 9, 4) + line(2, 0, 9, 6))[1].machine for head in texts]

    assert found == [BatchMachine(32, is_named=True), BatchMachine(8, is_named=True), BatchMachine(6, is_named=False)]


@pytest.mark.parametrize(
    ("policy", "processors", "taken"), [("", None, "fifo"), ("", 1, "fair-2.7"), ("capacity-2.7", None, "capacity-2.7")]
)
def test_a_batch_log_is_first_come_first_served(policy: str, processors: int | None, taken: str) -> None:
    rules = MappingRules(processors=processors)
    applications, report = imported("; MaxProcs: 32\n" + line(1, 0, 9, 4), rules=rules)

    assert imported_scenario(applications, report, ClusterChoice(policy=policy), rules).scheduler == taken
    assert ("queues of the trace are not kept: this scheduler has one" in report.notes) == (taken == "fifo")


def test_the_node_has_a_vcore_and_memory_for_each_processor() -> None:
    applications, report = imported("; MaxProcs: 32\n" + line(1, 0, 9, 4), rules=MappingRules(container_mb=100))
    cluster = imported_scenario(applications, report, rules=MappingRules(container_mb=100)).cluster

    assert applications[0].tasks == (TraceTasks("container", 1, (9000,), 400, 4),)
    assert [(node.memory_mb, node.vcores) for node in cluster.all_nodes()] == [(3200, 32)]


def test_a_job_larger_than_the_machine_is_dropped() -> None:
    applications, report = imported("; MaxProcs: 8\n" + line(1, 0, 9, 8) + line(2, 0, 9, 9))
    scenario = imported_scenario(applications, report)

    assert [spec.name for spec in scenario.workload] == ["1"]
    assert report.dropped == {TOO_LARGE: 1}


def test_many_nodes_are_built_where_asked_for_with_a_warning() -> None:
    """A job is a gang of containers, and the report says what can happen."""
    report = ImportReport()
    rules = MappingRules(processors=1)
    applications, report = imported("; MaxProcs: 32\n" + line(1, 0, 9, 4), rules=rules)
    scenario = imported_scenario(applications, report, ClusterChoice(nodes=3), rules)
    spec = scenario.workload[0]

    assert isinstance(spec, ScriptedSpec)
    assert (spec.waits, spec.asks[0].count, len(scenario.cluster.all_nodes())) == (True, 4, 3)
    assert GANGS in report.notes
