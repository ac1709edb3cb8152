"""An application as a trace describes it: what was submitted when, by whom, and what it ran.

A value that the trace does not hold is None, or has been inferred by a rule; `inferred` names the rule of each value
that does not stand in the trace.

Of an application of which only the sums over its life are known the containers are inferred. A ResourceManager adds
memory and vcores over the time that each container was held, the master's with them, and cuts the sums to whole
seconds. So a quotient of the sums is no size, and an application whose containers were held for less than its life has
waited for the rest of it. Sizes are multiples of a step of memory, as a scheduler grants them: one size where the sums
allow it, else the two around their quotient, in the amounts that give both sums.

Source: RMAppAttemptMetrics#getAggregateAppResourceUsage, SchedulerUtils#normalizeRequest, Hadoop 2.7.2 and 3.4.1.
"""

from collections.abc import Mapping, Sequence
from math import ceil, floor
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

import msgspec

from engine.model.request import Resource
from engine.scenario import DynamicAllocation

Kind = Literal["map", "reduce", "container", "stage"]

Behaviour = Literal["mapreduce", "containers", "gang", "spark", "tez"]

NOTHING_INFERRED: Final[Mapping[str, str]] = MappingProxyType({})

SPREAD: Final = "durations of a stage are drawn evenly around its mean, no further than its shortest and longest task"

LONGEST_NAME: Final = 200  # Longest name of anything [characters]; the rest is cut off


class TraceTasks(msgspec.Struct, frozen=True):
    kind: Kind
    """The kind: tasks of a stage run on the application's containers; of any other kind, each task is a container."""
    count: int
    durations_ms: tuple[int, ...] = ()
    """The duration of each task in turn; of a stage: the shortest and the longest; empty where unknown."""
    memory_mb: int | None = None
    vcores: int | None = None
    hosts: tuple[str, ...] = ()  # Where each task has its input, in turn; empty where unknown or anywhere
    at_ms: int = 0  # When they are asked for, counted from the registration of the master; of a stage: when its job is
    priority: int | None = None
    overlaps: bool = False  # True for a stage whose job was submitted while another ran

    @property
    def mean_ms(self) -> float:
        """Mean duration [ms]; 0 where unknown."""
        return sum(self.durations_ms) / len(self.durations_ms) if self.durations_ms else 0.0


class StageTasks:
    __slots__ = ("count", "longest", "shortest", "total")

    def __init__(self) -> None:
        self.count = self.total = self.longest = 0
        self.shortest = 2**53

    def add(self, duration_ms: int) -> None:
        self.count += 1
        self.total += duration_ms
        self.shortest = min(self.shortest, duration_ms)
        self.longest = max(self.longest, duration_ms)

    def span(self) -> tuple[int, int]:
        """Return a span as wide around the mean as the nearer of shortest and longest allows; there is a task."""
        mean = self.total // self.count
        reach = min(mean - self.shortest, self.longest - mean)
        return max(1, mean - reach), max(1, mean + reach)


class TraceApplication(msgspec.Struct, frozen=True):
    id: str
    submitted_ms: int  # Epoch ms, or ms after the beginning of a trace that counts from 0
    tasks: tuple[TraceTasks, ...] = ()
    behaviour: Behaviour = "containers"
    """How it asks: maps then reduces, all containers at once, all or nothing, or containers that run stages of jobs."""
    dynamic: DynamicAllocation | None = None
    """The way a Spark application asks as tasks wait; None: for all executors at once."""
    user: str | None = None
    queue: str | None = None  # Its queue as the trace writes it
    name: str = ""
    type: str = ""  # The application type shown
    state: str = ""  # How it ended, in the trace's word; empty where unknown
    finished_ms: int | None = None  # On the clock of `submitted_ms`
    master: tuple[int, int] | None = None
    """Memory [MB] and vcores of the container of its application master; None where unknown."""
    has_master: bool = True  # False where it needs none
    slow_start: float | None = None
    """The part of the maps that has ended when reduces are asked for; None for all of them."""
    master_ms: int | None = None  # How long its master works by itself, where that is all that ran
    is_granted: bool = False
    """Whether its sizes are those a scheduler granted, which are multiples of that scheduler's step."""
    inferred: Mapping[str, str] = NOTHING_INFERRED  # Value → the rule it was inferred by

    @property
    def containers(self) -> int:
        return sum(tasks.count for tasks in self.tasks if tasks.kind != "stage")

    @property
    def task_count(self) -> int:
        if self.behaviour in ("spark", "tez"):
            return sum(tasks.count for tasks in self.tasks if tasks.kind == "stage")
        return self.containers

    @property
    def work_ms(self) -> float:
        """Duration of all tasks together [ms]."""
        return sum(tasks.mean_ms * tasks.count for tasks in self.tasks)


