"""An imported scenario: its beginning and length, its applications, and what it leaves out."""

import pytest

from engine.formats.traces.application import TraceApplication, TraceNode, TraceTasks
from engine.formats.traces.report import ImportReport
from engine.formats.traces.to_scenario import NO_TASKS, ONE_USER, TOO_LATE, imported_scenario
from engine.formats.traces.trace_cluster import (
    ClusterChoice,
)
from engine.scenario import (
    JobSpec,
    Size,
    SparkSpec,
    StageSpec,
    StandaloneSpec,
    TezSpec,
)
from tests.engine.formats.traces.test_trace_cluster import MAPS, RULES, report_of


@pytest.mark.parametrize(
    ("submitted_ms", "at_ms", "has_start"),
    [
        (0, 0, False),
        (3_599_999, 3_599_999, False),
        (3_600_000, 0, False),
        (3_600_999, 999, False),
        (99_999_999_999, 999, False),
        (100_000_000_000, 0, True),
        (7_258_118_399_999, 999, True),
    ],
)
def test_a_scenario_begins_with_its_first_submission(submitted_ms: int, at_ms: int, has_start: bool) -> None:
    """On a whole second, where nothing happens before for an hour; an instant of the epoch is its start."""
    found = imported_scenario([TraceApplication("a", submitted_ms, (MAPS,))], ImportReport())

    assert [spec.at_ms for spec in found.workload] == [at_ms]
    assert ("start" in found.model_fields_set) == has_start
    assert not has_start or found.start_ms == submitted_ms // 1000 * 1000


def test_what_a_scenario_cannot_hold_is_counted() -> None:
    report = ImportReport()
    found = imported_scenario(
        [
            TraceApplication("a", 0),
            TraceApplication("b", 7_258_118_400_000, (MAPS,)),
            TraceApplication("c", 0, (MAPS,)),
            TraceApplication("d", 0, (TraceTasks("container", 1), TraceTasks("stage", 2, (1, 3))), "spark", user="u"),
        ],
        report,
        ClusterChoice(policy="spark"),
        RULES,
        name="x",
    )

    assert (found.name, found.title) == ("x", "1 applications of a trace")
    assert dict(report.dropped) == {
        NO_TASKS: 1,
        TOO_LATE: 1,
        "applications that the scheduler spark does not run": 1,
    }
    assert found.workload == (
        StandaloneSpec(
            type="spark-standalone",
            name="d",
            user="u",
            executor_cores=3,
            executor_memory_mb=77,
            executor_limit=1,
            stages=(StageSpec(tasks=2, duration_ms=(1, 3)),),
            application_type="",
        ),
    )
    report = ImportReport()
    large = TraceApplication("e", 0, (TraceTasks("container", 1, (1,), 2**31, 1),))
    assert imported_scenario([large], report).workload == ()
    ((reason, count),) = report.dropped.items()
    assert (reason.startswith("applications beyond what is simulated: "), count) == (True, 1)


STAGES = TraceTasks("stage", 2, (1, 3), hosts=("n1", "n2")), TraceTasks("stage", 4, (5, 5), at_ms=9, overlaps=True)
ONE = StageSpec(tasks=2, duration_ms=(1, 3), hosts=(("n1",), ()))
TWO = StageSpec(tasks=4, duration_ms=(5, 5))
POOL = TraceTasks("container", 6, (), 500, 2)


@pytest.mark.parametrize(
    ("stages", "finished_ms", "work"),
    [
        ((), 4500, {"duration_ms": (4000, 4000)}),
        ((), None, {"duration_ms": (5000, 5000)}),
        (STAGES[:1], None, {"stages": (ONE,)}),
        ((STAGES[0], STAGES[0]), None, {"stages": (ONE, ONE)}),
        (STAGES[1:], None, {"jobs": (JobSpec(at_ms=9, overlaps=True, stages=(TWO,)),)}),
        (
            STAGES,
            None,
            {"jobs": (JobSpec(at_ms=0, stages=(ONE,)), JobSpec(at_ms=9, overlaps=True, stages=(TWO,)))},
        ),
    ],
)
def test_an_application_of_spark_has_its_jobs(
    stages: tuple[TraceTasks, ...], finished_ms: int | None, work: dict[str, object]
) -> None:
    """Stages alone where there is one job at the beginning; as long as it ran where none is known."""
    each = TraceApplication("a", 500, (POOL, *stages), "spark", finished_ms=finished_ms, queue="q", master=(9, 1))
    report = report_of(TraceNode("n1", None, 4096, 8))
    found = imported_scenario([each], report, ClusterChoice(policy="fair-2.7"), RULES)

    same = {"name": "a", "user": "user", "queue": "q", "at_ms": 500, "application_type": ""}
    same |= {"am": Size(memory_mb=9, vcores=1)}
    executor = Size(memory_mb=500, vcores=2)
    expected = {"type": "spark", "executors": 6, "executor": executor, **same, **work}
    assert found.workload == (SparkSpec.model_validate(expected),)
    assert report.inferred["user", ONE_USER] == 1
    if stages:
        tez = imported_scenario([TraceApplication("a", 500, each.tasks, "tez", queue="q", master=(9, 1))], report)
        assert isinstance(tez.workload[0], TezSpec)
        assert (tez.workload[0].container, tez.workload[0].session) == (executor, False)
