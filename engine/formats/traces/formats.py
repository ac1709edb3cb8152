"""The formats of traces: how each is recognised by its content, and what anything else is called.

A table: a row for each format, the first that fits is taken.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from engine.errors import ConfigError, Problem, nearest, shortened
from engine.formats.traces import alibaba, application_list, google, mr1_history, openb, sacct, timeline_history
from engine.formats.traces.application import TraceApplication
from engine.formats.traces.job_history import read_job_history
from engine.formats.traces.json_shape import NO_JSON, JsonShape, shape_of
from engine.formats.traces.resource_manager_log import read_rm_logs
from engine.formats.traces.rm_apps_json import read_apps_json
from engine.formats.traces.rm_log_lines import IS_LOG
from engine.formats.traces.rules import MappingRules
from engine.formats.traces.sls import read_rumen, read_sls, read_sls_nodes
from engine.formats.traces.source import TraceSource
from engine.formats.traces.spark_event_log import read_spark_event_log
from engine.formats.traces.swf import read_swf
from engine.formats.traces.swim import read_swim
from engine.formats.traces.synth import read_synth

Reader = Callable[[Sequence[TraceSource], MappingRules], Iterator[TraceApplication]]


class TraceFormat(NamedTuple):
    """One format."""

    name: str
    """What `--format` calls it."""
    title: str
    is_this: Callable[[bytes], bool]
    """Whether a file that begins so is one."""
    read: Reader
    are_together: bool = False
    """Whether all files of the format are one trace; else each is one."""


def _one_by_one(read: Callable[[TraceSource, MappingRules], Iterator[TraceApplication]]) -> Reader:
    return lambda sources, rules: (each for source in sources for each in read(source, rules))


def _shaped(is_this: Callable[[JsonShape], object]) -> Callable[[bytes], bool]:
    return lambda head: bool(is_this(shape_of(head)))


def _begins(pattern: bytes) -> Callable[[bytes], bool]:
    compiled = re.compile(pattern)
    return lambda head: compiled.match(head) is not None


_NUMBER: Final = rb"-?\d+(?:\.\d+)?"
_SWF: Final = (
    rb"(?:\s*;[^\n]*\n)*\s*(?:" + _NUMBER + rb"[ \t]+){17}" + _NUMBER + rb"|\s*;\s*(?:SWF)?Version:\s*2"
    rb"|id\tsubmit\twait\t"
)
_SPARK: Final = re.compile(rb'"Event"\s*:\s*"(?:[\w.]*SparkListener|DBCEventLogging)')
_RUMEN: Final = frozenset({"mapTasks", "reduceTasks", "otherTasks"})
"""Keys of LoggedJob."""
_SLS: Final = frozenset({"job.tasks", "job.start.ms", "num.nodes", "am.type", "yarn.sls.am.type"})
_SWIM: Final = rb"[^\t\n]+\t\d+\t\d+\t\d+\t\d+\t\d+(?:[\t\r\n]|$)"

NODES: Final = ("sls-nodes", "openb-nodes", "alibaba-nodes", "google-nodes")
"""Formats of machines alone, which are read first."""
LOGS: Final = "rm-log"
HISTORIES: Final = ("jhist", "mr1-history")
"""Formats of the history of a job, whose configuration lies beside it."""

FORMATS: Final = (
    TraceFormat(
        "jhist",
        "a MapReduce job history",
        lambda head: b"Avro-Json" in head or head.startswith(b"Avro-Binary\n"),
        _one_by_one(read_job_history),
    ),
    TraceFormat(
        "mr1-history",
        "a job history of MapReduce 1",
        _begins(mr1_history.BEGINNING),
        _one_by_one(mr1_history.read_mr1_history),
    ),
    TraceFormat(
        "spark",
        "a Spark event log",
        lambda head: "Event" in shape_of(head).top and _SPARK.search(head) is not None,
        _one_by_one(read_spark_event_log),
    ),
    TraceFormat(
        "apps",
        "applications of a ResourceManager (JSON)",
        _shaped(lambda shape: shape.top & {"apps", "app"}),
        _one_by_one(read_apps_json),
    ),
    TraceFormat(
        "synth",
        "a SYNTH description",
        _shaped(lambda shape: "workloads" in shape.top and shape.keys & {"num_jobs", "job_classes"}),
        _one_by_one(read_synth),
    ),
    TraceFormat(
        "rumen",
        "a Rumen trace",
        _shaped(lambda shape: shape.top & _RUMEN or ("jobID" in shape.top and "submitTime" in shape.top)),
        _one_by_one(read_rumen),
    ),
    TraceFormat(
        "sls",
        "an SLS trace",
        _shaped(lambda shape: shape.top & _SLS),
        _one_by_one(read_sls),
    ),
    TraceFormat(
        "sls-nodes",
        "an SLS node file",
        _shaped(lambda shape: {"rack", "nodes"} <= shape.top),
        _one_by_one(read_sls_nodes),
    ),
    TraceFormat("openb", "a table of openb pods", _begins(openb.PODS), _one_by_one(openb.read_openb_pods)),
    TraceFormat("openb-nodes", "a table of openb nodes", _begins(openb.NODES), _one_by_one(openb.read_openb_nodes)),
    TraceFormat(
        "alibaba",
        "a batch_task table of Alibaba",
        _begins(alibaba.TASKS),
        alibaba.read_alibaba_tasks,
        are_together=True,
    ),
    TraceFormat(
        "alibaba-nodes", "a machine_meta table of Alibaba", _begins(alibaba.MACHINES), alibaba.read_alibaba_machines
    ),
    TraceFormat(
        "google", "a task_events table of Google", _begins(google.TASKS), google.read_google_tasks, are_together=True
    ),
    TraceFormat(
        "google-nodes", "a machine_events table of Google", _begins(google.MACHINES), google.read_google_machines
    ),
    TraceFormat("swim", "a SWIM trace", _begins(_SWIM), _one_by_one(read_swim)),
    TraceFormat(
        "app-list",
        "the text of yarn application -list",
        lambda head: application_list.LISTS.search(head) is not None,
        _one_by_one(application_list.read_application_list),
    ),
    TraceFormat(
        LOGS,
        "a log of a ResourceManager",
        lambda head: IS_LOG.search(head) is not None and b"resourcemanager" in head,
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
    TraceFormat("sacct", "a table of Slurm's sacct -P", _begins(sacct.NAMES), _one_by_one(sacct.read_sacct)),
    TraceFormat("swf", "a log in Standard Workload Format", _begins(_SWF), _one_by_one(read_swf)),
)

BY_NAME: Final = {each.name: each for each in FORMATS}

_OTHERS: Final = (
    (alibaba.INSTANCES, "a batch_instance table of Alibaba", "the batch_task table is read"),
    (google.JOBS, "a job_events table of Google", "the task_events table is read"),
    (rb"BZh", "a bzip2 file", "unpack it: bzip2 -dc FILE | schedlab import -"),
    (rb"\xfd7zXZ", "an xz file", "unpack it: xz -dc FILE | schedlab import -"),
    (rb"PK\x03\x04", "a ZIP archive", "unpack it first"),
    (rb"PAR1", "a Parquet file", "write it as one of the formats read"),
    (rb"Obj\x01", "an Avro file", "a job history is read where it is written as Avro-Json"),
    (rb"ORC", "an ORC file", "write it as one of the formats read"),
    (rb"SEQ[\x04-\x06]", "a Hadoop SequenceFile", ""),
    (rb"SQLite format 3", "an SQLite database", ""),
    (rb"\x1f\x8b", "a gzip file", "unpack it once"),
    (rb"\x7fELF", "a program", ""),
    (rb"\x89PNG|GIF8|\xff\xd8\xff", "a picture", ""),
    (rb"%PDF", "a PDF document", ""),
    (rb"(?i)\s*<!doctype html|\s*<html", "HTML", "is it the page of a login?"),
    (rb"(?s)\s*<\?xml.{0,4000}<configuration|\s*<configuration", "a Hadoop configuration", "schedlab config FILE"),
    (rb"\s*<", "XML", ""),
    (rb'\s*\{"kind":"Header"', "a journal of schedlab", ""),
    (
        rb"(?s)(?:\s*#[^\n]*\n|\s)*(?:\[\[?[A-Za-z_][\w.-]*\]?\]\s*\n|[a-z_][a-z\d_-]* *= *(?:[\"'\[{\d]|true|false))",
        "a TOML file",
        "schedlab open FILE plays a scenario",
    ),
)
"""How a file begins that is something else, what that is called, and a way out."""

_TAR: Final = b"ustar"
_KEYS: Final = re.compile(rb'"([^"\\]{1,40})"\s*:')


def format_of(source: TraceSource, wanted: str | None = None) -> TraceFormat:
    """The format of a file: the one wanted, else the first that its beginning fits.

    Raises:
        ConfigError: There is no such format, or the file is something else, which is named.
    """
    if wanted is not None:
        if wanted not in BY_NAME:
            hint = nearest(wanted, BY_NAME) or f"there is {', '.join(BY_NAME)}"
            raise ConfigError([Problem(f"there is no format {shortened(wanted)}", key="--format", hint=hint)])
        return BY_NAME[wanted]
    while True:
        for each in FORMATS:
            if each.is_this(source.head):
                return each
        if shape_of(source.head).is_whole or not source.look_further():
            break
    what, hint = _name_of(source.head)
    packed = f"{what} packed with {source.packing}" if source.packing else what
    raise ConfigError([Problem(f"is {packed}, no trace", source.name, hint=hint or f"read are: {', '.join(BY_NAME)}")])


def _name_of(head: bytes) -> tuple[str, str]:
    """Return what a file is that begins so, and a way out."""
    if not head.strip():
        return "an empty file", ""
    if head[257:262] == _TAR:
        return "a tar archive", "unpack it first"
    for pattern, name, hint in _OTHERS:
        if re.match(pattern, head):
            return name, hint
    if shape_of(head) is not NO_JSON:
        keys = list(dict.fromkeys(match[1].decode("utf-8", "replace") for match in _KEYS.finditer(head)))[:4]
        return "JSON" + (f" with the keys {', '.join(keys)}" if keys else ""), ""
    if b"\0" in head:
        return "a binary file", ""
    first = head.lstrip().split(b"\n", 1)[0].decode("utf-8", "replace").strip()
    if first.count(",") > 1:
        return f"a table with the columns {shortened(first, 60)}", ""
    return f"a text that begins {shortened(first, 40)!r}", ""
