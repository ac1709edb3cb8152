"""Rows under headlines: what is shown, where the cursor can stand, how rows are counted and found."""

import pytest

from tui.render.group import GroupedRows, Grouping, RowGroup, by_key, members

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


def test_groups_that_cannot_fold_show_all_rows() -> None:
    assert len(_grouped(can_fold=False, a=True)) == 7


@pytest.mark.parametrize(
    ("folds", "stands", "first"),
    [({}, [False, True, True, True], 1), ({"a": True}, [True, True], 0), ({"b": False, "a": True}, [True, False], 0)],
)
def test_the_cursor_stands_on_rows_and_folded_headlines(folds: dict[str, bool], stands: list[bool], first: int) -> None:
    grouped = _grouped(**folds)

    assert ([grouped.can_stand(place) for place in range(len(stands))], grouped.first) == (stands, first)


def test_without_any_place_to_stand_the_first_is_0() -> None:
    empty = RowGroup("c", (), [])

    assert [GroupedRows((), Grouping(some), {}).first for some in ((), (empty,))] == [0, 0]


@pytest.mark.parametrize(("folds", "numbers"), [({}, [0, 1, 2, 5]), ({"a": True, "b": False}, [2, 2, 3, 4, 5])])
def test_rows_of_folded_groups_count(folds: dict[str, bool], numbers: list[int]) -> None:
    grouped = _grouped(**folds)

    assert [grouped.number_of(place) for place in range(len(grouped))] == numbers


def test_a_place_belongs_to_the_headline_over_it() -> None:
    grouped = _grouped()

    assert [grouped.headline_over(place).group.key for place in range(4)] == ["a", "a", "a", "b"]


@pytest.mark.parametrize(
    ("row_id", "place"), [("a1", 2), ("group a", 0), ("group b", 3), ("b1", None), ("c", None), ("group c", None)]
)
def test_a_row_is_found_by_its_id(row_id: str, place: int | None) -> None:
    """A headline by that of its group; what is folded or not there has no place."""
    assert _grouped().place_of(row_id, str) == place


def test_members_are_all_rows_without_headlines() -> None:
    """In the order of their groups, also those of folded ones; rows without groups are members already."""
    grouped = _grouped()

    assert (list(members(grouped)), members(ROWS)) == (["a0", "a1", "b0", "b1", "b2"], ROWS)
    assert list(grouped.members_of(grouped.headline_over(3))) == ["b0", "b1", "b2"]


def test_a_part_of_grouped_rows_is_what_stands_there() -> None:
    grouped = _grouped()

    assert list(grouped[1:3]) == ["a0", "a1"]
    assert grouped[-1].id == "group b"


def test_keys_keep_the_order_they_come_in() -> None:
    assert list(by_key(["b", "a", "b"]).items()) == [("b", [0, 2]), ("a", [1])]
