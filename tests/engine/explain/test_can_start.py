"""Each kind of application is played alone, and those that can never start are found."""

from collections.abc import Sequence

import pytest

from engine.explain.can_start import NeverStarts, never_starting
from engine.explain.verdict import Verdict
from engine.formats.scenario_toml import loads
from engine.incremental import run_to_end
from engine.scenario import Scenario
from tests.engine.explain.stuck import app, scene, verdict_on
from tests.gates.bench.starts import starts

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
    drivers = [f'{alone.format(64)}\ndriver = {{ memory = "{size}m" }}' for size in (64, 4097)]
    assert len(found(*drivers, policy="spark")) == 1


# Expected starts: exact as long as nothing comes from outside.


@pytest.mark.parametrize("cases", [(*range(6), 117, 128, 819), pytest.param(range(200), marks=pytest.mark.long)])
def test_they_are_exact_in_every_closed_case(cases: Sequence[int]) -> None:
    """Random clusters under every policy, each stopped at a random instant after which nothing arrives.

    In 117 somebody starved is looked at again and again, in 128 a check is not due, in 819 clocks of starvation begin
    in the middle of a rest.
    """
    found = [(case, start) for case in cases for start in starts(case, is_closed=True)]

    assert len(found) > 2 * len(cases)
    assert [(case, start) for case, start in found if not start.is_exact] == []


@pytest.mark.long
def test_some_are_never() -> None:
    never = [start for case in range(12) for start in starts(case, is_closed=True) if start.expected_ms is None]

    assert all(start.actual_ms is None for start in never)


# An ask that those which wait for nothing keep from starting is found without playing what others go on with.


BUSY = app("busy", '{ memory = "1g", count = 1000, duration = "20s" }', at=2, queue="root.b", waits=False)
"""Goes on for more than a quarter of an hour beside whoever is blocked."""

WANTS = app("wants", '{ memory = "9g" }', at=20, queue="root.c")


def keeper(asks: str = '{ memory = "2g", count = 2 }') -> str:
    """Holds 2 GB of each of two nodes for ever."""
    return app("keeper", asks, at=1, queue="root.a")


def judged_at_a_minute(scenario: Scenario) -> tuple[Verdict, float]:
    """The verdict on the third application, and how far the world it rests on was played [s]."""
    found, _ = verdict_on(scenario, 60, 3)
    return found, (found.proof.looked_until_ms - scenario.start_ms) / 1000


def test_keepers_alone_prove_that_it_is_blocked() -> None:
    """Nobody else is in the world that proves it, which is still at once; only the keepers are named."""
    found, until_s = judged_at_a_minute(scene(keeper() + BUSY + WANTS))

    assert (found.verdict, found.proof.ends, found.proof.still) == ("blocked", (1,), True)
    assert until_s < 120
