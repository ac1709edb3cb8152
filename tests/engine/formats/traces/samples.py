"""Small traces of every format, made by hand, and the reading of one from memory."""

import gzip
import io
import json

from engine.formats.traces.application import MappingRules, TraceApplication
from engine.formats.traces.formats import counted, format_of
from engine.formats.traces.report import ImportReport
from engine.formats.traces.source import TraceSource

SLS_JOB = {
    "am.type": "mapreduce",
    "job.start.ms": 5000,
    "job.queue.name": "etl",
    "job.id": "j1",
    "job.user": "ann",
    "job.tasks": [
        {"container.host": "/r1/n1", "container.start.ms": 10, "container.end.ms": 30_010, "container.type": "map"},
        {"count": 2, "duration.ms": 7000, "container.type": "reduce"},
    ],
}
SLS = json.dumps(SLS_JOB)

SYNTH = json.dumps(
    {
        "num_nodes": 4,
        "nodes_per_rack": 2,
        "num_jobs": 3,
        "rand_seed": 2,
        "workloads": [
            {
                "queue_name": "q",
                "job_classes": [
                    {
                        "class_name": "c",
                        "user_name": "u",
                        "tasks": [
                            {"type": "map", "count": {"val": 2}, "time": {"val": 10}, "max_memory": {"val": 2048}},
                            {"type": "reduce", "count": {"discrete": [1]}, "time": {"val": 20, "std": 4}},
                        ],
                    }
                ],
                "time_distribution": [{"time": 1, "weight": 1}, {"time": 60, "weight": 0}],
            }
        ],
    }
)

RUMEN = json.dumps(
    {
        "jobID": "job_1_1",
        "user": "ann",
        "queue": "q",
        "jobName": "sort",
        "submitTime": 1_371_222_054_499,
        "finishTime": 1_371_222_153_874,
        "mapTasks": [
            {"attempts": [{"hostName": "/r1/n1", "startTime": 1000, "finishTime": 4000}]},
            {
                "attempts": [
                    {"hostName": "/r1/n1", "startTime": 1000, "finishTime": 2000},
                    {"hostName": "/r1/n2", "startTime": 2000, "finishTime": 7000},
                ]
            },
        ],
        "reduceTasks": [{"attempts": []}],
    },
    indent=1,
)

SWIM = "job0\t49\t49\t134217729\t1048576\t1048576\njob1\t101\t52\t0\t0\t0\n"

SWF = (
    "; Version: 2.2\n; UnixStartTime: 1000000000\n; MaxProcs: 240\n"
    "1 10 5 60 4 -1 -1 8 100 2048 1 7 1 -1 2 1 -1 -1\n"
    "2 20 5 0 4 -1 -1 8 100 -1 5 8 1 -1 -1 3 -1 -1\n"
)

APPS = json.dumps(
    {
        "apps": {
            "app": [
                {
                    "id": "application_1_0001",
                    "user": "ann",
                    "name": "q",
                    "queue": "root.etl",
                    "state": "FINISHED",
                    "finalStatus": "SUCCEEDED",
                    "applicationType": "SPARK",
                    "startedTime": 1_000_000_000_000,
                    "finishedTime": 1_000_000_010_000,
                    "memorySeconds": 61_440,
                    "vcoreSeconds": 30,
                    "resourceRequests": [{"capability": {"memory": 1}}],
                },
                {"id": "application_1_0002", "user": "bob", "startedTime": 1_000_000_005_000, "finishedTime": 0},
            ]
        }
    }
)

SPARK = "\n".join(
    json.dumps(event)
    for event in (
        {"Event": "SparkListenerLogStart", "Spark Version": "3.0"},
        {
            "Event": "SparkListenerEnvironmentUpdate",
            "Spark Properties": {"spark.executor.memory": "4g", "spark.yarn.queue": "ml"},
        },
        {"Event": "SparkListenerApplicationStart", "App Name": "a", "App ID": "app-1", "Timestamp": 1000, "User": "u"},
        {"Event": "SparkListenerExecutorAdded", "Executor ID": "1", "Executor Info": {"Host": "n1", "Total Cores": 2}},
        {"Event": "SparkListenerExecutorAdded", "Executor ID": "2", "Executor Info": {"Host": "n2", "Total Cores": 2}},
        {"Event": "SparkListenerStageSubmitted", "Stage Info": {"Stage ID": 0, "Stage Attempt ID": 0}},
        *(
            {
                "Event": "SparkListenerTaskEnd",
                "Stage ID": 0,
                "Stage Attempt ID": 0,
                "Task End Reason": {"Reason": reason},
                "Task Info": {"Launch Time": 2000, "Finish Time": end},
            }
            for reason, end in (("Success", 3000), ("Success", 6000), ("ExceptionFailure", 9000))
        ),
        {"Event": "SparkListenerApplicationEnd", "Timestamp": 9000},
    )
)

