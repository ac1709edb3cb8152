"""`/jmx`: what the ResourceManager says of its cluster, its nodes, and of each queue and user.

Source: QueueMetrics, FSQueueMetrics, CSQueueMetrics, ClusterMetrics, RMNMInfo, JMXJsonServlet, Hadoop 2.7.2 and 3.4.1.
Differs: delays of masters, and what machines really use, are not simulated and are 0; beans of the Java machine and of
RPC are not there.

Source: PrometheusMetricsSink, Hadoop 3.4.1, where the page is off unless `hadoop.prometheus.endpoint.enabled` is set;
2.7.2 has none. Here it is always there, for either.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from operator import attrgetter
from typing import Any, Final, NamedTuple

from engine.model.ledger import Attempt
from engine.model.request import upwards
from engine.observe.documents import Document
from engine.schedulers.fair.schedulable import FairLeaf, FairQueue
from engine.serve.cluster import ClusterTotals, cluster_totals, in_state, nodes, waits_for_first, wanted
from engine.serve.scheduler import POLICIES
from engine.serve.served import ServedCluster
from engine.serve.wire import Field, Table, constant, written

SERVICE: Final = "Hadoop:service=ResourceManager,name="
COUNTERS: Final = ("AppsSubmitted", "AppsCompleted", "AppsKilled", "AppsFailed", "Aggregate", "UnmanagedApps")
"""Beginnings of the names of figures that only grow."""
_MINUTES: Final = (0, 60, 300, 1440)  # Running times in the names of `running_N` [min]


class BeanFacts(NamedTuple):
    """A queue with all below it, or one user's part of it."""

    served: ServedCluster
    totals: ClusterTotals
    path: str
    user: str  # Empty for everybody
    attempts: list[Attempt]
    ended: Counter[str]
    queue: FairQueue | None  # Queue of a fair scheduler; None for other policies, and for a user

    @property
    def is_root(self) -> bool:
        return not self.user and "." not in self.path

    @property
    def name(self) -> str:
        parts = ",".join(f"q{depth}={part}" for depth, part in enumerate(self.path.split(".")))
        return f"QueueMetrics,{parts}" + (f",user={self.user}" if self.user else "")


def _sum(name: str) -> Callable[[BeanFacts], int]:
    read = attrgetter(name)
    return lambda facts: sum(read(each) for each in facts.attempts)


def _ended(name: str) -> Callable[[BeanFacts], int]:
    return lambda facts: facts.ended[name]


def _running(at_least: int, below: int | None) -> Callable[[BeanFacts], int]:
    def count(facts: BeanFacts) -> int:
        minutes = [
            (facts.served.now_ms - each.application.submitted_ms) // 60_000
            for each in facts.attempts
            if not waits_for_first(each.application)
        ]
        return sum(at_least <= one and (below is None or one < below) for one in minutes)

    return count


def _pending(facts: BeanFacts) -> int:
    return sum(waits_for_first(each.application) for each in facts.attempts)


def _available(place: int) -> Callable[[BeanFacts], int]:
    return lambda facts: facts.totals.available[place] if facts.is_root else 0


def _fair(read: Callable[[FairQueue], int]) -> Callable[[BeanFacts], int | None]:
    return lambda facts: None if facts.queue is None else read(facts.queue)


def _am_most(place: int) -> Callable[[BeanFacts], int | None]:
    def read(facts: BeanFacts) -> int | None:
        policy = facts.served.fair
        return None if facts.queue is None or policy is None else policy.max_am_resource(facts.queue)[place]

    return read


def _am_used(place: int) -> Callable[[FairQueue], int]:
    return lambda queue: (queue.am_memory_mb, queue.am_vcores)[place] if isinstance(queue, FairLeaf) else 0


def _active_applications(facts: BeanFacts) -> int:
    is_counted = "." not in facts.path or facts.served.scheduler_kind == "capacity"
    return sum(each.pending > 0 for each in facts.attempts) if is_counted else 0


def _active_users(facts: BeanFacts) -> int:
    """Users that ask for something; a fair scheduler has a count of users for each application, and adds those up."""
    if facts.served.scheduler_kind == "fair":
        return _active_applications(facts) if facts.is_root else 0
    is_leaf = all(each.queue.path == facts.path for each in facts.attempts)
    return len({each.user for each in facts.attempts if each.pending > 0}) if is_leaf else 0


