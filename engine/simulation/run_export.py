"""Replays runs, and exports a run as a value: its scenario, its acts, and a hash of its journal.

On disk a run is nothing more; everything else is rebuilt by replaying it.
"""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final

import msgspec

from engine.scenario import Scenario
from engine.scenario.acts import Act
from engine.simulation.build import build_simulation
from engine.simulation.records import Listener
from engine.simulation.simulation import Simulation

SCHEMA: Final = 1

KeptAct = tuple[tuple[int, ...], Act]  # (the event it came after, the act), as `Simulation.acts` keeps them


class RunExport(msgspec.Struct, frozen=True):
    """A run, ready to be written down or replayed."""

    scenario: dict[str, object]  # The scenario's fields
    acts: tuple[KeptAct, ...]
    until_ms: int  # End of what was run [epoch ms]
    journal_hash: str = ""  # As `observe.journal.Fingerprint.hexdigest`; empty when unknown
    schema: int = SCHEMA


def replay(
    scenario: Scenario, acts: Iterable[KeptAct], until_ms: int, listeners: Sequence[Listener] = ()
) -> Simulation:
    """Play a scenario again with the same acts, up to and including an instant.

    `acts` are as `Simulation.acts` keeps them; `listeners` get the same records as the first time.
    """
    return replay_on(build_simulation(scenario, listeners), acts, until_ms)


def replay_on(simulation: Simulation, acts: Iterable[KeptAct], until_ms: int) -> Simulation:
    """Play a copy on to the end of an instant [epoch ms] as the run went, with the acts still to come; return it."""
    for position, act in islice(acts, len(simulation.acts), None):
        if position[0] > until_ms:
            break
        simulation.run_to(position)
        simulation.act(act)
    simulation.run_until(until_ms)
    return simulation


def write_run(run: RunExport) -> bytes:
    """Encode a run as JSON."""
    return msgspec.json.encode(run)
