"""What a workload is like."""

from engine.formats.scenario_toml import load
from engine.formats.traces.application import TraceTasks
from engine.formats.traces.exports import BUCKETS, applications_of, described
from engine.formats.traces.report import ImportReport
from tests.engine.formats.traces.test_to_scenario import application


def test_a_workload_is_described_by_queue_and_user() -> None:
    """The largest groups first; arrivals in equal stretches, the last instant in the last one."""
    tasks = TraceTasks("container", 4, (2000,), 512, 1)
    picture = described(
        [
            application(tasks, submitted_ms=1000, queue="a", user="x"),
            application(tasks, submitted_ms=2000, queue="b", user="x"),
            application(tasks, TraceTasks("container", 1, (), 1024, 1), submitted_ms=121_000, queue="b", user="y"),
        ]
    )

    assert (picture.first_ms, picture.last_ms, picture.behaviours) == (1000, 121_000, {"mapreduce": 3})
    assert [(group.name, group.applications) for group in picture.queues] == [("b", 2), ("a", 1)]
    assert [(group.name, group.work_ms) for group in picture.users] == [("x", 16_000), ("y", 8000)]
    assert (picture.total.containers.most, picture.total.memory_mb.most) == (5, 1024)
    assert picture.total.duration_ms.median == 2000
    assert (len(picture.arrivals), picture.arrivals[0], picture.arrivals[-1]) == (BUCKETS, 2, 1)


def test_every_kind_of_application_of_a_scenario_is_described() -> None:
    report = ImportReport()
    found = list(applications_of(load("reservation-deadlock"), report))

    assert len(found) == len({each.id for each in found}) == 212
    assert {each.behaviour for each in found} == {"containers", "gang", "mapreduce", "spark"}
    assert [each.submitted_ms for each in found] == sorted(each.submitted_ms for each in found)
    assert any("drawn" in note for note in report.notes)
