"""The pulse by itself: where it stands, when it is drawn anew, and where a press leads."""

from typing import Any

import msgspec
import pytest
from textual import on
from textual.app import App, ComposeResult

from engine.explain.alert import Alert
from tests.tui import fakes
from tui.picture import Picture, RunState, Track
from tui.render.line import Look, flat
from tui.theme import styles
from tui.widgets.answers import Answers
from tui.widgets.pulse_bar import PulseBar

NOW, MINUTE = fakes.NOW, 60_000
TRACK = Track(NOW - 30 * MINUTE, NOW - 20 * MINUTE)
LOOK = Look(NOW, ("memory_mb", "vcores"), (1, 1))
FROZEN = Alert("frozen", NOW - 10 * MINUTE, NOW - 10 * MINUTE, "Nothing moves")
THAWED = Alert("over", NOW - 8 * MINUTE, NOW - 8 * MINUTE, "It moves again")


class BarApp(App[None]):
    """One pulse, and where it led."""

    def __init__(self) -> None:
        super().__init__()
        self.bar = PulseBar(styles("none"), id="pulse")
        self.led: list[str] = []

    def compose(self) -> ComposeResult:
        """The pulse alone."""
        yield self.bar

    @on(PulseBar.Dragged)
    def _dragged(self, event: PulseBar.Dragged) -> None:
        self.led.append(event.where)

    @property
    def drawn(self) -> list[str]:
        """Its lines."""
        return [flat(line).rstrip() for line in self.bar.lines]


def _picture(track: Track | None = TRACK, **run: Any) -> Picture:
    return Picture(fakes.frozen_cluster(), RunState("x", track=track, **run), (), 0)


@pytest.mark.parametrize(
    ("size", "lines"), [((169, 50), 1), ((170, 49), 1), ((170, 50), 3), ((200, 60), 3), ((40, 10), 1)]
)
async def test_it_is_tall_on_a_large_screen(size: tuple[int, int], lines: int) -> None:
    """Two rows and the times below them, each a blank from the edge."""
    app = BarApp()
    async with app.run_test(size=size) as pilot:
        app.bar.show_picture(_picture(), LOOK)
        await pilot.pause()

        assert (app.bar.display, app.bar.size.height, len(app.drawn)) == (True, lines, lines)
        assert all(line[:1] in {" ", ""} for line in app.drawn)
        assert all(len(flat(line)) <= size[0] - 1 for line in app.bar.lines)


@pytest.mark.parametrize("track", [None, Track(NOW - MINUTE, NOW)])
async def test_a_run_without_a_past_has_none(track: Track | None) -> None:
    """Nor does a press lead anywhere, even where there was one."""
    app = BarApp()
    async with app.run_test(size=(100, 10)) as pilot:
        app.bar.show_picture(_picture(present_ms=NOW - MINUTE, track=Track(0, 0)), LOOK)
        await pilot.pause()
        shown = app.bar.display
        app.bar.show_picture(_picture(track), LOOK)
        _ = await pilot.mouse_down(app.bar, offset=(20, 0))
        await pilot.pause()

        assert (shown, app.bar.display, app.led) == (True, False, [])


@pytest.mark.parametrize(("cell", "where"), [(1, "+600.000s"), (0, "+600.000s"), (50, "+1304.000s"), (98, "live")])
async def test_a_press_leads_to_the_instant_under_it(cell: int, where: str) -> None:
    """Counted from the start of the scenario; the last cell is the present."""
    app = BarApp()
    async with app.run_test(size=(100, 10)) as pilot:
        app.bar.show_picture(_picture(present_ms=NOW), LOOK._replace(now_ms=NOW - MINUTE))
        await pilot.pause()
        _ = await pilot.mouse_down(app.bar, offset=(cell, 0))
        _ = await pilot.mouse_up(app.bar, offset=(cell, 0))
        await pilot.pause()

        assert set(app.led) == {where}


async def test_before_the_start_is_counted_back() -> None:
    """A past that begins before the scenario does."""
    app = BarApp()
    async with app.run_test(size=(100, 10)) as pilot:
        app.bar.show_picture(_picture(Track(NOW - MINUTE, NOW - 20 * MINUTE)), LOOK)
        await pilot.pause()
        _ = await pilot.mouse_down(app.bar, offset=(0, 0))
        await pilot.pause()

        assert set(app.led) == {"-1140.000s"}


