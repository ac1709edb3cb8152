"""A job as it is submitted.

Source: JobConf and JobSplit.TaskSplitMetaInfo, Hadoop 1.2.1.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

PRIORITIES: Final = ("VERY_HIGH", "HIGH", "NORMAL", "LOW", "VERY_LOW")  # Job priorities, highest first

NO_LIMIT: Final = -1


class InputSplit(msgspec.Struct, frozen=True):
    """The input of one map."""

    hosts: tuple[str, ...] = ()
    bytes: int = 0


class JobDescription(msgspec.Struct, frozen=True):
    """A job as it is submitted."""

    name: str
    user: str
    maps: tuple[InputSplit, ...] = ()
    reduces: int = 0
    queue: str = "default"
    priority: str = "NORMAL"
    speculates: tuple[bool, bool] = (True, True)  # Whether maps, and reduces, that lag get a speculative attempt
    memory_mb: tuple[int, int] = (NO_LIMIT, NO_LIMIT)  # What a map and a reduce need; -1 for whatever a slot has
    settings: Mapping[str, str] = {}  # Properties of the job, Hadoop names and values


class JobSettings(msgspec.Struct, frozen=True):
    """The settings of a job, read from its properties (see `engine.settings.mapreduce1`); pairs: maps, reduces."""

    max_attempts: tuple[int, int]
    max_tracker_failures: int
    failure_percents: tuple[int, int]
    locality_wait: float
    slow_start: float
    reduce_input_limit: int
