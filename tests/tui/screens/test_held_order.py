"""When the rows of a pane may be put into another order."""

from collections.abc import Sequence

from engine.observe.snapshot import Section
from tests.tui import fakes
from tui.panes.arrangement import SortFilter
from tui.panes.field import Criteria
from tui.panes.line import RenderContext
from tui.panes.nodes import NOUN
from tui.screens.feed import StableOrder

LOOK = RenderContext(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384))
BY_FREE = SortFilter(sort="free")


class _Nodes:
    """Nodes with so much free memory, and the order they are shown in."""

    def __init__(self) -> None:
        self.ordering = StableOrder(lambda row: str(row.id))

    def shown(
        self,
        now_s: float,
        arrangement: SortFilter = BY_FREE,
        *,
        may_hold: bool = True,
        criteria: Criteria = NOUN.criteria,
        **free: int,
    ) -> list[str]:
        rows = [fakes.node_row(name, free=(each, 1)) for name, each in free.items()]
        found: Sequence[object] = self.ordering.arranged(
            rows, arrangement, criteria, LOOK, now_s, wanted=arrangement, may_hold=may_hold
        )
        return [row.host for row in found if hasattr(row, "host")]


def test_an_order_stands_for_half_a_second() -> None:
    nodes = _Nodes()
    seen = [nodes.shown(0.0, a=2, b=1), nodes.shown(0.4, a=1, b=2), nodes.shown(0.5, a=1, b=2)]

    assert (seen, nodes.ordering.is_held) == ([["a", "b"], ["a", "b"], ["b", "a"]], False)


def test_a_key_holds_the_order_for_three_seconds() -> None:
    nodes = _Nodes()
    _ = nodes.shown(0.0, a=2, b=1)
    nodes.ordering.touch(0.1)
    seen = [nodes.shown(3.0, a=1, b=2), nodes.shown(3.1, a=1, b=2)]

    assert seen == [["a", "b"], ["b", "a"]]


def test_rows_of_a_section_are_told_apart_by_what_they_are_about() -> None:
    made: list[str] = []

    def row(thing: list[int]) -> object:
        made.append("row")
        return thing

    ordering = StableOrder(str)
    things = [[1], [2]]
    section = Section([id(one) for one in things], row, {"thing": lambda thing: thing})
    first = ordering.arranged(section, SortFilter(reverse=True), Criteria(), LOOK, 0.0, wanted=1, may_hold=True)
    again = ordering.arranged(section, SortFilter(reverse=True), Criteria(), LOOK, 0.1, wanted=1, may_hold=True)

    assert isinstance(first, Section)
    assert isinstance(again, Section)
    assert (again.things, made) == ([id(things[1]), id(things[0])], [])