JHIST = "\n".join(
    (
        "Avro-Json",
        '{"type":"record","name":"Event","fields":[]}',
        *(
            json.dumps({"type": kind, "event": {"x": fields}})
            for kind, fields in (
                ("JOB_SUBMITTED", {"jobid": "job_1_1", "jobName": "j", "userName": "u", "submitTime": 100}),
                ("JOB_QUEUE_CHANGED", {"jobQueueName": "q"}),
                ("MAP_ATTEMPT_STARTED", {"attemptId": "a0", "taskid": "m0", "startTime": 1000}),
                ("MAP_ATTEMPT_FAILED", {"attemptId": "a0", "taskid": "m0", "finishTime": 1500, "hostname": "n1"}),
                ("MAP_ATTEMPT_STARTED", {"attemptId": "a1", "taskid": "m0", "startTime": 1500}),
                ("MAP_ATTEMPT_FINISHED", {"attemptId": "a1", "taskid": "m0", "finishTime": 4500, "hostname": "n2"}),
                ("REDUCE_ATTEMPT_STARTED", {"attemptId": "r0", "taskid": "r0", "startTime": 1500}),
                ("REDUCE_ATTEMPT_FINISHED", {"attemptId": "r0", "taskid": "r0", "finishTime": 2500, "hostname": "n2"}),
                ("JOB_FINISHED", {"finishTime": 5000}),
            )
        ),
    )
)

PODS = (
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n"
    "p0,12500,16384,1,1000,,LS,Running,0,100,10\n"
    "p1,500,1024,0,0,,BE,Pending,50,60,\n"
)
NODES = "sn,cpu_milli,memory_mib,gpu,model\nn0,32000,262144,2,P100\n"

SLS_NODES = (
    '{"rack": "/r1", "nodes": [{"node": "n1", "memory-mb": 2048, "vcores": 6}, {"node": "n2", "labels": "x(y)"}]}'
)

_RM = "INFO org.apache.hadoop.yarn.server.resourcemanager"
_APP, _C = "application_17_0003", "container_17_0003_01"
RM_LOG = "\n".join(
    f"2017-11-11 09:00:{second:02d},{second:03d} {_RM}.{words}"
    for second, words in (
        (0, "ResourceManager: Using Scheduler: org.apache.hadoop.fair.FairScheduler"),
        (
            1,
            "ResourceTrackerService: NodeManager from node n1(cmPort: 1 httpPort: 2) registered with capability:"
            " <memory:8192, vCores:8>, assigned nodeId n1:1",
        ),
        (1, "rmnode.RMNodeImpl: n1:1 Node Transitioned from NEW to RUNNING"),
        (2, f"RMAuditLogger: USER=ann\tOPERATION=Submit Application Request\tRESULT=SUCCESS\tAPPID={_APP}"),
        (2, f"rmapp.RMAppImpl: {_APP} State change from NEW to NEW_SAVING"),
        (2, f"scheduler.fair.FairScheduler: Accepted application {_APP} from user: ann, in queue: root.etl, currently"),
        (
            3,
            f"scheduler.SchedulerNode: Assigned container {_C}_000001 of capacity <memory:1024, vCores:1> on host n1:1,"
            " which has 1 containers",
        ),
        (4, f"rmapp.RMAppImpl: {_APP} State change from ACCEPTED to RUNNING on event = ATTEMPT_REGISTERED"),
        (
            5,
            f"scheduler.SchedulerNode: Assigned container {_C}_000002 of capacity <memory:2048, vCores:2> on host n1:1,"
            " which has 2 containers",
        ),
        (6, "scheduler.fair.FSAppAttempt: Making reservation: node=n1 app_id=application_17_0004"),
        (6, "rmcontainer.RMContainerImpl: container_17_0004_01_000007 Container Transitioned from NEW to RESERVED"),
        (7, f"rmcontainer.RMContainerImpl: {_C}_000002 Container Transitioned from ACQUIRED to RUNNING"),
        (
            8,
            f"scheduler.SchedulerNode: Released container {_C}_000002 of capacity <memory:2048, vCores:2> on host n1:1",
        ),
        (9, f"rmapp.RMAppImpl: {_APP} State change from FINISHING to FINISHED"),
    )
)
"""A log of 2.7: an application with two containers, and a reservation that is not the last word."""

