"""A change of one value from the start of a scenario: where it stands, what it is set to, how an operator writes it.

Source: YarnCommands.md, NodeManager.md and the usage of ApplicationCLI and RMAdminCLI, Hadoop 2.7.2 and 3.4.1;
AdminService#updateNodeResource, RMNodeImpl.ReconnectNodeTransition, Hadoop 2.7.2; JobClient, Hadoop 1.2.1;
org.apache.spark.deploy.Client and MasterWebUI, Spark 3.5.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple
from xml.sax.saxutils import escape

import msgspec

from engine.control_plane.job_tracker_parts import priority_named
from engine.explain.counterfactuals import Ask
from engine.explain.remedy_trial import Delay
from engine.model.java_values import INT_MAX
from engine.model.request import DIMENSIONS
from engine.observe.snapshots import queue_word, terms_for
from engine.scenario import acts
from engine.scenario.acts import SetQueueSetting, SetSetting
from engine.scenario.scenario import family_of, system_of
from engine.settings.capacity import MAXIMUM_PRIORITY, MONITORS
from engine.settings.capacity_scheduler import NODE_LABELS, PREFIX
from engine.settings.fair import PREEMPTION
from engine.settings.mapreduce1 import PREEMPTION as TASK_PREEMPTION
from engine.settings.mapreduce1 import SLOTS, TASK_SCHEDULER, TASK_SCHEDULERS, TASKS_PREFIX
from engine.settings.mapreduce1 import SLOW_START as OLD_SLOW_START
from engine.settings.site import (
    FULL_DISK,
    NODE_MEMORY,
    NODE_RECOVERY,
    NODE_VCORES,
    SCHEDULER_CLASS,
    SCHEDULER_CLASSES,
    SLOW_START,
)
from engine.settings.spark import CORES_MAX, DYNAMIC_ENABLED, EXECUTOR_INSTANCES, MAX_EXECUTORS, SUPERVISE, heap_within
from engine.settings.table import LABELS
from engine.settings.tunable_yarn import TAKES, Ladder, Takes, Tunable, Where


class ValuePlace(msgspec.Struct, frozen=True):
    """The place of a value; which of its fields count follows from `Where`."""

    path: str = ""  # Of a queue or pool; the name of a user
    label: str = ""  # Of a partition
    spec: int = -1  # Index of the application in the workload
    alike: tuple[int, ...] = ()  # Indices of others that have the same value, which changes with its own
    name: str = ""  # Of the application, with the number of applications alike
    kind: str = ""  # Type of the application
    tasks: tuple[int, ...] = ()  # Of a MapReduce job whose tasks are made smaller: the size of its maps, and of reduces


NOWHERE: Final = ValuePlace()  # The place of what holds for the whole scheduler, all nodes or the release


class Change(msgspec.Struct, frozen=True):
    """One value set from the start on."""

    key: str
    where: Where
    place: ValuePlace
    value: str
    before: str  # Empty where nothing states it
    takes: Takes
    risk: str
    scheduler: str  # Name of the scheduler it is for
    is_blunt: bool = False  # As of `Tunable`
    keeps_idle: bool = False  # As of `Tunable`

    @property
    def family(self) -> str:
        """`capacity`, `fair`, `fifo`, `spark` or `mr1`."""
        return family_of(self.scheduler)

    @property
    def has_xml_file(self) -> bool:
        is_fair = self.family == "fair" or self.scheduler == "mr1-fair"
        return is_fair and self.where in ("queue", "leaf", "others", "user", "root")

    @property
    def written_as(self) -> tuple[tuple[str, str], ...]:
        """Each property that is written, and its value now; where tasks are made smaller, the value of the largest."""
        if not self.place.tasks:
            return ((self.property, self.before),)
        names = zip(_OF_TASKS[self.family == "mr1", self.key], self.place.tasks, strict=False)
        return tuple((name, str(size)) for name, size in names if not self.value or size > int(self.value))

    @property
    def property(self) -> str:
        """The whole key of a property; of an allocation file the element; of an application what its owner sets."""
        key, path = self.key, self.place.path
        match self.where:
            case "partition":
                return f"{PREFIX}{path}.{LABELS}.{self.place.label}.{key}"
            case "user" if self.family == "capacity":
                return f"{PREFIX}user.{path}.{key}"
            case "root" if self.family == "capacity":
                return f"{PREFIX}root.{key}"
            case "queue" | "leaf" | "others" if self.family == "capacity":
                return f"{PREFIX}{path}.{key}"
            case "queue" | "leaf" | "others" if self.scheduler == "mr1-capacity":
                return f"{TASKS_PREFIX}queue.{path}.{key}"
            case "own" | "holder" if self.place.tasks:
                return " and ".join(name for name, _ in self.written_as)
            case "own" | "holder":
                whose = (self.scheduler, self.family, self.place.kind, "")
                return next((_OF_OWNERS[each, key] for each in whose if (each, key) in _OF_OWNERS), key)
            case "nodes":
                return _OF_NODES.get((self.family, key), key)
        return key


_OF_NODES: Final[Mapping[tuple[str, str], str]] = {
    **{(family, "memory"): NODE_MEMORY.name for family in ("capacity", "fair", "fifo")},
    **{(family, "vcores"): NODE_VCORES.name for family in ("capacity", "fair", "fifo")},
    ("spark", "memory"): "SPARK_WORKER_MEMORY",
    ("spark", "vcores"): "SPARK_WORKER_CORES",
}
"""(family of the scheduler, field of a node) → what an operator sets."""

PRIORITY: Final = "mapred.job.priority"

_OF_OWNERS: Final[Mapping[tuple[str, str], str]] = {
    ("mapreduce", "master"): "yarn.app.mapreduce.am.resource.mb",
    ("mapreduce", "master_cores"): "yarn.app.mapreduce.am.resource.cpu-vcores",
    ("mapreduce", "slow_start"): SLOW_START,
    ("mapreduce", "task_timeout"): "mapreduce.task.timeout",
    ("mapreduce", "queue"): "mapreduce.job.queuename",
    ("spark", "container"): "spark.executor.memory",
    ("spark", "cores"): "spark.executor.cores",
    ("spark", "master"): "spark.driver.memory",
    ("spark", "master_cores"): "spark.driver.cores",
    ("spark", "executors"): EXECUTOR_INSTANCES,
    ("spark", "dynamic"): DYNAMIC_ENABLED,
    ("spark", "dynamic.most"): MAX_EXECUTORS,
    ("spark", "dynamic.backlog"): "spark.dynamicAllocation.schedulerBacklogTimeout",
    ("spark", "dynamic.idle"): "spark.dynamicAllocation.executorIdleTimeout",
    ("spark", "dynamic.cached"): "spark.dynamicAllocation.cachedExecutorIdleTimeout",
    ("spark", "dynamic.shuffled"): "spark.dynamicAllocation.shuffleTracking.timeout",
    ("spark", "dynamic.least"): "spark.dynamicAllocation.minExecutors",
    ("spark", "max_attempts"): "spark.yarn.maxAppAttempts",
    ("spark", "validity"): "spark.yarn.am.attemptFailuresValidityInterval",
    ("spark", "queue"): "spark.yarn.queue",
    ("spark-standalone", "driver"): "spark.driver.memory",
    ("spark-standalone", "driver_cores"): "spark.driver.cores",
    ("spark-standalone", "deploy_mode"): "spark.submit.deployMode",
    ("spark-standalone", "supervise"): SUPERVISE,
    ("spark-standalone", "cores_max"): CORES_MAX,
    ("mr1", "priority"): PRIORITY,
    ("mr1", "queue"): "mapred.job.queue.name",
    ("mr1", "slow_start"): str(OLD_SLOW_START),
    ("mr1", "task_timeout"): "mapred.task.timeout",
    ("mr1-fair", "queue"): "mapred.fairscheduler.pool",
    ("tez", "container"): "tez.task.resource.memory.mb",
    ("tez", "cores"): "tez.task.resource.cpu.vcores",
    ("tez", "master"): "tez.am.resource.memory.mb",
    ("tez", "master_cores"): "tez.am.resource.cpu.vcores",
    ("tez", "held"): "tez.am.session.min.held-containers",
    ("tez", "session_timeout"): "tez.session.am.dag.submit.timeout.secs",
    ("tez", "max_attempts"): "tez.am.max.app.attempts",
    ("tez", "queue"): "tez.queue.name",
    ("mapreduce", "max_attempts"): "mapreduce.am.max-attempts",
    ("", "container"): "the memory of a container",
    ("", "cores"): "the vcores of a container",
    ("", "master"): "the memory of the application master",
    ("", "master_cores"): "the vcores of the application master",
    ("", "relax"): "relaxLocality",
    ("", "hosts"): "the hosts asked for",
    ("", "queue"): "the queue",
    ("", "priority"): "the priority",
    ("", "instances"): "the number of instances",
    ("", "max_attempts"): "the most attempts",
    ("", "validity"): "attemptFailuresValidityInterval",
}
"""(scheduler, family of schedulers or type of application, field) → the property that an owner sets."""

_OF_TASKS: Final[Mapping[tuple[bool, str], tuple[str, str]]] = {
    (False, "container"): ("mapreduce.map.memory.mb", "mapreduce.reduce.memory.mb"),
    (False, "cores"): ("mapreduce.map.cpu.vcores", "mapreduce.reduce.cpu.vcores"),
    (True, "container"): ("mapred.job.map.memory.mb", "mapred.job.reduce.memory.mb"),
}
"""(of MapReduce 1, field) → the properties of the sizes of maps and reduces."""

_SHUFFLE: Final = " --conf spark.shuffle.service.enabled=true, with the shuffle service on every node"

_OTHERWISE: Final[Mapping[tuple[str, str], str]] = {
    ("spark", "dynamic"): _SHUFFLE,
    ("spark-standalone", "dynamic"): _SHUFFLE,
    ("spark", "master"): " (in client mode spark.yarn.am.memory)",
    ("tez", "container"): " (Hive reads hive.tez.container.size)",
}
"""(type of application, field) → what goes with it, or counts instead where it is submitted otherwise."""

NO_LIMIT: Final = str(INT_MAX)


class Candidate(NamedTuple):
    """A value that may be varied, at one place."""

    tunable: Tunable
    place: ValuePlace
    before: str  # Empty where nothing states it
    values: tuple[str, ...]  # The least change first; of a list of choices in no order of effect
    scheduler: str

    def change(self, value: str) -> Change:
        row = self.tunable
        before = "" if self.before == NO_LIMIT else self.before
        return Change(
            key=row.key,
            where=row.where,
            place=self.place,
            value=value,
            before=before,
            takes=row.takes,
            risk=row.risk,
            scheduler=self.scheduler,
            is_blunt=row.is_blunt,
            keeps_idle=row.keeps_idle,
        )

    @property
    def is_ordered(self) -> bool:
        """Tell whether a later value does more of the same."""
        return isinstance(self.tunable.vary, Ladder)


_CLASSES: Final[Mapping[str, tuple[str, str]]] = {
    "fair": (SCHEDULER_CLASS.name, SCHEDULER_CLASSES["fair"]),
    "capacity": (SCHEDULER_CLASS.name, SCHEDULER_CLASSES["capacity"]),
    "mr1": (TASK_SCHEDULER, TASK_SCHEDULERS[0]),
}
"""Family of a scheduler that may be chosen instead → the property and its class."""


def changes_sentence(changes: Sequence[Change]) -> str:
    """Write changes that belong together.

    >>> a = Change("maxRunningApps", "queue", ValuePlace("root.a"), "2", "1", "refresh", "", "fair-2.7")
    >>> changes_sentence([a])
    'set maxRunningApps of root.a to 2 (now 1)'
    """
    return ", and ".join(_sentence(each) for each in changes)


def _sentence(change: Change) -> str:
    place, value = change.place, written_value(change) or "nothing"
    now = _now_words(change)
    match change.where:
        case "queue" | "leaf" | "others":
            what = f"{change.key} of {place.path}"
        case "partition":
            what = f"{change.key} of {place.path} in the partition {place.label}"
        case "user":
            what = f"{change.key} of user {place.path}"
        case "own" | "holder" if change.key == "queue":
            given = "" if change.property == "the queue" else f": {change.property}={value}"
            return f"submit {place.name} to {queue_word(change.scheduler)} {value}{given}"
        case "own" | "holder":
            what = f"{change.property} of {place.name}"
        case "nodes":
            what = f"{change.property} of every {terms_for(DIMENSIONS[system_of(change.scheduler)]).node}"
        case "root" if change.family == "capacity":
            what = f"{change.key} of root"
        case "whole" if change.key == NODE_LABELS:
            what = "add the node label" if _is_added(change) else "let all use idle nodes of the label"
            return f"{what} {_new_label(change)}{now}"
        case "release":
            return f"run {value} in place of {change.before}"
        case _:
            what = change.key
    return f"set {what} to {value}{now}"


def _now_words(change: Change) -> str:
    """The value now; of a heap the containers, as it is them that are known."""
    if _is_heap(change):
        return f" ({change.value} MB with overhead, now {change.before} MB)"
    now = " and ".join(dict.fromkeys(with_unit(change, before) for _, before in change.written_as))
    return f" (now {now})" if now else ""


def change_of(act: SetQueueSetting | SetSetting, scheduler: str) -> Change:
    """An act on a running cluster as the change that an operator writes."""
    where: Where = "queue" if isinstance(act, SetQueueSetting) else "whole"
    place = ValuePlace(act.queue) if isinstance(act, SetQueueSetting) else NOWHERE
    return Change(act.key, where, place, act.value, "", "refresh", "", scheduler)


def written_value(change: Change) -> str:
    """The value as it is written: Spark takes some times without a unit for ms, and memory for bytes.

    Source: Utils#memoryStringToMb, WorkerArguments#checkWorkerMemory, Spark 4.0.1.
    """
    return with_unit(change, str(heap_within(int(change.value))) if _is_heap(change) else change.value)


def _is_heap(change: Change) -> bool:
    """Tell whether a container of Spark's on YARN is changed: its owner states the heap, and overhead is added."""
    return change.place.kind == "spark" and change.key in ("container", "master")


