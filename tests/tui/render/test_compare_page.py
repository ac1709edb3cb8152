"""The screen of a comparison, from two runs made by hand."""

import msgspec
import pytest

from engine.compare import ComparedRun, Comparison
from engine.compare.comparison import Series
from engine.observe.snapshot import Snapshot
from tests.tui import fakes
from tests.tui.render.compared import APPLICATIONS, FREEZE, PARTINGS, START_MS, comparison, run
from tests.tui.render.drawing import stored
from tui.answers import WhySubject
from tui.render.compare_page import (
    APPLICATIONS as WAITS,
)
from tui.render.compare_page import (
    DIFFERS,
    LINK,
    PARTS,
    TIME,
    CompareView,
    both_page,
    compare_page,
    legend,
    pulses,
    resampled,
)
from tui.render.line import flat, length


def view_of(found: Comparison, chosen: int = 0) -> CompareView:
    """Everything of it, a parting chosen."""
    return CompareView(found, PARTINGS if found.divergences else (), chosen)


@pytest.mark.parametrize(
    ("name", "size", "part", "chosen"),
    [
        ("wide", (180, 60), "", 0),
        ("middle", (120, 60), "", 1),
        ("differs", (100, 60), DIFFERS, 0),
        ("differs-80", (80, 24), "", 0),
        ("parts-80", (80, 24), PARTS, 0),
        ("time-60", (60, 24), TIME, 0),
        ("waits-60", (60, 24), WAITS, 0),
        ("waits-62", (62, 24), WAITS, 0),
    ],
)
def test_a_comparison_is_drawn_as_it_is_stored(name: str, size: tuple[int, int], part: str, chosen: int) -> None:
    """All parts where there is room, else one: what differs most, where they part, curves, waits."""
    page = compare_page(view_of(comparison(), chosen), size, part)
    drawn, kept = stored(f"compare-{name}", page.lines)

    assert drawn == kept


@pytest.mark.parametrize("width", [60, 80, 99, 100, 120, 169, 170, 200])
def test_no_line_of_a_comparison_is_wider_than_its_screen(width: int) -> None:
    """And from 100 cells on all frames are as wide as it."""
    widths = {length(line) for line in compare_page(view_of(comparison()), (width, 40), "").lines}

    assert max(widths) <= width
    assert width < 100 or widths == {width}


def test_each_measure_and_each_application_can_be_stood_on() -> None:
    """The link of a row is its place in its table."""
    page = compare_page(view_of(comparison()), (100, 60), WAITS)

    assert [(each.row, each.link) for each in page.stops] == [
        (place + 2, WhySubject(LINK, str(place))) for place in range(len(APPLICATIONS))
    ]


@pytest.mark.parametrize(("width", "bar"), [(61, ""), (62, "WORSE")])
def test_bars_stand_beside_rows_from_sixty_cells_on(width: int, bar: str) -> None:
    """Two are taken by the edges."""
    head = flat(compare_page(view_of(comparison()), (width, 40), WAITS).lines[1])

    assert ("WORSE" if "WORSE" in head else "") == bar


def test_runs_that_never_part_are_said_to_be_alike() -> None:
    """The instant shown is the end then; nothing is listed where no application is known."""
    found = view_of(comparison(run("A"), run("B"), divergences=(), applications=()))
    drawn, kept = stored("compare-alike", compare_page(found, (100, 40), "").lines)

    assert (found.parting, found.here_ms) == (None, found.comparison.until_ms)
    assert drawn == kept


def test_the_legend_has_each_run_in_its_hue() -> None:
    """By letter and name, one blank before the first and two between."""
    assert legend(comparison().runs) == [
        (" ", "text"),
        *[("A", "bold q1"), (" ", "text"), ("run a", "strong"), ("  ", "text")],
        *[("B", "bold q4"), (" ", "text"), ("run b", "strong")],
    ]


def test_each_run_has_a_pulse_with_its_freezes() -> None:
    """As wide as the screen: the letter and blanks take four cells."""
    drawn, kept = stored("compare-pulses", pulses(view_of(comparison()), 80))

    assert drawn == kept


@pytest.mark.parametrize(
    ("values", "parts", "found"),
    [
        ((4, 2), 2, [4, 2]),
        ((4, 2), 4, [2, 2, 1, 1]),
        ((4, 2), 3, [8 / 3, 8 / 3, 4 / 3]),
        ((1, 2, 3, 4), 2, [3, 7]),
        ((1, 2, 3, 4), 3, [1, 2, 7]),
        ((1, 2, 3), 1, [6]),
    ],
)
def test_a_series_is_resampled_by_parts(values: tuple[float, ...], parts: int, found: list[float]) -> None:
    """Each value is shared by the parts that begin in it, or each part has the sum of the values in it."""
    assert resampled(values, parts) == pytest.approx(found)


def _snapshot(number: int) -> Snapshot:
    row = fakes.application_row(183354, name="weekly", containers=number, obstacle=None)
    ended = fakes.application_row(8, state="FINISHED", finished_ms=fakes.NOW)
    waits = fakes.application_row(9, state="ACCEPTED")
    queues = (
        fakes.queue_row("root", is_leaf=False),
        fakes.queue_row("root.etl"),
        fakes.queue_row("root.a.long-name-b"),
    )
    found = fakes.FakeSnapshot(fakes.header(), applications=(ended, waits, row), queues=queues)
    return found.having(applications=(waits, fakes.application_row(183354, state="ACCEPTED"))) if number == 2 else found


@pytest.mark.parametrize(("width", "count"), [(99, 2), (120, 2), (120, 1), (120, 3)])
def test_every_run_is_shown_at_the_instant(width: int, count: int) -> None:
    """Two beside each other where there is room: what is used, who runs, the application, the queues."""
    runs: tuple[ComparedRun, ...] = tuple(run(letter) for letter in "ABC"[:count])
    page = both_page(view_of(comparison(*runs)), [_snapshot(number + 1) for number in range(count)], width)
    drawn, kept = stored(f"compare-both-{count}-{width}", page.lines)

    assert drawn == kept


def test_where_nothing_parts_no_application_is_shown() -> None:
    """The queues and amounts are."""
    page = both_page(view_of(comparison(run("A"), divergences=())), [_snapshot(1)], 80)

    assert not any("183354" in flat(line) for line in page.lines)
    assert any("10 of" in flat(line) or "etl" in flat(line) for line in page.lines)


def test_a_curve_of_nothing_is_empty() -> None:
    """Its scale ends at one."""
    still = Series((0.0,) * 4, (0,) * 4, (0,) * 4, {})
    runs = (
        run("A", series=still),
        run("B", series=still, frozen=(msgspec.structs.replace(FREEZE, since_ms=START_MS),)),
    )
    lines = [flat(line).rstrip() for line in compare_page(view_of(comparison(*runs)), (60, 24), TIME).lines]

    assert lines[1:] == [
        *[" applications waiting  0–1", " A", " B"],
        *[" memory used  0–100%", " A", " B"],
    ]
