"""The language of the filter, over rows given by hand."""

import pytest

from tests.tui import fakes
from tui.board.dialects import YARN
from tui.panes.arrangement import FilterError, SortFilter, parse
from tui.panes.line import RenderContext
from tui.panes.waits import with_waits

LOOK = RenderContext(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384))
CRITERIA = YARN.noun("applications").criteria
FIELDS = CRITERIA.fields
ROWS = fakes.frozen_cluster().applications()


def _numbers(words: str) -> list[int]:
    found = parse(words, FIELDS)
    return [row.number for row in ROWS if found.keeps(row, LOOK)]


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        ("user:mining", [183354]),
        ("state:pend", [183354, 183360, 183361]),
        ("state:pend -user:mining", [183360, 183361]),
        ("state:pend !user:mining,etl", [183360]),
        ("queue:root.report", [183354]),
        ("queue:rep", [183354]),
        ("queue:root.rep", []),
        ("reserved>10", [183354]),
        ("state:killed", [183301]),
        ("mem>=60g cont<15", []),
        ("wait>5m", []),
        ("weekly", [183354]),
        ("183354", [183354]),
        ("WEEKLY u:mining", [183354]),
        ('why:"no node"', [183354]),
        ("-state:run -state:pend", [183301]),
    ],
)
def test_a_filter_keeps_what_matches_every_part(words: str, numbers: list[int]) -> None:
    assert _numbers(words) == numbers


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("usr:bob", "no field 'usr' here; did you mean user?"),
        ("wait>soon", "wait>soon: 'soon' is not a duration"),
        ("mem>lots", "memory>lots: 'lots' is not an amount of memory"),
        ("cont>many", "'many' is not a whole number"),
        ("user>5", "user is text, write user:5"),
        ("user:", "nothing is given after :"),
        ("r:1", "r: could be reserved, rvcores, rmemory"),
        ("xyzzy:1", "there are app, user"),
    ],
)
def test_a_mistake_is_told_in_words(words: str, problem: str) -> None:
    with pytest.raises(FilterError) as told:
        parse(words, FIELDS)

    assert problem in str(told.value)


def test_the_longest_wait_is_first_and_the_latest_end_last() -> None:
    """Without a master by wait, running ones that wait, running ones, ended ones from the latest on."""
    rows = [
        fakes.application_row(1, waiting_since_ms=None),
        fakes.application_row(2, state="KILLED", waiting_since_ms=None, finished_ms=fakes.NOW - 9),
        fakes.application_row(3, state="FINISHED", waiting_since_ms=None, finished_ms=fakes.NOW - 1),
        fakes.application_row(4, waiting_since_ms=fakes.NOW - 99_000),
        fakes.application_row(5, state="ACCEPTED", waiting_since_ms=fakes.NOW - 1),
        fakes.application_row(6, state="ACCEPTED", waiting_since_ms=fakes.NOW - 2),
    ]

    places = SortFilter().order(rows, CRITERIA, LOOK)

    assert places is not None
    assert [rows[place].number for place in places] == [6, 5, 4, 1, 3, 2]


def test_numbers_are_sorted_downward_words_upward_and_reverse_turns_both() -> None:
    rows = [
        fakes.application_row(1, user="b", waiting_since_ms=None),
        fakes.application_row(2, user="a", waiting_since_ms=fakes.NOW - 5),
        fakes.application_row(3, user="c", waiting_since_ms=fakes.NOW - 9),
    ]

    def sorted_by(name: str, *, reverse: bool = False) -> list[int]:
        places = SortFilter(sort=name, reverse=reverse).order(rows, CRITERIA, LOOK)
        assert places is not None
        return [rows[place].number for place in places]

    assert [sorted_by("user"), sorted_by("user", reverse=True)] == [[2, 1, 3], [3, 1, 2]]
    assert [sorted_by("wait"), sorted_by("wait", reverse=True)] == [[3, 2, 1], [2, 3, 1]]


def test_only_problems_are_kept() -> None:
    """What waits or was killed; a starved queue; a node that is out or held; a reservation that is short."""
    cluster = fakes.frozen_cluster()
    sections = {
        "queues": cluster.queues(),
        "nodes": cluster.nodes(),
        "reservations": cluster.reservations(),
        "events": fakes.some_events(),
    }
    look = with_waits(LOOK, cluster)
    kept = [[YARN.noun(pane).criteria.is_problem(row, look) for row in rows] for pane, rows in sections.items()]

    assert kept[0] == [True, True, True, False]
    assert (all(kept[1]), all(kept[2])) == (True, True)
    assert not YARN.noun("nodes").criteria.is_problem(fakes.node_row("n", reserved_by=None), LOOK)
    assert not CRITERIA.is_problem(fakes.application_row(9, waiting_since_ms=None), LOOK)


def test_every_field_of_every_pane_has_a_value() -> None:
    cluster = fakes.frozen_cluster()
    rows = {
        "applications": cluster.applications(),
        "queues": cluster.queues(),
        "nodes": cluster.nodes(),
        "reservations": cluster.reservations(),
        "events": fakes.some_events(),
    }
    values = [
        field.value(row, LOOK)
        for pane, some in rows.items()
        for row in some
        for field in YARN.noun(pane).criteria.fields
    ]

    assert all(value is None or isinstance(value, str | int) for value in values)


def test_names_with_numbers_are_sorted_by_the_numbers() -> None:
    rows = [fakes.node_row(host) for host in ("10.1.1.100", "10.1.1.84", "10.1.1.9")]
    criteria = YARN.noun("nodes").criteria

    def hosts(*, reverse: bool) -> list[str]:
        places = SortFilter(sort="node", reverse=reverse).order(rows, criteria, LOOK)
        assert places is not None
        return [rows[place].host for place in places]

    assert hosts(reverse=False) == ["10.1.1.9", "10.1.1.84", "10.1.1.100"]
    assert hosts(reverse=True) == ["10.1.1.100", "10.1.1.84", "10.1.1.9"]


# Comparisons of the filter at their bounds, and words it is made of.
