"""What people bring that is no trace: each is called by its name, with a way out."""

import re
from typing import Final

from engine.errors import shortened
from engine.formats.traces.cluster_tables import JOBS
from engine.formats.traces.json_objects import NO_JSON, shape_of

XML: Final = "XML"
_INSTANCES: Final = rb"[^,\n]*,[^,\n]*,j_\d+,[^,\n]*,[A-Z][a-z]+,\d*,\d*,(?:m_\d+)?,\d*,\d*,"
_SUBMITTED: Final = (
    "what it ran on YARN is in the ResourceManager's log and the JSON of /ws/v1/cluster/apps, which are read"
)
_OTHERS: Final = (
    (_INSTANCES, "a batch_instance table of Alibaba", "the batch_task table is read"),
    (JOBS, "a job_events table of Google", "the task_events table is read"),
    (rb"\[\d{4}-[^\]\n]{1,40}\] \{\w+\.py:\d+\} ", "a log of Airflow", _SUBMITTED),
    (rb"dag_id +\| +run_id ", "a list of Airflow's runs", _SUBMITTED),
    (rb"Job ID +App Name +Status|Job ID : [\w-]+-oozie-", "a list of Oozie's jobs", _SUBMITTED),
    (rb"(?s).{0,2000}? JOB\[[\w-]*-oozie-[\w-]*\]", "a log of Oozie", _SUBMITTED),
    (
        rb"(?s)(?:[^\n]*\n){0,20}?[^\n]*\b(?:MRAppMaster|DAGAppMaster)\b",
        "a log of an application master",
        "the ResourceManager's log is read, and the job's history file (.jhist)",
    ),
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
    (
        rb"(?s).{0,2000}?Total Nodes:\s*\d|.{0,2000}?Node-Id\s+Node-State\s+Node-Http-Address",
        "the text of yarn node -list",
        "it names no applications and no sizes; --nodes 40x64g/16 says the nodes of a trace",
    ),
    (
        rb"(?s).{0,2000}?Queue Information :|.{0,2000}?=====+\s+Queue Name :",
        "the text of yarn queue -status or mapred queue -list",
        "schedlab check capacity-scheduler.xml tells of queues",
    ),
    (
        rb"(?s).{0,2000}?Node Report :\s",
        "the text of yarn node -status",
        "the JSON of /ws/v1/cluster/nodes is read, together with applications",
    ),
    (
        rb"YARN top - |(?s:.{0,2000}?APPLICATIONID +USER +TYPE)",
        "the screen of yarn top",
        "yarn application -list is read, and the JSON of /ws/v1/cluster/apps",
    ),
    (
        rb"(?s).{0,2000}?Total jobs:\d|.{0,2000}?JobId\s+State\s+StartTime",
        "the text of mapred job -list",
        "the jobs' history files (.jhist) are read, and the JSON of /ws/v1/cluster/apps",
    ),
    (
        rb"(?s)(?:.{0,2000}?\n)?Container: container_[^\n]* on |LogType:",
        "the text of yarn logs",
        "what containers wrote tells of no scheduling: the ResourceManager's log is read, and the JSON of"
        " /ws/v1/cluster/apps",
    ),
    (
        rb"(?s)(?:[^\n]*\n){0,20}?[^\n]*(?:INFO|WARN)[^\n]*\.nodemanager\.",
        "a log of a NodeManager",
        "the log of the ResourceManager is read",
    ),
    (
        rb"(?s)(?:[^\n]*\n){0,20}?[^\n]*(?:mapred\.JobTracker|mapred\.JobInProgress)",
        "a log of a JobTracker",
        "the jobs' history files beside it (logs/history) are read",
    ),
    (
        rb"(?s)(?:[^\n]*\n){0,20}?[^\n]*(?: INFO (?:[\w.]*\.)?(?:Master|Worker): |\"logger\":\"(?:Master|Worker)\")",
        "a log of a Spark Master or Worker",
        "the applications' event logs (spark.eventLog.dir) are read; get http://HOST:8080 watches the Master",
    ),
    (
        rb"(?s)(?:[^\n]*\n){0,20}?[^\n]* (?:INFO|WARN) (?:[\w.]*\.)?(?:SparkContext|Client|TaskSchedulerImpl): ",
        "what a client or a driver wrote",
        "the application's event log is read, and the ResourceManager's log",
    ),
    (
        rb"(?s).{0,2000}?Total number of (?:application attempts|containers) :",
        "the text of yarn applicationattempt -list or yarn container -list",
        "yarn application -list is read, and the JSON of /ws/v1/cluster/apps",
    ),
    (
        rb"\d[\w.+\[\]-]*\|(?:[^|\n]*\|)*\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\|",
        "a table of Slurm's sacct without its line of names",
        "ask sacct -P without -n",
    ),
    (
        rb"(?:[\w-]+:)?(?:yarn|spark|mapred|mapreduce)\.[\w.-]+ *[=:]",
        "properties in a text",
        "check reads capacity-scheduler.xml, yarn-site.xml and spark-defaults.conf",
    ),
    (rb"\s*Hadoop job: job_", "the text of mapred job -history", "the history file itself (.jhist) is read"),
    (
        rb"\s*JOBID +PARTITION +NAME",
        "the text of Slurm's squeue",
        "ask sacct -P -o JobID,User,Partition,Submit,Start,End,Elapsed,AllocCPUS,State",
    ),
    (
        rb"\d\d/\d\d/\d{4} \d\d:\d\d:\d\d;[A-Z];[^;\n]+;|Job id +Name +User ",
        "accounting of PBS or Torque",
        "write it in Standard Workload Format, 18 numbers a job",
    ),
    (
        rb"\"JOB_(?:NEW|START|FINISH)\" \"|JOBID +USER +STAT ",
        "accounting of LSF",
        "write it in Standard Workload Format, 18 numbers a job",
    ),
    (
        rb"={20,}\s+qname |[^:\s]+:[^:\s]+:[^:\s]+:[^:\s]+:[^:\n]+:\d+:\w+:\d+:\d+:\d+:\d+:",
        "accounting of Grid Engine",
        "write it in Standard Workload Format, 18 numbers a job",
    ),
    (rb"(?s)(?:NAMESPACE +)?NAME +READY +STATUS|.{0,200}apiVersion: ", "a list of Kubernetes", ""),
    (rb"(?s)\s*(?:<\?xml[^>]{0,200}>)?\s*<allocations", "a fair-scheduler.xml", "schedlab check FILE"),
    (
        rb"\s*(?:\w+ +)*JobID(?:Raw)? ",
        "a table of Slurm's sacct in columns",
        "ask sacct -P, which writes bars between them",
    ),
    (rb"(?i)\s*<!doctype html|\s*<html", "HTML", "is it the page of a login?"),
    (rb"(?s)\s*<\?xml.{0,4000}<configuration|\s*<configuration", "a Hadoop configuration", "schedlab check FILE"),
    (rb"\s*<[A-Za-z?!]", XML, ""),
    (
        rb"(?s)(?!\s*[\[{])(?:[^\n]*\n){0,20}?[^\n]*\.server\.resourcemanager\.",
        "a log of a ResourceManager with lines that begin in another way",
        "2017-11-11 09:00:30,343 INFO CLASS: message is read, also with a time zone, in brackets or inside JSON",
    ),
    (rb'\s*\{"kind":"Header"', "a journal of schedlab", ""),
    (
        rb"(?s)(?:\s*#[^\n]*\n|\s)*(?:\[\[?[A-Za-z_][\w.-]*\]?\]\s*\n|[a-z_][a-z\d_-]* *= *(?:[\"'\[{\d]|true|false))",
        "a TOML file",
        "schedlab open FILE plays a scenario",
    ),
)
"""How a file begins that is something else, what that is called, and a way out."""

