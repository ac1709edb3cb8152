"""Plays the same workload and faults under two or more policies, releases or settings, on one clock."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final, NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from engine.compare.divergences import LASTING_MS, Divergence, Divergences, Tape, lasting_ms
from engine.compare.standstills import StandstillMeter, Stretch, length_ms
from engine.errors import ConfigError, Problem
from engine.explain.alert import Alert, episodes_of
from engine.explain.alerts import Alerts
from engine.measures import ApplicationTimes, Meter, Quantiles, RunMeasures
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, ContainerId, Killed, owner_of
from engine.observe.history import History
from engine.observe.journal import Fingerprint
from engine.observe.snapshots import (
    YARN,
    RunningContainer,
    SystemTerms,
    held_now,
    queue_word,
    terms_for,
    translate_terms,
)
from engine.run.player import FailedScriptStep, Run
from engine.scenario import Scenario
from engine.simulation.records import Listener, Record, Submitted

# Applications that a run refuses or that fail in it, with the reason.

REFUSED, FAILED, KILLED = "refused", "failed", "killed"


class Loss(msgspec.Struct, frozen=True):
    """Applications that came to nothing in the same way."""

    kind: str  # `REFUSED`, `FAILED` or `KILLED`
    reason: str  # The words of the class about the first of them; may be empty
    applications: tuple[int, ...]  # In the order in which it came about
    others: int = 0  # Further reasons among them


class LostApplications:
    def __init__(self) -> None:
        self._reasons: dict[str, dict[str, None]] = {}
        self._lost: dict[str, dict[int, None]] = {}
        self.reason_of: dict[int, str] = {}  # application that was refused → why

    @property
    def found(self) -> tuple[Loss, ...]:
        kinds = (kind for kind in (REFUSED, FAILED, KILLED) if kind in self._lost)
        found = ((kind, list(self._reasons[kind]) or [""], tuple(self._lost[kind])) for kind in kinds)
        return tuple(Loss(kind, reasons[0], lost, len(reasons) - 1) for kind, reasons, lost in found)

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        for record in records:
            if isinstance(record, Submitted) and record.rejected:
                self._note(REFUSED, record.application, record.detail or record.rejected)
                self.reason_of[record.application] = record.detail or record.rejected
            elif isinstance(record, ApplicationTransitioned) and record.state in {"FAILED", "KILLED"}:
                self._note(record.state.lower(), record.application, record.detail)

    def _note(self, kind: str, number: int, reason: str) -> None:
        self._lost.setdefault(kind, {})[number] = None
        self._reasons.setdefault(kind, {}).update({reason: None} if reason else {})


# Follows on how many nodes containers are: of all applications over time, and of each at most.


class _NodesInUse:
    def __init__(self, start_ms: int) -> None:
        self._node_of: dict[ContainerId, str] = {}
        self._on: Counter[str] = Counter()  # node → containers
        self._of: dict[int, Counter[str]] = {}
        self.most: dict[int, int] = {}  # Application → most nodes that it had containers on at once
        self._start_ms = self._now_ms = start_ms
        self._node_ms = 0

    def take(self, held: Mapping[ContainerId, RunningContainer]) -> None:
        for container, each in held.items():
            if each.node:
                self._begin(container, each.node)

    def mean(self, until_ms: int) -> float:
        self._pass_time(until_ms)
        return self._node_ms / max(1, until_ms - self._start_ms)

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        self._pass_time(time_ms)
        for record in records:
            if isinstance(record, Allocated):
                self._begin(record.container, record.node)
            elif isinstance(record, Completed | Killed):
                self._end(record.container)

    def _pass_time(self, time_ms: int) -> None:
        if time_ms > self._now_ms:
            self._node_ms += len(self._on) * (time_ms - self._now_ms)
            self._now_ms = time_ms

    def _begin(self, container: ContainerId, node: str) -> None:
        if container in self._node_of:
            return
        number = owner_of(container)
        mine = self._of.setdefault(number, Counter())
        self._node_of[container] = node
        self._on[node] += 1
        mine[node] += 1
        self.most[number] = max(self.most.get(number, 0), len(mine))

    def _end(self, container: ContainerId) -> None:
        node = self._node_of.pop(container, None)
        if node is None:
            return
        for counts in (self._on, self._of[owner_of(container)]):
            counts[node] -= 1
            if not counts[node]:
                del counts[node]


LETTERS: Final = "ABCDEF"  # Letters of the runs, in their order; so many are compared at most
SLICE_MS: Final = 5_000  # Simulated time between two looks of the alerts, and between two comparisons
POINTS: Final = 240  # Points of a series


class ComparisonCandidate(msgspec.Struct, frozen=True):
    """One of the runs before it is played."""

    letter: str
    name: str
    scenario: Scenario
    mapped: tuple[str, ...] = ()  # What became something else because the policy is another one
    dropped: tuple[str, ...] = ()  # What has no counterpart


class ProvedFreeze(msgspec.Struct, frozen=True):
    """A stretch in which, as was proved, nothing could be allocated, or containers were only preempted again."""

    since_ms: int
    until_ms: int  # Epoch ms, as above; the end of the run where it lasts
    verdict: str
    pattern: str
    applications: tuple[int, ...]
    kind: str = "frozen"  # Of the alert: `stuck` where others still went on as it was found, `livelock`


class Series(msgspec.Struct, frozen=True):
    """Figures of a run at evenly spaced instants, the first at its start, the last at its end."""

    used_share: tuple[float, ...]  # Part of the cluster's memory (or map slots) that is held
    waiting: tuple[int, ...]  # Applications that wait, whether they have something or not
    allocated: tuple[int, ...]  # Containers allocated since the point before
    queues: Mapping[str, tuple[float, ...]]  # Path of a leaf queue → part of the cluster's memory it holds


class ComparedRun(msgspec.Struct, frozen=True):
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
    mishaps: tuple[FailedScriptStep, ...]  # Steps of the script that came to nothing
    journal: str  # SHA-256 of its records
    series: Series
    losses: tuple[Loss, ...] = ()  # Applications that it refuses or that fail
    nodes_in_use: float = 0.0  # Nodes with a container, their mean
    livelocks: tuple[ProvedFreeze, ...] = ()

    @property
    def frozen_ms(self) -> int:
        return proved_ms(self.frozen)

    @property
    def livelock_ms(self) -> int:
        return proved_ms(self.livelocks)


def proved_ms(stretches: Sequence[ProvedFreeze]) -> int:
    return sum(each.until_ms - each.since_ms for each in stretches)


class ApplicationWaits(msgspec.Struct, frozen=True):
    """Waits and ends of one application in each of the runs: of one number and name, or of a name that is its own."""

    number: int  # As in the first run that has it
    name: str
    user: str
    queue: str  # As in the first run that has it
    waits_ms: Mapping[str, int | None]
    """Letter → wait for the first container that it asks for; None where it ran at the start, left out where it was
    refused."""
    states: Mapping[str, str]
    master_waits_ms: Mapping[str, int | None] = {}
    """The same for its first container, which is its master's where it has one."""
    nodes: Mapping[str, int] = {}  # Letter → most nodes on which it had containers at once
    starts_ms: Mapping[str, int | None] = {}  # Letter → when its work began [epoch ms]; None where it never did
    ends_ms: Mapping[str, int | None] = {}  # Letter → when it ended; None where it did not
    reserved: Mapping[str, int] = {}  # Letter → most nodes reserved for it at once
    numbers: Mapping[str, int] = {}  # Letter → its number there


