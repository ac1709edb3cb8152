"""Finds settings of MapReduce 1 that starve or block jobs: of the JobTracker, its trackers and its schedulers.

Source: TaskTracker, JobInProgress, FairScheduler, PoolManager, CapacitySchedulerConf, CapacitySchedulerQueue,
CapacityTaskScheduler, Hadoop 1.2.1.
"""

from collections.abc import Iterator
from typing import Final

from engine.errors import ConfigError, Problem, nearest
from engine.formats.daemon_lint import number_findings
from engine.formats.fair_listing import EffectiveValue, QueueListing
from engine.formats.finding import Finding, finding_of, found_at
from engine.formats.hadoop_configuration import HadoopConfiguration
from engine.formats.site_lint import nearly
from engine.model.java_values import LONG_MAX, setting_boolean
from engine.schedulers.mr1.capacity_settings import CapacityTaskSettings, capacity_task_settings, key_of
from engine.schedulers.mr1.settings import NO_MAXIMUM, PoolAllocations
from engine.settings.fair import ALLOCATION_FILE
from engine.settings.known import TASK_QUEUES, misspelt
from engine.settings.mapreduce1 import (
    CAPACITY,
    CAPACITY_TASKS,
    DELAY,
    FAIR_TASKS,
    JOB_TRACKER,
    MAXIMUM,
    MEMORY,
    MOST_JOBS,
    PREEMPTION,
    PREEMPTION_ONLY_LOG,
    PREFIX,
    QUEUES,
    SLOTS,
    SLOW_START,
    TASK_SCHEDULER,
    TASKS_PER_HEARTBEAT,
    TASKS_PREFIX,
    USER_LIMIT_FACTOR,
)

_QUEUE: Final = "mapred.queue."
_RIGHTS: Final = (".acl-submit-job", ".acl-administer-jobs")
_ACLS: Final = "mapred.acls.enabled"
_EARLY: Final = 0.5  # Reduces that begin before this part of the maps has ended are warned of
_LONG_DELAY_MS: Final = 60_000  # So is a wait for a place longer than this [ms]
_TIMEOUTS: Final = ("minSharePreemptionTimeout", "fairSharePreemptionTimeout", "defaultMinSharePreemptionTimeout")


def is_of_job_tracker(settings: HadoopConfiguration) -> bool:
    """Tell whether the files are those of a JobTracker, and of no ResourceManager."""
    is_named = any(key.startswith((TASKS_PREFIX, PREFIX, *_DAEMONS)) or key in _OWN for key in settings.values)
    is_of_yarn = settings.values.get("mapreduce.framework.name", "").strip().startswith("yarn")
    return is_named and not is_of_yarn and not any(key.startswith("yarn.") for key in settings.values)


_DAEMONS: Final = ("mapred.tasktracker.", "mapred.jobtracker.")  # Beginnings of keys that only they read
_LOOKED_AT: Final = (*_DAEMONS, "mapreduce.tasktracker.", "mapred.reduce.slowstart.", "mapred.map.", "mapred.max.")
_OWN: Final = frozenset({TASK_SCHEDULER, str(QUEUES), "mapred.job.tracker", *map(str, SLOTS), str(SLOW_START)})


def read_by_hadoop_1(settings: HadoopConfiguration) -> Iterator[Finding]:
    """Keys of the two schedulers of MapReduce 1, each scheduler once."""
    rule = "only-hadoop-1" if is_of_job_tracker(settings) else "mapreduce-1"
    for prefix, scheduler, of_yarn in (
        (TASKS_PREFIX, "CapacityTaskScheduler", "yarn.scheduler.capacity.root.queues"),
        (PREFIX, "FairScheduler", ALLOCATION_FILE),
    ):
        keys = [key for key in settings.values if key.startswith(prefix)]
        if keys:
            others = f", and {len(keys) - 1} more like it," if len(keys) > 1 else ""
            message = f"a key{others} of MapReduce 1's {scheduler} in a JobTracker: no YARN release reads it"
            yield found_at(settings, rule, keys[0], message, f"YARN has {of_yarn}")


def task_queues(settings: HadoopConfiguration) -> tuple[QueueListing, ...]:
    """The queues of a CapacityTaskScheduler with what is stated of each, and what holds of its capacity otherwise."""
    queues: dict[str, list[EffectiveValue]] = {}
    for key, text in settings.values.items():
        if key.startswith(TASK_QUEUES):
            name, _, setting = key.removeprefix(TASK_QUEUES).partition(".")
            queues.setdefault(name, []).append(EffectiveValue(setting, text.strip(), settings.place(key)))
    return tuple(
        QueueListing(path=name, parent=False, place=values[0].origin, values=tuple(values))
        for name, values in queues.items()
    )


