"""The formats of traces, of which the first that fits is taken, and what anything else is called.

Source: schema.txt of cluster-trace-v2018.
"""

import hashlib
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import islice
from math import ceil
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from engine.errors import ConfigError, nearest, shortened
from engine.formats.regular_files import STANDARD_INPUT
from engine.formats.traces import batch_logs as sacct
from engine.formats.traces import cluster_tables as google
from engine.formats.traces import mr1_history, timeline_history
from engine.formats.traces import resource_manager_answers as answers
from engine.formats.traces.application import MappingRules, TraceApplication, TraceNode, TraceTasks, ratio, whole, words
from engine.formats.traces.batch_logs import read_swf, read_swim
from engine.formats.traces.json_objects import JsonShape, shape_of
from engine.formats.traces.mr1_history import is_job_configuration, read_job_history
from engine.formats.traces.other_files import name_of
from engine.formats.traces.parsing import Columns, Row, rows, seconds_ms
from engine.formats.traces.report import ImportedFile, ImportReport
from engine.formats.traces.rm_log import read_rm_logs, timeline_of
from engine.formats.traces.rm_timeline import IS_LOG, ResourceManagerTimeline
from engine.formats.traces.sls import read_rumen, read_sls, read_sls_nodes, read_synth
from engine.formats.traces.source import Progressed, TraceSource
from engine.formats.traces.spark_event_log import TracePieces, put_together, read_spark_event_log

# Alibaba's batch tables of 2018 (cluster-trace-v2018): `batch_task`, and the machines of `machine_meta`.
#
# A job asks for the instances of each of its tasks when the task began, so that what depended on what follows from the
# instants. All instances of a task run as long as the task did.

TASKS: Final = (
    rb"[^,\n]*,[\d.]*,j_\d+,[^,\n]*,[A-Z][a-z]+,[\d.]*,[\d.]*,[\d.]*,[\d.]*\r?\n"
    rb"|(?i:(?=[^\n]*job.?name)(?=[^\n]*instance.?num)(?=[^\n]*start.?time)[^\n]*task.?name)"
)
MACHINES: Final = rb"m_\d+,\d*,[^,\n]*,[^,\n]*,\d*,[\d.]*,[A-Z]+\r?\n|(?i:machine.?id,[^\n]*cpu.?num,\s*mem.?size)"

_TASK: Final = Columns(
    ("taskname", "instancenum", "jobname", "tasktype", "status", "starttime", "endtime", "plancpu", "planmem")
)
_MACHINE: Final = Columns(("machineid", "timestamp", "failuredomain1", "failuredomain2", "cpunum", "memsize", "status"))
AT: Final = "its first task began; what it depended on is not in the table"
EACH: Final = "every instance runs as long as its task did, at least a second"
TO_END: Final = "duration of what has not ended: to the last instant of the table"
NOT_STARTED: Final = "tasks that never started"
BACKWARDS: Final = "tasks that end before they start"
WHOLE: Final = 100.0  # Memory is a percentage of the largest machine's, and so are processors of one


def _read_alibaba_tasks(sources: Sequence[TraceSource], rules: MappingRules) -> Iterator[TraceApplication]:
    # In the order of their first tasks
    report = sources[0].report
    report.machine_size = rules.machine_mb, rules.machine_vcores
    jobs: dict[str, list[tuple[int, int | None, int, int, int, str]]] = {}
    last_ms = 0
    for source in sources:
        for number, row in rows(source, _TASK):
            count, job = whole(row.get("instancenum"), 1, 10_000_000), row.get("jobname")
            begin_ms, end_ms = seconds_ms(row.get("starttime")), seconds_ms(row.get("endtime")) or None
            last_ms = max(last_ms, begin_ms or 0, end_ms or 0)
            if not job:
                source.fault("a task has a job_name", number)
            elif not begin_ms or row.get("status") in ("Waiting", "Ready"):
                report.drop(NOT_STARTED)
            elif count is None:
                source.fault("a task that started has an instance_num", number)
            elif end_ms is not None and end_ms < begin_ms:
                report.drop(BACKWARDS)
            else:
                task = begin_ms, end_ms, count, *_size(row, rules), words(row.get("status"))
                jobs.setdefault(job, []).append(task)
    for job, tasks in sorted(jobs.items(), key=lambda each: min(task[0] for task in each[1])):
        first_ms = min(task[0] for task in tasks)
        inferred = {"arrival": AT, "duration": EACH, "memory and vcores": rules.machine_rule}
        if any(end_ms is None for _, end_ms, *_ in tasks):
            inferred["end"] = TO_END
        yield TraceApplication(
            id=words(job),
            name=words(job),
            submitted_ms=first_ms,
            finished_ms=max(last_ms if task[1] is None else task[1] for task in tasks),
            tasks=tuple(
                TraceTasks(
                    "container",
                    count,
                    (max(1000, (last_ms if end_ms is None else end_ms) - begin_ms),),
                    memory_mb,
                    vcores,
                    at_ms=begin_ms - first_ms,
                )
                for begin_ms, end_ms, count, memory_mb, vcores, _ in sorted(tasks, key=lambda task: task[0])
            ),
            state=next((state for *_, state in tasks if state != "Terminated"), "Terminated"),
            has_master=False,
            inferred=inferred,
        )


