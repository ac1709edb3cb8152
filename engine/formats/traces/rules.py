"""Rules by which what a trace does not hold is inferred from what it holds, with the numbers a user may set."""

from math import ceil
from typing import Final

import msgspec

MIB: Final = 1024 * 1024


class MappingRules(msgspec.Struct, frozen=True):
    """The numbers of the rules.

    A trace in bytes (SWIM) becomes tasks: a map for each split of the input, a reduce for each so many bytes of the
    shuffle; a task starts up and then moves its bytes at a rate.
    """

    container_mb: int = 1024
    """Memory of a container whose size is unknown. Source: mapreduce.map.memory.mb, yarn.sls.container.memory.mb."""
    container_vcores: int = 1
    split_mb: int = 128
    """Source: dfs.blocksize of Hadoop 2 and 3."""
    map_mb_per_s: float = 20.0
    """Input and output of a map."""
    reduce_mb: int = 1024
    """Shuffled bytes of one reduce. Source: hive.exec.reducers.bytes.per.reducer of Hive before 0.14, about 1 GB."""
    reduce_mb_per_s: float = 20.0
    """Shuffle and output of a reduce."""
    start_up_ms: int = 2_000
    """From the start of a task's container until it works."""
    machine_mb: int = 393_216
    """Memory of a whole machine, of which some traces state parts. 96 vcores and 4 GB each are Alibaba's of 2018."""
    machine_vcores: int = 96
    processors: int | None = None
    """Processors of one container of a batch job, at most; None: the whole job is one container."""
    duration_ms: int = 60_000
    """The duration of tasks of which nothing is known."""

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
