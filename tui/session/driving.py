"""Drives a running engine: slices of work on the event loop, and a rest after each.

A slice is a few milliseconds, so keys stay quick and nothing needs a lock. While the clock stands, what a screen still
wants to know is worked out with longer rests; when nothing is left nothing runs at all. Wall time comes from outside,
so tests need none.
"""

import asyncio
import gc
import sys
from collections.abc import Awaitable, Callable
from math import inf
from typing import Any, Final

import msgspec

from engine.errors import EngineError
from engine.explain.alerts import ACTED
from engine.explain.sensitivity import frozen_if
from engine.explain.waits import ReleaseSearch
from engine.observe.obstacles import ObstacleCache
from engine.observe.releases import Releases
from engine.run.player import Run
from engine.simulation.simulation import Simulation
from tui.protocol.picture import Notice, RunState, SessionChanged
from tui.protocol.session import Post, cancel_all, nowhere
from tui.session.alert_monitor import AlertMonitor, EventLog
from tui.session.run_saver import ExpectationReplay, RunSaver
from tui.session.time_travel import PIECE_S, ScriptPace, TimeTravel
from tui.terminal import edges as crash

SLICE_S: Final = 0.003  # Duration of one slice of work [s]
EVERY_S: Final = 2.0  # Least time from one answer to the next question while the clock runs [s]
SHARE: Final = 20  # Least time from one answer to the next question, in multiples of the cost of the answer
PROGRESS_S: Final = 0.5  # Time between two signs of progress of a long search [s]
PIECES: Final = 1_000  # Pieces of work for one answer while the clock runs; then it is ready for the next question
PIECES_AT_REST: Final = 20_000  # The same while the clock stands: a minute or so on a large cluster


class ReleaseTracker:
    """Finds what frees the reserved nodes of the simulation looked at.

    A search goes only as far as the rows on screen need; while the clock stands it goes on when others come on screen.
    Nothing is done while no one looks, while nothing is reserved, and while the clock runs flat out.
    """

    def __init__(self, wall: Callable[[], float], wanted: Callable[[], object]) -> None:
        """Know nothing yet; `wanted` is called when reservations are looked at."""
        self.known = Releases(wanted)
        self._wall = wall
        self._search: ReleaseSearch | None = None
        self._asked: tuple[int, int, int] | None = None  # The simulation that was asked about, and its state then
        self._rests = False  # True once the search has come as far as the rows on screen need
        self._pieces = 0
        self._spent_s = 0.0
        self._shown_at = self._due_at = wall()

    @property
    def copying(self) -> bool:
        """True while an instant is copied; the run should stand until it is done."""
        return self._search is not None and not self._search.copied

    def is_behind(self, simulation: Simulation) -> bool:
        if self._search is not None and not (self._rests and self._search.is_settled(self.known.shown)):
            return True
        return self.known.is_wanted and self._asked != _place(simulation)

    def tick(self, simulation: Simulation, *, stands: bool, flat_out: bool) -> bool:
        """Work for a slice, if there is something to find out; True when more is known, and a picture is due."""
        place = _place(simulation)
        if self._asked is not None and (self._asked[0], self._asked[2]) != (place[0], place[2]):
            self._forget()
        if self._rests and self._asked != place:
            self._let_go()
        if self._search is None and not self._begin(simulation, stands=stands, flat_out=flat_out):
            return False
        # Should it fail it is not tried again where it was asked.
        search, self._search = self._search, None
        if search is None or (self._rests and search.is_settled(self.known.shown)):
            self._search = search
            return False
        is_over = self._work(search, PIECES_AT_REST if stands else PIECES)
        self._rests = not is_over and search.is_settled(self.known.shown)
        self._search = search
        if not is_over and not self._rests:
            return stands and search.copied and self._show_progress(search)
        self._due_at = self._wall() + max(EVERY_S, SHARE * self._spent_s)
        self.known.tell(search.found())
        if is_over or not stands:
            self._let_go()
        return stands

    def _let_go(self) -> None:
        if self._search is not None:
            self._search.close()
        self._search, self._rests = None, False

    def _forget(self) -> None:
        self._let_go()
        self._asked = None
        self._due_at = self._wall()
        self.known.tell({})

    def _begin(self, simulation: Simulation, *, stands: bool, flat_out: bool) -> bool:
        is_due = stands or (not flat_out and self._wall() >= self._due_at)
        if not is_due or not self.is_behind(simulation):
            return False
        self.known.is_wanted = False
        self._asked = _place(simulation)
        self._search = ReleaseSearch(simulation)
        self._pieces, self._spent_s, self._shown_at = 0, 0.0, self._wall()
        return True

    def _work(self, search: ReleaseSearch, pieces: int) -> bool:
        begin = now = self._wall()
        shown = self.known.shown
        while not (search.done or search.is_settled(shown)) and self._pieces < pieces and now - begin < SLICE_S:
            _ = search.advance()
            self._pieces += 1
            now = self._wall()
        self._spent_s += now - begin
        return search.done or self._pieces >= pieces

    def _show_progress(self, search: ReleaseSearch) -> bool:
        if self._wall() - self._shown_at < PROGRESS_S:
            return False
        self._shown_at = self._wall()
        self.known.tell(search.found())
        return True