def _size(row: Row, rules: MappingRules) -> tuple[int, int]:
    part = ratio(row.get("planmem"), WHOLE)
    cores = ratio(row.get("plancpu"), WHOLE * 10_000)
    memory_mb = rules.container_mb if part is None else max(1, ceil(part / WHOLE * rules.machine_mb))
    return memory_mb, rules.container_vcores if cores is None else max(1, ceil(cores / WHOLE))


def _read_alibaba_machines(source: TraceSource, rules: MappingRules) -> None:
    source.report.note(rules.machine_rule)
    for number, row in rows(source, _MACHINE):
        host, cores = words(row.get("machineid")), whole(row.get("cpunum"), 1, 100_000)
        part = ratio(row.get("memsize"), WHOLE)
        if not host or cores is None or part is None:
            source.fault("a machine has a machine_id, a cpu_num and a mem_size", number)
        else:
            source.report.add_node(TraceNode(host, None, max(1, int(part / WHOLE * rules.machine_mb)), cores))


# Selects a part of a trace and changes it on the way: queues renamed, time scaled, names hidden.

OUTSIDE = "applications outside the stretch asked for"


class TracePart(msgspec.Struct, frozen=True):
    """Which applications are taken, and how they are changed."""

    first: int | None = None  # Only so many, in the order of the files; None takes all
    between_ms: tuple[int, int] | None = None
    """Only those submitted from the one to before the other, counted from the first submission read."""
    queues: dict[str, str] = {}  # Queue of the trace → queue of the scenario; others keep theirs
    time_scale: float = 1.0  # Arrivals come so many times later; how long things run stays
    is_anonymous: bool = False  # Whether users, queues, applications and hosts get other names, the same for the same

    def of(self, applications: Iterable[TraceApplication], report: ImportReport) -> Iterator[TraceApplication]:
        taken = applications if self.first is None else islice(applications, self.first)
        first_ms: int | None = None
        mapped = set[str]()
        for each in taken:
            mapped.add(each.queue or "")
            first_ms = each.submitted_ms if first_ms is None else first_ms
            after_ms = each.submitted_ms - first_ms
            if self.between_ms is not None and not self.between_ms[0] <= after_ms < self.between_ms[1]:
                report.drop(OUTSIDE)
                continue
            yield self._changed(each, first_ms)
        for queue in sorted(self.queues.keys() - mapped):
            report.note(f"no application is in the queue {queue}, which --queue-map names")

    def hide_nodes(self, report: ImportReport) -> None:
        if self.is_anonymous:
            renamed = [msgspec.structs.replace(each, host=hidden("host", host)) for host, each in report.nodes.items()]
            report.nodes = {node.host: node for node in renamed}

    def _changed(self, each: TraceApplication, first_ms: int) -> TraceApplication:
        queue = self.queues.get(each.queue or "", each.queue)
        submitted_ms = first_ms + round((each.submitted_ms - first_ms) * self.time_scale)
        if not self.is_anonymous:
            return msgspec.structs.replace(each, queue=queue, submitted_ms=submitted_ms)
        return msgspec.structs.replace(
            each,
            queue=hidden("queue", queue),
            submitted_ms=submitted_ms,
            user=hidden("user", each.user),
            id=hidden("job", each.id) or "",
            name=hidden("job", each.name) or "",
            tasks=tuple(
                msgspec.structs.replace(tasks, hosts=tuple(hidden("host", host) or "" for host in tasks.hosts))
                for tasks in each.tasks
            ),
        )


