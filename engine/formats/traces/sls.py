"""Inputs of Hadoop's Scheduler Load Simulator: SLS and Rumen traces, and SYNTH descriptions.

Traces are objects one behind the other, a job each. The first may be `{"num.nodes": …, "num.racks": …}`; nodes are
otherwise those the tasks name, or those of a node file. A task's start is not looked at, only how long it runs. A Rumen
trace has MapReduce jobs with every task and attempt, as read from job history; of a task the attempt counts that
succeeded. Differs: of a task of a Rumen trace SLSRunner takes the last attempt, whether it succeeded or not, and all
reduces come after the last map, so that a reduce that waited for maps does so twice.

A SYNTH description has classes of jobs with their weights and distributions, from which jobs are drawn. The same file
gives the same jobs as in Hadoop, in the same order: numbers are drawn by Java's generators, seeded with the file's
`rand_seed`, in the same turn. Differs: a value that is missing or of a wrong type is left out here, where Hadoop fails;
a number larger than what is simulated is cut to the largest.

Source: SLSRunner, AMSimulator, MRAMSimulator, SLSUtils, Hadoop 2.7.2 to 3.4; LoggedJob, RumenToSLSConverter of 2.7.2;
SynthTraceJobProducer, SynthJob, SynthUtils, Hadoop 3.4, with its older form (`mtasks_avg` …).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from math import exp, floor, log, log1p, sqrt
from typing import Any, Final, NamedTuple

from engine.formats.traces.application import Kind, MappingRules, TraceApplication, TraceNode, TraceTasks, whole, words
from engine.formats.traces.report import MAX_NODES, OBSERVED, TaskAttempt, TaskAttempts
from engine.formats.traces.source import TraceSource
from engine.model.java_collections import JavaPriorityQueue, Keyed, by_key
from engine.model.java_values import JavaRandom, Well19937c
from engine.units import is_number

MAX_COPIES: Final = 100_000  # Most copies of one job, and most copies of one task
SLOW_START: Final = "reduces are asked for after the last map, as SLS does"
BEFORE: Final = "what came before the beginning comes at it"
SIZES: Final = "memory and vcores"
UNKEPT: Final = {
    "job.label.expr": "node labels of jobs",
    "container.execution.type": "execution types of tasks (all are GUARANTEED)",
}
"""Keys whose values are not kept, and what they are of. Source: SLSConfiguration, Hadoop 3.4."""

RUMEN_KINDS: Final[tuple[tuple[Kind, str, str], ...]] = (
    ("map", "mapTasks", "totalMaps"),
    ("reduce", "reduceTasks", "totalReduces"),
)
"""Kind of task → the keys of its tasks, and of how many the job had. Source: LoggedJob."""
LAUNCH: Final = "its launch, since it has no submitTime"
SUCCEEDED: Final = frozenset({"SUCCESS", "SUCCEEDED"})
"""Results of an attempt that ended well. Source: Values of Rumen's Pre21JobHistoryConstants."""

Task = Mapping[str, Any]


def read_sls(source: TraceSource, rules: MappingRules) -> Iterator[TraceApplication]:
    for line, job in source.objects():
        if not isinstance(job, dict):
            source.fault("a job is a JSON object", line)
        elif "job.tasks" not in job:
            _count_nodes(job, source, line)
        else:
            yield from _applications(job, source, rules, line)


def read_sls_nodes(source: TraceSource, rules: MappingRules) -> None:
    """The nodes of a node file, which holds no applications."""
    for line, rack in source.objects():
        nodes = rack.get("nodes")
        if not isinstance(nodes, list):
            source.fault("a rack has a list of nodes", line)
            continue
        path = _rack(words(rack.get("rack")))
        for node in nodes:
            host = words(node.get("node")) if isinstance(node, dict) else ""
            if not host:
                source.fault("a node has a name", line)
                continue
            label = words(node.get("labels")).partition(",")[0].partition("(")[0].strip()
            size = whole(node.get("memory-mb"), 1), whole(node.get("vcores"), 1)
            source.report.add_node(TraceNode(host.rpartition("/")[2], path, *size, label))


def _rack(name: str) -> str:
    return "/" + name.strip("/") if name.strip("/") else "/default-rack"


