"""Rows under headlines: what is shown, where the cursor can stand, how rows are counted and found."""

import pytest

from tui.panes.group import GroupedRows, Grouping, RowGroup

ROWS = ("a0", "b0", "a1", "b1", "b2")
A = RowGroup("a", (0, 2), [("A", "strong")])
B = RowGroup("b", (1, 3, 4), [("B", "strong")], starts_folded=True)


def _grouped(*, can_fold: bool = True, **folds: bool) -> GroupedRows:
    return GroupedRows(ROWS, Grouping((A, B), can_fold=can_fold), folds)


def _shown(grouped: GroupedRows) -> list[str]:
    return [entry if isinstance(entry, str) else entry.id for entry in grouped]


@pytest.mark.parametrize(
    ("folds", "shown"),
    [
        ({}, ["group a", "a0", "a1", "group b"]),
        ({"a": True}, ["group a", "group b"]),
        ({"b": False}, ["group a", "a0", "a1", "group b", "b0", "b1", "b2"]),
    ],
)
def test_a_folded_group_shows_its_headline_only(folds: dict[str, bool], shown: list[str]) -> None:
    grouped = _grouped(**folds)

    assert (_shown(grouped), len(grouped)) == (shown, len(shown))


@pytest.mark.parametrize(("folds", "numbers"), [({}, [0, 1, 2, 5]), ({"a": True, "b": False}, [2, 2, 3, 4, 5])])
def test_rows_of_folded_groups_count(folds: dict[str, bool], numbers: list[int]) -> None:
    grouped = _grouped(**folds)

    assert [grouped.number_of(place) for place in range(len(grouped))] == numbers
