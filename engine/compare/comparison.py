"""Plays the same workload and faults under two or more policies, releases or settings, on one clock."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from engine.compare.divergences import LASTING_MS, Divergence, Divergences, Tape, lasting_ms
from engine.compare.losses import Loss, LostApplications
from engine.compare.places import NodesInUse
from engine.errors import ConfigError, Problem
from engine.explain.alert import Alert, episodes_of
from engine.explain.alerts import Alerts
from engine.measures import ApplicationTimes, Meter, RunMeasures
from engine.observe.history import History
from engine.observe.journal import Fingerprint
from engine.run.player import Mishap, Run
from engine.scenario import Scenario
from engine.simulation.records import Listener

LETTERS: Final = "ABCDEF"
"""Letters of the runs, in their order; so many are compared at most."""
SLICE_MS: Final = 5_000
"""Simulated time between two looks of the alerts, and between two comparisons."""
POINTS: Final = 240
"""Points of a series."""


class Contestant(msgspec.Struct, frozen=True):
    """One of the runs before it is played."""

    letter: str
    name: str
    scenario: Scenario
    mapped: tuple[str, ...] = ()
    """What became something else because the policy is another one."""
    dropped: tuple[str, ...] = ()
    """What has no counterpart."""


class ProvedFreeze(msgspec.Struct, frozen=True):
    """A stretch in which, as was proved, nothing could be allocated any more."""

    since_ms: int
    until_ms: int
    """Epoch ms, as above; the end of the run where it lasts."""
    verdict: str
    pattern: str
    applications: tuple[int, ...]


class Series(msgspec.Struct, frozen=True):
    """Figures of a run at evenly spaced instants, the first at its start, the last at its end."""

    used_share: tuple[float, ...]
    """Part of the cluster's memory (or map slots) that is held."""
    waiting: tuple[int, ...]
    """Applications that are not RUNNING yet."""
    allocated: tuple[int, ...]
    """Containers allocated since the point before."""
    queues: Mapping[str, tuple[float, ...]]
    """Path of a leaf queue → part of the cluster's memory it holds."""


class ComparedRun(msgspec.Struct, frozen=True):
    """The outcome of one of the runs."""

    letter: str
    name: str
    policy: str
    mapped: tuple[str, ...]
    dropped: tuple[str, ...]
    measures: RunMeasures
    frozen: tuple[ProvedFreeze, ...]
    stuck: Mapping[int, str]
    """Application → the verdict of the last alert about it (`deadlocked`, `starving`, `impossible` …), of those that
    an alert was about."""
    mishaps: tuple[Mishap, ...]
    """Steps of the script that came to nothing."""
    journal: str
    """SHA-256 of its records."""
    series: Series
    losses: tuple[Loss, ...] = ()
    """Applications that it refuses or that fail."""
    nodes_in_use: float = 0.0
    """Nodes with a container, their mean."""

    @property
    def frozen_ms(self) -> int:
        """Return how long nothing could be allocated."""
        return sum(each.until_ms - each.since_ms for each in self.frozen)


class ApplicationWaits(msgspec.Struct, frozen=True):
    """Waits and ends of one application in each of the runs."""

    number: int
    name: str
    user: str
    queue: str
    """As in the first run that has it."""
    waits_ms: Mapping[str, int | None]
    """Letter → wait for the first container that it asks for; None where it ran at the start, left out where it was
    refused."""
    states: Mapping[str, str]
    master_waits_ms: Mapping[str, int | None] = {}
    """The same for its first container, which is its master's where it has one."""
    nodes: Mapping[str, int] = {}
    """Letter → most nodes on which it had containers at once."""


class Comparison(msgspec.Struct, frozen=True):
    """The outcome of the runs, and where they part."""

    scenario: str
    start_ms: int
    until_ms: int
    """Epoch ms, as above."""
    offset_ms: int
    """How far east of Greenwich its clock is."""
    seed: int
    runs: tuple[ComparedRun, ...]
    refused: Mapping[str, tuple[str, str]]
    """Letter → name, and the words of the class that refuses its configuration."""
    divergences: tuple[Divergence, ...]
    """In order of time, at most `divergences.MOST`."""
    first_trifle_ms: int | None
    """When they first decided anything differently, such as a container on another node [epoch ms]."""
    applications: tuple[ApplicationWaits, ...]
    """The largest difference of waits first."""
    lasting_ms: int = LASTING_MS
    """From when on a difference counted as a divergence."""


class Lane:
    """One of the runs while it is played."""

    def __init__(self, contestant: Contestant, until_ms: int) -> None:
        """Begin it.

        Raises:
            ConfigError: The class refuses its configuration.
        """
        self.contestant = contestant
        self.tape, self.meter, self.history = Tape(), Meter(), History()
        self.places, self._losses = NodesInUse(contestant.scenario.start_ms), LostApplications()
        self._alerts, self._fingerprint = Alerts(), Fingerprint()
        listeners: list[Listener] = [self.tape, self.meter, self.history, self._alerts, self._fingerprint]
        listeners += [self.places, self._losses]
        self.run = Run(contestant.scenario, listeners, until_ms, is_judged=False)
        simulation = self.run.simulation
        self.meter.follow(simulation)
        self.history.follow(simulation.control_plane, simulation.now_ms)

    def advance(self, to_ms: int) -> None:
        """Play up to an instant [ms after the start]."""
        self.run.advance(to_ms)
        self._alerts.look(self.run.simulation)

    def result(self, until_ms: int) -> ComparedRun:
        """Return the result up to an instant [epoch ms]."""
        each = self.contestant
        return ComparedRun(
            each.letter,
            each.name,
            each.scenario.scheduler,
            each.mapped,
            each.dropped,
            self.meter.measures(until_ms),
            tuple(_freezes(self._alerts.all, until_ms)),
            {number: one.verdict for one in self._alerts.all if one.verdict for number in one.applications},
            tuple(self.run.mishaps),
            self._fingerprint.hexdigest(),
            _series(self.history, each.scenario.start_ms, until_ms),
            self._losses.found,
            self.places.mean(until_ms),
        )


