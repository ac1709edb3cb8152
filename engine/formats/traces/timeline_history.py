"""History of YARN's timeline server: DAGs of Tez with their vertices and tasks, and applications.

Entities stand in lists, as `/ws/v1/timeline/TEZ_DAG_ID` answers and Tez's page saves them, or one after another, as
Tez logs them itself. Files are read together: what one of them says of an entity is added to what others say.
Vertices of a DAG run one after another, as they began.

Source: HistoryEventTimelineConversion, HistoryEventJsonConversion, ATSConstants, Tez 0.5 to 0.10;
ApplicationMetricsConstants, Hadoop 2.7 to 3.4; ApplicationCLI#listApplications (APPLICATIONS_PATTERN),
YarnApplicationState, FinalApplicationStatus, Hadoop 2.7 to 3.4; AppInfo of both servers, Hadoop 2.4 to 3.4.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final

import msgspec

from engine.formats.traces.application import (
    RULE,
    SPREAD,
    ApplicationSums,
    MappingRules,
    StageTasks,
    TraceApplication,
    TraceNode,
    TraceTasks,
    containers_of,
    whole,
    words,
)
from engine.formats.traces.json_objects import JsonObject, JsonShape, shape_of
from engine.formats.traces.source import TraceSource

# The text of `yarn application -list`: a line of names, then an application a line, in columns between tabs.
#
# It has neither times nor sizes, so that each application is one container of the usual size beside its master.
#
# A terminal makes blanks of the tabs, and breaks long lines. So a line is read from its right end: of progress, final
# state and state the words are known, and before them stand queue, user and type; what is left is the name.

_STATES: Final = "NEW|NEW_SAVING|SUBMITTED|ACCEPTED|RUNNING|FINISHED|FAILED|KILLED"
_FINAL: Final = "UNDEFINED|SUCCEEDED|FAILED|KILLED|ENDED"
_ID: Final = r"application_(\d{1,15})_(\d{1,10})"
_ROW: Final = re.compile(
    rf"\s*(?P<id>{_ID})\s+(?P<facts>\S.*?)\s+(?P<state>{_STATES})(?:\s+(?:{_FINAL})\s+[\d.,]{{1,8}}\s?%.*)?\s*"
)
_WHOLE: Final = re.compile(rf"\s*{_ID}\s.*\s(?:{_STATES})\s+(?:{_FINAL})\s+[\d.,]{{1,8}}\s?%")
_BEGIN: Final = re.compile(rf"\s*{_ID}(?:\s|$)")
LISTS: Final = re.compile(
    rb"Application-Id\s+Application-Name|(?m:^[ \t]*application_\d{1,15}_\d{1,10}[ \t][^\n]{1,2000}?[ \t](?:"
    + f"{_STATES})[ \t]+(?:{_FINAL})[ \t]".encode()
    + rb"+[\d.,]{1,8} ?%)"
)
"""What such a text holds somewhere: the names of its columns, or a row."""
MOST_PIECES: Final = 4  # Into how many lines a terminal breaks a row at most
TWO_WORDS: Final = ("Apache Flink", "YARN Service")  # Types with a blank in them
APART: Final = "one second apart, in the order of their numbers, since the list has no times"
ONE: Final = "one container beside the master"
NOT_BEGUN: Final = f"{ONE}, of what had not begun"


def read_application_list(source: TraceSource, rules: MappingRules) -> Iterator[TraceApplication]:
    """The applications of the list, by their numbers."""
    found: dict[tuple[int, int], tuple[str, ...]] = {}
    for number, pieces in _rows(source):
        row = _columns(pieces)
        if row is None:
            source.fault("an application has an id, a name, a type, a user, a queue and a state", number)
            continue
        stamp, _, serial = row[0].removeprefix("application_").partition("_")
        found[whole(stamp) or 0, whole(serial) or 0] = row
    for place, (_, (identity, name, kind, user, queue, state)) in enumerate(sorted(found.items())):
        listed = TraceApplication(
            id=identity,
            name=name,
            submitted_ms=place * 1000,
            tasks=(),
            user=user or None,
            queue=queue or None,
            type=kind,
            state=state,
            inferred={"arrival": APART},
        )
        yield with_usual_work(listed, rules, ONE)


def with_usual_work(each: TraceApplication, rules: MappingRules, because: str = NOT_BEGUN) -> TraceApplication:
    """An application of which nobody says what it runs: one container beside its master, by the rule named."""
    inferred = {"containers": because, "duration": rules.duration_rule, "memory and vcores": rules.size_rule}
    tasks = (TraceTasks("container", 1, (rules.duration_ms,)),)
    return msgspec.structs.replace(each, tasks=tasks, inferred={**each.inferred, **inferred})


def _rows(source: TraceSource) -> Iterator[tuple[int, list[str]]]:
    first, pieces = 0, list[str]()
    for number, line in source.lines():
        if _BEGIN.match(line):
            if pieces:
                yield first, pieces
            first, pieces = number, [line]
        elif pieces and len(pieces) < MOST_PIECES and not _WHOLE.match("".join(pieces)):
            pieces.append(line)
    if pieces:
        yield first, pieces


def _columns(pieces: list[str]) -> tuple[str, ...] | None:
    """Id, name, type, user, queue and state; None where these lines hold no application.

    >>> _columns(["application_1_1  word count  MAPREDUCE  ann  root.ann  RUN", "NING  UNDEFINED  5%  N/A"])
    ('application_1_1', 'word count', 'MAPREDUCE', 'ann', 'root.ann', 'RUNNING')
    """
    # Blanks at which a line was broken are lost where a terminal's text is copied.
    joined = [(gap, joints) for gap in (2, 1) for joints in product(("", gap * " "), repeat=len(pieces) - 1)]
    for gap, joints in joined:
        text = pieces[0] + "".join(joint + piece for joint, piece in zip(joints, pieces[1:], strict=True))
        tabbed = [words(each) for each in text.strip().split("\t")]
        if len(tabbed) >= 6 and _BEGIN.fullmatch(tabbed[0]):
            return tuple(tabbed[:6])
        match = _ROW.fullmatch(text)
        facts = _facts(match["facts"], gap) if match is not None else None
        if match is not None and facts is not None:
            return match["id"], *facts, match["state"]
    return None


def _facts(text: str, gap: int) -> tuple[str, ...] | None:
    """Name, type, user and queue with so many blanks between them; one is all where a name is as wide as its column."""
    wide = [words(each) for each in re.split(r"\t|\s{2,}", text.strip())]
    if len(wide) >= 4:
        return " ".join(wide[:-3]), *wide[-3:]
    if gap > 1:
        return None
    for kind in TWO_WORDS:
        text = text.replace(f" {kind} ", f" {kind.replace(' ', chr(0))} ")
    narrow = text.split()
    if len(narrow) < 4:
        return None
    return words(" ".join(narrow[:-3])), *(words(each.replace(chr(0), " ")) for each in narrow[-3:])


# The answer of a ResourceManager to `/ws/v1/cluster/apps` or `/apps/ID`: every application it knows, as JSON.
#
# That of a timeline server to `/ws/v1/applicationhistory/apps` is alike; it calls some fields otherwise.
#
# What ran is known only as sums over the application's life, and of one that runs as what it holds; `summarised` makes
# containers of them, and serves the ApplicationSummary lines of a log, too.

LIST_DEPTH: Final = 3  # How deep an application of the list is: `{"apps": {"app": [{`
SINGLE_DEPTH: Final = 2  # How deep that of `/apps/ID` or of a timeline server is: `{"app": {`, `{"apps": [{`
OF_ITSELF: Final = frozenset({"state", "finalStatus", "queue", "applicationType", "startedTime", "memorySeconds"})
"""Fields of an application, of which one that stands by itself has some beside its id."""
HISTORY: Final = {
    "appId": "id",
    "type": "applicationType",
    "appState": "state",
    "finalAppStatus": "finalStatus",
    "submittedTime": "startedTime",
}
"""Field of a timeline server → of a ResourceManager."""
SUMS: Final = frozenset({"memorySeconds", "vcoreSeconds"})  # Fields of Hadoop 2.4 and later
BY_TIME: Final = "one container beside the master for the elapsed time, since there is no vcoreSeconds"
NODE_SIZES: Final = (("usedMemoryMB", "availMemoryMB"), ("usedVirtualCores", "availableVirtualCores"))
"""Fields of a node that make its memory, and those that make its vcores."""
NO_ROOM: Final = "nodes that are {state}, whose size the answer does not say"
HELD: Final = ("held_mb", "held_vcores", "held_containers")
STILL_RUNNING: Final = "duration of what still ran: as long as it had run when it was asked for"


def read_apps_json(source: TraceSource, rules: MappingRules) -> Iterator[TraceApplication]:
    """The applications of an answer, in its order."""
    shape = shape_of(source.head)
    depth = 1
    if shape.top & {"apps", "app"}:
        depth = LIST_DEPTH if {"apps", "app"} <= shape.keys else SINGLE_DEPTH
    for line, fields in source.objects(depth):
        if "appId" in fields:
            fields |= {HISTORY[name]: value for name, value in fields.items() if name in HISTORY}
        if "id" not in fields:
            continue  # resource requests and the like are as deep
        started_ms = whole(fields.get("startedTime"))
        if started_ms is None:
            source.fault("an application has a startedTime", line)
            continue
        ended_ms = whole(fields.get("finishedTime"), 1)
        elapsed_ms = whole(fields.get("elapsedTime")) or 0
        found = summarised(
            {
                "id": fields["id"],
                "name": fields.get("name"),
                "user": fields.get("user"),
                "queue": fields.get("queue"),
                "type": fields.get("applicationType"),
                "state": fields.get("finalStatus") if ended_ms else fields.get("state"),
                "launch_ms": fields.get("launchTime"),
                "memory_seconds": fields.get("memorySeconds"),
                "vcore_seconds": fields.get("vcoreSeconds"),
                "held_mb": fields.get("allocatedMB"),
                "held_vcores": fields.get("allocatedVCores"),
                "held_containers": fields.get("runningContainers"),
            },
            started_ms,
            ended_ms,
            rules,
            elapsed_ms=elapsed_ms,
            has_sums=SUMS & fields.keys() != set(),
        )
        if ended_ms is None and not found.tasks and found.master_ms is None:
            found = msgspec.structs.replace(found, master=_asked_master(fields), inferred={})
            found = with_usual_work(found, rules)
        yield found


def _asked_master(fields: JsonObject) -> tuple[int, int] | None:
    """Memory [MB] and vcores of the master that an application waits for, where the answer has its only request."""
    requests = fields.get("resourceRequests")
    sizes = {
        (whole(size.get("memory"), 1), whole(size.get("vCores", size.get("virtualCores")), 1))
        for each in (requests if isinstance(requests, list) else ())
        if isinstance(each, dict) and isinstance(size := each.get("capability"), dict)
    }
    memory_mb, vcores = sizes.pop() if len(sizes) == 1 else (None, None)
    return None if memory_mb is None or vcores is None else (memory_mb, vcores)


def is_apps_json(shape: JsonShape) -> bool:
    """Whether a text holds applications: in an answer, or one after another as `jq` prints them."""
    return bool(shape.top & {"apps", "app"}) or ("id" in shape.top and len(shape.top & OF_ITSELF) > 1)


def read_rm_nodes(source: TraceSource, _rules: MappingRules) -> Iterator[TraceApplication]:
    """The nodes of an answer to `/ws/v1/cluster/nodes`, which holds no applications."""
    for line, fields in source.objects(LIST_DEPTH):
        host = words(fields.get("nodeHostName"))
        if not host:
            source.fault("a node has a nodeHostName", line)
            continue
        memory_mb, vcores = (sum(whole(fields.get(name)) or 0 for name in names) for names in NODE_SIZES)
        if memory_mb < 1 or vcores < 1:
            source.report.drop(NO_ROOM.format(state=words(fields.get("state"))))
            continue
        labels = fields.get("nodeLabels")
        partition = words(labels[0]) if isinstance(labels, list) and labels else ""
        rack = words(fields.get("rack")) or None
        source.report.add_node(TraceNode(host, rack, memory_mb, vcores, partition))
    yield from ()


def summarised(
    fields: JsonObject,
    started_ms: int,
    ended_ms: int | None,
    rules: MappingRules,
    *,
    elapsed_ms: int = 0,
    has_sums: bool = True,
) -> TraceApplication:
    """An application of which the sums over its life are known.

    `fields` are id, name, user, queue, type, state, launch_ms, memory_seconds, vcore_seconds, and where it runs
    held_mb, held_vcores, held_containers; `elapsed_ms` is how long it had run where it had not ended. Without
    `has_sums` it is one container for as long as it ran.
    """
    inferred: dict[str, str] = {}
    launched_ms = whole(fields.get("launch_ms"), 1)
    begin_ms = started_ms if launched_ms is None else launched_ms
    if ended_ms is None:
        inferred["duration"] = STILL_RUNNING
    run_ms = ended_ms - begin_ms if ended_ms is not None else elapsed_ms - (begin_ms - started_ms)
    found = containers_of(
        ApplicationSums(
            whole(fields.get("memory_seconds")) or 0,
            whole(fields.get("vcore_seconds")) or 0,
            run_ms / 1000,
            *(whole(fields.get(name)) or 0 for name in HELD if ended_ms is None),
        )
    )
    tasks: tuple[TraceTasks, ...] = ()
    if found is not None:
        tasks = found.tasks
        inferred |= {"containers": RULE} | ({"sums": found.off} if found.off else {})
    elif not has_sums and run_ms > 0:
        inferred |= {"containers": BY_TIME, "memory and vcores": rules.size_rule}
        tasks = (TraceTasks("container", 1, (run_ms,)),)
    return TraceApplication(
        id=words(fields.get("id")),
        name=words(fields.get("name")),
        submitted_ms=started_ms,
        finished_ms=ended_ms,
        tasks=tasks,
        user=words(fields.get("user")) or None,
        queue=words(fields.get("queue")) or None,
        type=words(fields.get("type")),
        state=words(fields.get("state")),
        master=None if found is None else found.master,
        master_ms=None if found is None else found.master_ms,
        is_granted=found is not None,
        inferred=inferred,
    )


ENTITY: Final = "entitytype"
_LIST: Final = re.compile(rb'\s*\{\s*"(?!entity|events|otherinfo|primaryfilters|related|starttime|domain)\w+"\s*:')
"""How a list of entities begins, or an object that holds one; an entity begins with one of its own fields."""
_NUMBERS: Final = re.compile(r"[a-z_]+?_(\d+)_(\d+)(?:_(\d+))?(?:_(\d+))?")
_CONFIGURED: Final = ("tez.task.resource.memory.mb", "tez.task.resource.cpu.vcores", "tez.am.resource.memory.mb")
_YARN: Final = "YARN_APPLICATION"
_KEPT: Final = frozenset(
    (
        *("startTime", "endTime", "status", "numTasks", "numSucceededTasks", "dagName", "queueName", "user"),
        *("appSubmitTime", "stats", "config"),
        *(f"{_YARN}_{name}" for name in ("NAME", "TYPE", "USER", "QUEUE", "SUBMITTED_TIME", "FINAL_STATUS")),
        *(f"{_YARN}_{name}" for name in ("CPU", "MEMORY", "CPU_METRIC", "MEM_METRIC")),
    )
)
"""What is taken of an entity."""

_TEZ: Final = ("APPLICATION", "APPLICATION_ATTEMPT", "DAG_ID", "VERTEX_ID", "TASK_ID", "TASK_ATTEMPT_ID")
_TAKEN: Final = frozenset((_YARN, *(f"TEZ_{kind}" for kind in _TEZ)))

MOST: Final = "at most as many as the largest vertex has tasks, as `tez` asks for them"
VERTICES: Final = "vertices of a DAG follow one another as they began; edges between them are not kept"
CONFIGURED: Final = "as the application's configuration in the history states"
NOT_ALL: Final = "those the files do not hold run as long as the others of their vertex"
BY_VERTEX: Final = "as long as their vertex states, else as long as it ran"
OTHERS: Final = "entities of type {kind}"
FAILED: Final = "attempts of tasks that failed, were killed or had not ended"
NO_DAG: Final = "vertices whose DAG the files do not hold"
NO_TASKS: Final = "vertices of which no task ran"


class _Entity(msgspec.Struct):
    kept: JsonObject = {}
    events: dict[str, int] = {}  # Event → when [epoch ms]

    def instant(self, key: str, *events: str) -> int | None:
        """A field, else the first of these events that is known [epoch ms]."""
        found = whole(self.kept.get(key), 1)
        return found or next((self.events[each] for each in events if each in self.events), None)


def read_timeline_history(sources: Sequence[TraceSource], rules: MappingRules) -> Iterator[TraceApplication]:
    """The applications of the files, in the order of their submission."""
    known: dict[str, dict[str, _Entity]] = {}
    for source in sources:
        depth = 2 if _LIST.match(source.head) else 1
        for line, fields in source.objects(depth):
            kind, identity = words(fields.get("entitytype")), words(fields.get("entity"))
            if not kind or not identity:
                source.fault("an entity has an entity and an entitytype", line)
            elif kind in _TAKEN:
                _add(known.setdefault(kind, {}).setdefault(identity, _Entity()), fields)
            else:
                source.report.drop(OTHERS.format(kind=kind))
    history = _History(known, sources[0], rules)
    yield from sorted(history.applications(), key=lambda each: each.submitted_ms)


def _add(entity: _Entity, fields: Mapping[str, Any]) -> None:
    filters = fields.get("primaryfilters")
    some = filters.items() if isinstance(filters, dict) else ()
    parts = [fields.get("otherinfo"), {key: values[0] for key, values in some if isinstance(values, list) and values}]
    listed = fields.get("events")
    for event in listed if isinstance(listed, list) else ():
        if isinstance(event, dict):
            when = whole(event.get("timestamp", event.get("ts")), 1)
            if when is not None:
                entity.events[words(event.get("eventtype"))] = when
            parts.append(event.get("eventinfo"))
    for part in parts:
        if isinstance(part, dict):
            entity.kept |= {key: value for key, value in part.items() if key in _KEPT}
    config = entity.kept.get("config")
    if isinstance(config, dict):
        entity.kept["config"] = {key: config[key] for key in _CONFIGURED if key in config}


def _numbers(identity: str) -> tuple[str, ...]:
    """Cluster, application, DAG and vertex of an id, as far as it has them.

    >>> _numbers("vertex_12_0001_1_00"), _numbers("tez_application_12_0001")
    (('12', '0001', '1', '00'), ('12', '0001'))
    """
    match = _NUMBERS.match(identity)
    return tuple(each for each in match.groups() if each is not None) if match else ()


class _History:
    def __init__(self, known: Mapping[str, Mapping[str, _Entity]], source: TraceSource, rules: MappingRules) -> None:
        self._known, self._source, self._rules = known, source, rules
        self._tasks: dict[tuple[str, ...], StageTasks] = {}  # vertex → its tasks
        attempts = known.get("TEZ_TASK_ATTEMPT_ID", {})
        for identity, each in (attempts or known.get("TEZ_TASK_ID", {})).items():
            self._add_task(_numbers(identity)[:4], each)
        self._vertices: dict[tuple[str, ...], list[tuple[int, tuple[str, ...], _Entity]]] = {}
        """DAG → (start, vertex, what is known) of each of its vertices."""
        for identity, each in known.get("TEZ_VERTEX_ID", {}).items():
            key = _numbers(identity)
            begin_ms = each.instant("startTime", "VERTEX_STARTED", "VERTEX_INITIALIZED") or 2**53
            self._vertices.setdefault(key[:3], []).append((begin_ms, key, each))

    def _add_task(self, vertex: tuple[str, ...], task: _Entity) -> None:
        begin_ms = task.instant("startTime", "TASK_ATTEMPT_STARTED", "TASK_STARTED")
        end_ms = task.instant("endTime", "TASK_ATTEMPT_FINISHED", "TASK_FINISHED")
        if begin_ms is None or end_ms is None or end_ms < begin_ms or task.kept.get("status") != "SUCCEEDED":
            self._source.report.drop(FAILED)
        else:
            self._tasks.setdefault(vertex, StageTasks()).add(end_ms - begin_ms)

    def applications(self) -> Iterator[TraceApplication]:
        dags: dict[tuple[str, ...], list[tuple[int, _Entity, tuple[str, ...]]]] = {}
        for identity, each in self._known.get("TEZ_DAG_ID", {}).items():
            key = _numbers(identity)
            begin_ms = each.instant("submitTime", "DAG_SUBMITTED", "DAG_INITIALIZED", "DAG_STARTED")
            begin_ms = begin_ms or each.instant("startTime")
            if begin_ms is None:
                self._source.fault(f"{identity} has no time", 0)
            else:
                dags.setdefault(key[:2], []).append((begin_ms, each, key))
        if orphans := self._vertices.keys() - {key for of_one in dags.values() for _, _, key in of_one}:
            self._source.report.drop(NO_DAG, sum(len(self._vertices[dag]) for dag in orphans))
        if not dags and self._tasks:
            self._source.fault("there are tasks and no DAG: entities of type TEZ_DAG_ID belong to it", 0)
        by_number = {_numbers(name): each for name, each in self._known.get(_YARN, {}).items()}
        for key, of_application in dags.items():
            yield self._tez(key, sorted(of_application, key=lambda dag: dag[0]), by_number.get(key, _Entity()))
        for key, each in by_number.items():
            if key not in dags:
                yield self._summarised(key, each)

    def _of(self, kind: str, key: tuple[str, ...]) -> _Entity:
        found = self._known.get(kind, {})
        return next((each for name, each in found.items() if _numbers(name)[:2] == key), _Entity())

    def _tez(
        self, key: tuple[str, ...], dags: Sequence[tuple[int, _Entity, tuple[str, ...]]], yarn: _Entity
    ) -> TraceApplication:
        self._source.report.note(VERTICES)
        began = self._of("TEZ_APPLICATION_ATTEMPT", key).instant("appSubmitTime")
        submitted_ms = whole(yarn.kept.get("YARN_APPLICATION_SUBMITTED_TIME"), 1) or began or dags[0][0]
        configured = self._of("TEZ_APPLICATION", key).kept.get("config") or {}
        memory_mb, vcores, master_mb = (whole(configured.get(name), 1, 2**31 - 1) for name in _CONFIGURED)
        inferred = {"durations of tasks": SPREAD, "containers": MOST}
        inferred["memory and vcores"] = self._rules.size_rule if memory_mb is None else CONFIGURED
        stages = [
            stage for begin_ms, _, dag in dags for stage in self._stages(dag, max(0, begin_ms - submitted_ms), inferred)
        ]
        ends = [end_ms for _, dag, _ in dags if (end_ms := dag.instant("endTime", "DAG_FINISHED"))]
        first, last = dags[0][1].kept, dags[-1][1].kept
        most = max((stage.count for stage in stages), default=0)
        return TraceApplication(
            id=f"application_{'_'.join(key)}",
            name=words(yarn.kept.get("YARN_APPLICATION_NAME")) or words(first.get("dagName")),
            submitted_ms=submitted_ms,
            finished_ms=max(ends, default=None),
            tasks=(TraceTasks("container", most, (), memory_mb, vcores), *stages) if stages else (),
            behaviour="tez",
            user=words(yarn.kept.get("YARN_APPLICATION_USER")) or words(first.get("user")) or None,
            queue=words(yarn.kept.get("YARN_APPLICATION_QUEUE")) or words(first.get("queueName")) or None,
            type="TEZ",
            state=words(last.get("status")),
            master=None if master_mb is None else (master_mb, 1),
            inferred=inferred,
        )

    def _stages(self, dag: tuple[str, ...], at_ms: int, inferred: dict[str, str]) -> Iterator[TraceTasks]:
        for _, key, vertex in sorted(self._vertices.get(dag, ()), key=lambda each: each[:2]):
            tasks = self._tasks.get(key, StageTasks())
            known = whole(vertex.kept.get("numSucceededTasks")) or whole(vertex.kept.get("numTasks")) or 0
            if tasks.count < known:
                inferred["tasks"] = NOT_ALL if tasks.count else BY_VERTEX
            span = tasks.span() if tasks.count else _span(vertex)
            count = max(tasks.count, known)
            if count and span:
                yield TraceTasks("stage", count, span, at_ms=at_ms)
            else:
                self._source.report.drop(NO_TASKS)

    def _summarised(self, key: tuple[str, ...], each: _Entity) -> TraceApplication:
        word = "YARN_APPLICATION_{}".format
        fields = {
            "id": f"application_{'_'.join(key)}",
            **{name: each.kept.get(word(name.upper())) for name in ("name", "user", "queue", "type")},
            "state": each.kept.get(word("FINAL_STATUS")),
            "memory_seconds": each.kept.get(word("MEMORY"), each.kept.get(word("MEM_METRIC"))),
            "vcore_seconds": each.kept.get(word("CPU"), each.kept.get(word("CPU_METRIC"))),
        }
        submitted_ms = each.instant(word("SUBMITTED_TIME"), word("CREATED")) or 0
        ended_ms = each.instant("", word("FINISHED"))
        has_sums = fields["vcore_seconds"] is not None
        return summarised(fields, submitted_ms, ended_ms, self._rules, has_sums=has_sums)


def _span(vertex: _Entity) -> tuple[int, int] | None:
    """Durations of the tasks of a vertex of which none is known: those it states, else its own."""
    stats = vertex.kept.get("stats")
    if isinstance(stats, dict):
        least, most = (whole(stats.get(name), 0) for name in ("minTaskDuration", "maxTaskDuration"))
        if least is not None and most is not None and least <= most:
            return max(1, least), max(1, most)
    begin_ms = vertex.instant("startTime", "VERTEX_STARTED")
    end_ms = vertex.instant("endTime", "VERTEX_FINISHED")
    if begin_ms is None or end_ms is None or end_ms < begin_ms:
        return None
    return max(1, end_ms - begin_ms), max(1, end_ms - begin_ms)