def with_unit(change: Change, value: str) -> str:
    """A value of a change with the unit of its property, or the name of a priority; empty for none."""
    if change.property == PRIORITY and value:
        return priority_named(int(value))
    unit = next((unit for ending, unit in _UNITS.items() if change.property.endswith(ending)), "")
    return f"{value}{unit}" if value else value


_UNITS: Final[Mapping[str, str]] = {
    "ValidityInterval": "s",
    "IdleTimeout": "s",
    "BacklogTimeout": "s",
    "shuffleTracking.timeout": "s",
    "executor.memory": "m",
    "driver.memory": "m",
    "SPARK_WORKER_MEMORY": "m",
}
"""Ending of a property that needs a unit, or is written with one → the unit of our number."""


def takes_of(changes: Sequence[Change]) -> Takes:
    """What the last of some changes takes."""
    return max((each.takes for each in changes), key=TAKES.index)


def _new_label(change: Change) -> str:
    """The label that is written otherwise than before; a change is of one."""
    (label,) = set(change.value.split(",")) - set(change.before.split(","))
    return label


def _is_added(change: Change) -> bool:
    return change.value.count(",") > change.before.count(",") or not change.before


def written_lines(change: Change) -> list[str]:
    """The file of a change and the lines to write there, or what its owner gives; nothing of a release."""
    if change.takes == "owner":
        flag = {"spark": "--conf", "mapred": "-D", "mapreduce": "-D", "tez": "-D", "yarn": "-D"}
        option = flag.get(change.property.partition(".")[0])
        otherwise = _OTHERWISE.get((change.place.kind, change.key), "")
        given = " ".join(f"{option} {name}={written_value(change)}" for name, _ in change.written_as)
        return [f"given at submission: {given}{otherwise}"] if option else []
    if change.where == "release":
        if family_of(change.value) == change.family:
            return []
        name, value = _CLASSES[family_of(change.value)]
        return [f"{file_of(change)}: <property><name>{name}</name><value>{value}</value></property>"]
    if change.key == NODE_LABELS:
        text = _new_label(change)
        label, add = text.partition("(")[0], f'yarn rmadmin -addToClusterNodeLabels "{text}"'
        if _is_added(change):
            return [add]
        return [
            f"yarn rmadmin -removeFromClusterNodeLabels {label}",
            add,
            f'yarn rmadmin -replaceLabelsOnNode "HOST={label}" for each of its nodes',
        ]
    if change.has_xml_file:
        return [f"{'pools file' if change.family == 'mr1' else 'fair-scheduler.xml'}: {_element(change)}"]
    if change.family == "spark":
        name = "spark-env.sh" if change.where == "nodes" else "spark-defaults.conf of the Master"
        return [f"{name}: {change.property}{'=' if change.where == 'nodes' else ' '}{written_value(change)}"]
    name, value = escape(change.property), escape(change.value)
    return [f"{file_of(change)}: <property><name>{name}</name><value>{value}</value></property>"]


