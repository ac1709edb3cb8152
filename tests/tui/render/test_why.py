"""The answer to why as a page of panels, from answers made by hand."""

from datetime import datetime
from typing import Any

import msgspec
import pytest

from engine.explain.answer import PlaceReport, RemediesReport, WhyReport
from engine.explain.remedy import PATCH, Remedy
from engine.observe.mr1_snapshot import JobRow
from engine.scenario.acts import SetHealth
from tests.reports import report_of
from tests.tui import answered, fakes
from tests.tui.render.dialect_pictures import job, mapreduce1
from tests.tui.render.drawing import EMPTY, SUMMARY, WORKERS, stored, view
from tests.tui.render.helped import entry, remedies
from tui.pages.exam import ExamQuestion, ExamSheet, PageShown, exam_lines
from tui.pages.remedy_table import HELPS, brief_rows, effect_words
from tui.pages.tune import BEST, FRONT, LEFT_OUT, LINES, MATTERS, SweepView, sweep_page, sweep_text
from tui.pages.tune import WORKERS as PLAYED
from tui.pages.verdict_text import place_lines, why_lines
from tui.pages.why import limit_rows, task_rows
from tui.pages.why_head import WhyChoice, head_lines, why_page
from tui.pages.why_parts import CIRCLE, HOLDERS, REASONS, remedies_panel
from tui.panes.fragments import Fragments, RenderContext, cell_width, flat
from tui.panes.header import DEAD, Health
from tui.protocol.picture import WhyAnswer, WhySubject
from tui.terminal.format import RelativeTimeFormat, beside

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


def _decides() -> dict[str, Any]:
    setting = {"key": "root.report.maxAMShare", "value": "1.0"}
    sentence = "it would have been given more 1m55s ago without it"
    decides = {"code": "DECIDES", "level": "APP", "state": "SKIPPED", "count": 0, "of": 0, "nodes": []}
    row = answered.reason(**decides, sentence=sentence, decided_by=setting)
    return whole(reasons=[answered.reason(), row], deciding={"tried": 8, "of": 39})


def _failed() -> dict[str, Any]:
    known, over = answered.known(), "2017-11-11T09:20:00.000+08:00"
    sentence = "its application master failed 2 times, as often as it may: 1h, 4h after it was submitted"
    given_up = {"code": "GIVEN_UP", "level": "APP", "state": "SKIPPED", "count": 0, "of": 0, "nodes": []}
    return {
        **known,
        "verdict": "ended",
        "reasons": [answered.reason(**given_up, sentence=sentence, decided_by=None)],
        "application": {**known["application"], "state": "FAILED", "waiting_since": None, "asks": [], "finished": over},
    }


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
        ("decides", answer(_decides()), (120, 60), WhyChoice(part=REASONS)),
        ("failed", answer(_failed()), (120, 40), WhyChoice()),
        ("trying", answer(whole(), doing="trying a remedy on a copy"), (120, 40), WhyChoice()),
    ],
)
def test_an_answer_is_drawn_as_it_is_stored(
    name: str, told: WhyAnswer, size: tuple[int, int], choice: WhyChoice
) -> None:
    drawn, kept = stored(f"why-{name}", why_page(told, SNAPSHOT, LOOK, size, choice).lines)

    assert drawn == kept


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
    widths = {cell_width(line) for line in sweep_page(view(workers=WORKERS), (width, 40), part, 0).lines}

    assert max(widths) <= width
    assert width < 100 or widths == {width}


@pytest.mark.parametrize(("listed", "summary"), [(3, SUMMARY), (9, EMPTY)])
def test_a_sweep_as_text_has_what_there_is_of_it(listed: int, summary: Any) -> None:
    lines = [[(line, "text")] for line in sweep_text(view(summary=summary), listed)]
    drawn, kept = stored(f"sweep-text-{listed}", lines)

    assert drawn == kept


# The lines over the answer to why, from answers made by hand.

FROZEN = Health(DEAD, "FROZEN", "183354 holds 11 of 12 nodes", fakes.NOW - 60_000)
HEAD_LOOK = RenderContext(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384))


def head(answer: WhyAnswer, *trail: WhySubject, width: int = 120) -> list[str]:
    return [flat(line) for line in head_lines(answer, trail, HEAD_LOOK, width, state="paused", health=FROZEN)]