async def test_a_press_on_the_present_leads_nowhere_from_there() -> None:
    """Only from the past."""
    app = BarApp()
    async with app.run_test(size=(100, 10)) as pilot:
        app.bar.show_picture(_picture(), LOOK)
        await pilot.pause()
        _ = await pilot.mouse_down(app.bar, offset=(98, 0))
        await pilot.pause()

        assert app.led == []


async def test_a_drag_leads_along() -> None:
    """Without a button nothing moves."""
    app = BarApp()
    async with app.run_test(size=(100, 10)) as pilot:
        app.bar.show_picture(_picture(), LOOK)
        await pilot.pause()
        _ = await pilot.hover(app.bar, offset=(30, 0))
        before = list(app.led)
        _ = await pilot.mouse_down(app.bar, offset=(0, 0))
        is_held = app.mouse_captured is app.bar
        _ = await pilot.mouse_up(app.bar, offset=(0, 0))
        await pilot.pause()

        assert (before, is_held, app.mouse_captured, set(app.led)) == ([], True, None, {"+600.000s"})


@pytest.mark.parametrize(
    ("later_s", "run", "is_new"),
    [
        (0, {}, False),
        (0.5, {"paused": False, "speed": 1.0}, False),
        (0.5, {"paused": False, "speed": 100.0}, False),
        (99, {"paused": False, "speed": 100.0}, False),
        (101, {"paused": False, "speed": 100.0}, True),
        (15, {"paused": True, "speed": 100.0}, True),
        (15, {"paused": False, "speed": float("inf")}, True),
        (15, {"paused": False, "speed": 1.0}, True),
        (0, {"alerts": (FROZEN,)}, True),
        (0, {"track": msgspec.structs.replace(TRACK, acts={NOW - 5 * MINUTE: "KillApplication"})}, True),
    ],
)
async def test_it_is_drawn_anew_at_the_end_of_a_part(later_s: float, run: dict[str, Any], *, is_new: bool) -> None:
    """Once a second of the clock at most while it runs, and when something was found or done."""
    start_ms = NOW - NOW % 100_000
    clock = {name: run[name] for name in ("paused", "speed") if name in run}
    app = BarApp()
    async with app.run_test(size=(100, 10)) as pilot:
        track = Track(start_ms - 10 * MINUTE, start_ms - 10 * MINUTE)
        moved = run["track"].acts if "track" in run else {}
        later = {**run, "track": msgspec.structs.replace(track, acts=moved)}
        app.bar.show_picture(_picture(track, **clock), LOOK._replace(now_ms=start_ms))
        await pilot.pause()
        before = app.bar.lines
        picture = Picture(fakes.frozen_cluster(), RunState("x", **later), (), 0)
        app.bar.show_picture(picture, LOOK._replace(now_ms=start_ms + round(1000 * later_s)))

        assert (app.bar.lines is not before) == is_new


@pytest.mark.parametrize(
    ("alerts", "style", "words"),
    [((FROZEN,), "alarm", True), ((FROZEN, THAWED), "room", True), ((), "alarm", False), ((), "room", False)],
)
async def test_a_freeze_is_the_alarm_only_while_it_stands(
    alerts: tuple[Alert, ...], style: str, *, words: bool
) -> None:
    """One that is over was one."""
    app = BarApp()
    async with app.run_test(size=(100, 10)) as pilot:
        picture = _picture(alerts=alerts, standing=alerts[:1] if len(alerts) == 1 else ())
        app.bar.show_picture(picture, LOOK)
        await pilot.pause()
        found = "".join(sign for sign, its in app.bar.lines[0] if its == style and sign.strip(" │┃╎"))

        assert bool(found.strip()) == words


@pytest.mark.parametrize(("is_harmful", "variant"), [(False, "primary"), (True, "error")])
async def test_two_answers_the_harmless_one_first(*, is_harmful: bool, variant: str) -> None:
    """One by which something is lost looks so."""

    class AnswersApp(App[None]):
        def compose(self) -> ComposeResult:
            yield Answers("no", "yes", is_harmful=is_harmful, leave="esc")

    app = AnswersApp()
    async with app.run_test():
        answers = app.query_one(Answers)

        assert (answers.no.id, answers.yes.id, answers.yes.variant) == ("no", "yes", variant)
        assert (answers.no.variant, answers.no.compact, answers.yes.compact) == ("default", True, True)
        assert answers.no.region.x < answers.yes.region.x