def file_of(change: Change) -> str:
    """The file in which a property stands."""
    if change.scheduler.startswith("mr1"):
        return "capacity-scheduler.xml" if change.property.startswith(TASKS_PREFIX) else "mapred-site.xml"
    return "capacity-scheduler.xml" if change.property.startswith(PREFIX) else "yarn-site.xml"


def _element(change: Change) -> str:
    value = f"<{change.key}>{escape(change.value)}</{change.key}>"
    if change.where == "root":
        return value
    if change.where == "user":
        return f'<user name="{escape(change.place.path)}">{value}</user>'
    tag = queue_word(change.scheduler)
    names = change.place.path.split(".")
    names = names[1:] if names[0] == "root" and len(names) > 1 else names
    opening = "".join(f'<{tag} name="{escape(name)}">' for name in names)
    return f"{opening}{value}{f'</{tag}>' * len(names)}"


def after_words(changes: Sequence[Change]) -> str:
    """What to run once some changes are written."""
    takes, first = takes_of(changes), changes[0]
    if takes == "owner":
        has_several = any(change.place.alike for change in changes)
        return "their owners submit them so" if has_several else "its owner submits it so"
    if takes == "patch":
        return "takes another release or a patch, and a restart"
    if takes == "hardware":
        is_spark = first.family == "spark"
        return "then restart the Workers, on machines that have it" if is_spark else "takes machines with more"
    if first.family == "spark":
        return f"then restart the {'Workers' if all(each.where == 'nodes' for each in changes) else 'Master'}"
    if first.scheduler.startswith("mr1"):
        refreshed = "hadoop mradmin -refreshQueues" if first.scheduler == "mr1-capacity" else ""
        restart = "restart the TaskTrackers" if first.key in map(str, SLOTS) else "restart the JobTracker"
        own = refreshed or "wait until the file is read again, within 15 s"
        return f"then {restart if takes == 'restart' else own}"
    if takes == "restart":
        is_of_nodes = all(each.where == "nodes" for each in changes)
        return f"then restart the {'NodeManagers' if is_of_nodes else 'ResourceManager'}"
    if first.family == "fair":
        return "then wait until the file is read again, within 10 s"
    if first.key == NODE_LABELS:
        return "counts at once"
    if first.key == MAXIMUM_PRIORITY.name:
        return "then yarn rmadmin -refreshClusterMaxPriority"
    return "then yarn rmadmin -refreshQueues"


