"""Puts a running engine behind the four protocols of a session: its state, a clock, acts and questions."""

import asyncio
import gc
import time
import weakref
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import count
from typing import Final

import msgspec

from engine.compare import ComparisonCandidate, compared, partings_of, snapshots_at
from engine.errors import EngineError
from engine.explain.alert import standing_at, waiting_in
from engine.observe.snapshot import CapacityQueueRow
from engine.observe.snapshots import plans_of, snapshot_of_simulation
from engine.observe.spark_snapshot import PlanTables
from engine.run.player import Run, finders_in, scenario_so_far
from engine.run.run_store import RecordedRun
from engine.scenario.acts import Act, SubmitApplication, resolved
from engine.simulation.act_handlers import node_named
from engine.simulation.simulation import Simulation
from tui.protocol.picture import (
    ActPreview,
    ActResult,
    Definition,
    OpenQuestion,
    SessionState,
    ShareChange,
    WhyAnswer,
    WhySubject,
    refused,
)
from tui.protocol.session import OpenComparison, Post
from tui.session.alert_monitor import AlertMonitor, EventLog, event_rows, with_alerts
from tui.session.definitions import ComparisonRequest, Definitions, contestants_of
from tui.session.driving import RunDriver
from tui.session.run_saver import RunSaver
from tui.session.series import SessionClock
from tui.session.templates import Presets
from tui.session.time_travel import NOT_HERE, TimeTravel
from tui.session.why_analysis import QuestionContext, WhyAnalysis
from tui.terminal import edges as crash

SETTLE_MS: Final = 1000  # Fair shares are computed twice a second; after this they follow from what was changed

_Shares = Mapping[tuple[str, str], int]  # (queue, what it is) → memory [MB], in tree order


def preview(simulation: Simulation, act: Act) -> ActPreview:
    """Return shares and limits of memory before and after an act; the simulation stays as it is."""
    copy = simulation.fork()
    before = _shares(copy)
    follows_at_once = issubclass(copy.control_plane.view().policy.queue_row, CapacityQueueRow)
    try:
        answer = copy.act(act)
        if not answer.rejected and not follows_at_once:
            copy.run_until(copy.now_ms + SETTLE_MS)
    except EngineError as error:
        return ActPreview(refusal=str(error))
    if answer.rejected:
        return ActPreview(refusal=answer.detail or answer.rejected)
    after = _shares(copy)
    kept = [each for each in before if each in after]
    return ActPreview(tuple(ShareChange(path, before[path, what], after[path, what], what) for path, what in kept))


def _shares(simulation: Simulation) -> _Shares:
    found: dict[tuple[str, str], int] = {}
    if simulation.control_plane.dimensions[0] != "memory_mb":
        return found
    for row in simulation.control_plane.view().policy.queues():
        found |= {(row.path, what): amount[0] for what, amount in row.granted.items() if isinstance(amount, tuple)}
    return found


class SessionActs:
    """Acts on one run; implements `protocol.session.ActsProtocol`."""

    def __init__(
        self, driver: RunDriver, presets: Presets, aside: Callable[[], AbstractContextManager[object]] | None = None
    ) -> None:
        """`presets` are what the form that submits begins with. A visitor may act while this screen looks at the past.

        `aside` surrounds each act of a visitor; it is None for the user at this terminal.
        """
        self._driver, self._presets, self._aside = driver, presets, aside
        self.permits: Callable[[Act], str] = lambda act: ""  # Why an act is not permitted here; empty: it is

    def _is_past(self) -> bool:
        return self._aside is None and self._driver.travel.simulation is not None

    def _resolved(self, act: Act) -> Act:
        simulation = self._driver.run.simulation
        finders = {
            **finders_in(self._driver.run.snapshot()),
            "node": lambda name: node_named(simulation.world, name).id,  # quicker than rows, for thousands of marks
            "queue": simulation.control_plane.view().policy.queue_name,
        }
        return resolved(act, finders)

    async def do(self, act: Act) -> ActResult:
        driver = self._driver
        if self._is_past():
            return refused(NOT_HERE)
        try:
            resolved_act = self._resolved(act)
            if refusal := self.permits(resolved_act):
                return refused(refusal)
            with self._aside() if self._aside is not None else nullcontext():
                answer = driver.run.simulation.act(resolved_act)
        except EngineError as error:
            return refused(str(error))
        driver.keeping.sync()
        driver.check_keeping()
        driver.changed()
        driver.wake()
        return refused((answer.detail or answer.rejected) if answer.rejected else "")

    async def try_(self, act: Act) -> ActPreview:
        if self._is_past():
            return ActPreview(refusal=NOT_HERE)
        try:
            if refusal := self.permits(self._resolved(act)):
                return ActPreview(refusal=refusal)
            return preview(self._driver.run.simulation, self._resolved(act))
        except EngineError as error:
            return ActPreview(refusal=str(error))

    async def submit(self, fields: Mapping[str, str]) -> ActResult:
        spec, problems = self._presets.spec_of(fields)
        if spec is None:
            return ActResult(tuple(problems))
        result = await self.do(SubmitApplication.of(spec))
        if not result.problems:
            self._presets.remember(spec)
        return result


