"""Where the panes stand: regions from a plan, an area, what panes want and a choice."""

import itertools

import pytest
from textual.geometry import Region, Size

from tui.board.dialects import STANDALONE, YARN, Dialect
from tui.board.layout import (
    DETAIL,
    PaneBand,
    PaneChoice,
    PaneColumn,
    PanePlan,
    PanePlans,
    PaneSlot,
    drop_unplaced_panes,
    regions,
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


@DIALECTS
@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("lines", [3, 900])
def test_regions_lie_in_the_area_and_never_overlap(size: Size, dialect: Dialect, lines: int) -> None:
    """For every pane, and with each one hidden, with few rows and with many."""
    plans = dialect.plans
    wanted = dict.fromkeys(plans.panes, lines)
    for pane, hidden in itertools.product(plans.panes, plans.panes):
        wish = PaneChoice((plans.panes[0],)).hide(hidden, plans.panes).choose(pane)
        placed = list(
            regions(drop_unplaced_panes(plans.plan(size), size.height, wish, wanted), size, wish, wanted).values()
        )

        assert all(size.region.contains_region(one) for one in placed)
        assert not any(one.overlaps(other) for one, other in itertools.combinations(placed, 2))


@DIALECTS
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_the_pane_that_is_gone_to_is_on_screen(size: Size, dialect: Dialect) -> None:
    seen = []
    for pane in dialect.titles:
        wish = PaneChoice((next(iter(dialect.titles)),)).choose(pane)
        seen.append(
            pane in regions(drop_unplaced_panes(dialect.plans.plan(size), size.height, wish, {}), size, wish, {})
        )

    assert (seen, set(dialect.titles)) == ([True] * len(seen), set(dialect.plans.panes))
