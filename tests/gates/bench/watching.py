"""What a round of `watch` costs: 10,000 nodes and 5,000 applications, decoded, compared and drawn.

A simulation answers at two instants as either release; those bytes are given again and again, so the server costs
nothing. A round asks for every page. CPU is that of this process from the end of the wait until the screen rests, less
what it needs while nothing happens. A key takes from its press until the screen is drawn, while a round is asked,
decoded and drawn. A stretch is what the event loop does at once, during which no key is heard: of each round the
longest, CPU of its thread. An hour of rounds is played without waiting for it.
"""

import asyncio
import contextlib
import gc
import resource
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from statistics import median, quantiles
from typing import Any, Final

import httpx
from textual.events import Key

from engine.live.alarms import DEFAULT_RULES, parse_rules
from engine.live.rest_client import PollPace, RestClient
from engine.live.yarn_source import YarnSource
from engine.run import Run
from engine.scenario import ClusterSpec, NodeGroup, Scenario, ServiceSpec, Size
from engine.serve.answers import answer
from engine.serve.served import ApplicationPast, ServedCluster, ServedPace
from engine.serve.wire import RELEASES, HttpQuestion
from tests.gates.bench.live import SIZE, CountingDriver
from tui.app import SchedlabApp
from tui.session.driving import settle
from tui.session.live_pictures import LiveConnection, LivePictures

KEY_S: Final = 0.03
"""Time between two keys."""

NODES, APPLICATIONS, QUEUES = 10_000, 5_000, 50
FILL_MS: Final = 15_000
ROUND_MS: Final = 5_000
ROUNDS: Final = 7
KEY_ROUNDS: Final = 20
REST_S: Final = 2.5
"""How long is waited for a round to be drawn."""
HOUR: Final = 720
"""Rounds of an hour, one in 5 s."""


def scenario() -> Scenario:
    """Services that hold most of a cluster; some wait."""
    services = [
        ServiceSpec(
            type="service",
            user=f"user{number % 97}",
            queue=f"root.q{number % QUEUES:02d}",
            name=f"service-{number}",
            instances=9,
            instance=Size(memory_mb=12_288, vcores=4),
        )
        for number in range(APPLICATIONS)
    ]
    racks = tuple(f"/rack{number:03d}" for number in range(250))
    return Scenario(
        name="watch-10000",
        scheduler="fair-3.4",
        duration_ms=86_400_000,
        settings={
            "yarn.scheduler.fair.assignmultiple": "true",
            "yarn.scheduler.maximum-allocation-mb": "16384",
            "yarn.scheduler.maximum-allocation-vcores": "8",
        },
        cluster=ClusterSpec(groups=(NodeGroup(count=NODES, memory_mb=65_536, vcores=32, racks=racks),)),
        workload=tuple(services),
    )


class Pages:
    """The pages of a simulation at two instants, each made once; they are given in turn."""

    def __init__(self, served: ServedCluster, go_on: Callable[[], object]) -> None:
        """Begin with the instant where the simulation stands; `go_on` brings it to the other one."""
        self._served, self._go_on = served, go_on
        self._kept: dict[str, bytes] = {}
        self._others: dict[str, bytes] = {}
        self.are_asked = False
        """Whether any was asked for since this was set back."""
        self.made_s = 0.0
        """CPU that making them took."""

    def give(self, request: httpx.Request) -> httpx.Response:
        """The page that is asked for; the end of an application is of no account here."""
        self.are_asked = True
        key = request.url.path + ("?ended" if b"finishedTimeBegin" in request.url.query else "")
        if key not in self._kept:
            begun = time.process_time()
            query = {name: [value] for name, value in request.url.params.multi_items()}
            self._kept[key] = answer(self._served, HttpQuestion("GET", request.url.path, query)).body
            self.made_s += time.process_time() - begun
        return httpx.Response(200, content=self._kept[key])

    def turn(self) -> None:
        """Give those of the other instant from now on."""
        if not self._others:
            _ = self._go_on()
        self._kept, self._others = self._others, self._kept

    @property
    def size_mb(self) -> float:
        return sum(map(len, self._kept.values())) / 1e6


class Rounds:
    """Waits that end when a round is wanted; each takes long enough for large pages to be due, and changes them."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self._wanted = asyncio.Semaphore(0)
        self.rested = asyncio.Event()
        """A round is over."""
        self.now_s = 10_000.0

    async def wait(self, seconds: float) -> None:
        if not self._pages.are_asked:  # one wait between two rounds has several parts
            await asyncio.sleep(0)
            return
        self._pages.are_asked = False
        self.rested.set()
        await self._wanted.acquire()
        self.now_s += 100.0

    def next(self) -> None:
        self._pages.turn()
        self.rested.clear()
        self._wanted.release()


class Stretches:
    """A clock at what the event loop does at once."""

    def __init__(self, handles: Any = asyncio.Handle) -> None:
        """Begin to look. All that the loop does passes `handles._run`."""
        self.longest_s = 0.0
        self._handles, self._run = handles, handles._run

        def timed(handle: asyncio.Handle) -> None:
            begun = time.thread_time()
            self._run(handle)
            self.longest_s = max(self.longest_s, time.thread_time() - begun)

        handles._run = timed

    def taken(self) -> float:
        """The longest since this was asked last [s]."""
        longest, self.longest_s = self.longest_s, 0.0
        return longest

    def end(self) -> None:
        self._handles._run = self._run


class CountedApp(SchedlabApp):
    """The app, whose output is counted instead of written."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.driver_class = CountingDriver


