"""The prompt and a choice by themselves: what they tell, what they remember, what completes."""

from collections.abc import Sequence
from typing import Any

import pytest
from textual import on
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from tui.terminal.theme import styles
from tui.widgets.prompt import Chooser, Prompt, PromptInput

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

    @on(Chooser.ListRequested)
    def _list_wanted(self, event: Chooser.ListRequested) -> None:
        self.told.append(("list", event.chooser.title))

    @property
    def line(self) -> str:
        return self.prompt.query_one(PromptInput).value

    async def enter(self, pilot: Pilot[None], *lines: str) -> None:
        for line in lines:
            self.prompt.open("/", line, _complete, "")
            await pilot.press("enter")


# The prompt


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
    app = PromptApp("a", "b", "cc", chosen=1)
    async with app.run_test() as pilot:
        app.chooser.focus()
        await pilot.press(*keys)
        await pilot.pause()

        assert (str(app.chooser.render()), app.told) == (shown, told)
