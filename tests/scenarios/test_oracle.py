"""Scenarios against Hadoop's own classes: the same events on the same clock, the same decisions at the same instants.

The golden cases were answered by FairScheduler 2.7.2, those of scenarios of 3.x by 3.4.1. Each holds exactly what the
simulation tells its control plane today, so a scenario that is changed needs a new case.
"""

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from engine.formats.scenario_toml import load
from engine.model.decision import Allocated, Killed, Reserved, Unreserved, Warned
from engine.run import play
from engine.simulation.records import Record
from tests.scenarios.oracle_case import case_of, decisions

GOLDEN = Path(__file__).parent.parent / "cases" / "recorded" / "scenarios"
CASES = {
    "preemption-minshare": 60_000,
    "fair-order": 330_000,
    "delay-scheduling": 60_000,
    "drf-cpu-memory": 10_000,
    "fair-two-users": 240_000,
    "prod-dev-fair": 360_000,
    "reservation-deadlock": 2_160_000,
    "preemption-minshare-3.4": 60_000,
    "fair-order-3.4": 330_000,
    "delay-scheduling-3.4": 60_000,
    "drf-cpu-memory-3.4": 10_000,
    "fair-two-users-3.4": 240_000,
    "prod-dev-fair-3.4": 360_000,
    "reservation-deadlock-3.4": 2_160_000,
}
"""Scenario → how far the case goes [ms after the start]."""
LONG_MS = 360_000
PLAYED = [pytest.param(name, marks=[pytest.mark.long] * (end_ms >= LONG_MS)) for name, end_ms in CASES.items()]


class Decisions:
    """A listener that keeps decisions as a case tells them."""

    def __init__(self) -> None:
        self.made: dict[str, list[tuple[int, str]]] = {}

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        for record in records:
            if isinstance(record, Allocated | Reserved | Unreserved | Warned | Killed):
                self._keep(time_ms, record)

    def _keep(self, time_ms: int, record: Allocated | Reserved | Unreserved | Warned | Killed) -> None:
        container = f"a{record.container[0]}_{record.container[2]:06d}"
        held = f"a{record.container[0]}@{record.node.rpartition(':')[0]}"
        if isinstance(record, Killed) and record.cause != "PREEMPTED":
            return
        name = held if isinstance(record, Reserved | Unreserved) else container
        self.made.setdefault(type(record).__name__.lower(), []).append((time_ms, name))


def golden(name: str) -> dict[str, Any]:
    with gzip.open(GOLDEN / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
        case: dict[str, Any] = json.load(file)
    return case


@pytest.mark.parametrize("name", PLAYED)
def test_the_case_is_that_of_the_scenario(name: str) -> None:
    assert case_of(load(name), CASES[name])["ops"] == golden(name)["ops"]


@pytest.mark.parametrize("name", PLAYED)
def test_the_engine_decides_at_the_instants_of_the_real_class(name: str) -> None:
    ours, case = Decisions(), golden(name)
    play(load(name), CASES[name], [ours])
    keys = ("allocated", "reserved", "unreserved", "warned", "killed")
    assert {key: ours.made.get(key, []) for key in keys} == {key: decisions(case, key) for key in keys}
