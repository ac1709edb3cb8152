"""The prompt and a choice by themselves: what they tell, what they remember, what completes."""

from collections.abc import Sequence
from typing import Any

import pytest
from textual import on
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widgets import Static

from tui.theme import styles
from tui.widgets.chooser import Chooser
from tui.widgets.prompt import KEPT, Prompt, PromptInput

WORDS = ("kill", "keep", "kilo")


def _complete(line: str) -> Sequence[str]:
    return [word for word in WORDS if word.startswith(line)]


class PromptApp(App[None]):
    """One prompt, one choice, and what both told."""

    def __init__(self, *options: str, chosen: int = 0) -> None:
        super().__init__()
        self.told: list[tuple[Any, ...]] = []
        self.prompt = Prompt(styles("none"), id="prompt")
        self.chooser = Chooser("kind", options or ("one",), chosen=chosen, id="kind")

    def compose(self) -> ComposeResult:
        """Both."""
        yield self.chooser
        yield self.prompt

    @on(Prompt.Typed)
    def _typed(self, event: Prompt.Typed) -> None:
        self.told.append(("typed", event.mark, event.text))

    @on(Prompt.Entered)
    def _entered(self, event: Prompt.Entered) -> None:
        self.told.append(("entered", event.mark, event.text))

    @on(Prompt.GivenUp)
    def _given_up(self, event: Prompt.GivenUp) -> None:
        self.told.append(("given up", event.mark))

    @on(Chooser.Changed)
    def _changed(self, event: Chooser.Changed) -> None:
        self.told.append(("changed", event.chooser.value))

    @on(Chooser.ListWanted)
    def _list_wanted(self, event: Chooser.ListWanted) -> None:
        self.told.append(("list", event.chooser.title))

    @property
    def line(self) -> str:
        """The text of the prompt."""
        return self.prompt.query_one(PromptInput).value

    async def enter(self, pilot: Pilot[None], *lines: str) -> None:
        """Type each line and want it."""
        for line in lines:
            self.prompt.open("/", line, _complete, "")
            await pilot.press("enter")


# The prompt


async def test_a_prompt_is_closed_until_it_is_opened() -> None:
    """It shows its mark, the text and a hint, and takes the keys."""
    app = PromptApp()
    async with app.run_test() as pilot:
        field = app.prompt.query_one(PromptInput)
        before = (app.prompt.is_open, app.prompt.display, field.disabled)
        app.prompt.open("/", "us", _complete, "type a word", filled="er")
        await pilot.pause()
        opened = (app.prompt.is_open, app.prompt.display, field.disabled, field.has_focus)
        mark = str(app.prompt.query_one(Static).render())
        shown = (mark, app.line, app.prompt.said, field.selection.start, field.selection.end)
        app.prompt.close()

        assert before == (False, False, True)
        assert opened == (True, True, False, True)
        assert shown == ("/", "user", "type a word", 2, 4)
        assert (app.prompt.is_open, field.disabled, app.told) == (False, True, [])


async def test_what_is_typed_is_told_with_its_mark() -> None:
    """Then what was wanted, or that it is not."""
    app = PromptApp()
    async with app.run_test() as pilot:
        app.prompt.open(":", "ab", _complete, "", filled="cd")
        await pilot.press("x", "enter", "escape")

        assert app.told == [("typed", ":", "abx"), ("entered", ":", "abx"), ("given up", ":")]


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        (["tab"], "kill"),
        (["tab", "tab"], "kilo"),
        (["tab", "tab", "tab"], "kill"),
        (["shift+tab"], "kilo"),
        (["shift+tab", "shift+tab"], "kill"),
        (["tab", "x"], "killx"),
        (["tab", "backspace", "backspace", "tab"], "kill"),
        (["x", "tab"], "kix"),
    ],
)
async def test_tab_goes_round_what_completes_the_text(keys: list[str], line: str) -> None:
    """What is typed then is a new beginning; the cursor stands at its end."""
    app = PromptApp()
    async with app.run_test() as pilot:
        app.prompt.open(":", "ki", _complete, "hint")
        await pilot.press(*keys)
        await pilot.pause()

        assert (app.line, app.prompt.query_one(PromptInput).cursor_position) == (line, len(line))
        assert app.prompt.said == ("nothing to complete" if line == "kix" else "hint")


