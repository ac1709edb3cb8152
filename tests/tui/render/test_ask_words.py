"""What an application asks for in words: in the strip, in the text of an answer, and on its page."""

from datetime import datetime
from typing import Any

import pytest

from engine.explain.report import WhyReport
from engine.observe.snapshot import AskRow
from tests.reports import report_of
from tests.tui import answered, fakes
from tui.answers import WhySubject
from tui.format import beside
from tui.render.application_brief import asks_words
from tui.render.line import Look, flat
from tui.render.verdict_text import why_lines
from tui.render.why_parts import reasons_panel

LOOK = Look(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384), 8 * 3_600_000)
HOSTS = ["a", "b", "c", "d", "e"]


def ask(count: int = 1, places: int = 0, *, relax: bool = True) -> AskRow:
    """Containers of 1 GB at so many places."""
    return AskRow(1, count, (1024, 1), tuple(HOSTS[:places]), relax)


@pytest.mark.parametrize(
    ("asks", "words"),
    [
        ((), "nothing"),
        ((ask(0),), "nothing"),
        ((ask(1),), "1 × 1G/1c on any node"),
        ((ask(2, 1),), "2 × 1G/1c near a"),
        ((ask(2, 3),), "2 × 1G/1c near a b c"),
        ((ask(2, 4),), "2 × 1G/1c near a b c ..."),
        ((ask(2, 2, relax=False),), "2 × 1G/1c only on a b"),
        ((ask(2, 1), ask(0), ask(3)), "2 × 1G/1c near a, 3 × 1G/1c on any node"),
    ],
)
def test_the_strip_names_three_places(asks: tuple[AskRow, ...], words: str) -> None:
    """And nothing that is no more asked for."""
    assert asks_words(fakes.application_row(7, asks=asks), LOOK) == words


def written(*asks: dict[str, Any]) -> dict[str, Any]:
    """An answer about an application with such asks."""
    document = answered.known()
    plain = {"priority": 3, "count": 2, "size": [1024, 1], "places": [], "relax_locality": True, **answered.OPEN}
    return {**document, "application": {**document["application"], "asks": [{**plain, **each} for each in asks]}}


def on_page(*asks: dict[str, Any]) -> list[str]:
    """The lines of its page that name asks."""
    answer = answered.answer_of(WhySubject("application", "183354"), written(*asks))
    lines = [flat(row.spans) for row in reasons_panel(answer, None, LOOK, 200).rows]
    return [line.removeprefix("asks: ").removeprefix("asks:").strip() for line in lines if line.startswith("asks")]


@pytest.mark.parametrize(
    ("places", "relax", "words"),
    [
        (0, True, ""),
        (1, True, " near a"),
        (3, True, " near a, b, c"),
        (4, True, " near a, b, c …"),
        (2, False, " only on a, b"),
    ],
)
def test_a_page_names_three_places(places: int, relax: bool, words: str) -> None:
    """More are three dots."""
    found = on_page({"places": HOSTS[:places], "relax_locality": relax})

    assert found == [f"2 × 1G/1c at priority 3{words}"]


SOON = {"verdict": "waiting", "expected_start": "2017-11-11T09:02:00.000+08:00"}
NEVER = {"verdict": "blocked"}


@pytest.mark.parametrize(
    ("asks", "said"),
    [((NEVER,), [""]), ((NEVER, SOON), [": blocked", ": starts at 09:02:00"]), ((NEVER, {}), [": blocked", ""])],
)
def test_of_several_asks_each_has_its_own_verdict(asks: tuple[dict[str, Any], ...], said: list[str]) -> None:
    """Of one alone the verdict on the application says it."""
    lines = why_lines(report_of(WhyReport, written(*asks)), beside(datetime.fromisoformat(answered.AT)))
    words = [line.removeprefix("asks      ") for line in lines if line.startswith("asks")]

    assert words == [f"2 x 1024 MB, 1 vcore at priority 3{each}" for each in said]
    assert on_page(*asks) == [f"2 × 1G/1c at priority 3{each}" for each in said]
