"""A scenario played: time passes, the operator's script is followed, expectations are judged.

`Run` is driven in pieces by a screen or a command; `play` drives one to its end.
"""

import time
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from engine.errors import RefusedError
from engine.model.decision import ContainerId
from engine.model.identity import container_of_name
from engine.observe.snapshot import Snapshot
from engine.observe.snapshots import snapshot_of
from engine.run.expectations import Result, Watches, find_application
from engine.scenario import Scenario, TimedAct
from engine.scenario.acts import Act, Finders, resolved, script_of
from engine.simulation.build import build_simulation
from engine.simulation.records import Listener, Record
from engine.simulation.simulation import Simulation

# Looks up the names in acts: which application, node or container of a cluster is meant.

IDS: Final = ("application_", "job_", "app-", "driver-")  # How ids of applications begin


def finders_in(snapshot: Snapshot) -> Finders:
    """Find the numbers and ids that names stand for in a cluster.

    Each raises `RefusedError` for an application or container that is not there; nodes the simulation looks up itself.
    """
    return {
        "application": lambda name: _number(name, snapshot),
        "master": lambda name: str(_number(name, snapshot)),
        "node": lambda name: _node(name, snapshot),
        "container": _container,
    }


def _number(name: str, snapshot: Snapshot) -> int:
    row = find_application(snapshot.applications(why=False), name)
    if row is None:
        words = (
            f"{name} is not there any more"
            if name.startswith(IDS)
            else f"no application, or more than one, matches {name}"
        )
        raise RefusedError("ApplicationNotFoundException", words)
    return row.number


def _node(name: str, snapshot: Snapshot) -> str:
    """The id of a node that is shown, else the name as it is: a tracker that was lost is shown no more."""
    return next((row.id for row in snapshot.nodes() if name in (row.id, row.host)), name)


def _container(name: str) -> ContainerId:
    """A container by its id, or its last three numbers (`0012_01_000003`), an epoch before them included."""
    container = container_of_name(name)
    if container is None:
        raise RefusedError("ContainerNotFoundException", f"{name} is not a container id")
    return container


LEAST_SLICE_MS: Final = 10
MOST_SLICE_MS: Final = 64_000
"""How much simulated time passes between two looks at whether to stop: so much that they are about `LOOK_S` apart."""

LOOK_S: Final = 0.1

WATCH_MS: Final = 500  # Simulated time between two looks of a watcher
Watch = Callable[[Simulation], Callable[[], int] | None]  # A function that looks at a run, as of `WatchedRun`

UNRECORDED: Final = frozenset({"fair_share_mb", "demand_mb", "steady_share_mb", "pending_containers"})
"""Measures that change without a record; they are looked at once per `UNRECORDED_EVERY_MS`."""

UNRECORDED_EVERY_MS: Final = 500


class FailedScriptStep(msgspec.Struct, frozen=True):
    time_ms: int  # Ms after the start
    step: str  # What was to be done, by its `do`
    reason: str


class Outcome(msgspec.Struct, frozen=True):
    scenario: str
    ended_ms: int  # Ms after the start
    interrupted: bool
    results: tuple[Result, ...]  # One per expectation, in the scenario's order
    mishaps: tuple[FailedScriptStep, ...]

    @property
    def ok(self) -> bool:
        return not self.failed

    @property
    def verdict(self) -> str:
        """`interrupted`, `failed`, `open` where some expectation could not be judged yet, or `met`."""
        verdicts = {result.verdict for result in self.results}
        if self.interrupted:
            return "interrupted"
        return next((word for word in ("failed", "open") if word in verdicts), "met")

    @property
    def failed(self) -> tuple[Result, ...]:
        return tuple(result for result in self.results if result.verdict == "failed")


