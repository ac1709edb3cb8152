"""Where the panes stand: regions from a plan, an area, what panes want and a choice."""

import itertools

import pytest
from textual.geometry import Region, Size

from tui.screens.dialects import STANDALONE, YARN, Dialect
from tui.screens.heights import LineWant, divided
from tui.screens.layout import (
    DETAIL,
    PaneBand,
    PaneChoice,
    PaneColumn,
    PanePlacement,
    PanePlan,
    PanePlans,
    PaneSlot,
    regions,
    settled,
    sharing,
    visible,
)

SPARE = PaneBand((PaneColumn((PaneSlot(("graphs",), 6),)),), is_spare=True)
SMALL = PanePlans(
    beside=PanePlan(
        (
            PaneBand((PaneColumn((PaneSlot(("nodes",), 4),)),)),
            PaneBand(
                (
                    PaneColumn((PaneSlot(("events", "users", "graphs"), 4),), share=20, most=60),
                    PaneColumn((PaneSlot(("queues",), 3), PaneSlot((DETAIL,), 5, is_patient=True))),
                )
            ),
            SPARE,
        )
    ),
    columns=PanePlan(
        (
            PaneBand(
                (
                    PaneColumn((PaneSlot(("queues",), 3), PaneSlot(("events", "users"), 4)), share=15, most=50),
                    PaneColumn(
                        (
                            PaneSlot(("nodes",), 4),
                            PaneSlot((DETAIL,), 10, 10, is_patient=True),
                            PaneSlot(("events",), 6, is_patient=True, is_spare=True),
                        )
                    ),
                )
            ),
        )
    ),
)
SIZES = [
    Size(1, 1),
    Size(20, 4),
    Size(40, 10),
    Size(80, 24),
    Size(110, 34),
    Size(120, 40),
    Size(170, 50),
    Size(200, 60),
]
DIALECTS = pytest.mark.parametrize("dialect", [YARN, STANDALONE], ids=["yarn", "spark"])
CHOICE = PaneChoice(("nodes",))


def test_a_small_terminal_shows_one_pane_over_the_strip() -> None:
    """Below 110 by 34 the pane that has the keys has the room, without sides; the strip has four lines."""
    plan = SMALL.plan(Size(109, 34))

    assert regions(plan, Size(109, 29), CHOICE, {"nodes": 99}) == {
        "nodes": Region(0, 0, 109, 25),
        DETAIL: Region(0, 25, 109, 4),
    }
    assert not plan.is_sided


@pytest.mark.parametrize("size", [Size(79, 24), Size(80, 23)])
def test_a_tiny_terminal_has_no_strip(size: Size) -> None:
    assert list(regions(SMALL.plan(size), Size(79, 20), CHOICE, {})) == ["nodes"]


def test_the_lower_band_follows_its_content_and_the_upper_one_has_the_rest() -> None:
    plan = settled(SMALL.plan(Size(110, 34)), 30, CHOICE, wanted := {"nodes": 50, "events": 10, "queues": 4})

    assert regions(plan, Size(60, 30), CHOICE, wanted) == {
        "nodes": Region(0, 0, 60, 20),
        "events": Region(0, 20, 40, 10),
        "queues": Region(40, 20, 20, 4),
        DETAIL: Region(40, 24, 20, 6),
    }


@pytest.mark.parametrize(("height", "stands"), [(30, False), (31, True)])
def test_a_spare_band_stands_where_its_least_is_left(height: int, stands: bool) -> None:
    wanted = {"nodes": 15, "events": 10, "queues": 4}
    plan = settled(SMALL.beside, height, CHOICE, wanted)

    assert ("graphs" in visible(plan, CHOICE), "graphs" in sharing(plan, "users")) == (stands, not stands)


@pytest.mark.parametrize(("height", "stands"), [(27, False), (28, True)])
def test_what_stood_stays_while_little_is_missing(height: int, stands: bool) -> None:
    wanted = {"nodes": 15, "events": 10, "queues": 4}
    before = settled(SMALL.beside, 31, CHOICE, wanted)

    assert ("graphs" in visible(settled(SMALL.beside, height, CHOICE, wanted, before), CHOICE)) == stands


def test_a_large_terminal_has_columns_with_the_strip_among_them() -> None:
    """From 170 by 50 on; few nodes leave room for the events at the right, many do not."""
    few, many = {"nodes": 9}, {"nodes": 90}
    plans = [settled(SMALL.plan(Size(170, 50)), 40, CHOICE, wanted) for wanted in (few, many)]

    assert [visible(plan, CHOICE) for plan in plans] == [
        ["queues", "users", "nodes", "events"],
        ["queues", "events", "nodes"],
    ]
    assert regions(plans[1], Size(100, 40), CHOICE, many)[DETAIL] == Region(50, 30, 50, 10)


