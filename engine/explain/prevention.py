"""Finds settings that, set from the start, prevent a wait; the scenario is played again with each.

For settings that are read at the start only, or that hold for later asks only: the largest allocation, the size of
nodes, the reservation rule. Tried is whether, at the instant asked about, somebody still waits who is never given
anything. An operator's script is followed up to that instant.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from engine.explain.lookahead import Ahead
from engine.explain.remedy_report import PreventionReport
from engine.incremental import Incremental
from engine.model.decision import ApplicationTransitioned
from engine.run.player import Run
from engine.scenario import Scenario
from engine.schedulers.fair.settings import RESERVATION_RULES
from engine.settings.fair import FAIR_27, FAIR_34, RESERVATION_RULE
from engine.settings.site import MAXIMUM_MB, MINIMUM_MB, YARN_27
from engine.simulation.records import EventRefused, Record
from engine.simulation.simulation import Simulation

STEP_MB: Final = 1024
"""Sizes of nodes are looked for in steps of this [MB]."""

DOUBLED: Final = 2
"""Nodes are tried with up to so many times what they have."""

_FAIR: Final = {each.name: each for each in (FAIR_27, FAIR_34)}
"""Schedulers with a reservation rule → the settings of their release."""

SLICE_MS: Final = 60_000
"""Time that is played in one piece [ms]."""


class _Failures:
    """A listener that counts applications that are refused something, or fail."""

    def __init__(self) -> None:
        self.numbers: set[int] = set()

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Count."""
        for record in records:
            if isinstance(record, EventRefused) or (
                isinstance(record, ApplicationTransitioned) and record.state == "FAILED"
            ):
                self.numbers.add(record.application)


def preventions(scenario: Scenario, at_ms: int, largest_mb: int) -> Incremental[list[PreventionReport]]:
    """Try every change of a scenario of a ResourceManager, each with the least change that prevents it.

    The instant is `at_ms` after the start. The maximum is tried just below the largest container asked for by then,
    where that is not less than the minimum.
    """
    found: list[PreventionReport] = []
    if (table := _FAIR.get(scenario.scheduler)) is not None:
        now = scenario.settings.get(RESERVATION_RULE.name, table.default(RESERVATION_RULE))
        for rule in RESERVATION_RULES:
            found += [(yield from _tried(scenario, at_ms, RESERVATION_RULE.name, rule))] if rule != now else []
    if largest_mb > int(scenario.settings.get(MINIMUM_MB.name, YARN_27.default(MINIMUM_MB))):
        found.append((yield from _tried(scenario, at_ms, MAXIMUM_MB.name, str(largest_mb - 1))))
    found.append((yield from _nodes(scenario, at_ms)))
    return found


def _nodes_key(scenario: Scenario) -> str:
    return f"cluster.{'groups' if scenario.cluster.groups else 'nodes'}.*.memory"


def _nodes(scenario: Scenario, at_ms: int) -> Incremental[PreventionReport]:
    """The least size of all nodes that prevents it, found by halving."""
    key = _nodes_key(scenario)
    now_mb = max(node.memory_mb for node in scenario.cluster.all_nodes())
    below, enough = 0, now_mb // STEP_MB
    best = yield from _tried(scenario, at_ms, key, str(DOUBLED * now_mb))
    while best.prevents and enough - below > 1:
        middle = (below + enough) // 2
        trial = yield from _tried(scenario, at_ms, key, str(now_mb + middle * STEP_MB))
        below, enough, best = (below, middle, trial) if trial.prevents else (middle, enough, best)
    return best


def changed(scenario: Scenario, key: str, value: str) -> Scenario:
    """The scenario with one change."""
    if key != _nodes_key(scenario):
        return scenario.model_copy(update={"settings": {**scenario.settings, key: value}})
    cluster = scenario.cluster
    nodes = tuple(node.model_copy(update={"memory_mb": int(value)}) for node in cluster.all_nodes())
    return scenario.model_copy(update={"cluster": cluster.model_copy(update={"nodes": nodes, "groups": ()})})


def _tried(scenario: Scenario, at_ms: int, key: str, value: str) -> Incremental[PreventionReport]:
    failures = _Failures()
    run = Run(changed(scenario, key, value), [failures], at_ms, is_judged=False)
    while not run.ended:
        run.advance(run.now_ms + SLICE_MS)
        yield
    ahead = Ahead(run.simulation.fork(closed=True), is_own=True)
    waiting = set(_waiting(run.simulation))
    while waiting - ahead.first.keys() - ahead.over_ms.keys() and not ahead.advance():
        yield
    stuck = waiting - ahead.first.keys() - ahead.over_ms.keys()
    return PreventionReport(key=key, value=value, prevents=not stuck, stuck=len(stuck), failed=len(failures.numbers))


def _waiting(simulation: Simulation) -> Iterator[int]:
    return (each.number for each in simulation.control_plane.view().applications() if each.waiting_since_ms is not None)