def _count_nodes(job: Task, source: TraceSource, line: int) -> None:
    count = whole(job.get("num.nodes"), 1, MAX_NODES)
    if count is None:
        source.fault("this is neither a job with job.tasks nor a number of nodes (num.nodes)", line)
        return
    racks = whole(job.get("num.racks"), most=MAX_NODES) or 1
    for number in range(1, count + 1):
        source.report.add_node(TraceNode(f"node{number}", f"/rack{(number - 1) % racks + 1}"))


def _applications(job: Task, source: TraceSource, rules: MappingRules, line: int) -> Iterator[TraceApplication]:
    start_ms = whole(job.get("job.start.ms"), -(2**53))
    if start_ms is None:
        source.fault("a job has a job.start.ms", line)
        return
    tasks = _tables(job.get("job.tasks"))
    if not tasks:
        source.fault("a job has at least one task", line)
        return
    inferred = {} if start_ms >= 0 else {"arrival": BEFORE}
    kind = words(job.get("am.type") or job.get("yarn.sls.am.type") or "mapreduce")
    is_mapreduce = kind == "mapreduce"
    groups = tuple(_groups(tasks, source, line, is_mapreduce=is_mapreduce))
    if any(group.memory_mb is None or group.vcores is None for group in groups):
        inferred[SIZES] = rules.size_rule
    if any(not group.durations_ms for group in groups):
        source.report.drop("tasks that do not run for any time")
        groups = tuple(group for group in groups if group.durations_ms)
    if is_mapreduce and any(group.kind == "reduce" for group in groups):
        inferred["slow start"] = SLOW_START
    for key, what in UNKEPT.items():
        if (count := sum(bool(words(each.get(key))) for each in (job, *tasks))) > 0:
            source.report.drop(what, count)
    for task in tasks:
        rack, _, host = words(task.get("container.host")).rpartition("/")
        source.report.add_node(TraceNode(host, _rack(rack)))
    memory_mb, vcores = whole(job.get("am.memory-mb"), 1), whole(job.get("am.vcores"), 1)
    copies = whole(job.get("job.count"), most=MAX_COPIES) or 1
    end_ms = whole(job.get("job.end.ms"), 1)
    identity = words(job.get("job.id")) if copies == 1 else ""
    for _ in range(copies):
        yield TraceApplication(
            id=identity or f"job_{source.report.applications + 1}",
            name=identity,
            submitted_ms=max(0, start_ms),
            finished_ms=end_ms,
            tasks=groups,
            behaviour="mapreduce" if is_mapreduce else "containers",
            user=words(job.get("job.user")) or "default",
            queue=words(job.get("job.queue.name")) or None,
            master=None if memory_mb is None else (memory_mb, vcores or 1),
            inferred=inferred,
        )


def _groups(tasks: Sequence[Task], source: TraceSource, line: int, *, is_mapreduce: bool) -> Iterator[TraceTasks]:
    keyed = [(_key(task, is_mapreduce=is_mapreduce), task) for task in tasks]
    if is_mapreduce:
        keyed.sort(key=lambda pair: pair[0][0])
    for key, same in groupby(keyed, key=lambda pair: pair[0]):
        kind, memory_mb, vcores, priority, at_ms = key
        durations: list[int] = []
        hosts: list[str] = []
        count = 0
        for _, task in same:
            copies = whole(task.get("count"), most=MAX_COPIES) or 1
            duration_ms = _duration_ms(task)
            if duration_ms is None:
                source.fault("a task has a duration, or a start and an end", line)
                continue
            count += copies
            durations += [duration_ms] * copies
            hosts += [words(task.get("container.host")).rpartition("/")[2]] * copies
        yield TraceTasks(
            "reduce" if kind == "reduce" else "map" if is_mapreduce else "container",
            count,
            tuple(durations[:1] if len(set(durations)) == 1 else durations),
            memory_mb,
            vcores,
            tuple(hosts) if any(hosts) else (),
            at_ms,
            priority,
        )


def _key(task: Task, *, is_mapreduce: bool) -> tuple[str, int | None, int | None, int | None, int]:
    delay = task.get("container.request.delay.ms", task.get("container.request.delay"))
    return (
        "reduce" if words(task.get("container.type")) == "reduce" else "map",
        whole(task.get("container.memory-mb"), 1),
        whole(task.get("container.vcores"), 1),
        None if is_mapreduce else whole(task.get("container.priority")),
        0 if is_mapreduce else whole(delay) or 0,
    )