def unread_tasks(settings: HadoopConfiguration) -> list[Problem]:
    """A warning for each key below `mapred.capacity-scheduler.`, or nearly one of a JobTracker's, that is not read."""
    found = []
    known = {*JOB_TRACKER.whole, *FAIR_TASKS.whole, str(SLOW_START)} if is_of_job_tracker(settings) else set()
    for key in settings.values:
        is_looked_at = key.startswith(_LOOKED_AT) and key not in known and not misspelt(key)
        if is_looked_at and (hint := nearly(key, known)):
            found.append(settings.problem(key, "unknown key: Hadoop ignores it", hint))
        rest = key.removeprefix(TASK_QUEUES).partition(".")[2] if key.startswith(TASK_QUEUES) else ""
        is_known = rest in CAPACITY_TASKS.queue if rest else key in CAPACITY_TASKS.whole
        if key.startswith(TASKS_PREFIX) and not is_known:
            hint = nearest(rest or key, CAPACITY_TASKS.queue if rest else CAPACITY_TASKS.whole)
            found.append(settings.problem(key, "unknown key: MapReduce 1 ignores it, too", hint))
    return found


def job_tracker_findings(
    settings: HadoopConfiguration, pools: PoolAllocations | None, pools_file: str, trackers: int
) -> Iterator[Finding]:
    """What hurts in the files of a JobTracker with so many trackers, 0 where not known."""
    if not is_of_job_tracker(settings) and pools is None:
        return
    yield from number_findings(settings, {key: entry.kind for key, entry in JOB_TRACKER.whole.items()})
    yield from _of_access(settings)
    yield from _of_tasks(settings)
    yield from _preemption(settings, pools, pools_file)
    yield from _of_pools(pools or PoolAllocations(), pools_file)
    yield from _of_all_minimums(settings, pools or PoolAllocations(), pools_file, trackers)
    chosen = settings.values.get(TASK_SCHEDULER, "").endswith("CapacityTaskScheduler")
    if chosen or any(key.startswith(TASK_QUEUES) for key in settings.values):
        yield from _of_queues(settings)


def _number(settings: HadoopConfiguration, key: str) -> float | None:
    try:
        return float(settings.values[key])
    except (KeyError, ValueError):
        return None


def _of_access(settings: HadoopConfiguration) -> Iterator[Finding]:
    """Access lists of queues that nobody looks at. Source: QueueManager, Hadoop 1.2.1."""
    stated = [key for key in settings.values if key.startswith(_QUEUE) and key.endswith(_RIGHTS)]
    if stated and not setting_boolean(settings.values.get(_ACLS), False):
        yield found_at(settings, "acl-off", stated[0], f"keeps no user out: {_ACLS} is not true", f"{_ACLS}=true")


def _of_tasks(settings: HadoopConfiguration) -> Iterator[Finding]:
    for key, kind in zip(map(str, SLOTS), ("map", "reduce"), strict=True):
        if _number(settings, key) == 0:
            yield found_at(settings, "no-slots", key, f"0: no {kind} ever starts", JOB_TRACKER.whole[key].default)
    share = _number(settings, str(SLOW_START))
    if share is not None and share < _EARLY:
        message = (
            f"{share:g}: reduces hold slots while most maps of their job are still to come, and reduces of other jobs"
            " wait for them"
        )
        yield found_at(settings, "early-reduces", str(SLOW_START), message, "0.8 to 1")
    delay_ms = _number(settings, DELAY.everywhere)
    if delay_ms is not None and delay_ms > _LONG_DELAY_MS:
        message = f"a job waits {delay_ms / 1000:g} s for a tracker with its data while slots are free"
        yield found_at(settings, "long-locality-delay", DELAY.everywhere, message, "5000")
    stated = [str(key) for key in MEMORY if (_number(settings, str(key)) or -1) >= 0]
    if stated and len(stated) < len(MEMORY):
        missing = ", ".join(str(key) for key in MEMORY if str(key) not in stated)
        message = f"memory is not looked at while {missing} is not stated: tasks of any size share the slots"
        yield found_at(settings, "memory-not-matched", stated[0], message, missing)


def _preemption(settings: HadoopConfiguration, pools: PoolAllocations | None, file: str) -> Iterator[Finding]:
    preempts = settings.values.get(PREEMPTION.everywhere) == "true"
    minimums = [] if pools is None else [name for name, pool in pools.pools.items() if any(pool.minimum)]
    timed = pools is not None and (
        min(pools.fair_share_timeout_ms, pools.min_share_timeout_ms) < LONG_MAX
        or any(pool.min_share_timeout_ms is not None for pool in pools.pools.values())
    )
    if not preempts and (minimums or timed):
        what = f"the minimum of pool {minimums[0]}" if minimums else "a timeout"
        why = "is not true" if settings.values else "is false unless mapred-site.xml sets it"
        message = f"{what} is stated, and nothing is preempted for it: {PREEMPTION.everywhere} {why}"
        if PREEMPTION.everywhere in settings.values:
            yield found_at(settings, "task-preemption-off", PREEMPTION.everywhere, message, "true")
        else:
            problem = Problem(message, file, 0, f"{minimums[0]}.minMaps" if minimums else _TIMEOUTS[0])
            yield finding_of("task-preemption-off", problem)
    elif preempts and pools is not None and not timed:
        message = f"preemption is on, and no timeout is stated ({', '.join(_TIMEOUTS)}): nothing is preempted"
        yield found_at(settings, "task-preemption-never", PREEMPTION.everywhere, message, f"{_TIMEOUTS[1]} of 300")
    if preempts and settings.values.get(PREEMPTION_ONLY_LOG.everywhere) == "true":
        message = "true: what would be killed is logged, and nothing is killed"
        yield found_at(settings, "task-preemption-logs", PREEMPTION_ONLY_LOG.everywhere, message, "false")


