"""Remedies in lists: their order, their columns, the strip, the way back."""

from typing import Any

import msgspec
import pytest

from engine.explain.remedy_report import RemediesReport
from tests.tui import answered, fakes
from tests.tui.render.drawing import stored
from tests.tui.render.helped import ENTRIES, NOTHING, entry, remedies
from tui.answers import WhyAnswer, WhySubject
from tui.format import Beside
from tui.render.line import Spans, flat
from tui.render.why_remedies import (
    FREES,
    HELPS,
    ORDERS,
    REMEDY,
    after_words,
    apply_question,
    brief_lines,
    entry_of,
    listed_remedy,
    place_of,
    remedies_panel,
    remedy_at,
    rest_panel,
    sorted_remedies,
)

DAY = Beside(fakes.NOW, 8 * 3_600_000)
BIG = WhySubject("application", "183354")


def answer(found: RemediesReport) -> WhyAnswer:
    """The incident with what would help."""
    told = answered.answer_of(BIG, answered.deadlocked())
    assert told.why is not None
    return msgspec.structs.replace(told, why=msgspec.structs.replace(told.why, would_help=found))


@pytest.mark.parametrize(
    ("order", "numbers"),
    [
        (ORDERS[0], [1, 5, 2, 3, 4]),
        (ORDERS[1], [1, 2, 5, 3, 4]),
        (ORDERS[2], [5, 1, 2, 3, 4]),
    ],
)
def test_what_can_be_done_now_comes_first_in_every_order(order: str, numbers: list[int]) -> None:
    """The soonest, those of least harm as they come, or those that lose nothing and then the soonest."""
    found = [*ENTRIES, entry(5, 60, loses=NOTHING)]

    assert [each.number for each in sorted_remedies(found, order)] == numbers


@pytest.mark.parametrize(("number", "place"), [(1, 1), (4, 4), (5, 0)])
def test_a_remedy_has_a_place_in_its_list(number: int, place: int) -> None:
    """0 where it is not listed."""
    found = entry(5, 60) if number == 5 else ENTRIES[number - 1]

    assert place_of(ENTRIES, found.remedy) == place
    assert entry_of(remedies(), number) == (ENTRIES[number - 1] if place else None)
    assert entry_of(None, number) is None


def test_a_line_leads_to_the_remedy_whose_act_it_has() -> None:
    """Also in the list of what its end frees; another kind of link leads to none."""
    told = msgspec.structs.replace(answer(remedies(*ENTRIES[1:])), freeing=remedies(ENTRIES[0]))
    acts = [(each.remedy.act,) for each in ENTRIES]

    assert remedy_at(told, None) is None
    assert [remedy_at(told, WhySubject(REMEDY, "", act)) for act in acts] == [None, *ENTRIES[1:]]
    assert [remedy_at(told, WhySubject(FREES, "", act)) for act in acts] == [ENTRIES[0], None, None, None]
    assert remedy_at(told, WhySubject("application", "", acts[1])) is None


@pytest.mark.parametrize(("seconds", "words"), [(9, "at once"), (10, "in 10s"), (95, "in 1m35s")])
def test_what_starts_within_ten_seconds_starts_at_once(seconds: int, words: str) -> None:
    """Else after how long."""
    assert after_words(entry(1, seconds), remedies()) == words


@pytest.mark.parametrize(("is_named", "words"), [(True, "kill 183331 etl-1 (2 similar)"), (False, "kill 183331")])
def test_a_listed_remedy_tells_how_many_are_similar_where_names_have_room(is_named: bool, words: str) -> None:
    """One of which a smaller value may help is said to be at most what it takes."""
    assert listed_remedy(ENTRIES[0], is_named=is_named) == words
    assert listed_remedy(ENTRIES[1], is_named=False) == "at most: kill 183332"


