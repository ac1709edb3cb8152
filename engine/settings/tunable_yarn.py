"""What may be varied under a ResourceManager: settings of its schedulers and its own.

Source: which settings a refresh reads again: AdminService#refreshQueues (3.4 loads yarn-site.xml again),
CapacityScheduler#reinitialize and #refreshMaximumAllocation, SchedulingMonitorManager#reinitialize,
ProportionalCapacityPreemptionPolicy#updateConfigIfNeeded, AllocationFileLoaderService#reloadAllocations; what a job of
MapReduce 1 brings with it: JobInProgress, JobConf.
"""

from collections.abc import Mapping
from typing import Final, Literal

import msgspec

from engine.settings.table import table_rows

# What may be varied to end a wait: settings, fields of applications, sizes of nodes; the form of their tables.
#
# A row says where its value is written, how it may be varied, which refusals it governs, and when it takes effect; the
# indented sentence under it says what it risks. The search for remedies knows no setting by name but from here.

Where = Literal["whole", "queue", "leaf", "others", "partition", "user", "own", "holder", "nodes", "release", "root"]
"""The place of a value: of the whole scheduler; of the queue and those above it (`queue`), of it alone (`leaf`), of
all other queues (`others`); of the queue and those above it in a partition; of the user; of the application itself or
of one that holds what it wants; of all nodes; the release; the top of an allocation file (`root`)."""

Takes = Literal["refresh", "owner", "restart", "patch", "hardware"]
TAKES: Final[tuple[Takes, ...]] = ("refresh", "owner", "restart", "patch", "hardware")
"""When a value takes effect, the soonest first: after a refresh, with the next submission, after a restart, with
another release, on other machines."""

Way = Literal["up", "down", "sooner"]

_FULL: Final = (
    "DOES_NOT_FIT NODE_RESERVED RESERVATION_LIMIT QUEUE_WOULD_EXCEED_MAXIMUM OTHER_FIRST WAITS_FOR_EVENT MAPS_FIRST"
)
_MAX: Final = "QUEUE_OVER_MAXIMUM QUEUE_WOULD_EXCEED_MAXIMUM"
_AM: Final = "AM_SHARE_EXHAUSTED USER_AM_SHARE_EXHAUSTED"
_USER: Final = "USER_OVER_LIMIT"

REFUSED: Final = "REFUSED"  # The application was not let in
LOST: Final = "LOST"  # It had something, and ended without its work
PACE: Final = "PACE"  # There is room, and still it is given only so much at a time

GROUPS: Final[Mapping[str, frozenset[str]]] = {
    name: frozenset(codes.split())
    for name, codes in {
        "FULL": _FULL,
        "MAX": _MAX,
        "RUN": "QUEUE_NOT_RUNNING_IT",
        "AM": _AM,
        "USER": _USER,
        "HELD": f"{_FULL} {_MAX} {_USER} {_AM}",
        "DELAY": f"DELAY_SCHEDULING {PACE}",
        "STRICT": "LOCALITY_NOT_RELAXED",
        "LABEL": "NOT_IN_PARTITION LABEL_NOT_ACCESSIBLE NO_CAPACITY",
        "SMALL": "NODE_TOO_SMALL MAXIMUM_TOO_SMALL",
        "AWAY": "NODE_SILENT NODES_NOT_BACK RECOVERY_WAIT MASTER_NOT_BACK NO_NODE",
    }.items()
}
"""Name of a group → the codes of obstacles in it, as of `schedulers.obstacle_texts.Reason`."""

LIMITS: Final = GROUPS["MAX"] | GROUPS["RUN"] | GROUPS["AM"] | GROUPS["USER"] | GROUPS["LABEL"] | GROUPS["STRICT"]
"""Codes of limits: all of them in the way of an ask have to go before it starts."""


TEMPLATES: Final = ("leaf-queue-template", "auto-queue-creation-v2.leaf-template", "auto-queue-creation-v2.template")
"""Places of the values of queues that are made; `%template` in a key stands for each of them."""


class Ladder(msgspec.Struct, frozen=True):
    """Numbers of which the bound helps most: a limit that may go up or down, or a time that may be shorter."""

    way: Way
    bound: str  # A number, or the name of a figure of the cluster, as of `tunable_values`
    scale: int = 1  # Steps in one: 10 for tenths; of a time its units in a second
    start: str = ""  # The value to begin at where there is no limit
    free: str = ""  # The value that is no limit at all, where that lets through more than the bound


