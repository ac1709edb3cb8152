"""The law of what may be varied: every row of the tables ends a wait somewhere, and the search for remedies finds it.

    python -m tests.gates.witnesses [SCHEDULER ...]

A witness is a scenario of a few lines, made of a template and a row: with the row at one value somebody waits 45 s
longer, or for ever, and at another, further on its ladder, does not; nothing else differs. On the worse one the search
has to name the row among the first three of those that take as much: a refresh, a submission, a restart, machines.
Of several witnesses of a row one is enough that is found. Printed are rows, witnesses, found; and what is missing.
"""

import argparse
import sys
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from engine.errors import ConfigError
from engine.explain.change import Asked, Candidate, Change, StartRemedy, ValuePlace, takes_of
from engine.explain.remedy_search import asks_of
from engine.explain.start_play import AskTally, PlayGoal, changed, play
from engine.explain.start_search import REACH_MS, StartSearch
from engine.explain.tunable_places import setup_of
from engine.explain.tunable_values import TUNABLES, Possibilities
from engine.formats.scenario_toml import loads
from engine.incremental import run_to_end
from engine.run.player import Run
from engine.scenario import Scenario
from engine.settings.tunable_yarn import Ladder, Tunable
from tests.gates.witness_templates import SCHEDULERS, VICTIM, templates

LATER_MS: Final = 45_000
"""How much later it starts with the worse value, at least [ms]."""

AT_MS: Final = 120_000
"""The instant asked about [ms after the start]."""

NEVER_MS: Final = 1 << 50
AS_IT_IS: Final = "as it is"
FIRST: Final = 3
CODES: Final = frozenset[str]().union(*(row.governs for row in TUNABLES))

_Name = tuple[str, str, str]
"""Key, place and way of a row."""

_ENDS: Final = {
    "up": ("0", "0.01", "1", "10", "50", "1024", "1024 mb, 1 vcores"),
    "down": ("4", "100", "1000", "16384"),
    "sooner": ("3600", "3600000"),
}
"""Way of a ladder → the values at its worse end, beside what is in force."""


_WORSE: Final = {
    "state": "STOPPED",
    "acl_submit_applications": "bob",
    "aclSubmitApps": "bob",
    "accessible-node-labels": " ",
    "default-node-label-expression": "gpu",
    "capacity": "0",
    "slow_start": "0.05",
    "yarn.scheduler.fair.max.assign": "1",
    "yarn.scheduler.fair.allow-undeclared-pools": "false",
    "mapred.fairscheduler.locality.delay": "600000",
}
"""Key of which only what helps may be chosen → a value that does not."""


class Witness(NamedTuple):
    """A scenario in which a row decides."""

    row: Tunable
    place: ValuePlace
    template: str
    worse: Scenario
    better: str
    """The value with which it starts."""


def victim_of(scenario: Scenario, until_ms: int = AT_MS) -> tuple[Run, int | None]:
    """A run up to the instant, and the number of the application that may wait; None where it is not there."""
    run = Run(scenario, [], until_ms, is_judged=False)
    run.advance(until_ms)
    live = run.simulation.control_plane.view().applications()
    return run, next((each.number for each in live if each.name == VICTIM), None)


def start_ms(scenario: Scenario, count: int) -> int | None:
    """When the victim has so many containers [epoch ms]; `NEVER_MS` for never; None where a value is refused."""
    try:
        goal = PlayGoal(scenario, AT_MS, {(number_of(scenario), None): count})
        played = run_to_end(play(goal, (), scenario.start_ms + 4 * 3_600_000))
    except ConfigError:
        return None
    return None if played is None else next(iter(played.starts.values()), NEVER_MS)


def number_of(scenario: Scenario) -> int:
    """The victim is submitted last."""
    return len(scenario.workload)


def asked_of(scenario: Scenario) -> int:
    """How many containers it asks for, its master's included."""
    spec = scenario.workload[-1]
    if spec.type == "scripted":
        return sum(each.count for each in spec.asks) + (spec.am is not None)
    if spec.type == "spark-standalone":
        return 1
    own = 1 if scenario.system == "yarn" else 2  # its master; its setup and cleanup
    return own + sum(getattr(spec, field, 0) for field in ("executors", "maps", "reduces"))


