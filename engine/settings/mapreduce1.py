"""Settings that a JobTracker, its trackers and its jobs read.

Source: mapred-default.xml, Hadoop 1.2.1, and the classes that read them; CapacitySchedulerConf,
CapacitySchedulerQueue#initializeQueue, Hadoop 1.2.1 contrib; PoolManager, FairScheduler#start, CapBasedLoadManager,
NewJobWeightBooster, Hadoop 1.2.1 contrib.
"""

from typing import Any, Final

from engine.model.java_values import parse_float
from engine.settings.table import TEXT, Key, SettingEntry, SettingTable, ValueKind, kind_of


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

TASK_SCHEDULER: Final = "mapred.jobtracker.taskScheduler"  # Its class
TASK_SCHEDULER_PACKAGE: Final = "org.apache.hadoop.mapred."
_SCHEDULERS: Final = ("Fair", "CapacityTask", "JobQueueTask", "LimitTasksPerJobTask")
TASK_SCHEDULERS: Final = tuple(f"{TASK_SCHEDULER_PACKAGE}{name}Scheduler" for name in _SCHEDULERS)

SLOTS: Final = (MAP_SLOTS, REDUCE_SLOTS)
SPECULATION: Final = (SPECULATIVE_MAPS, SPECULATIVE_REDUCES)  # Speculation of maps and of reduces

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

SLOW_START_DEFAULT: Final = 0.05  # Source: JobInProgress.DEFAULT_COMPLETED_MAPS_PERCENT_FOR_REDUCE_SLOWSTART


# Settings of MapReduce 1's CapacityTaskScheduler.

TASKS_PREFIX: Final = "mapred.capacity-scheduler."

CAPACITY: Final = Key[float]("capacity", TASKS_PREFIX)
MAXIMUM: Final = Key[float]("maximum-capacity", TASKS_PREFIX)
USER_LIMIT: Final = Key[int]("minimum-user-limit-percent", TASKS_PREFIX)
USER_LIMIT_FACTOR: Final = Key[float]("user-limit-factor", TASKS_PREFIX)
ACTIVE_TASKS: Final = Key[int]("maximum-initialized-active-tasks", TASKS_PREFIX)
ACTIVE_TASKS_OF_USER: Final = Key[int]("maximum-initialized-active-tasks-per-user", TASKS_PREFIX)
ACCEPT_FACTOR: Final = Key[int]("init-accept-jobs-factor", TASKS_PREFIX)
PRIORITIES: Final = Key[bool]("supports-priority", TASKS_PREFIX)

MOST_JOBS: Final = Key[int]("maximum-system-jobs", TASKS_PREFIX)
TASKS_PER_HEARTBEAT: Final = Key[int]("maximum-tasks-per-heartbeat", TASKS_PREFIX)
TASKS_AFTER_OFF_SWITCH: Final = Key[int]("maximum-tasks-after-offswitch", TASKS_PREFIX)
POLL_INTERVAL: Final = Key[int]("init-poll-interval", TASKS_PREFIX)
THREADS: Final = Key[int]("init-worker-threads", TASKS_PREFIX)
USER_LIMIT_OF_ALL: Final = Key[int]("default-minimum-user-limit-percent", TASKS_PREFIX)
USER_LIMIT_FACTOR_OF_ALL: Final = Key[float]("default-user-limit-factor", TASKS_PREFIX)
ACCEPT_FACTOR_OF_ALL: Final = Key[int]("default-init-accept-jobs-factor", TASKS_PREFIX)
ACTIVE_TASKS_OF_ALL: Final = Key[int]("default-maximum-active-tasks-per-queue", TASKS_PREFIX)
ACTIVE_TASKS_OF_ALL_USERS: Final = Key[int]("default-maximum-active-tasks-per-user", TASKS_PREFIX)
PRIORITIES_OF_ALL: Final = Key[bool]("default-supports-priority", TASKS_PREFIX)

MEMORY: Final = (
    Key[int]("mapred.cluster.map.memory.mb"),
    Key[int]("mapred.cluster.reduce.memory.mb"),
    Key[int]("mapred.cluster.max.map.memory.mb"),
    Key[int]("mapred.cluster.max.reduce.memory.mb"),
)
"""The memory of a map slot and a reduce slot, and the most a map and a reduce may ask for."""
MOST_MEMORY: Final = MEMORY[2:]