def test_a_remedy_is_asked_about_with_all_its_parts() -> None:
    """Before it is applied."""
    assert apply_question(ENTRIES[1], remedies(), DAY) == (
        "kill application 183332 (etl-2)?",
        "",
        "starts  at least 1 of 3 by 09:02:35",
        "frees   2G/2c",
        "loses   1 container, 59s of work",
        "delays  nobody",
        "",
        "As tried on a copy with no new submissions.",
    )


def _panel_lines(rows: Any) -> list[Spans]:
    return [row.spans for row in rows]


@pytest.mark.parametrize("width", [76, 99, 100, 118, 123, 124, 180])
def test_remedies_are_listed_as_they_are_stored(width: int) -> None:
    """Names and bars where they have room; of columns the least important goes first."""
    told = msgspec.structs.replace(answer(remedies()), freeing=remedies(ENTRIES[1]))
    panel = remedies_panel(told, width, ORDERS[0])
    drawn, kept = stored(f"remedies-{width}", [panel.title, [(panel.right, "soft")], *_panel_lines(panel.rows)])

    assert panel.part == HELPS
    assert drawn == kept


@pytest.mark.parametrize("count", [0, 1, 2, 4, 5, 6])
@pytest.mark.parametrize("width", [60, 110])
def test_the_strip_has_as_many_remedies_as_there_are_lines(width: int, count: int) -> None:
    """The head among them; a last line, where there is one left, tells how many were tried."""
    lines = brief_lines(remedies(), width, count)
    tried = "9 of 12 single remedies tried on copies"

    assert len(lines) == (1 if count < 2 else min(count, 6))
    assert (flat(lines[-1]).strip() == tried) is (count == 6)
    assert flat(lines[0]).split("  ")[0].strip() in {"", "WHAT WOULD HELP"}


def test_the_strip_says_that_nothing_helps() -> None:
    """Only where something was tried."""
    nothing = msgspec.structs.replace(remedies(), remedies=())

    assert [flat(line) for line in brief_lines(nothing, 80, 5)] == [
        "WHAT WOULD HELP  nothing of 9 of 12 single remedies tried on copies"
    ]
    untried = msgspec.structs.replace(nothing, tried=0)
    assert [flat(line) for line in brief_lines(untried, 80, 5)] == ["WHAT WOULD HELP"]


@pytest.mark.parametrize("width", [60, 110])
def test_the_strip_lists_remedies_as_they_are_stored(width: int) -> None:
    """Without the instants: only after how long."""
    drawn, kept = stored(f"remedies-brief-{width}", brief_lines(remedies(), width, 9))

    assert drawn == kept


def _rest(late: bool | None, latest: bool = True) -> list[str]:
    turning = None if late is None else answered.turning(late=late)
    if turning is not None and not latest:
        turning["latest"] = None
    document = {**answered.deadlocked(), "would_help": answered.helped(), "point_of_no_return": turning}
    panel = rest_panel(answered.answer_of(BIG, document), 200)
    return [] if panel is None else [flat(row.spans) for row in panel.rows]


@pytest.mark.parametrize(
    ("late", "latest", "way_back"),
    [
        (None, True, []),
        (False, True, ["not too late: a single remedy still ends it", "and still ends it"]),
        (True, True, ["after 09:00:58 no single remedy would have prevented it", "too late now"]),
        (True, False, ["no single remedy would have prevented it", "too late now"]),
    ],
)
def test_the_way_back_is_told_where_it_is_known(late: bool | None, latest: bool, way_back: list[str]) -> None:
    """Since when it was inevitable, until when each remedy would have prevented it."""
    begins = ["never starts without an act", "no help: set the reservation rule to off"]
    formed = "formed 09:01:00; inevitable without an act since 09:00:25; "
    more = [formed + way_back[0], f"kill 183354: until 09:00:58, {way_back[1]}"] if way_back else []

    assert _rest(late, latest) == [*begins, *more]


def test_the_rest_is_not_told_before_something_was_tried() -> None:
    """Nor while no answer is known."""
    assert rest_panel(answered.answer_of(BIG, answered.deadlocked()), 80) is None
    assert rest_panel(WhyAnswer(BIG, fakes.NOW), 80) is None