class ValueChoices(msgspec.Struct, frozen=True):
    """Some values, or the name of a figure of the cluster that lists them (`@leaves`)."""

    values: tuple[str, ...]


class Tunable(msgspec.Struct, frozen=True):
    key: str  # A setting by its name of a queue (`%user`: who asks), or its whole key; the field of an application
    where: Where
    vary: Ladder | ValueChoices
    governs: frozenset[str]  # Codes of the obstacles that it may take away
    takes: Takes
    risk: str  # What it may do to others, in a few words; empty where nothing is known
    needs: tuple[tuple[str, str], ...] = ()
    """Settings of the whole scheduler without which it has no effect, with their values; they are set with it."""
    schedulers: tuple[str, ...] = ()  # Beginnings of the names of the schedulers that have it; empty for all
    is_blunt: bool = False
    """Whether it changes what was meant, or everything at once, so that it comes last of what takes effect as soon."""
    no_witness: str = ""  # Why no scenario of a few lines shows its effect; empty where one has to

    @property
    def is_limit(self) -> bool:
        """Tell whether it lets more through the looser it is, and no node is larger: it may be loosened with others."""
        is_one_way = self.vary.way == "up" if isinstance(self.vary, Ladder) else len(self.vary.values) == 1
        is_list = isinstance(self.vary, ValueChoices) and self.vary.values[0].startswith("@")
        if not is_one_way or is_list or self.needs or "NODE_TOO_SMALL" in self.governs:
            return False
        return bool(self.governs & (LIMITS | {REFUSED}))

    @property
    def is_cap(self) -> bool:
        """Tell whether it is a lower limit, so that nodes do not fill up: who holds something keeps it."""
        is_lower = isinstance(self.vary, Ladder) and self.vary.way == "down"
        return is_lower and "DOES_NOT_FIT" in self.governs and not self.needs

    @property
    def may_join_all(self) -> bool:
        """Tell whether it is a limit, or memory, cores or executors of one application that may only be fewer."""
        is_lower = isinstance(self.vary, Ladder) and self.vary.way == "down" and not self.needs
        is_less = self.where in ("own", "holder") and is_lower and bool(self.governs & GROUPS["FULL"])
        return is_less or (self.is_limit and self.takes != "patch")

    @property
    def is_more_than_used(self) -> bool:
        """Tell whether by it something lies idle, or is given beyond what was asked for, by default as well."""
        if not isinstance(self.vary, Ladder):
            return self.keeps_idle or self.vary.values[0] == "@shared"
        is_rounded = self.where == "whole" and self.vary.way == "down" and "NODE_TOO_SMALL" in self.governs
        return self.keeps_idle or is_rounded

    @property
    def keeps_idle(self) -> bool:
        """Tell whether by it an application that holds something keeps it while it has no use for it."""
        if isinstance(self.vary, Ladder):
            is_kept = self.vary.way == "sooner" or self.vary.bound == "0"
        else:
            is_kept = self.vary.values == ("true",)
        return self.where == "holder" and is_kept

    def is_of(self, scheduler: str) -> bool:
        return not self.schedulers or scheduler.startswith(self.schedulers)


def tunables(schedulers: str, table: str, short: Mapping[str, str] | None = None) -> tuple[Tunable, ...]:
    """The rows of a table: `key | where | how | what it governs | takes | options`, and under it its risk.

    `schedulers` are beginnings of names. Options: `needs=KEY=VALUE, KEY=VALUE`, `of=SCHEDULERS`, `blunt`,
    `refreshed=SCHEDULER` for one that reads it again with a refresh, `witness=none: WHY`.
    """
    found: list[Tunable] = []
    for (key, where, how, governs, takes, *more), risk in table_rows(table, short):
        options = {name: text for name, _, text in (one.partition("=") for one in more)}
        needs = tuple(tuple(one.strip().split("=")) for one in options.get("needs", "").split(",") if one)
        made = Tunable(
            key,
            msgspec.convert(where, Where),
            _way(how),
            frozenset[str]().union(*(GROUPS.get(each, frozenset({each})) for each in governs.split())),
            msgspec.convert(takes, Takes),
            risk,
            msgspec.convert(needs, tuple[tuple[str, str], ...]),
            tuple(options.get("of", schedulers).split()),
            "blunt" in options,
            options.get("witness", "").removeprefix("none:").strip(),
        )
        if live := options.get("refreshed"):
            found.append(msgspec.structs.replace(made, takes="refresh", schedulers=(live,)))
            others = tuple(f"{each}-2.7" if live.startswith(each) else each for each in made.schedulers)
            made = msgspec.structs.replace(made, schedulers=others)
        templates = TEMPLATES if "%template" in key else ("",)
        found += [msgspec.structs.replace(made, key=key.replace("%template", each)) for each in templates]
    return tuple(found)