class Run:
    """A scenario being played; its clock is moved by `advance` and nothing else."""

    def __init__(
        self,
        scenario: Scenario,
        listeners: Sequence[Listener] = (),
        until_ms: int | None = None,
        *,
        is_judged: bool = True,
    ) -> None:
        """A run that has not begun. Raises ConfigError if the scheduler refuses the scenario's settings.

        `listeners` get everything that happens, in this order; `until_ms` is its end after the start, None the
        scenario's own.
        """
        self.scenario = scenario
        self._start_ms = scenario.start_ms
        self.until_ms = scenario.duration_ms if until_ms is None else until_ms  # ms after the start
        self.mishaps: list[FailedScriptStep] = []
        self._watches = Watches(scenario.expectations if is_judged else (), scenario.start_ms)
        self._judge = _Judge(self, self._watches)
        self._judges = [self._judge] if self._watches.bounds() else []
        """Without expectations there is no listener: there is something to judge at every instant, or never."""
        self.simulation: Simulation = build_simulation(scenario, [*listeners, *self._judges])
        self._judge.is_muted = False
        self._steps = sorted(scenario.script, key=lambda step: step.at_ms)
        self._bounds = self._watches.bounds()
        self._unrecorded = self._watches.stretches(UNRECORDED)

    def branch(self, simulation: Simulation, listeners: Sequence[Listener] = ()) -> None:
        """Go on with another simulation of the same scenario: what the script did by then is done.

        `simulation` stands at the end of an instant; `listeners` get everything from now on, those of before do not.
        """
        self.simulation = simulation
        simulation.listeners[:] = [*listeners, *self._judges]
        self._steps = sorted(
            (step for step in self.scenario.script if step.at_ms > self.now_ms), key=lambda step: step.at_ms
        )

    @property
    def now_ms(self) -> int:
        return self.simulation.world.clock.now_ms - self._start_ms

    @property
    def ended(self) -> bool:
        return self.now_ms >= self.until_ms

    def snapshot(self) -> Snapshot:
        simulation = self.simulation
        return snapshot_of(simulation, lifespans=simulation.world.lifespans)

    def advance(self, to_ms: int, latest: Callable[[], int] | None = None) -> None:
        """Play up to and including an instant [ms after the start], but not beyond the end.

        Once something was recorded, it stands at the `latest` where that tells [epoch ms].
        """
        to_ms = min(to_ms, self.until_ms)
        start_ms = self._start_ms
        while (due := self._next_stop(to_ms)) is not None:
            if latest is not None:
                self.simulation.run_until(start_ms + due - 1, latest)
                if self.now_ms < due - 1:
                    return
            while self._steps and self._steps[0].at_ms <= due:
                step = self._steps.pop(0)
                self.simulation.run_before(start_ms + step.at_ms)
                self._follow(step)
            self.simulation.run_until(start_ms + due)
            self._judge.look()
            while self._bounds and self._bounds[0] <= due:
                self._bounds.pop(0)
            if latest is not None:
                to_ms = min(to_ms, latest() - start_ms)
        self.simulation.run_until(start_ms + to_ms, latest)

    def next_change_ms(self) -> int:
        """Return when something happens next [ms after the start]: an event, a step of the script, or the end."""
        due = self.simulation.next_event_ms()
        change_ms = self.until_ms if due is None else min(self.until_ms, due - self._start_ms)
        return min(change_ms, self._steps[0].at_ms) if self._steps else change_ms

    def _next_stop(self, to_ms: int) -> int | None:
        """The next instant with a step of the script or something to judge; None when there is none by then."""
        if not (self._bounds or self._steps or self._unrecorded):
            return None
        stops = self._bounds[:1] + [step.at_ms for step in self._steps[:1]]
        next_look = self.now_ms - self.now_ms % UNRECORDED_EVERY_MS + UNRECORDED_EVERY_MS
        stops += [next_look for first, last in self._unrecorded if first < next_look < last]
        due = min(stops, default=to_ms + 1)
        return due if due <= to_ms else None

    def _follow(self, step: TimedAct) -> None:
        self._judge.is_muted = True  # the rest of this instant is still to come
        try:
            answer = self.simulation.act(resolved(step.act, finders_in(self.snapshot())))
        except RefusedError as refusal:
            self.mishaps.append(FailedScriptStep(step.at_ms, step.do, str(refusal)))
            return
        finally:
            self._judge.is_muted = False
        if answer.rejected:
            self.mishaps.append(FailedScriptStep(step.at_ms, step.do, answer.detail or answer.rejected))

    def repeat(self, position: tuple[int, ...], act: Act) -> None:
        """Do what was done to another run of the scenario, where in its order of events that was."""
        self._judge.is_muted = True  # the rest of this instant is still to come
        try:
            self.simulation.run_to(position)
            _ = self.simulation.act(act)
        finally:
            self._judge.is_muted = False

    def outcome(self, *, interrupted: bool = False) -> Outcome:
        return Outcome(
            scenario=self.scenario.name,
            ended_ms=self.now_ms,
            interrupted=interrupted,
            results=self._watches.results(),
            mishaps=tuple(self.mishaps),
        )