class Comparison(msgspec.Struct, frozen=True):
    scenario: str
    start_ms: int
    until_ms: int  # Epoch ms, as above
    offset_ms: int  # How far east of Greenwich its clock is
    seed: int
    runs: tuple[ComparedRun, ...]
    refused: Mapping[str, tuple[str, str]]  # Letter → name, and the words of the class that refuses its configuration
    divergences: tuple[Divergence, ...]  # In order of time, at most `divergences.MOST`
    first_trifle_ms: int | None
    """When they first decided anything differently, such as a container on another node [epoch ms]."""
    applications: tuple[ApplicationWaits, ...]  # The largest difference of waits first
    lasting_ms: int = LASTING_MS  # From when on a difference counted as a divergence
    unlike: tuple[int, ...] = ()  # Numbers that are applications of different names in the runs, in order
    assumed: tuple[str, ...] = ()  # What is not known of the cluster, and the values assumed instead


class _Lane:
    def __init__(self, contestant: ComparisonCandidate, until_ms: int, start_ms: int) -> None:
        """Begin it, as if it started at `start_ms` [epoch ms]. Raises ConfigError if the class refuses the settings."""
        self.contestant = contestant
        self.shift_ms = contestant.scenario.start_ms - start_ms
        self.tape, self.meter, self.history = Tape(self.shift_ms), Meter(), History()
        self.places, self._losses = _NodesInUse(contestant.scenario.start_ms), LostApplications()
        self._alerts, self._still, self._fingerprint = Alerts(), StandstillMeter(), Fingerprint()
        listeners: list[Listener] = [self.tape, self.meter, self.history, self._alerts, self._still, self._fingerprint]
        listeners += [self.places, self._losses]
        self.run = Run(contestant.scenario, listeners, until_ms, is_judged=False)
        simulation = self.run.simulation
        self.meter.follow(simulation)
        self.places.take(held_now(simulation))
        self.history.follow(simulation.control_plane, simulation.now_ms)

    def advance(self, to_ms: int) -> None:
        self.run.advance(to_ms)
        self._alerts.look(self.run.simulation)
        self._still.look(self.run.simulation)

    def result(self, until_ms: int) -> ComparedRun:
        each, own_ms = self.contestant, until_ms + self.shift_ms
        frozen, livelocked = self._still.frozen(own_ms), self._still.livelocked(own_ms)
        measures = self.meter.measures(own_ms)
        return ComparedRun(
            each.letter,
            each.name,
            each.scenario.scheduler,
            each.mapped,
            each.dropped,
            replace(measures, frozen_ms=length_ms(frozen), livelock_ms=length_ms(livelocked)),
            tuple(self._proved(frozen, ("frozen", "stuck"))),
            {number: one.verdict for one in self._alerts.all if one.verdict for number in one.applications},
            tuple(self.run.mishaps),
            self._fingerprint.hexdigest(),
            _series(self.history, each.scenario.start_ms, own_ms),
            self._losses.found,
            self.places.mean(own_ms),
            tuple(self._proved(livelocked, ("livelock",))),
        )

    def _proved(self, stretches: Sequence[Stretch], kinds: Sequence[str]) -> Iterator[ProvedFreeze]:
        """Stretches as what the alerts of them say; the first kind that one of them is of goes before the next."""
        for since_ms, until_ms in stretches:
            within = [
                alert
                for alert, over_ms, _ in episodes_of(self._alerts.all)
                if alert.kind in kinds and alert.found_ms <= until_ms and (over_ms is None or over_ms > since_ms)
            ]
            untold = Alert(kinds[0], 0, 0, "")  # Where it ends before anybody was asked why
            alert = min(within, key=lambda each: kinds.index(each.kind), default=untold)
            stretch = since_ms - self.shift_ms, until_ms - self.shift_ms
            yield ProvedFreeze(*stretch, alert.verdict, alert.pattern, alert.applications, alert.kind)


