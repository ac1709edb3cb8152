"""The workload of a scenario as applications of a trace: for its description, and for other simulators.

What a trace cannot say is left out and named in the report.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from engine.formats.traces.application import Behaviour, Kind, TraceApplication, TraceTasks
from engine.formats.traces.report import ImportReport
from engine.scenario import (
    ApplicationSpec,
    JobSpec,
    MapReduceSpec,
    Scenario,
    ScriptedSpec,
    ServiceSpec,
    Size,
    SparkSpec,
    StandaloneSpec,
    TezSpec,
)
from engine.workload.arrivals import arrivals

MIDDLE: Final = "durations that are drawn are the middle of their span"
FOREVER: Final = "tasks that run for ever have no duration"
RACKS: Final = "racks that asks name, and strictness, are not kept"
REUSE: Final = "containers that are used again are counted once for each task, stages of a DAG all at once"
EACH_NODE: Final = "asks for each node are counted for all nodes"


def applications_of(scenario: Scenario, report: ImportReport) -> Iterator[TraceApplication]:
    """The applications of a scenario in order of submission, those submitted several times unrolled.

    Instants are ms after the scenario's start.
    """
    number = scenario.first_application
    nodes = len(scenario.cluster.all_nodes())
    for arrival in arrivals(scenario.workload):
        spec = arrival.spec
        if arrival.number is not None:
            number = max(number, arrival.number)
        tasks, behaviour = _Tasks(report, nodes).of(spec)
        am = None if isinstance(spec, StandaloneSpec) else spec.am
        yield TraceApplication(
            id=f"application_{scenario.timestamp}_{arrival.number or number:04d}",
            name=spec.name,
            submitted_ms=arrival.at_ms,
            tasks=tasks,
            behaviour=behaviour,
            user=spec.user,
            queue=spec.queue,
            type=spec.application_type,
            master=None if am is None else (am.memory_mb, am.vcores),
            has_master=am is not None,
        )
        number += 1


class _Tasks:
    """Makes the tasks of one specification."""

    def __init__(self, report: ImportReport, nodes: int) -> None:
        self._report, self._nodes = report, nodes

    def of(self, spec: ApplicationSpec) -> tuple[tuple[TraceTasks, ...], Behaviour]:
        """The tasks, and how they are asked for."""
        match spec:
            case MapReduceSpec():
                return self._mapreduce(spec), "mapreduce"
            case SparkSpec():
                durations = self._durations(spec.duration_ms) if not spec.all_jobs else ()
                count = max(1, spec.executors, spec.dynamic.initial if spec.dynamic else 0)
                executors = self._sized("container", count, spec.executor, durations)
                return (executors, *self._stages(spec.all_jobs)), "spark"
            case StandaloneSpec():
                size = Size(memory_mb=spec.executor_memory_mb, vcores=spec.executor_cores or 1)
                return (
                    self._sized("container", spec.executor_limit or 1, size, ()),
                    *self._stages((JobSpec(stages=spec.stages),) if spec.stages else ()),
                ), "spark"
            case TezSpec():
                self._report.note(REUSE)
                return tuple(self._dags(spec)), "containers"
            case ServiceSpec():
                count = spec.instances * (self._nodes if spec.each_node else 1)
                self._report.note(FOREVER)
                return (self._sized("container", count, spec.instance, ()),), "containers"
            case ScriptedSpec():
                return tuple(self._asks(spec)), "gang" if spec.waits else "containers"

    def _mapreduce(self, spec: MapReduceSpec) -> tuple[TraceTasks, ...]:
        hosts = [places[0] if places else "" for places in spec.blocks]
        maps = TraceTasks(
            "map",
            spec.maps,
            spec.map_durations_ms or self._durations(spec.map_duration_ms),
            spec.map.memory_mb,
            spec.map.vcores,
            tuple(hosts[task % len(hosts)] for task in range(spec.maps)) if any(hosts) else (),
        )
        durations = spec.reduce_durations_ms or self._durations(spec.reduce_duration_ms)
        reduces = self._sized("reduce", spec.reduces, spec.reduce, durations)
        return tuple(tasks for tasks in (maps, reduces) if tasks.count)

    def _asks(self, spec: ScriptedSpec) -> Iterator[TraceTasks]:
        for ask in spec.asks:
            if ask.racks or not ask.relax:
                self._report.note(RACKS)
            if ask.each_node:
                self._report.note(EACH_NODE)
            yield TraceTasks(
                "container",
                ask.count * (self._nodes if ask.each_node else 1),
                self._durations(ask.duration_ms),
                ask.memory_mb,
                ask.vcores,
                ask.hosts[:1],
                ask.at_ms,
                ask.priority,
            )

    def _dags(self, spec: TezSpec) -> Iterator[TraceTasks]:
        size = spec.container
        for dag in spec.all_jobs:
            for stage in dag.stages:
                durations = self._durations(stage.duration_ms)
                yield TraceTasks("container", stage.tasks, durations, size.memory_mb, size.vcores, (), dag.at_ms)

    def _stages(self, jobs: Iterable[JobSpec]) -> Iterator[TraceTasks]:
        for job in jobs:
            for stage in job.stages:
                yield TraceTasks("stage", stage.tasks, stage.duration_ms or (), at_ms=job.at_ms)

    def _durations(self, span: tuple[int, int] | None) -> tuple[int, ...]:
        if span is None:
            self._report.note(FOREVER)
            return ()
        if span[0] != span[1]:
            self._report.note(MIDDLE)
        return ((span[0] + span[1]) // 2,)

    @staticmethod
    def _sized(kind: Kind, count: int, size: Size, durations: tuple[int, ...]) -> TraceTasks:
        return TraceTasks(kind, count, durations, size.memory_mb, size.vcores)
