"""Comparisons of the filter at their bounds, and words it is made of."""

import pytest

from tests.tui import fakes
from tui.board.dialects import YARN
from tui.panes.arrangement import FilterError, parse
from tui.panes.line import RenderContext

LOOK = RenderContext(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384))
FIELDS = YARN.noun("applications").criteria.fields


@pytest.mark.parametrize(
    ("sign", "kept"),
    [("<", [14]), ("<=", [14, 15]), ("=", [15]), (":", [15]), (">=", [15, 16]), (">", [16])],
)
@pytest.mark.parametrize("name", ["containers", "wait"])
def test_a_number_is_compared_with_its_bound(name: str, sign: str, kept: list[int]) -> None:
    rows = [fakes.application_row(n, containers=n, waiting_since_ms=fakes.NOW - n * 1000) for n in (14, 15, 16)]
    words = f"{name}{sign}15{'s' if name == 'wait' else ''}"
    found, turned = parse(words, FIELDS), parse(f"-{words}", FIELDS)

    assert [row.number for row in rows if found.keeps(row, LOOK)] == kept
    assert [row.number for row in rows if turned.keeps(row, LOOK)] == [n for n in (14, 15, 16) if n not in kept]
    assert found.looks_at_time is (name == "wait")


def test_what_has_no_number_matches_no_comparison() -> None:
    row = fakes.application_row(1, waiting_since_ms=None)

    assert [parse(words, FIELDS).keeps(row, LOOK) for words in ("wait<5m", "wait>=5m")] == [False, False]


@pytest.mark.parametrize(
    ("words", "is_kept"),
    [
        ("queue:root.etl", True),
        ("queue:root.et", False),
        ("queue:root", True),
        ("queue:et", True),
        ("queue:root.adhoc,root.etl", True),
        ("queue:root.etl.a", False),
        ("user:,etl", True),
        ("user:x,y", False),
        ("user=ETL", True),
        ("USER:etl", True),
        ("-", False),
        ("--user:x", True),
        ("!user:etl", False),
        ('-"user etl"', True),
    ],
)
def test_words_are_found_anywhere_but_a_path_from_the_root(words: str, is_kept: bool) -> None:
    """A whole path keeps what is under it; capitals do not matter; a lone sign is a word."""
    row = fakes.application_row(7, user="etl", queue="root.etl", name="x", state="RUNNING")

    assert parse(words, FIELDS).keeps(row, LOOK) is is_kept


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("user<5", "user<5: user is text, write user:5"),
        ("-user:", "user:: nothing is given after :"),
        ('user:""', 'user:"": nothing is given after :'),
        ("mem>=", "mem>=: nothing is given after >="),
    ],
)
def test_a_mistake_is_told_with_its_part(words: str, told: str) -> None:
    with pytest.raises(FilterError) as caught:
        parse(words, FIELDS)

    assert str(caught.value) == told
