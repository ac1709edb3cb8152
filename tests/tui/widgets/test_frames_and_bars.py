"""What of frames and lines is drawn again, where panes stand, and what a click on a line means."""

from collections.abc import Callable
from typing import Any

import pytest
from textual import on
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.widgets import Static

from tests.tui.screen_text import screen_text
from tui.render.frame import EdgeWords, PaneFrame
from tui.render.line import Spans, flat
from tui.theme import styles
from tui.widgets.bars import ActionBar, Clickable, PointedLines, SaidLine
from tui.widgets.lines import ChoiceLines, Lines
from tui.widgets.pane_frames import PaneFrames

STYLES = styles("none")


class BarsApp(App[None]):
    """Some lines, each kind once, and what was asked for."""

    CSS = "#plain, #pointed { height: 3; } #pointed { padding: 1 0 0 2; } #choice { height: 2; }"

    def __init__(self) -> None:
        super().__init__()
        self.resized = 0
        self.asked: list[Any] = []
        self.plain = Lines(STYLES, id="plain")
        self.bar = ActionBar(STYLES, id="bar")
        self.pointed = PointedLines(STYLES, id="pointed", call_at=self._call_at, resized=self._count)
        self.choice = ChoiceLines(STYLES, id="choice")

    def _call_at(self, line: int, cell: int) -> str:
        return f"app.ask('{line} {cell}')" if cell else ""

    def _count(self) -> None:
        self.resized += 1

    def compose(self) -> ComposeResult:
        """One below the other."""
        yield from (self.plain, self.bar, self.pointed, self.choice)

    def action_ask(self, what: str) -> None:
        """Remember it."""
        self.asked.append(what)

    @on(ChoiceLines.Pointed)
    def _pointed(self, event: ChoiceLines.Pointed) -> None:
        self.asked.append((event.line, event.times))

    @on(ChoiceLines.Turned)
    def _turned(self, event: ChoiceLines.Turned) -> None:
        self.asked.append(event.by)


def watched(widget: Any, monkeypatch: pytest.MonkeyPatch) -> list[tuple[Region, ...]]:
    """The regions a widget has drawn again, from now on."""
    found: list[tuple[Region, ...]] = []
    plain: Callable[..., Any] = widget.refresh

    def refresh(*regions: Region, **how: Any) -> Any:
        found.append(regions)
        return plain(*regions, **how)

    monkeypatch.setattr(widget, "refresh", refresh)
    return found


def line(*words: str) -> Spans:
    """Words in one style."""
    return [(each, "text") for each in words]


# Lines