def _of_pools(pools: PoolAllocations, file: str) -> Iterator[Finding]:
    limits = {f"user {name}": most for name, most in pools.user_max_jobs.items()}
    limits |= {"userMaxJobsDefault": pools.user_max_jobs_default, "poolMaxJobsDefault": pools.pool_max_jobs_default}
    limits |= {
        name: NO_MAXIMUM if (most := pool.max_running_jobs) is None else most for name, pool in pools.pools.items()
    }
    for name, most in limits.items():
        if most <= 0:
            key = name if name.endswith("Default") else f"{name}.maxRunningJobs"
            yield finding_of("pool-of-nothing", Problem("0: no job is ever started", file, 0, key, "at least 1"))
    for name, pool in pools.pools.items():
        for least, most, kind in zip(pool.minimum, pool.maximum, ("Maps", "Reduces"), strict=True):
            if most <= 0:
                problem = Problem(f"0: no {kind.lower()[:-1]} of the pool ever starts", file, 0, f"{name}.max{kind}")
                yield finding_of("pool-of-nothing", problem)
            elif least > most:
                message = f"{least} {kind.lower()} at least, and {most} at most: the pool never has its minimum"
                problem = Problem(message, file, 0, f"{name}.min{kind}", f"max{kind} of {least} or more")
                yield finding_of("minimum-above-pool", problem)


def _of_all_minimums(
    settings: HadoopConfiguration, pools: PoolAllocations, file: str, trackers: int
) -> Iterator[Finding]:
    for kind, (key, word) in enumerate(zip(map(str, SLOTS), ("map", "reduce"), strict=True)):
        least = {name: pool.minimum[kind] for name, pool in pools.pools.items() if pool.minimum[kind] > 0}
        each = _number(settings, key)
        slots = trackers * int(float(JOB_TRACKER.whole[key].default) if each is None else each)
        if slots and sum(least.values()) >= slots:
            most = max(least, key=lambda name: least[name])
            message = (
                f"the minimums of the pools are {sum(least.values())} {word}s, and {trackers} trackers have {slots}"
                f" {word} slots: a pool without one waits while these have work"
            )
            place = f"{most}.min{word.title()}s"
            yield finding_of("minimums-above-slots", Problem(message, file, 0, place, f"fewer than {slots} in all"))


def _of_queues(settings: HadoopConfiguration) -> Iterator[Finding]:
    try:
        read = capacity_task_settings(settings.values)
    except ConfigError as error:
        for each in error.problems:
            key = next((one for one in settings.values if one.startswith(each.key)), each.key)
            message = f"{each.message}: the JobTracker does not start"
            yield found_at(settings, "task-queues-refused", key, message, each.hint)
        return
    if read.tasks_per_heartbeat == 1:
        message = "1: a tracker gets one map a heartbeat, however many slots are free"
        yield found_at(settings, "one-task-at-a-time", TASKS_PER_HEARTBEAT.everywhere, message, "32767, the default")
    for name, queue in read.queues.items():
        yield from _one_user(settings, read, name)
        if queue.max_initialized_of_user <= 1:
            key = next((k for k in (MOST_JOBS.everywhere, key_of(name, CAPACITY)) if k in settings.values), "")
            message = f"queue {name} runs one job of a user at a time: {MOST_JOBS} times its part is 1"
            yield found_at(settings, "one-job-at-a-time", key, message, "5000, the default")


def _one_user(settings: HadoopConfiguration, read: CapacityTaskSettings, name: str) -> Iterator[Finding]:
    queue = read.queues[name]
    most = queue.maximum if queue.maximum > 0 else 100.0
    key = key_of(name, MAXIMUM if queue.maximum > 0 else CAPACITY)
    if queue.capacity * queue.user_limit_factor < most and key_of(name, USER_LIMIT_FACTOR) not in settings.values:
        message = (
            f"one user gets {queue.capacity:g} % at most ({USER_LIMIT_FACTOR} 1 by default), though the queue may use"
            f" {most:g} %"
        )
        fix = f"{key_of(name, USER_LIMIT_FACTOR)} of {most / queue.capacity:.3g} or more"
        yield found_at(settings, "one-user-of-tasks", key, message, fix)