def test_a_slot_shows_the_pane_chosen_last() -> None:
    """Users push events out until events are chosen again; other choices change nothing there."""
    wish = PaneChoice(("queues",)).choose("users").choose("nodes")
    plan = settled(SMALL.beside, 14, wish, {})

    assert [visible(plan, one) for one in (PaneChoice(("queues",)), wish, wish.choose("events"))] == [
        ["nodes", "events", "queues"],
        ["nodes", "users", "queues"],
        ["nodes", "events", "queues"],
    ]


def test_panes_of_one_slot_know_each_other() -> None:
    plans = [settled(SMALL.plan(size), 14, CHOICE, {}) for size in (Size(120, 40), Size(80, 24))]

    assert [sharing(plan, "users") for plan in plans] == [["events", "graphs"], []]


def test_a_hidden_pane_leaves_its_room_to_the_others() -> None:
    """The keys go to the pane gone to before; choosing it again brings it back."""
    wish = PaneChoice(("nodes",)).choose("queues").hide("queues", SMALL.panes)
    plan = settled(SMALL.beside, 20, wish, {})
    back = wish.choose("queues")

    assert (wish.pane, "queues" in regions(plan, Size(60, 20), wish, {})) == ("nodes", False)
    assert (back.pane, back.hidden) == ("queues", frozenset())


def test_the_last_pane_cannot_be_hidden() -> None:
    wish = PaneChoice(("nodes",))
    for _ in range(9):
        wish = wish.hide(wish.pane, SMALL.panes)

    assert (len(visible(settled(SMALL.beside, 20, wish, {}), wish)), len(wish.hidden)) == (1, len(SMALL.panes) - 1)


def test_zoom_is_one_pane_at_any_size() -> None:
    """Everything else goes, save the strip; where there is room the frames keep their sides."""
    plan = SMALL.plan(Size(200, 60), zoomed=True)

    assert (visible(plan, PaneChoice(("queues",), zoomed=True)), plan.is_sided) == (["queues"], True)


def test_only_large_parts_are_short_of_lines() -> None:
    """What little ones do not want goes to the others; the patient one that hides most comes after all of them."""
    wants = [LineWant(5, 9), LineWant(8, 17), LineWant(14, 14, True, 30), LineWant(8, 700, True)]

    assert divided(53, wants, 3) == [9, 17, 14, 13]
    assert divided(20, wants, 3) == [2, 5, 8, 5]


def test_a_pane_gives_lines_back_only_when_it_wants_few_enough() -> None:
    """Up to three rows fewer leave the frames where they are; one row more moves them at once."""
    placement = PanePlacement(SMALL)
    heights = []
    for lines in (10, 7, 6, 8):
        placement.want("events", lines)
        heights.append(placement.regions(Size(120, 40), Size(60, 30), CHOICE)["events"].height)

    assert heights == [10, 10, 8, 8]


@DIALECTS
@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("lines", [3, 900])
def test_regions_lie_in_the_area_and_never_overlap(size: Size, dialect: Dialect, lines: int) -> None:
    """For every pane, and with each one hidden, with few rows and with many."""
    plans = dialect.plans
    wanted = dict.fromkeys(plans.panes, lines)
    for pane, hidden in itertools.product(plans.panes, plans.panes):
        wish = PaneChoice((plans.panes[0],)).hide(hidden, plans.panes).choose(pane)
        placed = list(regions(settled(plans.plan(size), size.height, wish, wanted), size, wish, wanted).values())

        assert all(size.region.contains_region(one) for one in placed)
        assert sum(one.area for one in placed) == len({cell for one in placed for cell in _cells(one)})


@DIALECTS
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_the_pane_that_is_gone_to_is_on_screen(size: Size, dialect: Dialect) -> None:
    seen = []
    for pane in dialect.titles:
        wish = PaneChoice((next(iter(dialect.titles)),)).choose(pane)
        seen.append(pane in regions(settled(dialect.plans.plan(size), size.height, wish, {}), size, wish, {}))

    assert (seen, set(dialect.titles)) == ([True] * len(seen), set(dialect.plans.panes))


def _cells(region: Region) -> set[tuple[int, int]]:
    return {(x, y) for y in region.line_range for x in region.column_range}