_OFF: Final = "where one of the four is below 0, memory is not looked at."
_ALL: Final = "That of queues without their own."


def _entry(
    key: Key[Any],
    default: str,
    unit: str,
    meaning: str,
    bounds: str = "",
    *,
    kind: ValueKind[Any] = WHOLE,
    wider: Key[Any] | None = None,
) -> SettingEntry:
    return SettingEntry(key, default, meaning, unit, kind, bounds, wider=wider, source="CapacitySchedulerConf")


CAPACITY_TASKS: Final = SettingTable(
    "mr1-capacity",
    (
        _entry(MOST_JOBS, "5000", "jobs", "The most jobs that are initialized in all queues.", "at least 1"),
        _entry(TASKS_PER_HEARTBEAT, str(2**15 - 1), "tasks", "The most tasks that a heartbeat brings."),
        _entry(TASKS_AFTER_OFF_SWITCH, "0", "tasks", "The tasks that a heartbeat may bring after one off its rack."),
        _entry(POLL_INTERVAL, "3000", "ms", "The time between two looks for jobs to initialize.", "at least 1"),
        _entry(THREADS, "5", "threads", "Those that initialize jobs; they decide nothing.", "at least 1"),
        _entry(USER_LIMIT_OF_ALL, "100", "%", _ALL),
        _entry(USER_LIMIT_FACTOR_OF_ALL, "1", "", _ALL, kind=NUMBER),
        _entry(ACCEPT_FACTOR_OF_ALL, "10", "", _ALL),
        _entry(ACTIVE_TASKS_OF_ALL, "200000", "tasks", _ALL),
        _entry(ACTIVE_TASKS_OF_ALL_USERS, "100000", "tasks", _ALL),
        _entry(PRIORITIES_OF_ALL, "false", "", _ALL, kind=FLAG),
        _entry(MEMORY[0], "-1", "MB", f"The memory of a map slot; {_OFF}"),
        _entry(MEMORY[1], "-1", "MB", f"The memory of a reduce slot; {_OFF}"),
        _entry(MEMORY[2], "-1", "MB", f"The most memory that a map may ask for; {_OFF}"),
        _entry(MEMORY[3], "-1", "MB", f"The most memory that a reduce may ask for; {_OFF}"),
    ),
    (
        _entry(CAPACITY, "", "%", "The part of the slots; those of all queues add up to 100.", "0 to 100", kind=NUMBER),
        _entry(MAXIMUM, "-1", "%", "The most of the slots; not above 0: all.", "at most 100", kind=NUMBER),
        _entry(USER_LIMIT, "", "%", "The least part that a user gets.", "1 to 100", wider=USER_LIMIT_OF_ALL),
        _entry(
            USER_LIMIT_FACTOR,
            *("", "", "The most that a user gets, in multiples of the capacity."),
            kind=NUMBER,
            wider=USER_LIMIT_FACTOR_OF_ALL,
        ),
        _entry(ACTIVE_TASKS, "", "tasks", "The most tasks of initialized jobs.", wider=ACTIVE_TASKS_OF_ALL),
        _entry(ACTIVE_TASKS_OF_USER, "", "tasks", "The most of those of one user.", wider=ACTIVE_TASKS_OF_ALL_USERS),
        _entry(
            ACCEPT_FACTOR,
            *("", "", "How many times as many jobs are accepted as initialized.", "at least 1"),
            wider=ACCEPT_FACTOR_OF_ALL,
        ),
        _entry(PRIORITIES, "", "", "Orders jobs by priority, then by time.", kind=FLAG, wider=PRIORITIES_OF_ALL),
    ),
    live=(CAPACITY, MAXIMUM, USER_LIMIT, USER_LIMIT_FACTOR, ACTIVE_TASKS, ACTIVE_TASKS_OF_USER, ACCEPT_FACTOR),
)
"""The settings that the CapacityTaskScheduler reads beside those of every JobTracker. Queues' keys are
`mapred.capacity-scheduler.queue.NAME.…`; a refresh reads them again but for whether priorities count."""


# Settings of MapReduce 1's fair scheduler; its pools stand in a file of their own.

PREFIX: Final = "mapred.fairscheduler."
POOLS_FILE: Final = f"{PREFIX}allocation.file"

POOL: Final = Key[str]("pool", PREFIX)  # The pool of a job, whatever `POOL_PROPERTY` says