def _way(how: str) -> Ladder | ValueChoices:
    """Read `up 100 /10`, `up 1 free -1`, `down 1 from apps`, `sooner 1 /1000`, `one a b`, `one` (nothing)."""
    kind, *words = how.split()
    if kind == "one":
        return ValueChoices(tuple(words) or ("",))
    bound, *more = words
    scale = next((int(each[1:]) for each in more if each.startswith("/")), 1)
    start, free = (more[more.index(word) + 1] if word in more else "" for word in ("from", "free"))
    return Ladder(msgspec.convert(kind, Way), bound, scale, start, free)


# What may be varied under a Spark Master and under a JobTracker.

SPARK: Final = tunables(
    "spark",
    """
spark.deploy.maxDrivers | whole | down 1 from apps | FULL | restart
    Fewer drivers run at a time; the others wait.
spark.deploy.maxDrivers | whole | up apps | RUN FULL | restart
    More drivers share the workers.
spark.deploy.defaultCores | whole | down 1 from all_cores | FULL | restart
    Applications that state no maximum get fewer cores.
spark.deploy.spreadOutApps | whole | one true false | FULL | restart
    Executors are spread over workers, or packed on few.
spark.deploy.spreadOutDrivers | whole | one true false | FULL | restart
    Drivers are spread over workers, or packed on few.
spark.deploy.workerSelectionPolicy | whole
    | one CORES_FREE_DESC CORES_FREE_ASC MEMORY_FREE_DESC MEMORY_FREE_ASC WORKER_ID | FULL | restart
    Executors go to other workers.
spark.worker.timeout | whole | sooner 1 /1 | NODE_DEAD NODE_SILENT FULL | restart
    | witness=none: only with a worker that falls silent
    A worker that is slow to answer counts as lost.
spark.deploy.maxExecutorRetries | whole | one -1 | LOST | restart | witness=none: only with errors
""",
)