def hidden(kind: str, name: str | None) -> str | None:
    """Another name that says nothing, the same for the same; what is empty stays so.

    >>> hidden("user", "ann") == hidden("user", "ann"), hidden("user", "ann") == hidden("user", "bob")
    (True, False)
    """
    if not name:
        return name
    return f"{kind}-{hashlib.sha256(f'{kind}:{name}'.encode()).hexdigest()[:8]}"


class TraceFormat(NamedTuple):
    name: str  # What `--format` calls it
    title: str
    is_this: Callable[[bytes], bool]  # Whether a file that begins so is one
    of: Callable[[Any, MappingRules], Iterator[TraceApplication] | None]
    """Its applications: of one source, or of several where they are together; None where it has machines alone."""
    are_together: bool = False  # Whether all files of the format are one trace; else each is one

    def read(self, sources: Sequence[TraceSource], rules: MappingRules) -> Iterator[TraceApplication]:
        for given in [sources] if self.are_together else sources:
            yield from self.of(given, rules) or ()


def _shaped(is_this: Callable[[JsonShape], object]) -> Callable[[bytes], bool]:
    return lambda head: bool(is_this(shape_of(head)))


def _begins(pattern: bytes) -> Callable[[bytes], bool]:
    compiled = re.compile(pattern)
    return lambda head: compiled.match(head) is not None


def _holds(pattern: re.Pattern[bytes]) -> Callable[[bytes], bool]:
    return lambda head: pattern.search(head) is not None


_NUMBER: Final = rb"-?\d+(?:\.\d+)?"
_SWF: Final = (
    rb"(?:\s*;[^\n]*\n)*\s*(?:" + _NUMBER + rb"[ \t]+){17}" + _NUMBER + rb"|\s*;\s*(?:SWF)?Version:\s*2"
    rb"|id\tsubmit\twait\t"
)
_SPARK: Final = re.compile(rb'"Event"\s*:\s*"(?:[\w.]*SparkListener|DBCEventLogging)')
_RUMEN: Final = frozenset({"mapTasks", "reduceTasks", "otherTasks"})  # Keys of LoggedJob
_SLS: Final = frozenset({"job.tasks", "job.start.ms", "num.nodes", "am.type", "yarn.sls.am.type"})
_SWIM: Final = rb"[^\t\n]+\t\d+\t\d+\t\d+\t\d+\t\d+(?:[\t\r\n]|$)"

NODES: Final = ("rm-nodes", "rm-nodes-xml", "sls-nodes", "openb-nodes", "alibaba-nodes", "google-nodes")
"""Formats of machines alone, which are read first."""
LOGS: Final = "rm-log"
_RESOURCE_MANAGER: Final = re.compile(rb"resourcemanager|\bRM(?:App|Container|Node)Impl\b")
HISTORIES: Final = ("jhist", "mr1-history")  # Formats of the history of a job, whose configuration lies beside it

