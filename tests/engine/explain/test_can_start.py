"""Each kind of application is played alone, and those that can never start are found."""

import pytest

from engine.explain.can_start import NeverStarts, never_starting
from engine.formats.scenario_toml import loads
from engine.incremental import run_to_end

HEAD = """
scheduler = "{policy}"
duration = "1h"
{settings}
[cluster]
groups = [{{ count = {nodes}, memory = "{memory}m", vcores = 8 }}]
"""


YARN = "[settings]\nyarn.scheduler.maximum-allocation-mb = 100000\nyarn.scheduler.minimum-allocation-mb = 1"


def found(*workload: str, nodes: int = 2, memory: int = 4096, policy: str = "fifo") -> tuple[NeverStarts, ...]:
    tables = [f'[[workload]]\nat = {place}\nuser = "ann"\n{each}\n' for place, each in enumerate(workload)]
    settings = "" if policy == "spark" or policy.startswith("mr1") else YARN
    head = HEAD.format(policy=policy, nodes=nodes, memory=memory, settings=settings)
    return run_to_end(never_starting(loads(head + "".join(tables))))


def scripted(name: str, memory: int, *, count: int = 1, waits: str = "false", am: int = 1024) -> str:
    """An application that asks for containers of this memory [MB]."""
    asks = f'[{{ memory = "{memory}m", count = {count}, duration = "9h" }}]'
    return f'type = "scripted"\nname = "{name}"\nam = {{ memory = "{am}m" }}\nwaits = {waits}\nasks = {asks}'


def test_what_fits_the_largest_node_beside_its_master_starts() -> None:
    """A node of 4096 MB holds a container of 4096 MB where the master is on the other node, and none larger."""
    assert found(scripted("a", 4096), scripted("b", 100, count=500)) == ()
    (never,) = found(scripted("a", 4096), scripted("b", 4097), scripted("c", 5000))

    assert never.kind.sample.name == "b"
    assert [spec.name for spec in never.kind.specs] == ["b", "c"]
    assert [row.state for row in never.run.snapshot().applications()] == ["RUNNING"]


def test_a_master_that_no_node_holds_never_starts() -> None:
    (never,) = found(scripted("a", 100, am=4097))

    assert [row.state for row in never.run.snapshot().applications()] == ["ACCEPTED"]


@pytest.mark.parametrize(("count", "stuck"), [(7, 0), (8, 1)])
def test_an_application_that_waits_for_all_needs_room_for_all(count: int, stuck: int) -> None:
    assert len(found(scripted("a", 1024, count=count, waits="true"))) == stuck


def test_what_runs_on_with_all_it_asks_for_has_started() -> None:
    """A submission without work ends only when it is killed; where its master has no room it never starts."""
    service = 'type = "scripted"\nname = "s"\nam = {{ memory = "{}m" }}\nasks = []'

    assert found(service.format(1024)) == ()
    assert len(found(service.format(5000))) == 1


@pytest.mark.parametrize("policy", ["fifo", "fair-2.7", "fair-3.4", "mr1-fair"])
def test_jobs_of_mapreduce_start_under_every_scheduler(policy: str) -> None:
    job = 'type = "mapreduce"\nname = "j"\nmaps = 5000\nreduces = 300\nmap_duration = "9h"'

    assert found(job, policy=policy) == ()


def test_executors_too_large_are_found_under_every_kind_of_spark() -> None:
    yarn = 'type = "spark"\nname = "s"\nexecutors = 3\nduration = "1h"\nexecutor = {{ memory = "{}m" }}'
    alone = 'type = "spark-standalone"\nname = "s"\nexecutor_memory = "{}m"\nstages = [{{ tasks = 3 }}]'

    assert found(yarn.format(4096)) == found(alone.format(4096), policy="spark") == ()
    assert len(found(yarn.format(4097))) == len(found(alone.format(4097), policy="spark")) == 1