def _zeros(names: Iterable[str]) -> Iterator[Field[Any]]:  # Any: of any thing
    return (Field(name, constant(0)) for name in names)


HEAD: Final[Table[BeanFacts]] = (
    Field("name", lambda facts: SERVICE + facts.name),
    Field("modelerType", attrgetter("name")),
    Field("tag.Queue", attrgetter("path")),
    Field("tag.User", lambda facts: facts.user or None),
    Field("tag.Context", constant("yarn")),
    Field(
        "tag.SchedulingPolicy",
        lambda facts: None if facts.queue is None else POLICIES.get(facts.queue.policy.name, facts.queue.policy.name),
        since_34=True,
    ),
    Field("tag.Hostname", lambda facts: facts.served.address.partition(":")[0]),
    *(
        Field(f"running_{least}", _running(least, below))
        for least, below in zip(_MINUTES, (*_MINUTES[1:], None), strict=True)
    ),
    Field("AmResourceUsageMB", _fair(_am_used(0)), since_34=True),
    Field("AmResourceUsageVCores", _fair(_am_used(1)), since_34=True),
    Field("FairShareMB", _fair(attrgetter("fair_memory_mb"))),
    Field("FairShareVCores", _fair(attrgetter("fair_vcores"))),
)

SHARES_27: Final[Table[BeanFacts]] = (
    Field("SteadyFairShareMB", _fair(attrgetter("steady_memory_mb"))),
    Field("SteadyFairShareVCores", _fair(attrgetter("steady_vcores"))),
    Field("MinShareMB", _fair(attrgetter("min_memory_mb"))),
    Field("MinShareVCores", _fair(attrgetter("min_vcores"))),
    Field("MaxShareMB", _fair(attrgetter("max_memory_mb"))),
    Field("MaxShareVCores", _fair(attrgetter("max_vcores"))),
)

SHARES_34: Final[Table[BeanFacts]] = (
    Field("MaxAMShareMB", _am_most(0)),
    Field("MaxAMShareVCores", _am_most(1)),
    Field("MaxApps", _fair(attrgetter("max_apps"))),
    *SHARES_27[4:],
    *SHARES_27[2:4],
    *SHARES_27[:2],
)

FIGURES_27: Final[Table[BeanFacts]] = (
    Field("AppsSubmitted", _ended("AppsSubmitted")),
    Field("AppsRunning", lambda facts: len(facts.attempts) - _pending(facts)),
    Field("AppsPending", _pending),
    Field("AppsCompleted", _ended("AppsCompleted")),
    Field("AppsKilled", _ended("AppsKilled")),
    Field("AppsFailed", _ended("AppsFailed")),
    Field("AllocatedMB", _sum("used_memory_mb")),
    Field("AllocatedVCores", _sum("used_vcores")),
    Field("AllocatedContainers", lambda facts: sum(len(each.live) for each in facts.attempts)),
    Field("AggregateContainersAllocated", _ended("AggregateContainersAllocated")),
    Field("AggregateContainersReleased", _ended("AggregateContainersReleased")),
    Field("AvailableMB", _available(0)),
    Field("AvailableVCores", _available(1)),
    Field("PendingMB", lambda facts: wanted(facts.attempts)[0]),
    Field("PendingVCores", lambda facts: wanted(facts.attempts)[1]),
    Field("PendingContainers", _sum("pending")),
    Field("ReservedMB", _sum("reserved_memory_mb")),
    Field("ReservedVCores", _sum("reserved_vcores")),
    Field("ReservedContainers", lambda facts: sum(len(each.reserved) for each in facts.attempts)),
    Field("ActiveUsers", _active_users),
    Field("ActiveApplications", _active_applications),
)