class _Judge:
    def __init__(self, run: Run, watches: Watches) -> None:
        self._run = run
        self._watches = watches
        self.is_muted = True  # true while records come of an instant that has not ended, or before the start

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        self._watches.on_records(time_ms, records)
        if not self.is_muted:
            self.look()

    def look(self) -> None:
        now_ms = self._run.now_ms
        if self._watches.is_watching(now_ms):
            self._watches.judge(now_ms, self._run.snapshot())


def scenario_so_far(scenario: Scenario, simulation: Simulation) -> Scenario:
    """The scenario with what was done up to now as its script, then what its own script still does."""
    now_ms = simulation.now_ms - scenario.start_ms
    to_come = (step for step in scenario.script if step.at_ms > now_ms)
    script = (*script_of(simulation.acts, scenario.start_ms), *to_come)
    return scenario.model_copy(update={"script": script, "expectations": ()})


def _never() -> bool:
    return False


class WatchedRun:
    """A run that is looked at between two instants, a multiple of `WATCH_MS` after its start.

    It is looked at every time; where a look answers with what tells when to look next [epoch ms], as of what has been
    recorded by then, at that time.
    """

    def __init__(self, run: Run, watch: Watch) -> None:
        self._run = run
        self._watch = watch
        self._start_ms = run.scenario.start_ms
        self._next: Callable[[], int] | None = None
        self._seen_ms = run.simulation.now_ms

    def advance(self, to_ms: int) -> None:
        run, simulation, start_ms = self._run, self._run.simulation, self._start_ms
        while run.now_ms < min(to_ms, run.until_ms):
            run.advance(min(to_ms, self._latest_ms() - start_ms), self._latest_ms)
            if simulation.now_ms >= self._latest_ms() or run.ended:
                self._seen_ms, self._next = simulation.now_ms, self._watch(simulation)

    def _latest_ms(self) -> int:
        now_ms, next_ms = self._run.simulation.now_ms, 0 if self._next is None else self._next()
        due_ms = max(now_ms, self._seen_ms + 1, next_ms)
        return due_ms + (self._start_ms - due_ms) % WATCH_MS


def play(
    scenario: Scenario,
    until_ms: int | None = None,
    listeners: Sequence[Listener] = (),
    *,
    is_stopped: Callable[[], bool] = _never,
    progressed: Callable[[int], None] | None = None,
    watched: Watch | None = None,
    begun: Callable[[Simulation], object] | None = None,
) -> Outcome:
    """Play a scenario to its end.

    Args:
        until_ms: The end, ms after the start; None takes the scenario's own. Expectations beyond it stay open.
        is_stopped: Called between slices of simulated time; True ends the run there.
        progressed: Called with how far it is [ms after the start] after each slice.
        watched: Shown the simulation as of `WatchedRun`; it changes nothing.
        begun: Shown the simulation before time passes; it changes nothing.

    Raises:
        ConfigError: The scheduler refuses the scenario's settings.
    """
    run = Run(scenario, listeners, until_ms)
    if begun is not None:
        begun(run.simulation)
    is_whole = play_on(run, is_stopped=is_stopped, progressed=progressed, watched=watched)
    return run.outcome(interrupted=not is_whole)


def play_on(
    run: Run,
    *,
    is_stopped: Callable[[], bool] = _never,
    progressed: Callable[[int], None] | None = None,
    watched: Watch | None = None,
) -> bool:
    """Play a run to its end; whether it was not stopped before. Arguments are as of `play`."""
    slice_ms, advance = LEAST_SLICE_MS, run.advance if watched is None else WatchedRun(run, watched).advance
    while not run.ended:
        if is_stopped():
            return False
        begin_s = time.monotonic()  # how long slices are depends on it, what happens does not
        is_longest = slice_ms == MOST_SLICE_MS
        advance(max(run.now_ms + slice_ms, run.next_change_ms() if is_longest else 0))
        if progressed is not None:
            progressed(run.now_ms)
        is_short = time.monotonic() - begin_s < LOOK_S
        slice_ms = min(slice_ms * 2, MOST_SLICE_MS) if is_short else max(slice_ms // 2, LEAST_SLICE_MS)
    return True
