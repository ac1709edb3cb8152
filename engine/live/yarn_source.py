"""Asks a ResourceManager, or the active one of a pair, round by round.

Cheap pages (metrics, scheduler) are asked every round; applications and nodes, which are large, every few rounds, and
rarer still while the server takes long. A round that fails leaves everything as it was.
"""

import time
from collections.abc import Callable, Sequence
from email.utils import parsedate_to_datetime
from typing import Final, TypeVar
from urllib.parse import urlsplit

import httpx
import msgspec

from engine.errors import SourceError
from engine.live.failures import failure_words, status_words
from engine.live.inference import with_obstacles
from engine.live.yarn_answers import (
    AnswerError,
    ApplicationInfo,
    ClusterInfo,
    NodeInfo,
    SchedulerAnswer,
    read_applications,
    read_info,
    read_metrics,
    read_nodes,
    read_scheduler,
)
from engine.live.yarn_picture import Round, snapshot_of_round, with_since
from engine.model.lifecycle import FINAL_APPLICATION_STATES
from engine.observe.fixed_snapshot import FixedSnapshot

CLUSTER: Final = "/ws/v1/cluster"
LARGEST: Final = 512 * 1024 * 1024
"""Longest answer that is read [bytes]."""

LIGHT_MS: Final = 2_000
"""Time between two rounds."""
HEAVY_MS: Final = 5_000
"""Time between two rounds that ask for nodes and applications, too."""
COST: Final = 20
"""Rounds are so far apart that the server spends at most this part of one thread on them: 1 in 20."""

MOST_ENDED: Final = 200
"""Applications that ended, of which the latest are kept."""

SKEW_S: Final = 2
"""Least difference of two clocks that counts: dates of answers have whole seconds."""

HEADERS: Final = {"Accept": "application/json", "Accept-Encoding": "gzip"}

STANDBY_WORDS: Final = b"This is standby RM"

Kind = TypeVar("Kind")

LIVE_STATES: Final = "NEW,NEW_SAVING,SUBMITTED,ACCEPTED,RUNNING"