MAPREDUCE_1: Final = tunables(
    "mr1",
    """
mapred.tasktracker.map.tasks.maximum | whole | up four_times | FULL PACE SMALL AWAY USER | restart
    More maps share the memory of a tracker.
mapred.tasktracker.reduce.tasks.maximum | whole | up four_times | FULL PACE SMALL AWAY USER | restart
    More reduces share the memory of a tracker.
mapred.tasktracker.expiry.interval | whole | sooner 1 /1000 | AWAY FULL | restart
    | witness=none: only with a tracker that falls silent
    A tracker that is slow to answer counts as lost.
mapred.jobtracker.restart.recover | whole | one true | LOST | restart | witness=none: only with a restart
mapred.map.max.attempts | whole | up 20 | LOST | owner | witness=none: only with tasks that fail
    Maps that always fail are tried more often.
mapred.reduce.max.attempts | whole | up 20 | LOST | owner | witness=none: only with tasks that fail
mapred.max.map.failures.percent | whole | up 100 | LOST | owner | witness=none: only with tasks that fail
    Jobs end well without some of their maps.
mapred.map.tasks.speculative.execution | whole | one true false | FULL MAX RUN | owner
    | witness=none: only with tasks that hang
    Maps that lag take a second slot, or go on alone.
mapred.reduce.tasks.speculative.execution | whole | one true false | FULL MAX RUN | owner
    | witness=none: only with tasks that hang
    Reduces that lag take a second slot, or go on alone.
mapred.jobtracker.maxtasks.per.job | whole | one -1 | REFUSED LOST | restart | witness=none: only where it is set
mapred.fairscheduler.allow.undeclared.pools | whole | one true | MAX RUN REFUSED | restart | of=mr1-fair
    | witness=none: only with a limit of the pool default
mapred.fairscheduler.preemption | whole | one true | HELD | restart | of=mr1-fair
    Tasks of pools above their share are killed.
mapred.fairscheduler.preemption.only.log | whole | one false | HELD | restart | of=mr1-fair
    Tasks of pools above their share are killed.
mapred.fairscheduler.assignmultiple | whole | one true false | FULL PACE | restart | of=mr1-fair
    A tracker takes many tasks at once, or one a heartbeat.
mapred.fairscheduler.locality.delay | whole | one 0 | DELAY FULL | restart | of=mr1-fair
    More maps run away from their data.
mapred.fairscheduler.sizebasedweight | whole | one true false | FULL | restart | of=mr1-fair
    Shares follow the sizes of jobs, or not.
maxRunningJobs | leaf | up apps | RUN | refresh | of=mr1-fair
    More jobs share the pool.
maxMaps | leaf | up all_maps | MAX | refresh | of=mr1-fair
    The pool may take more map slots.
maxReduces | leaf | up all_reduces | MAX | refresh | of=mr1-fair
    The pool may take more reduce slots.
maxMaps | others | down 1 from all_maps | FULL | refresh | of=mr1-fair
    The other pool may no longer take what others leave idle.
maxReduces | others | down 1 from all_reduces | FULL | refresh | of=mr1-fair
    The other pool may no longer take what others leave idle.
minMaps | others | down 0 | FULL | refresh | of=mr1-fair
    The other pool has fewer map slots.
minReduces | others | down 0 | FULL | refresh | of=mr1-fair
    The other pool has fewer reduce slots.
schedulingMode | leaf | one fair | FULL | refresh | of=mr1-fair
    Jobs of the pool share what it has.
minMaps | leaf | up all_maps | FULL | refresh | of=mr1-fair
    Other pools have fewer map slots.
minReduces | leaf | up all_reduces | FULL | refresh | of=mr1-fair
    Other pools have fewer reduce slots.
weight | leaf | up 100 | FULL | refresh | of=mr1-fair
    Other pools have fewer slots.
minSharePreemptionTimeout | leaf | sooner 1 /1 from 3600 | FULL | refresh
    | needs=mapred.fairscheduler.preemption=true | of=mr1-fair
    Tasks of other pools are killed sooner.
maxRunningJobs | user | up apps | RUN | refresh | of=mr1-fair
    The user may run more jobs.
poolMaxJobsDefault | root | up apps | RUN | refresh | of=mr1-fair
    More jobs share every pool.
userMaxJobsDefault | root | up apps | RUN | refresh | of=mr1-fair
    Every user may run more jobs.
fairSharePreemptionTimeout | root | sooner 1 /1 from 3600 | FULL | refresh
    | needs=mapred.fairscheduler.preemption=true | of=mr1-fair
    Tasks of other pools are killed sooner.
capacity | leaf | up 99 | MAX USER | refresh | of=mr1-capacity
    | witness=none: only with that of the queue beside it
    The queue beside it has less.
maximum-capacity | leaf | up 100 | MAX | refresh | of=mr1-capacity
    The queue may take more of what others do not use.
maximum-capacity | others | down 1 from 100 | FULL | refresh | of=mr1-capacity
    The other queue may no longer take what others leave idle.
user-limit-factor | leaf | up 100 | USER | refresh | of=mr1-capacity
    One user may take the part of others.
minimum-user-limit-percent | leaf | up 100 | USER FULL | refresh | of=mr1-capacity
    Fewer users run at a time.
minimum-user-limit-percent | leaf | down users | FULL | refresh | of=mr1-capacity
    Each user has less.
supports-priority | leaf | one true | FULL USER | restart | of=mr1-capacity
    | witness=none: only with jobs of different priorities
    Jobs of a higher priority come first.
init-accept-jobs-factor | leaf | up 100 | REFUSED | refresh | of=mr1-capacity
    More jobs wait in the JobTracker's memory.
maximum-initialized-active-tasks | leaf | up 2147483647 | RUN REFUSED | refresh | of=mr1-capacity
    More jobs fill the JobTracker's memory.
maximum-initialized-active-tasks-per-user | leaf | up 2147483647 | RUN REFUSED | refresh | of=mr1-capacity
    More jobs of a user fill the JobTracker's memory.
mapred.capacity-scheduler.maximum-system-jobs | whole | up 30000 | RUN REFUSED | restart | of=mr1-capacity
    More jobs fill the JobTracker's memory.
mapred.cluster.max.map.memory.mb | whole | up 65536 | REFUSED | restart | of=mr1-capacity
    Maps may take as many slots.
mapred.cluster.max.reduce.memory.mb | whole | up 65536 | REFUSED | restart | of=mr1-capacity
    Reduces may take as many slots.
""",
)


