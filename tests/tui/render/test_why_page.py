"""The answer to why as a page of panels, from answers made by hand."""

from typing import Any

import pytest

from tests.tui import answered, fakes
from tests.tui.render.drawing import stored
from tests.tui.render.swept import EMPTY, SUMMARY, WORKERS, view
from tui.pages.remedy_table import HELPS
from tui.pages.tune import BEST, FRONT, LEFT_OUT, LINES, MATTERS, SweepView, sweep_page, sweep_text
from tui.pages.tune import WORKERS as PLAYED
from tui.pages.why_head import FRAMED_FROM, WhyChoice, why_page
from tui.pages.why_parts import CIRCLE, HOLDERS, REASONS
from tui.panes.line import RenderContext, length
from tui.protocol.picture import WhyAnswer, WhySubject

BIG = WhySubject("application", "183354")
LOOK = RenderContext(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384), 8 * 3_600_000)


def whole(**changes: Any) -> dict[str, Any]:
    return {**answered.deadlocked(), "would_help": answered.helped(), **changes}


def answer(document: dict[str, Any], **changes: Any) -> WhyAnswer:
    return answered.answer_of(BIG, document, **changes)


def _two_asks() -> dict[str, Any]:
    document = answered.known()
    asks = document["application"]["asks"]
    places = [f"n{number}" for number in range(1, 5)]
    asks += [{**asks[0], "priority": 20, "count": 3, "places": places, "relax_locality": False}]
    asks += [{**asks[0], "priority": 5, "places": places[:1], "verdict": "blocked"}]
    near = answered.reason(
        code="USER_OVER_LIMIT", sentence="the user mining is at 40 % of 50 %", level="USER", count=1, of=1, nodes=[],
        subject=answered.name(183330), decided_by=None, certainty="inferred",
    )  # fmt: skip
    queue = answered.reason(code="QUEUE_OVER_MAXIMUM", sentence="queue root.report is full", level="QUEUE",
        count=0, of=0, nodes=[], subject="root.report",
    )  # fmt: skip
    return {**document, "reasons": [*document["reasons"], near, queue]}


def _said_by_nodes() -> dict[str, Any]:
    reserved = answered.reason(
        code="NODE_RESERVED",
        sentence="11 of 12 nodes: reserved by 183342 for 64000 MB, nothing for others",
        nodes=[f"n{number}:1" for number in range(1, 6)],
        subject=fakes.OTHER,
        numbers={"held_mb": 64000},
        certainty="inferred",
    )
    facts = [{"node": f"n{number}:1", "code": "DOES_NOT_FIT", "numbers": [64000, 40960]} for number in range(1, 5)]
    facts += [{"node": "n9:1", "code": "OTHER", "numbers": [1]}]
    return answered.known(
        reasons=[answered.reason(), reserved],
        facts=facts,
        not_counted=[{"node": "n7:45454", "returns": "2017-11-11T10:00:00.000+08:00"}],
        application={**answered.known()["application"], "diagnostics": "waits for its master"},
    )


def _blocked() -> dict[str, Any]:
    proof = answered.deadlocked()["proof"]
    passed = {"at": answered.AT, "application": answered.name(183342), "node": "n1:45454", "memory_mb": 4096}
    return whole(
        verdict="blocked",
        pattern="",
        proof={
            **proof,
            "still": False,
            "allocations": 3,
            "last_allocation": answered.AT,
            "cycle": [],
            "for_ever": [answered.name(183342), answered.name(183330)],
            "passed_by": [passed],
            "bound": [answered.reason()],
        },
        point_of_no_return=answered.turning(late=True),
    )


def _live() -> dict[str, Any]:
    return answered.known(is_live=True, verdict="live", reasons=[answered.reason(certainty="inferred")])


SNAPSHOT = fakes.frozen_cluster()


