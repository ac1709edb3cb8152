"""Graphs on the board: what a session keeps for them, and what is to be seen."""

import csv
import io
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from engine.explain.alert import Alert
from tests.stored import golden
from tests.tui import fakes
from tests.tui.fake_session import FakeSession
from tests.tui.screen_text import press, screen_lines, screen_text, title_of
from tests.tui.session.test_time_travel import ran
from tests.tui.small_run import ByHand, by_hand
from tui.app import SchedlabApp
from tui.panes.graphs import Trace, traces
from tui.protocol.picture import Graphs, Track
from tui.terminal.format import CURSOR_BAR, FLAT
from tui.terminal.theme import StyleTable


def graphs(session: ByHand) -> Graphs:
    found: Graphs | None = session.picture().graphs
    assert found is not None
    return found


def trace(session: ByHand, key: str) -> Trace:
    now_ms = session.picture().snapshot.header.time_ms
    return next(each for each in traces(graphs(session), now_ms, None) if each.key == key)


def test_the_past_shows_what_was_known_then() -> None:
    session, run = ran()
    now = trace(session, "containers")
    session.travel("+20s")
    past = trace(session, "containers")

    assert (now.now, now.extremes.high) == (0, 3)
    assert (past.now, past.window.until_ms) == (3, run.scenario.start_ms + 20_000)
    assert past.at(run.scenario.start_ms + 40_000) == 3
    assert graphs(session).history.cluster.times[-1] > run.scenario.start_ms + 20_000


# The pane and the large graph

PANE = "8"


@asynccontextmanager
async def opened(
    *keys: str, size: tuple[int, int] = (120, 40), ascii_only: bool = True
) -> AsyncIterator[tuple[SchedlabApp, Pilot[None], FakeSession]]:
    frozen = Alert("frozen", fakes.NOW - 360_000, fakes.NOW - 350_000, "a freeze")
    session = FakeSession(alerts=(frozen,))
    app = SchedlabApp(session, ascii_only=ascii_only)
    async with app.run_test(size=size) as pilot:
        await press(pilot, *keys)
        yield app, pilot, session


def instant(app: SchedlabApp) -> str:
    """Where the cursor of the large graph stands; empty in the present."""
    return "".join(re.findall(r"enter go to (\S+)", screen_text(app)))


def drawn(app: SchedlabApp) -> list[str]:
    """The names of the series in the large graph."""
    return re.findall(r"== (.*?) \S+   ", screen_lines(app)[1])


def title(app: SchedlabApp) -> str:
    return title_of(app, "graphs")


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_a_large_graph_looks_as_stored(size: tuple[int, int]) -> None:
    async with opened(PANE, *["right"] * 6, "enter", size=size, ascii_only=False) as (app, pilot, _):
        await press(pilot, *["left"] * 30)
        actual = screen_text(app)

    assert actual == golden(f"large-graph-{size[0]}x{size[1]}", actual)


async def test_keys_choose_the_window() -> None:
    async with opened(PANE) as (app, pilot, _):
        seen = [title(app)]
        for keys in (">", "<", "<", "<", "<", ":all", ":90m", "o3"):
            if keys.startswith(":"):
                await pilot.press("colon", *f"window {keys[1:]}", "enter")
            else:
                await pilot.press(*({">": "greater_than_sign", "<": "less_than_sign"}.get(key, key) for key in keys))
            await pilot.pause()
            seen.append(title(app))

    assert [words.removeprefix("8 Graphs  ") for words in seen] == [
        "08:31 to 09:01",
        "08:31 to 09:01",
        "last 6h",
        "last 1h",
        "last 10m",
        "last 10m",
        "08:31 to 09:01",
        "last 1h30m",
        "last 6h",
    ]


@pytest.mark.parametrize("words", ["", "soon", "1s", "10m 20m", "1000000h"])
async def test_a_window_that_is_none_is_refused(words: str) -> None:
    async with opened(PANE) as (app, pilot, _):
        await press(pilot, "colon", *f"window {words}", "enter")
        shown = screen_text(app)

        assert "one like 10m, 1h or all is wanted" in shown
        assert title(app) == "8 Graphs  08:31 to 09:01"


async def test_the_cursor_goes_through_time() -> None:
    async with opened(PANE, *["right"] * 5, "enter", "end", "home") as (app, pilot, session):
        first = instant(app)
        await press(pilot, "right_curly_bracket")
        mark, shown = instant(app), screen_text(app)
        await press(pilot, "enter")

        assert (first, mark) == ("08:31:00", "08:55:00")
        assert all(words in shown for words in ("08:55:00 frozen", "containers asked  21"))
        assert session.calls == [("travel", "+1440.000s")]
        assert app.screen is app.cluster


async def test_a_second_series_of_the_same_unit_can_be_drawn() -> None:
    async with opened(PANE, *["right"] * 6, "enter") as (app, pilot, _):
        seen = []
        for _press in range(6):
            seen.append(drawn(app))
            await pilot.press("space")
        await pilot.press("down")
        alone = drawn(app)

    assert seen[0] == ["running", "asked"]
    assert len(set(map(tuple, seen))) == len(seen) == 6
    assert ["now"] in seen
    assert len(alone) == 1


