"""The load of Hadoop's Scheduler Load Simulator, small."""

import json

import pytest

from tests.gates.bench.measures import NAMES
from tests.gates.bench.sls import MEASURES, figures, trace


def test_the_trace_is_twice_what_fits() -> None:
    """A job of 100 maps for every five nodes, spread over a minute and four queues, after the number of nodes."""
    head, *jobs = [json.loads(line) for line in trace(100)]

    assert head == {"num.nodes": 100, "num.racks": 2}
    assert (len(jobs), jobs[1]["job.start.ms"], jobs[-1]["job.start.ms"]) == (20, 3000, 57_000)
    assert {job["job.queue.name"] for job in jobs} == {"root.a", "root.b", "root.c", "root.d"}
    assert {each["count"] for job in jobs for each in job["job.tasks"]} == {100}


@pytest.mark.parametrize("policy", ["fair-3.4", "capacity-3.4"])
def test_every_container_runs_and_two_runs_are_one(policy: str) -> None:
    """404 containers of four jobs, with one digest; no figures of SLS are named for a size it was not run with."""
    found = figures(policy, 20)

    assert (found["jobs"], found["containers"], found["digests"]) == (4, 404, 1)
    assert "sls" not in found


def test_the_race_is_among_the_measurements() -> None:
    assert [name for name in NAMES if name.startswith("sls")] == list(MEASURES)
    assert len(MEASURES) == 4
