"""What measures are worth in a picture of a cluster."""

import pytest
from msgspec.structs import replace

from engine.observe.snapshot import UNKNOWN, Amounts, AskRow
from engine.run.expectations import find_application, measure
from engine.scenario import MEASURES, Expectation
from tests.engine.run.pictures import Picture, application

SUBJECTS = {"queue": {"queue": "prod"}, "node": {"node": "n1"}, "application": {"application": "12"}}

SLOTS = ("slots_share", "wrong_kind_slots")


def of(subject: str, what: str, **which: str) -> object:
    fields = {"of": subject, "what": what, "at": 0, "equals": 0, **which}
    return measure(Expectation.model_validate(fields), Picture())


@pytest.mark.parametrize(
    ("subject", "what", "value"),
    [
        ("cluster", "used_memory_mb", 4096),
        ("cluster", "used_vcores", 2),
        ("cluster", "used_cores", None),
        ("cluster", "used_map_slots", None),
        ("cluster", "memory_share", 0.5),
        ("cluster", "vcores_share", 0.25),
        ("cluster", "reserved_memory_mb", 3072),
        ("cluster", "nodes", 2),
        ("cluster", "nodes_reserved", 2),
        ("cluster", "containers", 4),
        ("queue", "used_memory_mb", 2048),
        ("queue", "used_vcores", 4),
        ("queue", "memory_share", 0.25),
        ("queue", "vcores_share", 0.5),
        ("queue", "fair_share_mb", 4096),
        ("queue", "steady_share_mb", None),
        ("queue", "demand_mb", 3072),
        ("queue", "applications_running", 2),
        ("queue", "applications_pending", 1),
        ("node", "used_memory_mb", 3072),
        ("node", "used_vcores", 3),
        ("node", "used_cores", None),
        ("node", "free_memory_mb", 1024),
        ("node", "containers", 3),
        ("node", "reserved_by", "0012"),
        ("node", "state", "RUNNING"),
        ("application", "state", "RUNNING"),
        ("application", "queue", "root.prod"),
        ("application", "used_memory_mb", 1024),
        ("application", "used_vcores", 3),
        ("application", "memory_share", 0.125),
        ("application", "vcores_share", 0.375),
        ("application", "refusal", ""),
        ("application", "containers", 1),
        ("application", "reservations", 2),
        ("application", "pending_containers", 3),
        ("application", "jobs_done", None),
        ("application", "idle_containers", None),
        ("applications", "count", 4),
        ("reservations", "count", 2),
        ("reservations", "nodes", ("n1", "n2")),
        ("reservations", "memory_mb", 3072),
    ],
)
def test_a_measure_reads_the_picture(subject: str, what: str, value: object) -> None:
    """Memory is MB, shares are of the cluster, what the source cannot tell is None."""
    assert of(subject, what, **SUBJECTS.get(subject, {})) == value


@pytest.mark.parametrize("subject", [subject for subject in MEASURES if subject != "decisions"])
def test_every_measure_has_a_value_or_none(subject: str) -> None:
    answers = [of(subject, what, **SUBJECTS.get(subject, {})) for what in MEASURES[subject]]
    assert len(answers) == len(MEASURES[subject])


@pytest.mark.parametrize("which", [{"queue": "nowhere"}, {"node": "n9"}, {"application": "99"}])
def test_what_is_not_there_has_no_value(which: dict[str, str]) -> None:
    (subject,) = which
    assert of(subject, "used_memory_mb", **which) is None


def test_a_source_that_cannot_tell_has_no_value() -> None:
    unknown = Expectation(at_ms=0, of="cluster", what="nodes_reserved", equals=0)
    share = Expectation(at_ms=0, of="cluster", what="memory_share", equals=0)
    assert measure(unknown, Picture(reserved=UNKNOWN)) is None
    assert measure(share, Picture(total=(0, 0))) is None


@pytest.mark.parametrize(
    ("name", "number"),
    [("application_7_0112", 112), ("112", 112), ("0012", 12), ("12", 12), ("weekly", 12), ("2", 2), ("99", None)],
)
def test_an_application_is_found_by_id_end_of_its_number_or_name(name: str, number: int | None) -> None:
    """The whole number wins over the end of another; a live one over one that has ended."""
    row = find_application(Picture().applications(), name)
    assert (row.number if row else None) == number


@pytest.mark.parametrize(
    ("used", "size", "share", "idle"),
    [((8, 2), (1, 0), 0.625, 6), ((8, 2), (0, 1), 0.625, 0), ((7, 8), (0, 1), 15 / 16, 1), ((8, 8), (1, 0), 1.0, 0)],
)
def test_slots_of_the_wrong_kind_are_idle_ones_that_waiting_tasks_cannot_use(
    used: Amounts, size: Amounts, share: float, idle: int
) -> None:
    """They count only while every slot of the kind that is waited for is taken."""
    picture = Picture(total=(8, 8))
    picture.header = replace(picture.header, dimensions=("map_slots", "reduce_slots"), used=used)
    waiting = replace(application(1), asks=(AskRow(0, 3, size),))
    picture.applications = lambda *, why=True: [waiting]  # type: ignore[method-assign]  # one row instead of four
    measured = [Expectation.model_validate({"of": "cluster", "what": what, "at": 0, "equals": 0}) for what in SLOTS]

    assert [measure(one, picture) for one in measured] == [share, idle]


@pytest.mark.parametrize("queue", ["prod", "root.prod"])
def test_a_queue_is_found_with_and_without_root(queue: str) -> None:
    assert of("queue", "used_vcores", queue=queue) == 4
    assert of("applications", "count", queue=queue) == of("applications", "count", queue="root.prod") == 3