@pytest.mark.parametrize(
    ("later", "regions"),
    [
        ([line("ab", "cd", "ef"), line("gh")], []),
        ([line("ab", "xx", "ef"), line("gh")], [(Region(2, 0, 2, 1),)]),
        ([line("ab", "cd", "ef"), line("gx")], [(Region(0, 1, 2, 1),)]),
        ([line("ab", "cd", "xx"), line("xx")], [(Region(4, 0, 2, 1),), (Region(0, 1, 2, 1),)]),
        ([line("ab", "cd", "ef")], [()]),
    ],
)
async def test_only_cells_that_differ_are_drawn_again(
    later: list[Spans], regions: list[tuple[Region, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of them where there are more lines or fewer."""
    app = BarsApp()
    async with app.run_test(size=(30, 12)):
        app.plain.show_lines([line("ab", "cd", "ef"), line("gh")])
        found = watched(app.plain, monkeypatch)
        app.plain.show_lines(later)

        assert found == regions
        assert screen_text(app).splitlines()[0].rstrip() == flat(later[0])


async def test_a_press_and_the_wheel_are_told() -> None:
    """The line, and how often."""
    app = BarsApp()
    async with app.run_test(size=(30, 12)) as pilot:
        app.choice.show_lines([line("a"), line("b")])
        _ = await pilot.click(app.choice, offset=(1, 1))
        app.choice.on_mouse_scroll_down()
        app.choice.on_mouse_scroll_up()
        await pilot.pause()

        assert app.asked == [(1, 1), 3, -3]


@pytest.mark.parametrize(
    ("cell", "y", "times", "asked"),
    [(3, 1, 1, ["0 1"]), (3, 2, 1, ["1 1"]), (3, 0, 1, []), (2, 1, 1, []), (5, 1, 2, ["0 3"])],
)
async def test_a_place_in_a_line_stands_for_an_action(cell: int, y: int, times: int, asked: list[str]) -> None:
    """Counted within the padding; the second of two presses means nothing."""
    app = BarsApp()
    async with app.run_test(size=(30, 12)) as pilot:
        app.pointed.show_lines([line("abcdef"), line("ghijkl")])
        _ = await pilot.click(app.pointed, offset=(cell, y), times=times)
        await pilot.pause()

        assert app.asked == asked


async def test_another_size_has_lines_written_anew() -> None:
    """Whoever writes them is called."""
    app = BarsApp()
    async with app.run_test(size=(30, 12)) as pilot:
        before = app.resized
        await pilot.resize_terminal(40, 12)
        await pilot.pause()

        assert (before > 0, app.resized > before) == (True, True)


@pytest.mark.parametrize(
    ("width", "gap", "shown"),
    [
        *[(30, 2, " one  two  three"), (30, 1, " one two three"), (16, 2, " one  two  three"), (15, 2, " one  two")],
        *[(9, 2, " one  two"), (8, 2, " one"), (3, 2, " o~")],
    ],
)
async def test_things_to_click_that_do_not_fit_are_left_out(width: int, gap: int, shown: str) -> None:
    """From the end; the first one is always there."""
    app = BarsApp()
    items = [Clickable(((word, "text"),), f"app.ask('{word}')") for word in ("one", "two", "three")]
    async with app.run_test(size=(40, 12)) as pilot:
        app.bar.show_items(items, gap=gap)
        await pilot.resize_terminal(width, 12)
        await pilot.pause()

        assert screen_text(app).splitlines()[3].rstrip() == shown


@pytest.mark.parametrize(
    ("cell", "asked"),
    [(0, ["one"]), (3, ["one"]), (4, ["two"]), (8, ["two"]), (9, []), (10, []), (11, [])],
)
async def test_a_thing_reaches_back_to_the_one_before(cell: int, asked: list[str]) -> None:
    """One that stands for nothing does nothing, as what is behind the last."""
    app = BarsApp()
    items = [Clickable(((word, "text"),), f"app.ask('{word}')") for word in ("one", "two")]
    async with app.run_test(size=(40, 12)) as pilot:
        app.bar.show_items([*items, Clickable((("x", "text"),), "")])
        _ = await pilot.click(app.bar, offset=(cell, 0))
        await pilot.pause()

        assert app.asked == asked


async def test_a_sentence_stands_in_place_of_the_hints() -> None:
    """A click means what it was made with; its end is one end."""
    app = BarsApp()
    shown: list[str] = []
    async with app.run_test(size=(40, 12)) as pilot:
        said = SaidLine(app.bar, lambda: shown.append("hints"), click="app.ask('why')")
        said.end()
        said.say("so it is")
        said.say("it is so", "error")
        there = (said.is_there, flat(app.bar.lines[0]).endswith("it is so"))
        _ = await pilot.click(app.bar, offset=(3, 0))
        said.end()
        said.end()

        assert (there, app.asked, shown, said.is_there) == ((True, True), ["why"], ["hints"], False)


# Frames


class FramesApp(App[None]):
    """Two panes beside each other, and what a click meant."""

    def __init__(self) -> None:
        super().__init__()
        self.frames = PaneFrames(STYLES, id="frames")
        self.asked: list[Any] = []

    def compose(self) -> ComposeResult:
        """The panes within their frames."""
        with self.frames:
            yield Static("a" * 500, id="one")
            yield Static("b" * 500, id="two")

    def stand(self, *, is_sided: bool = True) -> None:
        """Stand a gap apart."""
        self.frames.stand(lambda area: {"one": Region(0, 0, 10, 4), "two": Region(11, 1, 9, 5)}, is_sided=is_sided)

    def action_ask(self, what: str) -> None:
        """Remember it."""
        self.asked.append(what)

    @on(PaneFrames.EdgeClicked)
    def _edge(self, event: PaneFrames.EdgeClicked) -> None:
        self.asked.append((event.name, event.times))


@pytest.mark.parametrize(
    ("is_sided", "one", "two"),
    [(True, Region(1, 1, 8, 2), Region(12, 2, 7, 3)), (False, Region(0, 1, 10, 3), Region(11, 2, 9, 4))],
)
async def test_panes_stand_within_their_frames(one: Region, two: Region, *, is_sided: bool) -> None:
    """Without sides below their rule; from one to the other and back."""
    app = FramesApp()
    async with app.run_test(size=(24, 8)) as pilot:
        for each in (not is_sided, is_sided):
            app.stand(is_sided=each)
            for name in ("one", "two"):
                app.frames.show_frame(name, PaneFrame(is_sided=each))
            await pilot.pause()
        lines = [words.rstrip() for words in screen_text(app).splitlines()]

        assert [app.query_one(f"#{name}").region for name in ("one", "two")] == [one, two]
        assert app.frames.regions == {"one": Region(0, 0, 10, 4), "two": Region(11, 1, 9, 5)}
        if is_sided:
            assert lines[:3] == ["╭────────╮", "│aaaaaaaa│ ╭───────╮", "│aaaaaaaa│ │bbbbbbb│"]
            assert lines[3:6] == ["╰────────╯ │bbbbbbb│", "           │bbbbbbb│", "           ╰───────╯"]
        else:
            assert (lines[1][:11], lines[2]) == ("aaaaaaaaaa ", "aaaaaaaaaa bbbbbbbbb")


FOOT = PaneFrame(foot="1 of 9")


@pytest.mark.parametrize(
    ("before", "later", "regions"),
    [
        (PaneFrame(), PaneFrame(), []),
        (PaneFrame(), PaneFrame(right=(EdgeWords((("x", "text"),)),)), {1}),
        (PaneFrame(), FOOT._replace(foot="1"), {5}),
        (PaneFrame(), PaneFrame(is_focused=True), {1, 5, -1}),
        (PaneFrame(), PaneFrame(thumb=(0, 1)), {-1}),
        (PaneFrame(is_sided=False), PaneFrame(is_sided=False, is_focused=True), set()),
        (PaneFrame(is_sided=False), PaneFrame(is_sided=False, right=(EdgeWords((("x", "text"),)),)), {1}),
    ],
)
async def test_of_a_frame_only_what_differs_is_drawn_again(
    before: PaneFrame, later: PaneFrame, regions: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The upper edge, the lower one, or both sides."""
    app = FramesApp()
    async with app.run_test(size=(24, 8)) as pilot:
        app.stand(is_sided=before.is_sided)
        await pilot.pause()
        app.frames.show_frame("two", before)
        found = watched(app.frames, monkeypatch)
        app.frames.show_frame("two", later)
        app.frames.show_frame("three", later)
        edges = [each for (each, *more) in found if not more]
        sides = [each for each in found if len(each) == 2]

        assert {each.y for each in edges} | ({-1} if sides else set()) == set(regions)
        assert all(11 <= each.x < each.right <= 20 and each.height == 1 for each in edges)
        assert all(each == (Region(11, 1, 1, 5), Region(19, 1, 1, 5)) for each in sides)


async def test_nothing_is_drawn_again_where_none_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another kind of frame is drawn."""
    app = FramesApp()
    async with app.run_test(size=(24, 8)) as pilot:
        app.stand()
        await pilot.pause()
        found = watched(app.frames, monkeypatch)
        app.stand()
        same = len(found)
        app.stand(is_sided=False)

        assert (same, len(found) > 0) == (0, True)


@pytest.mark.parametrize(
    ("cell", "y", "asked"),
    [
        (0, 0, [("one", 1)]),
        (9, 0, [("one", 1)]),
        (3, 0, ["title"]),
        (10, 0, []),
        (11, 1, [("two", 1)]),
        (19, 1, [("two", 1)]),
        (20, 1, []),
        (11, 0, []),
        (11, 2, []),
    ],
)
async def test_a_click_on_an_upper_edge_is_one_on_its_pane(cell: int, y: int, asked: list[Any]) -> None:
    """Words may stand for an action."""
    app = FramesApp()
    async with app.run_test(size=(24, 8)) as pilot:
        app.stand()
        app.frames.show_frame("one", PaneFrame(left=(EdgeWords((("ttt", "text"),), "app.ask('title')"),)))
        await pilot.pause()
        _ = await pilot.click(offset=(cell, y))
        await pilot.pause()

        assert app.asked == asked