# What may be varied beside settings: fields of applications, sizes of nodes, the release.

APPLICATIONS: Final = tunables(
    "capacity fair fifo spark mr1",
    """
container | own | down 1 /0 | FULL SMALL MAX AM USER REFUSED CORES_LEFT_OVER | owner | of=capacity fair fifo spark
    Tasks that need the memory fail.
container | own | down 1 /0 | SMALL USER REFUSED | owner | of=mr1-capacity
    Tasks that need the memory fail.
cores | own | down 1 | FULL SMALL MAX USER REFUSED | owner | of=capacity fair fifo spark
    Each container does less at a time.
master | own | down 1 /0 | FULL SMALL MAX AM USER REFUSED | owner | of=capacity fair fifo
    A master that needs the memory fails.
master | holder | down 1 /0 | FULL AM USER | owner | of=capacity fair fifo
    A master that needs the memory fails.
master_cores | own | down 1 | SMALL AM USER REFUSED | owner | of=capacity fair fifo
    | witness=none: only where a master asks for several
    The master is slower.
driver | own | down 1 /0 | FULL SMALL | owner | of=spark
    A driver that needs the memory fails.
driver_cores | own | down 1 | FULL SMALL | owner | of=spark | witness=none: only with a driver of several
    The driver is slower.
deploy_mode | own | one client | FULL SMALL RUN | owner | of=spark | witness=none: only with a driver on a worker
    Its driver runs where it is submitted, and ends with that machine.
supervise | own | one true | LOST | owner | of=spark | witness=none: only with a worker that is lost
    A driver that always fails is begun again and again.
executors | holder | down 1 | FULL MAX USER | owner | of=capacity fair fifo
    It works longer.
container | holder | down 1 /0 | NODE_RESERVED | owner | of=capacity fair fifo
    Tasks that need the memory fail.
dynamic.most | holder | down 1 from all_cores | FULL MAX USER | owner | of=capacity fair fifo spark
    It works longer.
dynamic.backlog | own | sooner 1 /1 | NOTHING_ASKED | owner | of=spark | witness=none: only with a long time-out
    It asks for executors that it needs for a moment alone.
dynamic.idle | holder | sooner 1 /1 | FULL MAX USER | owner | of=capacity fair fifo spark
    It asks for executors again for its next stage.
dynamic.cached | holder | sooner 1 /1 from 3600 | FULL MAX USER | owner | of=capacity fair fifo
    It computes again what its executors had cached.
dynamic.shuffled | holder | sooner 1 /1 from 3600 | FULL MAX USER | owner | of=capacity fair fifo
    | witness=none: only with shuffle tracking
    It computes again what its executors had shuffled.
dynamic | holder | one true | FULL MAX USER | owner | blunt | of=capacity fair fifo spark
    | witness=none: only with executors that idle
    It asks for executors again for its next stage.
cores_max | holder | down 1 from all_cores | FULL | owner | of=spark
    It works longer.
cores_max | own | up all_cores | SMALL TASKS_STARVED | owner | of=spark
    Others get fewer cores.
executors | own | up all_cores | TASKS_STARVED | owner | of=capacity fair fifo
    | witness=none: only with tasks that never end
    It takes more room.
cores | own | up most_vcores | TASKS_STARVED | owner | of=capacity fair fifo
    | witness=none: only with tasks that never end
    More of its tasks share the memory of an executor.
dynamic.most | own | up all_cores | TASKS_STARVED | owner | of=capacity fair fifo spark
    | witness=none: only with tasks that never end
    It takes more room.
slow_start | holder | up 1 /20 | FULL MAX USER | owner | of=capacity fair fifo mr1
    Its reduces begin to copy later.
slow_start | own | up 1 /20 | FULL MAX USER | owner | of=capacity fair fifo mr1
    | witness=none: a master gives reduces back for its own maps
    Its reduces begin to copy later.
task_timeout | holder | sooner 60000 /1000 from 3600000 free 0 | FULL MAX USER RUN | owner | of=capacity fair fifo mr1
    | witness=none: only with tasks that hang
    Tasks that are silent for so long are begun again.
relax | own | one true | STRICT LABEL | owner | of=capacity fair fifo
    It runs away from its data.
hosts | own | one | STRICT DELAY OTHER_FIRST | owner | blunt | of=capacity fair fifo
    It runs away from its data.
queue | own | one @leaves | HELD RUN REFUSED LABEL NO_NODE | owner | of=capacity fair
    It takes room of the other queue.
queue | own | one @pools | FULL MAX HELD RUN REFUSED | owner | of=mr1-fair mr1-capacity
    It takes slots of the other queue.
priority | own | up 10 | FULL | owner | of=capacity-3.4
    Others of the queue come later.
priority | own | down 0 | REFUSED | owner | of=capacity-3.4 | witness=none: only with a list of who may have priorities
    Others of the queue come before it.
priority | own | up 4 | FULL | owner | of=mr1
    Others come later.
container | holder | down 1 /0 | FULL | owner | of=spark
    Tasks that need the memory fail.
dynamic.least | holder | down 0 | FULL MAX USER | owner | of=capacity fair fifo spark
    It waits for executors when it has work again.
held | holder | down 0 | FULL MAX USER | owner | of=capacity fair fifo
    Its next query waits for containers.
session_timeout | holder | sooner 1 /1 from 3600 | FULL MAX USER AM | owner | of=capacity fair fifo
    Its next query waits for a master.
instances | holder | down 0 | FULL MAX USER | owner | of=capacity fair fifo
    The service does less at a time.
queue | holder | one @leaves | HELD RUN | owner | of=capacity fair mr1-capacity
    It takes room of the other queue.
max_attempts | own | up 10 | LOST | owner | of=capacity fair fifo
    An application that always fails is tried more often.
validity | own | sooner 60 /1 from 86400 | LOST | owner | of=capacity fair fifo
    | witness=none: only with masters that fail hours apart
    A master that fails now and then is tried for ever.
""",
)