# How an operator does an act on a real cluster: the commands to run, or the lines of a file to write.

_ADMINISTRATION: Final = "ResourceManagerAdministrationProtocol"
_REFUSED_LABEL: Final = (
    "refused where yarn.node-labels.configuration-type is distributed: there write it into yarn-site.xml of {host}:"
    " yarn.nodemanager.node-labels.provider.configured-node-partition"
)
"""Source: NodeLabelsUtils#verifyCentralizedNodeLabelConfEnabled, ConfigurationNodeLabelsProvider, Hadoop 3.4.1."""
_EXCLUDE_PATH: Final = "yarn.resourcemanager.nodes.exclude-path"
_EXCLUDED: Final = "write {host} into the file of {key}"


def act_lines(act: acts.Act, host: str, scheduler: str) -> list[str]:
    """What to run or to write, in order, ended by what makes it count; nothing where no release can do it.

    Args:
        act: Its application is an id.
        host: Host of the node that it is done to.
    """
    if isinstance(act, acts.SetQueueSetting | acts.SetSetting | acts.SetPreemption):
        change = _switch(act, scheduler) if isinstance(act, acts.SetPreemption) else change_of(act, scheduler)
        return [*written_lines(change), after_words([change])]
    if scheduler == "spark":
        return _of_a_master(act)
    return _of_a_job_tracker(act, host) if scheduler.startswith("mr1") else _of_yarn(act, host, scheduler)