async def test_a_completion_is_told_as_typed() -> None:
    """So that what it chooses shows at once."""
    app = PromptApp()
    async with app.run_test() as pilot:
        app.prompt.open(":", "ki", _complete, "")
        await pilot.press("tab", "tab")
        await pilot.pause()

        assert app.told == [("typed", ":", "kill"), ("typed", ":", "kilo")]


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        (["up"], "third"),
        (["up", "up"], "first"),
        (["up", "up", "up"], "first"),
        (["up", "up", "down"], "third"),
        (["up", "down"], ""),
        (["down"], ""),
        (["up", "down", "down", "up"], "third"),
    ],
)
async def test_lines_entered_come_back(keys: list[str], line: str) -> None:
    """Equal ones that follow each other once, empty ones never; behind the last one is an empty one."""
    app = PromptApp()
    async with app.run_test() as pilot:
        await app.enter(pilot, "first", "third", "third", "  ", "")
        app.prompt.open("/", "now", _complete, "")
        await pilot.press(*keys)

        assert app.line == line


async def test_each_mark_has_its_own_lines() -> None:
    """Where none was entered the text stays."""
    app = PromptApp()
    async with app.run_test() as pilot:
        await app.enter(pilot, "first")
        app.prompt.open(":", "now", _complete, "")
        await pilot.press("up")

        assert app.line == "now"


async def test_only_so_many_lines_are_remembered() -> None:
    """The oldest are forgotten."""
    app = PromptApp()
    async with app.run_test() as pilot:
        await app.enter(pilot, *(f"line {number}" for number in range(KEPT + 2)))
        app.prompt.open("/", "", _complete, "")
        await pilot.press(*["up"] * (KEPT + 5))

        assert app.line == "line 2"


# The choice


@pytest.mark.parametrize(
    ("keys", "shown", "told"),
    [
        ([], "< b >  2/3", []),
        (["right"], "< cc >  3/3", [("changed", "cc")]),
        (["right", "right"], "< a >  1/3", [("changed", "cc"), ("changed", "a")]),
        (["left", "left"], "< cc >  3/3", [("changed", "a"), ("changed", "cc")]),
        (["enter", "space"], "< b >  2/3", [("list", "kind"), ("list", "kind")]),
    ],
)
async def test_arrows_go_round_the_options(keys: list[str], shown: str, told: list[tuple[str, ...]]) -> None:
    """Enter and the blank want them all."""
    app = PromptApp("a", "b", "cc", chosen=1)
    async with app.run_test() as pilot:
        app.chooser.focus()
        await pilot.press(*keys)
        await pilot.pause()

        assert (str(app.chooser.render()), app.told) == (shown, told)


@pytest.mark.parametrize(
    ("cell", "told"),
    [
        (0, ("changed", "a")),
        (1, ("changed", "a")),
        (2, ("list", "kind")),
        (4, ("list", "kind")),
        (5, ("list", "kind")),
        (6, ("changed", "cc")),
        (7, ("changed", "cc")),
        (8, ("list", "kind")),
    ],
)
async def test_the_signs_at_both_ends_turn(cell: int, told: tuple[str, str]) -> None:
    """Each is two cells wide with its blank; what is between them and behind wants all options."""
    app = PromptApp("a", "bee", "cc", chosen=1)
    async with app.run_test() as pilot:
        _ = await pilot.click(app.chooser, offset=(cell, 0))
        await pilot.pause()

        assert app.told == [told]


async def test_one_option_has_no_count() -> None:
    """There is nothing to turn to."""
    app = PromptApp("one")
    async with app.run_test() as pilot:
        await pilot.pause()

        assert (str(app.chooser.render()), app.chooser.value) == ("< one >", "one")
