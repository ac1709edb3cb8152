"""History of YARN's timeline server: DAGs of Tez with their vertices and tasks, and applications.

Entities stand in lists, as `/ws/v1/timeline/TEZ_DAG_ID` answers and Tez's page saves them, or one after another, as
Tez logs them itself. Files are read together: what one of them says of an entity is added to what others say.
Vertices of a DAG run one after another, as they began.

Source: HistoryEventTimelineConversion, HistoryEventJsonConversion, ATSConstants, Tez 0.5 to 0.10;
ApplicationMetricsConstants, Hadoop 2.7 to 3.4.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from engine.formats.traces.application import (
    SPREAD,
    MappingRules,
    StageTasks,
    TraceApplication,
    TraceTasks,
    whole,
    words,
)
from engine.formats.traces.json_objects import JsonObject
from engine.formats.traces.resource_manager_answers import summarised
from engine.formats.traces.source import TraceSource

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
CONFIGURED: Final = "as the application's configuration in the history states"
NOT_ALL: Final = "those the files do not hold run as long as the others of their vertex"
OTHERS: Final = "entities of type {kind}"
FAILED: Final = "attempts of tasks that failed, were killed or had not ended"
NO_DAG: Final = "vertices whose DAG the files do not hold"


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
        self._source.report.note("vertices of a DAG follow one another as they began; edges between them are not kept")
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
                inferred["tasks"] = NOT_ALL if tasks.count else "as long as their vertex states, else as long as it ran"
            span = tasks.span() if tasks.count else _span(vertex)
            count = max(tasks.count, known)
            if count and span:
                yield TraceTasks("stage", count, span, at_ms=at_ms)
            else:
                self._source.report.drop("vertices of which no task ran")

    def _summarised(self, key: tuple[str, ...], each: _Entity) -> TraceApplication:
        word = "YARN_APPLICATION_{}".format
        fields = {
            "id": f"application_{'_'.join(key)}",
            **{name: each.kept.get(word(name.upper())) for name in ("name", "user", "queue")},
            "applicationType": each.kept.get(word("TYPE")),
            **dict.fromkeys(("state", "finalStatus"), each.kept.get(word("FINAL_STATUS"))),
            "memorySeconds": each.kept.get(word("MEMORY"), each.kept.get(word("MEM_METRIC"))),
            "vcoreSeconds": each.kept.get(word("CPU"), each.kept.get(word("CPU_METRIC"))),
        }
        submitted_ms = each.instant(word("SUBMITTED_TIME"), word("CREATED")) or 0
        ended_ms = each.instant("", word("FINISHED"))
        has_sums = fields["vcoreSeconds"] is not None
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
