"""How much of the time the pulse and the graphs show."""

from typing import Any

import pytest

from engine.explain.alert import Alert
from tests.tui import fakes
from tests.tui.fake_session import FakeSession
from tui.app import SchedlabApp
from tui.protocol.picture import Track
from tui.terminal.format import CURSOR_BAR, FLAT
from tui.terminal.theme import styles
from tui.widgets.bars import PulseBar

FROZEN = Alert("frozen", fakes.NOW - 400_000, fakes.NOW - 390_000, "deadlock: nothing", "deadlocked", applications=(1,))
OVER = Alert("over", fakes.NOW - 400_000, fakes.NOW - 100_000, "it moves again")


async def test_the_pulse_has_the_window_of_the_graphs() -> None:
    """From any pane the last ten minutes are shown, and the whole run again."""
    session = FakeSession(track=Track(fakes.NOW - 1_800_000, fakes.NOW - 1_800_000))
    app = SchedlabApp(session, ascii_only=True)
    async with app.run_test(size=(120, 40)) as pilot:
        seen = []
        for key in ("less_than_sign", "greater_than_sign"):
            await pilot.press(key)
            await pilot.pause()
            words = app.screen.query_one(PulseBar).render_line(0).text.split()
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
        spans = list(app.screen.query_one(PulseBar).render_line(0))
    colours = {styles("dark")[name].color: name for name in ("alarm", "room")}
    place = next(at for at, span in enumerate(spans) if CURSOR_BAR in span.text)
    parts = (spans[:place], spans[place:])
    seen = [{colours[span.style.color] for span in part if FLAT in span.text and span.style} for part in parts]

    assert seen == [{before} - {""}, {after} - {""}]
