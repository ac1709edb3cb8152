"""Slots of trackers beside a selection, places that are named, and marks that stand too close."""

from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest

from engine.observe.snapshot import AskRow
from engine.scenario.catalogue import Preview
from tests.tui import fakes
from tui.render import application_brief
from tui.render.circle import CirclePart, circle_lines
from tui.render.line import Look, flat
from tui.render.mapreduce1 import TRACKERS
from tui.render.node_bar import Block
from tui.render.plot import PlotMark, Sheet, name_marks
from tui.render.preview import pulse_lines
from tui.render.scenario import ScenarioFacts
from tui.render.time_axis import Window

LOOK = Look(fakes.NOW, ("map_slots", "reduce_slots"), (48, 48))


@pytest.mark.parametrize(
    ("selected", "styles"),
    [
        ("", ["q1", "q2", "room"]),
        ("a", ["accent", "room", "room"]),
        ("b", ["room", "accent", "room"]),
        ("c", ["room", "room", "room"]),
    ],
)
def test_slots_of_the_selected_job_stand_out(selected: str, styles: list[str]) -> None:
    """Those of the others have no hue then."""
    blocks = (Block("etl", "a", "1", 1, "q1", "etl"), Block("web", "b", "2", 1, "q2", "web"))
    look = LOOK._replace(blocks=lambda node: blocks, scales={"slots": 3}, selected=selected)
    row: Any = SimpleNamespace(id="t", total=(3, 0), used=(2, 0))
    bar: Any = next(each for each in TRACKERS.shape.columns if each.is_bar)

    assert [style for sign, style in bar.cell(row, look, 12) if sign.strip()] == styles


@pytest.mark.parametrize(("most", "bar"), [(12, "▁▁"), (6, "▁ ▁ "), (4, "▁▁ ▁▁ "), (3, "▁▁ ▁▁ "), (24, "▁▁")])
def test_a_slot_is_as_wide_as_the_most_slots_leave_room_for(most: int, bar: str) -> None:
    """Three cells at most, one at least."""
    look = LOOK._replace(scales={"slots": most})
    row: Any = SimpleNamespace(id="t", total=(2, 0), used=(0, 0))
    column: Any = next(each for each in TRACKERS.shape.columns if each.is_bar)

    assert flat(column.cell(row, look, 12)) == bar.ljust(12)


@pytest.mark.parametrize(("count", "words"), [(1, "n1"), (3, "n1 n2 n3"), (4, "n1 n2 n3 ...")])
def test_three_places_of_an_ask_are_named(count: int, words: str) -> None:
    """Dots stand for the others only where there are some."""
    places = tuple(f"n{number}" for number in range(1, count + 1))
    row = fakes.application_row(1, asks=(AskRow(1, 1, (1, 0), places),))

    assert application_brief.asks_words(row, LOOK).partition(" near ")[2] == words


@pytest.mark.parametrize(
    ("second", "axis"), [(26, "00:20 00:26"), (25, "00:20"), (19, "00:20"), (14, "00:14 00:20"), (15, "00:20")]
)
def test_times_below_a_pulse_stand_a_blank_apart(second: int, axis: str) -> None:
    """One that would touch a time before it is left out; both ends have theirs."""
    preview = Preview("", 1, 1, 1, (0, 1), frozen=tuple((each * 60_000, 99 * 60_000) for each in (20, second)))
    facts = ScenarioFacts("", 0, 0, 100 * 60_000, 0, False, preview)
    line = flat(pulse_lines(facts, preview, 100, 1)[-1])

    assert (line[:5], line[5:95].strip(), line[95:]) == ("00:00", axis, "01:40")


@pytest.mark.parametrize("cells", [0, 1])
def test_a_moment_is_known_without_room(cells: int) -> None:
    """The end of a window is the last instant of its only cell."""
    assert Window(5, 9).moment(0, cells) == 9


def test_three_boxes_are_joined_below_their_middle() -> None:
    """The line that comes back ends below the middle of the first and the last box."""
    parts = [CirclePart(str(number), "n" * 20, 0, "holds", "needs one more") for number in (1, 2, 3)]
    lines = [flat(line) for line in circle_lines(parts, 130)]
    box = lines[0].index("╮") + 1

    assert lines[5].index("↑") == lines[6].index("╰") == box // 2
    assert lines[5].rindex("│") == lines[6].rindex("╯") == lines[0].rindex("╭") + box // 2 - 1
    assert Counter("".join(lines[5:]))["╰"] == 1


@pytest.mark.parametrize(("row", "is_named"), [(0, False), (1, True)])
def test_a_name_has_room_where_the_top_row_is_free(row: int, is_named: bool) -> None:
    """What is drawn below does not count."""
    sheet = Sheet(12, 2)
    sheet.put(row, 4, "xxxxxxx", "data")
    name_marks(sheet, [PlotMark(1, "watch", ["name"])])

    assert ("name" in "".join(sheet.signs[0])) == is_named