def _place(simulation: Simulation) -> tuple[int, int, int]:
    """Return a key that differs between simulations, and whenever reservations or containers of one may differ."""
    return id(simulation), simulation.control_plane.version, len(simulation.acts)


NODES_WHILE_RUNNING: Final = 500  # Nodes that one slice looks at while the clock runs; about a tenth of its time
NODES_AT_REST: Final = 1_000  # Nodes that one slice looks at while the clock stands


class Background:
    """Finds beside the engine what takes too long for one picture: why applications wait, who frees reserved nodes."""

    def __init__(self, wall: Callable[[], float], wanted: Callable[[], object]) -> None:
        """Know nothing yet; `wanted` is called when something is looked at that is to be worked out."""
        self.obstacles = ObstacleCache(wanted=wanted)
        self.releasing = ReleaseTracker(wall, wanted)

    @property
    def copying(self) -> bool:
        return self.releasing.copying

    def is_behind(self, simulation: Simulation) -> bool:
        return self.obstacles.is_behind or self.releasing.is_behind(simulation)

    def tick(self, simulation: Simulation, *, stands: bool, flat_out: bool) -> bool:
        """Work on everything for a little; return True when a picture is due because the clock stands."""
        is_answered = self.obstacles.work(NODES_AT_REST if stands else NODES_WHILE_RUNNING, simulation.now_ms)
        is_news = stands and is_answered and not self.obstacles.is_behind
        return self.releasing.tick(simulation, stands=stands, flat_out=flat_out) or is_news


THRESHOLD: Final = (5_000, 3, 170)
"""Thresholds that make a pause some ms for young objects, and some tens of ms for older ones.

Copies that were let go are cycles; they are found after 2.5 million further objects at the latest."""

SWITCH_S: Final = 0.001  # How long a thread beside may keep the interpreter from the screen [s]


def settle() -> None:
    """Exempt the objects of an opened run from garbage collection, whose pauses stop the keys, too.

    A large run is a million objects that live as long as it does. A walk over all of them takes 0.4 s at 10,000 nodes,
    one over 50,000 young ones 50 ms. This takes no time, for the first frame waits for it.
    """
    sys.setswitchinterval(SWITCH_S)
    gc.freeze()
    gc.set_threshold(*THRESHOLD)


def settle_again() -> None:
    """Exempt another run in place of one that was settled, which is collected; do nothing where none was."""
    if gc.get_freeze_count():
        gc.unfreeze()
        _ = gc.collect()
        settle()


LEAST_REST_S: Final = 0.0015  # Least rest between two slices, for keys and frames, also flat out [s]
REST_SHARE: Final = 4  # Rest while the clock stands, in slices: a fifth of a core at most
FRAME_S: Final = 0.2  # Least time between two pictures [s], for a slow ssh link; not after keys and acts
FRAME_SHARE: Final = 8  # Least time between two pictures, in multiples of the cost of the last one


