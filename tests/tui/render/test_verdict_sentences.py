"""The sentence of each verdict, and the lines about who holds what is needed."""

from datetime import datetime
from typing import Any

import pytest

from engine.explain.report import WhyReport
from tests.reports import report_of
from tests.tui import answered
from tui.format import beside
from tui.render.verdict_text import verdict_words, why_lines

DAY = beside(datetime.fromisoformat(answered.AT))
START = "2017-11-11T09:02:00.000+08:00"


def report(verdict: str, *, for_ever: int = 0, **changes: Any) -> WhyReport:
    """An answer with this verdict, whose proof names so many that never release anything."""
    document = answered.deadlocked()
    keepers = [answered.name(183330 + place) for place in range(for_ever)]
    proof = changes.pop("proof", {**document["proof"], "for_ever": keepers, "cycle": []})
    fields = {"verdict": verdict, "pattern": "", "proof": proof, "holders": [], **changes}
    return report_of(WhyReport, {**document, **fields})


@pytest.mark.parametrize(
    ("for_ever", "words"),
    [
        (0, "its holder never releases"),
        (1, "183330 never releases"),
        (2, "183330 and 1 other never release"),
        (3, "183330 and 2 others never release"),
    ],
)
def test_who_blocks_is_named_with_how_many_others(for_ever: int, words: str) -> None:
    """One of them releases, several release."""
    assert verdict_words(report("blocked", for_ever=for_ever), DAY) == f"blocked: {words} what it needs"


def nothing(number: int) -> dict[str, Any]:
    """Somebody who comes first and holds nothing."""
    return answered.holder(number, memory_mb=0, vcores=0, container_count=0)


@pytest.mark.parametrize(
    ("verdict", "holders", "words"),
    [
        ("blocked", [nothing(1)], "blocked: 183330 comes first and never starts"),
        ("blocked", [nothing(1), answered.holder(2)], "blocked: 183330 never releases what it needs"),
        ("blocked", [], "blocked: 183330 never releases what it needs"),
        ("impossible", [nothing(1)], "impossible: even alone in the cluster it would not be given what it asks for"),
    ],
)
def test_who_holds_nothing_is_in_front(verdict: str, holders: list[dict[str, Any]], words: str) -> None:
    """Only where none of them holds anything, and it blocks."""
    assert verdict_words(report(verdict, for_ever=1, holders=holders), DAY) == words


@pytest.mark.parametrize(
    ("start", "still", "words"),
    [
        (START, True, "it starts at 09:02:00 if nothing else comes"),
        (START, False, "it starts at 09:02:00 if nothing else comes"),
        (None, True, "it never starts"),
        (None, False, "it does not start within 24 h"),
        (None, None, "it does not start within 24 h"),
    ],
)
def test_who_starves_starts_late_or_never(start: str | None, still: bool | None, words: str) -> None:
    """Never only where it is proved."""
    proof = None if still is None else {**answered.deadlocked()["proof"], "still": still}
    found = report("starving", expected_start=start, proof=proof)

    assert verdict_words(found, DAY) == f"starving: others are served first again and again; {words}"


def test_an_application_that_ends_by_itself_needs_no_more() -> None:
    """It withdraws where no end is known; without a proof it just does not wait."""
    proof = answered.deadlocked()["proof"]
    found = [report("none", proof=each) for each in (None, proof, {**proof, "over": START})]

    assert [verdict_words(each, DAY) for each in found] == [
        "not waiting",
        "it withdraws what it still asks for",
        "it ends at 09:02:00 by itself, without what it still asks for",
    ]


@pytest.mark.parametrize(
    ("start", "pattern", "words"),
    [
        (START, "", "waiting: it starts at 09:02:00 if nothing else comes"),
        (None, "", "waiting: it starts at ? if nothing else comes"),
        (START, "user limit", "waiting: it starts at 09:02:00 if nothing else comes [user limit]"),
    ],
)
def test_a_verdict_has_its_instant_and_its_pattern(start: str | None, pattern: str, words: str) -> None:
    """A pattern without a name is none."""
    assert verdict_words(report("waiting", expected_start=start, pattern=pattern), DAY) == words


def test_each_holder_has_a_line() -> None:
    """What it has, until when, and whether it waits; the first is labelled."""
    holders = [
        answered.holder(1, container_count=1, waits=False, until=START),
        answered.holder(2, reservations=["n1:1", "n2:1"]),
        answered.holder(3, container_count=0, reservations=["n1:1"], until="not known", waits=False),
        nothing(4),
    ]
    lines = why_lines(report("deadlocked", holders=holders), DAY)
    place = next(at for at, line in enumerate(lines) if line.startswith("held by"))

    assert lines[place : place + 4] == [
        "held by   1 etl-1: 1 container, 61440 MB until 09:02:00",
        "          2 etl-2: 15 containers, 61440 MB and 2 nodes reserved for ever, waits itself",
        "          3 etl-3: 1 node reserved for how long is not known",
        "          4 etl-4: comes first for ever, waits itself",
    ]


def test_equal_reasons_are_said_once() -> None:
    """The first because, the others and; a setting and a doubt belong to the sentence."""
    one = answered.reason(sentence="so it is", decided_by=None)
    doubted = answered.reason(sentence="so it is", decided_by=None, certainty="inferred")
    both = answered.reason(sentence="so it is", decided_by=None, together=[["a", "1"], ["b", ""]])
    lines = why_lines(report("deadlocked", reasons=[one, one, doubted, both]), DAY)

    assert [line for line in lines if "so it is" in line] == [
        "because   so it is",
        "and       so it is (inferred)",
        "and       so it is  (a = 1 and b = ?)",
    ]


def test_a_proof_names_who_was_served_meanwhile() -> None:
    """After those that release nothing."""
    passed = {"at": START, "memory_mb": 2048, "application": answered.name(7), "node": "n1:1"}
    proof = {**answered.deadlocked()["proof"], "for_ever": [answered.name(5), answered.name(6)], "passed_by": [passed]}
    proof |= {"still": False, "allocations": 1, "last_allocation": START}
    lines = why_lines(report("starving", proof=proof), DAY)
    begin = next(at for at, line in enumerate(lines) if line.startswith("proof"))

    assert lines[begin] == (
        "proof     simulated with no new submissions until 09:02:10: 1 allocation, the last at 09:02:00"
    )
    assert lines[begin + 3 : begin + 5] == [
        "          never released by 5, 6",
        "          09:02:00 2048 MB to 7 on n1:1",
    ]
