"""A run's log of its ResourceManager is read back: what happened, to the ms."""

import io
from collections.abc import Sequence
from pathlib import Path

import pytest

from engine.errors import ConfigError
from engine.formats.scenario_toml import loads
from engine.formats.traces.report import ImportReport
from engine.formats.traces.rm_log import timeline_of
from engine.formats.traces.rm_timeline import ResourceManagerTimeline
from engine.formats.traces.source import TraceSource
from engine.model.cluster import application_name, container_name
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, Killed, Reserved, Unreserved, Warned
from engine.observe.rm_log import ResourceManagerLogWriter
from engine.run import play
from engine.scenario import Scenario
from engine.simulation.records import Record

BUSY = """
start = 2024-01-01T08:00:00+08:00
duration = "10m"
scheduler = "{policy}"
settings = {settings}
[[queues]]
name = "a"
min_resources = "4096 mb, 2 vcores"
min_share_preemption_timeout = 5
[[queues]]
name = "b"
[cluster]
groups = [{{count = 3, memory = "8g", vcores = 8}}]
[[workload]]
type = "scripted"
name = "hogs, all"
user = "bob"
queue = "b"
asks = [{{memory = "2g", count = 20, duration = "40s"}}]
[[workload]]
type = "scripted"
user = "ann"
queue = "a"
at = 10
asks = [{{memory = "6g", vcores = 2, count = 3, duration = "20s"}}]
[[script]]
do = "kill"
application = "1"
at = 100
[[script]]
do = "lose"
node = "node3"
at = 30
"""
CAPACITY = (
    '{"yarn.scheduler.capacity.root.queues" = "a,b", "yarn.scheduler.capacity.root.a.capacity" = "50",'
    ' "yarn.scheduler.capacity.root.b.capacity" = "50", "yarn.scheduler.capacity.root.b.user-limit-factor" = "2"}'
)
SETTINGS = {
    "fair": '{"yarn.scheduler.fair.preemption" = "true"}',
    "capacity": CAPACITY,
    "fifo": "{}",
}


class Kept:
    """A listener that keeps all records with their instant."""

    def __init__(self) -> None:
        self.all: list[tuple[int, Record]] = []

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        self.all += [(time_ms, record) for record in records]


def scenario(policy: str) -> Scenario:
    family = policy.partition("-")[0]
    text = BUSY.format(policy=policy, settings=SETTINGS[family])
    if family != "fair":
        text = "".join(f"{line}\n" for line in text.splitlines() if not line.startswith("min_"))
        text = text.replace('[[queues]]\nname = "a"\n', "").replace('[[queues]]\nname = "b"\n', "")
    if family == "fifo":
        text = text.replace('queue = "a"', 'queue = "default"').replace('queue = "b"', 'queue = "default"')
    return loads(text)


def read_back(path: Path) -> ResourceManagerTimeline:
    with TraceSource([io.BytesIO(path.read_bytes())], "log", ImportReport()) as source:
        return timeline_of([source])


@pytest.mark.parametrize("policy", ["fair-2.7", "fair-3.4", "capacity-2.7", "capacity-3.4", "fifo"])
def test_a_run_is_read_back_from_its_log(policy: str, tmp_path: Path) -> None:
    """Containers with their size, node, instants and end; reservations; states of applications; sizes of nodes."""
    played, kept = scenario(policy), Kept()
    with ResourceManagerLogWriter.to_file(tmp_path / "rm.log", played) as writer:
        play(played, None, [kept, writer])
    found = read_back(tmp_path / "rm.log")
    ends = {record.container: now_ms for now_ms, record in kept.all if isinstance(record, Completed | Killed)}
    allocated = {
        container_name(played.timestamp, record.container): (
            now_ms,
            record.node,
            record.memory_mb,
            record.vcores,
            ends.get(record.container),
        )
        for now_ms, record in kept.all
        if isinstance(record, Allocated)
    }
    states = [
        (now_ms, application_name(played.timestamp, record.application), record.state)
        for now_ms, record in kept.all
        if isinstance(record, ApplicationTransitioned)
    ]

    assert allocated
    assert {
        each.id: (each.allocated_ms, each.node, each.memory_mb, each.vcores, each.ended_ms)
        for each in found.containers.values()
    } == allocated
    assert {each.id for each in found.containers.values() if each.is_master} == {
        name for name in allocated if name.endswith("_000001")
    }
    assert all((now_ms, state) in found.applications[name].states for now_ms, name, state in states)
    assert {node.id: (node.memory_mb, node.vcores) for node in found.nodes.values()} == {
        each.id: (each.memory_mb, each.vcores) for each in played.cluster.all_nodes()
    }
    assert _reservations(found) == _made(kept, played.timestamp)