FORMATS: Final = (
    TraceFormat(
        "jhist",
        "a MapReduce job history",
        lambda head: b"Avro-Json" in head or head.startswith(b"Avro-Binary\n"),
        read_job_history,
    ),
    TraceFormat(
        "mr1-history", "a job history of MapReduce 1", _begins(mr1_history.BEGINNING), mr1_history.read_mr1_history
    ),
    TraceFormat(
        "spark",
        "a Spark event log",
        lambda head: "Event" in shape_of(head).top and _SPARK.search(head) is not None,
        read_spark_event_log,
    ),
    TraceFormat(
        "apps", "applications of a ResourceManager (JSON)", _shaped(answers.is_apps_json), answers.read_apps_json
    ),
    TraceFormat(
        "apps-xml",
        "applications of a ResourceManager (XML)",
        _begins(rb"\s*(?:<\?xml[^>]{0,200}>)?\s*<apps?>"),
        answers.read_apps_xml,
    ),
    TraceFormat("rm-nodes", "nodes of a ResourceManager (JSON)", _shaped(answers.is_nodes_json), answers.read_rm_nodes),
    TraceFormat(
        "rm-nodes-xml",
        "nodes of a ResourceManager (XML)",
        _begins(rb"\s*(?:<\?xml[^>]{0,200}>)?\s*<nodes?>"),
        answers.read_nodes_xml,
    ),
    TraceFormat(
        "synth",
        "a SYNTH description",
        _shaped(lambda shape: "workloads" in shape.top and shape.keys & {"num_jobs", "job_classes"}),
        read_synth,
    ),
    TraceFormat(
        "rumen",
        "a Rumen trace",
        _shaped(lambda shape: shape.top & _RUMEN or ("jobID" in shape.top and "submitTime" in shape.top)),
        read_rumen,
    ),
    TraceFormat("sls", "an SLS trace", _shaped(lambda shape: shape.top & _SLS), read_sls),
    TraceFormat("sls-nodes", "an SLS node file", _shaped(lambda shape: {"rack", "nodes"} <= shape.top), read_sls_nodes),
    TraceFormat("openb", "a table of openb pods", _begins(google.PODS), google.read_openb_pods),
    TraceFormat("openb-nodes", "a table of openb nodes", _begins(google.NODES), google.read_openb_nodes),
    TraceFormat("alibaba", "a batch_task table of Alibaba", _begins(TASKS), _read_alibaba_tasks, are_together=True),
    TraceFormat("alibaba-nodes", "a machine_meta table of Alibaba", _begins(MACHINES), _read_alibaba_machines),
    TraceFormat(
        "google", "a task_events table of Google", _begins(google.TASKS), google.read_google_tasks, are_together=True
    ),
    TraceFormat(
        "google-nodes", "a machine_events table of Google", _begins(google.MACHINES), google.read_google_machines
    ),
    TraceFormat("swim", "a SWIM trace", _begins(_SWIM), read_swim),
    TraceFormat("app-list", "the text of yarn application -list", _holds(answers.LISTS), answers.read_application_list),
    TraceFormat(
        "app-status", "the text of yarn application -status", _holds(answers.REPORT), answers.read_application_reports
    ),
    TraceFormat(
        LOGS,
        "a log of a ResourceManager",
        lambda head: IS_LOG.search(head) is not None and _RESOURCE_MANAGER.search(head) is not None,
        read_rm_logs,
        are_together=True,
    ),
    TraceFormat(
        "ats",
        "history of YARN's timeline server",
        _shaped(lambda shape: timeline_history.ENTITY in shape.keys),
        timeline_history.read_timeline_history,
        are_together=True,
    ),
    TraceFormat("sacct", "a table of Slurm's sacct -P", _begins(sacct.NAMES), sacct.read_sacct),
    TraceFormat("swf", "a log in Standard Workload Format", _begins(_SWF), read_swf),
)

BY_NAME: Final = {each.name: each for each in FORMATS}


def format_of(source: TraceSource, wanted: str | None = None) -> TraceFormat:
    """The format wanted, else the first that fits. Raises ConfigError if there is none, naming what it is."""
    if wanted is not None:
        if wanted not in BY_NAME:
            hint = nearest(wanted, BY_NAME) or f"there is {', '.join(BY_NAME)}"
            raise ConfigError.of(f"there is no format {shortened(wanted)}", key="--format", hint=hint)
        return BY_NAME[wanted]
    while True:
        for each in FORMATS:
            if each.is_this(source.head):
                return each
        if shape_of(source.head).is_whole or not source.look_further():
            break
    if not source.head and source.report.problems:  # nothing can be unpacked
        raise ConfigError(source.report.problems)
    what, hint = name_of(source.head)
    packed = f"{what} packed with {source.packing}" if source.packing else what
    raise ConfigError.of(f"is {packed}, no trace", source.name, hint=hint or f"read are: {', '.join(BY_NAME)}")


# Reads files of traces one after the other, each as what it is, and counts what was read.