@pytest.mark.parametrize(
    ("number", "verdict", "state", "words"),
    [
        (183354, "deadlocked", "ACCEPTED", "■ NEVER STARTS  {} waits for 183342, and 183342 waits for it, for ever"),
        (183301, "deadlocked", "ACCEPTED", "■ NEVER STARTS  {} waits for 183354, and 183354 waits for ever"),
        (183354, "blocked", "RUNNING", "■ NEVER SERVED  {}: blocked: 183342 never releases what it needs"),
        (183354, "starving", "RUNNING", "▲ OTHERS FIRST  {}: starving: others are served first again and again; "),
        (183354, "none", "RUNNING", "● NOT WAITING {}: it ends at 09:01:00 by itself, without what it still asks for"),
    ],
)
def test_the_verdict_is_a_badge_and_a_sentence(number: int, verdict: str, state: str, words: str) -> None:
    document = {**answered.deadlocked(), "verdict": verdict}
    document["application"] = {**answered.known(number)["application"], "state": state}
    document["proof"] = {**document["proof"], "over": answered.AT, "for_ever": [answered.name(183342)]}
    said = head(answered.answer_of(WhySubject("application", str(number)), document), width=140)[1]

    assert said.strip().startswith(words.format(f"{number} weekly-pyspark"))


def test_no_width_makes_a_line_longer_than_it() -> None:
    answer = answered.answer_of(WhySubject("application", "183354"), answered.deadlocked())

    for width in range(60, 200):
        assert [cell_width([(line, "")]) <= width for line in head(answer, width=width)] == [True, True, True, True], (
            width
        )


# The lines below the panes in an exam: the questions, what was answered, and the latest page.

LONG = "The report that is due at noon has not begun, and nobody here knows why it takes so long today. " * 3
QUESTIONS = (
    ExamQuestion("Is there a fault?", "yes, at 09:12"),
    ExamQuestion("Who or what is to blame? Name the application, the queue or the node that holds all up.", ""),
)
PAGES = (
    PageShown(1, "09:05", "9m", "the desk", "It is slow.", True),
    PageShown(2, "09:10", "4m", "ann", "Mine waits.", False),
    PageShown(3, "09:13", "1m", "the night shift", LONG, False),
)


@pytest.mark.parametrize(
    ("name", "sheet", "width", "height"),
    [
        ("two", ExamSheet(QUESTIONS, PAGES[:2], "76 more, longest wait first", 1), 120, 40),
        ("long", ExamSheet(QUESTIONS, PAGES, cursor=0), 80, 24),
        ("read", ExamSheet(QUESTIONS, PAGES[:1]), 100, 24),
        ("none", ExamSheet(QUESTIONS, ()), 60, 24),
        ("low", ExamSheet(QUESTIONS, PAGES), 80, 23),
        ("low-read", ExamSheet(QUESTIONS, PAGES[:1], cursor=1), 50, 23),
    ],
)
def test_the_lines_of_an_exam_are_drawn_as_they_are_stored(
    name: str, sheet: ExamSheet, width: int, height: int
) -> None:
    drawn, kept = stored(f"exam-{name}", exam_lines(sheet, width, height))

    assert drawn == kept


# Remedies in lists: their order, their columns, the strip, the way back.

DAY = RelativeTimeFormat(fakes.NOW, 8 * 3_600_000)


def remedies_answer(found: RemediesReport) -> WhyAnswer:
    told = answered.answer_of(BIG, answered.deadlocked())
    assert told.why is not None
    return msgspec.structs.replace(told, why=msgspec.structs.replace(told.why, would_help=found))


@pytest.mark.parametrize("width", [76, 99, 100, 118, 123, 124, 180])
def test_remedies_are_listed_as_they_are_stored(width: int) -> None:
    panel = remedies_panel(remedies_answer(remedies()), None, LOOK, width, is_open=True)
    drawn, kept = stored(
        f"remedies-{width}", [panel.title, [(panel.right, "soft")], *(row.spans for row in panel.rows)]
    )

    assert panel.part == HELPS
    assert drawn == kept


@pytest.mark.parametrize("width", [60, 110])
def test_the_strip_lists_remedies_as_they_are_stored(width: int) -> None:
    drawn, kept = stored(f"remedies-brief-{width}", brief_rows(remedies(), DAY, width, 9))

    assert drawn == kept