class TraceNode(msgspec.Struct, frozen=True):
    """A machine that a trace names; what it does not say is None."""

    host: str
    rack: str | None = None
    memory_mb: int | None = None
    vcores: int | None = None
    partition: str = ""
    is_least: bool = False  # True: the size is what ran there together; the machine may be larger


def whole(value: object, least: int = 0, most: int = 2**53) -> int | None:
    """A number of a trace as a whole one; None where it is none, or not within the bounds.

    >>> whole("0"), whole(3.7), whole("3.7"), whole(2**53), whole(2**53 + 1), whole(-1), whole("a"), whole(True)
    (0, 3, 3, 9007199254740992, None, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = int(value) if not isinstance(value, str) or len(value) < 20 else None
    except (ValueError, OverflowError):
        return _of_decimal(value, least, most)
    return number if number is not None and least <= number <= most else None


def _of_decimal(value: object, least: int, most: int) -> int | None:
    try:
        number = float(str(value))
    except ValueError:
        return None
    return int(number) if least <= number <= most else None


def ratio(text: str | None, most: float) -> float | None:
    """A number above 0 and at most so large, as a part of a machine; None where it is none.

    >>> ratio("0.01", 1), ratio("1", 1), ratio("0", 1), ratio("", 1), ratio("1.01", 1)
    (0.01, 1.0, None, None, None)
    """
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if 0 < number <= most else None


def words(value: object) -> str:
    r"""A text of a trace in one line and of bounded length; empty where it is none.

    >>> words("a\nb"), words(None), words(7)
    ('a b', '', '7')
    """
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    text = value if isinstance(value, str) else str(value) if value.bit_length() < 64 else ""
    return " ".join(text[:LONGEST_NAME].split())


# Rules by which what a trace does not hold is inferred from what it holds, with the numbers a user may set.

MIB: Final = 1024 * 1024


class MappingRules(msgspec.Struct, frozen=True):
    """The numbers of the rules.

    A trace in bytes (SWIM) becomes tasks: a map for each split of the input, a reduce for each so many bytes of the
    shuffle; a task starts up and then moves its bytes at a rate.
    """

    container_mb: int = 1024
    """Memory of a container whose size is unknown. Source: mapreduce.map.memory.mb, yarn.sls.container.memory.mb."""
    container_vcores: int = 1
    split_mb: int = 128  # Source: dfs.blocksize of Hadoop 2 and 3
    map_mb_per_s: float = 20.0  # Input and output of a map
    reduce_mb: int = 1024
    """Shuffled bytes of one reduce. Source: hive.exec.reducers.bytes.per.reducer of Hive before 0.14, about 1 GB."""
    reduce_mb_per_s: float = 20.0  # Shuffle and output of a reduce
    start_up_ms: int = 2_000  # From the start of a task's container until it works
    machine_mb: int = 393_216
    """Memory of a whole machine, of which some traces state parts. 96 vcores and 4 GB each are Alibaba's of 2018."""
    machine_vcores: int = 96
    processors: int | None = None
    """Processors of one container of a batch job, at most; None: the whole job is one container."""
    duration_ms: int = 60_000  # The duration of tasks of which nothing is known

    def maps(self, input_bytes: int) -> int:
        """Maps of a job that reads so much; at least one.

        >>> [MappingRules().maps(size * MIB) for size in (0, 128, 129)]
        [1, 1, 2]
        """
        return max(1, ceil(input_bytes / (self.split_mb * MIB)))

    def reduces(self, shuffle_bytes: int) -> int:
        return ceil(shuffle_bytes / (self.reduce_mb * MIB))

    def map_ms(self, moved_bytes: float) -> int:
        return self.start_up_ms + round(moved_bytes / MIB / self.map_mb_per_s * 1000)

    def reduce_ms(self, moved_bytes: float) -> int:
        return self.start_up_ms + round(moved_bytes / MIB / self.reduce_mb_per_s * 1000)

    @property
    def byte_rules(self) -> dict[str, str]:
        """Value of a job of which only the bytes are known → the rule it is inferred by."""
        start, rates = f"{self.start_up_ms / 1000:g} s to start", (self.map_mb_per_s, self.reduce_mb_per_s)
        return {
            "maps": f"one map for each {self.split_mb} MB of input",
            "reduces": f"one reduce for each {self.reduce_mb} MB of shuffle",
            "durations": "{}, then {:g} MB/s for each map and {:g} MB/s for each reduce".format(start, *rates),
            "memory and vcores": self.size_rule,
        }

    @property
    def size_rule(self) -> str:
        return f"a container has {self.container_mb} MB and {self.container_vcores} vcore(s)"

    @property
    def machine_rule(self) -> str:
        return f"parts of a machine of {self.machine_mb} MB and {self.machine_vcores} vcores (--nodes), rounded up"

    @property
    def processor_rule(self) -> str:
        if self.processors is None:
            return f"a job is one container with a vcore and {self.container_mb} MB for each processor"
        each = "each processor" if self.processors == 1 else f"up to {self.processors} processors"
        return f"one container for {each}, a vcore for each processor, all of them together"

    @property
    def duration_rule(self) -> str:
        return f"a task runs {self.duration_ms / 1000:g} s"


