"""The page of alerts: the list, the story of one, its rule, whom it affects."""

from typing import Any

import pytest

from engine.explain.alert import Alert
from tests.tui import fakes
from tests.tui.fake_graphs import frozen_graphs
from tests.tui.render.drawing import stored
from tui.pages.alerts import FRAMED_FROM, LIST, STORY, Listed, alerts_page, listed
from tui.panes.line import RenderContext, length
from tui.protocol.picture import RunState, SessionState, Track

MINUTE_MS = 60_000
TERMS = {"application": "application", "container": "container", "node": "node", "master": "ResourceManager"}
LOOK = RenderContext(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384), 8 * 3_600_000)


def alert(kind: str, ago_s: float, numbers: tuple[int, ...] = (), **more: Any) -> Alert:
    """One that began so long ago and was found a second later."""
    since_ms = fakes.NOW - round(1000 * ago_s)
    return Alert(kind, since_ms, since_ms + 1000, f"{kind}: it is so", "blocked", "", numbers, topic=kind, **more)


FROZEN = Alert("frozen", fakes.NOW - MINUTE_MS, fakes.NOW - 59_000, "Nothing moves", "deadlocked", "", (183354,))
STUCK = alert("stuck", 600, (183360, 183361))
HELD = Alert("held-up", fakes.NOW - 300_000, fakes.NOW - 290_000, "183331 waits", "starving", "", (183331,))
LOST = Alert("lost", fakes.NOW - 900_000, fakes.NOW - 900_000, "node n7 is lost", node="n7:8041")
BACK = Alert("returned", fakes.NOW - 840_000, fakes.NOW - 840_000, "node n7 is back", node="n7:8041")
REFUSED = alert("refused", 1200.5)
LATER = alert("stuck", -1, (7,))
ALERTS = (REFUSED, LOST, BACK, STUCK, HELD, FROZEN, LATER)
TRACK = Track(
    fakes.NOW - 30 * MINUTE_MS,
    fakes.NOW - 25 * MINUTE_MS,
    (),
    {fakes.NOW - 12 * MINUTE_MS: "KillApplication", fakes.NOW - 26 * MINUTE_MS: "DrainNode"},
)


def picture(*alerts: Alert, track: Track | None = TRACK, **more: Any) -> SessionState:
    run = RunState("x", alerts=alerts or ALERTS, track=track, offset_ms=8 * 3_600_000)
    return SessionState(fakes.frozen_cluster(), run, (), 0, **more)


WITH_GRAPHS = picture(graphs=frozen_graphs(fakes.NOW))


def found_in(one: SessionState, muted: tuple[str, ...] = ()) -> list[Listed]:
    return listed(one, TERMS, muted)


@pytest.mark.parametrize(
    ("name", "shown", "chosen", "size", "part"),
    [
        ("wide", WITH_GRAPHS, 0, (170, 50), LIST),
        ("middle", WITH_GRAPHS, 1, (100, 50), LIST),
        ("low", WITH_GRAPHS, 1, (120, 30), LIST),
        ("list-80", WITH_GRAPHS, 0, (80, 24), LIST),
        ("story-80", WITH_GRAPHS, 3, (80, 24), STORY),
        ("plain", picture(STUCK, REFUSED, track=None), 0, (110, 40), LIST),
        ("over", picture(REFUSED, track=None), 0, (110, 40), LIST),
    ],
)
def test_the_page_is_drawn_as_it_is_stored(
    name: str, shown: SessionState, chosen: int, size: tuple[int, int], part: str
) -> None:
    """The list above, below it the story of the chosen one; a narrow page has one of them."""
    page = alerts_page(found_in(shown, ("STARVED",)), chosen, shown, LOOK, TERMS, size, part)
    drawn, kept = stored(f"alerts-{name}", page.lines)

    assert drawn == kept


@pytest.mark.parametrize("size", [(80, 24), (99, 30), (100, 30), (140, 60)])
@pytest.mark.parametrize("part", [LIST, STORY])
def test_no_line_is_wider_than_the_page(size: tuple[int, int], part: str) -> None:
    page = alerts_page(found_in(WITH_GRAPHS), 0, WITH_GRAPHS, LOOK, TERMS, size, part)
    widths = {length(line) for line in page.lines}

    assert max(widths) <= size[0]
    assert size[0] < FRAMED_FROM or (widths == {size[0]} and len(page.lines) <= size[1])
