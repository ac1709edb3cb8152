"""Every field of applications and their attempts, worked out anew from the simulation that is asked."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from engine.errors import ConfigError
from engine.formats.scenario_toml import loads
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, Killed
from engine.model.ledger import Application
from engine.run import play
from engine.scenario import Scenario
from engine.serve.attempts import AppsWriter
from engine.serve.served import ApplicationPast
from engine.simulation.records import Submitted
from tests.engine.serve.asked import Asked

TEXT = """
name = "fields"
duration = "10m"
scheduler = "{scheduler}"
[settings]
{settings}
[cluster]
nodes = [{{ host = "n1", memory = "6g", vcores = 8, rack = "/r1" }}, {{ host = "n2", memory = "6g", vcores = 8 }}]
{queues}
[[workload]]
type = "scripted"
name = "large"
user = "ann"
queue = "a"
at = 1
tags = ["x", "y"]
application_type = "TEZ"
am = {{ memory = "1g" }}
asks = [{{ memory = "1500m", vcores = 2, count = 5, duration = "20m" }}]
[[workload]]
type = "scripted"
name = "short"
user = "bob"
queue = "b"
at = 2
am = {{ memory = "512m" }}
asks = [{{ memory = "512m", duration = "3s" }}]
[[workload]]
type = "scripted"
name = "no master"
user = "bob"
queue = "b"
at = 60
am = "unmanaged"
waits = true
asks = [
    {{ memory = "4g", count = 2 }},
    {{ memory = "5g", vcores = 3, priority = 4, hosts = ["n1"], relax = false }},
]
[[workload]]
type = "scripted"
name = "crashes"
user = "eve"
queue = "b"
at = 3
outcome = "CRASHED"
am = {{ memory = "512m" }}
asks = [{{ memory = "512m", duration = "1s" }}]
[[workload]]
type = "scripted"
name = "killed"
user = "eve"
queue = "b"
at = 4
am = {{ memory = "512m" }}
waits = true
asks = [{{ memory = "512m" }}]
[[workload]]
type = "scripted"
name = "waits"
user = "eve"
queue = "b"
at = 300
am = {{ memory = "6g" }}
asks = [{{ memory = "1g" }}]
[[script]]
do = "kill"
application = "killed"
at = 40
"""
FAIR = '"yarn.scheduler.fair.preemption" = true\n"yarn.scheduler.fair.preemption.cluster-utilization-threshold" = 0'
POOLS = """
[[queues]]
name = "a"
[[queues]]
name = "b"
min_resources = "9216 mb, 9 vcores"
min_share_preemption_timeout = 5
"""
PREFIX = "yarn.scheduler.capacity.root"
CAPACITY = f"""
"yarn.resourcemanager.scheduler.monitor.enable" = true
"{PREFIX}.queues" = "a,b"
"{PREFIX}.a.capacity" = "20"
"{PREFIX}.b.capacity" = "80"
"{PREFIX}.a.user-limit-factor" = "5"
"{PREFIX}.b.maximum-am-resource-percent" = "1"
"""
SCENES = {
    "fair-2.7": TEXT.format(scheduler="fair-2.7", settings=FAIR, queues=POOLS),
    "fair-3.4": TEXT.format(scheduler="fair-3.4", settings=FAIR, queues=POOLS),
    "capacity-2.7": TEXT.format(scheduler="capacity-2.7", settings=CAPACITY, queues=""),
    "capacity-3.4": TEXT.format(scheduler="capacity-3.4", settings=CAPACITY, queues=""),
}
AT_MS = (30_000, 330_500)


@cache
def scene(scheduler: str, at_ms: int) -> Asked:
    return Asked(loads(SCENES[scheduler], "fields"), at_ms)


@pytest.fixture(params=[(name, at_ms) for name in SCENES for at_ms in AT_MS], ids=str)
def one(request: pytest.FixtureRequest) -> Asked:
    return scene(*request.param)


def rows(one: Asked) -> Iterator[tuple[dict[str, Any], Application]]:
    for row in one.json("/apps")["apps"]["app"]:
        app = one.served.application(int(row["id"].rpartition("_")[2]))
        assert app is not None
        yield row, app


def test_an_application_says_what_it_holds(one: Asked) -> None:
    text = one.ask("/apps").body.decode()
    for row, app in rows(one):
        live = app.attempt
        sizes = [(each.memory_mb, each.vcores, each.created_ms) for each in live.live.values()] if live else []
        memory, vcores = sum(each[0] for each in sizes), sum(each[1] for each in sizes)
        has = (memory, vcores, len(sizes)) if live else (-1, -1, -1)
        assert (row["allocatedMB"], row["allocatedVCores"], row["runningContainers"]) == has
        so_far = [one.served.now_ms - since_ms for *_, since_ms in sizes]
        mb_ms = app.memory_mb_ms + sum(size[0] * held for size, held in zip(sizes, so_far, strict=True))
        vcore_ms = app.vcore_ms + sum(size[1] * held for size, held in zip(sizes, so_far, strict=True))
        assert (row["memorySeconds"], row["vcoreSeconds"]) == (mb_ms // 1000, vcore_ms // 1000)
        if one.served.release.is_34:
            both = [("memory-mb", mb_ms // 1000), ("vcores", vcore_ms // 1000)]
            entries = ",".join(f'"entry":{{"key":"{key}","value":"{value}"}}' for key, value in both)
            assert f'"resourceSecondsMap":{{{entries}}}' in text
            assert row["clusterUsagePercentage"] == pytest.approx(memory * 100 / 12_288, rel=1e-6)
            assert (row["reservedMB"] > 0) == bool(live and live.reserved)


@pytest.mark.parametrize("at_ms", AT_MS)
def test_a_capacity_scheduler_says_what_is_used_pending_and_its_master_s(at_ms: int) -> None:
    """In its partition; no other scheduler has it, nor an application that has ended."""
    one = scene("capacity-3.4", at_ms)
    for row, app in rows(one):
        live = app.attempt
        if live is None:
            assert "resourceInfo" not in row
            continue
        (usage,) = row["resourceInfo"]["resourceUsagesByPartition"]
        asks = [group.anywhere for group in live.groups.values() if group.anywhere is not None]
        pending = (sum(each.memory_mb * each.count for each in asks), sum(each.vcores * each.count for each in asks))
        master = live.live[live.master] if live.master is not None else None
        pairs = {
            "used": (live.used_memory_mb, live.used_vcores),
            "reserved": (live.reserved_memory_mb, live.reserved_vcores),
            "pending": pending,
            "amUsed": (master.memory_mb, master.vcores) if master is not None else (0, 0),
            "amLimit": (0, 0),
            "userAmLimit": (0, 0),
        }
        assert {name: (usage[name]["memory"], usage[name]["vCores"]) for name in pairs} == pairs
        assert usage["partitionName"] == ""
    assert not any("resourceInfo" in row for row, _ in rows(scene("fair-3.4", at_ms)))


# A run as the answer of its ResourceManager about all its applications.

WRITER_TEXT = """
name = "few"
duration = "5m"
scheduler = "{scheduler}"
[cluster]
nodes = [{{ host = "n1", memory = "8g", vcores = 8 }}]
[[workload]]
type = "mapreduce"
name = "sort"
user = "ann"
maps = 3
map_duration = ["20s", "20s"]
[[workload]]
type = "service"
name = "web"
user = "bob"
at = "10s"
instances = 1
instance = {{ memory = "1g", vcores = 1 }}
"""


def writer_scene(scheduler: str = "fair-3.4") -> Scenario:
    """A job that ends and a service that does not."""
    return loads(WRITER_TEXT.format(scheduler=scheduler))


def written(path: Path, scenario: Scenario, until_ms: int) -> Any:  # Any: JSON
    with AppsWriter.to_file(path, scenario) as writer:
        play(scenario, until_ms, [writer], begun=writer.follow)
        writer.finish()
    return json.loads(path.read_text())


@pytest.mark.parametrize("scheduler", ["fair-2.7", "fair-3.4", "fifo"])
def test_every_application_is_written_once(tmp_path: Path, scheduler: str) -> None:
    rows = written(tmp_path / "apps.json", writer_scene(scheduler), 300_000)["apps"]["app"]

    assert [(row["name"], row["state"], row["runningContainers"]) for row in rows] == [
        ("sort", "FINISHED", -1),
        ("web", "RUNNING", 2),
    ]
    assert rows[0]["elapsedTime"] == rows[0]["finishedTime"] - rows[0]["startedTime"] > 20_000
    assert rows[0]["memorySeconds"] > 3 * 20 * 1024


def test_a_run_that_is_cut_off_leaves_no_file(tmp_path: Path) -> None:
    scenario = writer_scene()
    with AppsWriter.to_file(tmp_path / "apps.json", scenario) as writer:
        play(scenario, 300_000, [writer], begun=writer.follow)

    assert list(tmp_path.iterdir()) == []


def test_what_has_no_resource_manager_has_no_answer(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="spark has no ResourceManager"):
        AppsWriter.to_file(tmp_path / "apps.json", writer_scene().model_copy(update={"scheduler": "spark"}))

    assert list(tmp_path.iterdir()) == []


# What is remembered of applications from records alone.

MASTER, TASK = (1, 1, 1), (1, 1, 2)
QUEUE = "root.a"
Instant = tuple[int, Sequence[Any]]  # Any: records of several kinds


def moved(state: str, number: int = 1, queue: str = "", detail: str = "") -> ApplicationTransitioned:
    return ApplicationTransitioned(number, state, queue, detail)


def given(container: tuple[int, int, int], locality: str = "OFF_SWITCH") -> Allocated:
    return Allocated(container, "n1:1", 1, 512, 3, locality)


def past(*instants: Instant) -> ApplicationPast:
    found = ApplicationPast()
    for time_ms, records in instants:
        found.on_records(time_ms, records)
    return found


SUBMITTED = Submitted(1, "one", "ann", "a", "YARN")
BEGUN: Instant = (10, [SUBMITTED, moved("ACCEPTED", queue=QUEUE)])


def attempts(found: ApplicationPast) -> list[tuple[object, ...]]:
    return [
        (one.number, one.started_ms, one.finished_ms, one.state, one.first, one.node, one.launched_ms)
        for one in found.of(1).attempts
    ]


def counts(found: ApplicationPast) -> Counter[tuple[str, str, str]]:
    return Counter({key: count for key, count in found.counts.items() if key[0].startswith("Apps")})


def test_a_second_attempt_ends_the_first_as_failed_and_is_no_second_submission() -> None:
    """Its number is the next, and containers are of the attempt that they name."""
    second = (1, 2, 1)
    steps = [BEGUN, (20, [given(MASTER)]), (30, [moved("ACCEPTED")]), (40, [given(second)]), (50, [given(TASK)])]
    found = past(*steps, (60, [moved("RUNNING")]))

    assert attempts(found) == [(1, 10, 30, "FAILED", MASTER, "n1:1", 20), (2, 30, 0, "RUNNING", second, "n1:1", 40)]
    assert counts(found) == {("AppsSubmitted", QUEUE, "ann"): 1}


def test_containers_are_counted_by_place_and_once_when_they_end() -> None:
    others = [(1, 1, number) for number in (3, 4)]
    found = past(
        BEGUN,
        (
            20,
            [given(TASK, "NODE_LOCAL"), given(others[0], "RACK_LOCAL"), given(others[1]), given(MASTER, "NODE_LOCAL")],
        ),
        (30, [Completed(TASK, "n1:1", 0), Killed(others[0], "n1:1", "RELEASED"), Completed((1, 1, 9), "n1:1", 0)]),
        (40, [Completed(TASK, "n1:1", 0)]),
    )
    containers = {key[0]: count for key, count in found.counts.items() if key[0].startswith("Aggregate")}

    assert containers == {
        "AggregateContainersAllocated": 4,
        "AggregateNodeLocalContainersAllocated": 2,
        "AggregateRackLocalContainersAllocated": 1,
        "AggregateOffSwitchContainersAllocated": 1,
        "AggregateContainersReleased": 2,
    }
    assert found.of(1).preempted == []
