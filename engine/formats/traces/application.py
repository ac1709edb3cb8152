"""An application as a trace describes it: what was submitted when, by whom, and what it ran.

A value that the trace does not hold is None, or has been inferred by a rule; `inferred` names the rule of each value
that does not stand in the trace.
"""

from collections.abc import Mapping
from math import ceil
from types import MappingProxyType
from typing import Final, Literal

import msgspec

from engine.scenario import DynamicAllocation

Kind = Literal["map", "reduce", "container", "stage"]

Behaviour = Literal["mapreduce", "containers", "gang", "spark", "tez"]

NOTHING_INFERRED: Final[Mapping[str, str]] = MappingProxyType({})

SPREAD: Final = "durations of a stage are drawn evenly around its mean, no further than its shortest and longest task"

LONGEST_NAME: Final = 200  # Longest name of anything [characters]; the rest is cut off


class TraceTasks(msgspec.Struct, frozen=True):
    """Tasks of one kind and size."""

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
    """Known facts of a stage's tasks."""

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
    """One application of a trace."""

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
        """Return how many containers it runs, its application master not counted."""
        return sum(tasks.count for tasks in self.tasks if tasks.kind != "stage")

    @property
    def task_count(self) -> int:
        """Return how many tasks it has: those of its stages where its containers run stages, else its containers."""
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

    >>> whole("12"), whole(3.7), whole(-1), whole("a"), whole(True)
    (12, 3, None, None, None)
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
        """Reduces of a job that shuffles so much; none where it shuffles nothing."""
        return ceil(shuffle_bytes / (self.reduce_mb * MIB))

    def map_ms(self, moved_bytes: float) -> int:
        """Duration of a map that reads and writes so much together [ms]."""
        return self.start_up_ms + round(moved_bytes / MIB / self.map_mb_per_s * 1000)

    def reduce_ms(self, moved_bytes: float) -> int:
        """Duration of a reduce that fetches and writes so much together [ms]."""
        return self.start_up_ms + round(moved_bytes / MIB / self.reduce_mb_per_s * 1000)

    @property
    def split_rule(self) -> str:
        """The rule of the number of maps, as a sentence."""
        return f"one map for each {self.split_mb} MB of input"

    @property
    def reduce_rule(self) -> str:
        """The rule of the number of reduces, as a sentence."""
        return f"one reduce for each {self.reduce_mb} MB of shuffle"

    @property
    def rate_rule(self) -> str:
        """The rule of durations, as a sentence."""
        start = f"{self.start_up_ms / 1000:g} s to start"
        return (
            f"{start}, then {self.map_mb_per_s:g} MB/s for each map and {self.reduce_mb_per_s:g} MB/s for each reduce"
        )

    @property
    def size_rule(self) -> str:
        """The rule of the size of containers, as a sentence."""
        return f"a container has {self.container_mb} MB and {self.container_vcores} vcore(s)"

    @property
    def machine_rule(self) -> str:
        """The rule of sizes that a trace states as parts of a machine, as a sentence."""
        return f"parts of a machine of {self.machine_mb} MB and {self.machine_vcores} vcores (--node-size), rounded up"

    @property
    def processor_rule(self) -> str:
        """The rule of the containers of a batch system's job, as a sentence."""
        if self.processors is None:
            return f"a job is one container with a vcore and {self.container_mb} MB for each processor"
        each = "each processor" if self.processors == 1 else f"up to {self.processors} processors"
        return f"one container for {each}, a vcore for each processor, all of them together"

    @property
    def duration_rule(self) -> str:
        """The rule of durations of which nothing is known, as a sentence."""
        return f"a task runs {self.duration_ms / 1000:g} s"