_MORE_34: Final[Table[BeanFacts]] = (
    *(
        Field(name, _ended(name))
        for name in (
            "AggregateContainersPreempted",
            "AggregateMemoryMBPreempted",
            "AggregateMemoryMBSecondsPreempted",
            "AggregateNodeLocalContainersAllocated",
            "AggregateOffSwitchContainersAllocated",
            "AggregateRackLocalContainersAllocated",
            "AggregateVcoreSecondsPreempted",
            "AggregateVcoresPreempted",
        )
    ),
    Field("AppAttemptFirstContainerAllocationDelayNumOps", constant(0)),
    Field("AppAttemptFirstContainerAllocationDelayAvgTime", constant(0.0)),
    *_zeros(f"UnmanagedApps{state}" for state in ("Completed", "Failed", "Killed", "Pending", "Running", "Submitted")),
)


def _in_order(field: Field[BeanFacts]) -> str:
    return field.name.replace("DelayNumOps", "DelayAA")


FIGURES_34: Final[Table[BeanFacts]] = tuple(sorted((*FIGURES_27, *_MORE_34), key=_in_order))

_NODES: Final = {
    "Active": "RUNNING",
    "Decommissioned": "DECOMMISSIONED",
    "Decommissioning": "DECOMMISSIONING",
    "Lost": "LOST",
    "Unhealthy": "UNHEALTHY",
    "Rebooted": "REBOOTED",
    "Shutdown": "SHUTDOWN",
}  # Name of a figure → state of a node
_ORDER_27: Final = ("Active", "Decommissioned", "Lost", "Unhealthy", "Rebooted")
_DELAYS: Final = ("AMLaunchDelay", "AMRegisterDelay")


def _delays(names: Iterable[str]) -> Iterator[Field[ClusterTotals]]:
    for name in names:
        yield Field(f"{name}NumOps", constant(0))
        yield Field(f"{name}AvgTime", constant(0.0))


CLUSTER_27: Final[Table[ClusterTotals]] = (
    *(Field(f"Num{name}NMs", in_state(_NODES[name])) for name in _ORDER_27),
    *_delays(_DELAYS),
)
CLUSTER_34: Final[Table[ClusterTotals]] = (
    *_delays(("AMContainerAllocationDelay", *_DELAYS)),
    Field("CapabilityMB", attrgetter("served.cluster.total_memory_mb")),
    Field("CapabilityVirtualCores", attrgetter("served.cluster.total_vcores")),
    Field("ContainerAssignedPerSecond", constant(0)),
    *(Field(f"Num{name}NMs", in_state(_NODES[name])) for name in sorted(_NODES)),
    *_zeros(
        (
            "RmDispatcherEventQueueSize",
            "RmEventProcCPUAvg",
            "RmEventProcCPUMax",
            "SchedulerDispatcherEventQueueSize",
            "UtilizedMB",
            "UtilizedVirtualCores",
        )
    ),
)


def beans(served: ServedCluster) -> list[Document]:
    totals, release = cluster_totals(served), served.release
    tables = (HEAD, SHARES_34, FIGURES_34) if release.is_34 else (HEAD, SHARES_27, FIGURES_27)
    queues = [
        {name: value for table in tables for name, value in written(table, facts, release).items()}
        for facts in _queues(served, totals)
    ]
    return [_cluster_bean(totals), _nodes_bean(served), *queues]


def matching(found: Iterable[Document], query: str) -> list[Document]:
    """Choose the beans of a query: an object name, whose values may have `*` and `?`, and which `,*` leaves open."""
    if not query:
        return list(found)
    wishes = [part for part in query.partition(":")[2].split(",") if part]
    is_open = "*" in wishes
    wanted_parts = dict(part.partition("=")[::2] for part in wishes if part != "*")
    return [bean for bean in found if _fits(_parts(bean["name"]), wanted_parts, is_open=is_open)]


def _parts(name: str) -> dict[str, str]:
    return dict(part.partition("=")[::2] for part in name.partition(":")[2].split(","))


def _fits(parts: Mapping[str, str], wishes: Mapping[str, str], *, is_open: bool) -> bool:
    if not wishes.keys() <= parts.keys() or (not is_open and len(wishes) != len(parts)):
        return False
    return all(fnmatchcase(parts[name], text) for name, text in wishes.items())


