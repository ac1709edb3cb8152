"""Which setting decides a reason."""

import pytest

from engine.control_plane.protocol import ApplicationMasterHeartbeat
from engine.explain.obstacle_rows import obstacle_rows
from engine.explain.obstacles import obstacles_found
from engine.incremental import finish
from engine.schedulers.activity import Reason
from engine.schedulers.scheduler_view import Setting
from tests.build import START_MS, ask, resource_manager, submit
from tests.engine.explain.stuck import app, scene, why

PICKY = app("holder", '{ memory = "10g", hosts = ["n1"], relax = false }') + app(
    "near", '{ memory = "2g", hosts = ["n1"] }', at=20, waits=False
)
STRICT = PICKY.replace('hosts = ["n1"] }', 'hosts = ["n1"], relax = false }')
BY_TIME = """
"yarn.scheduler.fair.continuous-scheduling-enabled" = true
"yarn.scheduler.fair.locality-delay-node-ms" = 20000
"yarn.scheduler.fair.locality-delay-rack-ms" = 20000
"""
BY_OFFERS = """
"yarn.scheduler.fair.locality.threshold.node" = 1.0
"yarn.scheduler.fair.locality.threshold.rack" = 1.0
"""
VCORES = app("holder", '{ memory = "1g", vcores = 16, count = 2 }') + app("late", '{ memory = "1g", vcores = 4 }', at=9)
OFF = '"schedlab.reservation.rule" = "off"'
FULL = app("holder", '{ memory = "8g", count = 2 }') + app("late", '{ memory = "8g" }', at=9)


def deciders(text: str, seconds: float, number: int, **more: str) -> dict[str, str]:
    """Reason → the key that decides it and its value."""
    rows = why(scene(text, **more), seconds, number).obstacles  # type: ignore[arg-type]  # only texts are given here
    return {row.code: f"{row.decided_by.key} = {row.decided_by.value}" for row in rows if row.decided_by is not None}


@pytest.mark.parametrize(
    ("text", "seconds", "settings", "code", "decider"),
    [
        (PICKY, 22.2, BY_OFFERS, "DELAY_SCHEDULING", "yarn.scheduler.fair.locality.threshold.node = 1"),
        (PICKY, 25, BY_TIME, "DELAY_SCHEDULING", "yarn.scheduler.fair.locality-delay-node-ms = 20000"),
        (VCORES, 20, "", "DOES_NOT_FIT", "yarn.nodemanager.resource.cpu-vcores = 16"),
        (FULL, 20, "", "DOES_NOT_FIT", "yarn.nodemanager.resource.memory-mb = 10240"),
        (STRICT, 30, "", "LOCALITY_NOT_RELAXED", "relaxLocality = false"),
    ],
)
def test_it_is_named_with_its_value(text: str, seconds: float, settings: str, code: str, decider: str) -> None:
    assert deciders(text, seconds, 2, settings=settings)[code] == decider


def test_a_setting_that_would_change_nothing_is_not_named() -> None:
    (row,) = why(scene(FULL, settings=OFF), 20, 2).obstacles

    assert (row.code, row.decided_by) == ("RESERVATION_LIMIT", None)


def test_fifo_has_no_allocation_file() -> None:
    found = why(scene(app("one", '{ memory = "1g" }'), top='scheduler = "fifo"'), 2.2, 1).obstacles

    assert {row.code: row.decided_by for row in found if row.code == Reason.OTHER_FIRST.name} in (
        {},
        {Reason.OTHER_FIRST.name: None},
    )


def test_a_blacklist_is_the_applications_own() -> None:
    rm = resource_manager(nodes=1)
    number = submit(rm)
    ask(rm, number, 1)
    rm.handle(ApplicationMasterHeartbeat(number, blacklist_add=("n1",)), START_MS)
    attempt = rm.cluster.applications[number].attempt
    assert attempt is not None

    (row,) = obstacle_rows(rm.scheduler, attempt, finish(obstacles_found(rm.scheduler, attempt, START_MS)))

    assert (row.code, row.decided_by) == ("BLACKLISTED", Setting("blacklist", "n1"))