def _view(pages: Pages, clock: Rounds) -> LivePictures:

    def connect() -> httpx.AsyncClient:
        return httpx.AsyncClient(transport=httpx.MockTransport(pages.give))

    def now() -> float:
        return clock.now_s

    client = RestClient(["http://rm1:8088"], connect, wall=now, steady=now)
    return LivePictures(YarnSource(client, PollPace()), parse_rules(DEFAULT_RULES), wall=now, sleep=clock.wait)


@contextlib.asynccontextmanager
async def _watched(pages: Pages) -> AsyncIterator[tuple[CountedApp, LivePictures, Rounds]]:
    """The screen over its first round, and what lets further rounds begin."""
    clock = Rounds(pages)
    view = _view(pages, clock)
    await view.round()
    settle()
    app = CountedApp(LiveConnection(view))
    task = asyncio.create_task(app.run_async(size=SIZE))
    await asyncio.sleep(REST_S)
    yield app, view, clock
    app.exit()
    with contextlib.suppress(asyncio.CancelledError):
        await task


async def hour_of(pages: Pages) -> dict[str, float]:
    """Memory at the beginning, after half an hour and after an hour; the screen draws every round."""
    async with _watched(pages) as (app, _, clock):
        found, begun = dict[str, float](), time.process_time()
        for number in range(HOUR + 1):
            if number % (HOUR // 2) == 0:
                found[f"resident_after_{number // 12}_min_mb"] = _resident_mb()
            clock.next()
            await clock.rested.wait()
            await asyncio.sleep(KEY_S)
            await app.workers.wait_for_complete()
        found["cpu_s"] = time.process_time() - begun
    return found


async def rounds_of(pages: Pages) -> dict[str, float]:
    stretches = Stretches()
    async with _watched(pages) as (app, view, clock):
        idle_s, whole = await _cpu(), []
        for _ in range(ROUNDS):
            clock.next()
            whole.append(await _cpu() - idle_s)
        first_mb, delays, longest = _resident_mb(), [], []
        for _ in range(KEY_ROUNDS):
            _ = stretches.taken()
            delays += await _key_delays(app, clock)
            longest.append(stretches.taken())
        stretches.end()
        whole_keys, own_keys = zip(*delays, strict=True)
        grown_mb = _resident_mb() - first_mb
        clock.now_s += 100.0
        begun = time.process_time()
        await view.round()
        decoded_s = time.process_time() - begun
    return {
        "pages_mb": pages.size_mb,
        "serve_cpu_ms": 1e3 * pages.made_s,
        "round_cpu_ms": 1e3 * median(whole),
        "round_longest_cpu_ms": 1e3 * max(whole),
        "of_that_decoded_cpu_ms": 1e3 * decoded_s,
        "stretch_p50_cpu_ms": 1e3 * median(longest),
        "stretch_p95_cpu_ms": 1e3 * quantiles(longest, n=20)[-1],
        "stretch_longest_cpu_ms": 1e3 * max(longest),
        "key_p50_ms": 1e3 * median(whole_keys),
        "key_p95_ms": 1e3 * quantiles(whole_keys, n=20)[-1],
        "key_longest_ms": 1e3 * max(whole_keys),
        "key_p95_cpu_ms": 1e3 * quantiles(own_keys, n=20)[-1],
        "key_longest_cpu_ms": 1e3 * max(own_keys),
        "grown_mb": grown_mb,
    }


async def _key_delays(app: SchedlabApp, clock: Rounds) -> list[tuple[float, float]]:
    """How long each key takes until the screen is drawn, while a round comes, and what of it the loop computes [s]."""
    delays, left = list[tuple[float, float]](), 3
    clock.next()
    while left:
        begun, cpu_s, drawn = time.perf_counter(), time.thread_time(), asyncio.Event()
        _ = app.post_message(Key("down", None))
        _ = app.call_after_refresh(drawn.set)
        await drawn.wait()
        delays.append((time.perf_counter() - begun, time.thread_time() - cpu_s))
        left -= clock.rested.is_set()
        await asyncio.sleep(KEY_S)
    return delays


def _resident_mb() -> float:
    _ = gc.collect()
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * resource.getpagesize() / 1e6


async def _cpu() -> float:
    """CPU of this process while a round may be drawn [s]."""
    begun = time.process_time()
    await asyncio.sleep(REST_S)
    return time.process_time() - begun


def _served() -> Iterator[tuple[str, Pages]]:
    """Name of a release → its pages."""
    past = ApplicationPast()
    run = Run(scenario(), [past], is_judged=False)
    run.advance(FILL_MS)
    pace = ServedPace(run, paused=True)
    for era, release in RELEASES.items():
        served = ServedCluster(lambda: run.simulation, pace.act, past, release, "rm1:8088")
        yield era, Pages(served, lambda: run.advance(run.simulation.now_ms - run.scenario.start_ms + ROUND_MS))


def figures() -> dict[str, Any]:
    parts = {era: asyncio.run(rounds_of(pages)) for era, pages in _served()}
    return {"bench": "watch-10000", "nodes": NODES, "applications": APPLICATIONS, **_rounded(parts)}


def hour() -> dict[str, Any]:
    parts = {era: asyncio.run(hour_of(pages)) for era, pages in _served()}
    return {"bench": "watch-hour", "nodes": NODES, "applications": APPLICATIONS, **_rounded(parts)}


def _rounded(parts: dict[str, dict[str, float]]) -> dict[str, Any]:
    return {era: {name: round(value, 1) for name, value in part.items()} for era, part in parts.items()}


MEASURES: Final = {"watch-10000": figures, "watch-hour": hour}