def _cluster_bean(totals: ClusterTotals) -> Document:
    release = totals.served.release
    head = {
        "name": f"{SERVICE}ClusterMetrics",
        "modelerType": "ClusterMetrics",
        "tag.ClusterMetrics": "ResourceManager",
        "tag.Context": "yarn",
        "tag.Hostname": totals.served.address.partition(":")[0],
    }
    return {**head, **written(CLUSTER_34 if release.is_34 else CLUSTER_27, totals, release)}


def _nodes_bean(served: ServedCluster) -> Document:
    names = {
        "HostName": "nodeHostName",
        "Rack": "rack",
        "State": "state",
        "NodeId": "id",
        "NodeHTTPAddress": "nodeHTTPAddress",
        "LastHealthUpdate": "lastHealthUpdate",
        "HealthReport": "healthReport",
        "NodeManagerVersion": "version",
        "NumContainers": "numContainers",
        "UsedMemoryMB": "usedMemoryMB",
        "AvailableMemoryMB": "availMemoryMB",
    }
    live = nodes(served, "RUNNING").get("node", ())
    text = json.dumps([{name: row[field] for name, field in names.items()} for row in live], separators=(",", ":"))
    kind = "org.apache.hadoop.yarn.server.resourcemanager.RMNMInfo"
    return {"name": f"{SERVICE}RMNMInfo", "modelerType": kind, "LiveNodeManagers": text}


def _queues(served: ServedCluster, totals: ClusterTotals) -> Iterator[BeanFacts]:
    tree = served.fair.tree.queues if served.fair is not None else {}
    ended = _counted(served)
    inside: dict[tuple[str, str], list[Attempt]] = {}
    for attempt in [each.attempt for each in served.cluster.applications.values() if each.attempt is not None]:
        for place in _places(attempt.queue.path, attempt.user):
            inside.setdefault(place, []).append(attempt)
    users: dict[str, set[str]] = {}
    for path, user in ended if tree else ():
        users.setdefault(path, {""}).add(user)
    for path in (row.path for row in served.view.policy.queues()):
        for user in sorted(users.get(path, {""})):
            mine, counts = inside.get((path, user), []), ended.get((path, user), Counter())
            yield BeanFacts(served, totals, path, user, mine, counts, None if user else tree.get(path))


def _counted(served: ServedCluster) -> dict[tuple[str, str], Counter[str]]:
    found: dict[tuple[str, str], Counter[str]] = {}
    for (what, queue, user), count in served.past.counts.items():
        for place in _places(queue, user):
            found.setdefault(place, Counter())[what] += count
    return found


def _places(path: str, user: str) -> Iterator[tuple[str, str]]:
    for each in upwards(path):
        yield from dict.fromkeys([(each, ""), (each, user)])


# `/prom`: the figures of `/jmx` as Prometheus reads them.

_WORDS: Final = re.compile(r"(?<!^)(?<![A-Z_])(?=[A-Z])|(?<!^)(?=[A-Z][a-z])")
_TAG: Final = "tag."


def exposition(found: Iterable[Document]) -> str:
    """Every number of every bean, one figure after the other, each with its queue and user as labels."""
    lines: dict[str, list[str]] = {}
    for bean in found:
        record = str(bean["modelerType"]).partition(",")[0]
        labels = ",".join(f'{name}="{_escaped(text)}"' for name, text in _labels(bean))
        for name, value in bean.items():
            if isinstance(value, int | float):
                figure = metric_name(record, name)
                kind = "counter" if name.startswith(COUNTERS) else "gauge"
                lines.setdefault(figure, [f"# TYPE {figure} {kind}"]).append(f"{figure}{{{labels}}} {value}")
    return "\n".join(line for each in lines.values() for line in each) + "\n"


def metric_name(record: str, name: str) -> str:
    """Name a figure of a record for Prometheus.

    >>> metric_name("QueueMetrics", "AllocatedMB"), metric_name("ClusterMetrics", "NumActiveNMs")
    ('queue_metrics_allocated_mb', 'cluster_metrics_num_active_n_ms')
    """
    both = record + name[:1].upper() + name[1:]
    return "_".join(part for part in _WORDS.split(both) if part).lower()


def _labels(bean: Document) -> Iterator[tuple[str, str]]:
    for name, value in bean.items():
        if name.startswith(_TAG):
            yield name.removeprefix(_TAG).lower(), str(value)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
