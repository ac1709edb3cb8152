"""How a cluster is: the state, and the headline, where no freeze stands."""

from collections.abc import Sequence
from typing import Any

import pytest

from engine.control_plane.cluster_view import RecoveryFigures
from engine.explain.alert import IF_RUNS_ON, Alert
from tests.tui import fakes
from tui.panes.header import BUSY, DEAD, FINE, HARMED, Health, frozen_of, health_of, standing
from tui.protocol.picture import LIVE, STALE, STANDBY, ConnectionStatus, EventRow, RunState, SessionState

PAST = fakes.NOW + 60_000
"""Where a run is whose past is looked at."""


def _alert(kind: str, found_ms: int = fakes.NOW, pattern: str = "", number: int = 1) -> Alert:
    sentence, since_ms = "blocked: application a: b waits", found_ms - 1000
    return Alert(kind, since_ms, found_ms, sentence, "blocked", pattern, (number,), topic="blocked")


def _picture(
    *waits_s: int | None, run: RunState | None = None, events: Sequence[EventRow] = (), **changes: Any
) -> SessionState:
    rows = [
        fakes.application_row(number, waiting_since_ms=None, pending_containers=0)
        if waited is None
        else fakes.application_row(number, waiting_since_ms=fakes.NOW - 1000 * waited)
        for number, waited in enumerate(waits_s)
    ]
    snapshot = fakes.FakeSnapshot(fakes.header(**changes), applications=rows)
    return SessionState(snapshot, run or RunState("x"), events, 0)


def _past(*alerts: Alert) -> SessionState:
    return _picture(run=RunState("x", present_ms=PAST, alerts=alerts))


@pytest.mark.parametrize(
    ("waits_s", "health"),
    [
        ((), Health(FINE, "OK", "60% of memory used, nothing waits")),
        ((None,), Health(FINE, "OK", "60% of memory used, nothing waits")),
        ((7, None), Health(BUSY, "BUSY", "60% of memory used, 1 waiting, longest 7s")),
        ((7, 61), Health(BUSY, "BUSY", "60% of memory used, 2 waiting, longest 1m01s")),
    ],
)
def test_one_that_waits_makes_a_cluster_busy(waits_s: tuple[int | None, ...], health: Health) -> None:
    assert health_of(_picture(*waits_s)) == health


@pytest.mark.parametrize(
    ("states", "word", "headline"),
    [
        (("UNHEALTHY",), "NODE UNHEALTHY", "1 node unhealthy, 12 left"),
        (("UNHEALTHY", "LOST", "LOST"), "NODE LOST", "2 nodes lost, 1 unhealthy, 12 left"),
        (("DECOMMISSIONED", "LOST"), "NODE LOST", "1 node lost, 1 decommissioned, 12 left"),
        (("DECOMMISSIONED",), "OK", "60% of memory used, nothing waits"),
    ],
)
def test_an_unhealthy_node_is_not_lost(states: tuple[str, ...], word: str, headline: str) -> None:
    rows = [fakes.node_row(f"node{place}", state=state) for place, state in enumerate(states)]
    snapshot = fakes.FakeSnapshot(fakes.header(nodes_down=len(states)), nodes=rows)
    found = health_of(SessionState(snapshot, RunState("x"), (), 0))

    assert (found.word, found.headline) == (word, headline)


@pytest.mark.parametrize(
    ("kind", "condition", "word"),
    [("frozen", "", "FROZEN"), ("frozen", IF_RUNS_ON, "FROZEN if"), ("stuck", IF_RUNS_ON, "STUCK if")],
)
def test_what_a_twin_proved_says_what_is_assumed(kind: str, condition: str, word: str) -> None:
    alert = _alert(kind)
    found = health_of(_picture(run=RunState("x", standing=(alert,), alerts=(alert,), condition=condition)))

    assert (found.word, found.headline.endswith(", if what runs runs on")) == (word, bool(condition))


def test_an_alert_that_says_one_is_over_does_not_stand() -> None:
    picture = _past(_alert("over"), _alert("stuck"))

    assert [alert.kind for alert in standing(picture)] == ["stuck"]
    assert frozen_of(picture) is None


@pytest.mark.parametrize(
    ("state", "level", "word"), [(STALE, HARMED, "STALE"), (STANDBY, HARMED, "STANDBY"), (LIVE, FINE, "OK")]
)
def test_a_live_cluster_that_is_not_heard_is_named_so(state: str, level: int, word: str) -> None:
    run = RunState("x", reception=ConnectionStatus(state, PAST, "rm1 does not answer", PAST + 34_000))
    health = health_of(_picture(run=run))

    assert (health.level, health.word, health.headline == "rm1 does not answer") == (level, word, state != LIVE)


@pytest.mark.parametrize(
    ("recovery", "health"),
    [
        (
            RecoveryFigures(True, fakes.NOW - 5000, 0, 12, 0, -1),
            Health(DEAD, "NO MASTER", "no ResourceManager answers, nothing is decided; 1 waits", fakes.NOW - 5000),
        ),
        (
            RecoveryFigures(False, fakes.NOW - 5000, 7, 12, 1, fakes.NOW),
            Health(HARMED, "RECOVERING", "recovering, 7 of 12 nodes back, 1 master missing; 1 waits", fakes.NOW - 5000),
        ),
        (
            RecoveryFigures(False, fakes.NOW - 5000, 12, 12, 2, fakes.NOW - 1),
            Health(
                HARMED, "RECOVERING", "recovering, 12 of 12 nodes back, 2 masters missing; 1 waits", fakes.NOW - 5000
            ),
        ),
    ],
)
def test_a_resource_manager_that_is_gone_or_recovers_is_the_headline(recovery: RecoveryFigures, health: Health) -> None:
    assert health_of(_picture(7, recovery=recovery)) == health