SACCT = """JobID|JobName|User|Partition|Submit|Start|End|Elapsed|AllocCPUS|State
7|sort|ann|long|2024-01-02T03:04:05|2024-01-02T03:04:15|2024-01-02T04:04:15|01:00:00|16|COMPLETED
7.batch|batch|||2024-01-02T03:04:15|2024-01-02T03:04:15|2024-01-02T04:04:15|01:00:00|16|COMPLETED
8|wait|bob|long|2024-01-02T03:05:05|Unknown|Unknown|00:00:00|4|PENDING
"""

APP_LIST = (
    "Total number of applications (application-types: [] and states: [SUBMITTED, ACCEPTED, RUNNING]):2\n"
    "                Application-Id\t    Application-Name\t    Application-Type\t      User\t     Queue\t"
    "             State\t       Final-State\t       Progress\t                       Tracking-URL\n"
    "application_1700000000000_0012\t               sort\t           MAPREDUCE\t       ann\t  root.etl\t"
    "           RUNNING\t         UNDEFINED\t            50%\t      http://h:1/\n"
    "application_1700000000000_0003\t              shell\t               SPARK\t       bob\t root.adhoc\t"
    "          ACCEPTED\t         UNDEFINED\t             0%\t               N/A\n"
)

ALIBABA = """M1,2,j_7,1,Terminated,100,160,100.0,0.5
R2_1,1,j_7,1,Terminated,160,190,50.0,1.0
M1,1,j_3,1,Running,90,0,250.0,0.25
M1,1,j_3,1,Waiting,0,0,100.0,0.25
"""
ALIBABA_MACHINES = """m_1,0,1,2,96,100,USING
m_1,500,1,2,96,100,USING
m_2,0,1,2,32,50,USING
"""
GOOGLE = """600000000,,1,0,,0,ann,2,9,0.0625,0.03125,0.001,0
600000000,,1,1,,0,ann,2,9,0.0625,0.03125,0.001,0
601000000,,1,0,5,1,ann,2,9,0.0625,0.03125,0.001,0
602000000,,1,1,5,1,ann,2,9,0.0625,0.03125,0.001,0
605000000,,1,0,5,2,ann,2,9,0.0625,0.03125,0.001,0
606000000,,1,0,5,1,ann,2,9,0.0625,0.03125,0.001,0
609000000,,1,0,5,4,ann,2,9,0.0625,0.03125,0.001,0
"""
GOOGLE_MACHINES = """0,5,0,HofLGzk1Or/8Ildj2+Lqv0UGGvY82NLoni8+J/Yy0RU=,0.5,0.25
9,5,2,HofLGzk1Or/8Ildj2+Lqv0UGGvY82NLoni8+J/Yy0RU=,0.5,0.5
"""


def _entity(kind: str, identity: str, start_ms: int, end_ms: int, **fields: object) -> dict[str, object]:
    times = {"startTime": start_ms, "endTime": end_ms, "status": "SUCCEEDED"}
    return {"entitytype": f"TEZ_{kind}", "entity": identity, "otherinfo": {**times, **fields}}


ATS_ENTITIES = (
    {
        "entitytype": "TEZ_APPLICATION",
        "entity": "tez_application_9_0001",
        "otherinfo": {"config": {"tez.task.resource.memory.mb": "2048", "tez.am.resource.memory.mb": "1536"}},
    },
    {
        "entitytype": "TEZ_DAG_ID",
        "entity": "dag_9_0001_1",
        "events": [{"timestamp": 5000, "eventtype": "DAG_SUBMITTED"}],
        "primaryfilters": {"user": ["ann"], "dagName": ["sales"]},
        "otherinfo": {"queueName": "etl", "endTime": 60_000, "status": "SUCCEEDED"},
    },
    _entity("VERTEX_ID", "vertex_9_0001_1_01", 30_000, 50_000, numTasks=1),
    _entity("VERTEX_ID", "vertex_9_0001_1_00", 10_000, 30_000, numTasks=2),
    _entity("TASK_ATTEMPT_ID", "attempt_9_0001_1_00_000000_0", 10_000, 14_000),
    _entity("TASK_ATTEMPT_ID", "attempt_9_0001_1_00_000001_0", 10_000, 16_000),
    {"entitytype": "TEZ_CONTAINER_ID", "entity": "tez_container_1"},
)
ATS = json.dumps({"entities": ATS_ENTITIES})

