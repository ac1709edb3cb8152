"""The recorded incident against what a real ResourceManager 2.7.2 answered, second by second."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from engine.formats.scenario_toml import load
from engine.model.decision import Reserved
from engine.run import Run, play
from engine.simulation.records import Record
from tests.scenarios.test_oracle import Decisions

GOLDEN = Path(__file__).parent.parent / "cases" / "recorded" / "scenarios" / "recorded-incident.json"
FIRST_SUBMISSION_MS = 133
"""In the scenario, ms after its start."""
POLL_LATENCY_MS = 60
"""How much later than its label a poll was answered, by the kill that lies between both."""
CLOSE_MS = 20
"""Heartbeats of the recording wander by so much around their phase."""


@pytest.fixture(scope="module")
def recording() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(GOLDEN.read_text(encoding="utf-8"))
    return data


def test_every_polled_second_agrees(recording: dict[str, Any]) -> None:
    """Memory in use, memory reserved, nodes reserved: before the freeze, in it, after both kills."""
    run = Run(load("reservation-deadlock-recorded"))
    ours = []
    for time_ms, *_ in recording["polls"]:
        run.advance(time_ms + FIRST_SUBMISSION_MS + POLL_LATENCY_MS)
        header = run.snapshot().header
        assert isinstance(header.reserved, tuple)
        ours.append([time_ms, header.used[0], header.reserved[0], header.nodes_reserved])
    assert ours == [poll[:4] for poll in recording["polls"]]


class Reservations:
    """A listener that keeps reservations."""

    def __init__(self) -> None:
        self.made: list[tuple[int, int, str]] = []

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        for record in records:
            if isinstance(record, Reserved):
                self.made.append((time_ms, record.container[0], record.node.partition(":")[0]))


def test_every_reservation_of_the_log_is_made(recording: dict[str, Any]) -> None:
    """By the same application on the same node, in order, at the same heartbeat."""
    scenario = load("reservation-deadlock-recorded")
    ours = Reservations()
    play(scenario, listeners=[ours])
    assert [made[1:] for made in ours.made] == [tuple(logged[1:]) for logged in recording["reservations"]]
    apart = [
        abs(made[0] - scenario.start_ms - logged[0])
        for made, logged in zip(ours.made, recording["reservations"], strict=True)
    ]
    assert max(apart) <= CLOSE_MS


# The preemption of a real ResourceManager of 3.4.1, container by container.

RECORDED = Path(__file__).parent.parent / "cases" / "recorded" / "scenarios" / "recorded-preemption-3.4.json"
RECORDED_PREEMPTION_CLOSE_MS = 35
"""How far our instants may be from those of a machine that needs time for everything."""


def test_the_same_containers_are_picked_and_killed_at_the_same_instants() -> None:
    """All 25 warnings and 25 kills, in the order of the real one's log."""
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))["decisions"]
    ours, scenario = Decisions(), load("preemption-3.4")
    play(scenario, listeners=[ours])
    hour_ms = int(datetime(2026, 11, 21, tzinfo=UTC).timestamp() * 1000)
    for kind in ("warned", "killed"):
        theirs = [(hour_ms + at_ms, name) for at_ms, what, name in recorded if what == kind]
        mine = ours.made[kind]
        assert [name for _, name in mine] == [name for _, name in theirs]
        assert all(
            abs(one[0] - other[0]) <= RECORDED_PREEMPTION_CLOSE_MS for one, other in zip(mine, theirs, strict=True)
        )