def test_the_strip_lists_by_number_and_tells_remedies_apart_that_end_alike() -> None:
    well = (Remedy(SetHealth("n1", healthy=True, also=also), host="n1") for also in ((), ("n2", "n3")))
    found = remedies(entry(1, 3, next(well)), entry(3, 9, next(well)), entry(2, 5, group=PATCH))

    lines = [flat(line).partition("   ")[0] for line in brief_rows(found, DAY, 50, 3)]
    assert lines == ["1  … n1 healthy again", "2  kill 183332", "3  make n1 and 2 more…"]


def test_who_runs_already_is_not_started_by_a_remedy() -> None:
    (starts,), waits = remedies().expected, [effect_words(each, remedies()) for each in remedies().remedies[::3]]
    found = remedies(expected=(msgspec.structs.replace(starts, next="container"),))

    assert waits == ["starts 2, loses 15", "starts 1, loses nothing"]
    assert [effect_words(each, found) for each in found.remedies[::3]] == [
        "starts 1 and gives more to 1, loses 15",
        "gives more to 1, loses nothing",
    ]


# Why the tasks of a job wait: its kinds, its starts, and each limit with its figures.

MAPREDUCE1 = mapreduce1().snapshot


def report(code: str = "DOES_NOT_FIT", number: int = 22, starts: tuple[str | None, ...] = (None,)) -> WhyReport:
    document = answered.known()
    ask = document["application"]["asks"][0]
    asks = [{**ask, "priority": kind, "expected_start": at} for kind, at in enumerate(starts)]
    document["application"] = {**document["application"], "id": f"job_1_{number:04d}", "asks": asks}
    document["reasons"] = [answered.reason(code=code, sentence="so it is")] if code else []
    found = answered.answer_of(WhySubject("application", str(number)), document).why
    assert found is not None
    return found


SOON = "2017-11-11T09:02:00.000+08:00"


@pytest.mark.parametrize(
    ("name", "row", "why", "width"),
    [
        ("maps", job(22, (4, 3, 9), (0, 0, 3)), report(starts=(SOON, SOON)), 90),
        ("reduces", job(18, (0, 64, 64), (12, 8, 60)), report("QUEUE_OVER_MAXIMUM", 18, (SOON, SOON)), 90),
        ("turn", job(18, (0, 9, 9), (0, 0, 4)), report("", 18), 60),
        ("other", job(18, (0, 9, 9), (0, 4, 4)), report("SOMETHING", 18, (None, None)), 30),
        ("none", job(18, (0, 0, 0), (0, 0, 1)), report("USER_OVER_LIMIT", 18, (None, SOON)), 90),
    ],
)
def test_tasks_and_limits_are_drawn_as_they_are_stored(name: str, row: JobRow, why: WhyReport, width: int) -> None:
    lines: list[Fragments] = [each.spans for each in task_rows(why, row, DAY, width)]
    lines += [each.spans for each in limit_rows(why, row, MAPREDUCE1, width)]
    drawn, kept = stored(f"tasks-{name}", lines)

    assert drawn == kept


# The answers of `schedlab why` as lines of text.


@pytest.mark.parametrize(("many", "told_apart"), [(20, 20), (21, 1)])
def test_many_who_differ_in_their_place_and_their_start_only_are_told_together(many: int, told_apart: int) -> None:
    reason = {"code": "OTHER_FIRST", "level": "QUEUE", "state": "SKIPPED", "subject": "app-1"}
    waiter = {"name": "p", "queue": "", "waiting_since": None, "pending": 1, "verdict": "waiting", "state": "WAITING"}
    waiting: list[dict[str, Any]] = []
    for place in range(2, many + 2):
        because = {**reason, "answer": f"{place} earlier in the list", "numbers": {"earlier": place}}
        told = {"application": f"application_1_{place:04}", "expected_start": f"2017-11-11T09:02:{place:02}.000+08:00"}
        waiting.append({**waiter, **told, "reasons": [because]})
    at = "2017-11-11T09:01:00.000+08:00"
    lines = place_lines(report_of(PlaceReport, {"schema": 1, "at": at, "waiting": waiting}), _day(at))

    assert sum(" p: 1 asked for" in line for line in lines) == told_apart
    assert ("  2 to 22 earlier in the list" in lines) == (told_apart == 1)
    assert any("20 others, which start from 09:02:03 to 09:02:22: 0003, " in line for line in lines) == (
        told_apart == 1
    )


