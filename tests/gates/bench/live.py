"""What the screen costs beside a running engine, 10,000 nodes and 2,000 applications.

The engine goes flat out on the screen's own event loop, at 200x60. Keys come from another thread, as those of a
terminal do. CPU is that of this process; what the driver would write is counted instead. The first frame is that of
the command in a terminal of its own, beside a bare Textual app in another.
"""

import asyncio
import contextlib
import os
import pty
import select
import subprocess
import sys
import tempfile
import threading
import time
from math import inf
from statistics import median
from typing import Any

from textual.drivers.headless_driver import HeadlessDriver

from engine.run import Run
from engine.scenario import ClusterSpec, MapReduceSpec, NodeGroup, Repeat, Scenario, ServiceSpec, Size
from tests.gates.bench.clock import peak_memory_mb
from tui.app import SchedlabApp
from tui.protocol.picture import SessionState
from tui.session.alert_monitor import AlertMonitor, EventLog
from tui.session.driving import settle
from tui.session.session import Session

NODES, SERVICES, JOBS, QUEUES = 10_000, 1_600, 400, 50
SIZE = (200, 60)
FILL_MS = 12_000
"""How much is played before anybody looks: until the cluster is full."""
KEYS = ("j", "j", "k", "tab", "j", "tab", "G", "g", "tab", "j")
KEY_EVERY_S = 0.1
SECONDS = 10.0
"""How long each part is watched."""

BARE = """
from textual.app import App
from textual.widgets import Static


class Bare(App):
    def compose(self):
        yield Static("PAINTED")


Bare().run()
"""


def scenario() -> Scenario:
    """A full cluster: services hold it, jobs with localities come and go and wait."""
    racks = tuple(f"/rack{number:03d}" for number in range(250))
    services = [
        ServiceSpec(
            type="service",
            user=f"user{number % 97}",
            queue=f"root.q{number % QUEUES:02d}",
            instances=50,
            instance=Size(memory_mb=8192, vcores=4),
        )
        for number in range(SERVICES)
    ]
    jobs = [
        MapReduceSpec(
            type="mapreduce",
            user=f"user{number % 97}",
            queue=f"root.q{number % QUEUES:02d}",
            name=f"job-{number}",
            maps=60,
            reduces=4,
            map=Size(memory_mb=4096, vcores=1),
            reduce=Size(memory_mb=8192, vcores=1),
            map_duration_ms=(5_000, 30_000),
            reduce_duration_ms=(10_000, 60_000),
            replication=3,
            repeat=Repeat(times=100, every_ms=60_000),
        )
        for number in range(JOBS)
    ]
    return Scenario(
        name="live-10000",
        duration_ms=86_400_000,
        settings={"yarn.scheduler.fair.assignmultiple": "true"},
        cluster=ClusterSpec(groups=(NodeGroup(count=NODES, memory_mb=65536, vcores=32, racks=racks),)),
        workload=(*services, *jobs),
    )


class CountingDriver(HeadlessDriver):
    """Takes what a terminal would get, and counts it."""

    written = 0

    @property
    def is_headless(self) -> bool:
        return False

    def write(self, data: str) -> None:
        CountingDriver.written += len(data.encode())


class Timing:
    """A clock at the pictures and slices of a session."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.taken: list[float] = []
        """CPU time from asking for a picture until it is shown [s]."""
        self.slices: list[float] = []
        """CPU time of each slice [s]."""
        self._begun = 0.0
        self._slice, self._picture, self._drawn = session.driver.slice, session.pictures.picture, session.pictures.drawn
        vars(session.driver)["slice"] = self.slice
        vars(session.pictures).update(picture=self.picture, drawn=self.drawn)

    def slice(self) -> float:
        begun = time.thread_time()
        rest = self._slice()
        self.slices.append(time.thread_time() - begun)
        return rest

    async def picture(self) -> SessionState:
        self._begun = time.process_time()
        return await self._picture()

    async def drawn(self, took_s: float) -> None:
        self.taken.append(time.process_time() - self._begun)
        await self._drawn(took_s)


class Watched(SchedlabApp):
    """The app, with a clock at what it draws."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.driver_class = CountingDriver
        self.drawing_s = 0.0
        self.handled: list[float] = []
        """Wall time from a key's press until it was handled [s]."""
        self.late: list[float] = []
        """How late a thread that slept was woken [s]: what the machine and the interpreter's lock add to every key."""

    def _display(self, screen: Any, renderable: Any) -> None:
        begun = time.process_time()
        super()._display(screen, renderable)
        self.drawing_s += time.process_time() - begun

    def pressed(self, key: str, at_s: float) -> None:
        """A key of the other thread; it was handled when the loop has gone through what it posted."""
        self.simulate_key(key)
        self.call_later(self._note, at_s)

    def _note(self, at_s: float) -> None:
        self.handled.append(time.perf_counter() - at_s)


def press_keys(app: Watched, loop: asyncio.AbstractEventLoop, until_s: float) -> None:
    """Press keys from another thread for a while."""
    number = 0
    while time.monotonic() < until_s:
        begun = time.perf_counter()
        time.sleep(KEY_EVERY_S)
        app.late.append(time.perf_counter() - begun - KEY_EVERY_S)
        loop.call_soon_threadsafe(app.pressed, KEYS[number % len(KEYS)], time.perf_counter())
        number += 1


