"""Settings that a JobTracker, its trackers and its jobs read.

Source: mapred-default.xml, Hadoop 1.2.1, and the classes that read them.
"""

from typing import Final

from engine.model.java_values import parse_float
from engine.settings.kind import TEXT, kind_of
from engine.settings.table import Key, SettingEntry, SettingTable


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a whole number") from None


def _natural(text: str) -> int:
    value = _whole(text)
    if value < 0:
        raise ValueError(f"{text} is negative")
    return value


def _flag(text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError(f"{text!r} is neither true nor false")
    return text == "true"


WHOLE: Final = kind_of("a whole number", _whole)
NATURAL: Final = kind_of("a whole number of at least 0", _natural)
NUMBER: Final = kind_of("a number", parse_float)
FLAG: Final = kind_of("true or false", _flag)

MAP_SLOTS: Final = Key[int]("mapred.tasktracker.map.tasks.maximum")
REDUCE_SLOTS: Final = Key[int]("mapred.tasktracker.reduce.tasks.maximum")
EXPIRY: Final = Key[int]("mapred.tasktracker.expiry.interval")
RESTART_RECOVERS: Final = Key[bool]("mapred.jobtracker.restart.recover")
HEARTBEATS: Final = Key[int]("mapred.heartbeats.in.second")
HEARTBEAT_SCALING: Final = Key[float]("mapreduce.jobtracker.heartbeat.scaling.factor")
PADDING: Final = Key[float]("mapred.jobtracker.taskalloc.capacitypad")
MOST_TASKS: Final = Key[int]("mapred.jobtracker.maxtasks.per.job")
BLACKLISTS: Final = Key[int]("mapred.max.tracker.blacklists")
AVERAGE_BLACKLISTS: Final = Key[float]("mapred.cluster.average.blacklist.threshold")
FAULT_WINDOW: Final = Key[int]("mapred.jobtracker.blacklist.fault-timeout-window")
FAULT_BUCKET: Final = Key[int]("mapred.jobtracker.blacklist.fault-bucket-width")
QUEUES: Final = Key[str]("mapred.queue.names")

JOB_RECOVERS: Final = Key[bool]("mapreduce.job.restart.recover")
TRACKER_FAILURES: Final = Key[int]("mapred.max.tracker.failures")
MAP_ATTEMPTS: Final = Key[int]("mapred.map.max.attempts")
REDUCE_ATTEMPTS: Final = Key[int]("mapred.reduce.max.attempts")
FAILED_MAPS: Final = Key[int]("mapred.max.map.failures.percent")
FAILED_REDUCES: Final = Key[int]("mapred.max.reduce.failures.percent")
SPECULATIVE_MAPS: Final = Key[bool]("mapred.map.tasks.speculative.execution")
SPECULATIVE_REDUCES: Final = Key[bool]("mapred.reduce.tasks.speculative.execution")
SLOW_START: Final = Key[float]("mapred.reduce.slowstart.completed.maps")
REDUCE_INPUT: Final = Key[int]("mapreduce.reduce.input.limit")
LOCALITY_WAIT: Final = Key[float]("mapreduce.job.locality.wait.factor")

SLOTS: Final = (MAP_SLOTS, REDUCE_SLOTS)
SPECULATION: Final = (SPECULATIVE_MAPS, SPECULATIVE_REDUCES)
"""Speculation of maps and of reduces."""

_FAULTS: Final = "JobTracker.FaultyTrackersInfo"

JOB_TRACKER: Final = SettingTable(
    "mr1-fifo",
    (
        SettingEntry(key, default, meaning, unit, kind, source=source)
        for key, default, unit, kind, meaning, source in (
            (MAP_SLOTS, "2", "slots", NATURAL, "The map slots of a tracker.", "TaskTracker"),
            (REDUCE_SLOTS, "2", "slots", NATURAL, "The reduce slots of a tracker.", "TaskTracker"),
            (EXPIRY, "600000", "ms", NATURAL, "The silence after which a tracker is lost.", "JobTracker"),
            (RESTART_RECOVERS, "false", "", FLAG, "Submits running jobs again after a restart.", "JobTracker#recover"),
            (HEARTBEATS, "100", "", WHOLE, "The heartbeats of all trackers in a second; below 1: 100.", "JobTracker"),
            (HEARTBEAT_SCALING, "1.0", "", NUMBER, "Stretches the heartbeat interval; below 0.01: 1.", "JobTracker"),
            (
                PADDING,
                *("0.01", "", NUMBER, "The part of the slots that stays free for urgent tasks, under `mr1-fifo`."),
                "JobQueueTaskScheduler#setConf",
            ),
            (
                MOST_TASKS,
                "-1",
                "tasks",
                WHOLE,
                "The most tasks of a job; below 1: any.",
                "JobInProgress#checkTaskLimits",
            ),
            (BLACKLISTS, "4", "jobs", NATURAL, "Blacklisted by so many, a host is shown as faulty.", _FAULTS),
            (AVERAGE_BLACKLISTS, "0.5", "", NUMBER, "The part by which its faults exceed the average.", _FAULTS),
            (FAULT_WINDOW, "180", "min", NATURAL, "The time after which a fault of a host is forgotten.", _FAULTS),
            (FAULT_BUCKET, "15", "min", NATURAL, "The steps in which faults are forgotten.", _FAULTS),
            (QUEUES, "", "", TEXT, "The queues, by commas; unset, those that have a capacity.", "QueueManager"),
            (
                JOB_RECOVERS,
                "true",
                "",
                FLAG,
                "Lets a JobTracker that recovers submit the job again.",
                "RecoveryManager",
            ),
            (TRACKER_FAILURES, "4", "", NATURAL, "Failures on a tracker after which a job avoids it.", "JobConf"),
            (MAP_ATTEMPTS, "4", "", NATURAL, "The attempts of a map.", "JobConf#getMaxMapAttempts"),
            (REDUCE_ATTEMPTS, "4", "", NATURAL, "The attempts of a reduce.", "JobConf#getMaxReduceAttempts"),
            (FAILED_MAPS, "0", "%", NATURAL, "The maps that may fail without failing the job.", "JobConf"),
            (FAILED_REDUCES, "0", "%", NATURAL, "The reduces that may fail without failing the job.", "JobConf"),
            (SPECULATIVE_MAPS, "true", "", FLAG, "Gives maps that lag a second attempt.", "JobConf"),
            (SPECULATIVE_REDUCES, "true", "", FLAG, "Gives reduces that lag a second attempt.", "JobConf"),
            (
                REDUCE_INPUT,
                *("-1", "bytes", WHOLE, "The largest expected input of a reduce, else the job fails; below 1: any."),
                "JobInProgress#obtainNewReduceTask",
            ),
            (
                LOCALITY_WAIT,
                *("1.0", "", NUMBER, "The part of a cluster's offers that pass before a map leaves its rack."),
                "JobInProgress#initTasks",
            ),
        )
    ),
)
"""The settings that every JobTracker and job reads. A scenario says `SLOW_START` of each job."""

SLOW_START_DEFAULT: Final = 0.05
"""Source: JobInProgress.DEFAULT_COMPLETED_MAPS_PERCENT_FOR_REDUCE_SLOWSTART."""