def ends_of(candidate: Candidate) -> list[str]:
    """The values of a row that are compared."""
    values, vary = candidate.values, candidate.tunable.vary
    picked = [values[0], values[len(values) // 2], values[-1]] if values else []
    if isinstance(vary, Ladder):
        is_amount = "_resources" in vary.bound
        picked += [each for each in _ENDS[vary.way] if ("," in each) == is_amount]
    elif vary.values in (("true",), ("false",)):
        picked += ["true", "false"]
    picked += [_WORSE[candidate.tunable.key]] if candidate.tunable.key in _WORSE else []
    return list(dict.fromkeys(picked))


def with_value(possible: Possibilities, scenario: Scenario, candidate: Candidate, value: str) -> Scenario | None:
    """The scenario with a row at a value, and what it needs; None where that cannot be."""
    changes: Sequence[Change] = possible.with_needs(candidate.change(value), candidate.tunable)
    try:
        return changed(scenario, changes)
    except (ConfigError, ValueError):
        return None


def witnesses(scheduler: str, names: Sequence[str] = (), known: Container[_Name] = ()) -> Iterator[Witness]:
    """Those of the rows of a scheduler, of some templates or all; none of a row once it is `known`."""
    for name, text in templates(scheduler).items():
        if names and name not in names:
            continue
        scenario = loads(text, name)
        run, number = victim_of(scenario)
        gone = number_of(scenario) if number is None else None
        possible = Possibilities(run.simulation, setup_of(scenario), number, gone)
        for candidate in possible.candidates(CODES, is_all=True):
            row = candidate.tunable
            if _name(row) in known or row.no_witness:
                continue
            found = _witness(possible, scenario, candidate, name)
            if found is not None:
                yield found


def _name(row: Tunable) -> _Name:
    return (row.key, row.where, row.vary.way if isinstance(row.vary, Ladder) else "one")


def _witness(possible: Possibilities, scenario: Scenario, candidate: Candidate, name: str) -> Witness | None:
    """A scenario in which a row alone decides: what it needs is set with each of its values."""
    needs = possible.with_needs(candidate.change(""), candidate.tunable)[1:]
    made = {AS_IT_IS: scenario if candidate.tunable.key == "queues" else changed(scenario, needs)}
    for value in ends_of(candidate):
        one = with_value(possible, scenario, candidate, value)
        if one is not None:
            made[value] = one
    pair = _apart(candidate, made, None)
    if pair is None:
        return None
    worse, better = pair
    held = AskTally()
    Run(made[worse], [held], AT_MS, is_judged=False).advance(AT_MS)
    target = (number_of(scenario), None)
    # The search is judged by the next container, not by the last; of who is over, by its end.
    two = {worse: made[worse], better: made[better]}
    if target[0] not in held.over and _apart(candidate, two, held.count(target) + 1) != pair:
        return None
    return Witness(candidate.tunable, candidate.place, name, made[worse], better)


def _is_towards(candidate: Candidate, worse: str, better: str) -> bool:
    """Tell whether a row leads from the worse value to the better one; unlimited, as empty or below 0, is most."""
    vary, before = candidate.tunable.vary, candidate.before
    low, high = (_figure(before if each == AS_IT_IS else each) for each in (worse, better))
    if not isinstance(vary, Ladder):
        value = before if better == AS_IT_IS else better
        return vary.values[0].startswith("@") or value in ("", *candidate.values, *vary.values)
    return better == vary.bound or (low < high if vary.way == "up" else low > high)


def _figure(text: str) -> float:
    number = text.partition(" ")[0]
    try:
        return float(number) if float(number) >= 0 else float("inf")
    except ValueError:
        return float("inf")


def _apart(candidate: Candidate, made: Mapping[str, Scenario], count: int | None) -> tuple[str, str] | None:
    """The values with which the victim has so many containers, or all, furthest apart, where that is far."""
    counts = {value: asked_of(one) if count is None else count for value, one in made.items()}
    starts = {value: time_ms for value in made if (time_ms := start_ms(made[value], counts[value])) is not None}
    at_ms = next(iter(made.values())).start_ms + AT_MS
    late = [value for value in starts if starts[value] > at_ms]
    soon = [value for value in starts if starts[value] <= at_ms + REACH_MS]
    pairs = [(worse, better) for worse in late for better in soon if _is_towards(candidate, worse, better)]
    worse, better = max(pairs, key=lambda pair: starts[pair[0]] - starts[pair[1]], default=("", ""))
    return (worse, better) if worse and starts[worse] - starts[better] >= LATER_MS else None


def remedies_of(scenario: Scenario) -> list[StartRemedy]:
    """What the search from the start offers to the victim."""
    run, number = victim_of(scenario)
    gone = number_of(scenario) if number is None else None
    targets = () if number is None else tuple(asks_of(run.simulation, [number])[0])
    return StartSearch(scenario, AT_MS, Asked(targets, gone)).answer()


def place_in(found: Sequence[StartRemedy], witness: Witness) -> int:
    """The place of a row among what takes as much and holds for the same wait, from 1 on; 0 where it is not there."""
    wanted = (witness.row.key, witness.place.path)
    own = next((one for one in found if wanted in _places(one)), None)
    if own is None:
        return 0
    kind = (takes_of(own.changes), own.is_now)
    return [one for one in found if (takes_of(one.changes), one.is_now) == kind].index(own) + 1


def _places(one: StartRemedy) -> set[tuple[str, str]]:
    return {(each.key, each.place.path) for each in one.changes}


def _tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(schedulers: Sequence[str]) -> int:
    """Write the counts of each scheduler; the exit code is 1 where a row with a witness is not found."""
    missed = 0
    for scheduler in schedulers or SCHEDULERS:
        rows = [row for row in TUNABLES if row.is_of(scheduler)]
        owed = {_name(row) for row in rows if not row.no_witness}
        seen, found = set[_Name](), set[_Name]()
        for witness in witnesses(scheduler, known=found):
            row, where = witness.row, witness.place.path or "all"
            seen.add(_name(row))
            place = place_in(remedies_of(witness.worse), witness)
            found |= {_name(row)} if 0 < place <= FIRST else set()
            _tell(f"  {row.key} of {where} in {witness.template}: place {place}")
        missed += len(seen - found)
        for key, where, way in sorted(owed - seen):
            _tell(f"  {key} ({where}, {way}): no witness")
        _tell(f"{scheduler}: {len(rows)} rows, {len(owed & seen)} of {len(owed)} have a witness, {len(found)} found")
    return 1 if missed else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    _ = parser.add_argument(
        "schedulers", nargs="*", metavar="SCHEDULER", help=f"{', '.join(SCHEDULERS)}; all by default"
    )
    given = parser.parse_args()
    if strange := [each for each in given.schedulers if each not in SCHEDULERS]:
        parser.error(f"there is no scheduler {strange[0]}; there is {', '.join(SCHEDULERS)}")
    sys.exit(main(given.schedulers))
