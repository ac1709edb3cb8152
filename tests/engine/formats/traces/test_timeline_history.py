"""History of the timeline server becomes Tez applications, and others by their sums."""

import json

from engine.formats.traces import timeline_history
from engine.formats.traces.application import MappingRules, TraceTasks
from engine.formats.traces.formats import BY_NAME
from engine.formats.traces.report import ImportReport
from engine.formats.traces.to_scenario import imported_scenario
from engine.run import Run
from engine.scenario import TezSpec
from tests.engine.formats.traces.samples import ATS, ATS_ENTITIES, imported, one, source


def test_a_dag_has_its_vertices_as_stages_in_the_order_they_began() -> None:
    """Tasks as long as their attempts; of a vertex without attempts as long as it; other entities are counted."""
    (application,), report = imported(ATS)

    assert (application.id, application.name, application.user, application.queue) == (
        "application_9_0001",
        "sales",
        "ann",
        "etl",
    )
    assert (application.submitted_ms, application.finished_ms, application.master) == (5000, 60_000, (1536, 1))
    assert application.tasks == (
        TraceTasks("container", 2, (), 2048, None),
        TraceTasks("stage", 2, (4000, 6000)),
        TraceTasks("stage", 1, (20_000, 20_000)),
    )
    assert application.inferred["tasks"] == timeline_history.BY_VERTEX
    assert dict(report.dropped) == {timeline_history.OTHERS.format(kind="TEZ_CONTAINER_ID"): 1}


def test_entities_may_stand_one_after_another_and_in_several_files() -> None:
    lines = [json.dumps(each) + "\n\x01" for each in ATS_ENTITIES]
    report = ImportReport()
    files = [source("".join(lines[4:]), report), source("".join(lines[:4]), report)]

    assert one("".join(lines)) == one(ATS)
    assert list(BY_NAME["ats"].read(files, MappingRules())) == [one(ATS)]


def test_a_tez_application_is_played_as_one() -> None:
    found, report = imported(ATS)
    scenario = imported_scenario(found, report)

    (spec,) = scenario.workload
    assert isinstance(spec, TezSpec)
    assert [(stage.tasks, stage.duration_ms) for stage in spec.dags[0].stages] == [
        (2, (4000, 6000)),
        (1, (20_000, 20_000)),
    ]
    run = Run(scenario)
    run.advance(scenario.duration_ms)
    assert run.snapshot().applications(why=False)[0].state == "FINISHED"


def test_an_application_without_dags_is_known_by_its_sums() -> None:
    entity = {
        "entitytype": "YARN_APPLICATION",
        "entity": "application_9_0002",
        "events": [
            {"timestamp": 1000, "eventtype": "YARN_APPLICATION_CREATED", "eventinfo": {}},
            {"timestamp": 11_000, "eventtype": "YARN_APPLICATION_FINISHED", "eventinfo": {}},
        ],
        "otherinfo": {
            "YARN_APPLICATION_USER": "bob",
            "YARN_APPLICATION_QUEUE": "q",
            "YARN_APPLICATION_CPU": 30,
            "YARN_APPLICATION_MEMORY": 61_440,
        },
    }
    application = one(json.dumps({"entities": [entity]}))

    assert (application.id, application.user, application.queue) == ("application_9_0002", "bob", "q")
    assert application.tasks == (TraceTasks("container", 4, (3800,), 2048, 1, at_ms=1600),)


def test_tasks_without_their_dag_are_said() -> None:
    found, report = imported(
        json.dumps({"entities": [each for each in ATS_ENTITIES if "DAG" not in str(each["entitytype"])]})
    )

    assert (found, report.faults, report.dropped[timeline_history.NO_DAG]) == ([], 1, 2)