def _reservations(found: ResourceManagerTimeline) -> list[tuple[object, ...]]:
    """Container, node, since and until, of those of a timeline."""
    return sorted((each.container, each.node, each.since_ms, each.until_ms) for each in found.reservations)


def _made(kept: Kept, timestamp: int) -> list[tuple[object, ...]]:
    made: dict[object, list[object]] = {}
    for now_ms, record in kept.all:
        if isinstance(record, Reserved) and record.container not in made:
            made[record.container] = [container_name(timestamp, record.container), record.node, now_ms, None]
        elif isinstance(record, Unreserved | Allocated) and record.container in made:
            made[record.container][3] = now_ms
    return sorted(tuple(each) for each in made.values())


def test_preemption_is_read_back_from_its_log(tmp_path: Path) -> None:
    played, kept = scenario("fair-2.7"), Kept()
    with ResourceManagerLogWriter.to_file(tmp_path / "rm.log", played) as writer:
        play(played, None, [kept, writer])
    killed = [
        (now_ms, container_name(played.timestamp, record.container), "container")
        for now_ms, record in kept.all
        if isinstance(record, Killed) and record.cause == "PREEMPTED"
    ]
    warned = [(now_ms, record.queue, "queue") for now_ms, record in kept.all if isinstance(record, Warned)]

    assert killed
    assert sorted(read_back(tmp_path / "rm.log").preemptions) == sorted(warned + killed)


@pytest.mark.parametrize("policy", ["fair-3.4", "capacity-3.4"])
def test_a_lost_node_a_resized_one_and_a_move_are_read_back(policy: str, tmp_path: Path) -> None:
    steps = [
        {"do": "resize", "node": "node2", "memory": "10g", "vcores": 9, "at": 20},
        {"do": "move", "application": "1", "queue": "root.a", "at": 21},
    ]
    base = scenario(policy)
    expiry = {"yarn.nm.liveness-monitor.expiry-interval-ms": "20000"}
    played = Scenario.model_validate(
        base.model_dump()
        | {"settings": base.settings | expiry, "script": [*(each.model_dump() for each in base.script[1:]), *steps]}
    )
    with ResourceManagerLogWriter.to_file(tmp_path / "rm.log", played) as writer:
        outcome = play(played, None, [writer])
    found = read_back(tmp_path / "rm.log")
    sizes = {node.id.partition(":")[0]: (node.memory_mb, node.states[-1][1]) for node in found.nodes.values()}

    assert outcome.mishaps == ()
    assert sizes == {"node1": (8192, "RUNNING"), "node2": (10_240, "RUNNING"), "node3": (8192, "LOST")}
    assert found.applications[application_name(played.timestamp, 1)].queue == "root.a"


def test_a_summary_escapes_commas_and_has_the_sums(tmp_path: Path) -> None:
    played = scenario("fifo")
    with ResourceManagerLogWriter.to_file(tmp_path / "rm.log", played) as writer:
        play(played, None, [writer])
    text = (tmp_path / "rm.log").read_text()
    summary = next(line for line in text.splitlines() if "ApplicationSummary" in line)

    assert text.startswith(
        "2024-01-01 08:00:00,000 INFO org.apache.hadoop.yarn.server.resourcemanager.ResourceManager: "
    )
    assert "name=hogs\\, all,user=bob,queue=default,state=" in summary
    assert f"startTime={played.start_ms}," in summary


def test_what_has_no_resource_manager_writes_no_log(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="spark has no ResourceManager"):
        ResourceManagerLogWriter.to_file(
            tmp_path / "rm.log", scenario("fifo").model_copy(update={"scheduler": "spark"})
        )
    assert not list(tmp_path.iterdir())
