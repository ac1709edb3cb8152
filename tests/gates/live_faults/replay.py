"""`watch` on `serve` for some hours of simulated time, through a faulty transport, as fast as it goes."""

import asyncio
import resource
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

import httpx

from engine.formats.scenario_toml import load
from engine.live.rest_client import PollPace, RestClient
from engine.live.yarn_source import YarnSource
from engine.model.decision import ApplicationTransitioned
from engine.model.lifecycle import FINAL_APPLICATION_STATES
from engine.run import Run
from engine.serve.served import ApplicationPast, ServedCluster, ServedPace
from engine.serve.wire import RELEASE_34
from engine.simulation.records import Record
from tests.gates.live_faults.proxy import FaultyTransport
from tui.protocol.picture import Notice, SessionChanged
from tui.serving.serve_app import ServedApp
from tui.session.live_pictures import LivePictures

SCENARIO: Final = """
name = "a-day"
title = "Small jobs, for ever"
scheduler = "fair-3.4"
duration = "30d"
seed = 7
[cluster]
groups = [{ count = 10, prefix = "n", memory = "16g", vcores = 8, racks = ["/a", "/b"] }]
[[workload]]
type = "mapreduce"
user = "ann"
queue = "root.etl"
maps = 6
map = { memory = "2g", vcores = 1 }
map_duration = ["20s", "90s"]
repeat = { every = "60s", times = 50000 }
[[workload]]
type = "spark"
user = "bob"
queue = "root.dev"
executors = 3
executor = { memory = "4g", vcores = 2 }
duration = ["2m", "9m"]
repeat = { every = "5m", times = 9000 }
"""
"""Every minute something begins and something ends."""

CALM_MS: Final = 15 * 60_000
"""How long before the end nothing fails any more."""
HOUR_MS: Final = 3_600_000


class Ended:
    """A listener that collects the numbers of applications that ended."""

    def __init__(self) -> None:
        self.numbers: set[int] = set()

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        for each in records:
            if isinstance(each, ApplicationTransitioned) and each.state in FINAL_APPLICATION_STATES:
                self.numbers.add(each.application)


class Outcome(NamedTuple):
    """What came of a replay."""

    rounds: int
    """Pictures that were taken."""
    met: dict[str, int]
    """Questions by the fault they met."""
    lost: set[int]
    """Applications whose end was never seen."""
    backwards: int
    """How often the graph's time went back."""
    ended: int
    """Applications that ended."""
    live: bool
    """Whether the server was heard at the end."""
    memory_mb: list[int]
    """What the process held after each hour."""
    mistakes: list[str]
    """Notices of errors: mistakes of ours."""


class Replay:
    """A view whose waits let the simulation go on."""

    def __init__(self, path: Path, hours: float, seed: int, interval_ms: int) -> None:
        self.really, self.seen, past = Ended(), Ended(), ApplicationPast()
        self.run = Run(load(str(path)), [past, self.really], is_judged=False)
        self.pace = ServedPace(self.run, paused=True)
        self.end_ms = int(hours * HOUR_MS)
        self.done = asyncio.Event()
        self.memory_mb: list[int] = []
        self.rounds = self.backwards = 0
        self.mistakes: list[str] = []
        self._last_ms, self._carried_s = 0, 0.0
        served = ServedCluster(lambda: self.run.simulation, self.pace.act, past, RELEASE_34, "rm1:8088")
        app = ServedApp(served, self.pace, None).app()
        self.transport = FaultyTransport(httpx.ASGITransport(app), Random(seed), self.pass_time)
        client = RestClient(
            ["http://rm1:8088"],
            lambda: httpx.AsyncClient(transport=self.transport),
            wall=self.local_s,
            steady=self.steady_s,
        )
        self.pictures = LivePictures(YarnSource(client, PollPace(interval_ms)), [], wall=self.local_s, sleep=self.sleep)
        self.pictures.watched._listeners = [self.seen]

    def steady_s(self) -> float:
        """How long it has been, by a clock that is never wrong."""
        return self.run.now_ms / 1000

    def local_s(self) -> float:
        """Now, by the clock of the one who asks, which may be wrong."""
        return self.run.simulation.now_ms / 1000 + self.transport.skew_s

    def pass_time(self, seconds: float) -> None:
        self._carried_s += seconds
        whole_ms = int(self._carried_s * 1000)
        self._carried_s -= whole_ms / 1000
        self.pace.advance(self.run.now_ms + whole_ms)
        if self.run.now_ms // HOUR_MS > len(self.memory_mb):
            self.memory_mb.append(resident_mb())
        self.transport.is_calm = self.run.now_ms > self.end_ms - CALM_MS

    async def sleep(self, seconds: float) -> None:
        """What the view waits by; at the end it waits for ever."""
        if self.run.now_ms >= self.end_ms:
            self.done.set()
            await asyncio.Event().wait()
        self.pass_time(seconds)
        await asyncio.sleep(0)

    def post(self, what: SessionChanged | Notice) -> None:
        if isinstance(what, Notice):
            self.mistakes += [what.words] if what.severity == "error" else []
            return
        time_ms = self.pictures.looked_at().header.time_ms
        self.rounds += time_ms != self._last_ms
        self.backwards += time_ms < self._last_ms
        self._last_ms = time_ms

    async def play(self) -> Outcome:
        """From the first round to the end."""
        self.transport.is_calm = True
        self.pass_time(1.0)
        await self.pictures.round()
        await self.pictures.start(self.post)
        await self.done.wait()
        reception = (await self.pictures.picture()).run.reception
        await self.pictures.close()
        return Outcome(
            self.rounds,
            dict(self.transport.seen),
            self.really.numbers - self.seen.numbers,
            self.backwards,
            len(self.really.numbers),
            reception is not None and reception.state == "live",
            self.memory_mb,
            self.mistakes,
        )


def replayed(path: Path, hours: float, seed: int = 1, interval_ms: int = 10_000) -> Outcome:
    async def play() -> Outcome:
        return await Replay(path, hours, seed, interval_ms).play()

    return asyncio.run(play())


def resident_mb() -> int:
    """What this process holds now [MB]; the most it ever held where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return pages * resource.getpagesize() // 1024**2


def line(outcome: Outcome) -> dict[str, Any]:
    return {**outcome._asdict(), "lost": sorted(outcome.lost)}
