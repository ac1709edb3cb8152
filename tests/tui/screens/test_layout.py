"""Where the panes stand: regions from a plan, an area and a wish."""

import itertools

import pytest
from textual.geometry import Region, Size

from tui.screens.dialects import STANDALONE, YARN
from tui.screens.layout import DETAIL, PaneBand, PaneChoice, PanePlan, PanePlans, PaneSlot, regions, sharing, visible

SMALL = PanePlans(
    beside=PanePlan(
        (
            PaneBand(1, (PaneSlot(2, ("queues",)), PaneSlot(1, ("events", "users")))),
            PaneBand(1, (PaneSlot(1, ("nodes",)),)),
        )
    ),
    columns=PanePlan(
        (PaneBand(1, (PaneSlot(1, ("queues",)),)), PaneBand(1, (PaneSlot(3, ("nodes",)), PaneSlot(1, (DETAIL,))))), True
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


def test_a_small_terminal_shows_one_pane_over_the_strip() -> None:
    """Below 110 by 34 the pane that has the keys has the room."""
    plan = SMALL.plan(Size(109, 34))

    assert regions(plan, Size(109, 29), PaneChoice(("nodes",))) == {
        "nodes": Region(0, 0, 109, 25),
        DETAIL: Region(0, 25, 109, 4),
    }


def test_a_larger_one_shows_slots_beside_each_other() -> None:
    """Rows by weight, a cell between neighbours, the strip below."""
    plan = SMALL.plan(Size(110, 34))

    assert regions(plan, Size(61, 24), PaneChoice(("nodes",))) == {
        "queues": Region(0, 0, 40, 10),
        "events": Region(41, 0, 20, 10),
        "nodes": Region(0, 10, 61, 10),
        DETAIL: Region(0, 20, 61, 4),
    }


def test_a_large_one_has_columns_with_the_strip_among_them() -> None:
    """From 170 by 50 on the strip has a slot."""
    plan = SMALL.plan(Size(170, 50))

    assert regions(plan, Size(101, 40), PaneChoice(("nodes",))) == {
        "queues": Region(0, 0, 50, 40),
        "nodes": Region(51, 0, 50, 30),
        DETAIL: Region(51, 30, 50, 10),
    }


def test_a_slot_shows_the_pane_chosen_last() -> None:
    """Users push events out until events are chosen again; other choices change nothing there."""
    wish = PaneChoice(("queues",)).choose("users").choose("nodes")

    assert [visible(SMALL.beside, one) for one in (PaneChoice(("queues",)), wish, wish.choose("events"))] == [
        ["queues", "events", "nodes"],
        ["queues", "users", "nodes"],
        ["queues", "events", "nodes"],
    ]


def test_panes_of_one_slot_know_each_other() -> None:
    """Where all panes share the whole room, none is named."""
    assert [sharing(SMALL.plan(size), "users") for size in (Size(120, 40), Size(80, 24))] == [["events"], []]


def test_a_hidden_pane_leaves_its_room_to_the_others() -> None:
    """The keys go to the pane gone to before; choosing it again brings it back."""
    wish = PaneChoice(("nodes",)).choose("queues").hide("queues", SMALL.panes)
    back = wish.choose("queues")

    assert (wish.pane, regions(SMALL.beside, Size(61, 24), wish)["events"]) == ("nodes", Region(0, 0, 61, 10))
    assert (back.pane, back.hidden) == ("queues", frozenset())


def test_the_last_pane_cannot_be_hidden() -> None:
    """Hiding all of them ends with one."""
    wish = PaneChoice(("nodes",))
    for _ in range(9):
        wish = wish.hide(wish.pane, SMALL.panes)

    assert (visible(SMALL.beside, wish), wish.hidden) == (["users"], frozenset({"nodes", "queues", "events"}))


def test_zoom_is_one_pane_at_any_size() -> None:
    """Everything else goes."""
    plan = SMALL.plan(Size(200, 60), zoomed=True)

    assert visible(plan, PaneChoice(("queues",), zoomed=True)) == ["queues"]


@pytest.mark.parametrize("dialect", [YARN, STANDALONE], ids=["yarn", "spark"])
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_regions_lie_in_the_area_and_never_overlap(size: Size, dialect: object) -> None:
    """For every pane, and with each one hidden."""
    plans = (YARN if dialect is YARN else STANDALONE).plans
    for pane, hidden in itertools.product(plans.panes, plans.panes):
        wish = PaneChoice((plans.panes[0],)).hide(hidden, plans.panes).choose(pane)
        placed = list(regions(plans.plan(size), size, wish).values())

        assert all(size.region.contains_region(one) for one in placed)
        assert sum(one.area for one in placed) == len({cell for one in placed for cell in _cells(one)})


@pytest.mark.parametrize("dialect", [YARN, STANDALONE], ids=["yarn", "spark"])
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_the_pane_that_is_gone_to_is_on_screen(size: Size, dialect: object) -> None:
    """At every size, each of them."""
    one = YARN if dialect is YARN else STANDALONE
    seen = [
        pane in regions(one.plans.plan(size), size, PaneChoice((next(iter(one.titles)),)).choose(pane))
        for pane in one.titles
    ]

    assert (seen, set(one.titles)) == ([True] * len(one.titles), set(one.plans.panes))


def _cells(region: Region) -> set[tuple[int, int]]:
    return {(x, y) for y in region.line_range for x in region.column_range}
