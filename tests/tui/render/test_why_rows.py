"""Rows of an answer's page: what was recorded, who holds, who waits, who reserved a node."""

from typing import Any

import msgspec
import pytest

from engine.explain.report import PlaceReport
from tests.reports import report_of
from tests.tui import answered, fakes
from tui.answers import WhyAnswer, WhySubject
from tui.render.line import Look, flat
from tui.render.panel import Panel
from tui.render.why_parts import holders_panel, reasons_panel, waiters_panel

LOOK = Look(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384), 8 * 3_600_000)
SUBJECT = WhySubject("application", "183354")


def answer(**changes: Any) -> WhyAnswer:
    """An answer about the large application."""
    return answered.answer_of(SUBJECT, answered.known(**changes))


def said(panel: Panel) -> list[str]:
    """Its rows as text."""
    return [flat(row.spans).rstrip() for row in panel.rows]


@pytest.mark.parametrize(
    ("hosts", "words"),
    [
        (1, "1 node did not serve it: X a 7, b 8 (n1)"),
        (3, "3 nodes did not serve it: X a 7, b 8 (n1, n2, n3)"),
        (4, "4 nodes did not serve it: X a 7, b 8 (n1, n2, n3 …)"),
    ],
)
def test_equal_facts_are_one_row_that_names_three_nodes(hosts: int, words: str) -> None:
    """Figures are called as those of the reason of the same code."""
    facts = [{"node": f"n{number}:1", "code": "X", "numbers": [7, 8]} for number in range(1, hosts + 1)]
    found = answer(facts=facts, reasons=[answered.reason(code="X", numbers={"a": 0, "b": 0})])

    assert [line for line in said(reasons_panel(found, None, LOOK, 200)) if line.startswith("recorded")] == [
        f"recorded: {words}"
    ]


def test_facts_of_other_figures_are_rows_of_their_own() -> None:
    """In the order they were recorded in; last comes why there are no more."""
    facts = [{"node": f"n{at}:1", "code": "X", "numbers": [at % 2]} for at in (1, 2, 3)]
    found = msgspec.structs.replace(
        answer(facts=facts, reasons=[answered.reason(code="X", numbers={"a": 0})]), facts="nothing else"
    )

    assert [line for line in said(reasons_panel(found, None, LOOK, 200)) if line.startswith("recorded")] == [
        "recorded: 2 nodes did not serve it: X a 1 (n1, n3)",
        "recorded: 1 node did not serve it: X a 0 (n2)",
        "recorded: nothing else",
    ]


@pytest.mark.parametrize(
    ("changes", "holds"),
    [
        ({"container_count": 1}, "1 container, 60G"),
        ({"container_count": 2}, "2 containers, 60G"),
        ({"container_count": 0, "reservations": ["a"]}, "1 node reserved"),
        ({"container_count": 2, "reservations": ["a", "b"]}, "2 nodes reserved and 2 containers, 60G"),
        ({"container_count": 0}, "comes first"),
    ],
)
def test_a_holder_has_containers_or_nodes(changes: dict[str, Any], holds: str) -> None:
    """Or nothing, and comes first."""
    found = said(holders_panel(answer(verdict="blocked", holders=[answered.holder(7, **changes)]), None, LOOK, 200))

    assert len(found) == 2
    assert holds in found[1]
    assert found[1].startswith("7 ")


@pytest.mark.parametrize(("waits", "words"), [(True, "itself"), (False, "")])
def test_a_holder_may_wait_itself(waits: bool, words: str) -> None:
    """It is the last column."""
    found = said(holders_panel(answer(holders=[answered.holder(7, waits=waits)]), None, LOOK, 200))

    assert found[1].endswith(words or "never")


@pytest.mark.parametrize(("verdict", "words"), [("", "not known yet"), ("impossible", "nobody")])
def test_without_a_holder_it_is_said_whether_one_is_looked_for(verdict: str, words: str) -> None:
    """Before there is a verdict nobody knows."""
    assert said(holders_panel(answer(verdict=verdict), None, LOOK, 80)) == [words]


def place(since: str | None, reasons: list[dict[str, Any]]) -> WhyAnswer:
    """Somebody waits in a queue."""
    waiter = {"application": answered.name(7), "name": "etl", "queue": "root.a", "pending": 2, "waiting_since": since}
    written = {"schema": 1, "queue": "root.a", "at": answered.AT, "waiting": [{**waiter, "reasons": reasons}]}
    return msgspec.structs.replace(answer(), place=report_of(PlaceReport, written))


@pytest.mark.parametrize(("since", "words"), [(None, ""), ("2017-11-11T09:00:30.000+08:00", ", since 09:00:30")])
def test_who_waits_at_a_place_has_a_row_and_its_reasons(since: str | None, words: str) -> None:
    """The row leads to the application."""
    panel = waiters_panel(place(since, [answered.reason(sentence="so it is")]), 80)

    assert said(panel) == [f"7 etl  root.a  2 asked for{words}", "       so it is"]
    assert [row.link for row in panel.rows] == [WhySubject("application", "7"), None]


@pytest.mark.parametrize(("doing", "words"), [("asking", "asking …"), ("", "Nobody waits here.")])
def test_a_place_where_nobody_waits_says_so(doing: str, words: str) -> None:
    """As soon as that is known."""
    assert said(waiters_panel(msgspec.structs.replace(answer(), doing=doing), 80)) == [words]


@pytest.mark.parametrize(("nodes", "words"), [(3, "n1, n2, n3"), (4, "n1, n2, n3 …")])
def test_a_reason_names_three_nodes(nodes: int, words: str) -> None:
    """And how many were asked."""
    reason = answered.reason(nodes=[f"n{number}:1" for number in range(1, nodes + 1)], of=12)
    panel = reasons_panel(answer(reasons=[reason]), None, LOOK, 200)

    assert said(panel)[1].endswith(words)
    assert flat(panel.title) == "Why the nodes refuse  12 asked"


@pytest.mark.parametrize(
    ("codes", "words"),
    [
        ([], "queue maximum, user limit, AM share"),
        (["QUEUE_OVER_MAXIMUM"], "user limit, AM share"),
        (["QUEUE_WOULD_EXCEED_MAXIMUM"], "user limit, AM share"),
        (["USER_OVER_LIMIT"], "queue maximum, AM share"),
        (["AM_SHARE_EXHAUSTED"], "queue maximum, user limit"),
        (["USER_AM_SHARE_EXHAUSTED", "USER_OVER_LIMIT"], "queue maximum"),
        (["USER_AM_SHARE_EXHAUSTED", "USER_OVER_LIMIT", "QUEUE_OVER_MAXIMUM"], None),
    ],
)
def test_limits_that_are_not_in_the_way_are_named(codes: list[str], words: str | None) -> None:
    """Of an application that nodes refuse."""
    reasons = [answered.reason(), *(answered.reason(code=code, level="QUEUE", count=0, of=0) for code in codes)]
    lines = said(reasons_panel(answer(reasons=reasons), None, LOOK, 200))

    assert [line for line in lines if line.startswith("not in the way")] == (
        [] if words is None else [f"not in the way: {words}"]
    )
