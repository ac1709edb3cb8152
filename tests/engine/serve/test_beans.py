"""What JMX and Prometheus are answered, beside a recorded server's beans."""

import asyncio
import json
from collections import Counter
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from engine.formats.scenario_toml import load, loads
from engine.model.ledger import Attempt
from engine.observe.journal import Fingerprint
from engine.run import Run
from engine.scenario import Scenario
from engine.scenario.acts import KillApplication
from engine.serve.served import REST_S, SLICE_S, ServedPace
from tests.engine.serve.asked import Asked, asked, exchanges
from tests.engine.serve.test_applications import AT_MS as FIGURE_AT_MS
from tests.engine.serve.test_applications import SCENES, scene

RECORDED = {"2.7.2-fair": "reservation-deadlock-recorded", "3.4.1-fair-incident": "reservation-deadlock-recorded-3.4"}
AT_MS = 65_500


def beans(one: Asked, query: str) -> dict[str, Any]:
    found = one.ask(f"/jmx?qry=Hadoop:service=ResourceManager,{query}")
    return {each["name"]: each for each in json.loads(found.body)["beans"]}


def recorded(recording: str, query: str) -> dict[str, Any]:
    found = next(each for each in exchanges(recording) if each.path.endswith(f"ResourceManager,{query}"))
    return {each["name"]: each for each in found.json["beans"]}


@pytest.mark.parametrize(("recording", "name"), RECORDED.items())
@pytest.mark.parametrize("query", ["name=QueueMetrics,*", "name=ClusterMetrics", "name=QueueMetrics,q0=root"])
def test_beans_have_the_fields_of_the_recorded_ones(recording: str, name: str, query: str) -> None:
    """The same beans, but those of users without an application; names of figures in the same order."""
    ours, theirs = beans(asked(name, AT_MS), query), recorded(recording, query)

    assert [each for each in ours if each not in theirs] == []
    assert {each for each in theirs if each not in ours} <= {
        "Hadoop:service=ResourceManager,name=QueueMetrics,q0=root,user=dr.who"
    }
    for each in ours:
        assert list(ours[each]) == list(theirs[each]), each


def test_figures_of_queues_and_users_are_those_of_the_real_server() -> None:
    ours = beans(asked("reservation-deadlock-recorded", AT_MS), "name=QueueMetrics,*")
    theirs = recorded("2.7.2-fair", "name=QueueMetrics,*")
    assert ours == {name: theirs[name] for name in ours}


def test_a_query_finds_by_pattern() -> None:
    """With `*` in a value, with `,*` for more, and nothing else without it."""
    one = asked("reservation-deadlock-recorded", AT_MS)
    assert len(beans(one, "name=QueueMetrics,q0=root")) == 1
    assert len(beans(one, "name=QueueMetrics,q0=root,q1=m*")) == 1
    assert beans(one, "name=Nothing") == {}
    assert len(json.loads(one.ask("/jmx").body)["beans"]) == len(beans(one, "*"))


def test_nodes_are_a_text_in_a_bean() -> None:
    (bean,) = beans(asked("reservation-deadlock-recorded", AT_MS), "name=RMNMInfo").values()
    ours, theirs = (
        json.loads(bean["LiveNodeManagers"]),
        json.loads(next(iter(recorded("2.7.2-fair", "name=RMNMInfo").values()))["LiveNodeManagers"]),
    )
    skipped = "LastHealthUpdate"
    assert [{**each, skipped: 0} for each in ours] == [{**each, skipped: 0} for each in theirs]


@pytest.mark.parametrize("name", [*RECORDED.values(), "node-labels-capacity-3.4", "three-schedulers-fifo"])
def test_prometheus_reads_the_figures(name: str) -> None:
    """As its own client parses them; the reserved memory of the whole cluster is there."""
    one = asked(name, AT_MS)
    families = {each.name: each for each in text_string_to_metric_families(one.ask("/prom").body.decode())}
    reserved = {
        sample.labels["queue"]: sample.value
        for sample in families["queue_metrics_reserved_mb"].samples
        if "user" not in sample.labels
    }

    root = next(iter(reserved))
    assert reserved[root] == one.json("/metrics")["clusterMetrics"]["reservedMB"]
    assert families["queue_metrics_apps_submitted"].type == "counter"


# Figures of JMX, worked out from the applications of each queue and user; queries; the words of Prometheus.

CASES = [(name, at_ms) for name in SCENES for at_ms in FIGURE_AT_MS]


def figure_beans(one: Asked) -> list[Any]:
    found: list[Any] = json.loads(one.ask("/jmx").body)["beans"]
    return found


def queue_beans(one: Asked) -> list[Any]:
    return [each for each in figure_beans(one) if "QueueMetrics" in each["name"]]