POOL_PROPERTY: Final = Key[str]("poolnameproperty", PREFIX)
UNDECLARED_POOLS: Final = Key[bool]("allow.undeclared.pools", PREFIX)
UPDATE: Final = Key[int]("update.interval", PREFIX)
PREEMPTION: Final = Key[bool]("preemption", PREFIX)
PREEMPTION_INTERVAL: Final = Key[int]("preemption.interval", PREFIX)
PREEMPTION_ONLY_LOG: Final = Key[bool]("preemption.only.log", PREFIX)
ASSIGN_MULTIPLE: Final = Key[bool]("assignmultiple", PREFIX)
MOST_MAPS: Final = Key[int]("assignmultiple.maps", PREFIX)
MOST_REDUCES: Final = Key[int]("assignmultiple.reduces", PREFIX)
SIZE_WEIGHT: Final = Key[bool]("sizebasedweight", PREFIX)
DELAY: Final = Key[int]("locality.delay", PREFIX)
NODE_DELAY: Final = Key[int]("locality.delay.node", PREFIX)
RACK_DELAY: Final = Key[int]("locality.delay.rack", PREFIX)
LOAD_DIFFERENCE: Final = Key[float]("load.max.diff", PREFIX)
WEIGHT_ADJUSTER: Final = Key[str]("weightadjuster", PREFIX)
BOOST: Final = Key[float]("mapred.newjobweightbooster.factor")
BOOST_DURATION: Final = Key[int]("mapred.newjobweightbooster.duration")

BOOSTER: Final = "org.apache.hadoop.mapred.NewJobWeightBooster"

_COMPUTED: Final = "-1: one and a half heartbeat intervals, 15 s at most."

FAIR_TASKS: Final = SettingTable(
    "mr1-fair",
    (
        SettingEntry(key, default, meaning, unit, kind, source=source)
        for key, default, unit, kind, meaning, source in (
            (POOL_PROPERTY, "user.name", "", TEXT, "The property of a job that names its pool.", "PoolManager"),
            (UNDECLARED_POOLS, "true", "", FLAG, "Makes pools that the file does not name.", "PoolManager"),
            (UPDATE, "500", "ms", NATURAL, "The time between two counts of the shares.", "FairScheduler"),
            (PREEMPTION, "false", "", FLAG, "Kills tasks for pools below their shares.", "FairScheduler"),
            (PREEMPTION_INTERVAL, "15000", "ms", NATURAL, "The time between two looks for them.", "FairScheduler"),
            (PREEMPTION_ONLY_LOG, "false", "", FLAG, "Logs kills of preemption, and kills nothing.", "FairScheduler"),
            (ASSIGN_MULTIPLE, "true", "", FLAG, "Gives more than one task of a kind in a heartbeat.", "FairScheduler"),
            (MOST_MAPS, "-1", "maps", WHOLE, "The most in a heartbeat; -1: as many as are free.", "FairScheduler"),
            (
                MOST_REDUCES,
                "-1",
                "reduces",
                WHOLE,
                "The most in a heartbeat; -1: as many as are free.",
                "FairScheduler",
            ),
            (
                SIZE_WEIGHT,
                "false",
                "",
                FLAG,
                "Weighs a job by the logarithm of its tasks.",
                "FairScheduler#getJobWeight",
            ),
            (DELAY, "-1", "ms", WHOLE, f"The waits for a host and for a rack. {_COMPUTED}", "FairScheduler"),
            (NODE_DELAY, "-1", "ms", WHOLE, "The wait for a host; unset, `locality.delay`.", "FairScheduler"),
            (RACK_DELAY, "-1", "ms", WHOLE, "The wait for a rack; unset, `locality.delay`.", "FairScheduler"),
            (
                LOAD_DIFFERENCE,
                *("0.0", "", NUMBER, "The part by which a tracker may be fuller than the cluster."),
                "CapBasedLoadManager",
            ),
            (WEIGHT_ADJUSTER, "", "", TEXT, f"Changes weights of jobs; `{BOOSTER}` is known.", "FairScheduler#start"),
            (BOOST, "3", "", NUMBER, "The factor of a new job's weight, with that class.", "NewJobWeightBooster"),
            (BOOST_DURATION, "300000", "ms", NATURAL, "The time for which a job is new.", "NewJobWeightBooster"),
        )
    ),
)
"""The settings that the fair scheduler reads beside those of every JobTracker."""