STEP_MB: Final = 1024  # Memory of a container is a multiple of it. Source: yarn.scheduler.minimum-allocation-mb.
LEAST_STEP_MB: Final = 128
CUT: Final = 0.02  # What the cut to whole seconds takes of the vcores, container by container, at most
MASTER_ALONE_S: Final = 2.0  # How long a master is held beyond its work: it registers and ends at heartbeats
WORKER_S: Final = 1.2  # How long a container is held beyond its work
MASTER_S: Final = 4.6
"""How long a master is held before its first container works, and after its last one has, together."""
MASTER_SPREAD_S: Final = 1.7  # How much more or less a master may be held
WORKER_SPREAD_S: Final = 0.6
EXACT: Final = 0.05  # Sums that are played within this part of what is stated are taken as equal
BANDS: Final = (0.1, 0.2, 0.5, 1.0)

RULE: Final = "those of the stated sizes, else of multiples of a step, that add up to memorySeconds and vcoreSeconds"
OFF: Final = "played up to {most} off where nothing waits: {because}"
HEARTBEATS: Final = "containers of few seconds begin and end at heartbeats, a second apart"
FAR_OFF: Final = "played more than twice: a master lives some seconds here, and less is stated"


class ApplicationSums(NamedTuple):
    """The sums over an application's life, and what it holds where it still runs."""

    memory_mb_s: int
    vcore_s: int
    run_s: float  # How long its master can have been held
    held_mb: int = 0
    held_vcores: int = 0
    held_containers: int = 0  # How many containers it holds now; 0 where it holds none, or it is not stated


class SummedContainers(NamedTuple):
    master: Resource
    master_ms: int | None  # How long the master works by itself; None where it works for the others
    tasks: tuple[TraceTasks, ...]
    off: str  # How far the sums that are played where nothing waits may be from those stated; empty within 5 %


class _Part(NamedTuple):  # Containers of one size that are held together
    size: Resource
    held_s: float
    least: int = 1  # How many there are at least


def containers_of(sums: ApplicationSums) -> SummedContainers | None:
    """The containers of an application; None where its sums are 0 or it did not run."""
    if sums.memory_mb_s <= 0 or sums.run_s <= 0:
        return None
    first, *others = _held_parts(sums) or _parts(sums.memory_mb_s, sums.vcore_s)
    life_s = min(sums.run_s, first.held_s)
    rest = _Part(first.size, first.held_s - life_s, first.least)
    workers = [part for part in (rest, *others) if part.held_s >= WORKER_S]
    tasks = tuple(_tasks(part, life_s) for part in workers)
    master_ms = None if tasks else max(1, round((life_s - MASTER_ALONE_S) * 1000))
    return SummedContainers(first.size, master_ms, tasks, played_off(first.size, life_s, tasks, sums))


def _parts(memory_mb_s: int, vcore_s: int) -> Sequence[_Part]:
    if vcore_s == 0:
        return [_Part(Resource(STEP_MB, 1), memory_mb_s / STEP_MB)]
    mean_mb = memory_mb_s / vcore_s
    step_mb = STEP_MB
    while step_mb * (1 - CUT) > mean_mb and step_mb > LEAST_STEP_MB:
        step_mb //= 2
    if mean_mb < step_mb * (1 - CUT):
        return _of_vcores(memory_mb_s / step_mb, vcore_s, step_mb)
    low_mb = floor(mean_mb / step_mb) * step_mb
    nearest_mb = max(step_mb, round(mean_mb / step_mb) * step_mb)
    # The cut makes the quotient too large: of a single container by a part of a second, of many by one of each.
    least_mb = min(memory_mb_s / (vcore_s + 1), mean_mb * (1 - CUT))
    if low_mb >= max(step_mb, least_mb) or abs(nearest_mb - mean_mb) <= mean_mb * CUT / 2:
        size_mb = low_mb if low_mb >= max(step_mb, least_mb) else nearest_mb
        return [_Part(Resource(size_mb, 1), memory_mb_s / size_mb)]
    high_s = (memory_mb_s - low_mb * vcore_s) / step_mb
    parts = [_Part(Resource(low_mb, 1), vcore_s - high_s), _Part(Resource(low_mb + step_mb, 1), high_s)]
    return sorted(parts, key=lambda part: -part.held_s)