def attempts(one: Asked, bean: dict[str, Any]) -> list[Attempt]:
    """Those in the queue of a bean or below it, of its user."""
    path, user = bean["tag.Queue"], bean.get("tag.User")
    return [
        app.attempt
        for app in one.served.cluster.applications.values()
        if app.attempt is not None and f"{app.queue}.".startswith(f"{path}.") and user in {None, app.user}
    ]


@pytest.mark.parametrize(("scheduler", "at_ms"), CASES)
def test_beans_add_up_their_applications(scheduler: str, at_ms: int) -> None:
    """What they hold, have reserved and ask for, and how many wait for their first container."""
    one = scene(scheduler, at_ms)
    for bean in queue_beans(one):
        mine = attempts(one, bean)
        waiting = [each for each in mine if each.master is None and not each.live]
        asks = [group.anywhere for each in mine for group in each.groups.values() if group.anywhere is not None]
        expected = {
            "AppsRunning": len(mine) - len(waiting),
            "AppsPending": len(waiting),
            "AllocatedMB": sum(each.used_memory_mb for each in mine),
            "AllocatedVCores": sum(each.used_vcores for each in mine),
            "AllocatedContainers": sum(len(each.live) for each in mine),
            "PendingMB": sum(each.memory_mb * each.count for each in asks),
            "PendingVCores": sum(each.vcores * each.count for each in asks),
            "PendingContainers": sum(each.pending for each in mine),
            "ReservedMB": sum(each.reserved_memory_mb for each in mine),
            "ReservedVCores": sum(each.reserved_vcores for each in mine),
            "ReservedContainers": sum(len(each.reserved) for each in mine),
        }
        assert {name: bean[name] for name in expected} == expected, bean["name"]


@pytest.mark.parametrize(("scheduler", "at_ms"), CASES)
def test_beans_count_what_ended_there_and_below(scheduler: str, at_ms: int) -> None:
    one = scene(scheduler, at_ms)
    for bean in queue_beans(one):
        counted = Counter[str]()
        for (what, queue, user), count in one.served.past.counts.items():
            if f"{queue}.".startswith(f"{bean['tag.Queue']}.") and bean.get("tag.User") in {None, user}:
                counted[what] += count
        names = [name for name in bean if name.startswith(("Apps", "Aggregate")) and name in counted]
        assert {name: bean[name] for name in names} == {name: counted[name] for name in names}


# What a served cluster says of its nodes, and which applications and ids it knows.

LABELS = ("node-labels-capacity-3.4", 60_000)
SMALL = """
duration = "5m"
scheduler = "{scheduler}"
[settings]
"yarn.nm.liveness-monitor.expiry-interval-ms" = 10000
{settings}
[cluster]
nodes = [
    {{ host = "n1", memory = "4g", vcores = 4 }},
    {{ host = "n2", memory = "2g", vcores = 2 }},
    {{ host = "n3", memory = "2g", vcores = 2 }},
]
[[workload]]
type = "scripted"
name = "one"
user = "ann"
at = 1
number = 3
am = {{ memory = "512m" }}
waits = true
asks = [{{ memory = "1g", vcores = 2, count = 2 }}]
[[faults]]
do = "lose"
node = "n3"
at = 20
"""


CAPACITY = """
"yarn.scheduler.capacity.root.queues" = "default"
"yarn.scheduler.capacity.root.default.capacity" = "100"
"yarn.scheduler.capacity.maximum-am-resource-percent" = "1"
"yarn.cluster.max-application-priority" = "9"
"""


def small(scheduler: str = "fair-2.7") -> Scenario:
    """Three nodes, of which the last is lost, and an application that stays."""
    settings = CAPACITY if scheduler.startswith("capacity") else ""
    return loads(SMALL.format(scheduler=scheduler, settings=settings), "small")


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/nodes/n1", 400, "Invalid NodeId [n1]. Expected host:port"),
        ("/nodes/n1:80:41", 400, "Invalid NodeId [n1:80:41]. Expected host:port"),
        ("/nodes/n9:8041", 404, "java.lang.Exception: nodeId, n9:8041, is not found"),
        ("/nodes?states=UP", 400, "No enum constant org.apache.hadoop.yarn.api.records.NodeState.UP"),
        ("/nodes?states=shutdown", 400, "No enum constant org.apache.hadoop.yarn.api.records.NodeState.SHUTDOWN"),
    ],
)
def test_what_is_no_node_or_state_is_refused(path: str, status: int, words: str) -> None:
    said = Asked(small(), 5000).ask(path)
    assert (said.status, json.loads(said.body)["RemoteException"]["message"]) == (status, words)
    assert asked(*LABELS).ask("/nodes?states=shutdown,running").status == 200


