"""Words are found in what a dialog shows: on a page line by line, in a list by leaving the others out."""

from collections.abc import Sequence

import pytest
from textual.containers import VerticalScroll

from engine.observe.snapshot import Section
from tests.tui import fakes
from tests.tui.fake_session import FakeSession
from tests.tui.screen_text import press, screen_lines, screen_text
from tui.app import SchedlabApp
from tui.dialogs.forms import MenuScreen
from tui.panes.arrangement import SortFilter
from tui.panes.field import Criteria
from tui.panes.fragments import RenderContext
from tui.panes.nodes import VIEW
from tui.screens.cluster import ClusterScreen
from tui.screens.feed import StableOrder
from tui.screens.page import PageScreen


def _said(app: SchedlabApp) -> str:
    return str(app.screen.query_one("#box").border_subtitle)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_a_page_goes_from_one_line_with_the_words_to_the_next(size: tuple[int, int]) -> None:
    """After the last comes the first, before the first the last; esc shows the page as it was, and then closes it."""
    app = SchedlabApp(FakeSession(), ascii_only=True)
    async with app.run_test(size=size) as pilot:
        await pilot.press("d")
        await pilot.press("slash", *"Reserved")
        first = _said(app)
        await pilot.press("enter", "n")
        second = _said(app)
        await pilot.press("n", "N")
        last = _said(app)
        await pilot.press("escape")
        stays, whole = isinstance(app.screen, PageScreen), _said(app)
        await pilot.press("escape")
        closed = app.screen is app.cluster

    assert [words.partition(":")[0] for words in (first, second, last)] == ["1 of 2", "2 of 2", "2 of 2"]
    assert (stays, whole, closed) == (True, "/ finds, c copies, x saves, esc closes", True)


async def test_a_page_scrolls_to_what_was_found() -> None:
    """On a small terminal the line comes into sight; no key that was typed does anything else."""
    app = SchedlabApp(FakeSession(), ascii_only=True)
    async with app.run_test(size=(60, 12)) as pilot:
        await pilot.press("d")
        before = screen_text(app)
        await press(pilot, "slash", *"nodes res")
        await pilot.pause()
        after, top = screen_text(app), app.screen.query_one(VerticalScroll).scroll_offset.y

    assert ("nodes reserved" in before, "nodes reserved" in after, top > 0) == (False, True, True)


async def test_the_last_line_of_a_long_page_is_seen_while_words_are_sought() -> None:
    app = SchedlabApp(FakeSession(), ascii_only=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("d")
        page = app.screen
        assert isinstance(page, PageScreen)
        await press(pilot, "slash", "a", "enter", "end")
        seen = screen_lines(app)

    last = next(line for line in reversed(page.text.splitlines()) if line.strip())
    assert any(last.strip() in line for line in seen)


async def test_a_list_keeps_what_has_the_words() -> None:
    app = SchedlabApp(FakeSession(), ascii_only=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("a", "slash", *"PREEMPTION")
        menu = app.screen
        assert isinstance(menu, MenuScreen)
        found = [one.value for one in menu.choices]
        await press(pilot, "enter", "enter")

    assert found == ["cluster_acts.toggle_preemption"]


# When the rows of a pane may be put into another order.


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
        criteria: Criteria = VIEW.criteria,
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


# Dialogs that have closed.


async def test_keys_in_one_breath_find_no_dialog_that_is_half_there() -> None:
    """What is pressed before a question stands on the screen neither breaks it nor answers it."""
    session = FakeSession()
    async with SchedlabApp(session).run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        board = pilot.app.screen
        assert isinstance(board, ClusterScreen)
        board.perform("application_acts.kill")
        half = pilot.app.screen
        for call in ("other", "press", "answer(True)"):
            await half.run_action(call)
        await pilot.pause()

        assert (half is board, pilot.app.screen is half, session.calls) == (False, True, [("hold", True)])
