"""Reads the configuration of a standalone Spark cluster, and finds what starves or blocks applications there.

Source: Utils#getPropertiesFromFile, Utils#memoryStringToMb, ConfigBuilder#checkValue, WorkerArguments, Master#schedule,
Master#canLaunchExecutor, StandaloneSchedulerBackend, ExecutorAllocationManager#validateSettings, Spark 4.0.1.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from engine.errors import Problem, close_matches, quoted
from engine.formats.finding import Finding, NodeSizes, found_at
from engine.formats.hadoop_configuration import HadoopConfiguration
from engine.formats.traces.spark_properties import executor_mb, in_mb, in_ms, master_mb
from engine.settings.known import misspelt
from engine.settings.site import MAXIMA, NODE_MEMORY
from engine.settings.spark import (
    CORES_MAX,
    DEFAULT_CORES,
    DYNAMIC,
    EXECUTOR_INSTANCES,
    EXECUTOR_RETRIES,
    MAX_DRIVERS,
    MAX_EXECUTORS,
    OF_APPLICATIONS,
    SPARK,
    STREAMING_DYNAMIC,
)
from engine.units import format_duration, plural

SPARK_FILES: Final = ("spark-defaults.conf", "spark-env.sh")
WORKER_MEMORY: Final = "SPARK_WORKER_MEMORY"
WORKER_CORES: Final = "SPARK_WORKER_CORES"
_SIZES: Final = (("spark.executor", "1g", "executor"), ("spark.driver", "1g", "driver"))
"""Beginning of the keys of a size, its memory by default, and what it is of."""
_MEMORY_KEYS: Final = ("spark.executor.memory", "spark.driver.memory", WORKER_MEMORY)
_VARIABLES: Final = {
    "spark.executor.memory": "SPARK_EXECUTOR_MEMORY",
    "spark.executor.cores": "SPARK_EXECUTOR_CORES",
    "spark.driver.memory": "SPARK_DRIVER_MEMORY",
}
"""Property → the variable that counts where it is not stated. Source: SparkSubmitArguments, Spark 4.0.1."""
_TASK_CPUS: Final = "spark.task.cpus"
_KNOWN: Final = frozenset({*SPARK.whole, *OF_APPLICATIONS})
_UNKNOWN: Final = "unknown key: Spark ignores it"
_LONG_IDLE_S: Final = 600  # Keeping idle executors longer than this is warned of [s]

_PROPERTY: Final = re.compile(r"[ \t\f]*([^#!\s:=][^\s:=]*)[ \t\f]*[:=]?[ \t\f]*(.*?)\s*$")
_VARIABLE: Final = re.compile(r"\s*(?:export\s+)?(SPARK_\w+)=(.*?)\s*$")
_OPTION: Final = re.compile(r"-D(spark\.[\w.]+)=([^\s\"']+)")
_FORMS: Final = {
    "text": (re.compile(".*"), ""),
    "count": (re.compile(r"[+-]?\d+"), "a whole number"),
    "memory": (re.compile(r"\d+([kmgtp]b?|b)?", re.IGNORECASE), "an amount of memory, e.g. 4g"),
    "factor": (re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?[df]?", re.IGNORECASE), "a number"),
    "flag": (re.compile(r"true|false", re.IGNORECASE), "true or false"),
    "time": (re.compile(r"-?\d+(us|ms|s|m|min|h|d)?", re.IGNORECASE), "a time, e.g. 60s"),
}
"""How a value of each kind is written, and what it is called. Source: JavaUtils#byteStringAs, #timeStringAs."""


_RECOVERY: Final = "spark.deploy.recoveryMode"
_ZOOKEEPERS: Final = "spark.deploy.zookeeper.url"
_RECOVERIES: Final = ("NONE", "FILESYSTEM", "ZOOKEEPER", "ROCKSDB", "CUSTOM")
_CHOICES: Final = {"spark.scheduler.mode": ("FIFO", "FAIR", "NONE")}
"""What a key may be, in letters of any case. Source: SchedulingMode."""


