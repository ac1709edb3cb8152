"""The app before Spark's standalone Master, on packaged scenarios with the clock standing."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.stored import golden
from tests.tui.fake_session import FakeSession
from tests.tui.screen_text import screen_text
from tests.tui.small_run import by_hand
from tui.app import SchedlabApp
from tui.board.dialects import STANDALONE
from tui.screens.plans import PlansScreen
from tui.widgets.lines import Lines

SIZES = [(80, 24), (120, 40), (200, 60)]


@asynccontextmanager
async def opened(
    name: str, at: str, size: tuple[int, int] = (120, 40), **options: Any
) -> AsyncIterator[tuple[SchedlabApp, Pilot[None]]]:
    app = SchedlabApp(by_hand(name, at=at, paused=True), ascii_only=True, **options)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield app, pilot


def plans_of(app: SchedlabApp) -> PlansScreen:
    assert isinstance(app.screen, PlansScreen)
    return app.screen


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("pane", list(STANDALONE.titles))
async def test_every_pane_looks_as_stored(pane: str, size: tuple[int, int]) -> None:
    """Each pane at the two sizes, letter by letter: one application holds what another waits for."""
    async with opened("spark-cores-hoarded", "+10m", size) as (app, pilot):
        digit = str(list(STANDALONE.titles).index(pane) + 1)
        await pilot.press(*([digit] if digit != "1" else []))  # the first is there, and would say so
        await pilot.pause()
        actual = screen_text(app)

    assert actual == golden(f"spark-{pane}-{size[0]}x{size[1]}", actual)


@pytest.mark.parametrize("size", SIZES)
async def test_a_step_looks_as_stored(size: tuple[int, int]) -> None:
    async with opened("spark-spread-out", "+5s", size) as (app, pilot):
        await pilot.press("s", "right", "right", "right", "right", "right")
        await pilot.pause()
        actual = screen_text(app)

    assert actual == golden(f"spark-step-{size[0]}x{size[1]}", actual)


@pytest.mark.parametrize("size", [(200, 60), (60, 14), (20, 4), (1, 1)])
async def test_any_size_is_drawn(size: tuple[int, int]) -> None:
    async with opened("spark-spread-out", "+5s", size) as (app, pilot):
        board = screen_text(app).splitlines()
        await pilot.press("s", "right")
        await pilot.pause()
        step = screen_text(app).splitlines()

    assert all(len(lines) <= size[1] and all(len(line) <= size[0] for line in lines) for lines in (board, step))


async def test_spread_out_is_toggled_for_the_next_pass() -> None:
    """O packs, O again spreads; the header shows the mode, and what has been given stays."""
    async with opened("spark-spread-out", "+5s") as (app, pilot):
        assert app.cluster is not None
        seen = []
        for _ in range(2):
            await pilot.press("O", "y")
            await pilot.pause()
            seen.append(screen_text(app))
        held = [row.used[1] for row in app.cluster.pane("nodes").members]

    assert ("packing" in seen[0], "FIFO, packed" in seen[0]) == (True, True)
    assert ("spread out" in seen[1], held) == (True, [6, 4, 2, 0, 0])


@pytest.mark.parametrize(
    ("key", "reason"), [("P", "Spark's Master preempts nobody"), ("R", "Spark's Master reserves nothing")]
)
async def test_what_spark_does_not_have_is_refused_with_the_reason(key: str, reason: str) -> None:
    async with opened("spark-spread-out", "+5s") as (app, pilot):
        named = f"{key} " in screen_text(app).splitlines()[-1]
        await pilot.press(key)
        await pilot.pause()
        text = screen_text(app)

    assert (named, reason in text) == (False, True)


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        ("O", "Only Spark's Master spreads executors out or packs them; this is YARN."),
        ("s", "Only Spark's Master hands out cores step by step; this is YARN."),
    ],
)
async def test_what_only_spark_has_is_refused_under_yarn(key: str, reason: str) -> None:
    session = FakeSession()
    app = SchedlabApp(session, ascii_only=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(key)
        await pilot.pause()
        text = screen_text(app)

    assert (reason in text, session.calls) == (True, [])


async def test_stepping_shows_who_got_cores_and_leaving_changes_nothing() -> None:
    """Steps, rounds and the last; the clock is paused meanwhile, and the board is as before."""
    async with opened("spark-spread-out", "+5s") as (app, pilot):
        before = screen_text(app)
        await pilot.press("s")
        seen = []
        for key in ("right", "right", "left", "n", "n", "G", "right", "g"):
            await pilot.press(key)
            table = plans_of(app).table
            got = [line.worker for line in table.lines if line.got]
            seen.append((table.number, table.round, *got))
        await pilot.press("escape")
        await pilot.pause()
        after = screen_text(app)

    assert seen == [
        (1, 1, "worker1"),
        (2, 1, "worker2"),
        (1, 1, "worker1"),
        (3, 1, "worker3"),
        (5, 2, "worker2"),
        (6, 3, "worker1"),
        (6, 3, "worker1"),
        (0, 0),
    ]
    assert after == before


async def test_steps_begin_with_the_application_under_the_cursor() -> None:
    """Of one that waits: why nobody can give it anything; tab goes on to the next plan, which is the first."""
    async with opened("spark-cores-hoarded", "+10m") as (app, pilot):
        await pilot.press("j", "s")
        first = (plans_of(app).plan.name, plans_of(app).plan.ahead, plans_of(app).plan.count)
        text = screen_text(app)
        await pilot.press("tab")
        then = (plans_of(app).plan.name, plans_of(app).plan.ahead, plans_of(app).plan.count)
        await pilot.press("shift+tab", "j", "j", "k")
        foot = "".join(words for line in plans_of(app).query_one("#foot", Lines).lines for words, _ in line)

    assert (first, then) == (("bob-report", True, 0), ("ann-shell", False, 32))
    assert ("what a pass would do now" in text, "0 cores free, an executor needs 4" in text) == (True, True)
    assert "worker2: 0 cores free" in foot


async def test_enter_leads_from_the_list_to_the_application_to_its_executor_and_worker() -> None:
    seen = []
    async with opened("spark-spread-out", "+5s") as (app, pilot):
        assert app.cluster is not None
        for keys in (("2", "enter"), ("enter",), ("enter",)):
            await pilot.press(*keys)
            seen.append((app.cluster.active.noun.name, app.cluster.active.cursor_id))

    assert seen == [("applications", "app-20170913160000-0001"), ("containers", "0001/0"), ("nodes", "worker1:7078")]


async def test_killing_says_what_comes_free() -> None:
    async with opened("spark-cores-hoarded", "+10m") as (app, pilot):
        await pilot.press("K")
        words = screen_text(app)
        await pilot.press("y")
        await pilot.pause()
        after = screen_text(app)

    assert ("4 executors  8G/32c on 4 workers" in words, "0002  bob-report" in after) == (True, True)


async def test_the_form_submits_a_spark_application() -> None:
    async with opened("spark-cores-hoarded", "+10m") as (app, pilot):
        await pilot.press("S")
        form = screen_text(app)
        await pilot.press("enter")
        await pilot.pause()
        text = screen_text(app)

    assert ("cores at most" in form, "containers" in form) == (True, False)
    assert ("Submitted by-hand" in text, "0003  by-hand" in text) == (True, True)