def _duration_ms(task: Task) -> int | None:
    for key in ("container.duration.ms", "duration.ms"):
        if (given := whole(task.get(key), 1)) is not None:
            return given
    begin, end = whole(task.get("container.start.ms")), whole(task.get("container.end.ms"))
    return end - begin if begin is not None and end is not None and end > begin else None


def read_rumen(source: TraceSource, rules: MappingRules) -> Iterator[TraceApplication]:
    for line, job in source.objects():
        submitted_ms, launched_ms = whole(job.get("submitTime")), whole(job.get("launchTime"))
        at_ms = launched_ms if submitted_ms is None else submitted_ms
        if at_ms is None:
            source.fault("a job has a submitTime", line)
            continue
        ran = TaskAttempts(source.report)
        for kind, key, total in RUMEN_KINDS:
            _take_tasks(job.get(key), kind, whole(job.get(total)) or 0, ran, source)
        slow_start = ran.slow_start()
        groups = [ran.tasks(kind, None, None, waits=slow_start is not None) for kind, _, _ in RUMEN_KINDS]
        tasks = tuple(tasks for tasks in groups if tasks.count)
        inferred = {"memory and vcores": rules.size_rule} | ({"arrival": LAUNCH} if submitted_ms is None else {})
        if len(tasks) > 1:
            inferred["slow start"] = SLOW_START if slow_start is None else OBSERVED
        yield TraceApplication(
            id=words(job.get("jobID")),
            name=words(job.get("jobName")),
            submitted_ms=at_ms,
            finished_ms=whole(job.get("finishTime"), 1),
            tasks=tasks,
            behaviour="mapreduce",
            user=words(job.get("user")) or None,
            queue=words(job.get("queue")) or None,
            state=words(job.get("outcome")),
            slow_start=slow_start,
            inferred=inferred,
        )


def _take_tasks(listed: object, kind: Kind, total: int, ran: TaskAttempts, source: TraceSource) -> None:
    tasks = listed if isinstance(listed, list) else []
    if total > len(tasks):
        source.report.drop("tasks that a job had and its trace does not list", total - len(tasks))
    for number, task in enumerate(tasks):
        attempts = _tables(task.get("attempts")) if isinstance(task, dict) else []
        if not attempts:
            source.report.drop("tasks without an attempt")
            continue
        ended = [attempt for each in attempts if (attempt := _attempt(each, kind, source)) is not None]
        if not ended:
            source.report.drop("tasks of which no attempt has a start and an end")
        for attempt in sorted(ended, key=lambda each: each.ended_ms):
            ran.add(f"{kind} {number}", attempt)


def _attempt(fields: Task, kind: Kind, source: TraceSource) -> TaskAttempt | None:
    begin, end = whole(fields.get("startTime")), whole(fields.get("finishTime"))
    if begin is None or end is None or end < begin:
        return None
    rack, _, host = words(fields.get("hostName")).rpartition("/")
    source.report.add_node(TraceNode(host, "/" + rack.strip("/") if rack.strip("/") else None))
    return TaskAttempt(kind, begin, end, host, words(fields.get("result")).upper() in SUCCEEDED)


MAX_JOBS: Final = 1_000_000
MAX_TASKS: Final = 1_000_000
MAX_SECONDS: Final = 2**31 - 1
DRAWN: Final = "drawn from the distributions of the file, with its rand_seed"
SECONDS: Final = "task times are seconds"
LARGEST: Final = 1e12  # The largest number of a file, and the largest drawn
LEAST_MEAN: Final = 1e-12
LEAST_MB: Final = 1024  # The smallest container. Source: SynthJob.MIN_MEMORY.

Table = Mapping[str, Any]

OLDER_KINDS: Final = (("map", "m", 20), ("reduce", "r", 10))
"""Kind of task → the letter its keys begin with in the older form, and its priority."""