def _series(history: History, start_ms: int, until_ms: int) -> Series:
    at = [start_ms + (until_ms - start_ms) * place // (POINTS - 1) for place in range(POINTS)]
    names = history.names
    total, used = (
        next(place for place, name in enumerate(names) if name.startswith(kind)) for kind in ("total_", "used_")
    )
    waiting, allocated = names.index("waiting"), names.index("allocated_containers")
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
    contestants: Sequence[ComparisonCandidate],
    until_ms: int,
    *,
    is_stopped: Callable[[], bool] = lambda: False,
    progressed: Callable[[int], object] = lambda now_ms: None,
) -> Comparison:
    """Play from two to `LETTERS` contestants in lockstep; `progressed` is told how far they are [ms after the start].

    Raises ConfigError if the class refuses the configuration of the first, or of all others.
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
    rows = _applications(lanes, end_ms)
    numbers = Counter(number for row in rows for number in set(row.numbers.values()))
    unlike = tuple(sorted(number for number, count in numbers.items() if count > 1))
    return Comparison(
        first.name,
        start_ms,
        end_ms,
        first.offset_ms,
        first.seed,
        tuple(lane.result(end_ms) for lane in lanes),
        refused,
        tuple(each for each in divergences.found if each.application not in unlike),
        divergences.first_trifle_ms,
        rows,
        lasts_ms,
        unlike,
        tuple(dict.fromkeys(each.words for one in contestants for each in one.scenario.assumed)),
    )


def _begun(contestants: Sequence[ComparisonCandidate], until_ms: int) -> tuple[list[_Lane], dict[str, tuple[str, str]]]:
    lanes: list[_Lane] = []
    refused: dict[str, tuple[str, str]] = {}
    problems: list[Problem] = []
    for each in contestants:
        try:
            lanes.append(_Lane(each, until_ms, contestants[0].scenario.start_ms))
        except ConfigError as error:
            if not lanes:
                raise
            refused[each.letter] = (each.name, "; ".join(map(str, error.problems)))
            problems += error.problems
    if len(lanes) < 2:
        raise ConfigError(problems)
    return lanes, refused


def _applications(lanes: Sequence[_Lane], until_ms: int) -> tuple[ApplicationWaits, ...]:
    found: dict[tuple[int, str], dict[str, ApplicationTimes]] = {}
    named = [Counter(each.name for each in lane.meter.applications if each.name) for lane in lanes]
    for lane in lanes:
        for each in lane.meter.applications:
            is_own = each.name and all(names[each.name] <= 1 for names in named)
            key = (0 if is_own else each.number, each.name)
            found.setdefault(key, {})[lane.contestant.letter] = _earlier(each, lane.shift_ms)
    rows = []
    for times in found.values():
        first = next(iter(times.values()))
        mine = {lane.contestant.letter: lane for lane in lanes if lane.contestant.letter in times}
        numbers = {letter: each.number for letter, each in times.items()}
        waits = {letter: each.wait_ms(until_ms) for letter, each in times.items()}
        states = {letter: each.state for letter, each in times.items()}
        masters = {letter: each.master_wait_ms(until_ms) for letter, each in times.items()}
        nodes = {letter: lane.places.most.get(numbers[letter], 0) for letter, lane in mine.items()}
        starts = {letter: each.start_ms for letter, each in times.items()}
        ends = {letter: each.ended_ms for letter, each in times.items()}
        reserved = {letter: lane.meter.reserved_most_of.get(numbers[letter], 0) for letter, lane in mine.items()}
        found_of = (waits, states, masters, nodes, starts, ends, reserved, numbers)
        rows.append(ApplicationWaits(first.number, first.name, first.user, first.queue, *found_of))
    return tuple(sorted(rows, key=lambda row: (-apart_ms(row), row.number)))


def _earlier(times: ApplicationTimes, by_ms: int) -> ApplicationTimes:
    first_ms, served_ms, ended_ms = (
        None if time_ms is None else time_ms - by_ms for time_ms in (times.first_ms, times.served_ms, times.ended_ms)
    )
    submitted_ms = times.submitted_ms - by_ms
    return replace(times, submitted_ms=submitted_ms, first_ms=first_ms, served_ms=served_ms, ended_ms=ended_ms)


def apart_ms(row: ApplicationWaits) -> int:
    """Return how much longer an application waits at most in one run than in another [ms]."""
    waits = [wait for wait in row.waits_ms.values() if wait is not None]
    return max(waits) - min(waits) if waits else 0


# The measures of several runs side by side, in groups, with what counts as worse.

Value = float | int | None
Found = TypeVar("Found")


class MeasureRow(msgspec.Struct, frozen=True):
    group: str
    name: str
    unit: str  # `ms`, `s` (of a container or node), `share` (0 to 1), `ratio` or empty for a number
    worse: str  # `more`, `less`, or empty where neither is
    values: tuple[Value, ...]  # The value of each run, in their order; None where there is none

    @property
    def is_alike(self) -> bool:
        return len(set(self.values)) <= 1

    @property
    def is_ranked(self) -> bool:
        """Tell whether one run is worse than another: one without a value is not."""
        return bool(self.worse) and not self.is_alike and None not in self.values

    @property
    def spread(self) -> float:
        """Return how far apart they are, from 0 (alike) to 1 (one has all); shares and ratios by their difference."""
        known = [abs(value) for value in self.values if value is not None]
        most = max(known, default=0)
        return (most - min(known)) / most if most else 0.0

    def severity_key(self) -> list[float]:
        """Length of a bar for each run, 0 to 1: worse the larger it is; nothing where neither is worse."""
        known = [value for value in self.values if value is not None]
        most = max(known, default=0)
        if not self.is_ranked or not most:
            return [0.0] * len(self.values)
        return [value / most if self.worse == "more" else 1 - value / most for value in known]


class _Kind(NamedTuple):
    group: str
    name: str
    unit: str
    worse: str
    of: Callable[[ComparedRun], Value]


def _of_waits(waits: Quantiles, quantile: str) -> Value:
    return getattr(waits, quantile) if waits.number else None


WAITS: Final = "Waits for the first container asked for"
MASTERS: Final = "Waits for the application master"
WORK: Final = "Work done"
SHARED: Final = "Fairness"
RESERVATIONS: Final = "Reservations"
LOST: Final = "Starving, deadlocked, lost"
LIVELOCKED: Final = "preemption livelock, proved"
_KINDS: Final = (
    _Kind(WAITS, "median", "ms", "more", lambda run: _of_waits(run.measures.waits, "median")),
    _Kind(WAITS, "95 %", "ms", "more", lambda run: _of_waits(run.measures.waits, "p95")),
    _Kind(WAITS, "worst", "ms", "more", lambda run: _of_waits(run.measures.waits, "worst")),
    _Kind(WAITS, "slowdown, median", "ratio", "more", lambda run: run.measures.slowdown.median or None),
    _Kind(WAITS, "slowdown, 95 %", "ratio", "more", lambda run: run.measures.slowdown.p95 or None),
    _Kind(WAITS, "waiting for the first, most", "", "more", lambda run: run.measures.waiting_most),
    _Kind(MASTERS, "master, median", "ms", "more", lambda run: _of_waits(run.measures.master_waits, "median")),
    _Kind(MASTERS, "master, 95 %", "ms", "more", lambda run: _of_waits(run.measures.master_waits, "p95")),
    _Kind(MASTERS, "master, worst", "ms", "more", lambda run: _of_waits(run.measures.master_waits, "worst")),
    _Kind(WORK, "applications finished", "", "less", lambda run: run.measures.finished),
    _Kind(WORK, "not ended", "", "more", lambda run: run.measures.unfinished),
    _Kind(WORK, "makespan", "ms", "more", lambda run: run.measures.makespan_ms if run.measures.applications else None),
    _Kind(WORK, "containers allocated", "", "", lambda run: run.measures.containers),
)
_AFTER: Final = (
    _Kind(RESERVATIONS, "nodes reserved at once, most", "", "more", lambda run: run.measures.reserved_most),
    _Kind(RESERVATIONS, "for one application, most", "", "more", lambda run: run.measures.reserved_most_by_one),
    _Kind(RESERVATIONS, "reserved in vain", "s", "more", lambda run: run.measures.reserved_in_vain_s),
    _Kind(LOST, "deadlocked, proved", "ms", "more", lambda run: run.frozen_ms),
    _Kind(LOST, LIVELOCKED, "ms", "more", lambda run: run.livelock_ms),
    _Kind(LOST, "longest standstill", "ms", "more", lambda run: run.measures.standstill_ms),
    _Kind(LOST, "waited over ten minutes", "", "more", lambda run: run.measures.starved),
    _Kind(LOST, "never started", "", "more", lambda run: run.measures.never_started),
    _Kind(LOST, "refused, failed or killed", "", "more", lambda run: run.measures.refused + run.measures.failed),
    _Kind(LOST, "containers preempted", "", "more", lambda run: run.measures.preempted),
    _Kind(LOST, "their work", "s", "more", lambda run: run.measures.preempted_s),
    _Kind(LOST, "work lost in all", "s", "more", lambda run: run.measures.lost_s),
)
DIMENSIONS: Final = {
    "memory_mb": "memory",
    "vcores": "vcores",
    "cores": "cores",
    "map_slots": "map slots",
    "reduce_slots": "reduce slots",
}  # Dimension → its words


def measure_rows(comparison: Comparison) -> list[MeasureRow]:
    """The measures of a comparison in their order: waits, work, utilisation, fairness, reservations, harm."""
    runs, words = comparison.runs, terms_of(comparison.runs)
    return [
        MeasureRow(translate_terms(group, words), translate_terms(name, words), unit, worse, tuple(map(of, runs)))
        for group, name, unit, worse, of in _kinds(runs)
    ]


ROOT: Final = "root."


def by_queue(every: Sequence[Mapping[str, Found]]) -> dict[str, list[Found | None]]:
    """Queue → what each run has of it, None where nothing.

    The one queue of FifoScheduler has no root above it, and is that of the others all the same.

    >>> by_queue([{"root.default": 1, "root.a": 2}, {"default": 3}])
    {'root.default': [1, 3], 'root.a': [2, None]}
    """
    bare = [{path.removeprefix(ROOT): found for path, found in each.items()} for each in every]
    paths = {path.removeprefix(ROOT): path for each in reversed(every) for path in each}
    return {paths[name]: [each.get(name) for each in bare] for name in dict.fromkeys(chain(*bare))}


def terms_of(runs: Sequence[ComparedRun]) -> SystemTerms:
    """The words of the system of the runs; those of YARN where they are of several."""
    found = {terms_for(tuple(run.measures.used_share)) for run in runs}
    queues = {queue_word(run.policy) for run in runs}
    words = found.pop() if len(found) == 1 else YARN
    return words._replace(queue=queues.pop()) if len(queues) == 1 else words


def dimension_of(runs: Sequence[ComparedRun]) -> str:
    """What the series of held parts are of: the first dimension."""
    return next((DIMENSIONS[name] for run in runs for name in run.measures.used_share), "memory")


def is_spark(runs: Sequence[ComparedRun]) -> bool:
    return "cores" in runs[0].measures.used_share


def _kinds(runs: Sequence[ComparedRun]) -> Iterator[_Kind]:
    has_masters = any(run.measures.master_waits.number for run in runs)
    yield from (each for each in _KINDS if has_masters or each.group != MASTERS)
    for dimension in runs[0].measures.used_share:
        words = f"{DIMENSIONS[dimension]} held, mean"
        yield _Kind(WORK, words, "share", "", lambda run, of=dimension: run.measures.used_share.get(of))  # type: ignore[misc]  # the default binds the name
    if is_spark(runs):
        yield _Kind(WORK, "workers in use, mean", "ratio", "", lambda run: run.nodes_in_use)
    yield _Kind(SHARED, "Jain's index of users", "share", "less", lambda run: run.measures.users.jain)
    if terms_of(runs).has_queues:
        yield _Kind(SHARED, "Jain's index of queues", "share", "less", lambda run: run.measures.queues.jain)
    shares = by_queue([run.measures.queues.dominant_share for run in runs])
    of_run = {run.letter: place for place, run in enumerate(runs)}
    for queue, values in shares.items():
        words = f"{queue.removeprefix(ROOT)}, dominant share, mean"
        if queue:
            yield _Kind(SHARED, words, "share", "", lambda run, of=values: of[of_run[run.letter]])  # type: ignore[misc]  # the default binds the name
    reserves = terms_of(runs) == YARN or any(run.measures.reserved_most for run in runs)
    idle = {RESERVATIONS: not reserves, LIVELOCKED: not any(run.livelock_ms for run in runs)}
    yield from (each for each in _AFTER if not idle.get(each.group) and not idle.get(each.name))
