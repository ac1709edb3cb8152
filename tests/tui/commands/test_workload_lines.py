"""A described workload as lines: arrivals, a row for all, and one for each queue and user."""

from typing import Any

import pytest

from engine.formats.traces.statistics import BUCKETS, Spread, WorkloadGroup, WorkloadPicture
from tui.commands.workload import LISTED, NAME, picture_lines
from tui.glyphs import BLOCK, BLOCK_LEFT

NONE = Spread(0, 0.0, 0.0, 0.0, 0.0)
HEAD = (
    f"{'':20}{'applications':>13}{'containers':>17}{'memory':>17}{'duration':>24}{'work':>10}",
    f"{'':20}{'':>13}{'median to most':>17}{'median to most':>17}{'10 % · median · 90 %':>24}",
)


def group(name: str = "all", applications: int = 1_200, **fields: Any) -> WorkloadGroup:
    """A group whose applications have some containers of a gigabyte for a minute."""
    found = {
        "containers": Spread(3, 1.0, 4.0, 9.0, 1_500.0),
        "memory_mb": Spread(3, 512.0, 1_024.4, 2_048.0, 4_096.0),
        "duration_ms": Spread(3, 1_000.0, 60_000.0, 90_000.0, 99_000.0),
        "work_ms": 5_400_000_000.0,
    }
    return WorkloadGroup(name, applications, **{**found, **fields})


def picture(*queues: WorkloadGroup, users: tuple[WorkloadGroup, ...] = (), **fields: Any) -> WorkloadPicture:
    """A picture of some queues; a minute of arrivals."""
    found = {
        "first_ms": 1_000, "last_ms": 61_000, "arrivals": (0,) * (BUCKETS - 1) + (4,), "total": group(),
        "queues": queues, "users": users, "behaviours": {"mapreduce": 1_100, "spark": 100},
    }  # fmt: skip
    return WorkloadPicture(**{**found, **fields})


def lines_of(*queues: WorkloadGroup, **fields: Any) -> list[str]:
    """What stands below the heads."""
    lines = picture_lines(picture(*queues, **fields))
    return lines[lines.index(HEAD[0]) + 2 :]


def row(name: str, *cells: str, bar: str = "") -> str:
    """A row of cells in their columns."""
    widths = (13, 17, 17, 24, 10)
    return f"{name:20}{''.join(f'{cell:>{width}}' for cell, width in zip(cells, widths, strict=True))}{bar}"


FIGURES = ("4 to 1,500", "1G to 4G", "1s · 1m00s · 1m30s", "1,500 h")


def test_the_first_line_counts_all() -> None:
    """By kind, with how long they arrive."""
    lines = picture_lines(picture())

    assert lines[0] == "1200 applications within 1m00s: 1,100 mapreduce, 100 spark"
    assert lines[lines.index(HEAD[0]) + 1] == HEAD[1]


def test_all_have_a_row_of_figures() -> None:
    """Rounded; work in hours."""
    assert lines_of()[0] == row("all", "1,200", *FIGURES)


def test_what_is_not_known_says_so() -> None:
    """Of memory and of durations."""
    unknown = group(memory_mb=NONE, duration_ms=NONE)

    assert lines_of(total=unknown)[0] == row("all", "1,200", FIGURES[0], "unknown", "unknown", FIGURES[3])


def test_a_group_has_a_bar_as_long_as_its_share() -> None:
    """Of the largest; to the half of a block, at least a half."""
    queues = [group("a", 16), group("b", 8), group("c", 3), group("d", 1), group("e", 0)]
    rows = lines_of(*queues)[1:]

    assert rows[0] == "by queue, 5 queues"
    assert [line.rpartition("h  ")[2] for line in rows[1:6]] == [
        BLOCK * 8,
        BLOCK * 4,
        BLOCK + BLOCK_LEFT,
        BLOCK_LEFT,
        BLOCK_LEFT,
    ]
    assert rows[1] == row("  a", "16", *FIGURES, bar="  " + BLOCK * 8)
    assert rows[6] == "by user, 0 users"


@pytest.mark.parametrize(
    ("count", "more"),
    [(12, []), (13, ["  and 1 more with 7 applications"]), (14, ["  and 2 more with 14 applications"])],
)
def test_so_many_groups_are_listed(count: int, more: list[str]) -> None:
    """The rest is counted."""
    rows = lines_of(*(group(f"q{number}", 7) for number in range(count)))
    begin, end = rows.index(f"by queue, {count} queues"), rows.index("by user, 0 users")

    assert rows[begin + 13 : end] == more
    assert LISTED == 12


@pytest.mark.parametrize(("length", "is_cut"), [(NAME - 3, False), (NAME - 2, True)])
def test_a_long_name_is_cut(length: int, is_cut: bool) -> None:
    """It leaves a cell before the figures."""
    [name] = [line[:NAME] for line in lines_of(group("x" * length, 1)) if "x" in line]

    assert (name.rstrip() != f"  {'x' * length}", name[-1]) == (is_cut, " ")


def test_arrivals_are_drawn_over_time() -> None:
    """From nothing to the most, with how long a dot column lasts."""
    lines = picture_lines(picture())
    begin = next(place for place, line in enumerate(lines) if line.startswith("arrivals in each "))
    plot = lines[begin + 1 : begin + 7]

    assert lines[begin].endswith(", up to 4")
    assert (plot[0][:7], plot[1][:7], plot[5][:7]) == ("     4 ", "       ", "     0 ")
    assert lines[begin + 7] == f"{'':7}0{'1m00s':>{BUCKETS // 2 - 1}}"


def test_of_nothing_nothing_is_drawn() -> None:
    """The tables are there."""
    lines = picture_lines(picture(total=group(applications=0), behaviours={}))

    assert not [line for line in lines if line.startswith("arrivals")]
    assert lines[-2:] == ["by queue, 0 queues", "by user, 0 users"]


def test_signs_may_be_ascii() -> None:
    """All of them."""
    lines = picture_lines(picture(group("a", 3), group("b", 1)), is_ascii=True)

    assert all(line.isascii() for line in lines)
    assert all(line == line.rstrip() for line in lines)