def read_synth(source: TraceSource, rules: MappingRules) -> Iterator[TraceApplication]:
    for line, description in source.objects():
        random = JavaRandom(whole(description.get("rand_seed"), -(2**63), 2**63 - 1) or 0)
        workloads = [_Workload(table, random) for table in _tables(description.get("workloads"))]
        jobs = whole(description.get("num_jobs"), 0, MAX_JOBS)
        if not workloads or jobs is None:
            source.fault("a description has workloads, and num_jobs, which is a whole number", line)
            continue
        per_rack = whole(description.get("nodes_per_rack"), 1) or MAX_NODES
        for number in range(whole(description.get("num_nodes"), 0, MAX_NODES) or 0):
            source.report.add_node(TraceNode(f"node{number + 1}", f"/rack{number // per_rack + 1}"))
        for number, (second, workload, chosen) in enumerate(_story(workloads, jobs, random), 1):
            yield chosen.job(number, second, workload.queue, random)


def _story(
    workloads: "Sequence[_Workload]", jobs: int, random: JavaRandom
) -> "Iterator[tuple[int, _Workload, _JobClass]]":
    """Second, workload and class of each job in the order they are submitted; equals in that of Java's queue."""
    weights = [each.weight for each in workloads]
    drawn, queue = [], JavaPriorityQueue[Keyed]()
    for number in range(jobs):
        workload = workloads[_weighted(weights, random)]
        second = workload.second(random)
        chosen = workload.classes[_weighted(workload.class_weights, random)]
        drawn.append((second, workload, chosen))
        queue.add((second, number), by_key)
    while queue.items:
        yield drawn[queue.poll(by_key)[1]]


_Distribution = Callable[[JavaRandom], float]  # Draws the next number


def _constant(value: float) -> _Distribution:
    return lambda _: value


NOTHING: Final = _constant(0.0)


def _normal(mean: float, deviation: float, random: JavaRandom, *, is_logarithm: bool) -> _Distribution:
    """A distribution of this mean and deviation (a sixth of the mean where it has none); nothing without a mean.

    It is a normal one, or the exponential of one, and has a generator of its own.
    """
    if mean <= 0:
        return NOTHING
    mean = max(mean, LEAST_MEAN)
    deviation = deviation or mean / 6
    if is_logarithm:
        spread = log1p(deviation * deviation / (mean * mean))
        mean, deviation = log(mean) - 0.5 * spread, sqrt(spread)
    generator = Well19937c(random.next_long())

    def draw(_: JavaRandom) -> float:
        value = generator.next_gaussian() * deviation + mean
        return min(exp(value) if is_logarithm else value, LARGEST)

    return draw


def _sample(value: object, random: JavaRandom) -> _Distribution:
    """Return what a sample of a file is drawn from: a constant, a distribution, or some values. Source: #Sample."""
    if not isinstance(value, dict):
        return _constant(_number(value))
    if value.get("val") is not None:
        if value.get("std") is None:
            return _constant(_number(value["val"]))
        is_logarithm = value.get("dist") != "NORM"
        return _normal(_number(value["val"]), _number(value["std"]), random, is_logarithm=is_logarithm)
    choices, weights = value.get("discrete"), value.get("weights")
    if not isinstance(choices, list) or not choices:
        return NOTHING
    usable = [_number(each) for each in weights] if isinstance(weights, list) else []
    if len(usable) != len(choices):
        usable = [1.0] * len(choices)
    # A discrete value may be written as a text.
    values = [float(whole(each) or 0) if isinstance(each, str) else _number(each) for each in choices]
    return lambda turn: values[_weighted(usable, turn)]


class _TaskClass(NamedTuple):
    kind: str
    number: _Distribution
    time: _Distribution
    memory_mb: _Distribution | None
    vcores: _Distribution | None
    priority: int | None

    def tasks(self, random: JavaRandom) -> TraceTasks:
        count = max(0, min(_rounded(self.number, random), MAX_TASKS))
        memory_mb = None if self.memory_mb is None else max(_rounded(self.memory_mb, random), LEAST_MB)
        vcores = None if self.vcores is None else max(_rounded(self.vcores, random), 1)
        return TraceTasks(
            "reduce" if self.kind == "reduce" else "map" if self.kind == "map" else "container",
            count,
            tuple(max(1, 1000 * _rounded(self.time, random)) for _ in range(count)),
            memory_mb,
            vcores,
            priority=self.priority,
        )