def _switch(act: acts.SetPreemption, scheduler: str) -> Change:
    takes: Takes = "refresh" if scheduler == "capacity-3.4" else "restart"
    value = str(act.on).lower()
    return Change(SWITCHES.get(family_of(scheduler), ""), "whole", NOWHERE, value, "", takes, "", scheduler)


SWITCHES: Final = {"capacity": MONITORS.everywhere, "fair": PREEMPTION.everywhere, "mr1": TASK_PREEMPTION.everywhere}
"""Family of schedulers → the setting that switches preemption on."""


def _of_yarn(act: acts.Act, host: str, scheduler: str) -> list[str]:
    is_old = not scheduler.endswith("3.4")
    match act:
        case acts.KillApplication(application=name):
            return [f"yarn application -kill {name}"]
        case acts.KillContainer():
            return ["on its node: kill -9 the process of the application master"]
        case acts.MoveApplication(application=name, queue=queue):
            return [f"yarn application -movetoqueue {name} -queue {queue}"]
        case acts.SetPriority(application=name, priority=priority):
            return [f"yarn application -updatePriority {priority} -appId {name}"]
        case acts.RestartResourceManager():
            return ["yarn-daemon.sh start resourcemanager" if is_old else "yarn --daemon start resourcemanager"]
    return _of_a_node(act, host, is_old=is_old)


