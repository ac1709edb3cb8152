"""Measures of what only some sources have: slots, cores, sessions, obstacles, and who is meant among many."""

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from engine.observe.snapshot import UNKNOWN, Amounts, ApplicationRow, AskRow, NodeRow
from engine.run.measures import Measured, matches, measure
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
        self.asked.append(why)
        return self.rows

    def nodes(self) -> Sequence[NodeRow]:
        return self.machines


def of(picture: Picture, subject: str, what: str, **which: str) -> Measured:
    return measure(Expectation.model_validate({"of": subject, "what": what, "at": 0, "equals": 0, **which}), picture)


def asking(*sizes: Amounts) -> ApplicationRow:
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
    picture = Other(rows, dimensions=SLOTS, total=(8, 8), used=used)
    assert of(picture, "cluster", "wrong_kind_slots") == idle
    assert picture.asked == [False]


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
    assert of(Picture(), "applications", "count", **narrowed) == count


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