class _JobClass:  # It is given the seeds of its distributions when it is made
    def __init__(self, table: Table, random: JavaRandom) -> None:
        older = "tasks" not in table
        self.name = words(table.get("class_name"))
        self.user = words(table.get("user_name")) or "default"
        self.weight = _number(table.get("class_weight"))
        self.is_mapreduce = older or words(table.get("type") or "mapreduce") == "mapreduce"
        keys = ("deadline_factor", "dur" if older else "duration")
        self._deadline, self._duration = (
            _older(table, key, random) if older else _sample(table.get(key), random) for key in keys
        )
        self._reservation = _sample(table.get("chance_of_reservation" if older else "reservation"), random)
        self._tasks = tuple(_older_tasks(table, random) if older else _task_classes(table, random))

    def job(self, number: int, second: int, queue: str | None, random: JavaRandom) -> TraceApplication:
        """The next job. Source: SynthJob, which draws a duration and a deadline, too, and gives each job a seed."""
        self._duration(random)
        random.next_double()
        self._reservation(random)
        self._deadline(random)
        random.set_seed(random.next_long())
        tasks = [each.tasks(random) for each in self._tasks]
        return TraceApplication(
            id=f"job_{number}",
            name=self.name,
            submitted_ms=1000 * second,
            tasks=tuple(each for each in tasks if each.count),
            behaviour="mapreduce" if self.is_mapreduce else "containers",
            user=self.user,
            queue=queue,
            inferred={"arrival, tasks and durations": DRAWN, "unit of durations": SECONDS},
        )


class _Workload:
    def __init__(self, table: Table, random: JavaRandom) -> None:
        self.weight = _number(table.get("workload_weight"))
        self.queue = words(table.get("queue_name")) or None
        self.classes = [_JobClass(each, random) for each in _tables(table.get("job_classes")) or [{}]]
        self.class_weights = [each.weight for each in self.classes]
        stretches = _tables(table.get("time_distribution")) or [{}]
        self._begins = [whole(each.get("time"), 0, MAX_SECONDS) or 0 for each in stretches]
        self._weights = [_number(each.get("weight")) for each in stretches]

    def second(self, random: JavaRandom) -> int:
        """Return when a job is submitted: within a stretch chosen by its weight, which lasts until the next begins."""
        place = _weighted(self._weights, random)
        begin = self._begins[place]
        length = self._begins[min(place + 1, len(self._begins) - 1)] - begin
        return begin + (random.next_int(length) if length > 0 else 0)


def _tables(value: object) -> list[Table]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _number(value: object) -> float:
    return max(0.0, min(float(value), LARGEST)) if is_number(value) else 0.0


def _weighted(weights: Sequence[float], random: JavaRandom) -> int:
    """A place by its weight; the last one where all weigh nothing. Source: SynthUtils#getWeighted."""
    drawn = random.next_double() * sum(weights)
    reached = 0.0
    for place, weight in enumerate(weights):
        reached += weight
        if reached > drawn:
            return place
    return len(weights) - 1


def _rounded(distribution: _Distribution, random: JavaRandom) -> int:
    """A draw rounded as Java rounds: halves upwards."""
    return floor(distribution(random) + 0.5)


def _older(table: Table, name: str, random: JavaRandom) -> _Distribution:
    return _normal(_number(table.get(f"{name}_avg")), _number(table.get(f"{name}_stddev")), random, is_logarithm=True)


def _task_classes(table: Table, random: JavaRandom) -> Iterator[_TaskClass]:
    for task in _tables(table.get("tasks")):
        yield _TaskClass(
            words(task.get("type")),
            _sample(task.get("count"), random),
            _sample(task.get("time"), random),
            _sample(task["max_memory"], random) if "max_memory" in task else None,
            _sample(task["max_vcores"], random) if "max_vcores" in task else None,
            whole(task.get("priority")),
        )


def _older_tasks(table: Table, random: JavaRandom) -> Iterator[_TaskClass]:
    """Tasks of a class in the form before 3.1; a size without a mean is unknown."""
    for kind, letter, priority in OLDER_KINDS:
        count, time = _older(table, f"{letter}tasks", random), _older(table, f"{letter}time", random)
        sizes = [_older(table, f"{kind}_max_{each}", random) for each in ("memory", "vcores")]
        memory_mb, vcores = (None if each is NOTHING else each for each in sizes)
        yield _TaskClass(kind, count, time, memory_mb, vcores, priority)