def _day(written: str) -> RelativeTimeFormat:
    return beside(datetime.fromisoformat(written))


@pytest.mark.parametrize(
    ("start", "dated"),
    [("2017-11-11T08:30:00+08:00", ""), ("2017-11-10T23:59:59+08:00", "2017-11-11 ")],
    ids=["first day", "second day"],
)
def test_an_instant_has_its_date_after_the_first_day_of_the_run(start: str, dated: str) -> None:
    """That asked about, since when it waits, until when something is held, and what was found on the way."""
    plain = answered.deadlocked()
    application = {**plain["application"], "waiting_since": "2017-11-11T09:00:01.000+08:00"}
    document: dict[str, Any] = {**plain, "at": "2017-11-11T09:01:00.000+08:00", "application": application}
    lines = why_lines(report_of(WhyReport, document), _day(start))
    waiter = {"application": "application_1_0007", "name": "etl", "queue": "root.a", "pending": 2, "reasons": []}
    waiting = [{**waiter, "waiting_since": "2017-11-11T09:00:01.000+08:00"}]
    written = {"schema": 1, "queue": "root.a", "at": document["at"], "waiting": waiting}
    place = place_lines(report_of(PlaceReport, written), _day(start))
    polled = report_of(PlaceReport, {**written, "at": waiting[0]["waiting_since"], "is_live": True})

    assert place_lines(polled, _day(start))[1].endswith("09:00:01 or earlier")
    assert lines[0].endswith(f" at {dated}09:01:00")
    assert lines[1].endswith(f", waiting since {dated}09:00:01")
    assert place == [
        f"queue root.a at {dated}09:01:00: 1 application waiting",
        f"0007 etl: 2 asked for, since {dated}09:00:01",
    ]


# Answers to why, written whole.


# Answers as text
def _behind() -> dict[str, Any]:
    nothing = answered.holder(183330, container_count=0, reservations=[], waits=False, until="unknown")
    found = answered.deadlocked()
    return {
        **found,
        "verdict": "blocked",
        "pattern": "",
        "holders": [nothing],
        "proof": {
            **found["proof"],
            "cycle": [],
            "for_ever": [answered.name(183330), answered.name(2), answered.name(3)],
        },
        "request": {"priority": 3, "reasons": [answered.reason()]},
        "looked_until": answered.AT,
    }


def _starving() -> dict[str, Any]:
    found = answered.deadlocked()
    asks = [{**found["application"]["asks"][0], "priority": n, "verdict": v, "expected_start": s} for n, v, s in (
        (1, "later", None), (2, "none", None), (3, "waiting", "2017-11-12T09:00:00.000+08:00"),
    )]  # fmt: skip
    return {
        **found,
        "verdict": "starving",
        "application": {**found["application"], "asks": asks, "diagnostics": "it waits", "queue": None, "state": None},
        "proof": {
            **found["proof"], "still": False, "allocations": 2, "last_allocation": answered.AT, "cycle": [],
            "passed_by": [
                {"at": answered.AT, "application": answered.name(5), "node": "n1:1", "memory_mb": memory_mb}
                for memory_mb in (4096, 0)
            ],
            "bound": [answered.reason()],
        },
        "not_counted": [{"node": "n7:45454", "returns": "2017-11-11T10:00:00.000+08:00"}],
        "point_of_no_return": answered.turning(late=False),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "document"),
    [
        ("deadlocked", {**answered.deadlocked(), "would_help": answered.helped()}),
        ("behind", _behind()),
        ("starving", _starving()),
        ("failed", _failed()),
        ("known", answered.known(is_live=True, verdict="live")),
        ("late", {**answered.deadlocked(), "point_of_no_return": {**answered.turning(late=True), "latest": None}}),
        ("slots", {**answered.deadlocked(), "dimensions": ["map_slots", "reduce_slots"]}),
    ],
)
def test_an_answer_is_written_as_it_is_stored(name: str, document: dict[str, Any]) -> None:
    """Who, the verdict, asks, reasons, holders, the proof, the way back, what would help."""
    lines = why_lines(report_of(WhyReport, document), DAY)
    drawn, kept = stored(f"answer-{name}", [[(line, "text")] for line in lines])

    assert drawn == kept
