"""What stands in the footer, and what goes first."""

import pytest

from tests.tui import fake_holders
from tests.tui.fake_session import FakeSession
from tests.tui.screen_text import screen_text
from tui.actions import ACTIONS, DRILL, EXAM
from tui.app import SchedlabApp
from tui.board.dialects import STANDALONE, YARN, Dialect
from tui.keymap import hints
from tui.panes.frame import STAYS, FooterKey, footer
from tui.panes.line import flat


def _line(width: int, dialect: Dialect = YARN, **how: bool) -> str:
    groups = hints(dialect.offered(ACTIONS), idle=dict.fromkeys(dialect.greyed, ""), **how)
    keys = [[FooterKey(*hint[:4], is_idle=hint.is_idle) for hint in group] for group in groups]
    parts = footer(keys, FooterKey("?", "keys", "program.help", STAYS), width)
    return "".join(flat(spans) for spans, _ in parts)


@pytest.mark.parametrize("width", [60, 80, 120, 200])
@pytest.mark.parametrize("dialect", [YARN, STANDALONE], ids=["yarn", "spark"])
def test_the_keys_that_help_always_fit(dialect: Dialect, width: int) -> None:
    """The line is never wider than the terminal, and help stands at its end."""
    line = _line(width, dialect)

    assert (len(line) <= width - 1, line.endswith("? keys"), "w why" in line) == (True, True, True)


def test_read_only_has_no_act() -> None:
    assert ("K kill" in _line(200, read_only=True), "p pause" in _line(200, read_only=True)) == (False, True)


def test_a_key_that_does_nothing_in_the_past_says_so() -> None:
    """As far as there is room; there a step, and a branch."""
    line = _line(200, is_past=True)

    assert ("p not in the past" in line, "K not in the past" in line, "B branch" in line) == (True, True, True)
    assert ("p not in the past" in _line(80, is_past=True), "] step" in _line(200)) == (False, False)


def test_a_clock_that_stands_is_let_run_or_stepped() -> None:
    standing, running = _line(200, stands=True), _line(200)

    assert ("p run" in standing, "t tick" in standing, "p pause" in running, "tick" in running) == (
        True,
        True,
        True,
        False,
    )


@pytest.mark.parametrize(
    ("keys", "has"),
    [
        ((), (True, True, True)),
        (("2",), (True, True, False)),
        (("5",), (True, True, True)),
        (("8",), (True, False, False)),
        (("slash", "z", "q", "x", "enter"), (False, False, False)),
    ],
    ids=["application", "queue", "event", "graph", "no row"],
)
async def test_keys_that_need_a_row_stand_there_only_with_one(
    keys: tuple[str, ...], has: tuple[bool, bool, bool]
) -> None:
    """Enter, w and K, as far as they work on what the cursor stands on; else there is the reason."""
    app = SchedlabApp(FakeSession(fake_holders.held_cluster()), ascii_only=True)
    async with app.run_test(size=(200, 30)) as pilot:
        await pilot.press(*keys)
        await pilot.pause()
        line = screen_text(app).splitlines()[-1]

    assert tuple(words in line for words in ("enter open", "w why", "K kill")) == has
    reasons = ("enter no row here", "w not of this row", "K nobody to kill here")
    assert not any(is_there and words in line for is_there, words in zip(has, reasons, strict=True))


def test_the_footer_of_an_exam_offers_acts_and_no_pause() -> None:
    """A pause costs points there, and its end is offered; the questions have their key above."""
    titles = {hint.title for group in hints((*ACTIONS, DRILL, *EXAM)) for hint in group}
    assert {"acts", "pages", "hand in"} <= titles
    assert not titles & {"pause", "drill", "questions"}
    paused = {hint.title for group in hints((*ACTIONS, DRILL, *EXAM), stands=True) for hint in group}
    assert paused & {"run", "tick"} == {"run"}
