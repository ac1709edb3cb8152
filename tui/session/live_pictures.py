"""Shows a live cluster on the screens of a simulation: it is asked round by round, and has no clock to drive.

When a round fails the last picture stays, its age is shown, and the next rounds come at growing distances.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final, Protocol

import msgspec

from engine.errors import EngineError, SourceError
from engine.explain.alert import IF_RUNS_ON
from engine.live.alarms import Alarm, Rule, alert_of
from engine.live.rest_client import PollPace, RestClient, run_in_thread_if_slow
from engine.live.watch_metrics import Hearing, WatchedCluster, records_between
from engine.live.yarn_source import MANY, YarnActs
from engine.observe.snapshot import Snapshot
from engine.scenario.acts import Act, KillApplication, MoveApplication, SetPriority
from tui.protocol.picture import (
    DONE,
    LIVE,
    STALE,
    STANDBY,
    ActPreview,
    ActResult,
    ConnectionStatus,
    Graphs,
    Notice,
    RunState,
    SessionChanged,
    SessionState,
    Track,
    refused,
)
from tui.protocol.session import (
    ActsProtocol,
    Post,
    QuestionsProtocol,
    SessionStateProtocol,
    TwinProtocol,
    cancel_all,
    nowhere,
)
from tui.session.advice import Advice, LiveAlarms
from tui.session.alert_monitor import EventLog, event_rows, with_alerts
from tui.session.series import PollKeeping, SeriesClock, SeriesPlace
from tui.terminal import edges as crash

FIRST_RETRY_MS: Final = 2_000
LONGEST_RETRY_MS: Final = 30_000  # Longest distance of two rounds while none is answered; it doubles

AGED_MS: Final = 1_000  # Time between two drawings of the age of a picture

LONG_PAUSE_MS: Final = 5_000  # Of a pause that is longer is said when it ends


class LiveSource(Protocol):
    """Asks a live cluster."""

    client: RestClient  # Asks its server, and measures how long that takes
    pace: PollPace

    @property
    def late(self) -> str:
        """That rounds take longer than they may; empty where they do not."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what could not be read in the last round besides the server itself, and why."""

    async def poll(self) -> Snapshot:
        """Ask one round; a `SourceError` where it is not answered."""

    async def close(self) -> None:
        """Close the connections."""