class YarnSource:
    """A ResourceManager, or the several of a pair that follow each other."""

    def __init__(
        self,
        urls: Sequence[str],
        connect: Callable[[], httpx.AsyncClient],
        *,
        wall: Callable[[], float] = time.time,
        interval_ms: int = LIGHT_MS,
    ) -> None:
        """Ask nothing yet.

        Args:
            urls: Where each ResourceManager's web pages are: `http://rm1:8088`.
            connect: Makes a client; connections belong to the event loop they were opened in.
            wall: The clock of this machine [s since the epoch].
            interval_ms: Time between two rounds.
        """
        self._urls = [url.rstrip("/") for url in urls]
        self._connect = connect
        self._client: httpx.AsyncClient | None = None
        self._wall = wall
        self._interval_ms = interval_ms
        self._place = 0
        """Which URL is taken for the active one."""
        self._skew_ms = 0
        """The server's clock minus this machine's."""
        self._heavy_due_ms = 0
        self._version = 0
        self._since: dict[str, int] = {}
        self._info: ClusterInfo | None = None
        self._nodes: Sequence[NodeInfo] = ()
        self._live: Sequence[ApplicationInfo] = ()
        self._over: Sequence[ApplicationInfo] = ()
        self._ended_until_ms = int(wall() * 1000)
        self.took_ms = 0
        """How long the slowest answer of the last round took."""
        self.spent_ms = 0
        """How long all answers of the last round took."""

    @property
    def where(self) -> str:
        """`host:port` of the one that is asked."""
        return urlsplit(self._urls[self._place]).netloc

    @property
    def pause_ms(self) -> int:
        """How long to wait before the next round: longer after a dear one."""
        return max(self._interval_ms, self.spent_ms * COST)

    async def poll(self) -> FixedSnapshot:
        """One round; tries every server once until one is active.

        Raises:
            SourceError: None answered as an active ResourceManager does.
        """
        problems: list[SourceError] = []
        for _ in self._urls:
            try:
                return await self._round()
            except SourceError as error:
                problems.append(error)
                self._place = (self._place + 1) % len(self._urls)
        words = "; ".join(dict.fromkeys(str(each) for each in problems))
        raise SourceError(words, is_standby=all(each.is_standby for each in problems))

    async def close(self) -> None:
        """Let connections go; another round opens new ones."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _round(self) -> FixedSnapshot:
        self.took_ms = self.spent_ms = 0
        now_ms = int(self._wall() * 1000)
        info = await self._asked(read_info, f"{CLUSTER}/info")
        if info.ha_state == "STANDBY":
            raise SourceError(f"{self.where} is on standby", is_standby=True)
        restarted = self._info is not None and info.started_on != self._info.started_on
        metrics = await self._asked(read_metrics, f"{CLUSTER}/metrics")
        scheduler = await self._scheduler()
        if restarted or now_ms >= self._heavy_due_ms:
            nodes = await self._asked(read_nodes, f"{CLUSTER}/nodes")
            live = await self._asked(read_applications, f"{CLUSTER}/apps?states={LIVE_STATES}")
            self._nodes, self._live, self._over = nodes, live, await self._ended(now_ms)
            self._heavy_due_ms = now_ms + max(HEAVY_MS, self.spent_ms * COST)
        self._info = info
        answers = Round(now_ms + self._skew_ms, info, metrics, scheduler, self._nodes, (*self._live, *self._over))
        self._since = with_since(answers, {} if restarted else self._since)
        self._version += 1
        return with_obstacles(snapshot_of_round(answers, self._version, self._since))

    async def _scheduler(self) -> SchedulerAnswer:
        """The scheduler's answer; FifoScheduler fails as soon as a node is unhealthy or lost."""
        try:
            return await self._asked(read_scheduler, f"{CLUSTER}/scheduler")
        except SourceError as error:
            if "NullPointerException" in str(error):
                return SchedulerAnswer("fifoScheduler", msgspec.Raw(b"{}"))
            raise

    async def _ended(self, now_ms: int) -> Sequence[ApplicationInfo]:
        """Applications that ended since the last round that asked for them, before those known to have ended."""
        states, since = ",".join(FINAL_APPLICATION_STATES), self._ended_until_ms
        self._ended_until_ms = now_ms + self._skew_ms
        found = await self._asked(read_applications, f"{CLUSTER}/apps?states={states}&finishedTimeBegin={since}")
        known = {each.id: each for each in (*found, *self._over)}
        return list(known.values())[:MOST_ENDED]

    async def _asked(self, read: Callable[[bytes], Kind], path: str) -> Kind:
        """What the active server answers.

        Raises:
            SourceError: It does not answer as an active ResourceManager does.
        """
        body = await self._get(path)
        try:
            return read(body)
        except AnswerError as error:
            raise SourceError(f"{self.where} answers {error}") from error

    async def _get(self, path: str) -> bytes:
        client = self._client = self._client or self._connect()
        began_s = self._wall()
        try:
            async with client.stream("GET", self._urls[self._place] + path, headers=HEADERS) as response:
                body = await self._body(response)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise SourceError(failure_words(self.where, error)) from error
        took_ms = int((self._wall() - began_s) * 1000)
        self.took_ms, self.spent_ms = max(self.took_ms, took_ms), self.spent_ms + took_ms
        if response.is_redirect or STANDBY_WORDS in body[:200]:
            raise SourceError(f"{self.where} is on standby", is_standby=True)
        if response.status_code != httpx.codes.OK:
            raise SourceError(status_words(self.where, response.status_code, body))
        self._skew_ms = _skew_ms(response.headers.get("date", ""), self._wall())
        return body

    async def _body(self, response: httpx.Response) -> bytes:
        parts, size = [], 0
        async for part in response.aiter_bytes():
            size += len(part)
            if size > LARGEST:
                raise SourceError(f"{self.where} answers more than {LARGEST // 1024**2} MB")
            parts.append(part)
        return b"".join(parts)


def _skew_ms(date: str, now_s: float) -> int:
    """How far a server's clock is ahead, by the date of its answer [ms]; less than two seconds count as none."""
    try:
        skew_s = parsedate_to_datetime(date).timestamp() - now_s
    except (TypeError, ValueError):
        return 0
    return int(skew_s * 1000) if abs(skew_s) > SKEW_S else 0