def _of_a_node(act: acts.Act, host: str, *, is_old: bool) -> list[str]:
    match act:
        case acts.ReturnNode(also=also):
            start = "yarn-daemon.sh start nodemanager" if is_old else "yarn --daemon start nodemanager"
            host += f" or one of {len(also)} more" if also else ""
            included = f"where {host} is in the file of {_EXCLUDE_PATH}, take it out, then yarn rmadmin -refreshNodes"
            return [included, f"where no NodeManager runs on {host}, there {start}"]
        case acts.SetHealth(node=node, also=also):
            more = f" and {len(also)} more of `yarn node -list -states UNHEALTHY`" if also else ""
            mend = f"on {host}{more}: free full disks, or mend what it reports"
            return [
                f"yarn node -status {node} tells what it reports; {mend}",
                f"a disk counts as full above {FULL_DISK} (90 % by default)",
            ]
        case acts.DrainNode():
            excluded = _EXCLUDED.format(host=host, key=_EXCLUDE_PATH)
            return [excluded, "yarn rmadmin -refreshNodes" + ("" if is_old else " -g -client")]
        case acts.LabelNode(partition=label):
            return [f'yarn rmadmin -replaceLabelsOnNode "{host}={label}"', _REFUSED_LABEL.format(host=host)]
        case acts.ResizeNode(node=node, memory_mb=memory_mb, vcores=vcores) if is_old:
            # The ResourceManager of 2.7 can be asked to, but `yarn rmadmin` has the command only from 2.8 on.
            return [
                f"call {_ADMINISTRATION}#updateNodeResource for {node}: {memory_mb} MB, {vcores} vcores",
                f"or write into yarn-site.xml of {host}: {NODE_MEMORY} {memory_mb}, {NODE_VCORES} {vcores}",
                f"and restart its NodeManager: its containers end, uncounted, unless {NODE_RECOVERY}",
            ]
        case acts.ResizeNode(node=node, memory_mb=memory_mb, vcores=vcores):
            return [f"yarn rmadmin -updateNodeResource {node} {memory_mb} {vcores}"]
    return []