class LivePictures(SessionStateProtocol):
    """The pictures of a live cluster, whose server tells no plans and not how something was configured."""

    def __init__(
        self,
        source: LiveSource,
        rules: Sequence[Rule],
        *,
        wall: Callable[[], float] = time.time,
        cpu: Callable[[], float] = time.process_time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        on_alarm: Callable[[Alarm], object] = lambda alarm: None,
        keeping: PollKeeping | None = None,
        advice: Advice | None = None,
    ) -> None:
        """It knows nothing before the first `round`; without `keeping` there is no past to go to."""
        self.log = EventLog()
        self.watched = WatchedCluster(rules, [self.log] if keeping is None else [self.log, keeping])
        self._keeping = keeping
        self._source = source
        self._wall, self._cpu, self._sleep = wall, cpu, sleep
        self._cost_ms = 0  # CPU time of this program for the last round
        self._alarms = LiveAlarms(self.watched.alarms, advice, on_alarm, self._tell, self._draw)
        self._offset_ms = time.localtime(wall()).tm_gmtoff * 1000
        self._start_ms = 0
        self._whole: Snapshot | None = None  # The last round that asked for every page; None before the first
        self._taken_ms = self._local_ms  # Time of the last answered round, by the clock of this machine [epoch ms]
        self._reception = ConnectionStatus(LIVE, self._local_ms)
        self._retry_ms = FIRST_RETRY_MS
        self._next_ms: int | None = None  # When the next round is asked, by this clock [epoch ms]; None: soon
        self.notes: tuple[str, ...] = ()  # What else than the server itself could not be read in the last round
        self.clock: SeriesClock | None = None  # Goes through what was kept; None where nothing is
        self._post: Post = nowhere
        self._task: asyncio.Task[None] | None = None

    async def round(self) -> Snapshot:
        """Ask one round and take the answer; a `SourceError` where there is none."""
        began_s = self._cpu()
        snapshot = await self._source.poll()
        self._taken_ms = self._local_ms
        if snapshot.header.pages_ms is None:
            self._whole = snapshot
        self._start_ms = self._start_ms or snapshot.header.time_ms
        before, taken_ms = self.watched.snapshot, self._taken_ms
        is_long = len(snapshot.nodes()) + len(snapshot.applications()) > MANY
        records = await run_in_thread_if_slow(is_long, lambda: list(records_between(before, snapshot)))
        alarms = self.watched.take(snapshot, taken_ms, records)
        self._alarms.take(alarms, self.whole().header)
        keeping = self._keeping
        if keeping is not None and keeping.keep(snapshot, self.watched):
            self._tell(keeping.trouble, "error")
        if keeping is not None and self.clock is None and keeping.place is not None:
            self.clock = SeriesClock(keeping.place)
        self._cost_ms = int((self._cpu() - began_s) * 1000)
        self._heard(LIVE, "")
        self._retry_ms = FIRST_RETRY_MS
        known, self.notes = self.notes, self._source.notes
        for note in self.notes:
            if note not in known:
                self._tell(note, "warning")
        return snapshot

    async def start(self, post: Post) -> None:
        self._post = post
        if self.clock is not None:
            self.clock.start(post)
        self._draw()
        self._begin()

    def _begin(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._ask())
        self._task.add_done_callback(self._ended)

    async def close(self) -> None:
        self._post = nowhere
        await self._alarms.close()
        await cancel_all(self._task)
        if self.clock is not None:
            await self.clock.close()
        await self._source.close()

    @property
    def hearing(self) -> Hearing:
        """The state of the connection to the cluster."""
        return Hearing(
            self._reception.state == LIVE and self.watched.snapshot is not None,
            self._source.client.took_ms,
            self._cost_ms,
        )

    @property
    def late(self) -> str:
        """That rounds take longer than they may; empty where they do not."""
        return self._source.late

    def looked_at(self) -> Snapshot:
        """The snapshot on the screen, of the present the one that is concluded from; errors of `SeriesPlace`."""
        return self.whole() if self._past is None else self._past.snapshot()

    def whole(self) -> Snapshot:
        """Return the snapshot of the last round that asked for every page: its values go together."""
        return self._whole or self.present()

    @property
    def _past(self) -> SeriesPlace | None:
        """The instant of the past that is looked at; None while the present is."""
        place = None if self._keeping is None else self._keeping.place
        return None if place is None or place.time_ms is None else place

    @property
    def is_present(self) -> bool:
        """True while the last round is on the screen."""
        return self._past is None

    def present(self) -> Snapshot:
        """Return the snapshot of the last round; there must have been one."""
        snapshot = self.watched.snapshot
        assert snapshot is not None, "the first round is asked before a screen opens"
        return snapshot

    async def picture(self) -> SessionState:
        """Return the picture of the last round, or of the past; there must have been a round."""
        watched, snapshot = self.watched, self.present()
        now_ms, alerts = snapshot.header.time_ms, tuple(watched.alarms.alerts)
        ahead_ms = now_ms - self._taken_ms  # of the cluster's clock
        rows = with_alerts(self.log.latest, alerts, now_ms)
        state = RunState(
            self._source.client.where,
            paused=False,
            offset_ms=self._offset_ms,
            track=Track(self._start_ms, self._start_ms, tuple(each.found_ms for each in alerts)),
            standing=tuple(map(alert_of, watched.alarms.active_alarms)),
            alerts=alerts,
            reception=msgspec.structs.replace(
                self._reception,
                since_ms=self._reception.since_ms + ahead_ms,
                now_ms=self._local_ms + ahead_ms,
                next_ms=None if self._next_ms is None else self._next_ms + ahead_ms,
            ),
            condition=IF_RUNS_ON,
        )
        if self._past is not None:
            return self._past.picture(state)
        graphs = Graphs(watched.history, watched.reading, self._start_ms)
        return SessionState(snapshot, state, event_rows(rows), hash((self.log.version, len(alerts))), graphs)

    @property
    def _local_ms(self) -> int:
        return int(self._wall() * 1000)

    async def _ask(self) -> None:
        pause_ms = self._source.pace.pause_ms(self._source.client.spent_ms)
        while True:
            await self._wait(pause_ms)
            pause_ms = await self._try()
            self._draw()

    def _ended(self, task: asyncio.Task[None]) -> None:
        error = None if task.cancelled() else task.exception()
        if error is not None and self._post is not nowhere:
            self._tell(crash.report(error), "error")
            self._heard(STALE, f"the last round was not understood: {type(error).__name__}")
            self._begin()

    async def _try(self) -> int:
        """Ask a round; return how long to wait for the next one [ms]."""
        try:
            await self.round()
        except SourceError as error:
            self._heard(STANDBY if error.is_standby else STALE, str(error))
            pause_ms, self._retry_ms = self._retry_ms, min(2 * self._retry_ms, LONGEST_RETRY_MS)
            return max(pause_ms, self._source.pace.interval_ms)
        return self._source.pace.pause_ms(self._source.client.spent_ms)

    def _tell(self, words: str, severity: str) -> None:
        self._post(Notice(words, severity))

    def _draw(self) -> None:
        self._post(SessionChanged())

    async def _wait(self, pause_ms: int) -> None:
        left_ms = pause_ms
        self._next_ms = self._local_ms + pause_ms if pause_ms > LONG_PAUSE_MS else None
        while left_ms > 0:
            part_ms = min(left_ms, AGED_MS)
            await self._sleep(part_ms / 1000)
            left_ms -= part_ms
            if left_ms:
                self._draw()
        self._next_ms = None

    def _heard(self, state: str, sentence: str) -> None:
        before, now_ms = self._reception, self._local_ms
        since_ms = before.since_ms if before.state == state else now_ms
        source = self._source
        self._reception = ConnectionStatus(
            state, since_ms, sentence, now_ms, source.client.took_ms, self._cost_ms, source.late
        )
        if sentence and sentence != before.sentence:
            self._tell(sentence, "warning")
        elif not sentence and before.sentence:
            self._tell(f"{self._source.client.where} answers again", "information")