@pytest.mark.parametrize("era", ["2.7", "3.4"])
def test_labels_are_named_once_with_what_their_nodes_have(era: str) -> None:
    one = asked(*LABELS, era)
    nodes = [node for node in one.served.nodes() if node.partition]
    names = sorted({node.partition for node in nodes})
    said = one.json("/get-node-labels")
    found = said["nodeLabels"] if era == "2.7" else said["nodeLabelInfo"]
    every = found if isinstance(found, list) else [found]
    assert isinstance(found, list) == (len(names) > 1)
    if era == "2.7":
        assert every == names
    else:
        sizes = {name: sum(node.total_memory_mb for node in nodes if node.partition == name) for name in names}
        assert {each["name"]: each["partitionInfo"]["resourceAvailable"]["memory"] for each in every} == sizes
    entries: Any = one.json("/get-node-to-labels")["nodeToLabels"]["entry"]
    rows = entries if isinstance(entries, list) else [entries]
    assert isinstance(entries, list) == (len(nodes) > 1)
    labels = {each["key"]: each["value"]["nodeLabels" if era == "2.7" else "nodeLabelInfo"] for each in rows}
    known = {node.id: node.partition for node in nodes}
    assert labels == (
        known if era == "2.7" else {key: {"name": name, "exclusivity": "true"} for key, name in known.items()}
    )


# How the time of a served run passes: kept acts come again, a new act ends them, its end is its end.


NAME = "reservation-deadlock-recorded"


def played(until_ms: int) -> tuple[Run, Fingerprint]:
    """A run without its script, and the hash of what happens in it."""
    journal = Fingerprint()
    run = Run(load(NAME).model_copy(update={"script": ()}), [journal], until_ms, is_judged=False)
    return run, journal


def test_acts_of_a_kept_run_come_again_at_their_time() -> None:
    first, journal = played(90_000)
    first.advance(70_000)
    first.simulation.act(KillApplication(10))
    first.advance(90_000)

    again, repeated = played(90_000)
    pace = ServedPace(again, first.simulation.acts)
    for to_ms in (30_000, 70_500, 90_000):
        pace.advance(to_ms)

    assert repeated.hexdigest() == journal.hexdigest()


def test_a_new_act_ends_those_that_were_kept() -> None:
    first, _ = played(90_000)
    first.advance(70_000)
    first.simulation.act(KillApplication(10))

    pace = ServedPace(played(90_000)[0], first.simulation.acts)
    pace.advance(60_000)
    pace.act(KillApplication(1))
    pace.advance(80_000)

    assert [action for _, action in pace.played.simulation.acts] == [KillApplication(1)]


async def test_it_goes_on_until_it_is_stopped() -> None:
    now_s, rests = [0.0], []

    async def sleep(seconds: float) -> None:
        rests.append(seconds)
        now_s[0] += 1.0
        if len(rests) == 5:
            raise StopAsyncIteration

    pace = ServedPace(played(90_000)[0], clock=lambda: now_s[0], sleep=sleep)
    with pytest.raises(StopAsyncIteration):
        await pace.run()
    assert pace.played.now_ms == 4_000


async def test_of_several_walks_one_goes_at_a_time() -> None:
    """The second begins when the first is where it was to go, so questions never wait for two slices."""
    now_s, walked = [0.0], list[str]()

    async def sleep(seconds: float) -> None:
        task = asyncio.current_task()
        assert task is not None
        walked.append(task.get_name())
        await asyncio.sleep(0)

    def clock() -> float:
        now_s[0] += 0.6 * SLICE_S  # one piece of work in a slice
        return now_s[0]

    pace = ServedPace(played(90_000)[0], clock=clock, sleep=sleep)
    await asyncio.gather(
        *(asyncio.create_task(pace.walk(to_ms), name=name) for name, to_ms in (("a", 5_000), ("b", 9_000)))
    )

    assert (walked, pace.played.now_ms) == (sorted(walked), 9_000)
    assert set(walked) == {"a", "b"}


# How fast the time of a served run passes, by a clock that is set by hand.


class Clock:
    """A wall clock that goes on by a step at each look."""

    def __init__(self, step_s: float = 0.0) -> None:
        self.now_s, self.step_s, self.looks = 0.0, step_s, 0

    def __call__(self) -> float:
        self.looks += 1
        self.now_s += self.step_s
        return self.now_s


@pytest.mark.parametrize("speed", [0.5, 1.0, 20.0])
def test_simulated_time_passes_at_its_speed(speed: float) -> None:
    clock = Clock()
    pace = ServedPace(Run(small(), is_judged=False), clock=clock, speed=speed)
    assert (pace.speed, pace.paused, pace.slice(), pace.played.now_ms) == (speed, False, REST_S, 0)
    clock.now_s = 2.0
    pace.slice()
    assert pace.played.now_ms == 2000 * speed
    pace.set(paused=True)
    clock.now_s = 3.0
    assert (pace.slice(), pace.paused, pace.speed) == (REST_S, True, speed)
    pace.set(paused=False, speed=2 * speed)
    clock.now_s = 4.0
    pace.slice()
    assert (pace.played.now_ms, pace.speed) == (4000 * speed, 2 * speed)