def _freezes(alerts: Sequence[Alert], until_ms: int) -> Iterator[ProvedFreeze]:
    for alert, over_ms in episodes_of(alerts):
        if alert.kind == "frozen":
            end_ms = until_ms if over_ms is None else over_ms
            yield ProvedFreeze(alert.since_ms, end_ms, alert.verdict, alert.pattern, alert.applications)


def _series(history: History, start_ms: int, until_ms: int) -> Series:
    at = [start_ms + (until_ms - start_ms) * place // (POINTS - 1) for place in range(POINTS)]
    names = history.names
    total, used = (
        next(place for place, name in enumerate(names) if name.startswith(kind)) for kind in ("total_", "used_")
    )
    waiting = next(place for place, name in enumerate(names) if name in {"applications_pending", "jobs_pending"})
    allocated = names.index("allocated_containers")
    nothing = (0,) * len(names)
    readings = [history.cluster.at(each) or nothing for each in at]
    so_far = [each[allocated] for each in readings]
    return Series(
        tuple(round(each[used] / each[total], 4) if each[total] else 0.0 for each in readings),
        tuple(each[waiting] for each in readings),
        tuple(after - before for before, after in zip([so_far[0], *so_far], so_far, strict=False)),
        {
            path: tuple(
                round((steps.at(time_ms) or 0) / reading[total], 4) if reading[total] else 0.0
                for time_ms, reading in zip(at, readings, strict=True)
            )
            for path, steps in sorted(history.queues.items())
        },
    )


def compared(
    contestants: Sequence[Contestant],
    until_ms: int,
    *,
    is_stopped: Callable[[], bool] = lambda: False,
    progressed: Callable[[int], object] = lambda now_ms: None,
) -> Comparison:
    """Play all of them in lockstep.

    Args:
        contestants: At least two, at most `LETTERS`; the others are compared with the first.
        until_ms: The end, ms after the start.
        is_stopped: Called between slices; True ends all there.
        progressed: Called with how far they are [ms after the start] after each slice.

    Raises:
        ConfigError: The class refuses the configuration of the first, or of all others.
    """
    lanes, refused = _begun(contestants, until_ms)
    lasts_ms = lasting_ms(until_ms)
    divergences = Divergences({lane.contestant.letter: lane.tape for lane in lanes}, lasts_ms)
    start_ms, now_ms = lanes[0].contestant.scenario.start_ms, 0
    while now_ms < until_ms and not is_stopped():
        now_ms = min(now_ms + SLICE_MS, until_ms)
        for lane in lanes:
            lane.advance(now_ms)
        divergences.take(start_ms + now_ms)
        progressed(now_ms)
    divergences.end()
    end_ms = start_ms + now_ms
    first = contestants[0].scenario
    return Comparison(
        first.name,
        start_ms,
        end_ms,
        first.offset_ms,
        first.seed,
        tuple(lane.result(end_ms) for lane in lanes),
        refused,
        tuple(divergences.found),
        divergences.first_trifle_ms,
        _applications(lanes, end_ms),
        lasts_ms,
    )


def _begun(contestants: Sequence[Contestant], until_ms: int) -> tuple[list[Lane], dict[str, tuple[str, str]]]:
    lanes: list[Lane] = []
    refused: dict[str, tuple[str, str]] = {}
    problems: list[Problem] = []
    for each in contestants:
        try:
            lanes.append(Lane(each, until_ms))
        except ConfigError as error:
            if not lanes:
                raise
            refused[each.letter] = (each.name, "; ".join(map(str, error.problems)))
            problems += error.problems
    if len(lanes) < 2:
        raise ConfigError(problems)
    return lanes, refused


def _applications(lanes: Sequence[Lane], until_ms: int) -> tuple[ApplicationWaits, ...]:
    found: dict[int, dict[str, ApplicationTimes]] = {}
    for lane in lanes:
        for each in lane.meter.applications:
            found.setdefault(each.number, {})[lane.contestant.letter] = each
    rows = []
    for number, times in found.items():
        first = next(iter(times.values()))
        waits = {letter: each.wait_ms(until_ms) for letter, each in times.items()}
        states = {letter: each.state for letter, each in times.items()}
        masters = {letter: each.master_wait_ms(until_ms) for letter, each in times.items()}
        nodes = {lane.contestant.letter: lane.places.most.get(number, 0) for lane in lanes}
        rows.append(ApplicationWaits(number, first.name, first.user, first.queue, waits, states, masters, nodes))
    return tuple(sorted(rows, key=lambda row: (-apart_ms(row), row.number)))


def apart_ms(row: ApplicationWaits) -> int:
    """Return how much longer an application waits at most in one run than in another [ms]."""
    waits = [wait for wait in row.waits_ms.values() if wait is not None]
    return max(waits) - min(waits) if waits else 0