def p95(values: list[float]) -> float:
    return sorted(values)[int(len(values) * 0.95)] if values else 0.0


async def measured(app: Watched, timing: Timing, seconds: float, *, keys: bool) -> dict[str, float]:
    """Figures of so many seconds of wall time."""
    timing.taken.clear()
    timing.slices.clear()
    app.handled.clear()
    app.late.clear()
    app.drawing_s = 0.0
    CountingDriver.written = 0
    begun, cpu, simulated = time.monotonic(), time.process_time(), timing.session.driver.looked_at.now_ms
    thread = threading.Thread(target=press_keys, args=(app, asyncio.get_running_loop(), begun + seconds))
    if keys:
        thread.start()
    await asyncio.sleep(seconds)
    if keys:
        await asyncio.to_thread(thread.join)
    took = time.monotonic() - begun
    return {
        "pictures": len(timing.taken),
        "take_picture_cpu_ms": 1e3 * median(timing.taken) if timing.taken else 0.0,
        "take_picture_p95_cpu_ms": 1e3 * p95(timing.taken),
        "draw_cpu_ms_a_picture": 1e3 * app.drawing_s / max(1, len(timing.taken)),
        "slice_p95_cpu_ms": 1e3 * p95(timing.slices),
        "slice_longest_cpu_ms": 1e3 * max(timing.slices, default=0.0),
        "key_p50_ms": 1e3 * median(app.handled) if app.handled else 0.0,
        "key_p95_ms": 1e3 * p95(app.handled),
        "key_longest_ms": 1e3 * max(app.handled, default=0.0),
        "thread_late_p95_ms": 1e3 * p95(app.late),
        "cpu_percent": 100 * (time.process_time() - cpu) / took,
        "written_kib_s": CountingDriver.written / 1024 / took,
        "simulated_s": (timing.session.driver.looked_at.now_ms - simulated) / 1000,
    }


async def live(seconds: float) -> dict[str, dict[str, float]]:
    """The screen beside the engine: flat out without and with keys, flat out with sorted panes, then paused."""
    log, alerts = EventLog(), AlertMonitor()
    run = Run(scenario(), [log, alerts])
    run.advance(FILL_MS)
    session = Session(run, log, alerts=alerts, speed=inf, paused=False)
    timing = Timing(session)
    settle()
    app = Watched(session)
    found: dict[str, dict[str, float]] = {}
    task = asyncio.create_task(app.run_async(size=SIZE))
    await asyncio.sleep(3.0)
    assert app.cluster is not None, "the first picture has been drawn"
    found["flat out"] = await measured(app, timing, seconds, keys=False)
    found["flat out, keys"] = await measured(app, timing, seconds, keys=True)
    app.cluster.perform("navigation.show('nodes')")
    app.cluster.perform("sorting.by('free')")
    found["flat out, nodes sorted"] = await measured(app, timing, seconds, keys=False)
    await views(app, timing, seconds, found)
    await session.clock.toggle_pause()
    await asyncio.sleep(2.0)
    found["paused"] = await measured(app, timing, seconds, keys=False)
    found["memory"] = {"peak_mb": peak_memory_mb(), "events_kept": len(log.latest)}
    app.exit()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    return found


async def views(app: Watched, timing: Timing, seconds: float, found: dict[str, dict[str, float]]) -> None:
    """The other views of the nodes, each with the whole screen."""
    assert app.cluster is not None, "it is on screen"
    app.cluster.perform("sorting.by('')")
    app.cluster.perform("navigation.zoom")
    for name in ("racks", "map"):
        app.cluster.perform("views.next_view")
        await asyncio.sleep(1.0)
        found[f"flat out, {name}"] = await measured(app, timing, seconds, keys=False)
    app.cluster.perform("navigation.zoom")


def first_frame_ms(arguments: list[str], words: bytes, times: int = 5) -> float:
    """Wall time from the start of a command in a terminal until words stand in it, the best of some [ms].

    The first one leaves its bytecode to the others, as an installed program does.
    """
    with tempfile.TemporaryDirectory() as bytecode:
        return 1e3 * min(_first_frame(arguments, words, bytecode) for _ in range(times))


def _first_frame(arguments: list[str], words: bytes, bytecode: str) -> float:
    master, slave = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "200", "LINES": "60"}
    environment |= {"PYTHONPYCACHEPREFIX": bytecode, "PYTHONDONTWRITEBYTECODE": ""}
    begun = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *arguments], stdin=slave, stdout=slave, stderr=slave, env=environment, start_new_session=True
    )
    os.close(slave)
    seen = b""
    while words not in seen and select.select([master], [], [], 20)[0]:
        seen += os.read(master, 65536)
    took = time.perf_counter() - begun
    process.kill()
    _ = process.wait()
    os.close(master)
    return took


def figures() -> dict[str, Any]:
    found = asyncio.run(live(SECONDS))
    command = ["-m", "tui.cli.cli", "open", "reservation-deadlock", "--paused"]
    ours, bare = first_frame_ms(command, b"Reservations"), first_frame_ms(["-c", BARE], b"PAINTED")
    found["first frame"] = {"schedlab_ms": ours, "bare_ms": bare, "ratio": ours / bare}
    rounded = {part: {name: round(value, 2) for name, value in values.items()} for part, values in found.items()}
    return {"bench": "live-10000", **rounded}