MR1 = """Meta VERSION="1" .
Job JOBID="job_201003040900_0001" JOBNAME="a \\"scan\\"" USER="ann" SUBMIT_TIME="1000" JOB_QUEUE="etl" .
Task TASKID="task_1_m_000002" TASK_TYPE="SETUP" START_TIME="1100" .
MapAttempt TASK_TYPE="MAP" TASKID="task_1_m_000000" TASK_ATTEMPT_ID="attempt_1_m_0_0" START_TIME="2000" .
MapAttempt TASK_TYPE="MAP" TASKID="task_1_m_000000" TASK_ATTEMPT_ID="attempt_1_m_0_0" TASK_STATUS="FAILED" \
FINISH_TIME="5000" HOSTNAME="/r1/n1" ERROR="java.io.IOException:
 no space" .
MapAttempt TASK_TYPE="MAP" TASKID="task_1_m_000000" TASK_ATTEMPT_ID="attempt_1_m_0_1" START_TIME="6000" .
MapAttempt TASK_TYPE="MAP" TASKID="task_1_m_000000" TASK_ATTEMPT_ID="attempt_1_m_0_1" TASK_STATUS="SUCCESS" \
FINISH_TIME="16000" TRACKER_NAME="tracker_n2:localhost/127.0.0.1:38958" .
Task TASKID="task_1_m_000000" TASK_TYPE="MAP" TASK_STATUS="SUCCESS" FINISH_TIME="17000" .
ReduceAttempt TASK_TYPE="REDUCE" TASKID="task_1_r_000000" TASK_ATTEMPT_ID="attempt_1_r_0_0" START_TIME="9000" .
ReduceAttempt TASK_TYPE="REDUCE" TASKID="task_1_r_000000" TASK_ATTEMPT_ID="attempt_1_r_0_0" TASK_STATUS="KILLED" \
FINISH_TIME="19000" HOSTNAME="/r1/n1" .
ReduceAttempt TASK_TYPE="REDUCE" TASKID="task_1_r_000001" TASK_ATTEMPT_ID="attempt_1_r_1_0" START_TIME="9500" .
Job JOBID="job_201003040900_0001" JOB_STATUS="KILLED" FINISH_TIME="20000" .
"""

ALL = {
    "alibaba": ALIBABA,
    "alibaba-nodes": ALIBABA_MACHINES,
    "google": GOOGLE,
    "google-nodes": GOOGLE_MACHINES,
    "ats": ATS,
    "sacct": SACCT,
    "app-list": APP_LIST,
    "sls": SLS,
    "synth": SYNTH,
    "rumen": RUMEN,
    "swim": SWIM,
    "swf": SWF,
    "apps": APPS,
    "spark": SPARK,
    "jhist": JHIST,
    "mr1-history": MR1,
    "openb": PODS,
    "openb-nodes": NODES,
    "sls-nodes": SLS_NODES,
    "rm-log": RM_LOG,
}
"""Format → a trace of it."""


def source(data: str | bytes, report: ImportReport | None = None, name: str = "trace") -> TraceSource:
    stream = io.BytesIO(data.encode() if isinstance(data, str) else data)
    return TraceSource([stream], name, report or ImportReport())


def imported(
    data: str | bytes, wanted: str | None = None, rules: MappingRules | None = None
) -> tuple[list[TraceApplication], ImportReport]:
    """The applications of a trace in memory, and the report. Raises ConfigError if it is none."""
    report = ImportReport()
    opened = source(data, report)
    form = format_of(opened, wanted)
    return list(counted(form, form.read([opened], rules or MappingRules()), "trace", report)), report


def one(data: str | bytes, rules: MappingRules | None = None) -> TraceApplication:
    """The only application of a trace in which nothing is faulty."""
    (application,), report = imported(data, rules=rules)
    assert report.faults == 0
    return application


def packed(data: str) -> bytes:
    return gzip.compress(data.encode(), mtime=0)
