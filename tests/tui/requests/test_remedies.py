"""Remedies on the main screen: tried while the clock stands and a badge does."""

from typing import Any

import msgspec
import pytest

from engine.explain.alert import Alert
from engine.explain.answer import RemediesReport
from tests.reports import report_of
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


async def test_the_best_remedy_stands_in_the_header_and_its_kin_in_the_strip() -> None:
    session = FakeSession(fake_holders.held_cluster(), **FROZEN)
    app = SchedlabApp(session, ascii_only=True, tries_remedies=True)
    async with app.run_test(size=(200, 60)) as pilot:
        await pilot.pause()
        found = report_of(RemediesReport, {**answered.helped(), "tried": 2, "of": 2})
        session.asked[0].tell(plan=msgspec.structs.replace(found, at_ms=fakes.NOW), doing="")
        await pilot.pause()
        shown = screen_text(app)

    assert _asked(session) == [("why", "cluster", "")]
    for part in ("W kill 183342 starts 1, loses 15   w why", "1  kill 183342 etl-183342", "loses 15 containers"):
        assert part in shown


@pytest.mark.parametrize(
    ("options", "run"),
    [({"tries_remedies": False}, {}), ({}, {"paused": False}), ({}, {"standing": (), "alerts": ()})],
    ids=["not wanted", "the clock runs", "no badge stands"],
)
async def test_nothing_is_tried_where_nothing_would_be_shown(options: dict[str, Any], run: dict[str, Any]) -> None:
    session = FakeSession(fake_holders.held_cluster(), **{**FROZEN, **run})
    app = SchedlabApp(session, **{"tries_remedies": True, **options})
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()

    assert _asked(session) == []
