"""Finding things: filter, sort, problems, matches, drilling down, all by keys."""

from typing import Any

import pytest
from textual.widgets import Input

from tests.tui import fakes
from tests.tui.fake_session import FakeSession
from tests.tui.screen_text import screen_text, way_of
from tui.app import SchedlabApp
from tui.screens.cluster import ClusterScreen


def _app(session: FakeSession | None = None, **options: Any) -> SchedlabApp:
    return SchedlabApp(session or FakeSession(), ascii_only=True, **options)


def _board(app: SchedlabApp) -> ClusterScreen:
    assert app.cluster is not None
    return app.cluster


def _numbers(app: SchedlabApp) -> list[int]:
    return [row.number for row in _board(app).pane("applications").members]


async def test_a_filter_is_seen_while_it_is_typed_and_stays_in_the_title() -> None:
    """Every letter filters; enter keeps it, esc drops it, and the keys of the panes work again."""
    app = _app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("slash", *"user:min")
        typed = _numbers(app)
        await pilot.press("enter")
        title = way_of(app, "detail")
        await pilot.press("escape")
        after = len(_numbers(app))
        await pilot.press("2")
        pane = _board(app).pane_name

    assert (typed, "/user:min" in str(title), after, pane) == ([183354], True, 16, "queues")


async def test_a_mistake_in_a_filter_is_told_and_keeps_the_prompt_open() -> None:
    app = _app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("slash", *"usr:bob", "enter")
        text, is_open = screen_text(app), _board(app).prompt.is_open

    assert ("no field 'usr' here; did you mean user?" in text, is_open) == (True, True)


@pytest.mark.parametrize("pane", ["1", "2", "3", "4", "5"])
async def test_every_pane_can_be_filtered(pane: str) -> None:
    """A word that nothing has leaves no row, another leaves some; 0 brings all back."""
    app = _app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(pane)
        everything = len(_board(app).active.members)
        await pilot.press("slash", *"xyzzy", "enter")
        none = len(_board(app).active.members)
        await pilot.press("0")
        again = len(_board(app).active.members)

    assert (none, again, everything > 0) == (0, everything, True)


async def test_next_match_goes_round() -> None:
    """The keys n and N find what the last filter matched, also after it was dropped."""
    app = _app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("slash", *"state:pend", "enter", "escape", "n")
        first = _board(app).active.number
        await pilot.press("n", "n")
        third = _board(app).active.number
        await pilot.press("N")
        back = _board(app).active.number

    assert (first, third, back) == (14, 1, 15)


async def test_problems_only() -> None:
    """The key ! keeps what waits or failed."""
    app = _app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("3", "exclamation_mark")
        nodes = len(_board(app).active.members)
        title = way_of(app, "detail")

    assert (nodes, "only problems" in title) == (12, True)


async def test_the_sort_menu_takes_letters_of_yarn_top() -> None:
    """The key o then m sorts by memory, again reverses; ) and ( go through the fields; r turns round.

    The title names the column, which is shown, and what comes first.
    """
    app = _app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("o", "r")
        by_reserved = _numbers(app)[0]
        shown = "RESERVE" in screen_text(app)
        words = [way_of(app, "applications")]
        for keys in (("o", "r"), ("right_parenthesis",), ("left_parenthesis",), ("r",), ("o", "minus"), ("r",)):
            await pilot.press(*keys)
            await pilot.pause()
            words.append(way_of(app, "applications"))

    assert (by_reserved, shown) == (183354, True)
    assert words == [
        "by RESERVED, most first", "by RESERVED, least first", "by VCORES, most first", "by RESERVED, most first",
        "by RESERVED, least first", "by cause", "own order, reversed",
    ]  # fmt: skip


@pytest.mark.parametrize("keys", [("o", "u"), ("j", "o", "u", "r"), ("j", "k", "o", "u", "r")])
async def test_the_cursor_stays_on_its_application_while_rows_re_sort(keys: tuple[str, ...]) -> None:
    app = _app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press(*keys[: keys.index("o")])
        before = _board(app).active.selected
        await pilot.press(*keys[keys.index("o") :])
        await pilot.pause()
        pane = _board(app).active

    assert before is not None
    assert (pane.cursor_id, pane.cursor_row > 0) == (before.id, True)


async def test_what_is_typed_fast_goes_into_the_prompt() -> None:
    """Keys that were there already when `/` was pressed are text, not actions; none of them acts."""
    session = FakeSession()
    app = _app(session)
    async with app.run_test(size=(80, 24)) as pilot:
        for key in ("/", *"KPRfree"):
            app.simulate_key("slash" if key == "/" else key)
        await pilot.pause()
        await pilot.pause()
        typed = app.screen.query_one("#prompt Input", Input).value

    assert (typed, session.calls) == ("KPRfree", [])


@pytest.mark.parametrize("words", ["183354", f"application_{fakes.TIMESTAMP}_183354"])
async def test_an_exact_id_wins_a_search(words: str) -> None:
    """The cursor goes to it, also where the filter had left another row under the cursor."""
    app = _app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("G", "slash", *words, "enter")
        chosen = _board(app).pane("applications").selected

    assert chosen is not None
    assert chosen.number == 183354