def is_spark_text(text: str) -> bool:
    """Tell whether a text is a spark-defaults.conf, which begins with a key of Spark, or a spark-env.sh."""
    said = [line for line in text.splitlines() if line.strip() and line.lstrip()[0] not in "#!"]
    return any(_VARIABLE.match(line) for line in said) or bool(said and said[0].lstrip().startswith("spark."))


def read_spark(files: Iterable[tuple[str, str]]) -> HadoopConfiguration:
    """The properties and variables of files (name, text), with the place of each; of two of one name the last."""
    values: dict[str, str] = {}
    places: dict[str, tuple[str, int]] = {}
    for name, text in files:
        for number, line in enumerate(text.splitlines(), 1):
            for key, value in _stated(line):
                values[key], places[key] = value, (name, number)
    return HadoopConfiguration(values, values, places, frozenset(), ())


def _stated(line: str) -> Iterator[tuple[str, str]]:
    if line.lstrip()[:1] in ("", "#", "!"):
        return
    variable = _VARIABLE.match(line)
    if variable is not None:
        yield variable[1], variable[2].strip("\"'")
        yield from _OPTION.findall(variable[2])
    elif (found := _PROPERTY.match(line)) is not None and found[1].startswith("spark."):
        yield found[1], found[2]


def spark_problems(name: str, text: str) -> Iterator[tuple[Problem, bool]]:
    """Each problem of a value alone, and whether Spark refuses it."""
    seen: dict[str, int] = {}
    lines = [(line, *each) for line, said in enumerate(text.splitlines(), 1) for each in _stated(said)]
    for line, key, value in lines:
        if key in seen:
            yield Problem(f"given again; line {seen[key]} has no effect", name, line, key), False
        seen[key] = line
        if expected := _refusal(key, value):
            yield Problem(f"{quoted(value)} is not {expected}", name, line, key), True
        elif hint := _meant(key):
            yield Problem(_UNKNOWN, name, line, key, hint), False
    for line, said in enumerate(text.splitlines(), 1):
        found = _PROPERTY.match(said)
        if name.endswith(".conf") and (variable := _VARIABLE.match(said)):
            yield Problem(_UNKNOWN, name, line, variable[1], "it is a variable, for spark-env.sh"), False
        elif name.endswith(".conf") and found is not None and found[1] == "export":
            yield Problem(_UNKNOWN, name, line, found[2].partition("=")[0], "leave out export"), False
        if found is not None and f"spark.{found[1]}" in _KNOWN:
            yield Problem(_UNKNOWN, name, line, found[1], f"did you mean spark.{found[1]}?"), False


def _refusal(key: str, value: str) -> str:
    if "$" in value:  # only a shell or Spark knows what it becomes
        return ""
    if entry := SPARK.whole.get(key):
        try:
            _ = entry.kind.read(value, SPARK.default(entry.key))
        except ValueError:
            return entry.kind.words
    if key in _CHOICES and value.upper() not in _CHOICES[key]:
        return f"a choice: {', '.join(_CHOICES[key])}"
    form, words = _FORMS[OF_APPLICATIONS.get(key, "text")]
    return "" if form.fullmatch(value) else words


def _meant(key: str) -> str:
    if key in _KNOWN:
        return ""
    family = next((each for each in (DYNAMIC, STREAMING_DYNAMIC) if key.startswith(each)), "")
    if family:
        names = [each.removeprefix(family) for each in OF_APPLICATIONS if each.startswith(family)]
        if meant := close_matches(key.removeprefix(family), names):
            return f"did you mean {family}{meant[0]}?"
    return misspelt(key, (*OF_APPLICATIONS, *SPARK.whole))


class _Worker(NamedTuple):  # The largest one, or the largest container; 0 where not told
    memory_mb: int
    cores: int
    all_cores: int
    memory_key: str = WORKER_MEMORY
    has: tuple[str, str] = ("a worker has", "a worker has")  # What has so much memory, and so many cores


_OTHER_MANAGERS: Final = ("yarn", "k8s", "mesos", "local")  # How their `spark.master` begins
_OF_OTHERS: Final = ("spark.yarn.", "spark.kubernetes.", "spark.mesos.")  # How keys begin that only they read