class LiveConnection:
    """A live cluster as screens see it; its clock goes through what was kept, and is missing where nothing is."""

    def __init__(
        self,
        pictures: LivePictures,
        questions: QuestionsProtocol | None = None,
        acts: ActsProtocol | None = None,
        twin: TwinProtocol | None = None,
    ) -> None:
        self.pictures, self.questions, self.acts, self.twin = pictures, questions, acts, twin
        self.clock = pictures.clock


NOT_BY_REST: Final = "A ResourceManager's REST interface cannot do that to a live cluster"


class LiveActs:
    """Implements `protocol.session.ActsProtocol`: kill, move and priority, by ids; everything else is refused."""

    def __init__(self, acts: YarnActs) -> None:
        self._acts = acts

    async def do(self, act: Act) -> ActResult:
        try:
            match act:
                case KillApplication(application=str(application)):
                    await self._acts.kill(application)
                case MoveApplication(application=str(application), queue=queue):
                    await self._acts.move(application, queue)
                case SetPriority(application=str(application), priority=priority):
                    await self._acts.set_priority(application, priority)
                case _:
                    return refused(NOT_BY_REST)
        except EngineError as error:
            return refused(str(error))
        return DONE

    async def try_(self, act: Act) -> ActPreview:
        """Refused: there is no copy of a live cluster."""
        return ActPreview(refusal=NOT_BY_REST)

    async def submit(self, fields: Mapping[str, str]) -> ActResult:
        return refused(NOT_BY_REST)