MACHINES: Final = tunables(
    "capacity fair fifo spark",
    """
memory | nodes | up node_memory | FULL SMALL AM MAX USER REFUSED CORES_LEFT_OVER | hardware
    Every node is changed.
vcores | nodes | up four_nodes | FULL SMALL AM MAX USER REFUSED TASKS_STARVED | restart | of=spark
    More tasks share the cores of a machine.
vcores | nodes | up four_nodes | FULL SMALL AM MAX USER REFUSED | restart | of=capacity fair fifo
    More containers share the cores of a machine.
scheduler | release | one fair | FULL | restart | blunt | of=fifo capacity-2.7
    Queues are read from another file, and all users share.
scheduler | release | one capacity | FULL | restart | blunt | of=fifo
    | witness=none: only where masters alone fill the nodes
    Queues are read from another file, and masters take a tenth of one at most.
scheduler | release | one mr1-fair | FULL | restart | blunt | of=mr1-fifo
    Every user has a pool, and all users share.
scheduler | release | one 3.4 | HELD RUN DELAY LABEL STRICT | patch | blunt | of=capacity-2.7 fair-2.7
    A release behaves differently in much else.
""",
)

KEYS: Final = {
    "$m": "yarn.resourcemanager.scheduler.monitor.enable",
    "$w": "yarn.resourcemanager.monitor.capacity.preemption.intra-queue-preemption.",
    "$b": "yarn.resourcemanager.monitor.capacity.preemption.preemption-to-balance-queue-after-satisfied.",
    "$p": "yarn.resourcemanager.monitor.capacity.preemption.",
    "$h": "yarn.scheduler.capacity.per-node-heartbeat.",
    "$c": "yarn.scheduler.capacity.",
    "$f": "yarn.scheduler.fair.",
    "$r": "yarn.resourcemanager.",
    "$C": "org.apache.hadoop.yarn.util.resource.",
}
"""Beginnings of keys in the tables."""