def _of_a_job_tracker(act: acts.Act, host: str) -> list[str]:
    match act:
        case acts.KillApplication(application=name):
            return [f"hadoop job -kill {name}"]
        case acts.SetPriority(application=name, priority=priority):
            return [f"hadoop job -set-priority {name} {priority_named(priority)}"]
        case acts.ReturnNode(also=also):
            more = f" and {len(also)} more" if also else ""
            return [f"on {host}{more}: hadoop-daemon.sh start tasktracker"]
        case acts.SetHealth(also=also):
            more = f" and {len(also)} more" if also else ""
            return [f"on {host}{more}: mend what the script of mapred.healthChecker.script.path says"]
        case acts.DrainNode():
            return [_EXCLUDED.format(host=host, key="mapred.hosts.exclude"), "hadoop mradmin -refreshNodes"]
        case acts.RestartJobTracker():
            return ["hadoop-daemon.sh start jobtracker"]
    return []


def _of_a_master(act: acts.Act) -> list[str]:
    match act:
        case acts.KillApplication(application=name) if str(name).startswith("driver"):
            return [f"spark-class org.apache.spark.deploy.Client kill spark://MASTER:7077 {name}"]
        case acts.KillApplication(application=name):
            return [f"curl -d 'id={name}&terminate=true' http://MASTER:8080/app/kill/"]
        case acts.ReturnNode(also=also):
            return [f"on {'each of these machines' if also else 'its machine'}: start-worker.sh spark://MASTER:7077"]
    return []


class StartRemedy(NamedTuple):
    """Changes that end a wait."""

    changes: tuple[Change, ...]
    starts: tuple[tuple[Ask, int], ...]
    """Each ask that gains, and when it has what it waited for [epoch ms]; the soonest first."""
    given: int = 0  # Of a limit: containers that the asks hold more than at the instant asked about, `GIVEN_MS` later
    refused: int = 0  # Submissions and requests refused, and applications failed, that were not without it
    lost_ms: int = 0  # Run time of containers killed that were not without it [container ms]
    lost_containers: int = 0
    delays: tuple[Delay, ...] = ()
    until_ms: int = 0
    is_judged: bool = False  # True once its harm is known
    is_last: bool = False  # True if one of them is given one container alone, as of `Trial`
    is_alive: bool = False  # True if an application that was lost still runs at the end of the play
    is_stated: bool = False  # True if a file states what it changes: a default is seldom the mistake
    has_all: bool = False  # True if `starts` are of the last container that each ask wants, not of the next one
    ends_well: bool = False  # True if `starts` are of the ends of applications, or they run on with all they ask for
    is_now: bool = False  # True if it ends this wait when it is set at the instant; `starts` and its harm are of that

    @property
    def harm_s(self) -> int:
        """The harm it does, as of `Trial.harm_s` [s]."""
        return (self.lost_ms + sum(each.by_ms for each in self.delays)) // 1000

    def rank(self) -> tuple[int, ...]:
        takes, last_ms = TAKES.index(takes_of(self.changes)), self.starts[-1][1]
        wide = sum(each.where in ("whole", "root", "nodes") for each in self.changes)
        is_blunt = any(each.is_blunt for each in self.changes)
        harm_s, count = self.harm_s, len(self.changes)
        change = (harm_s // 60, count, not self.is_stated, wide, harm_s, last_ms)
        is_used = not any(each.keeps_idle for each in self.changes)
        own = (-len(self.starts), is_blunt or self.is_last, is_used, *change)
        return (self.refused > 0, not self.is_judged, takes, not self.is_now, *own)


class Asked(NamedTuple):
    """Whose wait is to end."""

    targets: tuple[Ask, ...]  # Asks of live applications; of one that is not there its number with no priority
    gone: int | None = None  # Number of an application that was refused or lost, or whose tasks wait for its own cores
