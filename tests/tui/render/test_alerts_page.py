"""The page of alerts: the list, the story of one, its rule, whom it affects."""

from typing import Any

import msgspec
import pytest

from engine.compare import Comparison
from engine.explain.alert import Alert
from engine.explain.impact import ImpactReport
from engine.observe.history import StarvedQueue
from engine.observe.snapshots import WaitTotal
from engine.sweep import GOALS, SizeStep, Sizing
from tests.reports import report_of
from tests.tui import answered, fakes
from tests.tui.fake_session import frozen_graphs
from tests.tui.render.compared import PARTINGS, comparison
from tests.tui.render.drawing import stored
from tests.tui.render.helped import ENTRIES, entry, remedies
from tui.pages.alerts import FRAMED_FROM, LIST, STORY, Listed, alerts_page, listed
from tui.pages.compare import APPLICATIONS as WAITS
from tui.pages.compare import DIFFERS, PARTS, TIME, CompareView, compare_page
from tui.pages.remedy_table import HELPS
from tui.pages.size_page import CURVE, OTHERS, STEPS, SizeView, size_page, size_text
from tui.pages.why_head import WhyChoice, why_page
from tui.panes.fragments import RenderContext, cell_width, flat
from tui.protocol.picture import CLUSTER, EventRow, RunState, SessionState, Track, WhyAnswer, WhySubject

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
    frozenset({fakes.NOW - 12 * MINUTE_MS}),
)


def picture(*alerts: Alert, track: Track | None = TRACK, **more: Any) -> SessionState:
    run = RunState("x", alerts=alerts or ALERTS, track=track, offset_ms=8 * 3_600_000)
    return SessionState(fakes.frozen_cluster(), run, (), 0, **more)


def with_starved_queues() -> SessionState:
    """One that was starved with 17 that waited, and one that was not yet at the instant shown."""
    graphs = frozen_graphs(fakes.NOW)
    graphs.history.starved = [
        StarvedQueue("root.report", fakes.NOW - 800_000, fakes.NOW - 500_000, WaitTotal(11, 6)),
        StarvedQueue("root.adhoc", fakes.NOW - 300_000, fakes.NOW + 1, WaitTotal()),
    ]
    return picture(graphs=graphs)


WITH_GRAPHS = with_starved_queues()


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


@pytest.mark.parametrize(
    ("kind", "action", "words"),
    [
        ("KillApplication", {"application": 7}, "K 0007, by hand"),
        ("LoseMaster", {"application": "nightly"}, "nightly, by hand"),
        ("SubmitApplication", {"application": {"type": "spark", "queue": "root.etl"}}, "etl, by hand"),
        ("SubmitApplication", {"application": {"type": "spark"}}, ", by hand"),
    ],
)
def test_an_act_while_an_alert_stands_is_told_with_whom_it_was_about(
    kind: str, action: dict[str, Any], words: str
) -> None:
    acted = EventRow(1, fakes.NOW, "Acted", {"action": action})
    track = Track(fakes.NOW - MINUTE_MS, fakes.NOW, (), {fakes.NOW: kind}, frozenset())
    shown = SessionState(fakes.frozen_cluster(), RunState("x", alerts=(FROZEN,), track=track), (acted,), 0)
    page = alerts_page(found_in(shown), 0, shown, LOOK, TERMS, (160, 40), LIST)

    assert words in "\n".join(map(flat, page.lines))


@pytest.mark.parametrize(
    ("topic", "who"),
    [("no ResourceManager answers", "ResourceManager"), ("none of 3 nodes reports", "every node"), ("7 hangs", "0007")],
)
def test_an_outage_is_of_whom_it_names(topic: str, who: str) -> None:
    outage = Alert("outage", fakes.NOW - 5, fakes.NOW - 5, "it is out", applications=(7,), topic=topic)
    shown = SessionState(fakes.frozen_cluster(), RunState("x", alerts=(outage,)), (), 0)
    page = alerts_page(found_in(shown), 0, shown, LOOK, TERMS, (160, 40), LIST)

    assert f"OUTAGE         {who} " in "\n".join(map(flat, page.lines))


@pytest.mark.parametrize("size", [(80, 24), (99, 30), (100, 30), (140, 60)])
@pytest.mark.parametrize("part", [LIST, STORY])
def test_no_line_is_wider_than_the_page(size: tuple[int, int], part: str) -> None:
    page = alerts_page(found_in(WITH_GRAPHS), 0, WITH_GRAPHS, LOOK, TERMS, size, part)
    widths = {cell_width(line) for line in page.lines}

    assert max(widths) <= size[0]
    assert size[0] < FRAMED_FROM or (widths == {size[0]} and len(page.lines) <= size[1])


# The screen of a comparison, from two runs made by hand.


def view_of(found: Comparison, chosen: int = 0) -> CompareView:
    return CompareView(found, PARTINGS if found.divergences else (), chosen)