FAIR: Final = tunables(
    "fair",
    """
$fpreemption | whole | one true | HELD | restart
    Containers of queues above their share are killed.
$fpreemption | whole | one false | HELD LOST_TO_PREEMPTION | restart
    Queues below their share wait for what others hold.
$fpreemption.cluster-utilization-threshold | whole | down 0 /100 | HELD | restart | needs=$fpreemption=true
    Containers are killed though the cluster is not full.
$fwaitTimeBeforeKill | whole | sooner 0 /1000 | HELD | restart | needs=$fpreemption=true
    Work that would soon have ended is killed.
$fassignmultiple | whole | one true false | FULL PACE | restart
    One node takes many containers at once, or one a heartbeat.
$fmax.assign | whole | one -1 | PACE FULL | restart | needs=$fassignmultiple=true | of=fair-2.7
    One node takes many containers at once.
$fmax.assign | whole | one -1 | PACE FULL | restart | needs=$fassignmultiple=true, $fdynamic.max.assign=false
    | of=fair-3.4
    One node takes many containers at once.
$flocality.threshold.node | whole | one -1.0 | DELAY OTHER_FIRST | restart
    | witness=none: only for a round of heartbeats
    More tasks run away from their data.
$flocality.threshold.rack | whole | one -1.0 | DELAY OTHER_FIRST | restart
    | witness=none: only for a round of heartbeats
    More tasks run away from their data.
$flocality-delay-node-ms | whole | one -1 | DELAY | restart | witness=none: only with continuous scheduling
    More tasks run away from their data.
$flocality-delay-rack-ms | whole | one -1 | DELAY | restart | witness=none: only with continuous scheduling
    More tasks run away from their data.
$fsizebasedweight | whole | one true false | FULL | restart
    Shares follow the sizes of applications, or not.
$fuser-as-default-queue | whole | one false true | REFUSED MAX RUN AM FULL | restart
    Applications that name no queue go elsewhere.
$fallow-undeclared-pools | whole | one true | REFUSED MAX RUN AM FULL | restart
    Any name of a queue makes one.
schedlab.reservation.rule | whole | one limited off strict | FULL | patch
    No release has it as a setting; containers larger than most wait longer.
$freservable-nodes | whole | up 1 /100 | FULL | restart | of=fair-3.4
    One application may reserve more nodes.
yarn.scheduler.reservation-threshold.increment-multiple | whole | up 16 | FULL | restart | of=fair-3.4
    Small containers reserve no node.
maxResources | queue | up all_resources | MAX USER AM REFUSED | refresh
    The queue may take what others do not use.
maxResources | others | down all_resources | FULL | refresh
    The other queue may no longer take what others leave idle.
maxChildResources | queue | up all_resources | MAX USER AM | refresh | of=fair-3.4
    Queues that the file does not name may take what others do not use.
queueMaxResourcesDefault | root | up all_resources | MAX REFUSED | refresh | of=fair-3.4
    Every queue may take what others do not use.
maxContainerAllocation | queue | up all_resources | REFUSED | refresh | of=fair-3.4
    Larger containers are taken; they are harder to place.
maxRunningApps | queue | up apps | RUN | refresh
    More applications share the queue.
maxRunningApps | user | up apps | RUN | refresh
    The user may run more applications.
queueMaxAppsDefault | root | up apps | RUN | refresh
    More applications share every queue.
userMaxAppsDefault | root | up apps | RUN | refresh
    Every user may run more applications.
queueMaxAMShareDefault | root | up 1 /100 free -1.0 | AM | refresh
    Masters of every queue may take the room their containers need.
queueMaxAMShareDefault | root | down 0.01 /100 from 1.0 | FULL MAX | refresh
    | witness=none: only where masters alone fill the nodes
    Fewer applications run at a time in every queue.
maxRunningApps | leaf | down 1 from apps | FULL MAX | refresh
    Fewer applications run at a time.
maxAMShare | leaf | up 1 /100 free -1.0 | AM | refresh
    Masters may take the room their containers need.
maxAMShare | leaf | down 0.01 /100 from 1.0 | FULL MAX | refresh
    Fewer applications run at a time.
minResources | queue | up all_resources | FULL AM | refresh
    The queue comes before all that have their minimum.
minResources | others | down all_resources | FULL AM | refresh
    The other queue comes before fewer.
weight | queue | up 1000 /10 | FULL AM | refresh
    Queues beside it have less.
fairSharePreemptionTimeout | queue | sooner 1 /1 from 3600 | HELD | refresh | needs=$fpreemption=true
    Containers of other queues are killed sooner.
minSharePreemptionTimeout | queue | sooner 1 /1 from 3600 | HELD | refresh | needs=$fpreemption=true
    Containers of other queues are killed sooner.
fairSharePreemptionThreshold | queue | up 1 /100 | HELD | refresh | needs=$fpreemption=true
    The queue counts as starved sooner.
fairSharePreemptionTimeout | others | up 3600 | LOST_TO_PREEMPTION | refresh
    | witness=none: only where much is preempted, again and again
    The other queue waits longer for its share.
minSharePreemptionTimeout | others | up 3600 | LOST_TO_PREEMPTION | refresh
    | witness=none: only where much is preempted, again and again
    The other queue waits longer for its minimum.
allowPreemptionFrom | queue | one false | LOST_TO_PREEMPTION | refresh | of=fair-3.4
    | witness=none: only where much is preempted, again and again
    Other queues wait for what this one has beyond its share.
allowPreemptionFrom | others | one true | HELD | refresh | needs=$fpreemption=true | of=fair-3.4
    The other queue loses containers.
schedulingPolicy | leaf | one fair fifo drf | FULL AM REFUSED | refresh
    The order of all applications in the queue changes.
weight | leaf | one 1.0 | REFUSED | refresh | witness=none: only of a queue that is not there
    The queue is made, and has a share.
aclSubmitApps | queue | one @user | REFUSED | refresh
    The user may submit there.
""",
    KEYS,
)

