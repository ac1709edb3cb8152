"""Measures of what only some sources have: slots, cores, sessions, obstacles, and who is meant among many."""

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from engine.observe.snapshot import UNKNOWN, Amounts, ApplicationRow, AskRow, NodeRow, ObstacleSummary
from engine.run.measures import Measured, find_application, matches, measure
from engine.scenario import Expectation
from tests.engine.run.pictures import Picture, application

SLOTS = ("map_slots", "reduce_slots")


class Other(Picture):
    """The picture with other applications or nodes; it remembers whether reasons were asked for."""

    def __init__(self, rows: Sequence[ApplicationRow] = (), nodes: Sequence[NodeRow] = (), **header: Any) -> None:
        super().__init__()
        self.header = replace(self.header, **header)
        self.rows, self.machines = rows, nodes
        self.asked: list[bool] = []

    def applications(self, *, why: bool = True) -> Sequence[ApplicationRow]:
        """Those given."""
        self.asked.append(why)
        return self.rows

    def nodes(self) -> Sequence[NodeRow]:
        """Those given."""
        return self.machines


def of(picture: Picture, subject: str, what: str, **which: str) -> Measured:
    """The measure of a subject in a picture."""
    return measure(Expectation.model_validate({"of": subject, "what": what, "at": 0, "equals": 0, **which}), picture)


@pytest.mark.parametrize(
    ("dimensions", "what", "value"),
    [
        (("memory_mb", "cores"), "used_memory_mb", 4096),
        (("memory_mb", "cores"), "used_cores", 2),
        (("memory_mb", "cores"), "used_vcores", None),
        (("memory_mb", "cores"), "memory_share", 0.5),
        (("memory_mb", "cores"), "vcores_share", None),
        (SLOTS, "used_map_slots", 4096),
        (SLOTS, "used_reduce_slots", 2),
        (SLOTS, "memory_share", None),
        (SLOTS, "reserved_memory_mb", None),
        (SLOTS, "slots_share", 4098 / 8200),
    ],
)
def test_a_source_has_the_measures_of_its_dimensions(dimensions: tuple[str, str], what: str, value: Measured) -> None:
    """The others are None."""
    assert of(Other(dimensions=dimensions), "cluster", what) == value


def test_a_cluster_without_slots_has_no_share_of_them() -> None:
    """One of one kind alone has."""
    assert of(Other(dimensions=SLOTS, total=(0, 0), used=(0, 0)), "cluster", "slots_share") is None
    assert of(Other(dimensions=SLOTS, total=(0, 4), used=(0, 1)), "cluster", "slots_share") == 0.25


def asking(*sizes: Amounts) -> ApplicationRow:
    """An application that waits for tasks of these sizes."""
    return replace(application(1), asks=tuple(AskRow(0, 1, size) for size in sizes))


@pytest.mark.parametrize(
    ("used", "rows", "idle"),
    [
        ((8, 5), [asking((1, 0))], 3),
        ((8, 5), [asking((0, 1)), asking((1, 0))], 3),
        ((8, 5), [asking((0, 1), (1, 0))], 3),
        ((9, 5), [asking((1, 0))], 3),
        ((7, 5), [asking((1, 0))], 0),
        ((8, 5), [asking((0, 1))], 0),
        ((8, 5), [], 0),
        ((8, 5), [replace(application(1), asks=UNKNOWN)], 0),
        ((5, 8), [asking((0, 1))], 3),
        ((8, 8), [asking((1, 0), (0, 1))], 0),
    ],
)
def test_idle_slots_of_the_wrong_kind(used: Amounts, rows: Sequence[ApplicationRow], idle: int) -> None:
    """Those of one kind while the other is all taken and waited for."""
    picture = Other(rows, dimensions=SLOTS, total=(8, 8), used=used)
    assert of(picture, "cluster", "wrong_kind_slots") == idle
    assert picture.asked == [False]


def test_sessions_and_services_have_jobs() -> None:
    """Zero of them included."""
    picture = Other([replace(application(1), lifespan="session", jobs_done=0, idle_containers=2)])
    assert of(picture, "application", "jobs_done", application="1") == 0
    assert of(picture, "application", "idle_containers", application="1") == 2