def _of_vcores(held_s: float, vcore_s: int, memory_mb: int) -> Sequence[_Part]:
    low = floor(vcore_s / held_s)
    more_s = vcore_s - low * held_s
    parts = [_Part(Resource(memory_mb, low), held_s - more_s), _Part(Resource(memory_mb, low + 1), more_s)]
    return sorted((part for part in parts if part.held_s > 0), key=lambda part: -part.held_s)


def _held_parts(sums: ApplicationSums) -> Sequence[_Part]:
    """The master and others of the sizes that are held now; none where the sums are not those of such containers."""
    sizes = _held_sizes(sums)
    if sizes is None:
        return ()
    master, worker = sizes
    master_s = min(sums.run_s, sums.memory_mb_s / master.memory_mb)
    worker_s = (sums.memory_mb_s - master_s * master.memory_mb) / worker.memory_mb
    vcore_s = master_s * master.vcores + worker_s * worker.vcores
    if abs(vcore_s - sums.vcore_s) > max(sums.held_containers, sums.vcore_s * EXACT):
        return ()
    if master == worker:
        return [_Part(master, master_s + worker_s, sums.held_containers - 1)]
    return [_Part(master, master_s), _Part(worker, worker_s, sums.held_containers - 1)]


def _held_sizes(sums: ApplicationSums) -> tuple[Resource, Resource] | None:
    others = sums.held_containers - 1
    if others < 0 or sums.held_mb <= 0 or sums.held_vcores < sums.held_containers:
        return None
    if sums.held_mb % (others + 1) == 0 and sums.held_vcores % (others + 1) == 0:
        size = Resource(sums.held_mb // (others + 1), sums.held_vcores // (others + 1))
        return size, size
    for step_mb in (STEP_MB, LEAST_STEP_MB):
        for master_mb in range(step_mb, sums.held_mb, step_mb):
            worker_mb, rest_mb = divmod(sums.held_mb - master_mb, others)
            if rest_mb == 0 and worker_mb % step_mb == 0 and worker_mb > 0:
                worker_vcores = max(1, (sums.held_vcores - 1) // others)
                master_vcores = max(1, sums.held_vcores - worker_vcores * others)
                return Resource(master_mb, master_vcores), Resource(worker_mb, worker_vcores)
    return None


def _tasks(part: _Part, life_s: float) -> TraceTasks:
    longest_s = max(WORKER_S, life_s - MASTER_S + WORKER_S)
    count = ceil(part.held_s / longest_s - 1e-9)
    if part.held_s > part.least * WORKER_S:
        count = max(count, part.least)
    work_s = part.held_s / count - WORKER_S
    return TraceTasks(
        "container",
        count,
        (max(1, round(work_s * 1000)),),
        part.size.memory_mb,
        part.size.vcores,
        at_ms=max(0, round((life_s - MASTER_S - work_s) * 1000)),
    )


def played_off(
    master: Resource,
    life_s: float | None,
    tasks: Sequence[TraceTasks],
    sums: ApplicationSums,
    because: str = HEARTBEATS,
) -> str:
    """How far the sums that are played where nothing waits may be from those stated; empty within 5 %.

    A master without `life_s` lives as long as its longest task.
    """
    if life_s is None:
        life_s = max(max(each.durations_ms) for each in tasks) / 1000 + MASTER_S
    least_s = MASTER_S if tasks else MASTER_ALONE_S
    held_s, spread_s = max(life_s, least_s), MASTER_SPREAD_S
    played = [held_s * each for each in master]
    spread = [spread_s * each for each in master]
    for each in tasks:
        size = each.memory_mb or 0, each.vcores or 0
        for place, amount in enumerate(size):
            played[place] += amount * each.count * (each.mean_ms / 1000 + WORKER_S)
            # Containers that are held together begin and end at the same heartbeats.
            spread[place] += amount * each.count * WORKER_SPREAD_S
    stated = max(1, sums.memory_mb_s), max(1, sums.vcore_s)
    cut = 0, 1 + sum(each.count for each in tasks)
    far = max(
        max(0.0, abs(played[place] - stated[place]) + spread[place] - cut[place]) / stated[place] for place in (0, 1)
    )
    if far <= EXACT:
        return ""
    band = next((each for each in BANDS if far <= each), None)
    return FAR_OFF if band is None else OFF.format(most=f"{band:.0%}", because=because)