class RunDriver:
    """Drives one run; owns how its clock is driven (`state`)."""

    def __init__(
        self,
        run: Run,
        log: EventLog,
        travel: TimeTravel,
        *,
        speed: float,
        paused: bool,
        alerts: AlertMonitor,
        keeping: RunSaver,
        judges: bool = False,
        wall: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self.run, self.log, self.travel = run, log, travel
        self.keeping, self.alerts = keeping, alerts
        self.pace = ScriptPace(run, log, speed=speed, paused=paused, wall=wall)
        self.travel.timeline.in_pieces = True
        scenario = run.scenario
        self.state = RunState(
            scenario.name,
            scenario.title,
            scenario.seed,
            speed=speed,
            paused=paused,
            end_ms=self.pace.end_ms,
            offset_ms=scenario.offset_ms,
            condition=frozen_if(scenario),
        )  # The state of the clock; alerts are in `state_of_now`
        self._judges = judges
        self._judging: ExpectationReplay | None = None  # Judges the run that has ended; None before and after
        self._wall, self._sleep = wall, sleep
        self._held = 0
        self._post: Post = nowhere
        self._task: asyncio.Task[None] | None = None
        self._moving = asyncio.Event()
        self.background = Background(wall, self.wake)
        self._framed_at = wall()
        self._frame_s = FRAME_S

    def start(self, post: Post) -> None:
        self._post = post
        self._task = asyncio.get_running_loop().create_task(self._drive())
        self.changed()

    async def close(self) -> None:
        self._post = nowhere
        await cancel_all(self._task)
        self.guarded(lambda: self.keeping.finish(self.run.simulation.now_ms))

    def wake(self) -> None:
        self._moving.set()

    @property
    def looked_at(self) -> Simulation:
        return self.travel.simulation or self.run.simulation

    def is_clock_stopped(self) -> bool:
        state = self.state
        is_kept = bool(self._held) or bool(state.frozen) or state.ended or bool(state.failure)
        return (state.paused and not self.pace.is_seeking) or is_kept

    # What the clock does

    def set(self, **changes: Any) -> None:
        """Drive the clock another way; goes on from where the engine is."""
        self.state = msgspec.structs.replace(self.state, **changes)
        self._sync()
        self.changed()
        self.wake()

    def suspend(self, *, held: bool) -> None:
        self._held = max(0, self._held + (1 if held else -1))
        self.set()

    def _sync(self) -> None:
        if not self.pace.is_seeking:
            self.pace.set(self.state.speed, paused=self.state.paused or bool(self._held) or bool(self.state.frozen))

    def go_on(self, simulation: Simulation) -> None:
        self.run.branch(simulation, [self.log, self.alerts, *self.keeping.listeners, self.travel.history])
        self.pace.anchor()

    def branch(self, simulation: Simulation) -> None:
        """Go on with another simulation of the run; of the alerts those stay that were known at its instant."""
        self.log.cut(simulation.now_ms, simulation.world.delivered)
        self.alerts = self.alerts.resumed(simulation.now_ms, self.travel.history.last_allocated_ms(simulation.now_ms))
        self.go_on(simulation)
        self._judging = None
        self.set(paused=True, ended=False, failure="", judged=())

    # Slices

    async def _drive(self) -> None:
        while True:
            while self.is_clock_stopped() and not self.has_background_work and self.find_events():
                await self._sleep(REST_SHARE * PIECE_S)
            if self.is_clock_stopped() and not self.has_background_work:
                self._moving.clear()
                await self._moving.wait()
            await self._sleep(max(LEAST_REST_S, self.slice()))

    def slice(self) -> float:
        """Let the engine work for a slice of wall time; return how long to rest then [s]."""
        begin, stood, standing = self._wall(), self.is_clock_stopped(), self.alerts.active_alerts
        if stood and not self.has_background_work:
            return FRAME_S
        must_stand = stood or self.alerts.copying or self.background.copying
        rest = 0.0
        if self.travel.timeline.copying:
            self.guarded(self._copy)
        elif not must_stand:
            rest = self.guarded(self._work)
        self.guarded(self._find_alerts)
        self.guarded(self._work_beside)
        is_news = self.alerts.active_alerts != standing or self.is_clock_stopped() != stood
        if is_news or self._wall() - self._framed_at >= self._frame_s:
            self.changed()
        return REST_SHARE * (self._wall() - begin) if stood else rest

    def _copy(self) -> None:
        timeline, until = self.travel.timeline, self._wall() + PIECE_S
        while not timeline.copy_on() and self._wall() < until:
            pass

    def _work(self) -> float:
        was_seeking = self.pace.is_seeking
        rest = self.pace.slice()
        if was_seeking:
            self._sync()
        return rest

    @property
    def has_background_work(self) -> bool:
        is_behind = self.background.is_behind(self.looked_at)
        return (
            is_behind
            or self._judging is not None
            or (not self.state.failure and not self.alerts.idle(self.run.simulation))
        )

    def _find_alerts(self) -> None:
        for alert in self.alerts.look(self.run.simulation, self._wall):
            self.travel.timeline.mark(alert.since_ms)
            if alert.sentence != ACTED:  # the actor is told what the act has done
                self.notice(f"{alert.sentence}.", "information" if alert.kind in {"over", "returned"} else "error")

    def state_of_now(self) -> RunState:
        return msgspec.structs.replace(self.state, standing=self.alerts.active_alerts, alerts=self.alerts.all)

    def _work_beside(self) -> None:
        if self.background.tick(self.looked_at, stands=self.is_clock_stopped(), flat_out=self.state.speed == inf):
            self.changed()
        self._judge()

    def _judge(self) -> None:
        until = self._wall() + PIECE_S
        if self._judging is not None and self._judging.work(lambda: self._wall() >= until):
            self.state = msgspec.structs.replace(self.state, judged=self._judging.results())
            self._judging = None
            self.changed()

    def find_events(self) -> bool:
        """Look a little further for events of the past looked at; return True when more may be found."""
        travel, until = self.travel, self._wall() + PIECE_S
        if was_finding := travel.is_finding:
            self.guarded(lambda: travel.find_events(self.log.latest, lambda: self._wall() >= until))
        if was_finding is not travel.is_finding:
            self.changed()
        return travel.is_finding

    def guarded(self, work: Callable[[], float | None]) -> float:
        """Let the engine work; an error stops the clock and becomes `state.failure`."""
        rest: float | None = None
        try:
            rest = self.travel.timeline.timed(work)
        except EngineError as error:
            self._fail(str(error))
        except Exception as error:  # noqa: BLE001  # the last line of defence: a screen never shows a traceback
            self._fail(crash.report(error))
        self.check_keeping()
        if self.run.ended and not self.state.ended:
            self.pace.stop_seeking()
            self.state = msgspec.structs.replace(self.state, ended=True)
            if self._judges and self.run.scenario.expectations:
                self.notice("The scenario has ended; its expectations are being judged.", "information")
                self._judging = ExpectationReplay(self.run.scenario, self.run.simulation.acts, self.run.until_ms)
        return rest or 0.0

    def check_keeping(self) -> None:
        if self.keeping.has_failed():
            self.notice(f"{self.keeping.troubles[-1]}.", "error")

    def _fail(self, words: str) -> None:
        self.pace.stop_seeking()
        self.state = msgspec.structs.replace(self.state, failure=" ".join(words.split()))

    # Telling

    def changed(self) -> None:
        self._framed_at = self._wall()
        self._post(SessionChanged())

    def notice(self, words: str, severity: str) -> None:
        self._post(Notice(words, severity))

    def drawn(self, took_s: float) -> None:
        """Note the cost of a picture; pictures get a small share of the time, however dear one is."""
        self._frame_s = max(FRAME_S, min(2.0, took_s * FRAME_SHARE))
