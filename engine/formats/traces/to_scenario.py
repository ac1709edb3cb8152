"""Makes a scenario of a trace's applications: each as the kind of application that behaves like it.

MapReduce jobs and Spark applications keep their behaviour; others ask for exactly the containers they had. What the
scenario cannot hold is left out and counted in the report.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final, NamedTuple

import msgspec
from pydantic import ValidationError

from engine.formats.traces.application import MappingRules, TraceApplication, TraceTasks
from engine.formats.traces.report import ImportReport
from engine.formats.traces.trace_cluster import (
    GANGS,
    ClusterChoice,
    batch_node_size,
    cluster_of,
    fitting,
    roomy,
    settings_of,
    with_policy,
)
from engine.model.request import Resource, upwards
from engine.scenario import (
    ApplicationSpec,
    AskSpec,
    ClusterSpec,
    JobSpec,
    MapReduceSpec,
    QueueSpec,
    Scenario,
    ScriptedSpec,
    Size,
    SparkSpec,
    StageSpec,
    StandaloneSpec,
    TezSpec,
    TimedAct,
)
from engine.scenario.acts import RestartResourceManager, timed
from engine.scenario.cluster import Table
from engine.scenario.scenario import family_of, system_of
from engine.settings.fair import USER_QUEUE
from engine.units import CENTURY_MS, moment_at, plural

# The queues of an imported scenario: those that its applications name, all with equal parts.

DEFAULT: Final = "default"
PREFIX: Final = "yarn.scheduler.capacity.root"
WHOLE: Final = 10_000  # A queue's hundredths of a percent
OWN: Final = "_own"  # The end of the name of the leaf that takes a parent's own applications


def leaf_queues(policy: str, names: Iterable[str | None]) -> dict[str | None, str | None]:
    """The queue that takes the applications of each name, without `root.`; None where there are no queues.

    A queue with queues below it takes no application: its own go to a leaf below it. The capacity scheduler of 2.7
    knows a queue by its last name alone, so that one of several alike bears its whole path there.

    >>> leaf_queues("fair-2.7", ["root.etl", None]), leaf_queues("fifo", ["etl"]), leaf_queues("spark", ["etl"])
    ({'root.etl': 'etl', None: 'default'}, {'etl': 'default'}, {'etl': None})
    >>> leaf_queues("capacity-3.4", ["prod", "prod.x"])
    {'prod': 'prod.prod_own', 'prod.x': 'prod.x'}
    >>> leaf_queues("capacity-2.7", ["a.x", "b.x", "c.y"])
    {'a.x': 'a.a_x', 'b.x': 'b.b_x', 'c.y': 'c.y'}
    """
    paths = {name: _path(policy, name) for name in names}
    every = {each for path in paths.values() if path for each in upwards(path)}
    parents = {path.rpartition(".")[0] for path in every}
    alike = Counter(path.rpartition(".")[2] for path in every)
    for name, path in paths.items():
        if path is None:
            continue
        above, _, last = path.rpartition(".")
        if path in parents:
            paths[name] = f"{path}.{last}{OWN}"
        elif above and policy == "capacity-2.7" and alike[last] > 1:
            paths[name] = f"{above}.{path.replace('.', '_')}"
    return paths


def submitted_to(policy: str, path: str) -> str:
    """The name under which a queue takes applications.

    Source: CapacityScheduler#getQueue: by the last name in 2.7; by the last name or the whole path in 3.4.

    >>> submitted_to("capacity-2.7", "prod.x"), submitted_to("capacity-3.4", "prod.x"), submitted_to("fair-2.7", "a.x")
    ('x', 'root.prod.x', 'a.x')
    """
    if policy == "capacity-2.7":
        return path.rpartition(".")[2]
    return f"root.{path}" if "." in path and family_of(policy) == "capacity" else path


def _path(policy: str, named: str | None) -> str | None:
    if system_of(policy) != "yarn":
        return None
    if family_of(policy) == "fifo":
        return DEFAULT
    parts = [part for part in (named or "").removeprefix("root.").split(".") if part]
    return ".".join(parts) or DEFAULT


def queue_keys(policy: str, queues: Iterable[str]) -> Table:
    """The keys of a scenario that make these queues.

    >>> queue_keys("capacity-2.7", ["a", "b"])["settings"]["yarn.scheduler.capacity.root.a.capacity"]
    '50'
    """
    paths = list(queues) or [DEFAULT]
    if family_of(policy) == "fair":
        # What is submitted to the queue default goes to each user's own one unless a setting says otherwise.
        settings = {USER_QUEUE.name: "false"} if DEFAULT in paths else {}
        return {"queues": tuple(QueueSpec(name=path) for path in paths), "settings": settings}
    if family_of(policy) == "capacity":
        return {"settings": _capacities(paths)}
    return {}


def _capacities(paths: Iterable[str]) -> dict[str, str]:
    """Queues of the capacity scheduler: the children of each parent share it equally, and each may take all."""
    children: dict[str, dict[str, None]] = {}
    for path in paths:
        parent = ""
        for name in path.split("."):
            children.setdefault(parent, {})[name] = None
            parent = f"{parent}.{name}"
    settings: dict[str, str] = {}
    for parent, names in children.items():
        settings[f"{PREFIX}{parent}.queues"] = ",".join(names)
        part, rest = divmod(WHOLE, len(names))
        for place, name in enumerate(names):
            share = (part + (place < rest)) / 100
            settings[f"{PREFIX}{parent}.{name}.capacity"] = f"{share:g}"
    return settings


EPOCH_FROM_MS: Final = 100_000_000_000  # Instants from here on are epoch ms (1973); those below count from a beginning
IDLE_MS: Final = 3_600_000
"""Where nothing is submitted for so long at the beginning, the scenario begins with the first submission."""
MARGIN_MS: Final = 600_000
OVERHEAD_MS: Final = 3_000
"""How long a container holds its room beyond its task: fetched, launched and reported at heartbeats."""
SIZES: Final = "memory and vcores"
NO_MASTER: Final = "{memory_mb} MB and {vcores} vcore(s), since the trace does not state their size"
MIXED: Final = "maps or reduces of several sizes: asked for at once, without waiting for one another"
LATEST_MS: Final = 7_258_118_399_999  # The end of the year 2199 [epoch ms]; no scenario begins later
AT_ONCE: Final = "jobs follow one another at once: the time between them is not kept under a Spark Master"
NUMBERED: Final = re.compile(r"(?:application|job)_(\d+_\d+)|job-[0-9a-f]{8}")
"""An id of YARN or MapReduce, which is the same but for its first word, or what hides one."""
TWICE: Final = "what is told of an application once more: its own history counts, else what tells its sizes and end"
OTHER_ENDS: Final = frozenset(
    {"FAILED", "KILLED", "FAIL", "CANCELLED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY", "EVICTED", "LOST"}
)
ENDED: Final = "ends of applications that were {state}: they end well here, when all that they asked for has run"
WRONG_KIND: Final = "applications that the scheduler {policy} does not run"


def imported_scenario(
    applications: Iterable[TraceApplication],
    report: ImportReport,
    choice: ClusterChoice | None = None,
    rules: MappingRules | None = None,
    *,
    name: str = "imported",
) -> Scenario:
    """Raises ConfigError if what the trace and the choice make together cannot be a scenario."""
    rules, read = rules or MappingRules(), _told_once(applications, report)
    choice = with_policy(choice or ClusterChoice(), report, rules)
    kept = [each for each in read if _is_kept(each, choice.policy, report)]
    machine = batch_node_size(report, rules) if choice.nodes is None else None
    if machine is not None:
        if choice.is_size_given:
            machine = Resource(choice.node_mb, choice.node_vcores)
        kept = list(fitting(kept, machine, report))
        choice = msgspec.structs.replace(choice, nodes=1, node_mb=machine.memory_mb, node_vcores=machine.vcores)
    hosts = frozenset() if choice.nodes is not None else frozenset(report.nodes)
    if hosts != report.nodes.keys():
        report.note("the nodes of the trace and where its input lies are not kept, since --nodes is given")
    if any(each.behaviour == "gang" for each in kept):
        report.note(GANGS)
    if report.machine_size is not None and not choice.is_size_given:
        node_mb, node_vcores = report.machine_size
        choice = msgspec.structs.replace(choice, node_mb=node_mb, node_vcores=node_vcores)
    begin_ms = min((each.submitted_ms for each in kept), default=0)
    begin_ms = begin_ms // 1000 * 1000 if begin_ms >= IDLE_MS else 0
    workload: list[ApplicationSpec] = []
    queues = _queues(choice.policy, kept, report)
    maker = _Specs(choice, rules, hosts, queues, report)
    for each in kept:
        try:
            workload.append(maker.spec(each, each.submitted_ms - begin_ms))
        except ValidationError as error:
            report.drop(f"applications beyond what is simulated ({error.errors()[0]['msg'].lower()})")
    cluster = cluster_of(kept, roomy(choice, workload, report), report)
    fields: Table = {
        "name": name,
        "title": f"{plural(len(workload), 'application')} of a trace",
        "scheduler": choice.policy,
        "cluster": cluster,
        "workload": tuple(workload),
        "duration_ms": _duration_ms(kept, begin_ms, cluster, rules),
        **queue_keys(choice.policy, dict.fromkeys(path for path in queues.values() if path is not None)),
    }
    fields["settings"] = {**fields.get("settings", {}), **settings_of(kept, workload, choice, report)}
    if choice.has_settings:
        fields["script"] = tuple(_restarts(report, begin_ms))
    if begin_ms >= EPOCH_FROM_MS:
        fields["start"] = moment_at(begin_ms)
    return Scenario.model_validate(fields)


def _told_once(applications: Iterable[TraceApplication], report: ImportReport) -> list[TraceApplication]:
    """Each application once: pages, polls and histories beside answers tell of one several times."""
    found: dict[str, TraceApplication] = {}
    for place, each in enumerate(applications):
        match = NUMBERED.fullmatch(each.id)
        key = f"{place}" if match is None else match[1] or each.id
        before = found.get(key)
        if before is not None:
            report.drop(TWICE)
        found[key] = each if before is None else _fuller(before, each)
    return list(found.values())


def _fuller(before: TraceApplication, after: TraceApplication) -> TraceApplication:
    less, more = sorted(
        (before, after),
        key=lambda each: (each.behaviour != "containers", each.is_granted, each.finished_ms is not None),
    )
    return msgspec.structs.replace(
        more, user=more.user or less.user, queue=more.queue or less.queue, type=more.type or less.type
    )


def _restarts(report: ImportReport, begin_ms: int) -> Iterator[TimedAct]:
    restarts = [each for each in report.logged.restarts if each.stopped_ms >= begin_ms]
    if restarts:
        times = "once" if len(restarts) == 1 else f"{len(restarts)} times"
        report.note(f"the ResourceManager restarts {times}, as in the log")
    for each in restarts:
        yield timed(RestartResourceManager(each.down_ms), each.stopped_ms - begin_ms)


def _is_kept(each: TraceApplication, policy: str, report: ImportReport) -> bool:
    if not each.containers and each.master_ms is None:
        report.drop("applications of which nothing is known to have run")
        return False
    if each.submitted_ms > LATEST_MS:
        report.drop("applications submitted after the year 2199")
        return False
    wanted = {"spark": "spark", "mr1": "mapreduce"}.get(system_of(policy))
    if wanted is not None and each.behaviour != wanted:
        report.drop(WRONG_KIND.format(policy=policy))
        return False
    if each.state in OTHER_ENDS:
        report.drop(ENDED.format(state=each.state))
    return True


def _queues(policy: str, kept: Iterable[TraceApplication], report: ImportReport) -> dict[str | None, str | None]:
    queues = leaf_queues(policy, (each.queue for each in kept))
    if policy.startswith("fifo") and any(
        named and named.removeprefix("root.") != path for named, path in queues.items()
    ):
        report.note("queues of the trace are not kept: this scheduler has one")
    for named, path in queues.items():
        if named and path and "." in path and path != named.removeprefix("root."):
            report.note(f"applications of queue {named} are in {path}: no queue of that name can take them")
    return queues


class _Specs(NamedTuple):
    choice: ClusterChoice
    rules: MappingRules
    hosts: frozenset[str]
    queues: Mapping[str | None, str | None]
    report: ImportReport

    def spec(self, each: TraceApplication, at_ms: int) -> ApplicationSpec:
        """The specification of one. Raises ValidationError if it holds more than can be simulated."""
        common = self._common(each, at_ms)
        if each.behaviour in ("spark", "tez"):
            return self._of_stages(each, common)
        if each.behaviour == "mapreduce":
            maps = [tasks for tasks in each.tasks if tasks.kind == "map"]
            reduces = [tasks for tasks in each.tasks if tasks.kind == "reduce"]
            if len(maps) <= 1 and len(reduces) <= 1 and len(maps) + len(reduces) == len(each.tasks):
                common["slow_start"] = 1.0 if each.slow_start is None else each.slow_start
                return self._mapreduce(maps, reduces, common)
            self.report.inferred["order of tasks", MIXED] += 1
        return ScriptedSpec(
            type="scripted",
            asks=tuple(ask for place, tasks in enumerate(each.tasks) for ask in self._asks(tasks, place)),
            waits=each.behaviour == "gang",
            ends_after_ms=each.master_ms,
            **common,
        )

    def _common(self, each: TraceApplication, at_ms: int) -> Table:
        if each.user is None:
            self.report.inferred["user", "one user for all, since the trace names none"] += 1
        queue = self.queues[each.queue]
        if each.queue is None and queue is not None and family_of(self.choice.policy) != "fifo":
            self.report.inferred["queue", "default, since the trace names none"] += 1
        memory_mb, vcores = each.master or (self.rules.container_mb, self.rules.container_vcores)
        if each.has_master and each.master is None and each.inferred.get(SIZES) != self.rules.size_rule:
            self.report.inferred["masters", NO_MASTER.format(memory_mb=memory_mb, vcores=vcores)] += 1
        return {
            "name": each.name or each.id,
            "user": each.user or "user",
            "queue": None if queue is None else submitted_to(self.choice.policy, queue),
            "at_ms": at_ms,
            "am": Size(memory_mb=memory_mb, vcores=vcores) if each.has_master else None,
            "application_type": each.type,
        }

    def _size(self, tasks: TraceTasks) -> Size:
        memory_mb = self.rules.container_mb if tasks.memory_mb is None else tasks.memory_mb
        return Size(memory_mb=memory_mb, vcores=self.rules.container_vcores if tasks.vcores is None else tasks.vcores)

    def _known(self, host: str) -> tuple[str, ...]:
        return (host,) if host in self.hosts else ()

    def _mapreduce(self, maps: Sequence[TraceTasks], reduces: Sequence[TraceTasks], common: Table) -> MapReduceSpec:
        fields: Table = {"maps": 0}
        for word, groups in (("map", maps), ("reduce", reduces)):
            for tasks in groups:
                fields[f"{word}s"] = tasks.count
                fields[word] = self._size(tasks)
                durations = tasks.durations_ms or (self.rules.duration_ms,)
                if len(durations) == 1:
                    fields[f"{word}_duration_ms"] = (durations[0], durations[0])
                else:
                    fields[f"{word}_durations_ms"] = durations
        hosts = [self._known(host) for tasks in maps for host in tasks.hosts]
        if any(hosts):
            fields["blocks"] = tuple(hosts)
        return MapReduceSpec(type="mapreduce", **fields, **common)

    def _asks(self, tasks: TraceTasks, place: int) -> Iterable[AskSpec]:
        durations = tasks.durations_ms or (self.rules.duration_ms,)
        hosts = tasks.hosts or ("",)
        if len(durations) == 1 and len(hosts) == 1:
            together = {(durations[0], hosts[0]): tasks.count}
        else:
            numbers = range(tasks.count)
            together = Counter((durations[each % len(durations)], hosts[each % len(hosts)]) for each in numbers)
        size = self._size(tasks)
        for (duration_ms, host), count in together.items():
            yield AskSpec(
                at_ms=tasks.at_ms,
                priority=_priority(tasks, place),
                memory_mb=size.memory_mb,
                vcores=size.vcores,
                count=count,
                hosts=self._known(host),
                duration_ms=(duration_ms, duration_ms),
            )

    def _of_stages(self, each: TraceApplication, common: Table) -> ApplicationSpec:
        containers = next(tasks for tasks in each.tasks if tasks.kind == "container")
        size = self._size(containers)
        jobs = tuple(
            JobSpec(at_ms=at_ms, overlaps=overlaps, stages=tuple(self._stage(tasks) for tasks in together))
            for (at_ms, overlaps), together in groupby(
                (tasks for tasks in each.tasks if tasks.kind == "stage"), key=lambda each: (each.at_ms, each.overlaps)
            )
        )
        if each.behaviour == "tez":
            return TezSpec(type="tez", dags=jobs, container=size, session=False, **common)
        if self.choice.policy == "spark":
            if len(jobs) > 1:
                self.report.note(AT_ONCE)
            kept = {key: common[key] for key in ("name", "user", "at_ms", "application_type")}
            dynamic = each.dynamic and each.dynamic.model_copy(
                update={"cached_idle_ms": None, "shuffle": "service", "shuffle_timeout_ms": None}
            )
            return StandaloneSpec(
                type="spark-standalone",
                executor_cores=max(1, size.vcores),
                executor_memory_mb=size.memory_mb,
                executor_limit=None if dynamic else containers.count,
                stages=tuple(stage for job in jobs for stage in job.stages),
                dynamic=dynamic,
                **kept,
            )
        duration_ms = each.finished_ms - each.submitted_ms if each.finished_ms else self.rules.duration_ms
        work: Table = {"jobs": jobs} if jobs else {"duration_ms": (duration_ms, duration_ms)}
        if len(jobs) == 1 and jobs[0].at_ms == 0:
            work = {"stages": jobs[0].stages}
        executors = 0 if each.dynamic else containers.count
        return SparkSpec(type="spark", executors=executors, executor=size, dynamic=each.dynamic, **work, **common)

    def _stage(self, tasks: TraceTasks) -> StageSpec:
        hosts = tuple(self._known(host) for host in tasks.hosts)
        return StageSpec(
            tasks=tasks.count,
            duration_ms=(tasks.durations_ms[0], tasks.durations_ms[-1]),
            hosts=hosts if any(hosts) else (),
        )


def _priority(tasks: TraceTasks, place: int) -> int:
    return place + 1 if tasks.priority is None else tasks.priority


def _duration_ms(kept: Sequence[TraceApplication], begin_ms: int, cluster: ClusterSpec, rules: MappingRules) -> int:
    """Return how long the scenario is: a scheduler that leaves no room unused ends everything within.

    Such a scheduler needs at most the last submission, the longest application and twice the work, each container
    counted with its dominant share of the cluster. No scenario is longer than a century.
    """
    nodes = cluster.all_nodes()
    memory_mb, vcores = (
        max(1, sum(amounts)) for amounts in zip(*((n.memory_mb, n.vcores) for n in nodes), strict=True)
    )
    last_ms, work_ms = 0, 0.0
    for each in kept:
        longest_of: dict[tuple[object, ...], int] = {}
        for place, tasks in enumerate(each.tasks):
            size = (tasks.memory_mb or rules.container_mb, tasks.vcores or rules.container_vcores)
            alike = (tasks.at_ms, _priority(tasks, place), size)
            duration_ms = max(tasks.durations_ms, default=rules.duration_ms)
            longest_of[alike] = max(longest_of.get(alike, 0), duration_ms)
            share = max(size[0] / memory_mb, size[1] / vcores)
            work_ms += share * tasks.count * ((tasks.mean_ms or rules.duration_ms) + OVERHEAD_MS)
        longest_ms = sum(longest_of.values()) + max((tasks.at_ms for tasks in each.tasks), default=each.master_ms or 0)
        last_ms = max(last_ms, each.submitted_ms - begin_ms + longest_ms)
    return min(round(last_ms + 2 * work_ms) + MARGIN_MS, CENTURY_MS)