RESOURCE_MANAGER: Final = tunables(
    "capacity fair",
    """
yarn.scheduler.minimum-allocation-mb | whole | down 1 /0 | FULL SMALL AM MAX USER | restart | of=capacity fair fifo
    More and smaller containers run on a node.
yarn.scheduler.minimum-allocation-mb | whole | down 1 /0 | FULL SMALL AM MAX USER | restart | of=fair
    | needs=yarn.scheduler.increment-allocation-mb=256
    More and smaller containers run on a node.
yarn.scheduler.minimum-allocation-vcores | whole | down 1 | FULL SMALL MAX USER | restart | of=capacity fair fifo
    More and smaller containers run on a node.
yarn.scheduler.minimum-allocation-vcores | whole | down 1 | FULL SMALL MAX USER | restart | of=fair
    | needs=yarn.scheduler.increment-allocation-vcores=1
    More and smaller containers run on a node.
yarn.scheduler.increment-allocation-mb | whole | down 1 /0 | FULL SMALL AM MAX | restart | of=fair
    More and smaller containers run on a node.
yarn.scheduler.increment-allocation-vcores | whole | down 1 | FULL SMALL MAX | restart | of=fair
    More and smaller containers run on a node.
yarn.resource-types.memory-mb.increment-allocation | whole | down 1 /0 | FULL SMALL AM MAX | restart | of=fair-3.4
    | witness=none: only where it is stated
    More and smaller containers run on a node.
yarn.resource-types.vcores.increment-allocation | whole | down 1 | FULL SMALL MAX | restart | of=fair-3.4
    | witness=none: only where it is stated
    More and smaller containers run on a node.
yarn.scheduler.maximum-allocation-mb | whole | up largest_node | REFUSED | restart | of=capacity fair fifo
    | refreshed=capacity-3.4
    Larger containers are taken; they are harder to place.
yarn.scheduler.maximum-allocation-vcores | whole | up most_vcores | REFUSED | restart | of=capacity fair fifo
    | refreshed=capacity-3.4
    Containers of more vcores are taken; they are harder to place.
yarn.scheduler.maximum-allocation-mb | whole | down 1024 from largest_ask | NODE_RESERVED | restart
    Larger asks are refused.
$rrecovery.enabled | whole | one true | LOST AWAY | restart | of=capacity fair fifo
    A ResourceManager starts more slowly.
$rwork-preserving-recovery.enabled | whole | one true false | LOST AWAY | restart | of=capacity fair fifo
    | needs=$rrecovery.enabled=true | witness=none: masters that begin again ask for as much as they lost
    A ResourceManager that starts takes running containers over.
$rwork-preserving-recovery.scheduling-wait-ms | whole | sooner 0 /1000 | AWAY | restart | of=capacity fair fifo
    The first to ask gets what nodes not yet back hold.
yarn.nm.liveness-monitor.expiry-interval-ms | whole | sooner 1 /1000 | AWAY | restart | of=capacity fair fifo
    | witness=none: who has containers on a silent node asks for nothing before they are lost
    A node that is slow to answer counts as lost.
yarn.am.liveness-monitor.expiry-interval-ms | whole | sooner 1 /1000 | AWAY LOST FULL MASTER_HANGS | restart
    | of=capacity fair fifo
    A master that is slow to answer counts as lost.
$ram.max-attempts | whole | up 10 | LOST | restart | of=capacity fair fifo
    Applications that always fail are tried more often.
yarn.nodemanager.recovery.enabled | whole | one true | LOST | restart | of=capacity-3.4 fair-3.4
yarn.nodemanager.recovery.enabled | whole | one true | LOST | restart | of=capacity-2.7 fair-2.7 fifo
    | witness=none: an attempt that goes with its node is begun again
""",
    KEYS,
)