def test_a_refusal_is_the_code_of_the_obstacle() -> None:
    """Reasons are asked for where they are measured, and nowhere else, for they cost much."""
    picture = Other([replace(application(1), obstacle=ObstacleSummary("QUEUE_LIMIT", "it is full"))])
    assert of(picture, "application", "refusal", application="1") == "QUEUE_LIMIT"
    assert of(picture, "application", "state", application="1") == "RUNNING"
    assert of(picture, "applications", "count") == 1
    assert of(picture, "reservations", "count", application="1") == 0
    assert picture.asked == [True, False, False, False]


def test_what_a_source_cannot_tell_of_an_application_is_none() -> None:
    """Its reservations and what it waits for."""
    picture = Other([replace(application(1), reservations=UNKNOWN, pending_containers=UNKNOWN)])
    assert of(picture, "application", "reservations", application="1") is None
    assert of(picture, "application", "pending_containers", application="1") is None


def test_who_holds_a_node_is_the_end_of_its_id() -> None:
    """Nobody is empty; who it is may be unknown."""
    first, second = Picture().nodes()
    picture = Other(nodes=[first, second, replace(second, id="n3:1", host="n3", reserved_by=UNKNOWN)])
    assert [of(picture, "node", "reserved_by", node=name) for name in ("n1", "n2:8041", "n3")] == ["0012", "", None]


@pytest.mark.parametrize(
    ("narrowed", "count"),
    [
        ({}, 4),
        ({"state": "RUNNING"}, 2),
        ({"queue": "root.prod"}, 3),
        ({"queue": "prod", "name": "weekly"}, 2),
        ({"queue": "dev", "name": "weekly"}, 0),
        ({"state": "FINISHED", "name": "weekly"}, 1),
        ({"state": "RUNNING", "queue": "dev"}, 0),
    ],
)
def test_all_that_narrows_applications_down_has_to_fit(narrowed: dict[str, str], count: int) -> None:
    """State, queue and name together."""
    assert of(Picture(), "applications", "count", **narrowed) == count


def test_reservations_are_summed() -> None:
    """Of all, of one application, of none."""
    asked = [{}, {"application": "12"}, {"application": "2"}, {"application": "99"}]
    assert [of(Picture(), "reservations", "count", **which) for which in asked] == [2, 1, 0, 0]
    assert [of(Picture(), "reservations", "memory_mb", **which) for which in asked] == [3072, 1536, 0, 0]
    assert [of(Picture(), "reservations", "nodes", **which) for which in asked] == [("n1", "n2"), ("n1",), (), ()]


DRIVER = replace(application(1), id="driver-20240101000000-0007", number=7, name="shell")


@pytest.mark.parametrize(
    ("row", "name", "is_meant"),
    [
        (DRIVER, "d0007", True),
        (DRIVER, "d7", True),
        (DRIVER, "d17", False),
        (DRIVER, "0007", True),
        (DRIVER, "d", False),
        (DRIVER, DRIVER.id, True),
        (DRIVER, "shell", True),
        (application(7), "d0007", False),
        (application(7), "d7", False),
        (application(7, name="d7x"), "d7x", True),
        (application(7), "07", True),
        (application(7), "7_0007", False),
        (application(7), "_0007", False),
        (application(7), "17", False),
        (application(7, name="weekly"), "week", False),
        (application(7), application(7).id, True),
    ],
)
def test_a_name_means_an_application(row: ApplicationRow, name: str, is_meant: bool) -> None:
    """By its id, its name or the end of its number; a driver by a `d` before that."""
    assert matches(row, name) == is_meant


def number_found(rows: Sequence[ApplicationRow], name: str) -> int | None:
    """The number of the one application that is meant."""
    row = find_application(rows, name)
    return None if row is None else row.number


def test_one_of_several_is_meant_where_something_sets_it_apart() -> None:
    """Its whole number, then that it lives; of two alike neither."""
    lives, ended = application(112), application(212, "FINISHED")
    assert number_found([application(12), lives, ended], "12") == 12
    assert number_found([application(12), lives, ended], "0012") == 12
    assert number_found([lives, ended], "12") == 112
    assert number_found([ended], "12") == 212
    assert number_found([ended, application(312, "KILLED")], "12") is None
    assert number_found([lives, application(312)], "12") is None
    assert number_found([], "12") is None


def test_an_id_wins_over_a_name() -> None:
    """Somebody may call an application by another's id."""
    one, other = application(1), application(2, name="application_7_0001")
    assert number_found([other, one], "application_7_0001") == 1