async def test_the_large_graph_lives() -> None:
    async with opened(PANE, "enter") as (app, pilot, session):
        session.change(fakes.frozen_cluster(2, time_ms=fakes.NOW + 60_000, containers=999))
        await pilot.pause()
        now = instant(app)
        await pilot.press("left")
        stood = instant(app)
        session.change(fakes.frozen_cluster(3, time_ms=fakes.NOW + 120_000))
        await pilot.pause()
        still = instant(app)
        await press(pilot, "escape")

        assert (now, stood) == ("", still)
        assert stood
        assert "09:03:00" in screen_text(app)


async def test_the_mouse_points_at_an_instant() -> None:
    async with opened(PANE, "enter") as (app, pilot, _):
        await pilot.click("#chart", offset=(6 + 55, 3))
        at = instant(app)
        await pilot.click("#hints", offset=(2, 0))
        before = instant(app)

    assert (at, before) == ("08:46:00", "08:45:43")


@pytest.mark.parametrize("size", [(60, 14), (40, 8), (20, 4), (1, 1)])
async def test_any_size_is_drawn(size: tuple[int, int]) -> None:
    async with opened(PANE, size=size) as (app, pilot, _):
        shown = [screen_lines(app)]
        await press(pilot, "enter", "left")
        shown.append(screen_lines(app))

    assert all(len(lines) <= size[1] and all(len(line) <= size[0] for line in lines) for lines in shown)


def contents(folder: Path) -> dict[str, str]:
    return {path.suffix: path.read_bytes().decode() for path in folder.iterdir()}


async def test_series_are_saved(tmp_path: Path) -> None:
    app = SchedlabApp(FakeSession(), ascii_only=True, save_folder=tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, PANE, "x")
    files = contents(tmp_path)
    rows = list(csv.DictReader(io.StringIO(files[".csv"])))
    document = json.loads(files[".json"])

    assert [int(row["time_ms"]) for row in rows] == [fakes.NOW - minute * 60_000 for minute in range(30, -1, -1)]
    assert [rows[-1][name] for name in ("used_memory_mb", "reservations", "root.etl")] == ["737280", "12", "491520"]
    assert (document["table"], [row["time_ms"] for row in document["rows"]]) == (
        "graphs",
        [int(row["time_ms"]) for row in rows],
    )


async def test_a_standalone_master_has_graphs() -> None:
    app = SchedlabApp(by_hand("spark-worker-lost", at="+10m", paused=True), ascii_only=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, PANE)
        shown = screen_text(app)

    assert all(name in shown for name in ("cores used", "executors asked", "executors running"))
    assert "reserved" not in shown.partition("Graphs")[2]


# How much of the time the pulse and the graphs show.

FROZEN = Alert("frozen", fakes.NOW - 400_000, fakes.NOW - 390_000, "deadlock: nothing", "deadlocked", applications=(1,))
OVER = Alert("over", fakes.NOW - 400_000, fakes.NOW - 100_000, "it moves again")


async def test_the_pulse_has_the_window_of_the_graphs() -> None:
    """From any pane the last ten minutes are shown, and the whole run again."""
    session = FakeSession(track=Track(fakes.NOW - 1_800_000, fakes.NOW - 1_800_000))
    app = SchedlabApp(session, ascii_only=True)
    async with app.run_test(size=(120, 40)) as pilot:
        seen = []
        for key in ("less_than_sign", "greater_than_sign"):
            await press(pilot, key)
            words = screen_lines(app)[app.screen.query_one("#track").region.y].split()
            seen.append((words[0], words[-1][-5:]))

    assert seen == [("08:51", "09:01"), ("08:31", "09:01")]


@pytest.mark.parametrize(
    ("run", "before", "after"),
    [
        ({"alerts": (FROZEN,), "standing": (FROZEN,)}, "alarm", ""),
        ({"alerts": (FROZEN, OVER)}, "room", ""),
        ({"alerts": (FROZEN,), "present_ms": fakes.NOW + 300_000}, "alarm", "room"),
        ({"alerts": (FROZEN, OVER), "present_ms": fakes.NOW + 300_000}, "room", ""),
    ],
)
async def test_the_line_of_a_freeze_stays(run: dict[str, Any], before: str, after: str) -> None:
    """From its proof to its end, or the present: when it is over, and before and after an instant of the past."""
    start_ms = fakes.NOW - 1_800_000
    app = SchedlabApp(FakeSession(track=Track(start_ms, start_ms), paused=True, **run))
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        spans = list(app.screen.query_one("#track").render_line(0))
    colours = {StyleTable("dark")[name].color: name for name in ("alarm", "room")}
    place = next(at for at, span in enumerate(spans) if CURSOR_BAR in span.text)
    parts = (spans[:place], spans[place:])
    seen = [{colours[span.style.color] for span in part if FLAT in span.text and span.style} for part in parts]

    assert seen == [{before} - {""}, {after} - {""}]
