"""The Python API that is promised: load, run, look at an instant, ask why and what would help, compare, sweep.

A scenario is given as a value, as the name of a packaged one, or as the path of a file. Answers are values: frozen, and
the same for the same scenario and seed. Their fields, and the functions here, change only with a major version.
Instants are given as `09:00`, `+30m` or a number of seconds after the start; in answers they are epoch ms.

>>> from engine import api
>>> moment = api.at("pattern-am-only", "+2m")
>>> [(row.host, row.used) for row in moment.snapshot.nodes()]
[('n1', (10240, 2)), ('n2', (10240, 2))]
>>> api.why(moment, "1").pattern
'AM-only deadlock'
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from engine.compare import LETTERS, Comparison, ComparisonCandidate, carried_over, compared, set_beside
from engine.errors import ConfigError
from engine.explain.answer import RemediesReport, WhyReport
from engine.explain.explainers import waiting_at
from engine.explain.instant import Instant, application_at, instant_of
from engine.explain.remedy_report import remedies_report
from engine.explain.remedy_search import RemedySearch
from engine.explain.why_question import WhyQuestion
from engine.formats.scenario_toml import dump
from engine.formats.scenario_toml import load as load_scenario
from engine.observe.snapshot import Snapshot
from engine.observe.snapshots import snapshot_of_simulation
from engine.run import Outcome, play
from engine.scenario import Scenario
from engine.simulation.records import Listener
from engine.sweep import Axis, Summary, SweepSpec, grid, play_point, stored, summarised
from engine.units import parse_instant_option

__all__ = ["Moment", "at", "compare", "fix", "load", "run", "sweep", "why"]

Setting = str | bool | float | list[str]  # The value of one key of a scenario


class Moment(NamedTuple):
    """A scenario at an instant; it is looked at and asked, never played on."""

    scenario: Scenario
    instant: Instant

    @property
    def time_ms(self) -> int:
        """The instant [epoch ms]."""
        return self.instant.simulation.now_ms

    @property
    def snapshot(self) -> Snapshot:
        """Header, queues, nodes, applications, reservations, users and containers."""
        return snapshot_of_simulation(self.instant.simulation)


def load(source: str | Path, settings: Mapping[str, Setting] | None = None, *, is_trusted: bool = False) -> Scenario:
    """Read a scenario by packaged name or path.

    Args:
        source: Name of a packaged scenario, or path of a TOML file.
        settings: Keys that are set on top, by dotted name, as `--set` does.
        is_trusted: True where it may name files outside its folder.

    Raises:
        ConfigError: Anything is wrong with it; carries every problem found.

    >>> scenario = load("pattern-am-only", {"seed": 7, "duration": "5m"})
    >>> scenario.seed, scenario.duration_ms
    (7, 300000)
    """
    overrides = [f"{key}={json.dumps(value)}" for key, value in (settings or {}).items()]
    return load_scenario(source, overrides, is_trusted=is_trusted)


def run(
    scenario: Scenario | str | Path, until: str | float | None = None, *, listeners: Sequence[Listener] = ()
) -> Outcome:
    """Play a scenario with its script, and judge its expectations.

    Args:
        scenario: A value, name or path.
        until: The end; None takes the scenario's own. Expectations beyond it stay open.
        listeners: Get everything that happens: `records(time_ms, records)` is called for each instant.

    Raises:
        ConfigError: The scenario, or the end, is refused.

    >>> outcome = run("pattern-am-only")
    >>> outcome.ok, {result.verdict for result in outcome.results}
    (True, {'met'})
    """
    found = _scenario(scenario)
    return play(found, None if until is None else parse_instant_option(str(until), found.start, "until"), listeners)


def at(scenario: Scenario | str | Path, time: str | float) -> Moment:
    """Play a scenario with its script to an instant, which has happened in full.

    Raises:
        ConfigError: The scenario, or the instant, is refused.

    >>> at("pattern-am-only", "+1m").time_ms - at("pattern-am-only", 0).time_ms
    60000
    """
    found = _scenario(scenario)
    return Moment(found, instant_of(found, parse_instant_option(str(time), found.start, "time")))


def why(moment: Moment, application: str) -> WhyReport:
    """Answer why an application waits, whether it will ever run, and who holds what it needs; everything is looked at.

    Args:
        moment: The instant to ask at.
        application: Its id, a unique end of it, or its name.

    Raises:
        RefusedError: No single application is meant.

    >>> answer = why(at("pattern-am-only", "+2m"), "1")
    >>> answer.verdict, answer.expected_start_ms, len(answer.holders)
    ('deadlocked', None, 4)
    """
    simulation = moment.instant.simulation
    return WhyQuestion(simulation, application_at(simulation, application).number, moment.instant.facts).answer()


def fix(moment: Moment, application: str | None = None) -> RemediesReport:
    """Find what would make waiting applications start, each act tried on a copy, the least harm first.

    All remedies are tried in this process, which takes seconds to minutes on a large cluster.

    Args:
        moment: The instant to act at.
        application: Whom to start; None for all that wait and never start by themselves.

    Raises:
        RefusedError: No single application is meant, or it does not wait.

    >>> best = fix(at("pattern-am-only", "+2m")).remedies[0]
    >>> best.kind, len(best.starts), best.loses.containers
    ('kill', 3, 1)
    """
    simulation = moment.instant.simulation
    search = RemedySearch(simulation, () if application is None else (waiting_at(simulation, application),))
    return remedies_report(simulation.control_plane, search.answer())


def compare(scenario: Scenario | str | Path, *others: str | Scenario, until: str | float | None = None) -> Comparison:
    """Play the same workload and faults under several policies, releases or settings, and find where they part.

    Args:
        scenario: The first run; the others are compared with it.
        others: Names of policies that it is carried over to (`capacity-3.4`), or scenarios of their own; five at most.
        until: The end; None takes that of the longest of them.

    Raises:
        ConfigError: A scenario, a policy or the end is refused; or nothing, or too much, is compared.

    >>> found = compare("pattern-am-only", "capacity-3.4", load("pattern-am-only", {"queues.0.max_am_share": 0.5}))
    >>> [(run.name, run.measures.finished, run.frozen_ms > 0) for run in found.runs]
    [('fair-2.7', 0, True), ('capacity-3.4', 4, False), ('pattern-am-only', 4, False)]
    """
    first = _scenario(scenario)
    if not 1 <= len(others) < len(LETTERS):
        raise ConfigError.of(f"{len(others)} are no others to compare with", key="others", hint="1 to 5")
    contestants = [ComparisonCandidate(LETTERS[0], first.scheduler, first)]
    for letter, other in zip(LETTERS[1:], others, strict=False):
        name, carried = (
            (other.name, set_beside(first, other))
            if isinstance(other, Scenario)
            else (other, carried_over(first, other))
        )
        contestants.append(ComparisonCandidate(letter, name, carried.scenario, carried.mapped, carried.dropped))
    longest_ms = max(each.scenario.duration_ms for each in contestants)
    end_ms = longest_ms if until is None else parse_instant_option(str(until), first.start, "until")
    return compared(contestants, end_ms)


def sweep(scenario: Scenario | str, vary: Mapping[str, list[str]], seeds: int = 1, goal: str = "p95_wait") -> Summary:
    """Play every combination of some keys' values with every seed, in this process, and rank them by a measure.

    Raises:
        ConfigError: A scenario or measure is refused; what a scheduler's class refuses is in the summary.

    >>> found = sweep("pattern-am-only", {"policy": ["fair-2.7", "capacity-3.4"]}, goal="unfinished")
    >>> [(each.settings["policy"], each.goal) for each in found.settings]
    [('capacity-3.4', 0), ('fair-2.7', 4)]
    """
    first, axes = _scenario(scenario), [Axis(key, tuple(values)) for key, values in vary.items()]
    spec = SweepSpec(dump(first), first.name, tuple(axes), tuple(range(first.seed, first.seed + seeds)), goal_name=goal)
    return summarised((stored(each, play_point(spec.base, each)) for each in grid(axes, spec.seeds)), axes, spec.goal)


def _scenario(source: Scenario | str | Path) -> Scenario:
    return source if isinstance(source, Scenario) else load(source)