def read_traces(
    paths: Sequence[Path],
    report: ImportReport,
    rules: MappingRules | None = None,
    *,
    wanted: str | None = None,
    progressed: Progressed = lambda _read: None,
) -> Generator[TraceApplication, None, None]:
    """The applications of files in order; files that belong together come last.

    `-` is the standard input; `progressed` takes how many bytes of all the files have been read. Raises ConfigError if
    a file cannot be opened, or is no trace; in a folder such files are skipped while there is a trace.
    """
    rules = rules or MappingRules()
    before = 0
    together: dict[str, list[TraceSource]] = {}
    with ExitStack() as stack:
        placed = _placed(paths, wanted, report, stack)
        for form, opened, pieces in sorted(placed, key=lambda each: each[0].name not in NODES):
            total = _behind(before, progressed)
            source = opened or stack.enter_context(TraceSource.of_pieces(pieces.paths, pieces.name, report, total))
            before += source.size
            if form.are_together:
                together.setdefault(form.name, []).append(source)
            else:
                yield from counted(form, form.read([source], rules), source.name, report)
        for name, sources in together.items():
            names = ", ".join(source.name for source in sources)
            yield from counted(BY_NAME[name], BY_NAME[name].read(sources, rules), names, report)


def _placed(
    paths: Sequence[Path], wanted: str | None, report: ImportReport, stack: ExitStack
) -> list[tuple[TraceFormat, TraceSource | None, TracePieces]]:
    # What else lies in a folder that was named is skipped, and told of. Raises ConfigError if a file that was named is
    # no trace, or a folder holds none
    placed, alone = [], list[ConfigError]()
    for pieces in put_together(paths):
        try:
            placed.append((*_recognised(pieces, wanted, report, stack), pieces))
        except ConfigError as error:
            if is_job_configuration(pieces.paths[0]):
                report.configurations.append(pieces.paths[0])
                alone.append(error)
            elif not pieces.is_found:
                raise
            else:
                report.skipped += error.problems
    if alone and not any(form.name in HISTORIES for form, _, _ in placed):
        raise alone[0]
    if not placed:
        raise ConfigError(report.skipped)
    return placed


def _recognised(
    pieces: TracePieces, wanted: str | None, report: ImportReport, stack: ExitStack
) -> tuple[TraceFormat, TraceSource | None]:
    # The source too where it cannot be opened again; raises ConfigError if it is no trace
    if STANDARD_INPUT in pieces.paths:
        source = stack.enter_context(TraceSource.of_pieces(pieces.paths, pieces.name, report))
        return format_of(source, wanted), source
    with TraceSource.of_pieces(pieces.paths, pieces.name, ImportReport()) as source:
        return format_of(source, wanted), None


def trace_format(path: Path, *, is_needed: bool = False) -> str:
    """The name of a file's format; empty for none. Raises ConfigError if one is needed, or it cannot be opened."""
    with TraceSource.of_file(path, ImportReport()) as source:
        try:
            return format_of(source).name
        except ConfigError:
            if is_needed:
                raise
            return ""


def read_timeline(
    paths: Sequence[Path], report: ImportReport, *, progressed: Progressed = lambda _read: None
) -> ResourceManagerTimeline:
    """Return what the rotated files of one log say, in whichever order they are named.

    A path `-` is the standard input; `progressed` takes how many bytes of all the files have been read. Raises
    ConfigError if a file cannot be opened, or is no log.
    """
    before = 0
    with ExitStack() as stack:
        sources: list[TraceSource] = []
        for path in paths:
            source = stack.enter_context(TraceSource.of_file(path, report, _behind(before, progressed)))
            before += source.size
            form = format_of(source)
            if form.name != LOGS:
                raise ConfigError.of(f"is {form.title}, no log of a ResourceManager", source.name)
            sources.append(source)
        return timeline_of(sources)


def _behind(before: int, progressed: Progressed) -> Progressed:  # Of one file on top of those before it
    return lambda read: progressed(before + read)


def counted(
    form: TraceFormat, applications: Iterable[TraceApplication], name: str, report: ImportReport
) -> Iterator[TraceApplication]:
    """The applications as they pass, counted in the report."""
    applications_before, tasks_before = report.applications, report.tasks
    try:
        for application in applications:
            report.count(application)
            yield application
    finally:  # also where only some of them are taken
        read = report.applications - applications_before, report.tasks - tasks_before
        report.files.append(ImportedFile(name, form.name, *read))