SLICE_S: Final = 0.004  # How long is worked at a time [s]
REST_S: Final = 0.002  # What belongs to keys and frames between two slices [s]
PROGRESS_S: Final = 0.1  # The least time between two signs of progress [s]


class QuestionWork:
    def __init__(self, reasoning: WhyAnalysis, wall: Callable[[], float]) -> None:
        self.reasoning = reasoning
        self._wall = wall
        self._progress_at = wall()
        self._work: Iterator[None] = reasoning.work()
        self._failure = ""
        self.done = False  # Whether there is nothing left to do
        self._piece()

    @property
    def answer(self) -> WhyAnswer:
        answer = self.reasoning.answer
        return msgspec.structs.replace(answer, failure=self._failure, doing="") if self._failure else answer

    def slice(self) -> bool:
        begin, before = self._wall(), self.reasoning.answer
        while not self.done and self._wall() - begin < SLICE_S:
            self._piece()
        is_news = self.done or _found(self.reasoning.answer) != _found(before)
        if is_news or begin - self._progress_at >= PROGRESS_S:
            self._progress_at = begin
            return True
        return False

    def try_remedies(self) -> str:
        """Try them when the rest is done; in words why not, or nothing."""
        return self._go_on(self.reasoning.ask_remedies())

    def try_remedy(self, number: int) -> str:
        """Find out what follows one when the rest is done; in words why not, or nothing."""
        return self._go_on(self.reasoning.ask_aftermath(number))

    def _go_on(self, refusal: str) -> str:
        if not refusal and self.done and not self._failure:
            self._work = self.reasoning.work()
            self.done = False
        return refusal

    def _piece(self) -> None:
        try:
            self.done = next(self._work, self) is self
        except EngineError as error:
            self._failure, self.done = " ".join(str(error).split()), True
        except Exception as error:  # noqa: BLE001  # the last line of defence: a screen never shows a traceback
            self._failure, self.done = " ".join(crash.report(error).split()), True


class SessionQuestions:
    """Answers questions in slices with a real rest between; one shares what the open one before found out."""

    def __init__(
        self, scene: Callable[[], QuestionContext], wall: Callable[[], float], sleep: Callable[[float], Awaitable[None]]
    ) -> None:
        """Ask nothing yet; `scene` is where questions are asked."""
        self._scene, self._wall, self._sleep = scene, wall, sleep
        self._numbers = count(1)
        self._open: dict[int, QuestionWork] = {}
        self._last: weakref.ref[WhyAnalysis] | None = None

    @property
    def is_working(self) -> bool:
        return not all(work.done for work in self._open.values())

    async def ask(self, subject: WhySubject) -> OpenQuestion:
        before = self._last() if self._last is not None else None
        reasoning = WhyAnalysis(self._scene(), subject, before.basis if before is not None else None)
        self._last = weakref.ref(reasoning)
        number = next(self._numbers)
        work = self._open[number] = QuestionWork(reasoning, self._wall)
        return OpenQuestion(number, work.answer)

    async def more(self, question: int) -> WhyAnswer:
        work = self._open[question]
        while not work.done:
            await self._sleep(REST_S)
            if work.slice():
                break
        return work.answer

    async def try_remedies(self, question: int) -> ActResult:
        return refused(self._open[question].try_remedies())

    async def try_remedy(self, question: int, number: int) -> ActResult:
        return refused(self._open[question].try_remedy(number))

    async def close(self, question: int) -> None:
        """Let go; the copies it worked on are cycles, and large ones."""
        _ = self._open.pop(question, None)
        _ = asyncio.get_running_loop().call_soon(gc.collect, 1)


def _found(answer: WhyAnswer) -> tuple[int, int, int, int]:
    """Return a value that tells whether more was found: reports are replaced, never changed."""
    return id(answer.why), id(answer.place), id(answer.aftermath), id(answer.plan)


_MOST_ALERTS: Final = 2**16  # Factor that keeps versions apart that differ in the number of alerts


