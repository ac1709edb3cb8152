"""Remedies in the strip: tried while the clock stands and there is room, left when somebody looks elsewhere."""

from typing import Any

import pytest

from engine.explain.alert import Alert
from tests.tui import answered, fake_holders, fakes
from tests.tui.fake_session import FakeSession
from tests.tui.screen_text import screen_text
from tui.app import SchedlabApp
from tui.screens.requests_shown import RemedyRequests

FREEZE = Alert("frozen", fakes.NOW - 60_000, fakes.NOW - 59_000, "Nothing moves", "deadlocked", "", (183354,))
FROZEN: dict[str, Any] = {"paused": True, "alerts": (FREEZE,), "standing": (FREEZE,)}


@pytest.fixture(autouse=True)
def _without_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RemedyRequests, "REST_S", 0.0)


def _asked(session: FakeSession) -> list[tuple[object, ...]]:
    return [call for call in session.calls if call[0] == "why"]


async def test_remedies_of_who_waits_for_ever_stand_in_the_strip() -> None:
    session = FakeSession(fake_holders.held_cluster(), **FROZEN)
    app = SchedlabApp(session, ascii_only=True, tries_remedies=True)
    async with app.run_test(size=(200, 60)) as pilot:
        await pilot.pause()
        question = session.asked[0]
        question.tell(document=answered.deadlocked(), doing="")
        await pilot.pause()
        found = {**answered.helped(), "tried": 2, "of": 2}
        question.tell(document={**answered.deadlocked(), "would_help": found})
        await pilot.pause()
        shown = screen_text(app)

    assert (_asked(session), "remedies" in question.calls, question.calls[-1]) == (
        [("why", "application", "183354")],
        True,
        "close",
    )
    for part in ("WHAT WOULD HELP", "1  kill 183342 etl-183342", "15 containers, 1h30m of work"):
        assert part in shown


@pytest.mark.parametrize(
    ("size", "options", "run"),
    [
        ((120, 40), {}, {}),
        ((200, 60), {"tries_remedies": False}, {}),
        ((200, 60), {}, {"paused": False}),
        ((200, 60), {}, {"standing": ()}),
    ],
    ids=["no room", "not wanted", "the clock runs", "nothing is proven"],
)
async def test_nothing_is_asked_where_nothing_would_be_shown(
    size: tuple[int, int], options: dict[str, Any], run: dict[str, Any]
) -> None:
    session = FakeSession(fake_holders.held_cluster(), **{**FROZEN, **run})
    options = {"tries_remedies": True, **options}
    app = SchedlabApp(session, **options)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()

    assert _asked(session) == []
