"""What the screen costs with 10,000 nodes and 2,000 applications.

Background it a bare Textual app that draws one line in the same process; a ratio is ours to its. Times are CPU time of
this process, but for a key, which is timed on the wall from its press until the screen has taken it and has drawn. The
cluster is made of rows; no engine runs.
"""

import asyncio
from statistics import median
from time import perf_counter, process_time
from typing import Any

from textual._compositor import LayoutUpdate
from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Static

from tests.tui import fakes
from tests.tui.fake_session import FakeSession
from tui.app import SchedlabApp

NODES, APPLICATIONS, QUEUES = 10_000, 2_000, 50
SIZES = ((80, 24), (120, 40), (200, 60))
FRAMES, KEYS = 30, 60


def cluster(version: int) -> fakes.FakeSnapshot:
    """Many nodes, applications and queues, a little different in each version."""
    nodes = tuple(
        fakes.node_row(f"node{n:05d}", rack=f"/rack{n % 250:03d}", used=((n * 7 + version * 512) % 102400, n % 32))
        for n in range(NODES)
    )
    applications = tuple(
        fakes.application_row(
            n,
            queue=f"root.q{n % QUEUES:02d}",
            user=f"user{n % 97}",
            state="ACCEPTED" if n % 5 == 0 else "RUNNING",
            waiting_since_ms=fakes.NOW - n * 100 if n % 3 else None,
            containers=(n + version) % 40,
        )
        for n in range(APPLICATIONS)
    )
    queues = (fakes.queue_row("root", is_leaf=False), *(fakes.queue_row(f"root.q{n:02d}") for n in range(QUEUES)))
    return fakes.FakeSnapshot(
        fakes.header(nodes=NODES, time_ms=fakes.NOW + version * 1000),
        version,
        nodes=nodes,
        applications=applications,
        queues=queues,
        reservations=tuple(fakes.reservation_row(f"node{n:05d}") for n in range(500)),
    )


def frame(app: App[Any]) -> int:
    """Draw what is due as a driver would get it; how many characters that is."""
    screen = app.screen
    update = screen._compositor.render_update(full=True)
    assert isinstance(update, LayoutUpdate), "a whole screen was asked for"
    return len(update.render_segments(app.console))


async def keyed(pilot: Pilot[Any], keys: list[str]) -> float:
    """The 95th percentile of a key's time [ms]."""
    times = []
    for key in keys:
        begun = perf_counter()
        pilot.app.simulate_key(key)
        await pilot._wait_for_screen()
        times.append(perf_counter() - begun)
    return 1e3 * sorted(times)[int(len(times) * 0.95)]


async def ours(size: tuple[int, int], snapshots: list[fakes.FakeSnapshot]) -> dict[str, float]:
    """Figures of the program's screen at a size [ms]."""
    begun = process_time()
    session = FakeSession(snapshots[0])
    app = SchedlabApp(session)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        _ = frame(app)
        first = process_time() - begun
        assert app.cluster is not None
        shown, drawn = [], []
        for n in range(FRAMES):
            session.snapshot = snapshots[n % len(snapshots)]
            begun = process_time()
            app.cluster.show(await session.picture())
            shown.append(process_time() - begun)
            begun = process_time()
            _ = frame(app)
            drawn.append(process_time() - begun)
            await pilot.pause()
        key_ms = await keyed(pilot, ["j", "k", "tab", "G", "g"] * (KEYS // 5))
    return {
        "first_frame_cpu_ms": 1e3 * first,
        "take_picture_cpu_ms": 1e3 * median(shown),
        "draw_whole_screen_cpu_ms": 1e3 * median(drawn),
        "key_p95_ms": key_ms,
    }


class Bare(App[None]):
    """A Textual app with one line."""

    def compose(self) -> Any:
        yield Static("nothing")


async def bare(size: tuple[int, int]) -> dict[str, float]:
    """The same figures of an app that does nothing [ms]."""
    begun = process_time()
    app = Bare()
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        _ = frame(app)
        first = process_time() - begun
        drawn = []
        for _n in range(FRAMES):
            begun = process_time()
            _ = frame(app)
            drawn.append(process_time() - begun)
        key_ms = await keyed(pilot, ["j"] * KEYS)
    return {"first_frame_cpu_ms": 1e3 * first, "draw_whole_screen_cpu_ms": 1e3 * median(drawn), "key_p95_ms": key_ms}


async def _both(size: tuple[int, int]) -> tuple[dict[str, float], dict[str, float]]:
    snapshots = [cluster(version) for version in range(1, 4)]
    _ = await bare(size)  # the first app of a process also pays for imports
    return await ours(size, snapshots), await bare(size)


def figures(size: tuple[int, int]) -> dict[str, Any]:
    found, reference = asyncio.run(_both(size))
    return {
        "bench": f"screen-{size[0]}x{size[1]}",
        **{name: round(value, 1) for name, value in found.items()},
        **{f"bare_{name}": round(value, 1) for name, value in reference.items()},
        **{f"ratio_{name}": round(found[name] / value, 2) for name, value in reference.items()},
    }