class SessionPictures:
    """The view of one run; implements `protocol.session.SessionStateProtocol`."""

    def __init__(self, driver: RunDriver, definitions: Definitions, presets: Presets) -> None:
        self._driver, self._definitions, self._presets = driver, definitions, presets

    async def start(self, post: Post) -> None:
        self._driver.start(post)

    async def close(self) -> None:
        await self._driver.close()

    async def picture(self) -> SessionState:
        """Return the picture of now; a row of a long section is made when it is looked at."""
        driver, travel = self._driver, self._driver.travel
        records = travel.records(driver.log.latest)
        state = msgspec.structs.replace(driver.state_of_now(), track=travel.track())
        version = driver.log.version
        if travel.simulation is not None:
            state = msgspec.structs.replace(state, present_ms=driver.run.simulation.now_ms, standing=())
            version = ~(records[-1].number << 20 | len(records)) if records else -1  # never one of the present
        rows = with_alerts(records, state.alerts, driver.looked_at.now_ms)
        obstacles, releases = driver.background.obstacles, driver.background.releasing.known
        return SessionState(
            snapshot_of_simulation(driver.looked_at, obstacles, releases, has_drained=driver.log.has_drained),
            state,
            event_rows(rows),
            version * _MOST_ALERTS + len(rows) - len(records),
            travel.graphs(),
            self._presets.offered(),
        )

    async def drawn(self, took_s: float) -> None:
        self._driver.drawn(took_s)

    async def definition(self, kind: str, name: str) -> Definition | None:
        return self._definitions.of(kind, name, self._driver.looked_at)

    async def plans(self) -> tuple[PlanTables, ...]:
        simulation = self._driver.run.simulation
        return plans_of(simulation.control_plane, simulation.now_ms)


SHOWN: Final = 50  # Divergences that a screen goes through


def opened(contestants: Sequence[ComparisonCandidate], until_ms: int) -> OpenComparison:
    """Play runs to an end [ms after the start], to be looked at."""
    comparison = compared(contestants, until_ms)
    played = [each for each in contestants if each.letter not in comparison.refused]
    partings = partings_of(played, comparison.divergences[:SHOWN], comparison.applications)
    return OpenComparison(comparison, partings, lambda time_ms: snapshots_at(played, time_ms))


class Session:
    """A run that is driven, seen, asked about and acted on; implements `protocol.session.Connection`."""

    def __init__(
        self,
        run: Run,
        log: EventLog,
        *,
        speed: float = 10.0,
        paused: bool = False,
        travel: TimeTravel | None = None,
        alerts: AlertMonitor | None = None,
        source: str = "",
        keeping: RunSaver | None = None,
        judges: bool = False,
        wall: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """It stands until its pictures are started; `speed` is simulated seconds per second, `inf` is flat out.

        The past (`travel`) by default begins here; `alerts` listen to the run; `source` is what the scenario was opened
        by; its expectations are judged at its end where it `judges`.
        """
        self.keeping = keeping or RunSaver()
        self.driver = RunDriver(
            run,
            log,
            travel or TimeTravel(RecordedRun.of(run)),
            speed=speed,
            paused=paused,
            alerts=alerts or AlertMonitor(),
            keeping=self.keeping,
            judges=judges,
            wall=wall,
            sleep=sleep,
        )
        self.presets = presets = Presets(run.scenario)
        self.pictures = SessionPictures(
            self.driver, Definitions(run.scenario, source, self.driver.state.offset_ms), presets
        )
        self.clock = SessionClock(self.driver)
        self.acts = SessionActs(self.driver, presets)
        self.questions = SessionQuestions(self.scene, wall, sleep)

    async def compare(self, words: str) -> OpenComparison:
        """The scenario and its acts beside itself under each word (a policy, `KEY=VALUE`), or an `EngineError`."""
        run = self.driver.run
        scenario = scenario_so_far(run.scenario, run.simulation)
        contestants = contestants_of(scenario, ComparisonRequest(words.split()))
        return await asyncio.to_thread(opened, contestants, scenario.duration_ms)

    def scene(self) -> QuestionContext:
        driver, travel = self.driver, self.driver.travel
        records = travel.records(driver.log.latest)
        looked_at, standing = driver.looked_at, driver.alerts.active_alerts
        if travel.simulation is not None:
            standing = tuple(standing_at(driver.alerts.all, looked_at.now_ms))
        scenario, offset_ms = driver.run.scenario, driver.state.offset_ms
        alarmed = waiting_in(standing, looked_at.control_plane.view())
        return QuestionContext(looked_at, travel.timeline, scenario, records, offset_ms, alarmed)