_TAG: Final = re.compile(rb"<([A-Za-z][\w-]{0,60})[\s/>]")
XML_IS_CHECKED: Final = "schedlab check reads capacity-scheduler.xml, fair-scheduler.xml and yarn-site.xml"
_ANSWERS: Final = (
    ({"clusterMetrics"}, "the metrics of a ResourceManager", "that of /ws/v1/cluster/apps is read"),
    ({"clusterInfo"}, "the description of a ResourceManager", "that of /ws/v1/cluster/apps is read"),
    (
        {"scheduler", "schedulerInfo"},
        "the queues of a ResourceManager",
        "that of /ws/v1/cluster/apps is read; check reads capacity-scheduler.xml and fair-scheduler.xml",
    ),
    ({"activeapps", "workers"}, "the state of a Spark Master", "get http://HOST:8080 watches it; event logs are read"),
    ({"attempts", "sparkUser"}, "the list of a Spark history server", "the event logs that it shows are read"),
    ({"jobs", "job", "mapsTotal"}, "the list of a job history server", "the history files (.jhist) are read"),
    ({"jobs", "meta", "Slurm"}, "JSON of Slurm's sacct", "ask sacct -P instead"),
    ({"RemoteException"}, "the refusal of a ResourceManager", "its message says why; /ws/v1/cluster/apps is read"),
    ({"appAttempts"}, "attempts of an application", "that of /ws/v1/cluster/apps is read"),
    ({"containers"}, "containers of an application", "that of /ws/v1/cluster/apps is read"),
    ({"jobCounters"}, "counters of a job history server", "the history files (.jhist) are read"),
    ({"tasks", "task", "successfulAttempt"}, "tasks of a job history server", "the history files (.jhist) are read"),
    ({"appStatInfo"}, "how many applications a ResourceManager has", "that of /ws/v1/cluster/apps is read"),
    ({"beans"}, "the metrics of a Hadoop daemon (JMX)", "that of /ws/v1/cluster/apps is read"),
    ({"properties", "key", "isFinal"}, "the configuration of a Hadoop daemon (/conf)", "check HOST:8088 asks for it"),
    ({"Classification", "Properties"}, "a configuration of EMR", XML_IS_CHECKED),
    ({"properties", "capacity-scheduler"}, "a configuration of Ambari", XML_IS_CHECKED),
    ({"schedulablePropertiesList"}, "a configuration of Cloudera's fair scheduler", XML_IS_CHECKED),
    ({"name", "children"}, "a topology of Rumen", "the trace of jobs that Rumen writes with it is read"),
    ({"apiVersion", "kind"}, "a list of Kubernetes", ""),
    ({"dag_id", "state"}, "a list of Airflow's runs", _SUBMITTED),
    ({"workflows", "appName"}, "a list of Oozie's jobs", _SUBMITTED),
    ({"workflow-app"}, "a workflow of Oozie", _SUBMITTED),
    ({"collection_id"}, "a table of Google's trace of 2019", "the task_events table of 2011 is read"),
)
"""Keys of JSON that is something else, what that is called, and a way out."""
_TAR: Final = b"ustar"
_KEYS: Final = re.compile(rb'"([^"\\]{1,40})"\s*:')


