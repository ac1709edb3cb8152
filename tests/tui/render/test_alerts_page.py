"""The page of alerts: the list, the story of one, its rule, whom it affects."""

from typing import Any

import pytest

from engine.explain.alert import Alert
from tests.tui import fakes
from tests.tui.fake_graphs import frozen_graphs
from tests.tui.render.drawing import stored
from tui.answers import WhySubject
from tui.picture import Picture, RunState, Track
from tui.render.alerts import ALERT, FRAMED_FROM, LIST, STORY, Listed, alerts_page, listed, who_words, whom
from tui.render.line import Look, flat, length

MINUTE_MS = 60_000
TERMS = {"application": "application", "container": "container", "node": "node", "master": "ResourceManager"}
LOOK = Look(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384), 8 * 3_600_000)


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


def picture(*alerts: Alert, track: Track | None = TRACK, **more: Any) -> Picture:
    """The frozen cluster, where these were found."""
    run = RunState("x", alerts=alerts or ALERTS, track=track, offset_ms=8 * 3_600_000)
    return Picture(fakes.frozen_cluster(), run, (), 0, **more)


WITH_GRAPHS = picture(graphs=frozen_graphs(fakes.NOW))


def found_in(one: Picture, muted: tuple[str, ...] = ()) -> list[Listed]:
    """The alerts of a picture."""
    return listed(one, TERMS, muted)


def test_what_stands_comes_before_what_is_over_the_worst_first_then_the_newest() -> None:
    """What was found later than the instant shown is not there."""
    found = found_in(picture(), ("STUCK",))

    assert [(each.word, each.is_now, each.style) for each in found] == [
        ("FROZEN", True, "alarm"),
        ("STARVED", True, "watch"),
        ("STUCK", True, "room"),
        ("NODE LOST", False, "room"),
        ("REFUSED", False, "room"),
    ]
    assert [each.badge for each in found][-2:] == ["{node} LOST", "REFUSED"]


def test_a_freeze_affects_all_that_wait_another_alert_those_it_names() -> None:
    """While it stands; those that have ended are none."""
    shown = picture()
    frozen, held, stuck, *_ = found_in(shown)

    waiting = [row.number for row in shown.snapshot.applications() if row.waiting_since_ms is not None]
    assert [row.number for row in whom(frozen, shown)] == waiting
    assert [row.number for row in whom(held, shown)] == [183331]
    assert [row.number for row in whom(stuck, shown)] == [183360, 183361]
    assert [row.number for row in whom(frozen._replace(is_now=False), shown)] == [183354]


@pytest.mark.parametrize(
    ("one", "is_named", "words"),
    [
        (LOST, True, "n7"),
        (REFUSED, True, "refused"),
        (Alert("refused", 0, 0, "a b was refused"), True, "a b was refused"),
        (STUCK, False, "183360"),
        (STUCK, True, "183360 日报-daily"),
        (alert("stuck", 1, (7, 8)), True, "0007"),
    ],
)
def test_an_alert_is_about_its_node_its_first_application_or_what_its_sentence_begins_with(
    one: Alert, is_named: bool, words: str
) -> None:
    """An application that is gone has its number only."""
    assert who_words(one, picture(), is_named=is_named) == words


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
    name: str, shown: Picture, chosen: int, size: tuple[int, int], part: str
) -> None:
    """The list above, below it the story of the chosen one; a narrow page has one of them."""
    page = alerts_page(found_in(shown, ("STARVED",)), chosen, shown, LOOK, TERMS, size, part)
    drawn, kept = stored(f"alerts-{name}", page.lines)

    assert drawn == kept


@pytest.mark.parametrize("size", [(80, 24), (99, 30), (100, 30), (140, 60)])
@pytest.mark.parametrize("part", [LIST, STORY])
def test_no_line_is_wider_than_the_page(size: tuple[int, int], part: str) -> None:
    """From a width on all lines are as wide as it."""
    page = alerts_page(found_in(WITH_GRAPHS), 0, WITH_GRAPHS, LOOK, TERMS, size, part)
    widths = {length(line) for line in page.lines}

    assert max(widths) <= size[0]
    assert size[0] < FRAMED_FROM or (widths == {size[0]} and len(page.lines) <= size[1])


@pytest.mark.parametrize("size", [(80, 24), (140, 60)])
def test_each_alert_can_be_stood_on(size: tuple[int, int]) -> None:
    """By its place in the list; headings are between."""
    page = alerts_page(found_in(picture()), 0, picture(), LOOK, TERMS, size, LIST)

    assert [(each.row, each.link) for each in page.stops] == [
        (row, WhySubject(ALERT, str(place))) for place, row in enumerate((3, 4, 5, 7, 8))
    ]


@pytest.mark.parametrize(("height", "has_story"), [(32, True), (31, False)])
def test_the_list_has_the_page_for_itself_where_little_of_it_would_be_left(height: int, has_story: bool) -> None:
    """Eight lines are little enough to keep."""
    page = alerts_page(found_in(WITH_GRAPHS), 0, WITH_GRAPHS, LOOK, TERMS, (120, height), LIST)

    assert any("Story" in flat(line) for line in page.lines) is has_story
