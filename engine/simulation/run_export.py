"""A run as a value: its scenario, what came from outside, and a hash of its journal.

On disk a run is nothing more than that; everything else is rebuilt by replaying it.
"""

import hashlib
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, Final

import msgspec
from pydantic import ValidationError

from engine.errors import ConfigError, Problem
from engine.scenario import Scenario
from engine.simulation.actions import Action
from engine.simulation.build import build_simulation
from engine.simulation.records import Listener, Record, encode_records
from engine.simulation.simulation import Simulation

SCHEMA: Final = 1

Act = tuple[tuple[int, ...], Action]
"""(the event it came after, the action), as `Simulation.acts` keeps them."""


class Fingerprint:
    """A listener that hashes the journal's lines without keeping them."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self.lines = 0
        """Records so far."""

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Add the records of one instant."""
        self._hash.update(encode_records(time_ms, records))
        self.lines += len(records)

    def hexdigest(self) -> str:
        """SHA-256 of all lines so far, the header not included."""
        return self._hash.hexdigest()


class RunExport(msgspec.Struct, frozen=True):
    """A run, ready to be written down or replayed."""

    scenario: dict[str, Any]
    """The scenario's fields."""
    acts: tuple[Act, ...]
    until_ms: int
    """Up to where it was run [epoch ms]."""
    journal_hash: str = ""
    """As `Fingerprint.hexdigest`; empty when unknown."""
    schema: int = SCHEMA


def run_of(scenario: Scenario, simulation: Simulation, fingerprint: Fingerprint | None = None) -> RunExport:
    """The run a simulation of this scenario has made so far."""
    return RunExport(
        scenario=scenario.model_dump(mode="json"),
        acts=tuple(simulation.acts),
        until_ms=simulation.now_ms,
        journal_hash=fingerprint.hexdigest() if fingerprint is not None else "",
    )


def replay(scenario: Scenario, acts: Iterable[Act], until_ms: int, listeners: Sequence[Listener] = ()) -> Simulation:
    """Play a scenario again with the same actions from outside, up to and including an instant.

    Args:
        scenario: As it was.
        acts: As `Simulation.acts` kept them.
        until_ms: Epoch ms.
        listeners: Told the same as the first time.
    """
    return replay_on(build_simulation(scenario, listeners), acts, until_ms)


def replay_on(simulation: Simulation, acts: Iterable[Act], until_ms: int) -> Simulation:
    """Let a copy go on to the end of an instant [epoch ms] as the run did, with the acts still to come; returns it."""
    for position, action in islice(acts, len(simulation.acts), None):
        if position[0] > until_ms:
            break
        simulation.run_to(position)
        simulation.act(action)
    simulation.run_until(until_ms)
    return simulation


def write_run(run: RunExport) -> bytes:
    """A run as JSON."""
    return msgspec.json.encode(run)


def read_run(data: bytes, name: str = "") -> tuple[Scenario, RunExport]:
    """A run and its scenario from JSON.

    Args:
        data: As `write_run` made it.
        name: How to name the file in problems.

    Raises:
        ConfigError: It is no run, or its scenario is not valid.
    """
    try:
        run = msgspec.json.decode(data, type=RunExport)
        scenario = Scenario.model_validate(run.scenario)
    except (msgspec.MsgspecError, ValidationError) as error:
        raise ConfigError([Problem(f"this is no run: {error}", file=name)]) from error
    if run.schema != SCHEMA:
        raise ConfigError([Problem(f"it has schema {run.schema}, this program reads {SCHEMA}", file=name)])
    return scenario, run
