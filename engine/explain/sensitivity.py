"""Finds what an answer about a twin depends on: plays the same instant with one of the scenario's assumptions changed.

A scenario taken from a cluster names what was not known (`Scenario.assumed`). Two of its assumptions can be changed:
containers whose end is not known run on, or end where they were taken to run on; and the container that a node is
reserved for is as large as it can be. The answer depends on an assumption when the application starts at another time
without it, or never.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from engine.explain.alert import IF_RUNS_ON
from engine.explain.counterfactuals import Ask, Lookahead, ahead_of
from engine.explain.obstacles import OtherStart, SensitivityReport
from engine.incremental import Incremental, Task
from engine.scenario import AskSpec, Assumption, RecoveredContainers, RecoveredSpec, Scenario, ScriptedSpec, Size
from engine.simulation.build import build_simulation, replay_on
from engine.simulation.simulation import Simulation

MATTERS_MS: Final = 60_000  # A start that differs by less hangs on nothing

SHORTEST_MS: Final = 1_000  # A container runs at least so long again

Span = tuple[int, int] | None  # How long containers run [ms]; None for ever

RUNS_ON: Final = "runs on"
ENDS: Final = "ends after as long again as it has run"
IS_LARGEST: Final = "asks for a container of {memory_mb} MB"  # What an assumption's application does otherwise


IF_SO: Final = "if it is as assumed"


def frozen_if(scenario: Scenario) -> str:
    """What a freeze hangs on, in short words; empty for nothing.

    Containers that ran on for longer, and larger asks, would free nothing. What is taken to run on may end instead.
    """
    kinds = {each.what for each in scenario.assumed}
    held = [each for spec in scenario.recovered for each in spec.containers]
    if "holders" in kinds:
        return IF_SO
    return IF_RUNS_ON if "remaining" in kinds and any(each.remaining_ms is None for each in held) else ""


class Alternative(NamedTuple):
    """A scenario with one assumption otherwise."""

    assumption: Assumption
    otherwise: str
    scenario: Scenario


def alternatives(scenario: Scenario) -> Iterator[Alternative]:
    """Each assumption that can be played otherwise, with the scenario where it is."""
    for assumption in scenario.assumed:
        if assumption.what == "remaining":
            yield _other_ends(scenario, assumption)
        elif assumption.least is not None and assumption.most is not None and assumption.least != assumption.most:
            yield _largest(scenario, assumption, assumption.least, assumption.most)


def sensitivities(
    scenario: Scenario, simulation: Simulation, targets: Sequence[Ask]
) -> Incremental[tuple[SensitivityReport, ...]]:
    """The assumptions that the answers depend on; empty where no application is asked about.

    `simulation` is the scenario as it was played to the instant, with all that came from outside; it is only read.
    """
    others = list(alternatives(scenario)) if targets else []
    found = [
        SensitivityReport(assumed=each.sentence, applications=each.applications)
        for each in scenario.assumed
        if each.what == "holders" and targets
    ]
    as_assumed = (yield from _played(simulation, targets)) if others else None
    for other in others:
        acts, now_ms = simulation.acts, simulation.now_ms
        ahead = yield from _played(replay_on(build_simulation(other.scenario), acts, now_ms), targets)
        changed = [each for each in targets if as_assumed is not None and _differs(ahead, as_assumed, each)]
        if changed:
            found.append(
                SensitivityReport(
                    assumed=other.assumption.sentence,
                    applications=other.assumption.applications,
                    otherwise=other.otherwise,
                    starts=tuple(_expected(ahead, each) for each in changed),
                    never=ahead.still,
                )
            )
    return tuple(found)


def sensitivities_in_time(
    scenario: Scenario,
    simulation: Simulation,
    targets: Sequence[Ask],
    spend: Callable[[Callable[[], bool]], bool],
) -> tuple[SensitivityReport, ...]:
    """The same as far as there is time: `spend` does pieces of the work, and tells whether all of it is done."""
    if not scenario.assumed or not targets:
        return ()
    work = Task(sensitivities(scenario, simulation, targets))
    return work.result() if spend(work.advance) else _unlooked(scenario)


def _unlooked(scenario: Scenario) -> tuple[SensitivityReport, ...]:
    return tuple(
        SensitivityReport(
            assumed=each.assumption.sentence,
            applications=each.assumption.applications,
            otherwise=each.otherwise,
            looked=False,
        )
        for each in alternatives(scenario)
    )


def _played(simulation: Simulation, targets: Sequence[Ask]) -> Incremental[Lookahead]:
    """The closed world of an instant, until all that are asked about have started, or nothing more comes."""
    ahead = yield from ahead_of(simulation)
    while not all(ahead.is_settled(*each) for each in targets) and not ahead.advance():
        yield
    return ahead


def _differs(ahead: Lookahead, other: Lookahead, target: Ask) -> bool:
    here, there = ahead.start_of(*target), other.start_of(*target)
    if here is None or there is None:
        return here is not there
    return abs(here.time_ms - there.time_ms) >= MATTERS_MS


def _expected(ahead: Lookahead, target: Ask) -> OtherStart:
    number, priority = target
    served = ahead.start_of(number, priority)
    name = ahead.simulation.control_plane.view().application_id(number)
    return OtherStart(application=name, starts_ms=None if served is None else served.time_ms)


def _concerned(scenario: Scenario, assumption: Assumption) -> frozenset[int]:
    numbers = {int(name.rpartition("_")[2]) for name in assumption.applications}
    return frozenset(place for place, each in enumerate(scenario.recovered) if each.application.number in numbers)


def _changed(scenario: Scenario, places: frozenset[int], made: Sequence[RecoveredSpec]) -> Scenario:
    recovered = [made[place] if place in places else each for place, each in enumerate(scenario.recovered)]
    return scenario.model_copy(update={"recovered": tuple(recovered)})


def _other_ends(scenario: Scenario, assumption: Assumption) -> Alternative:
    places = _concerned(scenario, assumption)
    held = [each for place in places for each in scenario.recovered[place].containers]
    spans = [each.remaining_ms for each in held if _is_open(each)]
    ends = all(span is not None for span in spans)
    made = [_with_span(each, None if ends else _again(each.application)) for each in scenario.recovered]
    return Alternative(assumption, RUNS_ON if ends else ENDS, _changed(scenario, places, made))


def _again(application: ScriptedSpec) -> Span:
    again_ms = max(-application.at_ms, SHORTEST_MS)
    return (again_ms, again_ms)


def _is_open(container: RecoveredContainers) -> bool:
    return container.ask is not None or container.remaining_ms != (0, 0)


def _with_span(spec: RecoveredSpec, span: Span) -> RecoveredSpec:
    containers = tuple(
        each.model_copy(update={"remaining_ms": span}) if _is_open(each) else each for each in spec.containers
    )
    asks = tuple(each.model_copy(update={"duration_ms": span}) for each in spec.application.asks)
    application = spec.application.model_copy(update={"asks": asks})
    return spec.model_copy(update={"containers": containers, "application": application})


def _largest(scenario: Scenario, assumption: Assumption, least: Size, most: Size) -> Alternative:
    made = [_with_size(each, least, most) for each in scenario.recovered]
    words = IS_LARGEST.format(memory_mb=most.memory_mb)
    return Alternative(assumption, words, _changed(scenario, _concerned(scenario, assumption), made))


def _with_size(spec: RecoveredSpec, least: Size, most: Size) -> RecoveredSpec:
    update = {"memory_mb": most.memory_mb, "vcores": most.vcores}

    def is_it(part: AskSpec | RecoveredContainers) -> bool:
        return (part.memory_mb, part.vcores) == (least.memory_mb, least.vcores)

    application = spec.application
    asks = tuple(each.model_copy(update=update) if is_it(each) else each for each in application.asks)
    am = most if application.am == least and spec.master is None else application.am
    reserved = tuple(each.model_copy(update=update) for each in spec.reserved)
    return spec.model_copy(
        update={"reserved": reserved, "application": application.model_copy(update={"asks": asks, "am": am})}
    )