@pytest.mark.parametrize(
    ("name", "size", "part", "chosen"),
    [
        ("wide", (180, 60), "", 0),
        ("middle", (120, 60), "", 1),
        ("differs", (100, 60), DIFFERS, 0),
        ("differs-80", (80, 24), "", 0),
        ("parts-80", (80, 24), PARTS, 0),
        ("time-60", (60, 24), TIME, 0),
        ("waits-60", (60, 24), WAITS, 0),
        ("waits-62", (62, 24), WAITS, 0),
    ],
)
def test_a_comparison_is_drawn_as_it_is_stored(name: str, size: tuple[int, int], part: str, chosen: int) -> None:
    """All parts where there is room, else one: what differs most, where they part, curves, waits."""
    page = compare_page(view_of(comparison(), chosen), size, part)
    drawn, kept = stored(f"compare-{name}", page.lines)

    assert drawn == kept


# What to do now so that all that wait start: remedies by group, from some made by hand.

FOLLOWED = report_of(ImpactReport, answered.followed())


def answer(**changes: Any) -> WhyAnswer:
    found = WhyAnswer(WhySubject(CLUSTER, ""), fakes.NOW, answered.OFFSET_MS, plan=remedies())
    return msgspec.structs.replace(found, **changes)


MANY = remedies(*(entry(number, 10 * number) for number in range(1, 7)), never=False)


@pytest.mark.parametrize(
    ("name", "told", "size"),
    [
        ("wide", answer(), (170, 40)),
        ("followed", answer(aftermath=FOLLOWED, is_assumed=True, note="as the twin assumes"), (120, 40)),
        ("low", answer(plan=MANY, doing="trying remedies"), (100, 14)),
        ("80", answer(plan=MANY, doing="trying a remedy on a copy"), (80, 24)),
        ("all", answer(plan=remedies(*ENTRIES[:1], tried=12, useless=ENTRIES[0].alike[:1])), (120, 40)),
        ("none", answer(plan=msgspec.structs.replace(remedies(), remedies=(), useless=())), (100, 24)),
        ("early", answer(plan=None, doing="looking"), (100, 24)),
        ("unknown", answer(plan=None), (80, 24)),
        ("noted", answer(plan=None, doing="looking", note="nothing waits"), (80, 24)),
    ],
)
def test_what_to_do_is_drawn_as_it_is_stored(name: str, told: WhyAnswer, size: tuple[int, int]) -> None:
    """By group, a few of each where there is little room; how it was tried where there is much."""
    drawn, kept = stored(f"fix-{name}", why_page(told, None, LOOK, size, WhyChoice(part=HELPS)).lines)

    assert drawn == kept


# The answer to how many nodes it takes, from steps made by hand.

STEPS_TRIED = (
    SizeStep(40, (600_000, 500_000, 700_000), 0),
    SizeStep(80, (1500, 1500, 1500), 3),
    SizeStep(60, (45_000, 200_000, 400_000), 2),
    SizeStep(70, (45_000, 60_000, 200_000), 3),
    SizeStep(100, (), 0, "ValueError: no\nsuch size"),
    SizeStep(90, (), 0),
)
OTHERS_TRIED = {
    "without preemption": SizeStep(75, (100.0, 200.0), 3),
    "with no reservations": SizeStep(100, (400_000, 700_000), 1),
    "under fifo": SizeStep(100, (), 0, "refused:\nthere is no queue root.etl here, so nothing can be submitted to it"),
}


def view(answer: int | None = 70, **changes: Any) -> SizeView:
    """Seventy nodes keep five minutes with all of three seeds."""
    sizing = Sizing("nodes", STEPS_TRIED, answer, 3)
    found = SizeView("morning", GOALS["p95_wait"], "p95_wait < 5m", 300_000, sizing, OTHERS_TRIED, "x.sweep")
    return found._replace(**changes)


ONE = Sizing("nodes", (SizeStep(1, (5.0,), 1),), 1, 1)
NONE = Sizing("yarn.nodes", (), None, 2)


@pytest.mark.parametrize(
    ("name", "shown", "size", "part"),
    [
        ("wide", view(), (140, 40), ""),
        ("low", view(None), (100, 20), ""),
        ("steps-80", view(), (80, 24), ""),
        ("others-100", view(), (100, 24), OTHERS),
        ("curve-60", view(), (60, 16), CURVE),
        ("one", view(sizing=ONE, others={}), (100, 24), ""),
        ("running", view(sizing=NONE, others={}, is_running=True), (100, 24), ""),
    ],
)
def test_a_size_is_drawn_as_it_is_stored(name: str, shown: SizeView, size: tuple[int, int], part: str) -> None:
    drawn, kept = stored(f"size-{name}", size_page(shown, size, part).lines)

    assert drawn == kept


@pytest.mark.parametrize("width", [60, 99, 100, 120, 200])
@pytest.mark.parametrize("part", ["", STEPS, OTHERS, CURVE])
def test_no_line_of_a_size_is_wider_than_its_screen(width: int, part: str) -> None:
    widths = {cell_width(line) for line in size_page(view(), (width, 30), part).lines}

    assert max(widths) <= width
    assert width < 100 or widths == {width}


@pytest.mark.parametrize(("others", "has_others"), [(OTHERS_TRIED, True), ({}, False)])
def test_a_size_as_text_has_all_parts(others: dict[str, SizeStep], has_others: bool) -> None:
    lines = list(size_text(view(others=others)))

    assert any("What else it would take" in line for line in lines) is has_others
    if has_others:
        drawn, kept = stored("size-text", [[(line, "text")] for line in lines])
        assert drawn == kept