def name_of(head: bytes) -> tuple[str, str]:
    """What a file is called that begins so and is no trace, and a way out; that is empty where there is none."""
    if not head.strip():
        return "an empty file", ""
    if head[257:262] == _TAR:
        return "a tar archive", "unpack it first"
    for pattern, name, hint in _OTHERS:
        if re.match(pattern, head):
            return _of_tags(head) or (name, hint) if name == XML else (name, hint)
    shape = shape_of(head)
    if shape is not NO_JSON:
        for known, name, hint in _ANSWERS:
            if known <= shape.keys:
                return name, hint
        keys = list(dict.fromkeys(match[1].decode("utf-8", "replace") for match in _KEYS.finditer(head)))[:4]
        return "JSON" + (f" with the keys {', '.join(keys)}" if keys else ""), ""
    if b"\0" in head:
        return "a binary file", ""
    first = head.lstrip().split(b"\n", 1)[0].decode("utf-8", "replace").strip()
    if first.count(",") > 1:
        return f"a table with the columns {shortened(first, 60)}", ""
    return f"a text that begins {shortened(first, 40)!r}", ""


def _of_tags(head: bytes) -> tuple[str, str] | None:
    """What XML is called by its tags, which are the keys of the same in JSON."""
    tags = {match[1].decode() for match in _TAG.finditer(head)}
    return next(((f"{name} ({XML})", hint) for known, name, hint in _ANSWERS if known <= tags), None)