def _container(node: _Worker, site: HadoopConfiguration) -> _Worker:
    """The largest container that is given: of a node, or what a ResourceManager lets an application ask for."""
    sizes, has, enlarged = [node.memory_mb, node.cores], ["a node has", "a node has"], NODE_MEMORY.name
    for place, key in enumerate(MAXIMA):
        text = site.values.get(key.name, "")
        if text.isdecimal() and not 0 < sizes[place] <= int(text):
            sizes[place], has[place] = int(text), "a container has at most"
            enlarged = enlarged if place else key.name
    return _Worker(sizes[0], sizes[1], node.all_cores, enlarged, (has[0], has[1]))


class SparkLint:
    def __init__(self, settings: HadoopConfiguration, nodes: Sequence[NodeSizes], site: HadoopConfiguration) -> None:
        """Look at the settings of Spark; `site` are those of Hadoop beside them."""
        self._settings, self._values = settings, settings.values
        self._key_of = {
            key: name for key, name in _VARIABLES.items() if key not in self._values and name in self._values
        }
        memory_mb = self._memory_mb(WORKER_MEMORY) or max((node.memory_mb for node in nodes), default=0)
        cores = self._whole(WORKER_CORES) or max((node.vcores for node in nodes), default=0)
        workers = sum(node.nodes for node in nodes) * (self._whole("SPARK_WORKER_INSTANCES") or 1)
        all_cores = workers * cores if WORKER_CORES in self._values else sum(node.nodes * node.vcores for node in nodes)
        self._worker = _Worker(memory_mb, cores, all_cores)
        if not self._is_standalone:
            self._worker = _container(self._worker, site)

    def findings(self) -> Iterator[Finding]:
        for prefix, memory, what in _SIZES:
            if what == "executor" or self._values.get("spark.submit.deployMode") == "cluster":
                yield from self._too_large(prefix, memory, what)
        yield from self._tasks()
        if self._values.get(WORKER_CORES) == "0":
            message = "0: a worker without cores gets no executor and no driver"
            yield self._found("executor-above-worker", WORKER_CORES, message, "1 or more")
        if self._is_standalone:
            yield from self._units()
            yield from self._maximum()
            yield from self._executors_above_maximum()
        yield from self._dynamic()
        yield from self._of_the_master()

    @property
    def _is_standalone(self) -> bool:
        """Tell whether a Master gives the executors; other cluster managers read other keys."""
        master = self._values.get("spark.master", "")
        return not master.startswith(_OTHER_MANAGERS) and (
            bool(master) or not any(key.startswith(_OF_OTHERS) for key in self._values)
        )

    def _found(self, rule: str, key: str, message: str, fix: str, **values: float) -> Finding:
        return found_at(self._settings, rule, key, message, fix, **values)

    def _whole(self, key: str) -> int:
        text = self._values.get(self._key_of.get(key, key), "")
        return int(text) if text.isdecimal() else 0

    def _memory_mb(self, key: str, otherwise: str = "") -> int:
        text = self._values.get(self._key_of.get(key, key), otherwise)
        return in_mb(text, "b" if self._is_standalone else "m") or 0

    def _seconds(self, key: str) -> float:
        return (in_ms(self._values.get(key, "")) or 0) / 1000

    def _is_on(self, key: str) -> bool:
        return self._values.get(key, "").lower() == "true"

    def _units(self) -> Iterator[Finding]:
        for key in _MEMORY_KEYS:
            text = self._values.get(key, "")
            if text.isdecimal() and not self._memory_mb(key):
                message = f"{text} without a unit is bytes, so it is 0 MB: nothing starts with it"
                yield self._found("memory-without-unit", key, message, f"{text}m")

    def _tasks(self) -> Iterator[Finding]:
        is_one = self._values.get("spark.master", "").startswith(("yarn", "k8s"))
        cores = self._whole("spark.executor.cores") or (self._worker.cores if self._is_standalone else int(is_one))
        wanted = self._whole(_TASK_CPUS)
        if 0 < cores < wanted:
            message = f"a task takes {wanted} cores, and an executor has {cores}: no task ever starts"
            yield self._found("task-above-executor", _TASK_CPUS, message, f"spark.executor.cores of {wanted} or more")

    def _too_large(self, prefix: str, memory: str, what: str) -> Iterator[Finding]:
        worker, rule = self._worker, f"{what}-above-worker"
        memory_key, cores_key = f"{prefix}.memory", f"{prefix}.cores"
        heap_mb, cores = self._memory_mb(memory_key, memory), self._whole(cores_key)
        container_mb = executor_mb if what == "executor" else master_mb
        wanted_mb = heap_mb if self._is_standalone else container_mb({**self._values, memory_key: f"{heap_mb}m"})
        overhead_mb = wanted_mb - heap_mb
        if 0 < worker.memory_mb < wanted_mb:
            name = self._key_of.get(memory_key, memory_key)
            stated = name in self._values
            key = name if stated else worker.memory_key
            by = "" if stated else f" ({memory_key} by default)"
            by = f" ({overhead_mb} MB of it beside the heap)" if overhead_mb else by
            message = (
                f"one {what} takes {wanted_mb} MB{by}, and {worker.has[0]} {worker.memory_mb} MB: none ever starts"
            )
            unit = "m" if self._is_standalone else ""
            least = f"{worker.memory_key} of {wanted_mb}{unit} or more"
            heap = f"{name} of {worker.memory_mb - overhead_mb}m or less, or " if worker.memory_mb > overhead_mb else ""
            yield self._found(rule, key, message, f"{heap}{least}")
        if 0 < worker.cores < cores:
            name = self._key_of.get(cores_key, cores_key)
            message = f"one {what} takes {cores} cores, and {worker.has[1]} {worker.cores}: none ever starts"
            yield self._found(rule, name, message, f"{name} of {worker.cores} or less")

    def _maximum(self) -> Iterator[Finding]:
        key = next((each for each in (CORES_MAX, DEFAULT_CORES.name) if each in self._values), "")
        most, step = self._whole(key), self._whole("spark.executor.cores")
        if 0 < most < step:
            message = f"{plural(most, 'core')} at most, and one executor takes {step}: none ever starts"
            yield self._found("maximum-below-executor", key, message, f"{key} of {step} or more")
        elif most and step and most % step:
            verb = "is" if most % step == 1 else "are"
            message = (
                f"{most % step} of {most} cores {verb} never given: an executor takes {step} (spark.executor.cores)"
            )
            yield self._found("cores-left-over", key, message, f"a multiple of {step}, e.g. {most - most % step}")
        is_dynamic = self._is_on(f"{DYNAMIC}enabled") and MAX_EXECUTORS in self._values
        of_spark = [each for each in self._values if each.startswith(("spark.", "SPARK_"))]
        if of_spark and not key and not is_dynamic:
            message = (
                f"neither {CORES_MAX} nor {DEFAULT_CORES} is stated: an application takes every core there is, and all"
                " after it wait until it ends"
            )
            fix = f"{CORES_MAX} of each application, or {DEFAULT_CORES} of the Master"
            yield self._found("cores-unlimited", of_spark[0], message, fix)

    def _executors_above_maximum(self) -> Iterator[Finding]:
        most = self._whole(CORES_MAX) // (self._whole("spark.executor.cores") or 1)
        keys = [f"{family}{which}Executors" for family in (DYNAMIC, STREAMING_DYNAMIC) for which in ("min", "max")]
        is_on = any(self._is_on(f"{family}enabled") for family in (DYNAMIC, STREAMING_DYNAMIC))
        wanted = [(self._whole(key), key) for key in keys if is_on and 0 < most < self._whole(key)]
        for count, key in wanted[:1]:
            message = f"{count} executors, and {CORES_MAX} lets an application have {most}"
            yield self._found("executors-above-maximum", key, message, f"{CORES_MAX} of more, or {key} of {most}")

    def _dynamic(self) -> Iterator[Finding]:
        if not self._is_on(f"{DYNAMIC}enabled"):
            if self._is_standalone and EXECUTOR_INSTANCES in self._values:
                message = "a standalone Master does not read it: an application gets executors up to its cores"
                key = EXECUTOR_INSTANCES
                yield self._found("instances-ignored", key, message, f"{CORES_MAX} and spark.executor.cores")
            return
        least, most = (self._whole(f"{DYNAMIC}{each}Executors") for each in ("min", "max"))
        step = self._whole("spark.executor.cores")
        if 0 < most < least:
            message = f"{least} executors at least, and {most} at most: no application starts"
            yield self._found("least-above-most", f"{DYNAMIC}minExecutors", message, f"at most {most}")
        counts = {key: self._whole(key) for key in (f"{DYNAMIC}initialExecutors", EXECUTOR_INSTANCES)}
        first = max(counts, key=counts.__getitem__)
        if not self._is_standalone and 0 < most < counts[first]:
            message = f"{counts[first]} executors at first, and {most} at most: no application starts"
            yield self._found("least-above-most", first, message, f"at most {most}")
        if not step and self._is_standalone:
            message = (
                "without spark.executor.cores each executor takes all free cores of a worker, however few tasks wait"
            )
            yield self._found("executors-of-whole-workers", f"{DYNAMIC}enabled", message, "spark.executor.cores=1")
        cores_each = step or (self._worker.cores if self._is_standalone else 1)
        if 0 < self._worker.all_cores <= least * cores_each:
            message = f"{least} executors are kept while idle, and have all {self._worker.all_cores} cores: others wait"
            yield self._found("least-fills-cluster", f"{DYNAMIC}minExecutors", message, "0, the default")
        yield from self._kept()
        keeps = ("spark.shuffle.service.enabled", f"{DYNAMIC}shuffleTracking.enabled")
        if not any(map(self._is_on, keeps)):
            message = "without a shuffle service or shuffle tracking Spark before 3.4 refuses to start an application"
            fix = f"{keeps[0]}=true, also of the Workers, or {keeps[1]}=true"
            yield self._found("no-shuffle-service", f"{DYNAMIC}enabled", message, fix)

    def _kept(self) -> Iterator[Finding]:
        key = f"{DYNAMIC}executorIdleTimeout"
        idle_s = self._seconds(key)
        if idle_s > _LONG_IDLE_S:
            message = f"an executor without work is kept for {format_duration(int(idle_s * 1000))}: others wait for it"
            yield self._found("idle-executors-kept", key, message, "60s, the default")
        key = f"{DYNAMIC}cachedExecutorIdleTimeout"
        if key not in self._values:
            message = f"{key} is not stated: an executor with cached blocks is kept for ever"
            yield self._found("cached-executors-kept", f"{DYNAMIC}enabled", message, f"{key}=30min")

    def _of_the_master(self) -> Iterator[Finding]:
        mode, count = self._values.get(_RECOVERY, "NONE"), self._whole("SPARK_WORKER_INSTANCES")
        if mode.upper() not in _RECOVERIES:
            message = f"{quoted(mode)} is no way to recover: a Master that starts again knows no application"
            yield self._found("nothing-recovered", _RECOVERY, message, ", ".join(_RECOVERIES))
        elif mode.upper() == "ZOOKEEPER" and _ZOOKEEPERS not in self._values:
            message = f"{_ZOOKEEPERS} is not stated: no Master starts"
            yield self._found("no-recovery", _RECOVERY, message, f"{_ZOOKEEPERS}=host:2181")
        missing = [key for key in (WORKER_CORES, WORKER_MEMORY) if key not in self._values]
        if count > 1 and missing:
            message = f"{count} workers of a machine, and no {' and no '.join(missing)}: each offers all of the machine"
            yield self._found("workers-share-cores", "SPARK_WORKER_INSTANCES", message, f"{missing[0]} of each worker")
        key = EXECUTOR_RETRIES.name
        if self._values.get(key, "").startswith("-"):
            message = "negative: an application whose executors always fail is never ended, and starts them for ever"
            yield self._found("failing-for-ever", key, message, "10, the default")
        has_drivers = self._is_standalone and self._values.get("spark.submit.deployMode") == "cluster"
        if has_drivers and MAX_DRIVERS.name not in self._values:
            message = (
                f"drivers run on workers and {MAX_DRIVERS} is not stated: many at once take every core, and none gets"
                " an executor"
            )
            fix = f"{MAX_DRIVERS} of the Master, below the cores of all workers"
            yield self._found("drivers-unlimited", "spark.submit.deployMode", message, fix)
