"""The answers of `schedlab why` as lines of text."""

from typing import Any

import pytest

from tests.tui import answered
from tui.render.verdict_text import why_lines


def _asked(places: list[str], *, relax_locality: bool) -> str:
    """The line of an application that asks for containers at some places."""
    document = answered.deadlocked()
    ask = {"count": 2, "size": [1024, 1], "priority": 3, "places": places, "relax_locality": relax_locality}
    application = {**document["application"], "asks": [ask]}
    return next(line for line in why_lines({**document, "application": application}) if line.startswith("asks"))


@pytest.mark.parametrize(
    ("places", "relax_locality", "words"),
    [
        ([], True, ""),
        (["a"], True, " near a"),
        (["a"], False, " only on a"),
        (["a", "b", "c", "d"], True, " near a, b, c, d"),
        (["a", "b", "c", "d", "e"], True, " near a, b, c, d ..."),
    ],
)
def test_an_ask_names_four_places_at_most(places: list[str], words: str, *, relax_locality: bool) -> None:
    """And says whether it insists on them."""
    asked = _asked(places, relax_locality=relax_locality)

    assert asked == f"asks      2 x 1024 MB, 1 vcores at priority 3{words}"


@pytest.mark.parametrize(
    ("at", "words"),
    [("2017-11-11T09:01:00.000+08:00", "09:01:00"), ("2017-11-11T09:01:00.250+08:00", "09:01:00.250")],
)
def test_a_clock_has_milliseconds_where_there_are_some(at: str, words: str) -> None:
    """The date is left out."""
    document: dict[str, Any] = {**answered.deadlocked(), "at": at}

    assert why_lines(document)[0].endswith(f" at {words}")