@pytest.mark.parametrize(
    ("name", "told", "size", "choice"),
    [
        ("wide", answer(whole()), (180, 50), WhyChoice(part=CIRCLE)),
        ("wide-holders", answer(whole()), (170, 50), WhyChoice(part=HOLDERS)),
        ("middle", answer(whole()), (110, 40), WhyChoice(part=REASONS)),
        ("helps", answer(whole()), (120, 60), WhyChoice(part=HELPS)),
        ("circle-80", answer(whole()), (80, 24), WhyChoice()),
        ("holders-80", answer(whole()), (80, 24), WhyChoice(tab=HOLDERS, part=HOLDERS)),
        ("reasons-80", answer(_two_asks()), (80, 24), WhyChoice(tab=REASONS)),
        ("known-80", answer(answered.known()), (80, 24), WhyChoice(part=CIRCLE)),
        ("early", answer(answered.known(), doing="simulating ahead"), (120, 40), WhyChoice()),
        ("asks", answer(_two_asks()), (120, 40), WhyChoice()),
        ("nodes", answer(_said_by_nodes(), facts="not recorded here", note="a note"), (190, 40), WhyChoice()),
        ("nodes-80", answer(_said_by_nodes()), (80, 40), WhyChoice(tab=REASONS)),
        ("blocked", answer(_blocked()), (120, 40), WhyChoice()),
        ("unhelped", answer(answered.deadlocked()), (120, 40), WhyChoice()),
        ("live", answer(_live()), (120, 40), WhyChoice()),
        ("live-80", answer(_live(), forecast="starts at 04:48:00"), (80, 24), WhyChoice()),
        ("followed", answer(whole(aftermath=answered.followed())), (160, 70), WhyChoice()),
        ("followed-110", answer(whole(aftermath=answered.followed())), (110, 50), WhyChoice()),
        ("followed-80", answer(whole(aftermath=answered.followed())), (80, 24), WhyChoice()),
        ("trying", answer(whole(), doing="trying a remedy on a copy"), (120, 40), WhyChoice()),
    ],
)
def test_an_answer_is_drawn_as_it_is_stored(
    name: str, told: WhyAnswer, size: tuple[int, int], choice: WhyChoice
) -> None:
    drawn, kept = stored(f"why-{name}", why_page(told, SNAPSHOT, LOOK, size, choice).lines)

    assert drawn == kept


@pytest.mark.parametrize("size", [(80, 24), (109, 30), (110, 40), (169, 50), (170, 50), (200, 60)])
@pytest.mark.parametrize("document", [answered.known(), whole(aftermath=answered.followed()), _blocked(), _two_asks()])
def test_no_line_of_an_answer_is_wider_than_its_screen(size: tuple[int, int], document: dict[str, Any]) -> None:
    widths = {length(line) for line in why_page(answer(document), SNAPSHOT, LOOK, size, WhyChoice()).lines}

    assert max(widths) <= size[0]
    assert size[0] < FRAMED_FROM or widths == {size[0]}


@pytest.mark.parametrize("width", [80, 110])
@pytest.mark.parametrize(("kind", "key"), [("queue", "root.report"), ("node", "n1:45454")])
def test_a_place_has_all_who_wait_there(width: int, kind: str, key: str) -> None:
    told = answered.answer_of(WhySubject(kind, key), answered.place(kind, key))
    page = why_page(told, SNAPSHOT, LOOK, (width, 40), WhyChoice())
    drawn, kept = stored(f"why-place-{width}", page.lines)

    assert drawn == kept
    assert [each.link for each in page.stops] == [BIG]


# The screen of a sweep, from settings made by hand.


@pytest.mark.parametrize(
    ("name", "shown", "size", "part", "chosen"),
    [
        ("wide", view(workers=WORKERS, seconds=100.0), (180, 60), "", 1),
        ("middle", view(), (120, 40), "", 0),
        ("nothing", view(summary=EMPTY, workers=()), (100, 30), "", 0),
        ("best-80", view(), (80, 24), "", 0),
        ("best-order", view(order="yarn.scheduler.fair.preemption"), (120, 40), BEST, 5),
        ("front-80", view(), (80, 24), FRONT, 4),
        ("matters-80", view(), (80, 24), MATTERS, 0),
        ("lines-80", view(), (80, 24), LINES, 5),
        ("workers-80", view(workers=WORKERS, seconds=100.0), (80, 24), PLAYED, 0),
        ("workers-none", view(), (80, 24), PLAYED, 0),
        ("left-out-80", view(), (80, 24), LEFT_OUT, 0),
    ],
)
def test_a_sweep_is_drawn_as_it_is_stored(
    name: str, shown: SweepView, size: tuple[int, int], part: str, chosen: int
) -> None:
    drawn, kept = stored(f"sweep-{name}", sweep_page(shown, size, part, chosen).lines)

    assert drawn == kept


@pytest.mark.parametrize("width", [60, 80, 99, 100, 120, 170, 200])
@pytest.mark.parametrize("part", ["", BEST, FRONT, MATTERS, LINES, PLAYED, LEFT_OUT])
def test_no_line_of_a_sweep_is_wider_than_its_screen(width: int, part: str) -> None:
    widths = {length(line) for line in sweep_page(view(workers=WORKERS), (width, 40), part, 0).lines}

    assert max(widths) <= width
    assert width < 100 or widths == {width}


@pytest.mark.parametrize(("listed", "summary"), [(3, SUMMARY), (9, EMPTY)])
def test_a_sweep_as_text_has_what_there_is_of_it(listed: int, summary: Any) -> None:
    lines = [[(line, "text")] for line in sweep_text(view(summary=summary), listed)]
    drawn, kept = stored(f"sweep-text-{listed}", lines)

    assert drawn == kept
