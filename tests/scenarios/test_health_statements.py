"""Whatever a screen says about the health of a packaged scenario is so."""

import pytest

from engine.formats.scenario_toml import load, packaged
from engine.training.drill import load_drill
from tests.scenarios.health_statements import pictures, statements
from tui.panes.header import BUSY, FINE, frozen_of, health_of

NAMES = packaged()
LARGE = {
    "fair-order",
    "lifespans-application-each",
    "lifespans-session",
    "mr1-job-tracker-restart",
    "mr1-slots-of-the-wrong-kind",
    "preemption-livelock-capacity",
    "prod-dev-capacity",
    "prod-dev-fair",
    "reservations-one-queue",
}
SOME = [name for name in NAMES if not name.endswith(("-twin", "-3.4", "-recovered")) and name not in LARGE]
"""Those that the quick test looks at."""
LOOKED_MS = 600_000
"""How far the quick test looks [ms]."""


def _wrong(name: str, instants: int, until_ms: int) -> list[str]:
    scenario = load(name)
    until_ms = min(until_ms, scenario.duration_ms)
    return [
        statement.words
        for picture in pictures(scenario, instants, until_ms)
        for statement in statements(picture)
        if not statement.is_so
    ]


@pytest.mark.parametrize("name", SOME)
def test_header_groups_and_table_agree_at_the_beginning(name: str) -> None:
    """At four instants of the first ten minutes: nothing waits only where no ask is open, and so for the others."""
    assert _wrong(name, 4, LOOKED_MS) == []


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_header_groups_and_table_agree_at_twenty_instants(name: str) -> None:
    assert _wrong(name, 20, 1 << 62) == []


def test_a_healthy_cluster_stays_calm() -> None:
    """The drill whose answer is that nothing is wrong has no badge at any of twenty instants."""
    scenario = load_drill("quiet-shift").scenario
    found = [health_of(picture) for picture in pictures(scenario, 20, 300_000)]

    assert {health.level for health in found} <= {FINE, BUSY}


@pytest.mark.parametrize("name", ["fair-two-users", "fair-two-users-3.4"])
def test_reservations_of_a_few_seconds_are_no_culprit(name: str) -> None:
    *_, last = pictures(load(name), 2, 80_000)
    health = health_of(last)

    assert health.level in {FINE, BUSY}
    assert "holds" not in health.headline


@pytest.mark.long
@pytest.mark.parametrize("name", [pytest.param("reservation-deadlock", marks=pytest.mark.slow), "spark-cores-hoarded"])
def test_a_freeze_clears_when_something_is_given_again(name: str) -> None:
    """At once in the present, and at the same instant when the past is looked at."""
    scenario = load(name)
    frozen = [frozen_of(picture) is not None for picture in pictures(scenario, 20, scenario.duration_ms)]

    assert True in frozen
    assert frozen[-1] is False


def test_a_freeze_names_who_is_given_nothing() -> None:
    *_, last = pictures(load("pattern-user-limit"), 2, 30_000)

    assert health_of(last).headline == "user limit: 0002 is never given what it asks for"
